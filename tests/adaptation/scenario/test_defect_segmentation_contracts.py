"""Improper segmentation: the contracts, on generated chunks."""

from __future__ import annotations

import itertools

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.testing import (
    ChunkSpec,
    EntryVerdict,
    Evidence,
    Invocation,
    ListEntry,
    prepare_check,
)
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="splitter.split_text(text)")
CONTRACT = settings(max_examples=contract_examples(), deadline=None)


def judge(texts, *, size=None, overlap: int | None = 0, budget_ms=60_000.0) -> EntryVerdict:
    spec = ChunkSpec(size=size, overlap=overlap, splitter="x", evidence=EVIDENCE)
    check = prepare_check(spec)
    assert check is not None
    entries = tuple(ListEntry(text=text, source=place) for place, text in enumerate(texts))
    verdict = check(entries, Invocation(AdaptConfig(budget_ms=budget_ms)))
    if verdict.disposition != "repaired":
        assert verdict.entries is entries
    return verdict


def texts_of(verdict):
    return [entry.text for entry in verdict.entries]


def bare(texts):
    return "".join("".join(texts).split())


def slices(text, size, overlap=0):
    stop = max(1, len(text) - overlap)
    return [text[start : start + size] for start in range(0, stop, size - overlap)]


odd = st.sampled_from(
    ["\ud83d", "\ude00", "\u0301", "\u200d", "\ufe0f", "\U0001f1e9", "\U0001f44d", "\U0001f3fd",
     "\r\n", "\u4e2d\u3002", "\u0e01", "```\n", "| a | b |\n", "- ", "1. ", "# ", "e.g. ", "12.",
     "5", "\n\n", "\t", "http://a.b/c?d", ".", "!", ",", "comput", "er "]
)  # fmt: skip
vocabulary = st.sampled_from(
    ["The ", "the ", "river ", "council ", "met. ", "It ", "rained, ", "and ", "nobody ", "knew. "]
)
passages = st.lists(vocabulary | odd | st.text(max_size=3), max_size=40).map("".join)
chunk_lists = st.lists(passages | st.text(max_size=8), max_size=8)
sentences = st.lists(
    st.lists(
        st.sampled_from(["river", "council", "city", "water", "bridge", "year", "plan", "report"]),
        min_size=1,
        max_size=7,
    ).map(lambda chosen: " ".join(chosen).capitalize() + "."),
    min_size=2,
    max_size=12,
)


@CONTRACT
@given(chunk_lists, st.none() | st.integers(1, 60), st.none() | st.integers(0, 30))
def test_it_never_raises_keeps_the_order_and_comes_to_rest(texts, size, overlap):
    verdict = judge(texts, size=size, overlap=overlap)
    sources = [entry.source for entry in verdict.entries]
    assert sources == sorted(sources)
    assert set(sources) <= set(range(len(texts)))
    again = judge(texts_of(verdict), size=size, overlap=overlap)
    assert texts_of(again) == texts_of(verdict)


@CONTRACT
@given(chunk_lists, st.none() | st.integers(1, 60))
def test_nothing_but_blanks_comes_or_goes(texts, size):
    assert bare(texts_of(judge(texts, size=size))) == bare(texts)


@CONTRACT
@given(passages, st.integers(2, 60))
def test_slices_stay_byte_for_byte_and_under_the_size(text, size):
    chunks = slices(text, size)
    verdict = judge(chunks, size=size)
    assert "".join(texts_of(verdict)) == text
    if verdict.disposition == "repaired":
        assert max(map(len, texts_of(verdict))) <= size
        assert all(texts_of(verdict))


@CONTRACT
@given(sentences, st.integers(60, 160))
def test_sliced_sentences_are_whole_again(parts, size):
    text = " ".join(parts)
    verdict = judge(slices(text, size), size=size)
    if len(text) <= size:
        assert verdict.disposition == "conforming"
        return
    assert verdict.disposition in ("repaired", "conforming")
    assert all(chunk.strip()[0].isupper() for chunk in texts_of(verdict))
    assert all(chunk.strip()[-1] == "." for chunk in texts_of(verdict))


@CONTRACT
@given(st.integers(10, 60), st.integers(60, 200), st.integers(0, 50))
def test_overlaps_lose_nothing_and_double_no_more_than_is_declared(count, size, overlap):
    words = [f"w{place}" + ("." if place % 5 == 4 else "") for place in range(count)]
    text = " ".join(w.capitalize() if place % 5 == 0 else w for place, w in enumerate(words))
    chunks = slices(text, size, overlap)
    verdict = judge(chunks, size=size, overlap=overlap)
    places: list[tuple[int, int]] = []
    for chunk in texts_of(verdict):
        # Short pieces stand in the text more than once: the one is meant that goes on.
        end = sum(places[-1]) if places else 0
        places.append((text.index(chunk, max(0, end - overlap)), len(chunk)))
    assert places[0][0] == 0
    assert sum(places[-1]) == len(text)
    for (one, length), (other, _) in itertools.pairwise(places):
        assert one < other <= one + length
        assert one + length - other <= overlap
    assert max(length for _, length in places) <= size


@CONTRACT
@given(st.lists(sentences.map(" ".join), min_size=2, max_size=6), st.none() | st.just(400))
def test_chunks_of_whole_sentences_are_given_back(chunks, size):
    assert judge(chunks, size=size).disposition == "conforming"


@pytest.mark.parametrize(
    "unit",
    ["a", " ", "\n", ".", "ab ", "Ab. ", "- ", "| ", "```\n", "\ud800", "\u0301", "\U0001f1e9",
     "\u4e2d", "http://a", ",", "\n ", "a\n", "e.g. ", "(", "\u200d"],
)  # fmt: skip
@pytest.mark.parametrize(("size", "overlap"), [(997, 0), (997, 199), (250_000, 0)])
def test_a_long_adversarial_text_stays_within_the_deadline(unit, size, overlap):
    text = unit * (500_000 // len(unit))
    try:
        verdict = judge(slices(text, size, overlap), size=size, overlap=overlap, budget_ms=500)
    except TimeoutError:
        return
    if not overlap:
        assert bare(texts_of(verdict)) == bare([text])
