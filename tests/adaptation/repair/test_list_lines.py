"""The contracts of the engine (design: do no harm, idempotent, verified, fail open)."""
# ruff: noqa: E501, RUF001 - sources of applications and answers of models as they are

import re

import pytest
from hangs import no_hang
from hypothesis import given, settings
from hypothesis import strategies as st
from positional_templates import (
    ALL,
    BULLETS,
    EITHER,
    NUMBERED,
    NUMBERED_READ,
    SPANNING,
    TASKS,
    template_of,
)

from knitbone.adaptation.repair.positional import list_lines
from knitbone.adaptation.repair.positional.list_lines import adapt_text
from knitbone.config import AdaptConfig

CONFIG = AdaptConfig(budget_ms=60_000)
EVERY = pytest.mark.parametrize("template", ALL.values(), ids=ALL)


def adapted(text, template=NUMBERED):
    return adapt_text(text, template, CONFIG)


@pytest.mark.parametrize(
    ("answer", "repaired"),
    [
        ("1) a\n2: b\n3 - c", "1. a\n2. b\n3. c"),
        ("1.a\n2.b", "1. a\n2. b"),
        ("1 – a\n2 — b", "1. a\n2. b"),
        ("1.) a\n2.) b", "1. a\n2. b"),
        ("- a\n- b", "1. a\n2. b"),
        ("• a\n* b", "1. a\n2. b"),
        ("Task 1: a\nTask 2: b", "1. a\n2. b"),
        ("Step 1. a\nStep 2. b", "1. a\n2. b"),
        ("#1 a\n#2: b", "1. a\n2. b"),
        ("(1) a\n[2] b", "1. a\n2. b"),
        ("**1.** a\n**2**. b", "1. a\n2. b"),
        ("**1. A**: x\n**2. B**: y", "1. **A**: x\n2. **B**: y"),
        ("**1. A**\n**2. B** \n__3. C__", "1. A\n2. B \n3. C"),
        ("**1. A** and **B**\n**2. C", "1. **A** and **B**\n2. **C"),
        ("*1. a * b*\n*2. c*", "1. *a * b*\n2. c"),
        ("### 1. a\n> 2. b", "1. a\n2. b"),
        ("  1) a\n  2) b", "1. a\n2. b"),
        ("１．あ\n２、い", "1. あ\n2. い"),
        ("1) a \r\n2) b\r\n", "1. a \r\n2. b\r\n"),
        ("1. a 2. b 3. c", "1. a\n2. b\n3. c"),
        ("1. a\n- b\n3. c", "1. a\n2. b\n3. c"),
        ("1. a\n2 b\n3. c", "1. a\n2. b\n3. c"),
        ("1 a\n2 b\n3 c", "1. a\n2. b\n3. c"),
        ("1) a\n1) b\n1) c", "1. a\n1. b\n1. c"),
        ("5) a\n6) b", "5. a\n6. b"),
        ("1. a\n2) b\n4) d", "1. a\n2. b\n4. d"),
        (
            "Plan:\n\n1) a\n   - note\n2) b\n\nDone 3 times.",
            "Plan:\n\n1. a\n   - note\n2. b\n\nDone 3 times.",
        ),
        ("1) a\n   1) x\n   2) y\n2) b", "1. a\n   1) x\n   2) y\n2. b"),
        ("1. a\n  2) b\n3) c", "1. a\n2. b\n3. c"),
        ("Now:\n1) a\n2) b\nLater:\n1) c\n2) d", "Now:\n1. a\n2. b\nLater:\n1. c\n2. d"),
        ("```\n1) a\n2) b\n```", "```\n1. a\n2. b\n```"),
    ],
)
def test_a_drifted_list_is_written_as_the_consumer_reads_it(answer, repaired):
    verdict = adapted(answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)
    assert verdict.rules


@pytest.mark.parametrize(
    ("template", "answer", "repaired"),
    [
        (TASKS, "1. a\n2) b", "Task 1: a\nTask 2: b"),
        (TASKS, "task 1: a\nTsak 2: b", "Task 1: a\nTask 2: b"),
        (TASKS, "**Task 1:** a\nTask 2 - b", "Task 1: a\nTask 2: b"),
        (TASKS, "1) a\n1) b", "Task 1: a\nTask 2: b"),
        (BULLETS, "1. a\n2. b", "- a\n- b"),
        (BULLETS, "• a\n• b", "- a\n- b"),
        (BULLETS, "* a\n• b", "* a\n- b"),
        (SPANNING, "1) a\nmore\n2) b", "1. a\nmore\n2. b"),
        (NUMBERED_READ, "- a\n- b", "1. a\n2. b"),
        (NUMBERED_READ, "1. a\n   1. x\n   2. y\n2) b", "1. a\n   1. x\n   2. y\n2. b"),
        (EITHER, "1: a\n2: b", "1. a\n2. b"),
    ],
)
def test_other_templates_are_reached_as_well(template, answer, repaired):
    assert adapted(answer, template).text == repaired


@pytest.mark.parametrize(
    "answer",
    [
        "1. a\n2. b",
        "1. a\n2. b\n3 apples are enough",
        "1. a\n2. b\n10 - 20 people",
        "1. a\n2. b\n2024: a good year",
        "1. a\n2. b\n3.5 litres of milk\n3:30 pm is fine",
        "1. a\n   - nested\n2. b",
        "1. a\n2. b\n```python\n3) x\n```",
        "1. Move to Python 2. It is old",
        "1. a\n\n**Note** 5 people",
        "1. a\n1. b",
    ],
)
def test_what_conforms_is_the_same_object(answer):
    verdict = adapted(answer)
    assert verdict.disposition == "conforming"
    assert verdict.text is answer


@pytest.mark.parametrize(
    ("template", "answer", "reason"),
    [
        (NUMBERED, "I cannot help with that.", "nothing in the answer identifies a record"),
        (NUMBERED, "a\nb\nc", "nothing in the answer identifies a record"),
        (NUMBERED, "", "nothing in the answer identifies a record"),
        (NUMBERED, "3 apples are enough", "nothing in the answer identifies a record"),
        (NUMBERED, "2024: a good year", "nothing in the answer identifies a record"),
        (TASKS, "- a\n- b", "3 or more edits, not this template"),
        (NUMBERED, "**Task 1:** a\n**Task 2:** b", "3 or more edits, not this template"),
        (template_of(r"^\d+\. ([a-z]+)$", re.MULTILINE), "1) Two words\n2) b", "reads 0 records"),
    ],
)
def test_what_cannot_be_repaired_is_refused_with_a_reason(template, answer, reason):
    verdict = adapted(answer, template)
    assert verdict.disposition == "refused"
    assert verdict.text is answer
    assert reason in verdict.reason


def test_the_threshold_counts_edits_in_one_record_not_in_the_answer(monkeypatch):
    answer = "\n".join(f"({n}) task" for n in range(1, 21))  # two edits each, forty in all
    assert adapted(answer).disposition == "repaired"
    monkeypatch.setattr(AdaptConfig, "tau_element", 2)
    assert adapted(answer).disposition == "refused"


SLOT = st.text(
    st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=25
).filter(lambda s: s.strip())
WORDS = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz äöñ漢字,;'\"", min_size=2, max_size=20)
    .map(str.strip)
    .filter(lambda s: len(s) > 1),
    min_size=1,
    max_size=8,
)
HEADS = st.sampled_from(
    ["{n}. ", "{n}) ", "{n}: ", "{n} - ", "{n} – ", "{n}.", "{n}.) ", "Task {n}: ", "({n}) ", "#{n} ",
     "**{n}.** ", "**{n}**. ", "  {n}) ", "### {n}. "]
)  # fmt: skip
MESSY = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["1. ", "2) ", "- ", "3 ", "Task 4: ", "", "  ", "**5** ", "6.7 "]), SLOT)
        .map("".join),
        st.sampled_from(["", "```", "Here are the tasks:", "1. a 2. b 3. c", "\r", "9) x\r", "\x0b1) y"]),
        st.text(max_size=20),
    ),
    max_size=10,
).map("\n".join)  # fmt: skip


@EVERY
@given(text=MESSY)
def test_any_answer_is_the_same_object_or_proven_by_the_consumer(template, text):
    verdict = adapted(text, template)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    before, after = template.reader.read(text), template.reader.read(verdict.text)
    assert len(after) >= len(before)
    assert after
    again = adapted(verdict.text, template)
    assert again.text == verdict.text, "adapting twice must equal adapting once"


def letters(text):
    """What a repair may never lose: everything but heads, marks and blanks."""
    return re.sub(r"[\W\d_]|task", "", text, flags=re.IGNORECASE)


@EVERY
@given(text=MESSY)
def test_no_letter_of_the_answer_is_lost_or_invented(template, text):
    assert letters(adapted(text, template).text) == letters(text)


@given(words=WORDS)
def test_a_conforming_list_is_never_touched(words):
    for template, line in (
        (NUMBERED, "{n}. {word}"),
        (NUMBERED_READ, " {n}. {word}"),
        (TASKS, "Task {n}: {word}"),
        (BULLETS, "- {word}"),
        (SPANNING, "{n}. {word}"),
        (EITHER, "{n}) {word}"),
    ):
        text = "\n".join(line.format(n=n, word=word) for n, word in enumerate(words, 1))
        verdict = adapted(text, template)
        assert verdict.text is text
        assert verdict.disposition == "conforming"


@given(words=WORDS, heads=st.lists(HEADS, min_size=8, max_size=8))
def test_every_record_of_a_drifted_list_reaches_the_consumer_whole(words, heads):
    """By construction: strong heads, counted from 1, so every record must be found."""
    pairs = zip(words, heads, strict=False)
    text = "\n".join(h.format(n=n) + w for n, (w, h) in enumerate(pairs, 1))
    got = NUMBERED_READ.reader.read(adapted(text, NUMBERED_READ).text)
    assert got == [(str(n), word) for n, word in enumerate(words, 1)]


def test_a_repair_that_the_consumer_does_not_read_is_discarded(monkeypatch):
    real = list_lines.rewrite

    def broken(text, records, template, *, tau):
        candidate = real(text, records, template, tau=tau)
        return candidate._replace(text=candidate.text.replace("b", "", 1))

    monkeypatch.setattr(list_lines, "rewrite", broken)
    answer = "1) a\n2) b"
    verdict = adapted(answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer


def test_an_answer_beyond_the_bound_is_passed_on_with_a_record():
    answer = "1) a\n" * 300_000
    verdict = adapted(answer)
    assert verdict.text is answer
    assert "1500000 characters" in verdict.reason


def test_a_spent_budget_passes_the_original_on():
    ticks = iter(range(10_000))
    answer = "1) a\n2) b\n3) c"
    verdict = adapt_text(answer, NUMBERED, AdaptConfig(budget_ms=1), clock=lambda: next(ticks))
    assert verdict.text is answer
    assert "the time budget of 1 ms" in verdict.reason


@pytest.mark.parametrize(
    "hostile",
    [
        "x\n1) a\n" + "1" * 200_000,
        "1" * 200_000,
        "1) " * 60_000,
        "*" * 200_000,
        "\n" * 200_000,
        " " * 200_000,
        "> " * 100_000,
        "1. a " * 40_000,
        ("Task " * 1_000 + "\n") * 100,
        "- \n" * 60_000,
        "1)\t" + " " * 9_000 + "x\n" + "2) " + " " * 9_000,
    ],
    ids=range(11),
)
@EVERY
def test_hostile_answers_end_soon(template, hostile):
    with no_hang():
        verdict = adapt_text(hostile, template, AdaptConfig())
    if verdict.disposition != "repaired":
        assert verdict.text is hostile


@settings(max_examples=30)
@given(text=st.text(st.characters(), max_size=200))
def test_lone_surrogates_and_controls_pass(text):
    for template in ALL.values():
        adapted(text, template)
