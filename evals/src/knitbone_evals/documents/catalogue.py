"""Named faults, as people list them for what models write in place of JSON.

Each is a generator over the documents of the shapes: a document as pieces goes in, and the faulty
text comes out, or ``None`` where the fault does not apply. The document is what is intended, but for
``REFUSALS``: there data are missing or contradict each other, and a refusal is right.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from knitbone_evals.documents.fields import SCALAR, Draw, size
from knitbone_evals.documents.forms import RejectedError, accepted
from knitbone_evals.documents.shapes import SHAPES, names_of, value_of

__all__ = ["DRAWS", "FAULTS", "REFUSALS", "REFUSE", "NamedCase", "named_cases"]

DRAWS = 10
LARGEST = 4_000
"""Bytes of a document as compact JSON."""
REFUSE = object()
"""What is wanted where the value cannot be known."""

_PIECE = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<text>"(?:[^"\\]|\\.)*")|(?P<space>\s+)'
    r"|(?P<number>-?\d[\d.eE+-]*)|(?P<word>true|false|null)|(?P<sign>[\[\]{},:])"
)
Change = Callable[[str], str | None]


class Pieces:
    """A JSON text, piece by piece."""

    def __init__(self, value: Any, other: Any, rng: random.Random, indent: int | None) -> None:
        self.value, self.other, self.rng = value, other, rng
        self.text = json.dumps(value, ensure_ascii=False, indent=indent)
        self.pieces = [(str(m.lastgroup), m[0]) for m in _PIECE.finditer(self.text)]

    def all(self, kinds: str, change: Change) -> str | None:
        """Change all pieces of the kinds (a kind, or a sign itself) that can be changed."""
        return self._changed(self._places(kinds, change))

    def one(self, kinds: str, change: Change) -> str | None:
        """Change one of them."""
        places = self._places(kinds, change)
        return self._changed(dict([self.rng.choice(list(places.items()))])) if places else None

    def at(self, pattern: str, new: str | Change, *, every: bool = False) -> str | None:
        """Change pieces that are surrounded as a pattern says; one of them, or every.

        The pattern is one over a string with one letter a piece: the signs themselves, ``k`` a key,
        ``t`` a text, ``n`` a number, ``w`` a word, ``_`` white space; what its group 1 matches
        becomes ``new``.
        """
        letters = "".join(
            "_" if kind == "space" else text if kind == "sign" else kind[0]
            for kind, text in self.pieces
        )
        spans = [match.span(1) for match in re.finditer(pattern, letters)]
        texts = [text for _, text in self.pieces]
        picked = spans if every or not spans else [self.rng.choice(spans)]
        for low, high in reversed(picked):
            made = new if isinstance(new, str) else new("".join(texts[low:high]))
            if made is None:
                return None
            texts[low:high] = [made]
        return "".join(texts) if picked else None

    def _places(self, kinds: str, change: Change) -> dict[int, str]:
        wanted = kinds.split()
        return {
            place: new
            for place, (kind, text) in enumerate(self.pieces)
            if (kind in wanted or (kind == "sign" and text in wanted))
            and (new := change(text)) is not None
            and new != text
        }

    def _changed(self, places: dict[int, str]) -> str | None:
        texts = [places.get(place, text) for place, (_, text) in enumerate(self.pieces)]
        return "".join(texts) if places else None


def _chatter(p: Pieces) -> str:
    return p.rng.choice([
        "Sure! Here's the JSON you asked for:", "Here is the result, as requested:",
        "Of course. I've filled in all fields, e.g. the name:", "Antwort:", "以下是结果:",
        "I couldn't verify everything, but this is my best guess.", "Output:", "**Result**",
    ])  # fmt: skip


def _closing(p: Pieces) -> str:
    return p.rng.choice([
        "Let me know if you need anything else!", "Note: prices don't include VAT.", "I hope this helps.",
        "Would you like me to change the \"name\" field?", "(Source: internal wiki, p. 3)", "---",
    ])  # fmt: skip


def _single(text: str) -> str:
    return (
        "'"
        + json.loads(text)
        .replace("\\", "\\\\")
        .replace("'", "\\'")
        .replace("\n", "\\n")
        .replace("\t", "\\t")
        + "'"
    )


def _between(left: str, right: str) -> Change:
    return lambda text: left + text[1:-1] + right


def _if(test: str, new: Callable[[str], str]) -> Change:
    """Change what a pattern matches in full."""
    return lambda text: new(text) if re.fullmatch(test, text, re.DOTALL) else None


def _inside(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Change:
    """Change what is found within quotes."""
    return lambda text: text[0] + re.sub(pattern, new, text[1:-1]) + text[-1]


def _lines(p: Pieces, change: Change) -> str | None:
    return "\n".join(map(str, map(change, p.text.split("\n")))) if "\n" in p.text else None


def _long(test: str) -> str:
    return f"-?[1-9]{test}"


def _grouped(separator: str) -> Change:
    return _if(
        _long(r"\d{3,}(\.\d+)?"),
        lambda text: (
            re.sub(r"\d(?=(\d{3})+(?!\d))", lambda m: m[0] + separator, text.partition(".")[0])
            + "".join(text.partition(".")[1:])
        ),
    )


def _camel(key: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), key)


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda match: "_" + match[1].lower(), key)


def _fence(language: str = "json", fence: str = "```") -> Callable[[Pieces], str]:
    return lambda p: f"{fence}{language}\n{p.text}\n{fence}"


def _split(glue: str) -> Change:
    """A text of two words or more in two strings."""
    return _if(r'"[^"\\]{3,} [^"\\]{3,}"', lambda text: text.replace(" ", f' "{glue}"', 1))


def _item(p: Pieces) -> str | None:
    """What is between the brackets of a list of two or more."""
    listed = isinstance(p.value, list) and len(p.value) > 1
    return p.text.strip()[1:-1].strip() if listed else None


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _without_member(p: Pieces) -> str | None:
    if not isinstance(p.value, dict) or len(p.value) < 2:
        return None
    lost = p.rng.choice(list(p.value))
    return _dumped({key: each for key, each in p.value.items() if key != lost})


_WORD = r'"[A-Za-z][\w-]*"'
_NO_COMMA = r'"[^\W\d][^",:{}\[\]\\]*[^\W\d]"'
_INNER = r'".*[^\\]\\".*"'
_FULL_WIDTH = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}
_CLOSERS = r"((?:_?[}\]])+_?)$"

Fault = Callable[[Pieces], str | None]

FAULTS: dict[str, Fault] = {
    # around the document
    "fence": _fence(), "fence without language": _fence(""), "fence in capitals": _fence("JSON"),
    "fence of tildes": _fence("json", "~~~"), "fence of four": _fence("json", "````"),
    "fence of another language": lambda p: _fence(p.rng.choice(["python", "javascript", "xml", "yaml", "text"]))(p),
    "fence unclosed": lambda p: f"```json\n{p.text}", "fence unopened": lambda p: f"{p.text}\n```",
    "fence nested": lambda p: f"```markdown\n```json\n{p.text}\n```\n```",
    "fence on one line": lambda p: f"```json {p.text} ```", "code span": lambda p: f"`{_dumped(p.value)}`",
    "fence and chatter": lambda p: f"{_chatter(p)}\n\n{_fence()(p)}\n\n{_closing(p)}",
    "chatter before": lambda p: f"{_chatter(p)}\n{p.text}", "chatter behind": lambda p: f"{p.text}\n\n{_closing(p)}",
    "chatter around": lambda p: f"{_chatter(p)}\n\n{p.text}\n\n{_closing(p)}",
    "chatter with brackets": lambda p: f"The {{requested}} object [1]:\n{p.text}\n[1] see above {{sic}}",
    "chatter with an empty object": lambda p: f"An empty answer would be {{}}. Mine:\n{p.text}",
    "thinking": lambda p: f"<think>\nThe user wants {{\"a\": 1}}-like JSON, let's go.\n</think>\n{p.text}",
    "tag": lambda p: f"<{(t := p.rng.choice(['json', 'answer', 'output']))}>\n{p.text}\n</{t}>",
    "language name": lambda p: f"json\n{p.text}", "label": lambda p: f"JSON: {p.text}",
    "log prefix": lambda p: f"2024-05-01 12:30:01,123 INFO [worker-3] response: {_dumped(p.value)}",
    "assignment": lambda p: f"{p.rng.choice(['const data', 'var x', 'result', 'let answer'])} = {p.text};",
    "module": lambda p: f"export default {p.text};", "return": lambda p: f"return {p.text};",
    "JSONP": lambda p: f"callback({p.text});", "function call": lambda p: f"JSON.parse({p.text})",
    "print": lambda p: f"print({p.text})", "parentheses": lambda p: f"({p.text})",
    "byte order mark": lambda p: f"\ufeff{p.text}", "semicolon at the end": lambda p: f"{p.text};",
    "no-break spaces": lambda p: p.all("space", lambda text: text.replace(" ", "\u00a0")),
    "zero-width space": lambda p: p.all(",", lambda text: text + "\u200b"),
    "quoted lines": lambda p: _lines(p, lambda line: f"> {line}"),
    "diff": lambda p: _lines(p, lambda line: f"+{line}"),
    "numbered lines": lambda p: "\n".join(f"{n:>3} | {line}" for n, line in enumerate(p.text.split("\n"), 1)) if "\n" in p.text else None,
    "doubled document": lambda p: f"{p.text}\n{p.text}",
    "doubled in fences": lambda p: f"{_fence()(p)}\n\nOr, compact:\n\n```\n{_dumped(p.value)}\n```",
    "wrapped in a list": lambda p: None if isinstance(p.value, list) else f"[{p.text}]",
    "wrapped in a key": lambda p: f'{{"{p.rng.choice(["result", "data", "output", "response"])}": {p.text}}}',
    "JSON string": lambda p: _dumped(_dumped(p.value)), "JSON string, twice": lambda p: _dumped(_dumped(_dumped(p.value))),
    "escaped quotes": lambda p: p.all("key text", lambda text: _dumped(text)[1:-1]),
    "escaped key quotes": lambda p: p.all("key", lambda text: _dumped(text)[1:-1]),
    "HTML entities": lambda p: html.escape(p.text, quote=True), "HTML quotes": lambda p: p.all("key text", _between("&quot;", "&quot;")),
    "byte string": lambda p: repr(_dumped(p.value).encode()) if _dumped(p.value).isascii() else None,
    "extra closer": lambda p: p.text + p.text[-1], "many extra closers": lambda p: p.text + "]}}",
    "extra opener": lambda p: p.text[0] + p.text, "newline for lists": lambda p: "\n".join(map(_dumped, p.value)) if _item(p) else None,
    "list without brackets": _item,
    "bullets": lambda p: "\n".join(f"- {_dumped(each)}" for each in p.value) if _item(p) else None,
    # commas and colons
    "trailing comma in object": lambda p: p.at(r"[^{_]()_?\}", ","), "trailing comma in list": lambda p: p.at(r"[^\[_]()_?\]", ","),
    "trailing commas": lambda p: p.at(r"[^{\[_,:]()_?[}\]]", ",", every=True),
    "comma at the end": lambda p: p.text + ",", "double comma": lambda p: p.at("(,)", ",,"), "leading comma": lambda p: p.at(r"[{\[]()_?[kt{n]", ","),
    "missing comma between members": lambda p: p.at("(,)_k", ""), "missing comma between texts": lambda p: p.at("t(,)_t", ""),
    "missing comma between objects": lambda p: p.at(r"\}(,)_\{", ""), "missing commas": lambda p: p.all(",", lambda _: "") if "\n" in p.text else None,
    "newlines for commas": lambda p: p.all(",", lambda _: "\n"), "semicolon for comma": lambda p: p.one(",", lambda _: ";"), "semicolons for commas": lambda p: p.all(",", lambda _: ";"),
    "full-width comma": lambda p: p.all(",", lambda _: "\uff0c"), "full-width colon": lambda p: p.all(":", lambda _: "\uff1a"),
    "ideographic comma": lambda p: p.all(",", lambda _: "、"), "period for comma": lambda p: p.at("(,)_k", "."),
    "missing colon": lambda p: p.at("k(:)", ""), "missing colons": lambda p: p.all(":", lambda _: ""), "double colon": lambda p: p.one(":", lambda _: "::"),
    "equals for colon": lambda p: p.all(":", lambda _: " ="), "one equals for colon": lambda p: p.one(":", lambda _: " ="),
    "arrow for colon": lambda p: p.all(":", lambda _: " =>"), "thin arrow for colon": lambda p: p.one(":", lambda _: " ->"), "walrus for colon": lambda p: p.one(":", lambda _: " :="),
    "comma for colon": lambda p: p.one(":", lambda _: ","), "colon for comma": lambda p: p.at("(,)_k", ":"),
    # comments
    "line comment": lambda p: p.at(r"(,)_", ", // the user's id") if "\n" in p.text else None, "comment before": lambda p: f"// generated, don't edit\n{p.text}",
    "block comment": lambda p: p.one(",", lambda _: ", /* see {docs}, \"a\": 1 */"), "hash comment": lambda p: p.at(r"(,)_", ", # it's optional") if "\n" in p.text else None,
    "HTML comment": lambda p: p.one(",", lambda _: ", <!-- note -->"), "Lua comment": lambda p: p.at(r"(,)_", ", -- note") if "\n" in p.text else None,
    "remark in parentheses": lambda p: p.at(r"t(,)_k", " (estimated),"), "commented member": lambda p: p.at(r"(,)_k", ",\n// \"old\": 12,\n"),
    # quotes
    "single quotes": lambda p: p.all("key text", _single), "single quotes of keys": lambda p: p.all("key", _single), "one single-quoted text": lambda p: p.one("text", _single),
    "single quotes with bare apostrophes": lambda p: p.all("key text", _between("'", "'")) if "'" in p.text else None,
    "typographic quotes": lambda p: p.all("key text", _between("“", "”")), "one typographic pair": lambda p: p.one("key text", _between("“", "”")),
    "typographic single quotes": lambda p: p.all("key text", _between("‘", "’")), "low quotes": lambda p: p.all("key text", _between("„", "“")),
    "guillemets": lambda p: p.all("key text", _between("«", "»")), "backticks": lambda p: p.all("key text", _between("`", "`")), "corner brackets": lambda p: p.all("key text", _between("「", "」")),
    "grave and apostrophe": lambda p: p.one("key text", _between("`", "'")), "one typographic quote": lambda p: p.one("key text", _between('"', "”")),
    "doubled quotes": lambda p: p.all("key text", _between('""', '""')), "triple quotes": lambda p: p.one("text", _between('"""', '"""')),
    "quotes in quotes": lambda p: p.all("key", _between("\"'", "'\"")),
    "key without opening quote": lambda p: p.one("key", lambda text: text[1:]), "key without closing quote": lambda p: p.one("key", lambda text: text[:-1]),
    "keys without quotes": lambda p: p.all("key", _if(_WORD, lambda text: text[1:-1])), "key without quotes": lambda p: p.one("key", _if(_WORD, lambda text: text[1:-1])),
    "text without closing quote": lambda p: p.one("text", lambda text: text[:-1]), "text without opening quote": lambda p: p.one("text", lambda text: text[1:]),
    "word without quotes": lambda p: p.one("text", _if(_WORD, lambda text: text[1:-1])), "words without quotes": lambda p: p.all("text", _if(_WORD, lambda text: text[1:-1])),
    "sentence without quotes": lambda p: p.one("text", _if(_NO_COMMA, lambda text: text[1:-1])), "nothing quoted": lambda p: p.all("key text", _if(_NO_COMMA, lambda text: text[1:-1])),
    "date without quotes": lambda p: p.one("text", _if(r'"\d{4}-\d\d-\d\d[T\d:.Z+]*"', lambda text: text[1:-1])),
    "inner quotes": lambda p: p.one("text", _if(_INNER, lambda text: text.replace('\\"', '"'))), "all inner quotes": lambda p: p.all("text", _if(_INNER, lambda text: text.replace('\\"', '"'))),
    "one inner quote": lambda p: p.one("text", _if(_INNER, lambda text: text.replace('\\"', '"', 1))),
    "inner quotes over-escaped": lambda p: p.one("text", _if(_INNER, lambda text: text.replace('\\"', '\\\\"'))),
    "raw newline": lambda p: p.one("text", _inside(r"\\n", "\n")), "raw newlines and tabs": lambda p: p.all("text", _inside(r"\\[nt]", lambda m: {"\\n": "\n", "\\t": "\t"}[m[0]])),
    "Windows path": lambda p: p.one("text", _if(r'".*\\\\[A-Z].*"', lambda text: text.replace("\\\\", "\\"))), "regex with bare backslashes": lambda p: p.one("text", _if(r'".*\\\\d.*"', lambda text: text.replace("\\\\", "\\"))),
    "escaped apostrophe": lambda p: p.one("text", _inside("'", r"\\'")), "Markdown escapes": lambda p: p.all("key text", _inside("_", r"\\_")), "hex escape": lambda p: p.one("text", _inside("'", r"\\x27")),
    "braced escape": lambda p: p.one("text", _inside("[^\x00-\x7f]", lambda m: f"\\u{{{ord(m[0]):x}}}")), "two strings with plus": lambda p: p.one("text", _split(" + ")), "two strings": lambda p: p.one("text", _split(" ")),
    "two strings on two lines": lambda p: p.one("text", _split(" +\n    ")), "Python prefix": lambda p: p.one("text", lambda text: "u" + text), "continued line": lambda p: p.one("text", _inside(r"(?<=\w) (?=\w)", "\\\n ")),
    # constants
    "Python constants": lambda p: p.all("word", lambda text: {"true": "True", "false": "False", "null": "None"}[text]), "Python repr": lambda p: repr(p.value), "None for null": lambda p: p.one("word", _if("null", lambda _: "None")),
    "capital constants": lambda p: p.all("word", str.upper), "undefined": lambda p: p.one("word", _if("null", lambda _: "undefined")), "nil": lambda p: p.one("word", _if("null", lambda _: "nil")),
    "NaN": lambda p: p.one("word", _if("null", lambda _: "NaN")), "yes and no": lambda p: p.all("word", _if("true|false", lambda text: "yes" if text == "true" else "no")),
    "quoted booleans": lambda p: p.all("word", _if("true|false", lambda text: f'"{text}"')), "cut constant": lambda p: p.one("word", lambda text: text[:-1]), "misspelt constant": lambda p: p.one("word", lambda text: {"true": "ture", "false": "flase", "null": "nul"}[text]),
    "quoted null": lambda p: p.one("word", _if("null", lambda _: '"null"')), "backticked constant": lambda p: p.one("word", lambda text: f"`{text}`"),
    # numbers
    "thousands separators": lambda p: p.one("number", _grouped(",")), "underscores": lambda p: p.all("number", _grouped("_")), "thin spaces": lambda p: p.one("number", _grouped("\u202f")), "apostrophes in number": lambda p: p.one("number", _grouped("'")),
    "leading zeros": lambda p: p.one("number", _if(r"[1-9]\d*", lambda text: "00" + text)), "plus sign": lambda p: p.one("number", _if(r"\d.*", lambda text: "+" + text)), "leading point": lambda p: p.one("number", _if(r"0\.\d+", lambda text: text[1:])),
    "trailing point": lambda p: p.one("number", _if(r"-?\d+", lambda text: text + ".")), "hexadecimal": lambda p: p.one("number", _if(r"[1-9]\d+", lambda text: hex(int(text)))), "octal": lambda p: p.one("number", _if(r"[1-9]\d+", lambda text: oct(int(text)))),
    "quoted number": lambda p: p.one("number", lambda text: f'"{text}"'), "quoted numbers": lambda p: p.all("number", lambda text: f'"{text}"'), "Unicode minus": lambda p: p.all("number", lambda text: text.replace("-", "−")),
    "en dash for minus": lambda p: p.all("number", lambda text: text.replace("-", "–")), "space behind minus": lambda p: p.one("number", lambda text: text.replace("-", "- ")),
    "full-width digits": lambda p: p.one("number", lambda text: text.translate(_FULL_WIDTH)), "dollar sign": lambda p: p.one("number", _if(r"\d+\.\d\d?", lambda text: "$" + text)), "type suffix": lambda p: p.one("number", lambda text: text + ("L" if text.isdigit() else "f")),
    "wrapped number": lambda p: p.one("number", _if(r"\d+", lambda text: f"NumberLong({text})")), "wrapped date": lambda p: p.one("text", _if(r'"\d{4}-\d\d-\d\d.*"', lambda text: f"ISODate({text})")),
    "decimal comma": lambda p: p.at(r"k:_?(n)", _if(r"-?\d+\.\d\d", lambda text: text.replace(".", ","))),
    # brackets
    "last closer missing": lambda p: p.text[:-1].rstrip(), "all closers missing": lambda p: p.at(_CLOSERS, ""), "inner brace missing": lambda p: p.at(r"(\})_?[,\]}]", ""), "inner bracket missing": lambda p: p.at(r"(\])_?[,\]}]", ""),
    "opening brace missing": lambda p: p.at(r"[,\[:]_?(\{)", ""), "first brace missing": lambda p: p.text[1:].lstrip() if p.text[0] == "{" else None, "outer braces missing": lambda p: p.text[1:-1].strip() if p.text[0] == "{" else None,
    "opening bracket missing": lambda p: p.at(r":_?(\[)", ""), "bracket for brace": lambda p: p.at(r"(\})_?[,\]}]", "]"), "brace for bracket": lambda p: p.at(r"(\])_?[,\]}]", "}"), "parentheses for brackets": lambda p: p.all("[ ]", lambda text: "()"["[]".index(text)]),
    "closers swapped": lambda p: p.at(r"(\}\]|\]\})", lambda text: text[::-1]),
    "parenthesis for the last closer": lambda p: p.text[:-1] + ")",
    # keys and words of the schema
    "bold keys": lambda p: p.all("key", _between("**", "**")), "bold within quotes": lambda p: p.all("key", _between('"**', '**"')), "code keys": lambda p: p.all("key", _between('`"', '"`')), "capitalised keys": lambda p: p.all("key", _inside("^.", lambda m: m[0].upper())),
    "keys in capitals": lambda p: p.all("key", str.upper), "camel case keys": lambda p: p.all("key", _camel), "snake case keys": lambda p: p.all("key", _snake), "kebab case keys": lambda p: p.all("key", lambda text: text.replace("_", "-")),
    "padded keys": lambda p: p.all("key", _between('" ', ' "')), "colon within key quotes": lambda p: re.sub(r'"(\w+)":', r'"\1:"', p.text, count=1),
    "misspelt key": lambda p: p.one("key", _if(r'"\w{5,}"', lambda text: text[:3] + text[4] + text[3] + text[5:])), "enum in capitals": lambda p: p.one("text", _if(r'"[a-z]{3,}"', str.upper)), "enum capitalised": lambda p: p.one("text", _if(r'"[a-z]{3,}"', str.title)),
    "padded enum": lambda p: p.one("text", _if(r'"[A-Za-z]{3,}"', _between('" ', ' "'))), "JSON5": lambda p: re.sub(r'"([A-Za-z_]\w*)"(?=:)', r"\1", p.at(r"[^{\[_,:]()_[}\]]", ",", every=True) or ""),
}  # fmt: skip
"""What is intended can be told."""

REFUSALS: dict[str, Fault] = {
    "ellipsis in list": lambda p: p.at(r"[^\[_](_?)\]", ", ..."), "ellipsis in object": lambda p: p.at(r"[^{_](_?)\}", ", ..."), "items replaced by ellipsis": lambda p: p.at(r"[tn](,_[tn])_?\]", ", ..."),
    "ellipsis comment": lambda p: p.at(r"[^\[_](_?)\]", ", // ... and so on\n"), "ellipsis character": lambda p: p.at(r"[^\[_](_?)\]", ", …"), "rest as comment": lambda p: p.at(r"[^{_](_?)\}", ", /* rest unchanged */ "),
    "value missing": lambda p: p.at(r":_?([tn])", ""), "placeholder": lambda p: p.at(r":_?([tn])", "<your value here>"), "question mark": lambda p: p.at(r":_?(n)", "?"), "unknown": lambda p: p.at(r":_?(n)", '"N/A"'),
    "truncated": lambda p: p.text[: len(p.text) // 2] + "... [truncated]", "truncated in a fence": lambda p: f"```json\n{p.text[: len(p.text) * 2 // 3]}\n```", "member missing": _without_member,
    "unknown enum": lambda p: p.one("text", _if(r'"[a-z]{3,}"', lambda _: '"something else"')), "text for object": lambda p: p.at(r":_?(\{[^{}]*\})", '"see above"'), "sentence for document": lambda p: "I'm sorry, but I can't help with that.",
    "empty object": lambda p: "{}", "nothing": lambda p: "", "two documents": lambda p: f"{p.text}\n{_dumped(p.other)}", "range for number": lambda p: p.one("number", _if(r"[1-9]\d*", lambda text: f"{text}-{int(text) + 7}")),
    "formula": lambda p: p.one("number", _if(r"[1-9]\d*", lambda text: f"x * {text}")), "masked digits": lambda p: p.one("number", _if(r"\d{3,}", lambda text: text[:-2] + "**")),
}  # fmt: skip
"""Data are missing, or contradict each other."""


_UNTYPED = ("quoted numbers", "quoted booleans", "yes and no", "dollar sign", "nil")
"""Of which texts are meant where the schema takes texts as well: not drawn of such shapes."""


class NamedCase(NamedTuple):
    """A text with a named fault, and what is right."""

    shape: str
    kind: str
    text: str
    target: dict[str, Any]
    value: Any
    """``REFUSE`` where a refusal is right."""


def named_cases(seed: int, half: str, draws: int = DRAWS) -> Iterator[NamedCase]:
    """So many cases of each fault, or as many as the shapes of the half give; the same for the
    same seed. All are rejected by the schema."""
    names = names_of(half)
    for kind, fault in {**FAULTS, **REFUSALS}.items():
        rng = Draw(f"named/{seed}/{half}/{kind}")
        seen: set[tuple[str, str]] = set()
        for _ in range(DRAWS * 40):
            shape = rng.choice(names)
            value, other = value_of(shape, rng), value_of(shape, rng)
            if len(seen) == draws:
                break
            if size(value) > LARGEST:
                continue
            text = fault(Pieces(value, other, rng, rng.choice([None, 2, 4])))
            schema = SHAPES[shape].schema
            if kind in _UNTYPED and json.dumps(SCALAR.schema) in json.dumps(schema):
                continue
            if text is None or (shape, text) in seen or _accepts(text, schema):
                continue
            seen.add((shape, text))
            yield NamedCase(shape, kind, text, schema, REFUSE if kind in REFUSALS else value)


def _accepts(text: str, schema: dict[str, Any]) -> bool:
    try:
        accepted(text, "json schema", schema)
    except RejectedError:
        return False
    return True
