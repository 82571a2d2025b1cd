from __future__ import annotations

import json

import pytest
from recorded_logs import SEATS, answer, call

from knitbone.tethering.diagnosis.behaviour import FIELDS, REPETITIONS, behaviour_of
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.provenance import MAX_VALUES, ValueOrigin, kind_of
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes


def behaviour(messages):
    run = import_bytes(json.dumps(messages).encode(), path="x")[0].run
    return behaviour_of(build_graph(build_units(run)))


def said(text):
    return {"role": "user", "content": text}


def conversation(noun, key, value, place):
    return [
        said(f"please look after {value} at {place}"),
        call(f"get_{noun}", {key: value}),
        answer(f"get_{noun}", {f"{key}_state": "open", "seat": 4711}),
        call(f"update_{noun}", {key: value, "seat": 4711, "where": place}),
        answer(f"update_{noun}", {"ok": True}),
    ]


def test_names_of_tools_arguments_and_values_do_not_pass():
    one = behaviour(conversation("ticket", "code", "AB-12", "Lisbon"))
    other = behaviour(conversation("parcel", "mark", "QX-77", "Athens"))
    assert one == other


def test_another_verb_is_another_family():
    one = behaviour([said("hello 4711"), call("get_seat", {"n": 4711}), answer("get_seat", {})])
    other = behaviour([said("hello 4711"), call("buy_seat", {"n": 4711}), answer("buy_seat", {})])
    family = list(FIELDS).index("family")
    assert FIELDS["family"][one.units[0].fields[family]] == "read"
    assert FIELDS["family"][other.units[0].fields[family]] == "write"


def origins(messages):
    return [v.origin for unit in behaviour(messages).units for v in unit.values]


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("AB-12", ValueOrigin(place="message", position=0)),
        (4711, ValueOrigin(place="result", position=0)),
        ("blue whale", ValueOrigin(place="result", position=0, agreement=2)),
        ("ZZ-99", ValueOrigin(place="nowhere")),
        (True, ValueOrigin(place="nowhere")),
    ],
)
def test_a_value_is_traced_to_where_it_had_been(value, origin):
    messages = [
        said("look after AB-12"),
        call("get_thing", {}),
        answer("get_thing", {"seat": 4711, "note": "they saw a blue whale there"}),
        call("update_thing", {"seat": value}),
        answer("update_thing", {}),
    ]
    assert origins(messages) == [origin]


def test_a_value_under_another_name_is_told_apart():
    messages = [
        said("look after it"),
        call("get_thing", {}),
        answer("get_thing", {"seat": 4711}),
        call("update_thing", {"row": 4711}),
        answer("update_thing", {}),
    ]
    assert origins(messages) == [ValueOrigin(place="result", position=0, agreement=1)]


def repetitions(messages):
    return [REPETITIONS[unit.repetition] for unit in behaviour(messages).units]


def test_a_repeated_call_says_whether_anything_changed_since():
    look = [call("get_seat", {"n": 4711}), answer("get_seat", {"free": "yes"})]
    change = [call("buy_seat", {"n": 4711}), answer("buy_seat", {"sold": "yes"})]
    failed = [call("get_seat", {"n": 4711}), answer("get_seat", "Error: no connection")]
    hello = [said("buy 4711")]
    assert repetitions(hello + look + look)[-1] == "nothing changed"
    assert repetitions(hello + look + change + look)[-1] == "after a change"
    assert repetitions(hello + failed + look)[-1] == "after a failure"
    assert repetitions(hello + look + change)[-1] == "first of its tool"


def test_what_a_message_told_is_pending_until_a_call_passes_it():
    units = behaviour(
        [
            said("book AB-12 and CD-34"),
            call("book_seat", {"code": "AB-12"}),
            answer("book_seat", {}),
            call("book_seat", {"code": "CD-34"}),
            answer("book_seat", {}),
        ]
    ).units
    assert units[0].pending > units[1].pending
    assert units[0].settled < units[1].settled


def test_a_bulk_of_values_is_followed_up_to_a_limit():
    messages = [said("go"), call("add_rows", {"rows": list(range(1000, 3000))})]
    assert len(behaviour(messages).units[0].values) == MAX_VALUES


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "empty"), (True, "boolean"), (7, "digit"), (4711, "integer"), (98.7, "decimal"),
        ("2024-05-01", "date"), ("AB12", "code"), ("Lisbon", "word"), ("a/b.txt", "path"),
        ("x@y.org", "address"), ("two words", "phrase"), ("one " * 9, "text"),
    ],
)  # fmt: skip
def test_kinds_of_values(value, kind):
    assert kind_of(value) == kind


def test_a_run_without_tool_calls_is_mapped():
    units = behaviour([said("hello"), {"role": "assistant", "content": "Order 4711 is late."}])
    assert units.units[0].values
    assert behaviour(SEATS).messages


@pytest.mark.parametrize(
    "result",
    [
        "\n -" * 200_000,
        "a: " * 300_000,
        "[" * 100_000,
        '{"a":' * 50_000,
        "9" * 1_000_000,
        '{"n": ' + "9" * 5_000 + "}",
        "\ud800 \x00 \x1b[2J",
        "x" * 5_000_000,
    ],
    ids=lambda result: repr(result[:8]),
)
def test_hostile_answers_are_mapped_in_linear_time(result):
    """A pattern that backtracks over 200,000 lines would not come back."""
    units = behaviour(
        [
            said("go"),
            call("get_thing", {"n": 4711}),
            answer("get_thing", result),
            call("update_thing", {"text": result, "n": 4711}),
            answer("update_thing", result),
        ]
    ).units
    assert len(units) == 2
