"""The contracts of redundant semantics, on generated answers."""

import re
from contextlib import suppress

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.scenario.facts import read_words
from knitbone.adaptation.scenario.paraphrase import bases
from knitbone.adaptation.scenario.semantics import repeats
from knitbone.adaptation.scenario.semantics.redundancy import MAX_TEXT
from knitbone.adaptation.testing import (
    Evidence,
    Invocation,
    PromptMessage,
    ScenarioRequirement,
    prepare_check,
)
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="print(answer)")
CHECKS = [
    prepare_check(ScenarioRequirement(name=name, evidence=EVIDENCE, confidence="high"))
    for name in ("succinct_content", "no_contextual_redundancy")
]
QUERY = "Which temples of the town are worth a visit?"

_SENTENCES = [
    "The temple was built by monks and rebuilt after the fire.",
    "The temple wasn't built by monks and rebuilt after the fire.",
    "After the fire the temple was rebuilt by 3 monks.",
    "The ticket costs 12 euros on Monday.",
    "The ticket costs 120 euros on Monday.",
    "On Monday, the ticket costs 12 euros.",
    "It is open from nine to five.",
    "Push the red button slowly.",
    "The red button is pushed by Otto.",
    "Otto pushes the red button.",
    "Buy milk and bread",
    "Buy bread and milk",
    "Buy bread or milk",
    "See step 2 of the list.",
    "In Rome they met Anna and Otto.",
    "This is why.",
    QUERY,
    "Cut off in the mid",
]
_LINES = st.one_of(
    st.lists(st.sampled_from(_SENTENCES), min_size=1, max_size=5).map(" ".join),
    st.sampled_from(_SENTENCES).map("- {}".format),
    st.tuples(st.integers(1, 9), st.sampled_from(_SENTENCES)).map(lambda x: f"{x[0]}. {x[1]}"),
    st.sampled_from(_SENTENCES).map("   - {}".format),
    st.tuples(st.integers(1, 4), st.sampled_from(_SENTENCES)).map(lambda x: f"Task {x[0]}. {x[1]}"),
    st.sampled_from(["", "", "", "# Title", "**Title**", "```", "| a | b | c |", "> said", "---",
                     "Tom: hello", "la la la", '"a": 1,', "Q: one", "A: two", "\ud800\udc00 x"]),
)  # fmt: skip
ANSWERS = st.lists(_LINES, max_size=14).map("\n".join)
ANY = st.one_of(ANSWERS, st.text(max_size=300))


class _EverythingAlike:
    """An embedder that finds all the same: what stays then stays because of the facts."""

    name = "all-MiniLM-L6-v2-int8"

    def embed(self, texts):
        import numpy as np

        return np.ones((len(texts), 1), dtype=np.float32)


def invocation(query=QUERY):
    said = [PromptMessage(role="user", text=query)] if query else []
    return Invocation(AdaptConfig(budget_ms=60_000), asked=lambda: said, embedder=_EverythingAlike)


def bare(text):
    """The words of a text without the numbers of its lists."""
    return read_words(re.sub(r"(?m)^\s*(?:Task )?\d+\.", "", text).casefold())


@pytest.mark.parametrize("check", CHECKS, ids=["internal", "context"])
@settings(max_examples=contract_examples(), deadline=None)
@given(text=ANY, query=st.sampled_from(["", QUERY]))
def test_it_is_the_same_object_unless_repaired_and_a_repair_comes_to_rest(check, text, query):
    verdict = check(text, invocation(query))
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    assert verdict.text != text
    assert verdict.rules
    assert verdict.edits > 0
    again = check(verdict.text, invocation(query))
    assert again.disposition != "repaired"
    assert again.text is verdict.text


@settings(max_examples=contract_examples(), deadline=None)
@given(text=ANSWERS, query=st.sampled_from(["", QUERY]))
def test_nothing_comes_out_that_is_not_in_the_answer_and_no_fact_is_lost(text, query):
    verdict = CHECKS[0](text, invocation(query))
    before, after = bare(text), bare(verdict.text)
    rest = iter(before)
    assert all(word in rest for word in after)  # a subsequence
    if verdict.disposition == "repaired":
        # Cut off or not, the words of each sentence are still there.
        assert bases(before) == bases(after)


@pytest.mark.parametrize("check", CHECKS, ids=["internal", "context"])
@settings(max_examples=contract_examples(), deadline=None)
@given(text=st.text(max_size=400))
def test_any_text_passes(check, text):
    check(text, invocation())
    repeats(text, text[::-1], invocation())


@pytest.mark.parametrize(
    "text",
    [
        "a. " * 40_000,
        "- a\n" * 30_000,
        "The same sentence again here. " * 4_000,
        "\n".join(f"{'  ' * n}- item {n}" for n in range(300)),
        "(" * 130_000,
        "a+" * 65_000,
        ". " * 40_000 + "\n" * 50_000,
        '"a": ' * 25_000,
        "**" * 65_000,
        "Error" * 15_000 + "\n" + "a:" * 20_000,
        "The word. " + " " * 130_000 + ".",
        "\n".join(f"The sentence number {n} is about {n % 7}." for n in range(2_500)),
        "x" * (MAX_TEXT + 1),
        "x" * 10_000_000,
    ],
    ids=range(14),
)
@pytest.mark.parametrize("check", CHECKS, ids=["internal", "context"])
def test_adversarial_text_stays_inside_the_budget(check, text):
    asked = Invocation(
        AdaptConfig(budget_ms=60_000),
        asked=lambda: [PromptMessage(role="user", text=text[:60_000])],
        embedder=_EverythingAlike,
    )
    with suppress(TimeoutError):  # known beforehand to take longer: said at once
        check(text, asked)
    asked.deadline.check()


@pytest.mark.parametrize(
    ("answer", "earlier"),
    [
        ("a " * 60_000, "b " * 60_000),
        ("a b c d. " * 8_000, "b a c d. " * 8_000),
        ("\n".join(f"Number {n} is about {n}." for n in range(3_000)),
         "\n".join(f"Number {n} was about {n}." for n in range(3_000))),
        (". ".join(" ".join(f"w{n}x{m}" for n in range(199)) for m in range(28)),
         ". ".join(" ".join(f"w{n}x{m}" for n in range(198, -1, -1)) for m in range(28))),
    ],
    ids=range(4),
)  # fmt: skip
def test_iterations_are_compared_inside_the_budget(answer, earlier):
    asked = Invocation(AdaptConfig(budget_ms=60_000), embedder=_EverythingAlike)
    with suppress(TimeoutError):
        assert not repeats(answer, earlier, asked)
    asked.deadline.check()


@settings(max_examples=contract_examples(), deadline=None)
@given(
    sentences=st.lists(st.sampled_from(_SENTENCES), min_size=1, max_size=5, unique=True),
    fact=st.sampled_from(["It costs 999 euros.", "Never touch the valve.", "Petra knows of it."]),
    place=st.integers(0, 5),
)
def test_an_iteration_with_a_fact_more_or_less_is_never_a_repetition(sentences, fact, place):
    more = [*sentences[:place], fact, *sentences[place:]]
    assert not repeats(" ".join(more), " ".join(sentences), invocation())
    assert not repeats(" ".join(sentences), " ".join(more), invocation())
