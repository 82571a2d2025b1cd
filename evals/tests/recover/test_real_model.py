"""A real model's recorded answers, replayed under the real client."""

from __future__ import annotations

import json

import httpx
import openai
import pytest

from knitbone_evals.recover.real_model import RECORDED, results
from knitbone_evals.recover.real_wire import RecordedWire
from knitbone_evals.recover.small_tasks import small_tasks


def test_gold_calls_of_the_bank_tasks_succeed_and_change_its_state():
    for given in small_tasks(["bank"]):
        world, before = given.task.start(), given.task.start().state()
        assert [world.call(call).error for call in given.task.gold] == [None] * len(given.task.gold)
        assert world.state() != before
        offered = {tool["function"]["name"] for tool in given.tools}
        assert {call.tool for call in given.task.gold} <= offered


def line(case, number, text):
    return json.dumps(
        {"case": case, "number": number, "request": "", "text": text, "finish": "stop",
         "tokens": [9, 3], "seconds": 1.5}
    )  # fmt: skip


def test_answers_are_replayed_and_written_calls_become_calls(tmp_path):
    (given,) = [each for each in small_tasks(["bank"]) if each.task.id == "bank/8"]
    first, second = given.task.gold
    wrong = {"customer_id": "lena_fischer_63", "address": "elsewhere"}
    told = json.dumps({"name": "update_address", "arguments": wrong})
    path = tmp_path / "answers.jsonl"
    answers = [line("bank/8/first", 0, f"```json\n{told}\n```"), line("bank/8/first", 1, "Done.")]
    for arm in ("blind", "full"):
        calls = [json.dumps({"name": c.tool, "arguments": c.arguments}) for c in (first, second)]
        texts = [*calls, "Done."] if arm == "full" else ["I cannot."]
        answers += [line(f"bank/8/{arm}", n, text) for n, text in enumerate(texts)]
    path.write_text("\n".join(answers), encoding="utf-8")
    (found,) = results(RecordedWire(path), [given])
    assert (found.first, found.arms["blind"].success, found.arms["full"].success) == (
        False, False, True
    )  # fmt: skip
    assert found.arms["full"].seconds == 4.5
    assert found.arms["full"].guidance.startswith("Advice from an earlier attempt")


def test_a_task_whose_answers_are_lacking_is_left_out(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(line("bank/8/first", 0, "Done."), encoding="utf-8")
    wire = RecordedWire(path)
    assert list(results(wire, small_tasks(["bank"]))) == []
    assert wire.lacking


def test_the_recorded_bank_tasks_are_replayed_without_a_server():
    wire = RecordedWire(RECORDED)
    tasks = [each for each in small_tasks(["bank"]) if wire.knows(f"{each.task.id}/full")]
    if not tasks:
        pytest.skip("no repair is recorded yet")
    assert len(list(results(wire, tasks[:3]))) == len(tasks[:3])


def test_a_refusal_of_the_server_is_replayed_as_one(tmp_path):
    path = tmp_path / "answers.jsonl"
    refused = json.loads(line("case", 0, "context too long")) | {"finish": "refused"}
    path.write_text(json.dumps(refused), encoding="utf-8")
    wire = RecordedWire(path)
    wire.begin("case")
    client = openai.OpenAI(
        base_url="http://model.test/v1", api_key="none", max_retries=0,
        http_client=httpx.Client(transport=wire),
    )  # fmt: skip
    with pytest.raises(openai.BadRequestError, match="context too long"):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    assert not wire.lacking
