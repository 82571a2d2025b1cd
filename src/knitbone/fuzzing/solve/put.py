"""Arguments for which a term has a wanted value: each operation knows how to go back.

``put`` proposes; nothing it yields is certain. Whoever asks computes the term again.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import csv
import datetime as dt
import io
import json
import math
import re
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.core.events import Json
from knitbone.fuzzing.solve.evaluate import FailedError, Point, UndefinedError, fill
from knitbone.fuzzing.trace.terms import Path, Term

__all__ = ["put"]

Inputs = dict[str, Json]
_DEPTH = 40
_FEW = 4
_MOST = 2_000
"""Items or characters that a value is made to have."""


def put(term: Any, value: Any, point: Point, depth: int = 0) -> Iterator[Inputs]:
    """Arguments for which ``term`` should be worth ``value``, near those of ``point``."""
    if type(term) is not Term or depth > _DEPTH:
        return
    if term.op == "input":
        made = _with(point.inputs, term.args[0], value)
        if made is not None:
            yield made
        return
    step = _STEPS.get(term.op) or _METHOD_STEPS.get(term.op.rpartition(".")[2])
    if step is None:
        return
    try:
        yield from _follow(step, term, value, point, depth)
    except Exception:  # noqa: BLE001 - no way back: any value can be asked of any operation
        return


def _follow(step: Step, term: Term, value: Any, point: Point, depth: int) -> Iterator[Inputs]:
    for index, wanted in step(_View(term, point), value):
        if index < len(term.args) and type(term.args[index]) is Term:
            yield from put(term.args[index], wanted, point, depth + 1)


def _with(inputs: Any, path: Path, value: Any) -> Any:
    """The arguments with another value at a place; ``None`` where it is no JSON."""
    value = _as_json(value)
    if value is _NOT_JSON:
        return None
    made: Any = dict(inputs) if isinstance(inputs, dict) else inputs
    holder, key = made, path[0]
    for step in path[1:]:
        # What lies on the way is copied, the rest is shared.
        inner = copy.copy(holder[key])
        holder[key] = inner
        holder, key = inner, step
    try:
        if isinstance(holder, list) and isinstance(key, int) and key >= len(cast("Any", holder)):
            return None
        holder[key] = value
    except (LookupError, TypeError):
        return None
    return made


_NOT_JSON = object()


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        items = [_as_json(item) for item in cast("Any", value)]
        return _NOT_JSON if any(item is _NOT_JSON for item in items) else items
    if isinstance(value, dict):
        made = {str(k): _as_json(v) for k, v in cast("Any", value).items()}
        return _NOT_JSON if any(item is _NOT_JSON for item in made.values()) else made
    return _NOT_JSON


class _View:
    """A term and what its parts are worth now."""

    def __init__(self, term: Term, point: Point) -> None:
        self.term = term
        self._point = point

    def __getitem__(self, index: int) -> Any:
        return self._point.value(self.term.args[index])

    def __len__(self) -> int:
        return len(self.term.args)

    def is_term(self, index: int) -> bool:
        return index < len(self.term.args) and type(self.term.args[index]) is Term

    @property
    def now(self) -> Any:
        return self._point.value(self.term)


Changes = Iterator[tuple[int, Any]]
"""Which part should be worth what."""
Step = Callable[[_View, Any], Changes]


# -- numbers ----------------------------------------------------------------------------------


def _whole(value: Any) -> Any:
    """A float without a fraction as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _add(view: _View, value: Any) -> Changes:
    if isinstance(value, str):
        if view.is_term(0):
            other = view[1]
            yield 0, value[: -len(other)] if other and value.endswith(other) else value
        if view.is_term(1):
            yield 1, value.removeprefix(view[0])
        return
    if view.is_term(0):
        yield 0, value - view[1]
    if view.is_term(1):
        yield 1, value - view[0]


def _sub(view: _View, value: Any) -> Changes:
    if view.is_term(0):
        yield 0, view[1] + value
    if view.is_term(1):
        yield 1, view[0] - value


def _mul(view: _View, value: Any) -> Changes:
    for mine, other in ((0, 1), (1, 0)):
        if view.is_term(mine):
            factor = view[other]
            if isinstance(value, str) and isinstance(factor, int):
                yield mine, value
            elif factor:
                exact = isinstance(value, int) and isinstance(factor, int) and value % factor == 0
                yield mine, value // factor if exact else value / factor
            elif not value:
                yield mine, view[mine]


def _truediv(view: _View, value: Any) -> Changes:
    if view.is_term(0):
        yield 0, _whole(value * view[1])
    if view.is_term(1) and value:
        yield 1, _whole(view[0] / value)


def _floordiv(view: _View, value: Any) -> Changes:
    if view.is_term(0):
        yield 0, value * view[1]
        yield 0, value * view[1] + abs(view[1]) - 1
    if view.is_term(1) and value:
        yield 1, view[0] // value


def _mod(view: _View, value: Any) -> Changes:
    left, right = view[0], view[1]
    if isinstance(left, str):
        return
    if view.is_term(0) and right:
        base = left - left % right + value
        for times in (0, 1, -1, 2, 5, 10, 100):
            yield 0, base + times * right
        yield 0, value
    if view.is_term(1) and left > value:
        yield 1, left - value


def _power(view: _View, value: Any) -> Changes:
    if view.is_term(0) and view[1]:
        root = abs(value) ** (1 / view[1])
        yield 0, round(root) if isinstance(view[0], int) else root
    if view.is_term(1) and view[0] > 1 and value > 0:
        yield 1, round(math.log(value, view[0]))


def _negative(view: _View, value: Any) -> Changes:
    yield 0, -value


def _absolute(view: _View, value: Any) -> Changes:
    now = view[0]
    yield 0, -value if now < 0 else value
    yield 0, value if now < 0 else -value


def _to_int(view: _View, value: Any) -> Changes:
    now = view[0]
    if isinstance(now, str):
        base = view[1] if len(view) > 1 else 10
        text = str(value) if base == 10 else {2: bin, 8: oct, 16: hex}[base](value)
        digits = now.strip().lstrip("+-")
        if digits.isdigit() and len(str(abs(value))) <= len(digits):
            sign = "-" if value < 0 else ""
            yield 0, sign + str(abs(value)).zfill(len(digits))
        yield 0, text
    else:
        yield 0, float(value) if isinstance(now, float) else value


def _to_float(view: _View, value: Any) -> Changes:
    now = view[0]
    if isinstance(now, str):
        yield 0, str(_whole(float(value)))
        yield 0, repr(float(value))
    else:
        yield 0, _whole(value) if isinstance(now, int) else value


def _to_text(view: _View, value: Any) -> Changes:
    now = view[0]
    if isinstance(now, bool):
        return
    if isinstance(now, int):
        yield 0, int(value)
    elif isinstance(now, float):
        yield 0, float(value)
    else:
        yield 0, value


def _same(view: _View, value: Any) -> Changes:
    """What leaves a value as it is, where nothing speaks against it."""
    yield 0, value


def _root(view: _View, value: Any) -> Changes:
    yield 0, value * value


def _sum(view: _View, value: Any) -> Changes:
    items = list(view[0])
    if not items:
        yield 0, [value]
        return
    short = value - sum(items)
    for index in (len(items) - 1, 0):
        made = list(items)
        made[index] = _whole(made[index] + short)
        yield 0, made


# -- texts and lists --------------------------------------------------------------------------


def _length(view: _View, value: Any) -> Changes:
    yield 0, _resized(view[0], value)


def _resized(now: Any, length: int) -> Any:
    if not 0 <= length <= _MOST:
        raise ValueError
    if isinstance(now, str):
        return now[:length] if length <= len(now) else now + (now[-1:] or "a") * (length - len(now))
    if isinstance(now, bytes):
        return now[:length].ljust(length, b"a")
    if isinstance(now, dict):
        held = cast("dict[Any, Any]", now)
        made = dict(list(held.items())[:length])
        filler = next(iter(held.values()), "a")
        for number in range(length - len(made)):
            made[f"k{number}"] = filler
        return made
    items = list(now)
    filler = copy.deepcopy(items[-1]) if items else ""
    return items[:length] + [copy.deepcopy(filler) for _ in range(length - len(items))]


def _item(view: _View, value: Any) -> Changes:
    if view.is_term(0):
        now, key = view[0], view[1]
        if isinstance(now, re.Match):
            yield 0, (key, value)
            return
        yield 0, _replaced(now, key, value)
    if view.is_term(1):
        holder = view[0]
        keys = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, held in list(keys)[:200]:
            if type(held) is type(value) and held == value:
                yield 1, key


def _replaced(now: Any, key: Any, value: Any) -> Any:
    if isinstance(now, dict):
        return {**cast("dict[Any, Any]", now), key: value}
    if isinstance(now, str):
        characters = list(now)
        if isinstance(key, slice):
            if key.step not in (None, 1):
                raise ValueError
            start, stop, _ = key.indices(len(now))
            return now[:start] + value + now[max(stop, start) :]
        while key >= len(characters):
            characters.append("a")
        characters[key] = value
        return "".join(characters)
    items = list(now)
    if isinstance(key, slice):
        items[key] = value
        return items
    while key >= len(items):
        items.append(copy.deepcopy(items[-1]) if items else value)
    items[key] = value
    return items


def _of_match(view: _View, value: Any) -> Changes:
    """``match.group(n)``; the match itself is put as (group, text)."""
    yield 0, (view[1] if len(view) > 1 else 0, value)


def _of_groups(view: _View, value: Any) -> Changes:
    """``match.groups()`` and ``groupdict()``: the parts that are to change."""
    now = view.now
    keys = now if isinstance(now, dict) else range(len(now))
    for key in keys:
        if now[key] != value[key]:
            yield 0, (key if isinstance(key, str) else key + 1, value[key])
            return


def _match(view: _View, value: Any) -> Changes:
    """The text of a match, with a group exchanged."""
    group, text = value
    found = view.now
    if isinstance(found, list):  # finditer
        raise TypeError
    start, end = found.span(group)
    whole = view[1]
    if start >= 0:
        yield 1, whole[:start] + text + whole[end:]


def _matches(view: _View, value: Any) -> Changes:
    """``findall`` and ``finditer``: put back where they were found."""
    flags = view[2] if len(view) > 2 else 0
    text, found = view[1], list(re.finditer(view[0], view[1], flags))
    made, end = "", 0
    for match, wanted in zip(found, value, strict=False):
        shown = wanted if isinstance(wanted, str) else match.group()
        group = 1 if match.re.groups == 1 else 0
        start, stop = match.span(group)
        made += text[end:start] + shown
        end = stop
    yield 1, made + text[end:]
    if len(value) != len(found):
        texts = [item if isinstance(item, str) else str(item) for item in value]
        yield 1, " ".join(texts)
        if found:
            yield 1, " ".join([found[0].group()] * len(value))


def _substituted(view: _View, value: Any) -> Changes:
    yield 2, value


def _split(view: _View, value: Any) -> Changes:
    separator = view[1] if len(view) > 1 and not view.term.names else None
    if not isinstance(separator, str):
        separator = "\n" if view.term.op.endswith("splitlines") else " "
    yield 0, separator.join(value)


def _split_by_expression(view: _View, value: Any) -> Changes:
    found = re.search(view[0], view[1])
    between = found.group() if found else ","
    yield 1, between.join(text or "" for text in value)


def _partition(view: _View, value: Any) -> Changes:
    separator = view[1]
    parts = list(value)
    if parts[2] or parts[0] or parts[1]:
        yield 0, parts[0] + separator + parts[2]
        yield 0, "".join(parts)


def _joined(view: _View, value: Any) -> Changes:
    separator = view[0]
    yield 1, value.split(separator) if separator else list(value)


def _pieces(view: _View, value: Any) -> Changes:
    """An f-string: what stands around the one part that is not known is taken away."""
    for index in range(len(view)):
        if view.is_term(index):
            before = "".join(str(view[i]) for i in range(index))
            after = "".join(str(view[i]) for i in range(index + 1, len(view)))
            if value.startswith(before) and value.endswith(after):
                wanted = value[len(before) : len(value) - len(after)]
                now = view[index]
                yield index, int(wanted) if isinstance(now, int) else wanted


def _without_prefix(view: _View, value: Any) -> Changes:
    now = view[0]
    yield 0, view[1] + value if now.startswith(view[1]) else value


def _without_suffix(view: _View, value: Any) -> Changes:
    now = view[0]
    yield 0, value + view[1] if now.endswith(view[1]) else value


def _stripped(view: _View, value: Any) -> Changes:
    now, inner = view[0], view.now
    start = now.find(inner) if inner else -1
    if start >= 0:
        yield 0, now[:start] + value + now[start + len(inner) :]
    yield 0, value


def _position(view: _View, value: Any) -> Changes:
    if isinstance(view[0], list | tuple):
        yield 1, view[0][value]
    elif 0 <= value <= _MOST:
        yield 0, "a" * value + view[1]


def _count(view: _View, value: Any) -> Changes:
    part = view[1]
    if 0 <= value <= _MOST and isinstance(part, str):
        rest = view[0].replace(part, "")
        yield 0, rest + part * value
        yield 0, part.join([rest or "a", *["a"] * value])


def _encode(view: _View, value: Any) -> Changes:
    yield 0, value.decode("utf-8")


def _decode(view: _View, value: Any) -> Changes:
    yield 0, value.encode("utf-8")


def _ordinal(view: _View, value: Any) -> Changes:
    yield 0, chr(value)


def _character(view: _View, value: Any) -> Changes:
    yield 0, ord(value)


def _any_item(view: _View, value: Any) -> Changes:
    """A list that the code put together: one of the items that are to change."""
    for index, wanted in enumerate(value):
        if index >= len(view):
            return
        if view.is_term(index) and (type(view[index]) is not type(wanted) or view[index] != wanted):
            yield index, wanted


def _any_member(view: _View, value: Any) -> Changes:
    """A set that the code put together: an item that should not be in it becomes one that may."""
    for index in range(len(view)):
        if view.is_term(index) and view[index] not in value:
            for member in sorted(value, key=repr)[:_FEW]:
                yield index, member
            return


def _any_value(view: _View, value: Any) -> Changes:
    for index, key in enumerate(view[0]):
        if key in value and view.is_term(index + 1) and view[index + 1] != value[key]:
            yield index + 1, value[key]


def _each(view: _View, value: Any) -> Changes:
    """Items made alike from those of a list: as many of them, and each with its wanted value."""
    items = list(view[0])
    template = fill(view.term.args[1])
    made = _resized(items, len(value))
    for index, wanted in enumerate(value):
        point = Point({"hole": made[index]})
        with contextlib.suppress(FailedError, UndefinedError):
            now = point.value(template)
            if type(now) is type(wanted) and now == wanted:
                continue
        found = next(put(template, wanted, point), None)
        if found is not None:
            made[index] = found["hole"]
    yield 0, made


def _second(view: _View, value: Any) -> Changes:
    yield 1, value


# -- documents --------------------------------------------------------------------------------


def _json(view: _View, value: Any) -> Changes:
    yield 0, json.dumps(value)


def _lines(view: _View, value: Any) -> Changes:
    yield 0, "".join(line if line.endswith("\n") else line + "\n" for line in value)


def _rows(view: _View, value: Any) -> Changes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if value and isinstance(value[0], dict):
        names = list(dict.fromkeys(name for row in value for name in row if name is not None))
        writer.writerow(names)
        writer.writerows([["" if r.get(n) is None else r[n] for n in names] for r in value])
    else:
        writer.writerows(value)
    yield 0, buffer.getvalue().splitlines(keepends=True)


def _url(view: _View, value: Any) -> Changes:
    yield 0, value.geturl()


def _query(view: _View, value: Any) -> Changes:
    yield 0, urllib.parse.urlencode(value, doseq=True)


def _base64(view: _View, value: Any) -> Changes:
    yield 0, base64.b64encode(value).decode()


def _hex(view: _View, value: Any) -> Changes:
    yield 0, value.hex()


def _shown(view: _View, value: Any) -> Changes:
    yield 0, str(value)


def _xml_text(view: _View, value: Any) -> Changes:
    yield 0, ET.tostring(value, encoding="unicode")


def _xml_part(view: _View, value: Any) -> Changes:
    """An element below one: exchanged for another, or put there."""
    root = copy.deepcopy(view[0])
    found = root.find(view[1])
    if found is None:
        parent = root
        for name in str(view[1]).split("/"):
            if re.fullmatch(r"\w+", name):
                parent = ET.SubElement(parent, name)
        found = parent
        if value is None:
            return
    if value is None:
        for parent in root.iter():
            if found in list(parent):
                parent.remove(found)
    elif isinstance(value, str):
        found.text = value
    else:
        found.text, found.attrib = value.text, dict(value.attrib)
        found[:] = list(value)
    yield 0, root


def _xml_parts(view: _View, value: Any) -> Changes:
    """The elements that ``findall`` or ``iter`` gives: exchanged, doubled or taken out."""
    root = copy.deepcopy(view[0])
    method = view.term.op.rpartition(".")[2]
    found = list(getattr(root, method)(*[view[i] for i in range(1, len(view))]))
    for old, new in zip(found, value, strict=False):
        old.text, old.attrib = new.text, dict(new.attrib)
        old[:] = list(new)
    for parent in root.iter():
        for old in found[len(value) :]:
            if old in list(parent):
                parent.remove(old)
        if found and found[-1] in list(parent):
            parent.extend(copy.deepcopy(new) for new in value[len(found) :])
            break
    yield 0, root


def _xml_attribute(view: _View, value: Any) -> Changes:
    now = copy.deepcopy(view[0])
    if value is None:
        now.attrib.pop(view[1], None)
    else:
        now.set(view[1], value)
    yield 0, now


# -- dates ------------------------------------------------------------------------------------


def _attribute(view: _View, value: Any) -> Changes:
    now, name = view[0], view[1]
    if isinstance(now, dt.timedelta):
        yield 0, now + dt.timedelta(**{name: value - getattr(now, name)})
    elif isinstance(now, dt.date | dt.time):
        try:
            yield 0, now.replace(**{name: value})
        except ValueError:
            yield 0, cast("Any", now).replace(**{name: value, "day": 1})
    elif isinstance(now, urllib.parse.ParseResult | urllib.parse.SplitResult):
        yield 0, _other_url(now, name, value)
    else:
        yield 0, value


def _other_url(now: Any, name: str, value: Any) -> Any:
    if name in ("hostname", "port", "username", "password"):
        port = value if name == "port" else now.port
        host = value if name == "hostname" else now.hostname or "example.com"
        return now._replace(netloc=host if port is None else f"{host}:{port}")
    return now._replace(**{name: value})


def _parsed_date(view: _View, value: Any) -> Changes:
    yield 0, value.strftime(view[1])


def _iso(view: _View, value: Any) -> Changes:
    now = view[0]
    text = value.isoformat()
    yield 0, text[: len(now)] if isinstance(now, str) and len(now) in (10, 16) else text
    yield 0, text


def _date_parts(view: _View, value: Any) -> Changes:
    names = view.term.names or ("year", "month", "day", "hour", "minute", "second")
    first = len(view) - len(view.term.names)
    for index in range(len(view)):
        name = view.term.names[index - first] if index >= first else names[index]
        if view.is_term(index) and getattr(value, name) != view[index]:
            yield index, getattr(value, name)


def _duration_parts(view: _View, value: Any) -> Changes:
    names = view.term.names or ("days", "seconds")
    units = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
    for index, name in enumerate(names):
        if view.is_term(index) and name in units:
            yield index, _whole(value.total_seconds() / units[name])


def _weekday(view: _View, value: Any) -> Changes:
    for weeks in (0, 1):
        yield 0, view[0] + dt.timedelta(days=value - view.now + 7 * weeks)


def _calendar_week(view: _View, value: Any) -> Changes:
    for year in (value[0], 2020, 2026, 2032, 2024):
        with contextlib.suppress(ValueError):
            yield 0, dt.date.fromisocalendar(year, value[1], value[2])


def _date_of(view: _View, value: Any) -> Changes:
    now = view[0]
    yield 0, now.replace(year=value.year, month=value.month, day=value.day)


def _seconds(view: _View, value: Any) -> Changes:
    yield 0, dt.timedelta(seconds=value)


def _formatted_date(view: _View, value: Any) -> Changes:
    made = dt.datetime.strptime(value, view[1])  # noqa: DTZ007 - as the tool's own
    yield 0, made.date() if type(view[0]) is dt.date else made


_STEPS: dict[str, Step] = {
    "operator.add": _add, "operator.sub": _sub, "operator.mul": _mul, "operator.mod": _mod,
    "operator.truediv": _truediv, "operator.floordiv": _floordiv, "pow": _power,
    "operator.neg": _negative, "operator.pos": _same, "abs": _absolute, "math.fabs": _absolute,
    "int": _to_int, "float": _to_float, "str": _to_text, "round": _same, "math.floor": _same,
    "math.ceil": _same, "math.trunc": _same, "math.sqrt": _root, "math.isqrt": _root,
    "decimal.Decimal": _shown, "fractions.Fraction": _shown, "sum": _sum, "bool": _same,
    "len": _length, "operator.getitem": _item, "unpack": _same, "items": _same, "each": _each,
    "set": _any_member, "frozenset": _any_member, "list": _any_item, "tuple": _any_item, "dict": _any_value, "join": _pieces, "member": _second,
    "format": _to_text, "ord": _ordinal, "chr": _character, "splitlines": _lines,
    "re.match": _match, "re.search": _match, "re.fullmatch": _match, "re.findall": _matches,
    "re.finditer": _matches, "re.sub": _substituted, "re.split": _split_by_expression,
    ".Match.group": _of_match, ".Match.groups": _of_groups, ".Match.groupdict": _of_groups,
    "json.loads": _json, "xml.fromstring": _xml_text, ".Element.find": _xml_part,
    ".Element.findtext": _xml_part, ".Element.findall": _xml_parts, ".Element.iter": _xml_parts,
    ".Element.get": _xml_attribute, "csv.reader": _rows, "csv.DictReader": _rows,
    "urllib.parse.urlparse": _url, "urllib.parse.urlsplit": _url, "urllib.parse.parse_qs": _query,
    "urllib.parse.parse_qsl": _query, "urllib.parse.unquote": _same, "html.unescape": _same,
    "base64.b64decode": _base64, "bytes.fromhex": _hex, "binascii.unhexlify": _hex,
    "ipaddress.ip_address": _shown, "ipaddress.IPv4Address": _shown, "uuid.UUID": _shown,
    "getattr": _attribute, "datetime.datetime.strptime": _parsed_date,
    "datetime.date.fromisoformat": _iso, "datetime.datetime.fromisoformat": _iso,
    "datetime.time.fromisoformat": _iso, "datetime.date": _date_parts,
    "datetime.datetime": _date_parts, "datetime.timedelta": _duration_parts,
    "unicodedata.normalize": _second, "textwrap.dedent": _same, "shlex.split": _split,
    "posixpath.basename": _same, "posixpath.normpath": _same,
}  # fmt: skip
_METHOD_STEPS: dict[str, Step] = {
    "split": _split, "rsplit": _split, "splitlines": _split, "partition": _partition,
    "rpartition": _partition, "join": _joined, "strip": _stripped, "lstrip": _stripped,
    "rstrip": _stripped, "removeprefix": _without_prefix, "removesuffix": _without_suffix,
    "find": _position, "index": _position, "rfind": _position, "rindex": _position,
    "count": _count, "encode": _encode, "decode": _decode, "date": _date_of,
    "isocalendar": _calendar_week, "weekday": _weekday, "isoweekday": _weekday, "total_seconds": _seconds,
    "strftime": _formatted_date, "isoformat": _shown,
    **dict.fromkeys(
        ("lower", "upper", "title", "casefold", "capitalize", "swapcase", "replace", "zfill",
         "ljust", "rjust", "center", "expandtabs", "translate", "copy", "bit_length", "quantize"),
        _same,
    ),
}  # fmt: skip
"""Methods by their bare name: what text and bytes share."""
