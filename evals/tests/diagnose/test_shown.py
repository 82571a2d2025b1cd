"""No value that the record holds is claimed to come from nowhere; one that it lacks still is.

The runs are built so that the value was shown: the generator of spellings and places is the search.
"""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knitbone.errors import InputFormatError
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.shown import follows_from
from knitbone_evals.diagnose.claims.simulated import (
    PLACES,
    SPELLINGS,
    VALUES,
    messages_with,
    run_of,
)

SEEDS = st.integers(0, 10_000)


def value_claims(run):
    """What a diagnosis says of values out of nowhere, asked for or not."""
    found = diagnose(run, claim=True)
    said = [finding.text for finding in found.findings if finding.kind == "value never observed"]
    said += [claim.text for claim in found.on_record if claim.kind == "made-up value"]
    return [*said, *(line for line in (found.headline,) if "found nowhere before it" in line)]


@settings(max_examples=400)
@given(st.sampled_from([*VALUES]), st.sampled_from([*SPELLINGS]), st.sampled_from([*SPELLINGS]),
       st.sampled_from([*PLACES]), SEEDS)  # fmt: skip
@example("iban", "in groups", "without signs", "request", 1)
@example("amount", "commas", "as it is", "key", 2)
def test_a_value_that_was_shown_in_any_spelling_and_place_is_not_called_unshown(
    kind, there, here, place, seed
):
    value = VALUES[kind](random.Random(seed))
    file = messages_with(place, SPELLINGS[there](value), SPELLINGS[here](value))
    assert value_claims(run_of(file, success=False)) == []


UNSHOWN = ("order", "dashed", "mixed", "iban", "phone", "user", "mail", "path", "uuid", "amount")


@settings(max_examples=100)
@given(st.sampled_from(UNSHOWN), st.sampled_from([*PLACES]), SEEDS)
def test_a_value_that_nothing_had_shown_is_still_said_so(kind, place, seed):
    choose = random.Random(seed)
    value, other = VALUES[kind](choose), VALUES["uuid"](choose)
    assert value_claims(run_of(messages_with(place, other, value), success=False))


@pytest.mark.parametrize(
    ("shown", "used"),
    [
        ("the folder /srv/data and the file r_48213.csv", "/srv/data/r_48213.csv"),
        ("Jane Doe, born 1985", "jane.doe1985@example.com"),
        ("patient 4711", "P4711"),
        ("order no. 0004711", "ORD-4711"),
        ("+44 20 7946 0018", "02079460018"),
        ("3 nights at 120.50", "361.5"),
        ("1,200 plus 19 % tax", "1428"),
        ("prices: 230, 145 and 99", "474"),
        ("two thousand five hundred", "2500"),
        ("on 3 May 2026", "2026-05-03T00:00:00Z"),
        ("caf\u00e9 A\u0308B-1234", "CAFE AB1234"),
        ("booked as K9X2-77", "Dear Kim, your code is K9X277, bye."),
    ],
)
def test_what_is_put_together_or_computed_from_what_was_shown_was_shown(shown, used):
    for place in PLACES:
        assert value_claims(run_of(messages_with(place, shown, used), success=False)) == []


def test_a_part_of_another_value_shows_nothing():
    claims = value_claims(run_of(messages_with("request", "order W12345", "W1234"), success=False))
    assert claims


def test_nothing_after_a_text_that_was_not_recorded_is_called_unshown():
    for text in ("[redacted]", "abc… [9 of 99 characters not recorded] …", '{"image_url": "x"}'):
        assert value_claims(run_of(messages_with("result", text, "W48213"), success=False)) == []


WORDS_TAKEN_OUT = st.sampled_from(
    ("truncated", "omitted", "redacted", "clipped", "cleared", "removed", "cut", "not shown",
     "hidden", "masked", "too long", "summarized", "elided", "skipped", "withheld")
)  # fmt: skip
THINGS = st.sampled_from(("output", "tool result content", "old messages", "response", "rows"))
BRACKETS = st.sampled_from(("[]", "<>", "()", "{}"))


@st.composite
def placeholders(draw):
    """What programs write where they left something out."""
    count, thing = draw(st.sampled_from(("", "12 ", "1,234 "))), draw(THINGS)
    words = f"{count}{thing} {draw(WORDS_TAKEN_OUT)}"
    label = draw(st.sampled_from(("PHONE", "name", "order_ref", "PERSON_1", "Card number")))
    opened, closed = draw(BRACKETS)
    return draw(
        st.sampled_from(
            (
                f"{opened}{words}{closed}",
                f"{opened}{words.capitalize()}, see the log{closed}",
                f"... {draw(THINGS)} truncated ...",
                f"{opened}{count or '3 '}more rows{closed}",
                f"... {count or '3 '}more lines",
                f"{opened}{draw(st.sampled_from(('image', 'Image: a.png', 'binary data')))}{closed}"
                if opened != "{"
                else "<screenshot>",
                f"[{label.upper().replace(' ', '_')}]",
                f"<{label.lower().replace(' ', '_')}>",
                f"{{{{{label.lower().replace(' ', '_')}}}}}",
                draw(st.sampled_from("*X█•")) * draw(st.integers(4, 9)),
                draw(st.sampled_from(("...", "…", "[...]", "(…)"))),
                "This session is being continued from a previous conversation.",
                "The earlier conversation was summarized.",
            )
        )
    )


@settings(max_examples=300)
@given(placeholders(), st.sampled_from(("", "Bill\n", "total: 12\n")), st.booleans())
def test_nothing_after_a_placeholder_is_called_unshown(placeholder, before, ends):
    text = before + placeholder + ("" if ends else "\nThank you.")
    for place in ("result", "list", "text result"):
        assert value_claims(run_of(messages_with(place, text, "W48213"), success=False)) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "ok", "rows": [1, 2], "more": true}',
        "see [the docs](https://example.com) (or ask Kim)",
        "<p>Your <b>order</b> is on its way.</p>",
        "**Note**: the cut-off is at noon; files were removed by the user.",
        "- [x] done\n- [ ] open\n----\nA file list [a, b]",
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: no',
    ],
)
def test_ordinary_texts_are_no_placeholders(text):
    assert value_claims(run_of(messages_with("result", text, "W48213"), success=False))


KEYS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=3, max_size=12).filter(
    lambda key: key not in {"content", "role", "tools", "task", "messages", "success", "reward"}
)


@settings(max_examples=200)
@given(
    st.sampled_from(("file", "user", "assistant", "tool", "part")),
    st.one_of(st.sampled_from(("system", "functions", "metadata", "artifact", "refusal")), KEYS),
    st.sampled_from((lambda v: v, lambda v: {"a": [v]}, lambda v: [f"the code is {v}."])),
)
def test_what_stands_in_any_field_of_a_file_was_shown(where, key, wrapped):
    file = messages_with("result", "nothing", "W48213")
    body = file
    if where == "part":
        body = {"type": "text", "text": "And quickly."}
        file["messages"].insert(0, {"role": "user", "content": [body]})
    elif where != "file":
        body = next(each for each in file["messages"] if each["role"] == where)
    assert value_claims(run_of(file, success=False))
    body[key] = wrapped("W48213")
    with contextlib.suppress(InputFormatError):  # a tool's message holds what it answered
        assert value_claims(run_of(file, success=False)) == []


def test_a_value_is_shown_only_by_what_came_before():
    file = messages_with("request", "nothing", "W48213")
    again = messages_with("request", "nothing", "W48213")["messages"][2:]
    file["messages"] += again
    found = diagnose(run_of(file, success=None))
    assert [claim.step for claim in found.on_record if claim.kind == "made-up value"] == [2]


@given(st.lists(st.integers(11, 5_000), min_size=2, max_size=8, unique=True), st.data())
def test_what_is_computed_follows(numbers, data):
    one, other = data.draw(st.permutations(numbers))[:2]
    some = data.draw(st.lists(st.sampled_from(numbers), min_size=1, unique=True))
    shown = {float(number) for number in numbers}
    for value in (sum(some), one * other, one - other, one * other / 100, one * 3, one + one * 7):
        assert follows_from(float(value), shown)


def test_not_everything_follows():
    assert not follows_from(2500.0, {250.0, 420.5, 1310.0})
    assert not follows_from(975.0, {250.0})
