"""Similarity: which pairs the gate lets through, what is embedded, and what is flagged."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.common import tfidf
from knitbone.common.similarity import (
    MAX_TEXTS,
    check_redundancy,
    check_relevance,
    measure_drift,
)
from knitbone.common.tfidf import terms, tfidf_similarity
from knitbone.common.thresholds import THRESHOLDS, Thresholds, thresholds_for
from knitbone.errors import ConfigError, KnitboneError

RESULTS = Path(__file__).parents[2] / "evals" / "results" / "similarity_calibration.json"
HALF = Thresholds(
    relevance=0.5,
    redundancy=0.5,
    drift_destructive=0.35,
    drift_default=0.5,
    drift_information_gathering=0.55,
    origin="the test",
)


class Angles:
    """Each text's vector is at the angle, in degrees, that a table gives it."""

    name = "angles"

    def __init__(self, angles=None):
        self.angles = angles or {}
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        radians = [math.radians(self.angles.get(text, 0)) for text in texts]
        rows = [[math.cos(angle), math.sin(angle)] for angle in radians]
        return np.asarray(rows, dtype=np.float32).reshape(len(texts), 2)


words = st.text("abcde ", max_size=12)


# TF-IDF


@settings(max_examples=60, deadline=None)
@given(st.lists(words, min_size=1, max_size=8))
def test_tfidf_is_the_textbook_formula(texts):
    counts = [Counter(text.split()) for text in texts]
    idf = {
        term: math.log((1 + len(texts)) / (1 + sum(term in count for count in counts))) + 1
        for count in counts
        for term in count
    }

    def dot(one, other):
        return sum(one[term] * other[term] * idf[term] ** 2 for term in one)

    found = tfidf_similarity(texts)
    for i, one in enumerate(counts):
        for j, other in enumerate(counts):
            norm = math.sqrt(dot(one, one) * dot(other, other))
            assert found[i, j] == pytest.approx(dot(one, other) / norm if norm else 0, abs=1e-5)


def test_tfidf_agrees_with_scikit_learn():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    texts = [
        "The refund of 12 dollars was sent to the customer.",
        "The customer asked for a refund, and the refund was refused.",
        "Penguins huddle together to keep warm.",
        "To keep warm, the customer bought 12 penguins!",
    ]
    rows = text.TfidfVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(texts)
    assert tfidf_similarity(texts) == pytest.approx((rows @ rows.T).toarray(), abs=1e-5)


def test_more_terms_than_a_chunk_holds_change_nothing(monkeypatch):
    texts = [" ".join(f"w{n}" for n in range(start, start + 40)) for start in range(0, 100, 10)]
    whole = tfidf_similarity(texts)
    monkeypatch.setattr(tfidf, "_CHUNK", 7)
    assert tfidf_similarity(texts) == pytest.approx(whole, abs=1e-6)


def test_terms_are_words_of_any_length_and_pairs_of_spaceless_characters():
    assert terms("Pay 3 Straße_x, x-ray!") == ["pay", "3", "strasse_x", "x", "ray"]
    assert terms("東京都 v2東") == ["東京", "京都", "v2", "東"]
    assert terms("\ud800\0 --- ") == []


def test_chinese_sentences_that_share_words_are_similar():
    found = tfidf_similarity(["我想取消我的订单", "请取消我的订单", "今天天气很好"])
    assert found[0, 1] > 0.3
    assert found[0, 2] == 0


def test_a_huge_text_is_looked_at_only_to_its_limit():
    found = tfidf_similarity(["a " * 40_000 + "b " * 30_000_000, "b"])
    assert found[0, 1] == 0


# The gate


def lexical(texts):
    matrix = tfidf_similarity(texts)
    return {pair: float(matrix[pair]) for pair in combinations(range(len(texts)), 2)}


def test_redundancy_looks_at_the_top_quartile_and_embeds_no_other_text():
    texts = ["red apple pie", "red apple tart", "red brick", "blue brick", "grey stone"]
    embedder = Angles({"red apple tart": 10, "red brick": 75, "blue brick": 90})
    found = check_redundancy(texts, embedder, thresholds=HALF)
    assert found.considered == 10
    # Four of ten pairs share a word; two of them lie on the quartile itself.
    kept = {(pair.first, pair.second) for pair in found.pairs}
    assert kept == {(0, 1), (2, 3), (0, 2), (1, 2)}
    assert {(pair.first, pair.second) for pair in found.flagged} == {(0, 1), (2, 3)}
    assert [set(batch) for batch in embedder.asked] == [set(texts) - {"grey stone"}]


def test_where_few_pairs_share_a_word_all_of_the_tied_ones_are_looked_at():
    texts = ["red apple pie", "red apple tart", "whale song", "old clock", "grey stone"]
    found = check_redundancy(texts, Angles(), thresholds=HALF)
    assert (found.gate, len(found.pairs)) == (0.0, 10)


def test_relevance_looks_at_the_bottom_quartile_and_embeds_no_other_text():
    texts = ["a b c d", "a b c e", "a b c f", "a b c g", "x y z"]
    embedder = Angles({"x y z": 90})
    found = check_relevance(texts, embedder, thresholds=HALF)
    assert {(pair.first, pair.second) for pair in found.flagged} == {(n, 4) for n in range(4)}
    assert all(pair.lexical == 0 and pair.gated for pair in found.pairs)
    assert len(embedder.asked) == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(words, max_size=9), st.sampled_from([check_relevance, check_redundancy]))
def test_the_gate_keeps_its_quartile_and_only_that(texts, check):
    embedder = Angles({text: len(text) * 20 for text in texts})
    found = check(texts, embedder, thresholds=HALF)
    scores = lexical(texts)
    assert found.considered == len(scores)
    kept = {(pair.first, pair.second) for pair in found.pairs}
    if len(scores) < 4:
        assert found.gate is None
        assert kept == set(scores)
        assert not any(pair.gated for pair in found.pairs)
    else:
        low = check is check_relevance
        expected = {
            pair
            for pair, score in scores.items()
            if (score <= found.gate if low else score >= found.gate)
        }
        assert kept == expected
        assert len(kept) >= len(scores) / 4
        assert all(pair.gated for pair in found.pairs)
    for pair in found.pairs:
        degrees = abs(len(texts[pair.first]) - len(texts[pair.second])) * 20
        cosine = math.cos(math.radians(degrees))
        assert pair.semantic == pytest.approx(cosine, abs=1e-5)
        flagged = cosine < 0.5 if check is check_relevance else cosine > 0.5
        if abs(cosine - 0.5) > 1e-4:
            assert pair.flagged == flagged
    asked = [text for batch in embedder.asked for text in batch]
    assert len(asked) == len(set(asked))
    assert set(asked) == {texts[index] for pair in kept for index in pair}


def test_nothing_to_compare_asks_nothing():
    embedder = Angles()
    for texts in ([], ["one"]):
        assert check_redundancy(texts, embedder, thresholds=HALF).pairs == ()
    assert check_relevance(["a", "b"], embedder, pairs=[], thresholds=HALF).considered == 0
    assert embedder.asked == []


def test_chosen_pairs_are_compared_and_no_others():
    prompt, answers = "name a fruit", ["an apple", "name a fruit please", "a pear"]
    embedder = Angles({"an apple": 70, "name a fruit please": 5, "a pear": 85})
    found = check_redundancy(
        [prompt, *answers], embedder, pairs=[(0, 1), (0, 2), (0, 3)], thresholds=HALF
    )
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 1), (0, 2), (0, 3)]
    assert [(pair.first, pair.second) for pair in found.flagged] == [(0, 2)]


@pytest.mark.parametrize("pair", [(0, 2), (-1, 0)])
def test_a_pair_outside_the_texts_is_an_error(pair):
    with pytest.raises(KnitboneError, match="outside the 2 texts"):
        check_redundancy(["a", "b"], Angles(), pairs=[pair], thresholds=HALF)


def test_too_many_texts_are_refused_before_any_work():
    embedder = Angles()
    with pytest.raises(KnitboneError, match=r"2001 texts.*Compare them in parts"):
        check_relevance(["a"] * (MAX_TEXTS + 1), embedder, thresholds=HALF)
    assert embedder.asked == []


# Drift


@pytest.mark.parametrize(
    ("tier", "limit"), [("destructive", 0.35), ("default", 0.5), ("information_gathering", 0.55)]
)
def test_drift_fires_past_its_tier_and_is_never_gated(tier, limit):
    near = math.degrees(math.acos(1 - limit + 0.01))
    far = math.degrees(math.acos(1 - limit - 0.01))
    embedder = Angles({"intent": 0, "near": near, "far": far})
    steps = [("intent", "near"), ("intent", "far"), ("intent", "intent")]
    found = measure_drift(steps, embedder, tier=tier, thresholds=HALF)
    assert [drift.drifted for drift in found] == [False, True, False]
    assert [drift.score for drift in found] == pytest.approx(
        [limit - 0.01, limit + 0.01, 0], abs=1e-5
    )
    assert embedder.asked == [["intent", "near", "far"]]
    assert all(drift.threshold == limit and drift.tier == tier for drift in found)


def test_no_steps_have_no_drift():
    embedder = Angles()
    assert measure_drift([], embedder, thresholds=HALF) == ()
    assert embedder.asked == []


# Thresholds


def test_the_papers_values_belong_to_their_model_under_all_its_spellings():
    for name in ("Qwen/Qwen3-Embedding-0.6B", "qwen3-embedding:0.6b", "Qwen3-Embedding-0.6B"):
        found = thresholds_for(name)
        assert (found.relevance, found.redundancy) == (0.7, 0.7)
        tiers = ("destructive", "default", "information_gathering")
        assert [found.drift(tier) for tier in tiers] == [0.35, 0.5, 0.55]


def test_an_unknown_embedder_gets_an_error_not_a_guess():
    with pytest.raises(ConfigError, match=r"'angles'.*Known: all-minilm.*Pass thresholds"):
        check_redundancy(["a", "b"], Angles())
    with pytest.raises(ConfigError, match="'angles'"):
        measure_drift([("a", "b")], Angles())


def test_the_embedded_models_thresholds_are_the_committed_calibration():
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    in_code = thresholds_for(result["embedder"]["name"])
    measured = result["thresholds"]
    assert {name: getattr(in_code, name) for name in measured} == measured
    assert set(measured) == set(Thresholds.__struct_fields__) - {"origin"}
    assert in_code.origin == f"evals/results/{RESULTS.name}"


@pytest.mark.parametrize("name", sorted(THRESHOLDS))
def test_a_destructive_action_is_held_to_the_strictest_tier(name):
    found = THRESHOLDS[name]
    assert found.drift_destructive <= found.drift_default <= found.drift_information_gathering
    assert found.relevance <= found.redundancy


# With the real embedder


@pytest.fixture(scope="module")
def minilm():
    return pytest.importorskip("knitbone.models.minilm").MiniLmEmbedder()


def test_the_calibration_is_of_the_model_that_is_installed(minilm):
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert result["embedder"]["identity"] == minilm.identity


def test_a_repeated_statement_is_found_among_others(minilm):
    sentences = [
        "The museum opens at nine every day but Monday.",
        "Tickets cost eight euros for adults.",
        "Every day except Monday the museum is open from nine.",
        "Its collection of old clocks is the largest in the country.",
    ]
    found = check_redundancy(sentences, minilm)
    assert [(pair.first, pair.second) for pair in found.flagged] == [(0, 2)]
    assert found.gate is not None


def test_a_foreign_entry_is_found_in_a_context(minilm):
    entries = [
        "To reset your password open the settings and choose Security.",
        "The password reset link is sent by email and expires after an hour.",
        "Penguins huddle together to keep warm in the Antarctic winter.",
        "If the reset email does not arrive, check the spam folder or your password manager.",
    ]
    found = check_relevance(entries, minilm)
    assert found.flagged
    assert all(2 in (pair.first, pair.second) for pair in found.flagged)


def test_an_action_that_serves_another_purpose_has_drifted(minilm):
    intent = "close the Green checking account"
    on, off = measure_drift(
        [
            (intent, 'close_account(account="green checking")'),
            (intent, 'search_flights(origin="JFK", destination="SEA")'),
        ],
        minilm,
    )
    assert (on.drifted, off.drifted) == (False, True)


def test_a_negation_is_not_seen_as_documented(minilm):
    pair = ["The warranty covers water damage.", "The warranty does not cover water damage."]
    assert check_redundancy(pair, minilm).flagged, "if this is told apart now, say so in the docs"
