"""Constraints in words and back: what is written is read as what was meant."""

from __future__ import annotations

import datetime as dt

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.fixing.engine import composed_words
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone.fuzzing.fixing.kinds import FORMS, KINDS
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint, ProvenStatement
from knitbone.fuzzing.fixing.sentence_constraints import (
    read_constraints,
    read_sentence,
    strftime_of,
)
from knitbone.fuzzing.fixing.statements import is_whole, naming_sentence, sentence
from knitbone.fuzzing.records import ToolUnderTest

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)
NUMBERS = st.integers(-10_000, 10_000)
PLACES = st.sampled_from(
    [
        ConcernedValue(argument="x"),
        ConcernedValue(argument="x", separator=";", part=2),
        ConcernedValue(argument="x", path=("*",)),
    ]
)
CONTENT = st.one_of(
    st.tuples(st.just("values"), st.lists(WORDS, min_size=2, max_size=6, unique=True)),
    st.tuples(st.sampled_from(["minimum", "maximum", "above", "below"]), NUMBERS),
    st.tuples(st.sampled_from(["shortest", "longest"]), st.integers(2, 500)),
    st.tuples(st.sampled_from(["not empty", "not zero", "number", "whole number"]), st.none()),
    st.tuples(
        st.just("date"), st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%H:%M", "%d/%m/%y %H:%M"])
    ),
    st.tuples(st.just("form"), st.sampled_from(sorted(FORMS))),
    st.tuples(st.just("pattern"), st.sampled_from(["[A-Z]{2}[0-9]{4}", "[a-f0-9]+"])),
    st.tuples(st.sampled_from(["prefix", "suffix"]), st.lists(WORDS, min_size=1, max_size=3)),
    st.tuples(st.just("parts"), st.tuples(st.sampled_from([";", "->", ","]), st.integers(2, 6))),
)


@given(of=PLACES, content=CONTENT, named=st.booleans())
def test_what_is_written_is_read_back(of: ConcernedValue, content: tuple, named: bool) -> None:
    kind, value = content
    value = list(value) if isinstance(value, tuple) else value
    meant = Constraint(kind=kind, of=of, value=value)
    text = (naming_sentence if named else sentence)([meant])
    read = [(c.kind, c.value, c.of) for c in read_sentence(text.replace("`x`", "x"), "x")]
    assert (kind, value, of) in read, text


@given(words=st.lists(WORDS, min_size=1, max_size=6, unique=True), named=st.booleans())
def test_a_list_of_any_case_is_read_back_as_such(words: list[str], named: bool) -> None:
    of = ConcernedValue(argument="x")
    meant = Constraint(kind="values", of=of, value=list(words), any_case=True)
    text = (naming_sentence if named else sentence)([meant]).replace("`x`", "x")
    found = [c for c in read_sentence(text, "x") if c.kind == "values"]
    assert len(words) == 1 or [(c.value, c.any_case) for c in found] == [(words, True)], text
    assert all(keeps(found, {"x": word.upper()}) for word in words)
    assert not found or not keeps(found, {"x": "".join(words) + "1"})


@given(low=NUMBERS, width=st.integers(1, 500))
def test_a_range_is_read_back_as_both_bounds(low: int, width: int) -> None:
    of = ConcernedValue(argument="x")
    both = [
        Constraint(kind="minimum", of=of, value=low),
        Constraint(kind="maximum", of=of, value=low + width),
    ]
    read = {(c.kind, c.value) for c in read_sentence(sentence(both), "x")}
    assert read == {("minimum", low), ("maximum", low + width)}


SHOWN = ("date", "form", "pattern", "prefix", "suffix", "parts")


@given(content=CONTENT)
def test_a_format_is_shown_by_a_value_of_its_argument_and_no_call_is_shown(
    content: tuple,
) -> None:
    kind, value = content
    value = list(value) if isinstance(value, tuple) else value
    meant = Constraint(kind=kind, of=ConcernedValue(argument="x"), value=value)
    kept = [v for v in KINDS[kind].kept(meant, "a") if KINDS[kind].holds(meant, v)]
    shown = next((v for v in kept if isinstance(v, str) and is_whole(v)), None)
    tool = ToolUnderTest(name="t", target="t", documentation="Do.", schema={})
    stated = [ProvenStatement(constraint=meant, text="", accepted=1, refused=1)]
    own, naming = composed_words(tool, stated, {"x": shown, "other": "zq"})
    assert (shown is not None and kind in SHOWN) is ("For example" in own["x"])
    for text in (own["x"], naming["x"]):
        assert "zq" not in text
        assert "t(" not in text
        schema = {"type": "object", "properties": {"x": {"type": "string", "description": text}}}
        read = read_constraints(msgspec.structs.replace(tool, schema=schema))
        assert (kind, value) in [(c.kind, c.value) for c in read], text
        assert shown is None or keeps(read, {"x": shown}), text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Number of passengers, 1 to 20.", {("minimum", 1), ("maximum", 20)}),
        ("Maximum length of 20 characters.", {("longest", 20)}),
        ("Invoice date (format: yyyy-mm-dd)", {("date", "%Y-%m-%d")}),
        ("Must be one of the following: - small - medium", {("values", "small medium")}),
        ("JSON string containing array of todo objects", {("form", "json objects")}),
        ("Must be positive.", {("above", 0)}),
        ("CFG scale, Min 3 Max 16", {("minimum", 3), ("maximum", 16)}),
    ],
)
def test_the_words_of_others_are_read(text: str, found: set) -> None:
    read = {
        (c.kind, " ".join(c.value) if isinstance(c.value, list) else c.value)
        for c in read_sentence(text, "x")
    }
    assert read == found


@pytest.mark.parametrize(
    "text",
    [
        "When at least one of the values matches, the show is returned.",
        "It does not support a batch size greater than 10000.",
        "Sample values are: `hulu`, `prime`.",
        "The domain or IP address to ping.",
        "The name of the city.",
        "For example, a password with a length of 25 characters.",
        'The answer is "ready" or "waiting"?'[:12],
    ],
)
def test_what_states_nothing_is_no_constraint(text: str) -> None:
    assert list(read_sentence(text, "x")) == []


@given(content=CONTENT)
def test_what_breaks_a_constraint_does_not_keep_it(content: tuple) -> None:
    kind, value = content
    value = list(value) if isinstance(value, tuple) else value
    constraint = Constraint(kind=kind, of=ConcernedValue(argument="x"), value=value)
    rules = KINDS[kind]
    for current in ("a", 5, ["a", "b"], "2024-05-17", 2.5):
        if rules.holds(constraint, current) is None:
            continue
        assert all(rules.holds(constraint, v) is False for v in rules.broken(constraint, current))


def test_letters_of_dates() -> None:
    assert strftime_of("YYYY-MM-DD") == "%Y-%m-%d"
    assert strftime_of("HH:MM") == "%H:%M"
    assert strftime_of("DD.MM.YYYY HH:MM:SS") == "%d.%m.%Y %H:%M:%S"
    assert strftime_of("SSSS") is None


WRITTEN_MOMENTS = st.one_of(
    st.dates(min_value=dt.date(1000, 1, 1)).flatmap(
        lambda day: st.sampled_from([day.isoformat(), f"{day:%Y%m%d}", f"{day:%G-W%V-%u}"])
    ),
    st.times().flatmap(
        lambda time: st.sampled_from([time.isoformat(), f"{time:%H%M}", f"{time:%H}"])
    ),
)


@given(written=WRITTEN_MOMENTS, form=st.sampled_from(["iso date", "iso time", "iso datetime"]))
def test_the_words_of_an_iso_form_rule_out_nothing_that_python_reads(
    written: str, form: str
) -> None:
    meant = Constraint(kind="form", of=ConcernedValue(argument="x"), value=form)
    try:
        FORMS[form].reads(written)
    except ValueError:
        return
    for text in (naming_sentence([meant]).replace("`x`", "x"), sentence([meant])):
        assert "YYYY" not in text
        read = list(read_sentence(text, "x"))
        assert [c.value for c in read] == [form], text
        assert keeps(read, {"x": written}), text
