"""A hint is said of the arguments that mend the call, as every call made against it agrees."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.classification.rules import classify_by_rules
from knitbone.fuzzing.reasons import spoken
from knitbone.fuzzing.trials import NOT_TRIED, Trials
from knitbone.record.events import Json
from knitbone_evals.fuzz.generated_tools import FAULTS, draw_tool
from knitbone_evals.fuzz.hints import classified, contradiction


@settings(max_examples=400)
@given(st.integers(0, 2**32))
def test_no_fresh_call_contradicts_a_hint(seed: int) -> None:
    rng = random.Random(seed)
    made = draw_tool(rng)
    said = classified(made)
    assert said.tested, made.source
    assert set(said.arguments) <= set(made.culprits), (said.lack, made.source, made.finding)
    wrong = contradiction(said.lack, made.finding, made.tool.schema, made.call, rng, made.good)
    assert not wrong, (said.lack, wrong, made.source, made.finding.arguments)


def test_hints_of_every_kind_of_fault_name_its_arguments() -> None:
    """Whoever says nothing is never contradicted."""
    named: Counter[str] = Counter()
    drawn = 12
    for fault in FAULTS:
        for seed in range(drawn):
            made = draw_tool(random.Random(seed), fault=fault.name)
            named[fault.name] += bool(classified(made).arguments)
    assert all(named[fault.name] >= drawn // 2 for fault in FAULTS), named
    assert named.total() > 0.9 * drawn * len(FAULTS), named


@pytest.mark.parametrize(
    ("fault", "hint"),
    [
        ("zero", "that `{0}` must not be zero"),
        ("empty", "that `{0}` must not be empty"),
        ("sign", "that `{0}` must not be negative"),
        ("type", "that `{0}` must be a text"),
        ("default", "that `{0}` must be given"),
        ("form: date", "the form of `{0}`"),
    ],
)
def test_what_an_argument_must_be_is_said_where_calls_show_it(fault: str, hint: str) -> None:
    drawn = (draw_tool(random.Random(seed), fault=fault) for seed in range(20))
    for made in (each for each in drawn if each.normal):
        assert classified(made).lack == hint.format(*made.culprits), made.source


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.integers(0, 12))
def test_what_could_not_be_tested_is_said_as_possible(seed: int, most: int) -> None:
    made = draw_tool(random.Random(seed))
    calls: list[dict[str, Json]] = []
    trials = Trials(
        lambda arguments: calls.append(arguments) or made.call(arguments),
        roots=("generated",),
        most=most,
        taken=made.normal,
    )
    said = classify_by_rules(made.tool, made.finding, trials=trials)
    assert said.tested or said.lack.startswith("possibly ") or not said.lack
    assert len(calls) <= most
    assert len({repr(call) for call in calls}) == len(calls), "a call was made twice"


def test_a_failure_that_does_not_repeat_is_not_tested() -> None:
    made = draw_tool(random.Random(1))
    once = msgspec.structs.replace(made.finding, replays=False)
    trials = Trials(made.call, roots=("generated",), most=100)
    said = classify_by_rules(made.tool, once, trials=trials)
    assert said.lack.startswith("possibly ")
    assert trials.calls == 0


def test_a_spent_budget_is_no_result() -> None:
    trials = Trials(draw_tool(random.Random(1)).call, roots=(), most=0)
    assert trials.tried({}) is None
    assert trials.failure({}) == NOT_TRIED


WORDS = st.text("abcdefgh ", min_size=4, max_size=20).map(str.strip).filter(bool)
ENVELOPES = st.one_of(
    WORDS.map(lambda words: str({"error": words, "code": 4})),
    WORDS.map(lambda words: f'{{"error": {{"message": "{words}", "data": {{"a": 1}}}}}}'),
    WORDS.map(lambda words: f"[TextContent(type='text', text='{words}')]"),
    WORDS.map(lambda words: f"<error><detail>{words}</detail></error>"),
    WORDS.map(lambda words: f'Traceback (most recent call last):\n  File "a.py", line 3, in f\n'
                            f"    {words}\nValueError: {words}"),
    WORDS.map(lambda words: f'File "a.py", line 3, in f: {words}'),
    WORDS,
)  # fmt: skip


@given(ENVELOPES)
def test_no_wrapper_of_an_error_is_spoken(message: str) -> None:
    said = spoken(message)
    assert not set(said) & set("{}[]<>\\")
    assert "Traceback" not in said
    assert "line 3" not in said


@given(WORDS)
def test_plain_words_are_spoken(words: str) -> None:
    assert spoken(words) == words
    assert spoken(str({"error": words})) == words


CASES = '''
def divide(a: float, b: float, places: int = 2) -> float:
    """Divide."""
    return round(a / b, places)


def write(filename: str, content: str, overwrite=None) -> str:
    """Write. overwrite: whether what is there goes."""
    if overwrite is None:
        overwrite = "no"
    try:
        return f"written {filename} {overwrite.lower() in ('y', 'yes')}"
    except Exception as error:
        return f"An error occurred while writing: {error}"


def show(path: str, lines: str = "") -> str:
    """Show lines of a file."""
    first, last = 1, 9
    if lines:
        first, last = int(lines.split(",")[0]), int(lines.split(",")[1])
    return f"{path} {first} {last}"
'''


@pytest.mark.parametrize(
    ("name", "exception", "hint"),
    [
        ("divide", "ZeroDivisionError", "that `b` must not be zero"),
        ("write", None, "that `overwrite` must be a text"),
        ("show", "IndexError", "the limits of `lines`"),
    ],
)
def test_a_campaign_blames_the_argument_that_mends_the_call(
    name: str, exception: str | None, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "cases.py").write_text(CASES)
    campaign = fuzz(f"{tmp_path}/cases.py:{name}", calls=60)
    found = [f for f in campaign.findings if f.exception == exception and f.counts]
    lacks = [f.classification.lack for f in found if f.classification is not None]
    assert hint in lacks
