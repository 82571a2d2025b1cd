"""Streamed answers: what is held back, what is passed on, and that a stream stays a stream."""

import asyncio
import contextlib
import inspect
import itertools
import json
import re
from enum import Enum

import httpx
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from positional_templates import ALL, NUMBERED, SPANNING
from test_delivery_of_chains import site
from test_values import chunk

from knitbone import session
from knitbone.adaptation.repair.positional.list_lines import adapt_text
from knitbone.adaptation.runtime.delivery import deliver_answer
from knitbone.adaptation.runtime.streamed_answer import Holdback
from knitbone.adaptation.testing import (
    CheckPlan,
    Evidence,
    Invocation,
    ScenarioRequirement,
    number_site,
    process_counts,
)
from knitbone.common.hooks import Stage, register
from knitbone.config import AdaptConfig
from knitbone.errors import RequirementViolation

DRIFTED, REPAIRED = "1) a\n2) b\n3) c", "1. a\n2. b\n3. c"
LINES = ["Sure:\n", "1) a\n", "2: b\n", "3 - c\n", "1. a\n", "2. b\n", "- x\n", "10% off\n"]
LINES += ["Task 1: go\n", "Task 2 - x\n", "\n", "```\n", "note 3\n", "  4) in\n", "1) x 2) y 3) z"]


def numbered(line=1, mode="repair", **fields):
    fields = {"chained": False, "streamed": True, **fields}
    return number_site(site(line, **fields), AdaptConfig(mode=mode))


def said(texts):
    yield from texts


async def said_later(texts):
    for text in texts:
        yield text


async def collected(stream):
    return [item async for item in stream]


def counts(line=1):
    (found,) = [c for c in process_counts() if c.site == f"chain.py:{line}"]
    return found


SPLITS = {"whole": [DRIFTED], "characters": list(DRIFTED), "lines": DRIFTED.splitlines(True)}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("template", [NUMBERED, SPANNING])
def test_a_streamed_answer_is_adapted_however_it_is_cut(split, template):
    number = numbered(requirements=(template,))
    assert "".join(deliver_answer(said(SPLITS[split]), number)) == REPAIRED
    later = collected(deliver_answer(said_later(SPLITS[split]), number))
    assert "".join(asyncio.run(later)) == REPAIRED
    assert (counts().repaired, counts().answers) == (2, 2)


@settings(max_examples=200, deadline=None)
@given(
    lines=st.lists(st.sampled_from(LINES), max_size=6),
    name=st.sampled_from(sorted(ALL)),
    cuts=st.lists(st.integers(0, 60), max_size=8),
)
def test_a_stream_gives_what_the_whole_text_gives(lines, name, cuts):
    text, template, config = "".join(lines), ALL[name], AdaptConfig(budget_ms=60_000)
    plan = CheckPlan(site(1, requirements=(template,)), config)
    held = Holdback(plan.streamed, Invocation(config))
    places = [0, *sorted(cut for cut in cuts if cut <= len(text)), len(text)]
    for start, end in itertools.pairwise(places):
        held.push(text[start:end])
    ended = held.finish()
    whole = adapt_text(text, template, config)
    assert ended.decision.text in (whole.text, text)
    assert "".join(text[p.start : p.end] for p in held.settled) == text
    if whole.disposition == "conforming":
        assert ended.decision.text == text


def test_a_conforming_stream_passes_line_by_line_as_the_same_objects():
    taken = []

    def model():
        for text in ("1. ", "first\n", "2. ", "second\n", "3. third"):
            taken.append(text)
            yield text

    stream = deliver_answer(model(), numbered())
    assert next(stream) is taken[0]
    assert taken == ["1. ", "first\n"]  # held to the end of the line, no further
    assert next(stream) is taken[1]
    assert taken == ["1. ", "first\n"]
    assert list(stream) == ["2. ", "second\n", "3. third"]


def test_a_drifted_record_with_its_own_number_is_passed_on_at_the_end_of_its_line():
    stream = deliver_answer(said(list(DRIFTED)), numbered())
    source = stream.gi_frame
    assert next(stream) == "1. a\n"
    assert source.f_lasti is not None
    assert "".join(stream) == "2. b\n3. c"


def test_without_a_requirement_the_stream_is_the_very_object():
    stream = said(["a"])
    assert deliver_answer(stream, numbered(2, requirements=())) is stream


def test_observe_holds_nothing_back_and_reports_at_the_end():
    taken = []

    def model():
        for text in DRIFTED:
            taken.append(text)
            yield text

    stream = deliver_answer(model(), numbered(mode="observe"))
    assert next(stream) is taken[0]
    assert len(taken) == 1
    assert "".join(stream) == DRIFTED[1:]
    assert counts().observed == 1


def test_strict_raises_instead_of_the_answer():
    stream = deliver_answer(said(list(DRIFTED)), numbered(mode="strict"))
    with pytest.raises(RequirementViolation):
        next(stream)
    assert list(stream) == []


def test_chunks_keep_their_type_and_those_without_text_stay_in_place():
    chunks = [chunk(None), *map(chunk, ["1", ") a", "\n2) ", "b"]), chunk(None)]
    passed = list(deliver_answer(said(chunks), numbered()))
    assert "".join(c.choices[0].delta.content or "" for c in passed) == "1. a\n2. b"
    assert len(passed) == len(chunks)
    assert passed[0] is chunks[0]
    assert passed[-1] is chunks[-1]
    assert chunks[2].choices[0].delta.content == ") a"


def test_langchain_chunks_add_up_to_the_repaired_message():
    chunks = [AIMessageChunk(text, id="1") for text in DRIFTED]
    first, *rest = deliver_answer(said(chunks), numbered())
    for item in rest:
        first += item
    assert (first.content, first.id) == (REPAIRED, "1")


def test_an_error_of_the_stream_comes_after_what_was_said():
    def model():
        yield "1) a"
        raise OSError("connection lost")

    stream = deliver_answer(model(), numbered())
    assert next(stream) == "1) a"
    with pytest.raises(OSError, match="connection lost"):
        next(stream)
    assert next(stream, None) is None
    assert counts().unfinished == 1


def test_leaving_a_stream_closes_the_source():
    closed = []

    def model():
        try:
            yield from ["1. a\n", "2. b\n", "3. c\n"]
        except GeneratorExit:
            closed.append(True)
            raise

    for item in (stream := deliver_answer(model(), numbered())):
        assert item == "1. a\n"
        break
    stream.close()
    assert closed == [True]
    assert list(stream) == []
    assert counts().unfinished == 1


def test_leaving_an_async_stream_closes_the_source():
    closed = []

    async def model():
        try:
            for text in ["1. a\n", "2. b\n"]:
                yield text
        finally:
            closed.append(True)

    async def use():
        async with contextlib.aclosing(deliver_answer(model(), numbered())) as stream:
            return await anext(stream)

    assert asyncio.run(use()) == "1. a\n"
    assert closed == [True]


def test_send_throw_and_return_value_reach_the_generator():
    def model():
        got = yield "1. a\n"
        try:
            yield got
        except KeyError:
            yield "3. c\n"
        return "done"

    def use():
        result = yield from deliver_answer(model(), numbered())
        yield result

    stream = use()
    assert next(stream) == "1. a\n"
    assert stream.send("2. b\n") == "2. b\n"
    assert stream.throw(KeyError("x")) == "3. c\n"
    assert next(stream) == "done"


def test_a_wrapped_generator_looks_like_one():
    stream = deliver_answer(said(["x"]), numbered())
    assert inspect.isgenerator(stream)
    assert stream.gi_code is said.__code__
    assert inspect.isasyncgen(deliver_answer(said_later(["x"]), numbered()))
    assert "generator object said" in repr(stream)


def test_files_and_the_like_are_no_streams(tmp_path):
    (tmp_path / "x").write_text("x")
    with (tmp_path / "x").open() as file:
        assert deliver_answer(file, numbered(3, streamed=False)) is file


def test_several_answers_in_one_stream_pass_as_they_are():
    chunks = [chunk("1) a", index=0), chunk("1) b\n", index=1), chunk("2) c", index=0)]
    assert list(deliver_answer(said(chunks), numbered())) == chunks
    assert counts().unknown == 1


def test_an_error_of_ours_lets_the_stream_pass(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("ours")

    monkeypatch.setattr("knitbone.adaptation.runtime.streamed_answer.judge", fail)
    assert "".join(deliver_answer(said(list(DRIFTED)), numbered(requirements=(SPANNING,)))) == (
        DRIFTED
    )
    monkeypatch.setattr("knitbone.adaptation.runtime.streamed_answer.find_texts", fail)
    assert "".join(deliver_answer(said(list(DRIFTED)), numbered())) == DRIFTED


def test_a_value_that_cannot_be_rebuilt_passes_and_is_counted():
    answer = Enum("Answer", {"DRIFTED": DRIFTED}, type=str).DRIFTED
    assert deliver_answer(answer, numbered(4)) is answer
    assert (counts(4).answers, counts(4).repaired, counts(4).refused) == (1, 0, 1)
    assert "Answer not rebuilt" in str(counts(4).reasons)


def test_capture_hears_what_was_said_and_supervise_what_was_passed_on():
    heard = []
    with (
        register(Stage.CAPTURE, lambda v, s: heard.append(("capture", v, str(s))) or v),
        register(Stage.SUPERVISE, lambda v, s: heard.append(("supervise", v, str(s))) or v),
    ):
        assert "".join(deliver_answer(said(list(DRIFTED)), numbered())) == REPAIRED
        assert list(deliver_answer(said("ab"), numbered(2, requirements=()))) == ["a", "b"]
    assert heard == [
        ("capture", DRIFTED, "chain.py:1"),
        ("supervise", REPAIRED, "chain.py:1"),
        ("capture", "ab", "chain.py:2"),
        ("supervise", "ab", "chain.py:2"),
    ]


def served(texts):
    """What an OpenAI server sends for a streamed completion."""
    events = [f"data: {chunk(text).model_dump_json()}\n\n" for text in texts]
    return "".join([*events, "data: [DONE]\n\n"]).encode()


def answer(request):
    body = served(list(DRIFTED))
    kind = {"content-type": "text/event-stream"}
    assert json.loads(request.content)["stream"] is True
    return httpx.Response(200, content=body, headers=kind)


ASK = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True}


def test_the_stream_of_the_openai_sdk_stays_one():
    transport = httpx.MockTransport(answer)
    client = openai.OpenAI(
        api_key="x", base_url="http://x/v1", http_client=httpx.Client(transport=transport)
    )
    raw = client.chat.completions.create(**ASK)
    with deliver_answer(raw, numbered(streamed=False)) as stream:
        assert isinstance(stream, openai.Stream)
        assert stream.response.status_code == 200
        text = "".join(item.choices[0].delta.content for item in stream)
    assert text == REPAIRED
    assert raw.response.is_closed


def test_the_async_stream_of_the_openai_sdk_stays_one():
    async def use():
        transport = httpx.MockTransport(answer)
        client = openai.AsyncOpenAI(
            api_key="x", base_url="http://x/v1", http_client=httpx.AsyncClient(transport=transport)
        )
        stream = deliver_answer(await client.chat.completions.create(**ASK), numbered())
        assert isinstance(stream, openai.AsyncStream)
        text = "".join([item.choices[0].delta.content async for item in stream])
        await stream.close()
        await stream.aclose()
        return text

    assert asyncio.run(use()) == REPAIRED


SCENARIO = ("consistent_lexical_features", "succinct_content")
ASKED = "What is your favourite colour, and how do you organise the theatre?"
SPOKEN = "The color is grey. Nobody minds it at all here. The theatre is organised by neighbors."


def spoken(**settings):
    evidence = Evidence(file="chain.py", line=1, expression="model.stream()")
    requirements = tuple(ScenarioRequirement(name=name, evidence=evidence) for name in SCENARIO)
    fields = {"chained": False, "streamed": True, "requirements": requirements}
    return number_site(
        site(1, **fields), AdaptConfig(budget_ms=60_000, scenario=("all",), **settings)
    )


def test_what_people_read_is_passed_on_sentence_by_sentence_as_it_should_be():
    taken = []

    def model():
        for text in re.split(r"(?<= )", SPOKEN):
            taken.append(text)
            yield text

    with session(ASKED):
        stream = deliver_answer(model(), spoken())
        assert next(stream) == "The colour is grey. "
        assert len(taken) == 4  # the sentence has ended with the blank behind it
        rest = "".join(stream)
    assert rest == "Nobody minds it at all here. The theatre is organised by neighbours."
    assert counts().repaired == 1


def test_a_stream_that_is_right_passes_as_the_same_objects():
    pieces = re.split(r"(?<= )", SPOKEN.replace("color", "colour").replace("bors", "bours"))
    with session(ASKED):
        passed = list(deliver_answer(said(pieces), spoken()))
    assert all(one is other for one, other in zip(passed, pieces, strict=True))
    assert counts().conforming == 1


def test_a_sentence_that_is_said_again_is_not_passed_on():
    once = "The committee approved the revised budget for the new harbour last night. "
    other = "Nobody from the district objected to the plan during the long meeting. "
    with session("What happened in the meeting yesterday evening, in short?"):
        passed = "".join(deliver_answer(said([once, other, once, other]), spoken()))
    assert passed.strip() == (once + other).strip()


def test_the_last_sentence_is_not_passed_on_where_it_is_said_again():
    once = "The committee approved the revised budget for the new harbour last night. "
    other = "Nobody from the district objected to the plan during the long meeting. "
    with session("What happened in the meeting yesterday evening, in short?"):
        passed = "".join(deliver_answer(said([once, other, once.rstrip()]), spoken()))
    assert passed == once + other


def test_observing_a_stream_holds_nothing_back():
    stream = deliver_answer(said(["The ", "color ", "is grey. "]), spoken(mode="observe"))
    assert next(stream) == "The "
