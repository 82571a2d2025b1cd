"""The contracts: no harm, idempotent, verified, linear, and nothing but a timeout is raised."""

import re

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_helpers import asked, check_for

from knitbone import Session
from knitbone.adaptation.scenario.lexical.list_structure import find_lists
from knitbone.adaptation.scenario.lexical.spans import (
    Replacement,
    apply_replacements,
    only_edits,
    protected_spans,
)
from knitbone.adaptation.scenario.lexical.spelling import built_by_rule, spellings
from knitbone.adaptation.testing import Deadline

CHECK = check_for()
TABLE = spellings()
WORDS = ["color", "colour", "organise", "organize", "grey", "gray", "analyse", "Labour", "centre"]
FILLERS = ["the", "of", "a plan", "is here", "Berlin", "und", "la", "de", "tokenisation", "Note"]
ODD = ["`color`", '"colour"', "'gray'", "```", "\n", "\n\n", "- ", "* ", "\u2022 ", "  - ", "   * "]
MORE = ["1. ", "2. ", "2) ", "4. ", "## Step 1", "**Step 2**", "# ", "color:", "|", "> ", "\ud800"]
PIECES = st.sampled_from([*WORDS, *FILLERS, *ODD, *MORE, ". ", "! ", "\u201c", "\u201d", "\t"])
TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(st.characters(categories=["Cs", "L", "P", "Z"]), max_size=80),
    st.lists(PIECES, max_size=40).map(" ".join),
    st.lists(PIECES, max_size=40).map("".join),
)
LINES = st.lists(
    st.tuples(
        st.sampled_from(["", "  ", "   ", "    "]),
        st.sampled_from(["- ", "* ", "\u2022 ", "1. ", "2. ", "3. ", "4. ", "2) ", "", "+ "]),
        st.sampled_from(["red ripe apples", "the color of it", "an organised trip:", "x", ""]),
    ).map("".join),
    max_size=12,
).map("\n".join)
QUESTIONS = st.sampled_from(["", "My favourite thing?", "My favorite thing?", "What is it to you?"])


@settings(max_examples=contract_examples(), deadline=None)
@given(text=st.one_of(TEXTS, LINES), question=QUESTIONS)
def test_twice_is_once_and_a_conforming_text_is_the_same_object(text, question):
    verdict = CHECK(text, asked(question))
    if verdict.disposition != "repaired":
        assert verdict.text is text
    else:
        assert verdict.text != text
        assert verdict.edits > 0
        assert verdict.rules
    again = CHECK(verdict.text, asked(question))
    assert again.text is verdict.text
    assert again.disposition != "repaired"


@settings(max_examples=contract_examples(), deadline=None)
@given(texts=st.lists(st.one_of(TEXTS, LINES), min_size=1, max_size=4), question=QUESTIONS)
def test_twice_is_once_inside_a_session(texts, question):
    session = Session(question or None)
    for text in texts:
        verdict = CHECK(text, asked(session=session))
        again = CHECK(verdict.text, asked(session=session))
        assert again.text is verdict.text


def normalised(text):
    """The text without what may change: the side of a spelling, markers, levels of headings."""
    text = re.sub(r"(?m)^ *(?:[-*+\u2022]|[0-9]{1,3}[.)]) ", "@ ", text)
    text = re.sub(r"(?m)^(?:#{1,6} +|\*\*)(Step [0-9]+)(.*?)(?:\*\*)?[ \t]*$", r"\1\2", text)
    text = re.sub(r"(?i)tokeni[sz]ation", "tokenization", text)

    def american(match):
        word = match.group().lower()
        spelling = TABLE.get(word) or built_by_rule(word)
        return spelling.other if spelling and spelling.side == "UK" else word

    return re.sub(r"[A-Za-z]+", american, text)


@settings(max_examples=contract_examples(), deadline=None)
@given(text=st.one_of(TEXTS, LINES), question=QUESTIONS)
def test_a_repair_changes_spellings_and_markers_and_nothing_else(text, question):
    repaired = CHECK(text, asked(question)).text
    assert normalised(repaired) == normalised(text)
    assert [text[start:end] for start, end in protected_spans(text)] == [
        repaired[start:end] for start, end in protected_spans(repaired)
    ]
    before, after = (
        [
            (item.level, item.kind)
            for items in find_lists(one, protected_spans(one), Deadline(5))
            for item in items
        ]
        for one in (text, repaired)
    )
    assert before == after


@settings(max_examples=contract_examples(), deadline=None)
@given(st.data())
def test_a_text_of_one_variety_and_one_list_form_conforms(data):
    side = data.draw(st.sampled_from(["US", "UK"]))
    words = [word for word, spelling in sorted(TABLE.items()) if spelling.side == side]
    marker = data.draw(st.sampled_from(["- ", "* ", "1. "]))
    count = data.draw(st.integers(1, 6))
    chosen = data.draw(st.lists(st.sampled_from(words), min_size=count, max_size=count))
    lines = [
        f"{f'{index}. ' if marker == '1. ' else marker}the {word} is it"
        for index, word in enumerate(chosen, 1)
    ]
    text = "Here it is for you:\n\n" + "\n".join(lines) + "\n"
    verdict = CHECK(text, asked("What is it to you and to me?"))
    assert verdict.disposition == "conforming"
    assert verdict.text is text


@given(st.text("abc", max_size=30), st.data())
def test_only_edits_sees_every_other_change(text, data):
    cut = data.draw(st.integers(0, len(text)))
    edit = Replacement(start=cut, end=min(len(text), cut + 2), new="NEW", rule="r")
    done = apply_replacements(text, [edit])
    assert only_edits(text, done, [edit])
    place = data.draw(st.integers(0, len(done)))
    assert not only_edits(text, done[:place] + "x" + done[place:], [edit])


ADVERSARIAL = {
    "quotes": "\"'`$" * 25_000,
    "openers": "\u201c" * 100_000,
    "apostrophes": "' a" * 33_000,
    "spaces": " " * 100_000 + "x",
    "blank lines": "\n" * 100_000,
    "labels": "aaaa " * 20_000 + ":",
    "bars": "| " * 50_000,
    "dots": "." * 100_000 + "x",
    "items": "- a b\n* c d\n" * 8_000,
    "nested": "".join(f"{' ' * (i % 24)}- item {i}\n" for i in range(5_000)),
    "numbers": "".join(f"{i % 900}. wash the apple\n" for i in range(5_000)),
    "slips": "1. a b c\n2. a b c\n4. a b c\n\ntext\n\n" * 3_000,
    "words": "colour color organise organize " * 4_000,
    "one line": "the colour of the color and organise it, " * 3_000,
    "fences": "```\n" * 30_000,
    "headings": "## Step 1" + " " * 50_000 + "x\n" + "**Step 2**" + "*" * 50_000,
    "addresses": "a." * 50_000 + "@",
    "links": "https://" * 12_000,
    "accents": "\u00e9" * 100_000,
    "foreign": "La biblioteca abre a las nueve de la ma\u00f1ana.\n" * 3_000,
    "scripts": "\u4e00" * 100_000,
    "surrogates": "\ud800 color \udfff colour " * 5_000,
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_answers_stay_inside_a_generous_budget(name):
    """Quadratic time would take minutes; the budget only tells one from the other."""
    text = ADVERSARIAL[name]
    for question in ("My favourite thing is that you can answer", ""):
        invocation = asked(question, budget_ms=60_000)
        verdict = CHECK(text, invocation)
        assert not invocation.deadline.expired
        if verdict.disposition != "repaired":
            assert verdict.text is text
