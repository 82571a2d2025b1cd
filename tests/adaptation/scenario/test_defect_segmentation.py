"""Improper segmentation: what is made whole, and what must not be touched."""

from __future__ import annotations

import itertools

import pytest

from knitbone.adaptation.scenario.segmentation import HEURISTICS, borders
from knitbone.adaptation.scenario.segmentation.borders import Fragments, cut_words, one_word
from knitbone.adaptation.scenario.segmentation.chunks import MAX_CHARACTERS, MAX_STRETCH
from knitbone.adaptation.scenario.segmentation.positions import cuts_character
from knitbone.adaptation.testing import (
    ChunkSpec,
    Deadline,
    EntryVerdict,
    Evidence,
    Invocation,
    ListEntry,
    prepare_check,
)
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="splitter.split_text(text)")
PROSE = (
    "The quick brown fox jumps over the lazy dog. It was seen near the river by Dr. Smith at 5 "
    "p.m. on Monday. Nobody knows why computers fail, but they do. The committee met with "
    "President Obama in 2019 and spent 12.5 million dollars. Visit https://example.com/a/b?c=d "
    "for details. The end came quickly."
)
SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "It was seen near the river by Dr. Smith at 5 p.m. on Monday.",
    "Nobody knows why computers fail, but they do.",
    "The committee met with President Obama in 2019 and spent 12.5 million dollars.",
    "Visit https://example.com/a/b?c=d for details.",
    "The end came quickly.",
]
MARKDOWN = (
    "# Title\n\nIntro text here.\n\n| a | b |\n|---|---|\n| one | two |\n| three | four |\n\n"
    "```python\nx = 1\ny = 2\n```\n\n- first item is long\n- second item is longer\n\nLast words."
)


def judge(
    texts, *, size=None, overlap=0, unit="characters", length=None, without=(), splitter="x"
) -> EntryVerdict:
    spec = ChunkSpec(size=size, overlap=overlap, length=unit, splitter=splitter, evidence=EVIDENCE)
    check = prepare_check(spec, length=length)
    config = AdaptConfig(budget_ms=60_000, without=without)
    entries = tuple(ListEntry(text=text, source=place) for place, text in enumerate(texts))
    verdict = check(entries, Invocation(config))
    if verdict.disposition != "repaired":
        assert verdict.entries is entries
    return verdict


def texts_of(verdict):
    return [entry.text for entry in verdict.entries]


def slices(text, size, overlap=0):
    return [text[start : start + size] for start in range(0, len(text) - overlap, size - overlap)]


# Slices: nothing is dropped between the chunks


def test_slices_end_with_sentences_and_their_concatenation_stays_byte_for_byte():
    verdict = judge(slices(PROSE, 80), size=80)
    assert verdict.disposition == "repaired"
    assert "".join(texts_of(verdict)) == PROSE
    assert all(len(text) <= 80 for text in texts_of(verdict))
    assert all(text.strip()[-1] == "." for text in texts_of(verdict))
    assert [text.strip() for text in texts_of(verdict)][:4] == SENTENCES[:4]
    assert any(rule.startswith("word cut at ") for rule in verdict.rules)


def test_each_entry_names_the_one_that_most_of_its_text_comes_from():
    verdict = judge(slices("The cat sat on the mat. The dog lay on it. It rained.", 28), size=28)
    assert texts_of(verdict) == ["The cat sat on the mat. ", "The dog lay on it. ", "It rained."]
    assert [entry.source for entry in verdict.entries] == [0, 1, 1]


def test_slices_that_overlap_share_whole_sentences_or_nothing():
    verdict = judge(slices(PROSE, 160, 70), size=160, overlap=70)
    texts = texts_of(verdict)
    assert verdict.disposition == "repaired"
    for text in texts:
        assert text.startswith(tuple(SENTENCES))
        assert text.strip().endswith(tuple(SENTENCES))
        assert len(text) <= 160
    neighbours = list(itertools.pairwise(texts))
    assert any(
        shared in one and shared in other for one, other in neighbours for shared in SENTENCES
    )


def test_a_number_is_not_cut():
    text = "They spent an amount of 12.5 million. It was a large amount."
    joined = texts_of(judge(slices(text, 27), size=27))
    assert "".join(joined) == text
    assert any("12.5" in part for part in joined)


def test_an_address_is_not_cut():
    text = "See https://example.com/a/very/long/path?x=1 for more. Thank you for it all."
    joined = texts_of(judge(slices(text, 50), size=50))
    assert "".join(joined) == text
    assert any("https://example.com/a/very/long/path?x=1" in part for part in joined)


def test_rows_code_and_items_of_markdown_stay_whole():
    joined = texts_of(judge(slices(MARKDOWN, 40), size=40))
    assert "".join(joined) == MARKDOWN
    for whole in ("| three | four |", "```python\nx = 1\ny = 2\n```", "- second item is longer"):
        assert sum(whole in part for part in joined) == 1


def test_rows_of_comma_separated_values_stay_whole():
    table = "id,name,city\n1,Anna,Berlin\n2,Bob,Paris\n3,Carl,Rome\n4,Dora,Oslo\n"
    joined = texts_of(judge(slices(table, 25), size=25))
    assert "".join(joined) == table
    rows = [row for part in joined for row in part.strip().split("\n")]
    assert rows == table.strip().split("\n")


def test_code_between_fences_is_cut_between_lines_where_it_does_not_fit():
    code = "".join(f"value_{place} = compute({place})\n" for place in range(8))
    text = f"```python\n{code}```\n"
    joined = texts_of(judge(slices(text, 70), size=70))
    assert "".join(joined) == text
    assert all(part.endswith("\n") for part in joined)


@pytest.mark.parametrize(
    "whole", ["e\u0301", "\U0001f469\u200d\U0001f680", "\U0001f44d\U0001f3fd", "\ud83d\ude00",
              "\U0001f1e9\U0001f1ea"],
)  # fmt: skip
def test_what_is_read_as_one_character_is_not_cut(whole):
    text = f"It was a {whole} day for all of us"
    cut = text.index(whole) + 1
    joined = texts_of(judge([text[:cut], text[cut:]], size=40))
    assert "".join(joined) == text
    assert any(whole in part for part in joined)


def test_flags_are_pairs():
    flags = "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"
    assert not cuts_character(flags[:2], flags[2:])
    assert cuts_character(flags[:3], flags[3:])


def test_chinese_is_cut_between_sentences():
    text = "这是第一句话。这是第二句话。这是第三句话、它很长。完。"
    joined = texts_of(judge(slices(text, 10), size=10))
    assert "".join(joined) == text
    assert joined[:2] == ["这是第一句话。", "这是第二句话。"]


def test_blanks_that_a_token_splitter_keeps_show_where_words_are_cut():
    chunks = [
        "The science of comput",
        "er vision is",
        " old. It works for",
        " most of the",
        " time.",
    ]
    joined = texts_of(judge(chunks, size=45))
    assert "".join(joined) == "".join(chunks)
    assert "The science of computer vision is old." in joined[0]


# Splitters that drop blanks


def test_a_word_of_the_dictionary_is_joined():
    verdict = judge(["The science of comput", "er vision is old. It works."], size=40)
    assert texts_of(verdict) == ["The science of computer vision is old.", "It works."]


def test_a_word_is_joined_alone_where_its_sentence_does_not_fit():
    verdict = judge(["The science of comput", "er vision is old. It works."], size=30)
    assert texts_of(verdict) == ["The science of computer", "vision is old. It works."]


def test_a_sentence_that_goes_on_is_made_whole_with_one_blank():
    chunks = ["The fox jumps over the lazy", "dog in the garden. Then it sleeps."]
    verdict = judge(chunks, size=50)
    assert texts_of(verdict) == [
        "The fox jumps over the lazy dog in the garden.",
        "Then it sleeps.",
    ]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("The drum is loud. The horn is louder. Nobody slept that night in the old town.", 64),
        ("Deer avoid open fields at noon. They rest under the trees near water all day.", 60),
    ],
    ids=["two words", "one word"],
)
def test_no_word_is_glued_or_parted_where_a_blank_before_the_last_chunk_would_not_show(text, size):
    chunks = [chunk.strip() for chunk in slices(text, size)]
    assert len(chunks[0]) == size
    splitter = "langchain_text_splitters.CharacterTextSplitter"
    found = texts_of(judge(chunks, size=size, splitter=splitter))
    before, after = (chunk.split() for chunk in chunks)
    assert " ".join(found).split() in (text.split(), [*before, *after])


def test_a_splitter_that_is_told_to_keep_blanks_has_dropped_none():
    text = "The pump stops when the tank is full. A red lamp shows it. Then call Granada."
    spec = ChunkSpec(
        size=73,
        overlap=0,
        splitter="langchain_text_splitters.CharacterTextSplitter",
        keeps_blanks=True,
        evidence=EVIDENCE,
    )
    entries = tuple(ListEntry(text=chunk, source=n) for n, chunk in enumerate(slices(text, 73)))
    found = prepare_check(spec)(entries, Invocation(AdaptConfig(budget_ms=60_000)))
    assert "".join(texts_of(found)) == text
    assert any("Granada." in chunk for chunk in texts_of(found))


def test_an_open_phrase_before_a_name_is_made_whole():
    chunks = ["Sales rose. They met with the", "Prime Minister today. It rained."]
    verdict = judge(chunks, size=52)
    assert "with the Prime Minister today." in " ".join(texts_of(verdict))
    assert verdict.disposition == "repaired"


def test_a_full_stop_goes_back_to_its_sentence():
    verdict = judge(["The first sentence is here", ". The second one is there"], size=40)
    assert texts_of(verdict) == ["The first sentence is here.", "The second one is there"]


def test_other_languages_use_the_words_of_the_text_itself():
    chunks = [
        "Der Rechnungsbetrag ist fällig. Bitte zahlen Sie den Rechnungs",
        "betrag bald. Danke.",
    ]
    assert "Rechnungsbetrag bald." in " ".join(texts_of(judge(chunks, size=70)))


def test_the_longest_chunk_is_the_bound_where_no_size_is_known():
    chunks = ["The fox jumps over the lazy", "dog in the garden. Then it sleeps for some hours."]
    verdict = judge(chunks)
    assert verdict.disposition == "repaired"
    assert max(map(len, texts_of(verdict))) <= max(map(len, chunks))


# Single characters


def test_single_characters_are_joined_up_to_the_size():
    verdict = judge(list(PROSE), size=100)
    assert "".join(texts_of(verdict)) == PROSE
    assert all(len(text) <= 100 for text in texts_of(verdict))
    assert len(verdict.entries) < 6


def test_single_characters_without_a_size_become_sentences():
    verdict = judge(list(PROSE))
    assert [text.strip() for text in texts_of(verdict)] == SENTENCES


@pytest.mark.parametrize(
    ("texts", "size"),
    [
        (list("ABCD"), 100),
        (list("wordswithoutanyblank" * 3), 100),
        (list(PROSE), 1),
    ],
)
def test_single_characters_that_may_be_meant_or_cannot_be_joined_stay(texts, size):
    assert judge(texts, size=size).disposition == "conforming"


# What must not be touched


@pytest.mark.parametrize(
    "chunks",
    [
        [],
        ["One chunk only that has no en"],
        ["", ""],
        SENTENCES,
        [f"{sentence}\n" for sentence in SENTENCES],
        ["He works at Acme Inc.", "The firm is big."],
        ["Introduction", "The fox jumps over the dog. It sleeps."],
        ["Ingredients:", "- 4 large apples\n- 1 cup of water", "Instructions:", "1. Wash them."],
        ["apple pie", "banana bread", "cherry tart"],
        ["- apples and pears", "- bread that is fresh", "- milk"],
        ["waterproof boots made of leather", "light jacket with a hood", "hat for sunny days"],
        ["1,Anna,Berlin", "2,Bob,Paris", "3,Carl,Rome"],
        ["| a | b |\n|---|---|", "| one | two |", "| three | four |"],
        ["def f(x):\n    return x", "class A:\n    pass", "import os\nos.remove(name)"],
        ["aGVsbG8gd29ybGQgdGhpcyBp", "cyBiYXNlNjQgZGF0YSB3aXRo", "b3V0IGFueSBibGFua3M"],
        ["https://example.com/a", "https://example.com/b", "see also: https://example.com/c"],
        ["a trailing space ", "Another line that stands for itself.", "it is a record "],
        ["Ein ganzer Satz steht hier.", "Noch einer steht da.", "„Zitat“ am Anfang."],
        ["这是第一句话。", "这是第二句话。"],
        ["What is it?", "\"A quotation.\"", "(See above.)", "* * *", "Done!"],
        ["ABC123", "DEF456", "GHI789"],
        ["red car", "tan dog", "big sun", "old elm", "sky"],
        [f"It was a {word} of rain in the small river town." for word in ("year", "time", "week")]
        + ["It was a week of snow in the small river town.", "It rained."],
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [None, 200])
def test_borders_that_cut_nothing_stay(chunks, size):
    assert judge(chunks, size=size).disposition == "conforming"


def test_chunks_that_a_separator_ended_are_not_taken_for_full_ones():
    chunks = ["A short note. It ends", "with this line. And so on."]
    assert judge(chunks, size=500).disposition == "conforming"


def test_what_is_longer_than_a_chunk_stays_cut():
    blob = "aGVsbG8gd29ybGQ" * 40
    assert judge(slices(blob, 100), size=100).disposition == "conforming"
    sentence = "the long and winding road leads on " * 20
    chunks = slices(sentence, 70)
    assert judge(chunks, size=70).disposition == "conforming"


def test_text_that_repeats_at_an_overlap_is_pinned():
    chunks = ["yes and no and yes and no and ye", "yes and no and yes and no and ye"]
    assert judge(chunks, overlap=None).disposition == "conforming"


# Lengths and bounds


def test_the_application_s_own_length_counts():
    def tokens(text):
        return len(text.split())

    chunks = [" ".join(PROSE.split()[start : start + 12]) for start in range(0, 56, 12)]
    verdict = judge(chunks, size=14, unit="count", length=tokens)
    assert verdict.disposition == "repaired"
    assert all(tokens(text) <= 14 for text in texts_of(verdict))
    assert " ".join(texts_of(verdict)) == " ".join(chunks)


def test_without_the_length_function_the_longest_chunk_is_the_bound_and_that_is_said():
    chunks = slices(PROSE, 80)
    verdict = judge(chunks, size=20, unit="tokens")
    assert max(map(len, texts_of(verdict))) <= 80
    assert "tokens" in verdict.reason


def test_a_length_function_that_fails_is_no_error_of_the_application():
    def failing(text):
        raise ValueError("no such model")

    verdict = judge(slices(PROSE, 80), size=20, unit="count", length=failing)
    assert verdict.disposition == "refused"
    assert "no such model" in verdict.reason


def test_lists_beyond_the_bounds_are_refused():
    half = "a" * (MAX_CHARACTERS // 2)
    assert judge([half, half, "b"], size=10).disposition == "refused"
    wide = "ab " * (MAX_STRETCH // 3)
    assert judge([wide, wide], size=len(wide)).disposition == "refused"


def test_the_deadline_is_kept():
    clock = iter(range(100_000))
    check = prepare_check(ChunkSpec(size=80, overlap=0, splitter="x", evidence=EVIDENCE))
    entries = tuple(ListEntry(text=t, source=i) for i, t in enumerate(slices(PROSE, 80)))
    with pytest.raises(TimeoutError):
        check(entries, Invocation(AdaptConfig(), clock=lambda: float(next(clock))))


# Heuristics that are switched off


@pytest.mark.parametrize(
    ("heuristic", "chunks"),
    [
        ("segmentation", slices(PROSE, 80)),
        ("segmentation.characters", list(PROSE)),
        ("segmentation.words", ["The science of comput", "er vision is old. It works."]),
        ("segmentation.guess", ["The fox jumps over the lazy", "dog at night. Then it sleeps."]),
        (
            "segmentation.sentences",
            ["The fox jumps over the lazy", "dog at night. Then it sleeps."],
        ),
    ],
)
def test_a_heuristic_can_be_switched_off(heuristic, chunks):
    size = 80 if len(chunks[0]) == 80 else 48
    assert judge(chunks, size=size).disposition == "repaired"
    assert judge(chunks, size=size, without=(heuristic,)).disposition == "conforming"


def test_the_heuristics_are_named():
    assert all(name.startswith("segmentation.") for name in HEURISTICS)


# Words


@pytest.mark.parametrize("pair", ["comput er", "retrie val", "organi sation", "govern ment"])
def test_the_dictionary_knows_words_of_all_kinds_of_english(pair):
    fragments = Fragments(*pair.split())
    assert cut_words([fragments], [], Deadline(60)) == {fragments}


@pytest.mark.parametrize("pair", ["the end", "any thing", "in put", "foo bar", "of a", "xyz qwv"])
def test_what_may_be_two_words_is_not_one(pair):
    assert not cut_words([Fragments(*pair.split())], [], Deadline(60))


@pytest.mark.parametrize(
    ("pair", "one"),
    [
        (Fragments("ne", "ar"), True),
        (Fragments("comput", "er"), True),
        (Fragments("handed", "out"), False),
        (Fragments("in", "to"), None),
        (Fragments("wurde", "gesperrt"), None),
    ],
)
def test_a_blank_that_would_not_show_is_decided_by_the_dictionary_or_not_at_all(pair, one):
    assert one_word(pair, Deadline(60_000)) is one


def test_what_follows_an_apostrophe_is_no_fragment():
    chunks = ["This is the neighbour's", "cat. It sleeps on the mat."]
    assert "neighbourscat" not in "".join(texts_of(judge(chunks, size=40)))


def test_without_a_dictionary_the_text_itself_decides(monkeypatch):
    monkeypatch.setattr(borders, "_loaded", [None])
    pair = Fragments("comput", "er")
    assert not cut_words([pair], ["no such word"], Deadline(60))
    assert cut_words([pair], ["a computer is here"], Deadline(60)) == {pair}
    assert not cut_words([pair], ["a computer to er is human"], Deadline(60))


# Splitters that cut between words share as many whole words as fit into the overlap


@pytest.mark.parametrize("overlap", [None, 10, 20])
def test_a_few_shared_words_are_not_written_twice(overlap):
    """The overlap of 20 characters held one short word; joined, it would read "for for"."""
    chunks = [
        "Dr. Smith visited on Monday.\nSee https://example.org/a/very/long/link/that/goes/on for",
        "for details. The Eiffel Tower was completed in 1889. It is 330 metres tall and stands in",
        "stands in Paris. It was seen by many, and people",
        "people left. They came back later, and it was late.",
    ]
    made = texts_of(judge(chunks, size=90, overlap=overlap))
    assert not [text for text in made if "for for" in text or "people people" in text]
    assert all(text.split()[-1] in " ".join(made) for text in chunks)
