"""What an application's values hold is read without running a line of their classes."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import pathlib
import subprocess
import sys
import threading
import types
import typing
import uuid
import zoneinfo
from collections.abc import Mapping, Sequence

import attrs
import msgspec
import numpy as np
import pydantic
import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage

from knitbone.record import plain as plain_module
from knitbone.record.bounding import trim
from knitbone.record.events import ToolCall, encode_json
from knitbone.record.plain import MAX_COPIED, message_of, plain, snapshot
from knitbone.record.redaction import REDACTED, Redactor

TOUCHED: list[str] = []


def touched(*_args, **_kwargs):
    TOUCHED.append("touched")
    raise AssertionError("a value's own code ran")


SPECIAL = (
    "__getattribute__", "__getattr__", "__repr__", "__str__", "__len__", "__iter__", "__eq__",
    "__hash__", "__bool__", "__getitem__", "__contains__", "__reversed__", "__format__", "__int__",
    "__float__", "__index__", "__lt__", "__le__", "__gt__", "__ge__", "__ne__", "__call__",
)  # fmt: skip
TRAPS = dict.fromkeys(SPECIAL, touched)


class MetaTrap(type):
    __getattribute__ = touched


class Utc(dt.tzinfo):
    utcoffset = dst = tzname = touched


def trap(name, *bases, **more):
    return types.new_class(
        name, bases, {}, lambda body: body.update(TRAPS | {"__module__": __name__} | more)
    )


Trap = trap("Trap")
TrapText = trap("TrapText", str)
KeyText = trap("KeyText", str, __hash__=str.__hash__, __eq__=str.__eq__)
TrapNumber = trap("TrapNumber", int)
TrapFloat = trap("TrapFloat", float)
TrapDict = trap("TrapDict", dict, items=touched, keys=touched, values=touched, copy=touched)
TrapList = trap("TrapList", list, copy=touched)
TrapTuple = trap("TrapTuple", tuple)
TrapSet = trap("TrapSet", frozenset)
TrapMapping = trap("TrapMapping", Mapping)
TrapSequence = trap("TrapSequence", Sequence)
TrapMoment = trap("TrapMoment", dt.datetime, isoformat=touched)
Proxy = trap("Proxy", __class__=property(touched), __dict__=property(touched))
TrapMeta = MetaTrap("TrapMeta", (), {"__module__": __name__, "__slots__": ()})


class Colour(enum.Enum):
    RED = "red"
    OBJECT = Trap

    __str__ = __repr__ = touched


@dataclasses.dataclass
class Order:
    number: int
    guest: object = None
    secret: str = dataclasses.field(default="hunter2", repr=False)

    @property
    def total(self):
        return touched()


@dataclasses.dataclass(slots=True)
class Slotted:
    number: int
    guest: object = None


@dataclasses.dataclass
class Hiding:
    number: int = 1

    def __repr__(self):
        return "Hiding(...)"


@attrs.define
class Seat:
    row: int
    key: str = attrs.field(default="hunter2", repr=False)


class Guest(pydantic.BaseModel):
    model_config = {"extra": "allow"}

    name: str
    pin: pydantic.SecretStr = pydantic.SecretStr("hunter2hunter2")
    note: str = pydantic.Field("hunter2", repr=False)

    @pydantic.computed_field
    @property
    def rank(self) -> int:
        return touched()


class HidingGuest(Guest):
    def __repr_args__(self):
        return [("name", "...")]


class Table(msgspec.Struct):
    seats: int
    by: object = None


class Pair(typing.NamedTuple):
    a: int
    b: object


HERE = __name__
UTC = dt.UTC
CASES = [
    (Trap(), f"[{HERE}.Trap]"),
    (Proxy(), f"[{HERE}.Proxy]"),
    (type.__call__(TrapMeta), f"[{HERE}.TrapMeta]"),
    (Trap, f"[class {HERE}.Trap]"),
    (TrapText("text"), "text"),
    (TrapNumber(7), 7),
    (TrapFloat(1.5), 1.5),
    (TrapDict(a=1), {"a": 1}),
    (TrapList([1, 2]), [1, 2]),
    (TrapTuple([1, 2]), [1, 2]),
    (TrapSet([1]), [1]),
    (TrapMapping(), f"[{HERE}.TrapMapping]"),
    (TrapSequence(), f"[{HERE}.TrapSequence]"),
    ({KeyText("key"): 1}, {"key": 1}),
    ({(1, "a"): 1, None: 2, 3: 3}, {"1, a": 1, "None": 2, "3": 3}),
    (Colour.RED, "red"),
    (Colour.OBJECT, "OBJECT"),
    (Order(1, Trap()), {"number": 1, "guest": f"[{HERE}.Trap]"}),
    (Slotted(1), {"number": 1, "guest": None}),
    (Hiding(), f"[{HERE}.Hiding]"),
    (Seat(3), {"row": 3}),
    (Guest(name="Ada", age=3), {"name": "Ada", "pin": "[pydantic.types.SecretStr]", "age": 3}),
    (HidingGuest(name="Ada"), f"[{HERE}.HidingGuest]"),
    (Table(4, Trap()), {"seats": 4, "by": f"[{HERE}.Trap]"}),
    (Pair(1, Trap()), [1, f"[{HERE}.Trap]"]),
    (collections.OrderedDict(a=1), {"a": 1}),
    (collections.deque([1, 2]), [1, 2]),
    (collections.UserDict(a=1), {"a": 1}),
    ({"a": 1}.items(), [["a", 1]]),
    (dt.datetime(2024, 1, 2, 3, tzinfo=UTC), "2024-01-02T03:00:00+00:00"),
    (dt.datetime(2024, 1, 2, tzinfo=zoneinfo.ZoneInfo("UTC")), "2024-01-02T00:00:00+00:00"),
    (dt.datetime(2024, 1, 2, tzinfo=Utc()), f"2024-01-02T00:00:00 {HERE}.Utc"),
    (TrapMoment(2024, 1, 2), "2024-01-02T00:00:00"),
    (dt.time(3, tzinfo=Utc()), "[datetime.time]"),
    (dt.date(2024, 1, 2), "2024-01-02"),
    (decimal.Decimal("1.50"), "1.50"),
    (uuid.UUID(int=1), str(uuid.UUID(int=1))),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (b"abc", "b'abc'"),
    (types.SimpleNamespace(a=1), "[types.SimpleNamespace]"),
    ((n for n in "ab"), "[generator]"),
    (np.int64(5), 5),
    (np.float32(1.5), 1.5),
    (np.datetime64("2024-01-02"), "2024-01-02"),
    (np.longdouble(1), "[numpy.longdouble]"),
    (np.ones((1, 2)), [[1.0, 1.0]]),
    (np.zeros((2_000, 3)), "[numpy.ndarray of 2000 x 3 float64]"),
    (np.full(1, None), "[numpy.ndarray of 1 object]"),
    (ValueError("no", 3), "ValueError: ('no', 3)"),
    (ValueError(Trap()), f"ValueError: [{HERE}.Trap]"),
    (AIMessage("hi").content, "hi"),
]


@pytest.mark.parametrize(("value", "recorded"), CASES, ids=range(len(CASES)))
def test_a_value_is_read_without_running_its_code(value, recorded):
    TOUCHED.clear()
    event = Redactor().record(ToolCall(id="1", name="t", result={"it": value, "beside": 1}))
    assert not TOUCHED
    assert event.result == {"it": recorded, "beside": 1}


@pytest.mark.parametrize(("value", "recorded"), CASES, ids=range(len(CASES)))
def test_neither_is_it_run_where_the_record_is_too_large(value, recorded):
    TOUCHED.clear()
    trim({"it": value, "much": ["x" * 1_000] * 1_000}, 10_000)
    assert not TOUCHED


def test_documents_and_messages_of_langchain_are_read_by_their_fields():
    document = plain(Document(page_content="Inn", metadata={"source": "a"}))
    assert document["page_content"] == "Inn"
    assert document["metadata"] == {"source": "a"}
    assert plain(AIMessage("hello"))["content"] == "hello"


def test_a_table_is_its_columns_and_the_first_of_its_rows(monkeypatch):
    pandas = pytest.importorskip("pandas")
    guests = pandas.DataFrame({"guest": ["Ada", Trap()], "seats": [1, 2]})
    table = Redactor().value(guests)
    rows = [["Ada", 1], [f"[{HERE}.Trap]", 2]]
    assert table == {"columns": ["guest", "seats"], "rows": rows}
    rows = plain(pandas.DataFrame({"n": range(5_000)}))["rows"]
    assert rows[-1] == "[4,000 of 5,000 rows not recorded]"
    assert plain(pandas.NaT) is None
    assert plain(pandas.Series([1, 2])) == [1, 2]
    assert Redactor().value(pandas.Timestamp("2024-01-02")) == "2024-01-02T00:00:00"


def test_no_library_is_loaded_to_read_a_value():
    script = (
        "import sys; from knitbone.record.plain import plain; plain(object()); print(*sys.modules)"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    ).stdout.split()
    assert not {"numpy", "pandas", "pydantic", "attrs"} & set(loaded)


def test_a_secret_by_name_is_one_whatever_holds_it():
    held = {"password": TrapText("hunter2"), "api_key": Colour.RED, "token": 1}
    made = Redactor().value({"login": Order(1, held)})
    assert made["login"]["guest"] == {"password": REDACTED, "api_key": REDACTED, "token": 1}


def test_a_value_that_another_thread_writes_to_is_recorded_all_the_same():
    shared: dict[str, int] = {}
    done = threading.Event()

    def write():
        while not done.is_set():
            for number in range(2_000):
                shared[str(number)] = number
            shared.clear()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        for _ in range(300):
            Redactor().value({"it": shared, "items": shared.items()})
    finally:
        done.set()
        writer.join(10)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no"), "no"),
        (KeyError("no"), "'no'"),
        (KeyError(Trap()), f"[{HERE}.Trap]"),
        (ValueError("no", Trap()), f"(no, [{HERE}.Trap])"),
        (ValueError(Order(1)), "{'number': 1, 'guest': None}"),
        (ValueError({"code": 3}), "{'code': 3}"),
        (OSError(2, "No such file", "a.txt"), "[Errno 2] No such file: 'a.txt'"),
        (ValueError(), ""),
    ],
)
def test_what_an_exception_says_asks_no_object_of_the_application(error, said):
    TOUCHED.clear()
    assert message_of(error) == said
    assert not TOUCHED


def test_an_exception_that_prints_itself_and_fails_is_named():
    class Broken(Exception):
        def __str__(self):
            raise RuntimeError

    assert message_of(Broken()) == "[its text cannot be made: RuntimeError]"


def test_json_of_an_event_asks_no_value_for_its_repr():
    TOUCHED.clear()
    encoded = encode_json(ToolCall(id="1", name="t", arguments={"who": Trap()}))
    assert not TOUCHED
    assert f"[{HERE}.Trap]".encode() in encoded


def test_a_snapshot_does_not_change_with_what_it_was_taken_of():
    given = {"lines": ["a", "b"], "by": Order(1, ["x"]), "deep": {"in": [{"n": 1}]}}
    taken = snapshot(given)
    given["lines"].clear()
    given["by"].guest.clear()
    given["deep"]["in"][0]["n"] = 2
    given.clear()
    held = {"number": 1, "guest": ["x"]}
    assert taken == {"lines": ["a", "b"], "by": held, "deep": {"in": [{"n": 1}]}}


@pytest.mark.parametrize("many", [[[1]] * 300_000, {n: [1] for n in range(300_000)}])
def test_what_a_snapshot_shares_is_not_looked_at(many, monkeypatch):
    looks = []
    monkeypatch.setattr(plain_module, "plain", lambda value: looks.append(1) or value)
    assert snapshot(many) == many
    assert len(looks) < 3 * MAX_COPIED


def test_a_snapshot_of_any_size_and_shape_is_bounded():
    circle: list[object] = []
    circle += [circle, circle]
    snapshot(circle)
    many = [[n] for n in range(MAX_COPIED * 2)]
    assert snapshot({"many": many, "n": 1}) == {"many": many, "n": 1}
    assert snapshot({"trap": Trap()}) == {"trap": f"[{HERE}.Trap]"}
