"""Back through CSV, XML, URLs and what has attributes: the document is written again."""

from __future__ import annotations

import copy
import csv
import datetime as dt
import io
import ipaddress
import pathlib
import re
import urllib.parse
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.solve.inverse.view import Changes, Step, TermView

__all__ = ["STEPS"]


def _rows(view: TermView, value: Any) -> Changes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n", **_dialect(view))
    if value and isinstance(value[0], dict):
        names = list(dict.fromkeys(name for row in value for name in row if name is not None))
        writer.writerow(names)
        writer.writerows([["" if r.get(n) is None else r[n] for n in names] for r in value])
    else:
        writer.writerows(value)
    yield 0, buffer.getvalue().splitlines(keepends=True)


def _dialect(view: TermView) -> dict[str, Any]:
    """The options that the reader was given by name, and the writer takes as well."""
    names = view.term.names
    first = len(view) - len(names)
    return {name: view[first + n] for n, name in enumerate(names) if name in _DIALECT}


_DIALECT = ("delimiter", "quotechar", "escapechar", "quoting", "doublequote", "dialect")
"""Of CSV."""


def _shown(_: TermView, value: Any) -> Changes:
    yield 0, str(value)


def _url(_: TermView, value: Any) -> Changes:
    yield 0, value.geturl()


def _xml_text(view: TermView, value: Any) -> Changes:
    encoding = "us-ascii" if isinstance(view[0], bytes) else "unicode"
    yield 0, ET.tostring(value, encoding=encoding)


def _xml_part(view: TermView, value: Any) -> Changes:
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


def _xml_parts(view: TermView, value: Any) -> Changes:
    """The elements that ``findall`` or ``iter`` gives: exchanged, doubled or taken out."""
    root = copy.deepcopy(view[0])
    method = view.term.op.rpartition(".")[2]
    found = list(getattr(root, method)(*[view[i] for i in range(1, len(view))]))
    if not found and value:
        yield 0, _with_element(root, str(view[1]) if len(view) > 1 else "x")
        return
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


def _with_element(root: Any, path: str) -> Any:
    """The document with an element where a path of plain names leads."""
    parent = root
    for name in path.removeprefix(".//").split("/"):
        if re.fullmatch(r"\w+", name):
            parent = ET.SubElement(parent, name)
    return root


def _xml_attribute(view: TermView, value: Any) -> Changes:
    now = copy.deepcopy(view[0])
    if value is None:
        now.attrib.pop(view[1], None)
    else:
        now.set(view[1], value)
    yield 0, now


def _attribute(view: TermView, value: Any) -> Changes:
    now, name = view[0], view[1]
    if isinstance(now, ET.Element):
        made: Any = copy.deepcopy(cast("Any", now))
        setattr(made, name, value)
        yield 0, made
    elif isinstance(now, dt.timedelta):
        yield 0, now + dt.timedelta(**{name: value - getattr(now, name)})
    elif isinstance(now, dt.date | dt.time):
        try:
            yield 0, now.replace(**{name: value})
        except ValueError:
            yield 0, cast("Any", now).replace(**{name: value, "day": 1})
    elif isinstance(now, ipaddress.IPv4Network | ipaddress.IPv6Network):
        length = now.max_prefixlen - (value - 1).bit_length() if name == "num_addresses" else value
        yield 0, now.supernet(new_prefix=0) if length == 0 else _network(now, length)
    elif isinstance(now, pathlib.PurePath):
        change = {"suffix": now.with_suffix, "name": now.with_name}.get(name)
        if change is not None:
            yield 0, change(value)
        elif name == "stem":
            yield 0, now.with_name(value + now.suffix)
    elif isinstance(now, urllib.parse.ParseResult | urllib.parse.SplitResult):
        yield 0, _other_url(now, name, value)
    else:
        yield 0, value


def _network(now: Any, length: int) -> Any:
    """The network of another length around the same address."""
    return ipaddress.ip_network(f"{now.network_address}/{length}", strict=False)


def _other_url(now: Any, name: str, value: Any) -> Any:
    if name in ("hostname", "port", "username", "password"):
        port = value if name == "port" else now.port
        host = value if name == "hostname" else now.hostname or "example.com"
        return now._replace(netloc=host if port is None else f"{host}:{port}")
    return now._replace(**{name: value})


STEPS: dict[str, Step] = {
    "csv.reader": _rows, "csv.DictReader": _rows,
    "xml.fromstring": _xml_text, ".Element.find": _xml_part, ".Element.findtext": _xml_part,
    ".Element.findall": _xml_parts, ".Element.iter": _xml_parts, ".Element.get": _xml_attribute,
    "urllib.parse.urlparse": _url, "urllib.parse.urlsplit": _url,
    "ipaddress.ip_address": _shown, "ipaddress.IPv4Address": _shown,
    "ipaddress.ip_network": _shown, "ipaddress.IPv4Network": _shown,
    "ipaddress.IPv6Address": _shown, "ipaddress.ip_interface": _shown,
    "uuid.UUID": _shown, "pathlib.Path": _shown, "pathlib.PurePath": _shown, "getattr": _attribute,
}  # fmt: skip
