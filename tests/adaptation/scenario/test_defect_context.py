"""Incorrect context construction: what is removed, what must stay, and the contracts."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone import Session
from knitbone.adaptation.scenario.context import HEURISTICS, prepare
from knitbone.adaptation.scenario.context.retrieval import MAX_ENTRIES
from knitbone.adaptation.testing import (
    ContextRule,
    EntryVerdict,
    Evidence,
    Invocation,
    ListEntry,
    ScenarioRequirement,
)
from knitbone.config import AdaptConfig
from knitbone.errors import ModelServerError
from knitbone.models.minilm import MiniLmEmbedder

EVIDENCE = Evidence(file="app.py", line=1, expression="retriever.invoke(question)")
CHECK = prepare(ScenarioRequirement(name="relevant_content", evidence=EVIDENCE))
MINILM = MiniLmEmbedder()
WHALES = (
    "Humpback whales sing songs that last up to thirty minutes.",
    "Low frequency calls of blue whales travel for hundreds of kilometres.",
    "Dolphins and whales use echolocation to find prey.",
)
THEATRE = (
    "Contract with the architect Johann Maurer for the building of the theatre, 1871.",
    "Plans of the theatre's stage and boxes, drawn by Maurer's office.",
)
STRANGER = "Press control and S to save the spreadsheet."
LEASE = "The lease ends on 31 December."
NITROGEN = "Nitrogen boils at minus 196 degrees."


class Angles:
    """Each text's vector has the angle that a table, or its hash, gives it."""

    name = "all-MiniLM-L6-v2-int8"

    def __init__(self, angles=None):
        self.angles = angles or {}
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        rows = [self._row(text) for text in texts]
        return np.asarray(rows, dtype=np.float32).reshape(len(texts), 2)

    def _row(self, text):
        if not text.strip():
            return (0.0, 0.0)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        angle = math.radians(self.angles.get(text, digest[0] * 180 / 255))
        return (math.cos(angle), math.sin(angle))


class Rows(Angles):
    """Each text's vector, of which ``None`` is what makes its length one."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def embed(self, texts):
        self.asked.append(list(texts))
        rows = [self._filled(*self.rows[text]) for text in texts]
        return np.asarray(rows, dtype=np.float32)

    @staticmethod
    def _filled(*row):
        rest = math.sqrt(1 - sum(part * part for part in row if part is not None))
        return [rest if part is None else part for part in row]


def entries_of(texts):
    return tuple(ListEntry(text=text, source=place) for place, text in enumerate(texts))


def judge(texts, query="", *, embedder=MINILM, without=(), tau=None) -> EntryVerdict:
    config = AdaptConfig(without=without, tau_relevance=tau, budget_ms=6_000)
    invocation = Invocation(config, session=Session(query or None), embedder=lambda: embedder)
    return CHECK(entries_of(texts), invocation)


def kept(verdict):
    return [entry.source for entry in verdict.entries]


# What is prepared


def test_other_scenarios_are_not_this_defect():
    assert prepare(ScenarioRequirement(name="intact_text", evidence=EVIDENCE)) is None


def test_a_context_rule_is_checked_as_well():
    assert prepare(ContextRule(retriever="FAISS", k=4, evidence=EVIDENCE)) is not None


# What is removed


def test_the_entry_beside_the_query_is_removed_and_order_and_sources_stay():
    verdict = judge([WHALES[0], STRANGER, WHALES[1]], "How do whales communicate?")
    assert verdict.disposition == "repaired"
    assert kept(verdict) == [0, 2]
    assert [entry.text for entry in verdict.entries] == [WHALES[0], WHALES[1]]
    assert verdict.rules[0].startswith("entry 2 removed: similarity ")
    assert verdict.rules[0].endswith(" to the query")


def test_several_strangers_are_removed():
    texts = [STRANGER, WHALES[0], "The ferry leaves at nine.", WHALES[1]]
    assert kept(judge(texts, "How do whales communicate?")) == [1, 3]


def test_a_stranger_goes_that_is_no_further_from_the_query_than_some_answers_are():
    """Over half of a threshold, where the others have nearly two."""
    texts = [THEATRE[0], "School reports of the girls' class 7b, 1931.", THEATRE[1]]
    assert kept(judge(texts, "Who built the old theatre?")) == [0, 2]


@pytest.mark.parametrize(
    ("to_query", "nearest", "removed"),
    [
        (0.1, 0.1, True),
        (0.15, 0.29, True),
        (0.15, 0.31, False),
        (0.3, 0.14, True),
        (0.3, 0.16, False),
        (0.34, 0.0, False),
    ],
)
def test_far_from_the_query_and_far_from_every_other_entry(to_query, nearest, removed):
    """The bound is 1.4 thresholds of 0.32, where most entries are relevant."""
    embedder = Rows(
        {
            "query": (1, 0, 0),
            "a": (0.8, 0.6, 0),
            "b": (0.8, 0.6, 0),
            "x": (to_query, (nearest - 0.8 * to_query) / 0.6, None),
        }
    )
    verdict = judge(["a", "b", "x"], "query", embedder=embedder)
    assert kept(verdict) == ([0, 1] if removed else [0, 1, 2])


@pytest.mark.parametrize(
    ("text", "nearest", "removed"),
    [
        ("It opens at nine.", 0.05, True),
        ("It opens at nine.", 0.07, False),
        ("The bath opens at nine.", 0.07, True),
    ],
)
def test_an_entry_that_leans_on_another_one_must_be_further(text, nearest, removed):
    """The bound is half a threshold then."""
    embedder = Rows(
        {
            "query": (1, 0, 0),
            "a": (0.8, 0.6, 0),
            "b": (0.8, 0.6, 0),
            text: (0.1, (nearest - 0.08) / 0.6, None),
        }
    )
    verdict = judge(["a", "b", text], "query", embedder=embedder)
    assert kept(verdict) == ([0, 1] if removed else [0, 1, 2])


@pytest.mark.parametrize(("to_query", "removed"), [(0.04, True), (0.06, False)])
def test_one_relevant_entry_may_be_half_of_the_answer(to_query, removed):
    """The bound is 0.3 thresholds then."""
    embedder = Rows(
        {
            "query": (1, 0, 0),
            "a": (0.8, 0.6, 0),
            "x": (to_query, (0.04 - 0.8 * to_query) / 0.6, None),
        }
    )
    assert kept(judge(["a", "x"], "query", embedder=embedder)) == ([0] if removed else [0, 1])


def test_without_a_query_the_stranger_among_three_or_more_is_removed():
    verdict = judge([*WHALES, STRANGER])
    assert kept(verdict) == [0, 1, 2]
    assert "to the other entries" in verdict.rules[0]


# What must not be touched


@pytest.mark.parametrize(
    "texts",
    [
        (),
        (STRANGER,),
        WHALES,
        (WHALES[0], WHALES[0]),
        ("", "  "),
        ("", WHALES[0]),
    ],
)
def test_a_list_that_belongs_together_is_given_back(texts):
    given_entries = entries_of(texts)
    invocation = Invocation(
        AdaptConfig(budget_ms=6_000),
        session=Session("How do whales communicate?"),
        embedder=lambda: MINILM,
    )
    verdict = CHECK(given_entries, invocation)
    assert verdict.disposition == "conforming"
    assert verdict.entries is given_entries


def test_entries_that_answer_two_halves_of_a_question_stay():
    verdict = judge(
        [LEASE, NITROGEN], "When does the lease end, and at what temperature does nitrogen boil?"
    )
    assert kept(verdict) == [0, 1]
    assert "kept" in verdict.reason


def test_an_entry_stays_that_has_a_number_of_the_query():
    query = "What is the status of order KX-4711?"
    orders = [
        "The order has the status shipped.",
        "The status of the order can be seen in the account.",
    ]
    assert kept(judge([*orders, "Bees dance."], query)) == [0, 1]
    assert kept(judge([*orders, "4711: bees dance."], query)) == [0, 1, 2]


def test_indirect_answers_stay():
    texts = [
        "Mould on jam goes through the whole jar.",
        "Cut green parts off potatoes generously.",
        "Swollen tins belong in the bin.",
    ]
    assert kept(judge(texts, "Is it safe to eat?")) == [0, 1, 2]


def test_halves_of_an_answer_stay_where_one_of_them_is_near_the_query():
    texts = [
        "The provider needs four weeks to move a line.",
        "Residents apply for the badge at the citizens' office, with the papers of the car.",
        "Children are enrolled at the primary school of their district.",
    ]
    query = "Moving checklist: internet, parking permit, school for the kids"
    assert kept(judge(texts, query)) == [0, 1, 2]


def test_an_entry_that_answers_one_of_several_parts_stays():
    texts = [
        "Employees park in garage B; a month costs 25 euros, taken from the salary.",
        "The first replacement of a badge is free; a second one costs 15 euros.",
        "Tomato soup and rye bread are on the menu this Tuesday.",
    ]
    assert kept(judge(texts, "Compare the costs: parking, badge, canteen")) == [0, 1, 2]
    assert kept(judge(texts, "Compare the costs: parking, badge")) == [0, 1]
    # beyond the first parts none is looked at
    many = "parking, badge, " + "gate, " * 8 + "canteen"
    assert kept(judge(texts, f"Compare the costs: {many}")) == [0, 1]


def test_an_entry_stays_that_belongs_to_another_one():
    """It is as far from the query as the stranger, and near to another entry."""
    angles = {"query": 0, "a": 0, "b": 10, "c": 70, "d": 80}
    assert kept(judge(["a", "b", "c", "d"], "query", embedder=Angles(angles))) == [0, 1, 2, 3]


def test_a_query_that_names_no_topic_removes_nothing():
    verdict = judge([*WHALES, STRANGER], "Yes, please go on.")
    assert kept(verdict) == [0, 1, 2, 3]


def test_two_entries_without_a_query_are_kept():
    verdict = judge([LEASE, NITROGEN])
    assert verdict.disposition == "conforming"
    assert kept(verdict) == [0, 1]
    assert "no query" in verdict.reason


def test_a_mixed_list_without_a_query_stays():
    texts = ["Sales in Europe grew.", "Cats sleep most of the day.", "The ferry leaves at nine."]
    assert kept(judge(texts)) == [0, 1, 2]


def test_equal_entries_stay():
    assert kept(judge([WHALES[0], WHALES[0], WHALES[1]], "whales")) == [0, 1, 2]


def test_empty_entries_stay():
    assert kept(judge([WHALES[0], "", STRANGER, WHALES[1]], "How do whales talk?")) == [0, 1, 3]


# What cannot be judged


def test_without_an_embedder_nothing_is_judged_and_that_is_said():
    invocation = Invocation(AdaptConfig(), session=Session("whales"))
    verdict = CHECK(entries_of([WHALES[0], STRANGER]), invocation)
    assert verdict.disposition == "conforming"
    assert "no sentence embedder" in verdict.reason


def test_an_embedder_without_thresholds_judges_nothing_unless_one_is_configured():
    embedder = Angles({"a": 0, "b": 10, "c": 90, "query": 0})
    embedder.name = "unheard-of"
    verdict = judge(["a", "b", "c"], "query", embedder=embedder)
    assert verdict.disposition == "conforming"
    assert "unheard-of" in verdict.reason
    assert kept(judge(["a", "b", "c"], "query", embedder=embedder, tau=0.7)) == [0, 1]


def test_a_server_that_fails_is_no_error_of_the_application():
    class Failing(Angles):
        def embed(self, texts):
            raise ModelServerError("The server answered 503.")

    verdict = judge(["a", "b"], "c", embedder=Failing())
    assert verdict.disposition == "conforming"
    assert "503" in verdict.reason


def test_a_list_beyond_the_bound_is_passed_on():
    verdict = judge([f"entry {place}" for place in range(MAX_ENTRIES + 1)], embedder=Angles())
    assert verdict.disposition == "refused"
    assert str(MAX_ENTRIES) in verdict.reason


def test_the_deadline_is_kept():
    clock = iter(range(1_000))
    invocation = Invocation(AdaptConfig(), embedder=Angles, clock=lambda: float(next(clock)))
    with pytest.raises(TimeoutError):
        CHECK(entries_of(["a", "b"]), invocation)


# Costs


def test_each_text_is_embedded_once_and_the_query_only_where_it_is_needed():
    embedder = Angles({"a": 0, "b": 10, "c": 90, "query": 0})
    judge(["a", "b"], "query", embedder=embedder)
    assert embedder.asked == [["a", "b"]]
    embedder.asked.clear()
    assert kept(judge(["a", "b", "c"], "query", embedder=embedder)) == [0, 1]
    assert embedder.asked == [["a", "b", "c"], ["query"]]


# Heuristics that are switched off


@pytest.mark.parametrize("heuristic", ["context", "context.by_query"])
def test_without_the_ranking_by_query_nothing_is_removed(heuristic):
    assert kept(judge([WHALES[0], STRANGER], "How do whales talk?", without=(heuristic,))) == [0, 1]


def test_without_the_ranking_by_the_others_nothing_is_removed():
    assert kept(judge([*WHALES, STRANGER], without=("context.without_query",))) == [0, 1, 2, 3]


def test_without_the_guard_the_paper_s_rule_removes_one_of_each_pair():
    query = "When does the lease end, and at what temperature does nitrogen boil?"
    verdict = judge([LEASE, NITROGEN], query, without=("context.keep_relevant",))
    assert len(verdict.entries) == 1


def test_the_heuristics_are_named():
    assert all(name.startswith("context.") for name in HEURISTICS)


# Contracts


lists = st.lists(st.text(max_size=12) | st.text("abc \ud800", max_size=4), max_size=9)


@settings(max_examples=contract_examples(), deadline=None)
@given(lists, st.text(max_size=10), st.booleans())
def test_a_subset_in_order_never_empty_and_at_rest(texts, query, guarded):
    without = () if guarded else ("context.keep_relevant",)
    embedder = Angles()
    verdict = judge(texts, query, embedder=embedder, without=without)
    given_entries = entries_of(texts)
    assert bool(verdict.entries) == bool(given_entries)
    assert kept(verdict) == sorted(kept(verdict))
    assert set(verdict.entries) <= set(given_entries)
    assert (verdict.disposition == "repaired") == (verdict.entries != given_entries)
    again = judge(
        [entry.text for entry in verdict.entries], query, embedder=embedder, without=without
    )
    assert len(again.entries) == len(verdict.entries)
