"""Facts: nothing that a sentence says is taken for said elsewhere when it is not."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.adaptation.scenario.facts import (
    MAX_CHARACTERS,
    difference,
    read_statement,
    read_words,
    same_word,
)

PAIRS = Path(__file__).parents[3] / "evals/src/knitbone_evals/adapt/similarity"


def said(removed, kept):
    return difference(read_statement(removed), read_statement(kept)) == ""


def load(name):
    with (PAIRS / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_no_pair_that_must_stay_is_taken_for_the_same():
    wrong = [
        pair
        for pair in load("redundancy.jsonl")
        if not pair["label"] and said(pair["removed"], pair["kept"])
    ]
    assert wrong == []


def test_most_pairs_that_say_the_same_are_found():
    pairs = [pair for pair in load("redundancy.jsonl") if pair["label"]]
    found = [pair for pair in pairs if said(pair["removed"], pair["kept"])]
    # The rest are paraphrases: their words are others, and others they stay.
    assert len(pairs) == 80
    assert [x["kind"] for x in pairs if x not in found] == ["paraphrase"] * (len(pairs) - 71)


def test_no_pair_that_differs_in_negation_number_or_name_is_taken_for_the_same():
    for pair in load("pairs.jsonl"):
        if pair["relation"] == "redundancy" and not pair["label"]:
            assert not said(pair["first"], pair["second"]), pair
            assert not said(pair["second"], pair["first"]), pair


@pytest.mark.parametrize(
    ("removed", "kept", "reason"),
    [
        ("It is not safe.", "It is safe.", "'not' is in one only"),
        ("It costs 12 euros.", "It costs 120 euros.", "the number 12 is in one only"),
        ("He met Anna.", "He met Petra.", "the name 'anna' is in one only"),
        ("A pays B.", "B pays A.", "the order of the words differs"),
        ("Is it safe?", "It is safe.", "one is a question"),
        ("I polish shoes.", "I Polish shoes.", "'polish' is a name in one only"),
    ],
)
def test_the_reason_names_what_differs(removed, kept, reason):
    assert difference(read_statement(removed), read_statement(kept)) == reason


def test_what_says_less_is_in_what_says_more_and_not_the_other_way_round():
    assert said("Bring water.", "Bring water and some food.")
    assert not said("Bring water and some food.", "Bring water.")
    assert not said("You get a refund.", "You get a refund and pay unless it is late.")


def test_words_in_brackets_quotes_and_emphasis_count():
    assert read_words("**Run** `it` (now).") == read_words('run "it" now')
    assert read_words("Run it.") != read_words("Run it?")
    assert read_words("x = 3") != read_words("x = 4")
    assert read_words("ask US") != read_words("ask us")


def test_forms_of_a_verb_do_not_mix():
    assert same_word("purchased") == same_word("bought")
    assert same_word("purchased") != same_word("buy")
    assert same_word("starting") != same_word("started")
    assert same_word("kids") == same_word("children")


@pytest.mark.parametrize(
    ("one", "other"),
    [("tenant", "landlord"), ("increase", "decrease"), ("open", "closed"), ("start", "end"),
     ("send", "receive"), ("allow", "forbid"), ("build", "remove"), ("right", "wrong"),
     ("right", "left"), ("easy", "hard"), ("benefit", "drawback"), ("keep", "delete"),
     ("raise", "lower"), ("allow", "prevent"), ("get", "send"), ("often", "sometimes"),
     ("usually", "often"), ("start", "finish"), ("buy", "sell"), ("improve", "reduce")],
)  # fmt: skip
def test_words_that_differ_are_in_no_class_together(one, other):
    assert same_word(one) != same_word(other)


def test_a_longer_passage_equals_only_itself():
    long = "word " * MAX_CHARACTERS
    assert said(long, long)
    assert not said(long, long + "word")


WORDS = st.lists(
    st.sampled_from(["not", "never", "A", "B", "Anna", "3", "30", "-", "pays", "in", "Rome", "if",
                     "the", "before", "wash", "cut", ",", "<", ">", "more", "less", "\ud800"]),
    min_size=1, max_size=8,
)  # fmt: skip


@given(WORDS)
def test_a_sentence_says_what_it_says(words):
    text = " ".join(words)
    assert said(text, text)


@given(WORDS, st.sampled_from(["not", "never", "31", "Otto", "fewer", "unless"]), st.integers(0, 8))
def test_a_word_more_is_never_in_what_lacks_it(words, word, place):
    longer = " ".join([*words[:place], word, *words[place:]])
    assert not said(longer, " ".join(words))


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_read(one, other):
    difference(read_statement(one), read_statement(other))
    read_words(one)
