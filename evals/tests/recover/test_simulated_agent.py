"""The simulated agent of the recovery benchmark, on an environment made here."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import msgspec
import pytest

from knitbone_evals.recover.__main__ import run
from knitbone_evals.recover.agent import SimulatedAgent
from knitbone_evals.recover.candidates import Pool, candidates, sentence_of
from knitbone_evals.recover.environments import Call, RecoveryTask, Reply
from knitbone_evals.recover.preference import Fit, Weighing
from knitbone_evals.recover.reading import Likeness, ReadText, adherence, namings, sentences
from knitbone_evals.recover.running import AnotherDrawError, Journal, draw_of, goal_of


class Ledger:
    """Two accounts and a list of what was posted."""

    def __init__(self) -> None:
        self.posted: list[str] = []

    def call(self, call: Call) -> Reply:
        if call.tool == "list_accounts":
            return Reply("green, blue")
        if set(call.arguments) != {"account", "amount"}:
            return Reply("missing argument", "missing argument")
        self.posted.append(f"{call.arguments['account']} {call.arguments['amount']}")
        return Reply("posted")

    def state(self) -> str:
        return "\n".join(self.posted)


def ledger_task(name: str, account: str) -> RecoveryTask:
    gold = (
        Call("list_accounts", {}),
        Call("post_check", {"account": account, "amount": 25}),
    )
    return RecoveryTask(
        id=name, ground="ledger", suite="ledger", words=f"Post 25 to {account}.", gold=gold,
        start=Ledger,
    )  # fmt: skip


TASKS = [ledger_task("ledger/0", "green"), ledger_task("ledger/1", "blue")]
POOL = Pool(TASKS)


class Told:
    """Supervision that puts a text before the first turn of the user, and one behind results."""

    def __init__(self, text: str, behind: str = "") -> None:
        self.text, self.behind = text, behind

    def guided(self, messages: list[dict[str, object]]) -> list[dict[str, object]]:
        return [messages[0], {"role": "user", "content": self.text}, *messages[1:]]

    def tool_returned(
        self, tool: str, arguments: object, result: str, error: object, call_id: object
    ) -> str:
        del tool, arguments, error, call_id
        return result + self.behind

    def text_answered(self, text: str) -> str | None:
        del text
        return None


class Counted(Likeness):
    """Likeness by shared words, so that no model is loaded."""

    def __init__(self) -> None: ...

    def learn(self, texts: object) -> None: ...

    def between(self, first: str, second: str) -> float:
        return len(set(first.split()) & set(second.split())) / 10


def agent_of(skill: float, *, do: float = 0.0, dont: float = 0.0) -> SimulatedAgent:
    fit = Fit(
        model="none", answers=0, kinds={"other": 0.0}, spread=0.0, do=do, dont=dont,
        skills={"ledger": skill},
    )  # fmt: skip
    return SimulatedAgent(TASKS[0], POOL, fit, Weighing(fit, Counted()), seed=0)


@pytest.mark.parametrize(("steps", "left"), [(0, 0.99), (5, 0.71), (13, 0.50)])
def test_adherence_is_that_of_the_paper_at_its_three_points(steps: int, left: float) -> None:
    assert adherence(steps) == pytest.approx(left)


def test_adherence_goes_on_to_fall_after_the_last_point() -> None:
    assert 0 < adherence(30) < adherence(20) < 0.5


def test_sentences_that_forbid_are_told_from_those_that_ask() -> None:
    told = sentences("First call list_accounts. Do not call post_check again.\n- Give the amount")
    assert told == [
        ("First call list accounts.", False),
        ("Do not call post check again.", True),
        ("Give the amount", False),
    ]


def test_the_same_seed_meets_the_same_candidates() -> None:
    def drawn(seed: str) -> list[str]:
        found = candidates(
            TASKS[0], POOL, pending=TASKS[0].gold[1:], settled=(), last=TASKS[0].gold[0], seen="",
            seed=seed,
        )  # fmt: skip
        return [f"{candidate.kind}: {sentence_of(candidate.call)}" for candidate in found]

    assert drawn("1") == drawn("1")
    assert drawn("1")[0] == "needed: call post check with account green, amount 25"
    assert {"omission", "end", "repeat"} <= {text.split(":")[0] for text in drawn("1")}


def test_an_agent_of_great_skill_reaches_the_goal_and_one_of_none_does_not() -> None:
    goal = goal_of(TASKS[0])
    assert goal.reached(agent_of(30.0).attempt(0, None))
    assert not goal.reached(agent_of(-30.0).attempt(0, None))


def test_gold_actions_reach_the_goal() -> None:
    made = agent_of(0.0).gold(None)
    made.answered = True
    assert goal_of(TASKS[0]).reached(made)


def test_texts_of_others_are_read_where_they_stand_and_when() -> None:
    made = agent_of(30.0).attempt(0, Told("Post it once.", "\n[note] Go on."))
    assert made.texts == [ReadText("Post it once.", 0), ReadText("[note] Go on.", 1)]


def test_what_is_asked_for_is_done_and_what_is_forbidden_is_left() -> None:
    options = [("call post check", 0.0), ("answer the user now", 0.0)]
    fit = Fit(model="none", answers=0, kinds={}, spread=0.0, do=400.0, dont=-400.0)
    weighing = Weighing(fit, Counted())
    for text, chosen in (("Then call post check.", 0), ("Do not call post check.", 1)):
        assert weighing.choose(options, [ReadText(text, 0)], 0, "seed") == chosen


@pytest.mark.parametrize(
    ("text", "named", "barred"),
    [
        ("Then call post_check.", 1.0, 0.0),
        ("Do not call post_check again.", 0.0, 1.0),
        ("Do not call post_check without amount.", 1.0, 0.0),
        ("Do not answer before post_check is done.", 1.0, 0.0),
        ("Call post_checks.", 0.0, 0.0),
    ],
)
def test_a_sentence_names_a_call_or_bars_it(text: str, named: float, barred: float) -> None:
    steps = ["call post check again with amount 25", "answer the user now, no further tool call"]
    found = namings(steps, [ReadText(text, 3)], 3, fading=False)
    assert found == [(named, barred), (0.0, 0.0)]


def test_a_name_fades_with_the_age_of_its_text() -> None:
    ((named, _),) = namings(["call post check"], [ReadText("Call post_check.", 0)], 13)
    assert named == pytest.approx(0.50)


def test_names_weigh_where_likeness_does_not() -> None:
    options = [("call post check", 0.0), ("answer the user now", 0.0)]
    fit = Fit(
        model="none", answers=0, kinds={}, spread=0.0, do=0.0, dont=0.0, named=400.0, barred=-400.0
    )
    weighing = Weighing(fit, Counted())
    for text, chosen in (("Then call post_check.", 0), ("Do not call post_check.", 1)):
        assert weighing.choose(options, [ReadText(text, 0)], 0, "seed") == chosen


def test_numbers_whose_skill_is_not_set_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "fit.json"
    fit = Fit(model="none", answers=0, kinds={}, spread=0.0, do=0.0, dont=0.0, skills={"retail": 1})
    path.write_bytes(msgspec.json.encode(fit))
    with pytest.raises(SystemExit, match=r"no skill for agentdojo"):
        run("agentdojo", 0, Namespace(fit=path, gold_only=False))


def a_fit(**changed: float) -> Fit:
    fit = Fit(model="none", answers=0, kinds={}, spread=1.0, do=0.0, dont=0.0, skills={"ledger": 1})
    return msgspec.structs.replace(fit, **changed)


def test_a_journal_refuses_results_of_another_draw(tmp_path: Path) -> None:
    """Two draws in one journal once spoilt a comparison: rows of both stood in one table."""
    path = tmp_path / "ledger.jsonl"
    first = draw_of(a_fit(), "ledger")
    Journal(path).made_with(first)
    journal = Journal(path)
    journal.made_with(first)
    journal.add({"what": "first", "task": "ledger/0", "seed": 0})
    again = Journal(path)
    again.made_with(first)
    assert [line["task"] for line in again.lines] == ["ledger/0"]
    for other in ("spread", "named", "sharpness"):
        with pytest.raises(AnotherDrawError, match=r"fit: .* there, .* now.*--results DIR"):
            Journal(path).made_with(draw_of(a_fit(**{other: 0.123}), "ledger"))
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_a_journal_that_does_not_say_what_it_was_made_with_is_not_gone_on_with(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ledger.jsonl"
    Journal(path).add({"what": "first", "task": "ledger/0", "seed": 0})
    with pytest.raises(AnotherDrawError, match=r"ledger\.jsonl holds .*not said there"):
        Journal(path).made_with(draw_of(a_fit(), "ledger"))


def test_a_skill_for_another_ground_is_no_other_draw() -> None:
    known = a_fit()
    more = msgspec.structs.replace(known, skills={**known.skills, "elsewhere": 3.0})
    assert draw_of(known, "ledger") == draw_of(more, "ledger")
    assert draw_of(known, "elsewhere") != draw_of(more, "elsewhere")
