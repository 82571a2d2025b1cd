"""Blocks of an answer: what each line belongs to, as exact spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.adaptation.scenario.blocks import read_blocks


def kinds(text):
    return [block.kind for block in read_blocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One sentence. Another one.", ["paragraph"]),
        ("One.\n\nTwo.", ["paragraph", "paragraph"]),
        ("# Title\nText.", ["heading", "paragraph"]),
        ("Title\n=====\n\nText.", ["heading", "paragraph"]),
        ("**Bold line**\nText.", ["heading", "paragraph"]),
        ("```py\nx = 1\n\ny = 2\n```\nText.", ["code", "paragraph"]),
        ("```\nnever closed\n\nmore", ["code"]),
        ("Text.\n\n    x = 1\n", ["paragraph", "code"]),
        ("| a | b |\n| - | - |\n| 1 | 2 |", ["table"]),
        ("> said\n> so\n\nText.", ["quotation", "paragraph"]),
        ("---\nText.", ["rule", "paragraph"]),
        ("Roses are red\nViolets are blue", ["lines"]),
        ("Tom: hello\n\nAnn: hello\n\nTom: bye", ["dialogue", "paragraph", "dialogue"]),
        ('"Go," he said.', ["dialogue"]),
        ('{"a": 1}', ["data"]),
        ("<a>text</a>", ["data"]),
        ('Here:\n\n  "a": "One sentence. Two.",\n  "b": 1', ["paragraph", "data"]),
        ("/usr/lib/x.py:12: UserWarning: It is old. Use another.", ["data"]),
    ],
)
def test_kinds_of_blocks(text, expected):
    assert kinds(text) == expected


def test_items_know_their_list_their_number_and_what_is_nested():
    text = "1. One\n   - a\n   - b\n\n     more\n2) Two\nlazy\n\nText."
    items = [block for block in read_blocks(text) if block.kind == "item"]
    assert [item.marker for item in items] == ["1.", "-", "-", "2)"]
    assert [item.number for item in items] == [1, None, None, 2]
    assert items[0].series == items[3].series != items[1].series == items[2].series
    assert text[items[0].start : items[0].extent].endswith("more")
    assert text[items[3].body : items[3].end] == "Two\nlazy"


def test_a_word_and_a_number_mark_an_item():
    items = read_blocks("Task 1. One\n**Idea 2 -** Two\nstep #3) Three")
    assert [(x.kind, x.number) for x in items] == [("item", 1), ("item", 2), ("item", 3)]
    assert kinds("Day 1: Rest\nDay 2: Walk") == ["lines"]
    assert kinds("Task 1 is hard. Task 2 is not.") == ["paragraph"]


def test_a_paragraph_between_ends_a_list():
    items = [x for x in read_blocks("- a\n\nText.\n\n- a") if x.kind == "item"]
    assert items[0].series != items[1].series


@given(st.text(alphabet=st.sampled_from('ab1. -*#>|`\n\t:"{}\ud800'), max_size=200))
def test_blocks_are_ordered_slices_that_miss_only_blank_text(text):
    place = 0
    for block in read_blocks(text):
        assert place <= block.start <= block.body <= block.end <= block.extent <= len(text)
        assert not text[place : block.start].strip()
        place = block.end
    assert not text[place:].strip()
