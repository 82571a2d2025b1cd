"""Runs of an agent with tools, made of chance: values that are shown in one place and one spelling
and used in another, errors that are mended or not, laps of any length, calls that never ran.

``simulated(seed)`` is one run as a file of chat messages would hold it; the same seed gives the
same run.
"""

from __future__ import annotations

import calendar
import json
import random
import urllib.parse
from collections.abc import Callable
from typing import Any

from knitbone.record.events import Run
from knitbone.tethering.interchange.importers import import_bytes

__all__ = ["PLACES", "SPELLINGS", "VALUES", "messages_with", "run_of", "simulated"]

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _digits(choose: random.Random, count: int) -> str:
    return str(choose.randint(10 ** (count - 1), 10**count - 1))


def _letters(choose: random.Random, count: int) -> str:
    return "".join(choose.choices("ABCDEFGHJKLMNPQRSTUVWXYZ", k=count))


VALUES: dict[str, Callable[[random.Random], str]] = {
    "order": lambda c: f"{_letters(c, c.randint(1, 4))}{_digits(c, c.randint(3, 7))}",
    "dashed": lambda c: f"{_letters(c, 3)}-{_digits(c, 4)}-{_letters(c, 2)}{_digits(c, 2)}",
    "mixed": lambda c: f"{_digits(c, 1)}{_letters(c, 2)}{_digits(c, 3)}{_letters(c, 1)}",
    "iban": lambda c: f"NO{_digits(c, 2)} {_digits(c, 4)} {_digits(c, 4)} {_digits(c, 3)}",
    "phone": lambda c: f"+44 20 {_digits(c, 4)} {_digits(c, 4)}",
    "user": lambda c: f"{c.choice(['mia', 'leo', 'ana'])}_{c.choice(['li', 'oz'])}_{_digits(c, 4)}",
    "mail": lambda c: f"{c.choice(['kim', 'bo'])}.berg{_digits(c, 3)}@example.com",
    "path": lambda c: f"/srv/data/report_{_digits(c, 5)}.csv",
    "uuid": lambda c: "-".join(f"{c.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12)),
    "amount": lambda c: f"{c.randint(1_000, 99_999)}",
    "price": lambda c: f"{c.randint(100, 9_999)}.{c.randint(10, 99)}",
    "date": lambda c: f"{c.randint(2020, 2029)}-{c.randint(1, 12):02}-{c.randint(1, 28):02}",
}


def _grouped(value: str) -> str:
    plain = value.replace(" ", "")
    return " ".join(plain[k : k + 4] for k in range(0, len(plain), 4))


def _thousands(sign: str) -> Callable[[str], str]:
    def spelled(value: str) -> str:
        whole, point, rest = value.partition(".")
        if not whole.isdigit():
            return value
        other = "," if sign == "." else "."
        return f"{int(whole):,}".replace(",", sign) + (other + rest if point else "")

    return spelled


def _date(form: str) -> Callable[[str], str]:
    def spelled(value: str) -> str:
        parts = value.split("-")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            return value
        year, month, day = map(int, parts)
        return form.format(
            y=year, m=month, d=day, name=calendar.month_name[month], short=year % 100
        )

    return spelled


def _spoken(value: str) -> str:
    return " ".join(_ONES[int(char)] if char.isdigit() else char for char in value)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower": str.lower,
    "upper": str.upper,
    "without signs": lambda v: v if "." in v else "".join(c for c in v if c.isalnum()),
    "spaced": lambda v: " ".join(v.replace("-", " ").replace("_", " ").split()),
    "hyphens": lambda v: "-".join(v.replace("_", " ").split()),
    "in groups": lambda v: v if "." in v or "/" in v else _grouped(v),
    "number sign": lambda v: f"#{v}",
    "id prefix": lambda v: f"id:{v}",
    "quoted": lambda v: f"'{v}'",
    "bracketed": lambda v: f"[{v}]({v})",
    "url": lambda v: "https://example.com/x?v=" + urllib.parse.quote(v, safe=""),
    "escaped": lambda v: json.dumps({"text": f"\n{v}\t"}),
    "full width": lambda v: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in v),
    "currency": lambda v: f"€{v}" if v.replace(".", "").isdigit() else v,
    "unit": lambda v: f"{v}kg" if v.replace(".", "").isdigit() else v,
    "commas": _thousands(","),
    "points": _thousands("."),
    "thin": _thousands("'"),
    "day first": _date("{d}.{m}.{y}"),
    "month first": _date("{m}/{d}/{short:02}"),
    "long date": _date("{name} {d}, {y}"),
    "spoken": lambda v: _spoken(v) if v.isdigit() else v,
    "leading zeros": lambda v: f"000{v}" if v.isdigit() else v,
}


def _call(name: str, arguments: Any, identifier: str) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": text}
    call = {"id": identifier, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _answer(content: Any, identifier: str) -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content)
    return {"role": "tool", "tool_call_id": identifier, "content": text}


PLACES: dict[str, Callable[[str], tuple[dict[str, Any], list[dict[str, Any]]]]] = {
    "request": lambda s: ({}, [{"role": "user", "content": f"It is about {s}, please."}]),
    "parts": lambda s: ({}, [{"role": "user", "content": [
        {"type": "text", "text": "See here:"}, {"type": "text", "text": f"this is {s}."}]}]),
    "system": lambda s: ({}, [{"role": "system", "content": f"The desk uses {s} for all."}]),
    "tool": lambda s: ({"tools": [{"type": "function", "function": {
        "name": "set_entry", "description": f"Sets an entry, such as {s}.",
        "parameters": {"type": "object", "properties": {}}}}]}, []),
    "result": lambda s: ({}, [_call("look_up", {}, "p1"), _answer({"found": {"it": s}}, "p1")]),
    "text result": lambda s: ({}, [_call("look_up", {}, "p1"), _answer(f"Found: {s}.", "p1")]),
    "key": lambda s: ({}, [_call("look_up", {}, "p1"), _answer({s: {"name": "Kim"}}, "p1")]),
    "list": lambda s: ({}, [_call("look_up", {}, "p1"), _answer([["a", s], []], "p1")]),
    "argument": lambda s: ({}, [_call("look_up", {"q": s}, "p1"), _answer("nothing", "p1")]),
    "words": lambda s: ({}, [{"role": "assistant", "content": f"Shall I take {s}?"},
                             {"role": "user", "content": "Yes."}]),
}  # fmt: skip
"""Where a text is shown: what it adds to the file, and to the messages before it is used."""


def messages_with(place: str, shown: str, used: str) -> dict[str, Any]:
    """A file in which a text is shown in a place, and a value used after it in a change."""
    more, before = PLACES[place](shown)
    messages = [{"role": "user", "content": "Set the entry of Kim, please."}, *before]
    messages += [_call("set_entry", {"person": "Kim", "entry": used}, "u"), _answer("set", "u")]
    messages += [{"role": "assistant", "content": "It is set."}]
    return {"messages": messages, **more}


def run_of(file: dict[str, Any], success: bool | None) -> Run:
    """The run that a file holds, with a verdict or without."""
    verdict = {} if success is None else {"success": success}
    return import_bytes(json.dumps(file | verdict).encode(), path="x.json")[0].run


def simulated(seed: int) -> Run:
    """One run of 2 to 60 calls."""
    choose = random.Random(seed)
    shown = [VALUES[choose.choice([*VALUES])](choose) for _ in range(4)]
    task = "Tidy up: " + ", ".join(_spelled(choose, value) for value in shown[:2]) + "."
    messages = [{"role": "user", "content": task}]
    for number in range(choose.randint(1, 8)):
        messages += choose.choice(_SCENES)(choose, shown, f"s{number}")
    if choose.random() < 0.7:
        said = choose.choice(["All is done.", "I have booked it.", "I could not do it.", "Bye."])
        messages.append({"role": "assistant", "content": said})
    return run_of({"messages": messages}, choose.choice([None, None, True, False]))


def _spelled(choose: random.Random, value: str) -> str:
    return SPELLINGS[choose.choice([*SPELLINGS])](value)


def _look(choose: random.Random, shown: list[str], key: str) -> list[dict[str, Any]]:
    told = {"found": [_spelled(choose, value) for value in shown]}
    return [_call("find_entry", {"name": "Kim"}, key), _answer(told, key)]


def _use(choose: random.Random, shown: list[str], key: str) -> list[dict[str, Any]]:
    value = choose.choice([*shown, VALUES[choose.choice([*VALUES])](choose)])
    return [_call("book_entry", {"entry": value}, key), _answer({"done": True}, key)]


def _fail(choose: random.Random, shown: list[str], key: str) -> list[dict[str, Any]]:
    tool = choose.choice(["book_entry", "get_page", "run_report"])
    error = choose.choice(["Error: it is taken", "TypeError: missing argument 'day'"])
    times = choose.choice([1, 1, 2, 3, 5])
    found: list[dict[str, Any]] = []
    for k in range(times):
        found += [_call(tool, {"entry": shown[0]}, f"{key}.{k}"), _answer(error, f"{key}.{k}")]
    if choose.random() < 0.4:
        found += [_call(tool, {"entry": shown[1]}, key), _answer({"done": True}, key)]
    return found


def _laps(choose: random.Random, shown: list[str], key: str) -> list[dict[str, Any]]:
    del shown
    length, laps, changing = choose.randint(1, 10), choose.randint(1, 5), choose.random() < 0.3
    found: list[dict[str, Any]] = []
    for k in range(length * laps):
        place = k % length
        result = f"lines {place}0 to {place}9 of a.py" + (f", read {k} times" if changing else "")
        found += [_call("view_file", {"first": place}, f"{key}.{k}"), _answer(result, f"{key}.{k}")]
    return found


def _never_ran(choose: random.Random, shown: list[str], key: str) -> list[dict[str, Any]]:
    asked = _call("delete_entry", {"entry": shown[0]}, key)
    return [asked] if choose.random() < 0.5 else [asked, _answer("Tool call was rejected.", key)]


_SCENES = (_look, _use, _fail, _laps, _never_ran)
