"""XML that is checked without its tree: whatever passes, the walk over the tree accepts."""

from xml.etree import ElementTree as ET

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.repair.structured.xml_plain import plain_test
from knitbone.adaptation.repair.structured.xml_shape import accepts
from knitbone.common.structured.shape import Field, Shape

WHOLE = Shape(type="integer", convertible=True)


def shape_of(**named):
    return Shape(
        type="object", fields=tuple(Field(name=name, shape=inner) for name, inner in named.items())
    )


ROW = shape_of(name=Shape(), count=WHOLE)
SHAPES = {
    "name": shape_of(name=Shape()),
    "count": shape_of(count=WHOLE),
    "price": shape_of(name=Shape(type="number"), count=Shape(type="boolean")),
    "kind": shape_of(name=Shape(values=("a", "b c"))),
    "rows": shape_of(row=Shape(type="array", items=ROW)),
    "deep": shape_of(a=shape_of(row=Shape(type="array", items=shape_of(name=Shape())))),
}


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("name", "<a><name>x</name></a>"),
        ("name", '<?xml version="1.0"?>\n<a b="c>d"><name at="1"/></a>'),
        ("count", "<a><row><count> -12 </count></row></a>"),
        ("kind", "<a><name>b c</name></a>"),
        (
            "rows",
            "<a><row id='1'><name>x</name><count>1</count></row>\n"
            "<row><count>2</count><name/></row></a>",
        ),
    ],
)
def test_what_is_plain_is_seen(shape, text):
    assert plain_test(SHAPES[shape], above=False)(text)
    assert accepts(ET.fromstring(text), SHAPES[shape], lambda: None)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("name", "<name>x</name>"),  # the root is not in itself
        ("name", "<a><!-- <name>x</name> --></a>"),
        ("name", "<a><![CDATA[<name>x</name>]]></a>"),
        ("name", "<a><?pi <name> ?></a>"),
        ("name", "<?pi <name> ?><a/>"),
        ("name", "<a><names>x</names></a>"),
        ("name", "<a><name>x</a>"),
        ("name", "<a><name>x &nbsp;</name></a>"),
        ("name", "<a><p:name>x</p:name></a>"),
        ("name", "<a><name>\ud800</name></a>"),
        ("count", "<a><count>1</count><count>two</count></a>"),
        ("count", "<a xmlns:p='p'><count>1</count><p:count>two</p:count></a>"),
        ("count", "<a><count>1</count><xml:count>two</xml:count></a>"),
        ("rows", "<a><row/><name>x</name><count>1</count></a>"),
        ("rows", "<a><row b='c>d'/><name>x</name><count>1</count></a>"),
        ("rows", "<a><row><count>1</count></row><name>x</name></a>"),
        (
            "rows",
            "<a><row><name></name><count>1</count><row><name></name><count>2</count></row>"
            "<count>x</count></row></a>",
        ),
    ],
)
def test_what_is_not_plain_is_left_to_the_tree(shape, text):
    assert not plain_test(SHAPES[shape], above=False)(text)


def test_what_no_text_shows_has_no_test():
    assert plain_test(shape_of(**{"@id": Shape()}), above=False) is None
    assert plain_test(shape_of(kind=Shape(values=(1, 2))), above=False) is None


NAMES = st.sampled_from(["a", "row", "name", "count", "rows"])
LEAVES = st.sampled_from(["", "x", "1", " 2 ", "b c", "true", "1.5", "&lt;name>", "<!--<name>-->"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda name, at, parts, empty: (
            f"<{name}{at}/>" if empty else f"<{name}{at}>{''.join(parts)}</{name}>"
        ),
        NAMES,
        st.sampled_from(["", "", ' id="1"', ' b="/>"', ' b="c>d"']),
        st.lists(inner, max_size=4),
        st.sampled_from([False, False, False, True]),
    ),
    max_leaves=12,
)


@settings(max_examples=contract_examples(), deadline=None)
@given(
    parts=st.lists(TREES, max_size=4),
    cut=st.integers(0, 40),
    name=st.sampled_from(sorted(SHAPES)),
    above=st.booleans(),
)
def test_what_passes_is_accepted_by_the_walk(parts, cut, name, above):
    text = f"<a>{''.join(parts)}</a>"
    text = text[cut:] if cut < 5 else text
    if plain_test(SHAPES[name], above=above)(text):
        root = ET.fromstring(text)
        assert accepts([root] if above else root, SHAPES[name], lambda: None)
