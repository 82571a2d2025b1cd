"""The forms of a document: how a value is written, which tokens structure it, what is accepted.

A text is accepted when it parses and its value validates:

* ``json``: RFC 8259, by ``json.loads`` without NaN; of two equal keys the last one counts.
* ``python``: ``ast.literal_eval``.
* ``xml``: well-formed; below the root one element per key, each once and without elements of its
  own, and nothing else but white space. The value is a record of texts.
* ``csv``: RFC 4180, by ``csv.reader(strict=True)``; the header holds the keys, each row as many
  fields, and there is a row. The value is a list of records of texts.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import pprint
import random
import re
import warnings
import xml.etree.ElementTree as ET
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from jsonschema import Draft202012Validator

from knitbone_evals.documents.fields import Draw
from knitbone_evals.documents.shapes import SHAPES, half_of, keys_of, value_of

__all__ = ["FORMS", "Document", "Form", "Token", "accepted", "document", "same", "tokens"]

Form = Literal["json", "python", "xml", "csv"]
Target = dict[str, Any] | list[str] | str

FORMS = ("json schema", "json", "python schema", "python", "xml", "csv")
"""Syntax, and whether the target is a schema or the bare name of the format; of XML and CSV it is
the list of keys."""


class Token(NamedTuple):
    """A piece of text that bears structure."""

    at: int
    text: str
    kind: str


class Document(NamedTuple):
    """A text that its target accepts."""

    shape: str
    form: str
    text: str
    value: Any
    target: Target

    @property
    def syntax(self) -> str:
        return self.form.split()[0]

    @property
    def half(self) -> str:
        return half_of(self.shape)


class RejectedError(ValueError):
    """The target does not accept a text."""


def document(shape: str, form: str, seed: int, number: int = 0) -> Document | None:
    """A document of a shape in a form; ``None`` where the shape has no such form."""
    rng = Draw(f"{seed}/{shape}/{form}/{number}")
    syntax = form.split(maxsplit=1)[0]
    schema = SHAPES[shape].schema
    if syntax in ("xml", "csv"):
        keys = keys_of(shape)
        if keys is None:
            return None
        if syntax == "xml":
            value = _texts(value_of(shape, rng))
            return Document(shape, form, _xml(shape, value, rng), value, keys)
        rows = [_texts(value_of(shape, rng)) for _ in range(round(2 ** rng.uniform(1, 5)))]
        return Document(shape, form, _csv(keys, rows, rng), rows, keys)
    value = value_of(shape, rng)
    text = _json(value, rng) if syntax == "json" else _python(value, rng)
    return Document(shape, form, text, value, schema if form.endswith("schema") else syntax)


def accepted(text: str, form: str, target: Target) -> Any:
    """The value of a text.

    Raises:
        RejectedError: the target does not accept it.
    """
    syntax = form.split(maxsplit=1)[0]
    value = _READERS[syntax](text, target)
    if isinstance(target, dict) and not _validator(json.dumps(target)).is_valid(value):
        raise RejectedError("it does not validate")
    return value


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal; ``True`` is not 1, the order of keys is nothing."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    numbers = (int, float)
    if type(left) in numbers and type(right) in numbers:
        return left == right
    return type(left) is type(right) and left == right


# writing


def _texts(record: dict[str, Any]) -> dict[str, str]:
    return {
        key: each if isinstance(each, str) else json.dumps(each) for key, each in record.items()
    }


def _json(value: Any, rng: random.Random) -> str:
    ascii_only = rng.random() < 0.15
    style = rng.choice(["compact", "default", "two", "four", "mixed"])
    if style == "mixed":
        return _respaced(json.dumps(value, ensure_ascii=ascii_only), "json", rng)
    indent = {"two": 2, "four": 4}.get(style)
    separators = (",", ":") if style == "compact" else None
    return json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)


def _python(value: Any, rng: random.Random) -> str:
    style = rng.choice(["repr", "repr", "pretty", "mixed"])
    if style == "pretty":
        return pprint.pformat(value, width=rng.choice([60, 100]), sort_dicts=False)
    return repr(value) if style == "repr" else _respaced(repr(value), "python", rng)


def _respaced(text: str, syntax: str, rng: random.Random) -> str:
    """Other white space before and behind brackets, commas and colons."""
    pieces: list[str] = []
    place = 0
    for token in tokens(text, syntax):
        if token.kind != "quote":
            gap = ("", "", " ", " ", "\n", "\n  ", "  ")
            pieces += [text[place : token.at].strip(" "), rng.choice(gap), token.text]
            pieces.append(rng.choice(gap))
            place = token.at + 1
    return ("".join(pieces) + text[place:]).strip()


def _xml(shape: str, record: dict[str, str], rng: random.Random) -> str:
    gap = rng.choice(["", "\n", "\n  ", "\n    ", " "])
    root = shape.removesuffix("_row")
    parts = [f"<{root}"]
    for name in rng.sample(["id", "lang", "source"], rng.randint(0, 2)):
        parts.append(f" {name}={quoteattr(rng.choice(['17', 'en', 'a b', 'x&y']))}")
    parts.append(">")
    for key, each in record.items():
        cdata = "<" in each and "]]>" not in each and rng.random() < 0.4
        inner = f"<![CDATA[{each}]]>" if cdata else escape(each)
        kind = ' type="text"' if rng.random() < 0.2 else ""
        parts.append(f"{gap}<{key}{kind}>{inner}</{key}>")
    return "".join(parts) + gap.rstrip(" ") + f"</{root}>"


def _csv(keys: list[str], rows: list[dict[str, str]], rng: random.Random) -> str:
    out = io.StringIO()
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    ends = rng.choice(["\n", "\r\n"])
    writer = csv.DictWriter(out, keys, quoting=quoting, lineterminator=ends)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


# reading


def _no_constant(name: str) -> Any:
    raise RejectedError(f"{name} is not JSON")


def _read_json(text: str, _: Target) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RejectedError(str(error)) from error


def _read_python(text: str, _: Target) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise RejectedError(str(error)) from error


def _read_xml(text: str, keys: Target) -> Any:
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, ValueError) as error:
        raise RejectedError(str(error)) from error
    children = list(root)
    stray = [root.text, *(child.tail for child in children)]
    if any(each and each.strip() for each in stray):
        raise RejectedError("text between elements")
    if sorted(child.tag for child in children) != sorted(keys) or any(map(len, children)):
        raise RejectedError("other elements than the keys")
    return {child.tag: child.text or "" for child in children}


def _read_csv(text: str, keys: Target) -> Any:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise RejectedError(str(error)) from error
    if len(rows) < 2 or rows[0] != keys or any(len(row) != len(keys) for row in rows):
        raise RejectedError("the header or a row has other fields")
    return [dict(zip(keys, row, strict=True)) for row in rows[1:]]


_READERS = {"json": _read_json, "python": _read_python, "xml": _read_xml, "csv": _read_csv}


@lru_cache(maxsize=512)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


# tokens

_QUOTED = {"json": r'"(?:[^"\\]|\\.)*"', "python": r'"(?:[^"\\]|\\.)*"|' r"'(?:[^'\\]|\\.)*'"}
_KINDS = {
    "{": "brace", "}": "brace", "[": "bracket", "]": "bracket", "(": "bracket", ")": "bracket",
    ",": "comma", ":": "colon",
}  # fmt: skip
_XML = re.compile(
    r"<!\[CDATA\[.*?\]\]>|(?P<open></?)(?P<name>[\w.-]+)(?P<rest>[^<>]*)(?P<close>>)", re.DOTALL
)


def tokens(text: str, syntax: str) -> list[Token]:
    """The tokens of an accepted text that bear its structure, by place."""
    if syntax == "xml":
        return _xml_tokens(text)
    if syntax == "csv":
        return _csv_tokens(text)
    found: list[Token] = []
    for match in re.finditer(f"{_QUOTED[syntax]}|[{{}}\\[\\](),:]", text, re.DOTALL):
        piece = match[0]
        if piece in _KINDS:
            found.append(Token(match.start(), piece, _KINDS[piece]))
        else:
            found.append(Token(match.start(), piece[0], "quote"))
            found.append(Token(match.end() - 1, piece[-1], "quote"))
    return found


def _xml_tokens(text: str) -> list[Token]:
    found: list[Token] = []
    for match in _XML.finditer(text):
        if match["open"] is None:
            continue
        found.append(Token(match.start(), "<", "angle"))
        if match["open"] == "</":
            found.append(Token(match.start() + 1, "/", "slash"))
        found.append(Token(match.start("name"), match["name"], "name"))
        for each in re.finditer(r"[=\"']", match["rest"]):
            kind = "equals" if each[0] == "=" else "quote"
            found.append(Token(match.start("rest") + each.start(), each[0], kind))
        found.append(Token(match.start("close"), ">", "angle"))
    return found


def _csv_tokens(text: str) -> list[Token]:
    found: list[Token] = []
    quoted = False
    for match in re.finditer(r'"|,|\r\n|\n', text):
        if match[0] == '"':
            quoted = not quoted
            found.append(Token(match.start(), '"', "quote"))
        elif not quoted:
            kind = "delimiter" if match[0] == "," else "row end"
            found.append(Token(match.start(), match[0], kind))
    return found
