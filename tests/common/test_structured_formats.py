"""What the formats beside JSON share with their checks: places, safe readers, tolerant scanners."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.adaptation.repair.structured.tree_formats import _has_text_keys, _same_value
from knitbone.common.structured.csv_table import join_cells, merged, read_rows, records_of
from knitbone.common.structured.drafts import fenced_parts, splice
from knitbone.common.structured.python_literal import literal_of, parse_python
from knitbone.common.structured.shape import Field, Shape, dates_as_texts, key_names
from knitbone.common.structured.spelled_numbers import Spelled, SpelledInteger
from knitbone.common.structured.toml_text import read_toml
from knitbone.common.structured.yaml_text import read_yaml
from knitbone.parsing.xml_values import escaped

SHAPE = Shape(
    type="object",
    fields=(
        Field(name="a", shape=Shape(type="date")),
        Field(name="b", shape=Shape(items=Shape(fields=(Field(name="c", shape=Shape()),)))),
    ),
)


def test_edits_are_made_by_place_and_never_over_one_another():
    assert splice("abcd", [(2, 3, "X"), (0, 1, "Y"), (4, 4, "!")]) == "YbXd!"
    assert splice("abcd", [(0, 2, "X"), (1, 3, "Y")]) is None


def test_numbers_keep_their_spelling():
    assert str(Spelled(1.1, "1.10")) == "1.10"
    assert Spelled(1.1, "1.10") == 1.1
    assert str(SpelledInteger(7, "007")) == "007"
    assert SpelledInteger(7, "007") + 1 == 8


def test_names_and_dates_of_a_shape():
    assert key_names(SHAPE) == {"a", "b", "c"}
    assert dates_as_texts(SHAPE).fields[0].shape.type == "string"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": [1, (2,)]}, {"a": [1, [2]]}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        (True, 1, False),
        (1, 1.0, True),
        (float("nan"), float("nan"), True),
        ("no", "false", True),
        ("no", "never", False),
        ([1], [1, 2], False),
        ("1", 1, False),
    ],
)
def test_values_are_compared_type_by_type(one, other, same):
    assert _same_value(one, other) is same


def test_keys_that_are_no_texts_are_found_at_any_depth():
    assert _has_text_keys({"a": [{"b": ({},)}]})
    assert not _has_text_keys({"a": [{1: 2}]})


def test_fenced_parts_come_last_first_and_may_be_open():
    assert fenced_parts("x\n```a\n1\n```\n```\n2\n") == ["2\n", "1\n"]
    assert fenced_parts("no fence") == []
    assert fenced_parts("```\n" * 100) == []


@given(st.lists(st.lists(st.text("ab ,\"';\t|\n", max_size=5), min_size=1, max_size=4)))
def test_records_stand_where_they_say(rows):
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    text = "\n".join(join_cells(row, ",") for row in rows)
    found = records_of(text, ",")
    assert [record.cells for record in found] == rows
    assert [read_rows(text[r.start : r.end], ",")[0] for r in found] == rows


def test_a_quotation_mark_that_is_not_closed_gives_no_records():
    assert records_of('a,"b\nc', ",") is None
    assert records_of("a,b\r\nc,d\r\n", ",")[1][:2] == (5, 8)


@pytest.mark.parametrize(
    ("cells", "numeric", "expected"),
    [
        (["Smith", " John", "3"], [False, True], ["Smith, John", "3"]),
        (["Smith", " John", "x"], [False, False], ["Smith, John", "x"]),
        (["a", "b", "c"], [False, False], None),
        (["a", " b", " c"], [False, False], None),
        (["a", "b", "c"], [False, True], None),
        (["1", "2", "3"], [True, True], None),
    ],
)
def test_cells_are_merged_only_where_one_reading_fits(cells, numeric, expected):
    assert merged(cells, 2, numeric, ",") == expected


@given(st.text("&<>ampltx#1;\x00", max_size=30))
def test_escaped_content_is_well_formed_and_escaping_it_again_changes_nothing(content):
    done = escaped(content)
    assert "<" not in done
    assert not re.search(r"&(?!#\d+;|#x[0-9A-Fa-f]+;|(?:amp|lt|gt|quot|apos);)", done)
    assert escaped(done) == done


@pytest.mark.parametrize("text", ["[" * 150, "x = 1 +", "\0", "\ud800", "a" * 300_000])
def test_python_that_cannot_be_read_is_none(text):
    assert parse_python(text) is None
    assert literal_of(text) is None


def test_readers_give_values_in_tuples():
    assert literal_of(" [1]") == ([1],)
    assert literal_of("None") == (None,)
    assert literal_of("f()") is None
    assert read_yaml("null") == (None,)
    assert read_yaml("- " * 5_000) is None
    assert read_yaml("a: &x [1]\nb: *x") is None
    assert read_yaml("a: R&D *x") == ({"a": "R&D *x"},)
    assert read_toml("a = 1") == ({"a": 1},)
    assert read_toml("a = " + "[" * 500) is None
    assert read_toml("a." * 100 + "a = 1") is None


def test_a_long_table_is_read_no_further_than_the_time_allows():
    read = iter(range(3))
    with pytest.raises(StopIteration):
        read_rows("a,b\n" * 500_000, ",", pause=lambda: next(read))
    assert read_rows("a,b\nc\n", ",") == [["a", "b"], ["c"]]
