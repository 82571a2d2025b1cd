"""What stands at a place can be exchanged, in documents within texts too."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.places import at, places, replaced

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON, LEAVES)
def test_every_place_is_found_again_and_takes_another_value(value, new):
    for path, found in list(places(value))[:30]:
        assert at(value, path) == found
        assert at(replaced(value, path, new), path) == new or isinstance(found, str)


@pytest.mark.parametrize("layers", [0, 1, 2])
def test_a_document_is_written_again_in_its_own_encoding(layers):
    text = json.dumps({"lines": [{"price": 7}]})
    for _ in range(layers):
        text = base64.b64encode(text.encode()).decode()
    path = next(path for path, found in places({"x": text}) if found == 7)
    changed = replaced({"x": text}, path, 8)["x"]
    for _ in range(layers):
        changed = base64.b64decode(changed).decode()
    assert json.loads(changed) == {"lines": [{"price": 8}]}


def test_places_of_hostile_arguments_are_bounded():
    deep = "[" * 5_000 + "]" * 5_000
    wide = {"x": [deep, ["a"] * 10_000]}
    assert len(list(places(wide))) < 1_000
