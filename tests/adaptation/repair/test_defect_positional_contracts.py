"""The contracts of positional templates, over generated templates, records and faults."""

# ruff: noqa: E501, RUF001 - marks that models write
import re

import pytest
from contracts import contract_examples
from hangs import no_hang
from hypothesis import given, settings
from hypothesis import strategies as st
from positional_templates import ALL, FORMS, LINE_BREAK, SLOT, judged, record_of

from knitbone.adaptation.repair.positional import HEURISTICS
from knitbone.adaptation.repair.positional.label_plan import plan_of, reads
from knitbone.adaptation.repair.positional.template_completion import with_prefix

EVERY = FORMS | ALL
LABELS = ["Thought", "Action", "Action Input", "Final Answer", "Title", "Body", "Confidence", "Next Step", "Reason", "Verdict"]  # fmt: skip
CONTENT = st.text(
    "abcdefgh xyz ÄÖ漢字 .,;!?'()/0123456789%", min_size=1, max_size=30
).map(str.strip).filter(lambda s: s and s[0].isalpha())  # fmt: skip


def _misspell(label, place):
    place = 1 + place % max(1, len(label) - 2)
    return label[:place] + label[place + 1] + label[place] + label[place + 2 :]


FAULTS = {
    "bold": lambda label, content, n: f"**{label}:** {content}",
    "bold name": lambda label, content, n: f"**{label}**: {content}",
    "upper": lambda label, content, n: f"{label.upper()}: {content}",
    "lower": lambda label, content, n: f"{label.lower()}: {content}",
    "dash": lambda label, content, n: f"{label} - {content}",
    "full width": lambda label, content, n: f"{label}：{content}",
    "no blank": lambda label, content, n: f"{label}:{content}",
    "heading": lambda label, content, n: f"## {label}\n{content}",
    "numbered": lambda label, content, n: f"{n}. {label}: {content}",
    "bullet": lambda label, content, n: f"- {label}: {content}",
    "underscore": lambda label, content, n: f"{label.replace(' ', '_')}: {content}",
    "misspelt": lambda label, content, n: f"{_misspell(label, n)}: {content}",
}


@st.composite
def drifted_records(draw):
    """A template, what its slots hold, and an answer with one seeded fault."""
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4, unique=True))
    contents = [draw(CONTENT) for _ in labels]
    own_lines = draw(st.booleans())
    parts = []
    for place, label in enumerate(labels):
        parts += [LINE_BREAK] * (own_lines and place > 0) + [f"{label}: ", SLOT]
    template = record_of(*parts, on_violation="raises")
    fault = draw(st.sampled_from([*FAULTS, "moved", "one line", "none"]))
    places = draw(st.sets(st.sampled_from(range(len(labels))), min_size=1))
    lines = []
    for n, (label, content) in enumerate(zip(labels, contents, strict=True)):
        write = FAULTS.get(fault) if n in places else None
        lines.append(write(label, content, n + 1) if write else f"{label}: {content}")
    if fault == "moved":
        lines = draw(st.permutations(lines))
    joint = " " if fault == "one line" else "\n"
    return template, dict(zip(labels, contents, strict=True)), joint.join(lines), fault


@settings(max_examples=contract_examples(), deadline=None)
@given(case=drifted_records())
def test_no_character_of_a_slot_is_lost(case):
    template, slots, answer, fault = case
    verdict = judged(template, answer)
    if verdict.disposition != "repaired":
        assert verdict.text is answer
        if fault == "none":
            assert verdict.disposition == "conforming"
        return
    assert fault != "none"
    wanted = "\n".join(f"{label}: {content}" for label, content in slots.items())
    assert verdict.text.replace(" \n", "\n").strip() == wanted


@settings(max_examples=contract_examples(), deadline=None)
@given(case=drifted_records())
def test_drift_that_keeps_the_names_is_repaired(case):
    """By construction: nothing is missing, so the consumer must read every slot."""
    template, _, answer, fault = case
    verdict = judged(template, answer)
    names = {"moved", "misspelt"} if len(plan_of(template).labels) > 2 else {"misspelt"}
    if fault not in names:  # three places out of order, or misspelt, are not this template
        assert verdict.disposition != "refused", verdict.reason


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            ["Thought: ", "Action:", "**Action Input:** ", "Final Answer:", "Score: ", "**8**", "8/10", "\n", " ", "Label: ",
             "positive", "Confidence - ", "70%", "KEEP:", "yes", "No.", "Q: ", "a: ", "Fact:", "- ", "1. ", "2) ", "db:80", "k=v",
             "2024-05-06", "VAT DE 12", "```", "**", "## ", "not ", "APPROVED", "PAGE", "Hint: ", "##", "\ud800", "\x00"]
        ),
        st.text(max_size=8),
    ),
    max_size=12,
).map("".join)  # fmt: skip


def _words(text):
    return re.findall(r"[^\W_]+", text.casefold())


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=max(100, contract_examples() // 10), deadline=None)
@given(text=PIECES)
def test_any_answer_is_the_same_object_or_proven(name, text):
    template = EVERY[name]
    verdict = judged(template, text)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        assert verdict.edits == 0
        assert verdict.reason or verdict.disposition == "conforming"
        return
    assert verdict.text != text
    assert verdict.rules
    assert verdict.edits >= 1
    again = judged(template, verdict.text)
    assert again.text is verdict.text, "adapting twice must equal adapting once"
    assert again.disposition == "conforming" or verdict.reason or name in ALL
    if template.reader is not None:
        assert template.reader.read(verdict.text)
    elif (plan := plan_of(template)) is not None and not plan.repeated:
        assert reads(verdict.text, plan)


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=max(100, contract_examples() // 10), deadline=None)
@given(text=PIECES)
def test_no_word_is_invented(name, text):
    template = FORMS[name]
    verdict = judged(template, text)
    elements = with_prefix(template).elements
    fixed = " ".join(
        option
        for element in elements
        for each in (element, *(e for s in element.alternatives for e in s))
        for option in (*each.options, each.text)
    )
    said = "".join(_words(text))
    known = {*_words(text), *_words(fixed)}
    if any(element.kind == "number" for element in elements):
        # Between its neighbours' numbers, or before them, the place of a record tells its own.
        known |= {str(place) for place in range(1, 1 + len(verdict.text.splitlines()))}
    assert all(word in known or word in said for word in _words(verdict.text))


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    "hostile",
    [
        "Action: " * 8_000,
        "**" * 30_000,
        "Thought: a\n" * 5_000,
        " " * 60_000 + "Action",
        "\n" * 60_000,
        "Actio n" * 8_000,
        "a" * 60_000,
        "- " * 30_000,
        "1" * 60_000,
        "(" * 60_000,
        "a:" * 30_000,
        "x" * 10_000_000,
        "\u3000" * 60_000,
        "Score:" + "\t" * 60_000,
        "a|b|1\n" * 8_000,
        "a;b;1\n|" * 8_000,
        "Category:\n" * 6_000,
        "### a\n" * 8_000,
        "**a**\n" * 8_000,
    ],
    ids=range(19),
)
def test_hostile_answers_end_soon(name, hostile):
    with no_hang():
        try:
            verdict = judged(FORMS[name], hostile, budget_ms=50)
        except TimeoutError:
            verdict = None
    assert verdict is None or verdict.disposition == "repaired" or verdict.text is hostile


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("line", ["{}) a", "- a", "{} a", "   {}) a", "{}. a\n- x"])
def test_long_lists_take_linear_time(name, line):
    answer = "\n".join(line.format(n) for n in range(1, 8_001))
    with no_hang():
        judged(ALL[name], answer, budget_ms=60_000)


@pytest.mark.parametrize("name", FORMS)
def test_without_positional_heuristics_nothing_is_changed(name):
    for text in ("**Action:** a", "Yes.", "8 stars", "- a\n- b", "k: v", "* a\n* b"):
        assert judged(FORMS[name], text, without=HEURISTICS).disposition != "repaired" or name in (
            "answer", "keep", "langchain", "step",
        )  # fmt: skip
