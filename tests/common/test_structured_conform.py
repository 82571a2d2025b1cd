"""A parsed value against its shape: what changes, what must not, and that it comes to rest."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.common.structured import Field, Shape, conform, fits
from knitbone.common.structured.conformance import HEURISTICS, MAX_MISFITS
from knitbone.common.structured.names import is_near, match_names, plain_name


def field(name, kind="string", required=True, **more):
    return Field(name=name, shape=Shape(type=kind, **more), required=required)


def record(*fields):
    return Shape(type="object", fields=fields)


ORDER = record(field("customer"), field("item_name"), field("quantity", "integer"))
GOOD = {"customer": "Zoe", "item_name": "lamp", "quantity": 3}


@pytest.mark.parametrize(
    "value",
    [
        GOOD,
        {**GOOD, "customers": "kept", "Quantity": "kept"},
        {"customer": "", "item_name": " ", "quantity": 0},
    ],
)
def test_what_fits_is_the_same_object(value):
    conformed = conform(value, ORDER)
    assert conformed.value is value
    assert not conformed.changes
    assert conformed.fits


@pytest.mark.parametrize(
    ("shape", "value", "new"),
    [
        (Shape(type="integer"), "3", 3),
        (Shape(type="integer"), " +3 ", 3),
        (Shape(type="integer"), "3.0", 3),
        (Shape(type="integer"), 3.0, 3),
        (Shape(type="integer"), "1,234", 1234),
        (Shape(type="number"), "-2.5e3", -2500.0),
        (Shape(type="number"), "1,234,567", 1234567),
        (Shape(type="number"), "1,234.5", 1234.5),
        (Shape(type="boolean"), "Yes", True),
        (Shape(type="boolean"), "false", False),
        (Shape(type="boolean"), 1, True),
        (Shape(type="string"), 3, "3"),
        (Shape(type="string"), True, "true"),
        (Shape(type="integer", nullable=True), "N/A", None),
        (Shape(type="integer", convertible=True), "3.0", "3"),
        (Shape(type="number", convertible=True), "1,234,567", "1234567"),
        (Shape(type="string", values=("open", "in_progress")), "Open", "open"),
        (Shape(type="string", values=("open", "in_progress")), "In Progress", "in_progress"),
        (Shape(type="string", values=("approve", "reject")), "aprove", "approve"),
        (Shape(values=(1, 2)), "2", 2),
        (Shape(type="string", values=("yes", "no")), True, "yes"),
        (Shape(type="array", items=Shape(type="string")), "one", ["one"]),
        (Shape(type="string"), ["one"], "one"),
        (ORDER, {"Customer": "Zoe", "itemName": "lamp", "QUANTITY": 3}, GOOD),
        (ORDER, {"customer": "Zoe", "item_nam": "lamp", "quantity": 3}, GOOD),
        (ORDER, {"order": GOOD}, GOOD),
        (ORDER, [GOOD], GOOD),
        (Shape(type="array", items=ORDER), {"orders": [GOOD]}, [GOOD]),
        (Shape(type="array", items=ORDER), GOOD, [GOOD]),
    ],
)
def test_it_changes_form_and_not_content(shape, value, new):
    conformed = conform(value, shape)
    assert (conformed.value, type(conformed.value)) == (new, type(new))
    assert conformed.fits
    assert conformed.edits == len(conformed.changes) > 0
    assert conformed.rules
    assert not any(len(rule) > 100 for rule in conformed.rules)


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (Shape(type="integer"), "3.5"),
        (Shape(type="integer"), "007"),
        (Shape(type="integer"), "3 kg"),
        (Shape(type="integer"), "1.234"),
        (Shape(type="integer"), "٣"),
        (Shape(type="integer"), "9" * 5000),
        (Shape(type="integer"), math.inf),
        (Shape(type="integer"), True),
        (Shape(type="integer"), None),
        (Shape(type="integer"), "N/A"),
        (Shape(type="number"), "1,234"),
        (Shape(type="number"), "1e999"),
        (Shape(type="boolean"), "maybe"),
        (Shape(type="boolean"), 2),
        (Shape(type="string"), None),
        (Shape(type="string"), {"a": 1}),
        (Shape(type="string"), ["a", "b"]),
        (Shape(type="string", values=("valid", "unknown")), "invalid"),
        (Shape(type="string", values=("allow", "deny")), "maybe"),
        (Shape(type="string", values=("import", "export")), "inport-export"),
        (Shape(type="array", items=Shape(type="string")), "a, b"),
        (Shape(type="array", items=Shape(type="string")), {"a": 1, "b": ["x"]}),
        (Shape(type="array"), "x"),
        (ORDER, {"customer": "Zoe", "item_name": "lamp"}),
        (ORDER, {"a": "x", "b": "y", "c": 1}),
        (ORDER, [GOOD, GOOD]),
        (ORDER, {"order": GOOD, "note": "x"}),
        (ORDER, "text"),
    ],
)
def test_what_has_no_sure_reading_stays_and_says_why(shape, value):
    conformed = conform(value, shape)
    assert conformed.value is value
    assert not conformed.fits
    assert conformed.reason


def test_a_key_that_is_no_text_is_no_spelling_of_one():
    assert fits({1: 2, "customer": "Zoe"}, record(field("customer"), field("note", required=False)))


def test_a_key_is_never_taken_from_one_that_exists_or_from_two():
    shape = record(field("name"), field("title", required=False))
    both = {"name": "a", "Name": "b", "Title": "c", "TITLE": "d"}
    assert conform(both, shape).value is both
    assert conform({"Name": "b", "NAME": "c"}, shape).reason


def test_what_the_code_can_do_without_is_not_guessed():
    shape = record(field("name"), field("notes", required=False))
    value = {"name": "a", "note": "b"}
    assert conform(value, shape).value is value
    assert conform({"name": "a", "Notes": "b"}, shape).value == {"name": "a", "notes": "b"}


def test_an_optional_key_may_be_null():
    shape = record(field("name"), field("age", "integer", required=False))
    value = {"name": "a", "age": None}
    assert conform(value, shape).value is value


def test_three_elements_and_it_is_another_template():
    shape = record(*(field(name) for name in ("customers", "addresses", "telephone", "quantity")))
    two = {"customrs": "a", "adresses": "b", "telephone": "c", "quantity": "d"}
    three = {"customrs": "a", "adresses": "b", "telehone": "c", "quantity": "d"}
    assert conform(two, shape).fits
    assert "3 keys" in conform(three, shape).reason
    assert conform(three, shape, tau=4).fits


def test_each_record_of_a_list_is_judged_alone():
    shape = Shape(type="array", items=ORDER)
    drifted = {"Customer": "Zoe", "itemName": "lamp", "Quantity": "3"}
    conformed = conform([drifted] * 20 + [{"customer": "x"}], shape)
    assert conformed.value[:20] == [GOOD] * 20
    assert [misfit.path for misfit in conformed.misfits] == [(20,)]
    assert 'key "Customer" -> "customer" in 20 fields' in conformed.rules


def test_changes_say_where():
    shape = record(field("rows", "array", items=ORDER))
    conformed = conform({"rows": [GOOD, {**GOOD, "quantity": "4"}]}, shape)
    assert [(c.path, c.action, c.value) for c in conformed.changes] == [
        (("rows", 1, "quantity"), "replace", 4)
    ]


@pytest.mark.parametrize(
    ("heuristic", "shape", "value"),
    [
        ("keys", ORDER, {"Customer": "Zoe", "item_name": "lamp", "quantity": 3}),
        ("wrapper", ORDER, {"order": GOOD}),
        ("types", Shape(type="integer"), "3"),
        ("values", Shape(type="string", values=("a", "b")), "A"),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, shape, value):
    assert heuristic in HEURISTICS
    assert conform(value, shape).fits
    off = conform(value, shape, uses=lambda name: name != heuristic)
    assert not off.fits
    assert off.value is value


def test_misfits_are_bounded_and_content_is_not_shown_at_length():
    conformed = conform(["x" * 100] * 1000, Shape(type="array", items=Shape(type="integer")))
    assert len(conformed.misfits) == MAX_MISFITS
    assert "x" * 41 not in conformed.reason


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        ("items", "item", True),
        ("adress", "address", True),
        ("recieve", "receive", True),
        ("enviroment", "environment", True),
        ("isvalid", "isinvalid", False),
        ("minprice", "maxprice", False),
        ("line1", "line2", False),
        ("cost", "host", False),
        ("typical", "atypical", False),
        ("id", "ids", False),
        ("enabled", "disabled", False),
        ("lengthmin", "lengthmax", False),
    ],
)
def test_slips_of_the_pen(first, second, near):
    assert is_near(first, second) is is_near(second, first) is near


def test_names_are_matched_only_where_the_pair_is_the_only_one():
    assert plain_name("Item-Name") == plain_name("item_name") == plain_name("itemName")
    assert match_names(["itemName"], ["item_name"]) == [("itemName", "item_name", False)]
    assert match_names(["itemName", "ItemName"], ["item_name"]) == []
    assert match_names(["addres"], ["address", "addresz"]) == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats()
    | st.sampled_from(["3", "yes", "1,234", "a", "Open", "", "02", "N/A"]) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["a", "A", "item", "items", "Item", "x"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
SCALARS = st.builds(
    Shape,
    type=st.sampled_from(["any", "string", "integer", "number", "boolean", "null", "date"]),
    convertible=st.booleans(),
    nullable=st.booleans(),
    values=st.sampled_from([(), (), ("open", "closed"), (1, 2), (True,), (None, "a"), (1.5,)]),
)
SHAPES = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(Shape, type=st.just("array"), items=st.none() | inner)
        | st.builds(
            Shape,
            type=st.just("object"),
            nullable=st.booleans(),
            fields=st.lists(
                st.builds(
                    Field,
                    name=st.sampled_from(["a", "item", "items", "x"]),
                    shape=inner,
                    required=st.booleans(),
                ),
                max_size=3,
                unique_by=lambda one: one.name,
            ).map(tuple),
        )
    ),
    max_leaves=5,
)


@settings(max_examples=1_000, deadline=None)
@given(VALUES, SHAPES)
def test_the_contract(value, shape):
    conformed = conform(value, shape)
    if fits(value, shape):
        assert conformed.value is value
        assert conformed.fits
    if conformed.fits:
        assert fits(conformed.value, shape)
    again = conform(conformed.value, shape)
    assert not again.changes
    assert again.fits is conformed.fits


@pytest.mark.parametrize("text", ["", " ", "none", "N/A", "a, b", "a\nb"])
def test_a_text_that_may_name_nothing_or_several_is_not_an_array_of_one(text):
    conformed = conform({"tags": text}, record(field("tags", "array", items=Shape(type="string"))))
    assert not conformed.fits
    assert not conformed.changes
    assert conformed.value == {"tags": text}


@pytest.mark.parametrize(
    ("name", "kind", "text", "new"),
    [
        ("minutes", "integer", "20 minutes", 20),
        ("for_minutes", "integer", "5m", 5),
        ("forMinutes", "integer", "20 min.", 20),
        ("minute", "integer", "20 mins", 20),
        ("hours", "number", "1.5 hrs", 1.5),
        ("nights", "integer", "3 Nights", 3),
        ("weight_kg", "number", "-2.5kg", -2.5),
        ("Protein (g)", "number", "31 g", 31),
        ("celsius", "number", "12.5 °C", 12.5),
        ("percentage", "number", "80%", 80),
        ("price_eur", "number", "€5.20", 5.2),
        ("euros", "integer", "1,200 €", 1200),
        ("price in dollars", "integer", "$5", 5),
    ],
)
def test_a_unit_that_the_name_says_is_left_out(name, kind, text, new):
    conformed = conform({name: text}, record(field(name, kind)))
    assert conformed.value == {name: new}
    assert conform(conformed.value, record(field(name, kind))).value is conformed.value


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("minutes", "integer", "2 hours"),
        ("minutes", "integer", "20-30 minutes"),
        ("minutes", "integer", "20 minutes or so"),
        ("minutes", "integer", "about 20 minutes"),
        ("minutes", "integer", "1.5 minutes"),
        ("minutes", "integer", "minutes"),
        ("minutes", "integer", "20 minutes 30 seconds"),
        ("price", "number", "$5"),
        ("rent", "integer", "5 EUR"),
        ("celsius", "number", "70 °F"),
        ("share", "number", "80%"),
        ("distance", "number", "5 m"),
        ("items", "integer", "5 s"),
        ("euros", "number", "1,200 €"),
        ("", "integer", "5 m"),
    ],
)
def test_any_other_unit_is_part_of_what_was_said(name, kind, text):
    conformed = conform({name: text}, record(field(name, kind)))
    assert conformed.value == {name: text}
    assert not conformed.fits


def test_a_unit_stays_in_a_text():
    value = {"minutes": "20 minutes"}
    assert conform(value, record(field("minutes"))).value is value


def test_wrappers_in_wrappers_are_looked_at_once_each():
    looked = []

    def uses(name):
        looked.append(name)
        return True

    value = GOOD
    for depth in range(300):
        value = {f"w{depth}": value}
    assert not conform(value, ORDER, uses=uses).fits
    assert len(looked) < 100
    done = conform({"a": {"b": {"c": GOOD}}}, ORDER)
    assert done.value == GOOD
    assert [change.path for change in done.changes] == [(), ("a",), ("a", "b")]
