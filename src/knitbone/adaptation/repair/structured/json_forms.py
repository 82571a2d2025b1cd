"""Other forms of JSON: encoded twice, without its outer braces, a single value in a fence.

Each is tried only where the answer as it stands gives no document, and is proven like any repair.

Source: Comfrey §4.3.1 (structured templates); the forms are ours, from answers of models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from knitbone.adaptation.text.wrappers.fences import json_in_block
from knitbone.common.structured.shape import Shape

__all__ = ["HEURISTICS", "JsonForm", "other_forms"]

HEURISTICS = ("structured.braces", "structured.encoded", "structured.fence")
_KEY = re.compile(r'"([^"\\\n]{1,100})"\s*:')
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class JsonForm(NamedTuple):
    """The answer read in another form."""

    text: str
    rule: str
    """The change, for people."""
    heuristic: str


def other_forms(text: str, shape: Shape) -> Iterator[JsonForm]:
    """Yield the documents that the answer may be in another form, as far as the shape allows
    one."""
    content = json_in_block(text)
    fenced = content is not None
    body = (text if content is None else content).strip()
    if not body:
        return
    is_object = shape.type == "object" or bool(shape.fields)
    is_array = shape.type == "array" or shape.items is not None
    if is_object or is_array:
        inner = _decode(body)
        if inner.startswith("{" if is_object else "["):
            yield JsonForm(inner, "encoded twice -> once", "structured.encoded")
    elif fenced and _is_single(body):
        yield JsonForm(body, "fence removed", "structured.fence")
    if (single := _with_single_braces(body)) and (is_object or is_array):
        yield JsonForm(single, "doubled braces -> single", "structured.braces")
    if is_object and (key := _KEY.match(body)) and any(f.name == key[1] for f in shape.fields):
        # What is open at the end is closed by the reader, unless it may have been cut off.
        end = "\n```" if fenced else ""  # behind it no number was cut off
        yield JsonForm("{" + body + end, "opening brace added", "structured.braces")


def _decode(body: str) -> str:
    """Return the text inside a JSON text, or inside one whose quotes are escaped; empty where it
    is none."""
    if '\\"' not in body:
        return ""
    whole = body[0] == body[-1] == '"'
    if not whole and (body[0] not in "{[" or '"' in _ESCAPE.sub("", body)):
        return ""
    inner = _value(body if whole else f'"{body}"')
    return inner.strip() if isinstance(inner, str) else ""


def _with_single_braces(body: str) -> str:
    """Return a document whose braces are all doubled, as in a template, with single ones; empty
    where it is none."""
    if "{{" not in body or any("{" in held or "}" in held for held in _TEXT.findall(body)):
        return ""
    single = body.replace("{{", "{").replace("}}", "}")
    doubled = single.replace("{", "{{").replace("}", "}}")
    return single if doubled == body and _value(single) is not _NOTHING else ""


def _is_single(body: str) -> bool:
    """Return whether a text is a number, a text or a word of JSON, and nothing else."""
    return body[0] not in "{[" and _value(body) is not _NOTHING


_NOTHING = object()


def _value(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _NOTHING
