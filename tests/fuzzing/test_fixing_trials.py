"""What trials prove: lists in the case that the tool takes them in, and no result for a refusal."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.fixing.decisions import normalised_arguments
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone.fuzzing.fixing.observation import ObservedCall, promised_errors
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint, ConstraintKind
from knitbone.fuzzing.fixing.sentence_constraints import read_sentence
from knitbone.fuzzing.fixing.statements import naming_sentence
from knitbone.fuzzing.fixing.trials import ConstraintTrials, contradicts_call
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.fuzzing.trace.terms import CallTrace, Event, Term
from knitbone.record.events import Json

WORDS = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8), min_size=1, max_size=6
).map(lambda words: list(dict.fromkeys(words)))
LISTED = ConcernedValue(argument="x")
IN_LIST = ConcernedValue(argument="x", separator=";", part=1)


def trials_of(takes: Callable[[str], bool], base: str) -> ConstraintTrials:
    """Trials of a tool that takes texts and refuses others."""

    def trial(arguments: dict[str, Json]) -> CallOutcome:
        taken = takes(str(arguments["x"]))
        return CallOutcome(status="ok" if taken else "rejected", text="1")

    trials = ConstraintTrials(trial, roots=(), most=1_000)
    trials.begin([{"x": base}])
    return trials


@pytest.mark.parametrize("of", [LISTED, IN_LIST])
@given(
    words=WORDS,
    read=st.sampled_from([str, str.upper, str.lower, str.casefold, str.capitalize]),
    written=st.sampled_from([str.upper, str.lower, str.capitalize]),
)
def test_a_list_rules_out_no_spelling_that_the_tool_takes(
    of: ConcernedValue, words: list[str], read: Callable, written: Callable
) -> None:
    words = [written(word) for word in words]
    before = "" if of is LISTED else "a;"
    table = {read(word) for word in words}
    trials = trials_of(lambda text: read(text.removeprefix(before)) in table, before + words[0])
    constraint = Constraint(kind="values", of=of, value=list(words))
    assert trials.proof(constraint).holds
    stated = trials.as_taken(constraint)
    assert stated is not None
    assert stated.any_case is (read is not str)
    for word in words:
        for spelled in (word, word.upper(), word.lower(), word.capitalize()):
            taken = trials.accepts({"x": before + spelled})
            assert keeps([stated], {"x": before + spelled}) is taken
    assert not keeps([stated], {"x": before + "".join(words) + "1"})


@given(words=WORDS.filter(lambda words: len(words) > 1))
def test_a_list_of_which_some_words_are_taken_in_another_case_is_not_stated(
    words: list[str],
) -> None:
    trials = trials_of(lambda text: text in {*words, words[0].upper()}, words[0])
    assert trials.as_taken(Constraint(kind="values", of=LISTED, value=list(words))) is None


@pytest.mark.parametrize(
    ("documentation", "refuses"),
    [
        ('Name and room, or "Error: member not found".', False),
        ("valid, or what is wrong, e.g. `Error: line 1`.", False),
        ('"valid", or the parser\'s message, such as "ValueError: line 1".', True),
        ("Name and room. There is no error.", True),
    ],
)
def test_an_error_that_is_shown_as_a_result_refuses_nothing(
    documentation: str, *, refuses: bool
) -> None:
    tool = ToolUnderTest(name="t", target="t", documentation=documentation, schema={})

    def trial(arguments: dict[str, Json]) -> CallOutcome:
        return CallOutcome(status="ok", text="Ann" if arguments["x"] else "Error: nobody")

    trials = ConstraintTrials(trial, roots=(), promised=promised_errors(tool), most=100)
    trials.begin([{"x": "ann"}])
    assert [each.kind for each in trials.emptiness()] == ["not empty"] * refuses


ORDERED = st.one_of(
    st.tuples(st.integers(-50, 50), st.integers(1, 50)).map(lambda p: (p[0], p[0] + p[1])),
    st.sampled_from([("a", "b"), ("2024-01-02", "2024-05-06")]),
    st.tuples(st.floats(-9, 9), st.floats(0.5, 9)).map(lambda p: (p[0], p[0] + p[1])),
)


@given(pair=ORDERED, compare=st.sampled_from([operator.lt, operator.le]), odd=st.booleans())
def test_a_relation_is_strict_only_where_equal_values_are_refused(
    pair: tuple, compare: Callable, *, odd: bool
) -> None:
    """``odd``: of the equal pairs only one is taken, so that no relation is true."""
    low, high = pair

    def takes(first: Json, second: Json) -> bool:
        return compare(first, second) or (odd and first == second == low)

    def trial(arguments: dict[str, Json]) -> CallOutcome:
        taken = takes(arguments["x"], arguments["y"])
        return CallOutcome(status="ok" if taken else "rejected", text="1")

    trials = ConstraintTrials(trial, roots=(), most=1_000)
    trials.begin([{"x": low, "y": high}])
    supposed = Constraint(kind="before", of=LISTED, other="y")
    assert trials.proof(supposed).holds
    stated = trials.as_taken(supposed)
    if odd and compare is operator.lt:
        assert stated is None
        return
    assert stated is not None
    text = naming_sentence([stated])
    read = list(read_sentence(text.replace("`x`", "x"), "x"))
    for first in pair:
        for second in pair:
            assert keeps(read, {"x": first, "y": second}) is takes(first, second), text


@given(
    separator=st.sampled_from([",", ";", " ", "|", None]),
    read=st.sampled_from([("whole number", None, int, "7"), ("number", None, float, "2.5"),
                          ("form", "iso date", dt.date.fromisoformat, "2024-05-17")]),
)  # fmt: skip
def test_a_list_in_a_text_is_not_said_to_be_one_value(separator: str | None, read: tuple) -> None:
    kind, value, convert, base = read

    def takes(text: str) -> bool:
        try:
            return bool(
                [convert(part) for part in (text.split(separator) if separator else [text])]
            )
        except ValueError:
            return False

    constraint = Constraint(kind=kind, of=LISTED, value=value)
    assert trials_of(takes, base).proof(constraint).holds is (separator is None)


TAKEN = Term("input", (("x",),))


@given(
    op=st.sampled_from(["strip", "lstrip", "rstrip", "replace", "removeprefix", "removesuffix"]),
    taken_off=st.text("v$%-s \t", min_size=1, max_size=3),
    read=st.sampled_from(["int", ".str.upper", "len", "operator.neg"]),
)
def test_what_is_taken_off_before_it_is_read_is_noticed(op: str, taken_off: str, read: str) -> None:
    more = ("",) if op == "replace" else ()
    trimmed = Term(read, (Term(f".str.{op}", (TAKEN, taken_off, *more)),))
    assert normalised_arguments([seen(trimmed, "call", True)]) == (
        {"x"} if taken_off.strip() else set()
    )
    assert not normalised_arguments([seen(Term(read, (TAKEN,)), "call", True)])
    assert not normalised_arguments([seen(Term(".str.strip", (TAKEN,)), "call", True)])


@given(
    outcomes=st.lists(st.booleans(), min_size=1, max_size=4),
    op=st.sampled_from([".str.endswith", ".str.startswith", "in"]),
    wrapped=st.sampled_from([(), ("operator.truth",), ("operator.truth", "operator.not_")]),
)
def test_an_end_that_the_tool_does_not_need_is_a_variant(
    outcomes: list[bool], op: str, wrapped: tuple[str, ...]
) -> None:
    ends = Term(op, ("%", TAKEN) if op == "in" else (TAKEN, "%"))
    asked = ends
    for around in wrapped:
        asked = Term(around, (asked,))
    turned = "operator.not_" in wrapped
    calls = [seen(asked, "branch", outcome != turned) for outcome in outcomes]
    done = [seen(ends, "call", True)] * (op != "in")
    found = normalised_arguments([*done, *calls])
    assert bool(found) is (False in outcomes)


@given(
    kind=st.sampled_from(["minimum", "maximum", "above", "below"]),
    number=st.integers(0, 100),
    unit=st.sampled_from(["%", "k", " min", "px"]),
)
def test_a_number_with_a_unit_that_was_taken_contradicts_a_bound(
    kind: ConstraintKind, number: int, unit: str
) -> None:
    bound = Constraint(kind=kind, of=ConcernedValue(argument="x"), value=1)
    assert contradicts_call(bound, {"x": f"{number}{unit}"})


def seen(term: Term, kind: str, outcome: bool) -> ObservedCall:
    trace = CallTrace((Event(1, kind, term, outcome),), frozenset(), {})
    return ObservedCall(arguments={"x": "5"}, accepted=True, trace=trace)
