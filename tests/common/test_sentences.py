"""Sentences as spans that cover the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.common.sentences import split_by_rule, split_sentences

TEXT = "Dr. Who came at 5 p.m. today. He left.\nIs it (J. Smith)? Yes!"


def pieces(text, spans):
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize("split", [split_sentences, split_by_rule])
def test_sentences_end_where_they_end(split):
    expected = ["Dr. Who came at 5 p.m. today.", "He left.", "Is it (J. Smith)?", "Yes!"]
    assert [piece.strip() for piece in pieces(TEXT, split(TEXT))] == expected


def test_the_rule_does_not_cut_after_the_number_of_a_list_or_before_a_small_letter():
    for text in ("1. Go home now", "It costs approx. ten euros", "See fig. 3 of the text"):
        assert len(split_by_rule(text)) == 1


def test_scripts_without_blanks_between_sentences():
    text = "\u4f60\u597d\u3002\u6211\u662f\u3002"
    assert pieces(text, split_sentences(text)) == [text[:3], text[3:]]


def test_a_part_of_a_text():
    text = "Ignored. One here. Two here. Ignored."
    assert pieces(text, split_sentences(text, 9, 28)) == ["One here. ", "Two here."]


def test_without_nupunkt_the_rule_of_our_own_splits(monkeypatch):
    from knitbone.common import sentences

    def missing(name):
        raise ModuleNotFoundError(name)

    sentences._splitter.cache_clear()
    monkeypatch.setattr(sentences.importlib, "import_module", missing)
    try:
        assert sentences._splitter() is split_by_rule
        assert len(split_sentences(TEXT)) == 4
    finally:
        sentences._splitter.cache_clear()


@pytest.mark.parametrize("split", [split_sentences, split_by_rule])
@given(text=st.text(alphabet=st.sampled_from("aB.!? \n\"')\u3002\ud800"), max_size=120))
def test_spans_cover_the_text_without_gaps(split, text):
    spans = split(text)
    assert "".join(pieces(text, spans)) == text
    assert all(start < end for start, end in spans)


def test_a_plain_word_before_a_capital_ends_a_sentence():
    text = "Pay in the app. Block the card by hand. Use 2 tbsp. Olive oil is fine."
    parts = [text[a:b].strip() for a, b in split_sentences(text)]
    assert parts[:2] == ["Pay in the app.", "Block the card by hand."]
    assert len(parts) == 3
