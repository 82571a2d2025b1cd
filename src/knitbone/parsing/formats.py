"""The notations that ``knitbone.repair`` reads, and which of them a text is in.

Source: ours.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any, NamedTuple, Protocol

from knitbone.parsing.csv_grammar import CsvSearch, delimiter_of, header_of, parse_csv
from knitbone.parsing.decision import Grammar, Judge, TargetVerdict
from knitbone.parsing.json_grammar import JsonSearch, doubt_of_texts
from knitbone.parsing.json_values import parse_json, parse_python
from knitbone.parsing.schema import JsonSchema
from knitbone.parsing.search import PlaceSchema
from knitbone.parsing.targets import RepairTarget
from knitbone.parsing.xml_grammar import XmlSearch
from knitbone.parsing.xml_values import parse_xml

__all__ = ["FENCE", "DocumentFormat", "TextJudge", "columns_of", "format_of", "recognised"]

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.\-]*)[^\n`]*$", re.MULTILINE)


class DocumentFormat(NamedTuple):
    """A notation, made ready for a text and what is wanted."""

    name: str
    grammar: Grammar
    judge: Judge
    delimiter: str = ","
    """Of delimited text: what stands between cells."""


class TextJudge:
    """What is wanted of a notation whose values are texts: they are read as the types that the
    target names, which is no change.

    Args:
        named: whether keys are spelt as they are wanted by now: the grammar sees to it.
    """

    def __init__(
        self, target: RepairTarget, schema: JsonSchema | None, *, named: bool = False
    ) -> None:
        self._named = named
        self._target = target
        self._schema = schema
        self.slot: PlaceSchema | None = schema.slot if schema is not None else None

    def judge(self, value: Any, text: str) -> TargetVerdict | str:
        """Accept a value, with the changes that this takes, or say why not."""
        del text
        if self._schema is None:
            return TargetVerdict(value, 0.0)
        if self._schema.accepts(value):
            changed, cost, changes = value, 0.0, ()
        else:
            fit = self._schema.conform(value)
            if fit is None or (self._named and any(one.action == "rename" for one in fit[2])):
                return self._schema.reason(value)
            changed, cost, changes = fit
            changes = tuple(
                one for one in changes if one.element or one.action not in ("replace", "quote")
            )
            cost = cost if changes else 0.0
        if not self._target.loads:
            return TargetVerdict(changed, cost, changes, changed)
        try:
            return TargetVerdict(self._target.loaded(json.dumps(changed)), cost, changes, changed)
        except ValueError as error:
            return " ".join(str(error).split())[:300]


def _json(target: RepairTarget, text: str) -> DocumentFormat:
    del text
    return DocumentFormat(
        "json", Grammar(JsonSearch, partial(parse_json, strict=True), doubt=doubt_of_texts), target
    )


def _python(target: RepairTarget, text: str) -> DocumentFormat:
    del text
    return DocumentFormat(
        "python",
        Grammar(partial(JsonSearch, python=True), parse_python, doubt=doubt_of_texts),
        target,
    )


def _record(keys: tuple[str, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key: {"type": "string"} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }


def _xml(target: RepairTarget, text: str) -> DocumentFormat:
    del text
    schema = target.schema
    if target.keys:
        record = _record(target.keys)
        schema = JsonSchema({"anyOf": [record, {"type": "array", "items": record}]})
    judge = TextJudge(target, schema)
    parse = partial(parse_xml, slot=judge.slot)
    return DocumentFormat("xml", Grammar(XmlSearch, parse, is_settled=False), judge)


def _csv(target: RepairTarget, text: str) -> DocumentFormat:
    keys = columns_of(target)
    schema = target.schema
    if target.keys:
        schema = JsonSchema({"type": "array", "items": _record(target.keys), "minItems": 1})
    delimiter = delimiter_of(text, keys)
    search = partial(CsvSearch, delimiter=delimiter, keys=target.keys)
    return DocumentFormat(
        "csv",
        Grammar(search, partial(parse_csv, delimiter=delimiter), "\r\n", is_settled=False),
        TextJudge(target, schema, named=True),
        delimiter=delimiter,
    )


class _Maker(Protocol):
    def __call__(self, target: RepairTarget, text: str) -> DocumentFormat: ...


_MAKERS: dict[str, _Maker] = {"json": _json, "python": _python, "xml": _xml, "csv": _csv}


def format_of(name: str, target: RepairTarget, text: str) -> DocumentFormat:
    """The notation of this name, for a text and what is wanted."""
    return _MAKERS[name](target, text)


def columns_of(target: RepairTarget) -> tuple[str, ...]:
    """The keys of a record that is wanted."""
    if target.keys or target.slot is None:
        return target.keys
    slot = target.slot.items if target.slot.items is not None else target.slot
    return tuple(slot.keys)


_TAGS: dict[str, str] = {
    "py": "python",
    "yml": "yaml",
    "html": "xml",
    "tsv": "csv",
    "ndjson": "jsonl",
}
_SAID = ("json", "python", "xml", "csv", "yaml", "toml", "jsonl")
_JSON_AHEAD = re.compile(r"(?:<[^<>]{0,200}>\s*)*[\[{]")
_JSON_WITHIN = re.compile(r"^[ \t]*[\[{]\s{0,200}(?:[\[{\"']|$|\w+\s*:)", re.MULTILINE)


def recognised(text: str, target: RepairTarget) -> str:
    """The name of the notation of a text, where the target does not say it."""
    fence = FENCE.search(text)
    body = text
    if fence is not None and text.lstrip()[:1] not in ("{", "[", "<"):
        tag = fence[2].lower()
        body = text[fence.end() :]
        tag = _TAGS.get(tag, tag)
        if tag in ("yaml", "toml", "jsonl") and target.schema is None:
            return tag
        if tag in ("xml", "csv", "json", "python") and (target.schema is None or tag != "python"):
            return tag
    bare = body.lstrip("\ufeff \t\r\n")
    keys = columns_of(target)
    if not keys:
        return "xml" if bare[:1] == "<" and not _JSON_AHEAD.match(bare) else "json"
    if bare[:1] not in ("{", "["):
        tags = {key for key in keys if re.search(rf"</?{re.escape(key)}[\s>/]", body)}
        if tags and (bare[:1] == "<" or 2 * len(tags) >= len(keys)) and not _JSON_AHEAD.match(bare):
            return "xml"
        if not _JSON_WITHIN.search(body) and header_of(body, keys) is not None:
            return "csv"
    return "json"
