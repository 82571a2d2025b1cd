"""Whether a tool's result says that the call failed, and in which words.

A result is read as the structure that it is (JSON, a Python literal, tagged parts, lines of name
and value, the blocks of an MCP server), and one table (``_ROLES``) tells what each field says. The
outermost structure decides: the output of a command that ended with 0 may well be about errors. So
may records, pages, logs and files, which report nothing. Where a field could as well describe a
thing (``status`` of an order), it counts only in an object that describes nothing else
(``_is_envelope``).

Time is linear in the text; of one that is longer than ``_LONGEST`` only the two ends are read.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Literal, cast

from knitbone.common.structured.python_literal import parse_python
from knitbone.parsing.documents import JsonReading, read_json
from knitbone.record.events import Json
from knitbone.tethering.diagnosis.vocabulary import READING, words_of

__all__ = ["error_in", "plain_words"]

_LONGEST = 1_000_000
"""Characters that are read as a structure: some ten milliseconds of ``json.loads`` (measured)."""
_CLIP = 4_000
"""Characters at each end of a text in which its lines are looked at (ours)."""
_QUOTED = 300
"""Characters of an error's words that are kept (ours)."""
_DEEPEST = 8
"""Envelopes inside one another that are opened (ours)."""

_Role = Literal[
    "error", "error code", "failed", "succeeded", "exit", "http", "status", "carrier", "stream",
    "words", "about the call",
]  # fmt: skip

_OF = (
    r"(?:(?:tool|tool_use|use|api|rpc|call|request|response|execution|exec|runtime|server|"
    r"client|system|function|action|operation|op|task|command|process|proc|program|shell|internal|"
    r"validation|result|http|is|was|has|had)_)*"
)
"""Words that say of what a field speaks, and change nothing of what it says."""
_ROLES: tuple[tuple[_Role, re.Pattern[str]], ...] = tuple(
    (cast("_Role", role), re.compile(pattern))
    for role, pattern in {
        "exit": rf"{_OF}(?:exit_?(?:code|status)?|return_?code|ret_?code|rc|exit_?value)",
        "http": rf"{_OF}(?:status_?code|http_?(?:status|code)|response_code)",
        "error code": rf"{_OF}(?:(?:error|err|fault|failure|exception)_?"
        "(?:code|type|name|class|kind|no)|errno)",
        "error": rf"{_OF}(?:errors?|errs?|exception|fault|failure|fatal|traceback)"
        "(?:_?(?:messages?|msg|text|details?|description|reason|info|string))?",
        "failed": rf"{_OF}(?:failed|errored|timed_out)",
        "succeeded": rf"{_OF}(?:success|successful|succeeded|ok|okay)",
        "status": rf"{_OF}(?:status|state|outcome|type|kind|code|result|verdict)",
        "stream": "stderr|stdout|std_err|std_out|logs?|console",
        "carrier": r"(?:\w+_)?(?:results?|response|data|output|body|payload|content|contents|value"
        "|answer|observation|items|rows|records|matches)|message|meta|metadata",
        "words": "msg|details?|reason|description|cause|explanation|hint|title|text|info|note|help"
        r"|suggestions?|summary|user_message|(?:\w+_)?message",
        "about the call": "(?:request|trace|span|correlation|call|tool_call|tool_use|event|error|"
        "run)_id|id|tool(?:_name)?|function(?:_name)?|timestamp|time|date|duration|duration_ms|elapsed"
        "|took|latency|arguments|args|params|parameters|command|cmd|cwd|jsonrpc|version"
        "|method|url|uri|instance|headers|retryable|retry|retry_after|documentation_url|docs|attempts?"
        "|truncated|signal|pid|source|domain|location",
    }.items()
)
"""What a field says, by its name in words; the first that fits the whole name."""

_PHRASES = {status.phrase.lower() for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST}
_ERROR = {"error", "errored", "fatal", "exception", "internal error", "internal", "unknown error"}
"""Values of a status that are an error whatever stands beside a message."""
_FAILED = _ERROR | _PHRASES | {
    "fail", "failed", "failure", "unsuccessful", "timeout", "timed out", "crashed", "aborted",
    "permission denied", "access denied", "unauthenticated", "invalid argument", "already exists",
    "resource exhausted", "failed precondition", "out of range", "unimplemented", "unavailable",
    "data loss", "deadline exceeded", "invalid request", "invalid input",
}  # fmt: skip
"""Values of a status by which the call failed: plain words, HTTP's phrases, gRPC's codes."""
_PASSED = {
    "ok",
    "okay",
    "success",
    "succeeded",
    "successful",
    "completed",
    "complete",
    "passed",
    "done",
    "finished",
}
_NOTHING = {
    "",
    "none",
    "null",
    "nil",
    "no",
    "false",
    "0",
    "ok",
    "okay",
    "success",
    "n/a",
    "na",
    "-",
    "no error",
    "no errors",
    "undefined",
    "nan",
}
_YES, _NO = {"true", "yes", "1"}, {"false", "no", "0"}

_ERROR_STATUS = range(400, 600)

_LOOKS = re.compile(r"[{\[]\s*[\"'{\[\]}]")
"""How a document begins, which a text in brackets does not."""
_TAG = re.compile(r"<([A-Za-z][\w.-]{0,60})(?:\s[^<>]{0,300})?>")
_FENCE = re.compile(r"```\w{0,20}\n(.*)\n```", re.DOTALL)
_BEFORE = re.compile(r"([A-Za-z][\w ]{0,40}):\s*(?=[{\[])")
_CALL = re.compile(r"[A-Za-z_][\w.]{0,80}\(")
_LABEL = re.compile(
    r"[\[(*]{0,2}([A-Za-z][\w -]{0,40}?)(?:[\])*]{1,2}:?\s*|\s*[:=]\s*|\s+[-\u2013\u2014]\s+)"
)
_BARE = re.compile(r"exit code -?\d+")
_EXCEPTION = re.compile(
    r"(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Za-z_]\w{0,60}(?:Error|Exception)\b\s*[:(]"
)
_EXIT = re.compile(
    r"(?:(?:the|your|this|process|command|script|program|subprocess|job|step|container|cell|code|"
    r"execution|task|shell|has|was|it|ran|finished|completed|failed|terminated|ended|and|then|with|a),?"
    r"\s+){0,8}(?:exit(?:ed)?|return(?:ed)?|non-?zero)(?:\s+(?:with|a|non-?zero|exit|unix))*"
    r"[\s_-]*(?:code|status|value)?\s*[:=]?\s*\(?(-?\d{1,10})\b[\s.)\]>*]*(?:$|[(:,](.*))",
    re.IGNORECASE,
)
_REASONS = "|".join(map(re.escape, sorted(_PHRASES)))
_HTTP = re.compile(
    r"(?:(?:(?:request|call|server|http)\s+)?(?:failed|returned|responded)\s+(?:with\s+)?)?"
    r"(?:(?:http(?:/\d(?:\.\d)?)?|error|status)(?:\s+(?:status|error))?(?:\s+code)?[\s:=]{1,3})"
    rf"([45]\d\d)\b(?:\s*(?:$|[^\w\s])|\s+(?:{_REASONS})\b)",
    re.IGNORECASE,
)
_PHRASE = re.compile(rf"[45]\d\d:?\s+(?:{_REASONS})\b", re.IGNORECASE)
_TRACEBACK = re.compile(
    r"^(?:[Cc]ode output:)?\s*Traceback \(most recent call last\)", re.MULTILINE
)
_RAISED = re.compile(
    r"^\s{0,40}(?:(?:code )?output:\s*)?([A-Za-z_.]{0,80}(?:Error|Exception)\b[^\n]{0,300})",
    re.MULTILINE | re.IGNORECASE,
)
_OUTPUT = re.compile(r"^(?:code )?(?:output|stdout|stderr):\s*", re.IGNORECASE)
"""What runners write before the output of a program."""
_MARK = re.compile(r"\A\s*[^\x00-\x7f\w]+\s*")
"""A cross or another sign before the first word."""
_SAID_FIRST = re.compile(
    r"(?:an? |the )?(?:unexpected |internal |unknown |fatal )*(?:error|exception)s? "
    r"(?:occurred|executing|calling|running|invoking|processing|while|during|in tool|from tool)\b"
    r"|failed to \w|exception in thread|panic:|uncaught \w+|unhandled \w+"
    r"|(?:the )?(?:request|command|call|execution|tool|operation|query)(?: \w+)? failed\b"
    r"|(?:your|the|this) [^.\n]{0,60}\b(?:introduced|caused|raised|threw|encountered|resulted in|"
    r"ran into)\b[^.\n]{0,40}\b(?:errors?\b|error\(s\)|exceptions?\b)",
    re.IGNORECASE,
)
"""How a text begins that reports an error, whatever follows."""
_SAID_ALONE = re.compile(
    r"(?:error|failure|failed|denied|forbidden|unauthorized|unauthorised|not found|"
    r"(?:access|permission) denied)\W*(?:$|[:.,])|(?:unable to|could not|couldn't|cannot|can't) \w"
    r"|invalid [^.\n]{1,80}(?:\W*$|[:.])"
    r"|no such \w|.{0,200}(?:command not found|no such file or directory|permission denied)\W*$",
    re.IGNORECASE,
)
"""How a report of one line reads; a longer text may begin so for any reason."""
_LEVEL = re.compile(r"\s*\W{0,2}(?:error|warn(?:ing)?|info|debug|fatal|critical)\b", re.IGNORECASE)


def error_in(result: Json, *, tool: str = "") -> str | None:
    """What a tool's result reports as the failure of the call, on one line; ``None`` where it
    reports none.

    Args:
        result: a text, or the value that the tool returned.
        tool: its name; of one that reads something (``read_file``) what stands at the end of a text
            is of the thing that was read.
    """
    words = _Look(tool).into(result, 0)
    return None if words is None else _line(words)


def plain_words(text: str) -> str:
    """The words of an error that may be written as a structure; other texts as they are."""
    value = _structure(text)
    said = _words_in(value, 0) if isinstance(value, (dict, list)) else ""
    return _line(said) if said else text


def _line(words: str) -> str:
    return " ".join(words[: _QUOTED * 4].split())[:_QUOTED]


class _Look:
    def __init__(self, tool: str) -> None:
        words = words_of(tool)
        self._reads = bool(words) and words[0] in READING

    def into(self, value: Json, level: int) -> str | None:
        """The words of the failure that a value reports."""
        if level > _DEEPEST:
            return None
        if isinstance(value, str):
            return self._text(value, level)
        if isinstance(value, dict):
            return self._object(cast("dict[str, Any]", value), level)
        if isinstance(value, (list, tuple)):
            items = cast("Sequence[Any]", value)
            said = _text_of_blocks(items)
            if said is not None:
                return self._text(said, level + 1)
            if len(items) == 1 and isinstance(items[0], dict):
                only = cast("dict[str, Any]", items[0])  # one record of a search is a record, too
                return self._object(only, level + 1) if _is_envelope(_roles(only)) else None
        return None

    def _object(self, fields: Mapping[str, Any], level: int) -> str | None:
        roles = _roles(fields)
        if any(_fails(key, role, fields, roles) for key, role in roles.items()):
            return _words_of_failure(fields, roles)
        if any(_passes(role, fields[key]) for key, role in roles.items()):
            return None
        if len(fields) > 1 and not _is_envelope(roles):
            return None
        for key, role in roles.items():
            inside = role in ("carrier", "status", "error") or len(fields) == 1
            words = self.into(fields[key], level + 1) if inside else None
            if words is not None:
                beside = _words_in(fields, 0) if _BARE.fullmatch(words) else ""
                return f"{words}: {beside}" if beside else words
        return None

    def _text(self, text: str, level: int) -> str | None:
        value = _structure(text)
        if value is not None:
            return self.into(value, level + 1)
        return self._lines(text, level)

    def _lines(self, text: str, level: int) -> str | None:
        head = text[:_CLIP]
        tail = head if len(text) <= _CLIP else text[-_CLIP:]
        first = _shown(_MARK.sub("", head).split("\n"))
        if not first:
            return None
        last = first if tail is head else _shown(tail.split("\n"))
        status = _exit_status(first, last)
        if status is not None:
            code, line, beside = status
            said = f"{line}: {beside}" if beside else line
            return None if code == 0 else _raised(tail) or _raised(head) or said
        fields = dict(_labels(first))
        if fields:
            listing = sum(_LEVEL.match(line) is not None for line in first) > 1
            words = None if listing else self._object(fields, level + 1)
            if words is not None:
                return _exception_line(tail) or (first[0] if len(fields) == 1 else words)
        return self._said(head, tail, first, alone=len(_shown(text[: _CLIP * 2].split("\n"))) == 1)

    def _said(self, head: str, tail: str, first: Sequence[str], *, alone: bool) -> str | None:
        begin = first[0]
        if _TRACEBACK.match(begin):
            return _exception_line(tail) or _exception_line(head) or begin
        if _HTTP.match(begin) or _PHRASE.match(begin):
            return " ".join(first[:2])
        if _EXCEPTION.match(begin) or _SAID_FIRST.match(begin):
            return begin if not begin.endswith(":") else " ".join(first[:2])
        if alone and _SAID_ALONE.match(begin):
            return begin
        return None if self._reads else _crash(tail)


def _text_of_blocks(items: Sequence[Any]) -> str | None:
    """The text of an MCP server's blocks; ``None`` where these are others."""
    texts: list[str] = []
    for item in items:
        block: Any = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        if not isinstance(block.get("type"), str) or not set(block) <= {
            "type",
            "text",
            "annotations",
            "id",
        }:
            return None
        texts.append(block["text"] if isinstance(block.get("text"), str) else "")
    return "\n".join(texts) if texts else None


def _name(key: str) -> str:
    return "_".join(words_of(key))


def _roles(fields: Mapping[str, Any]) -> dict[str, _Role | None]:
    found: dict[str, _Role | None] = {}
    for key in fields:
        name = _name(key)
        found[key] = next((role for role, pattern in _ROLES if pattern.fullmatch(name)), None)
    return found


def _is_envelope(roles: Mapping[str, _Role | None]) -> bool:
    """Whether an object says nothing of a thing, only how a call went and what it brought."""
    return None not in roles.values()


def _fails(
    key: str, role: _Role | None, fields: Mapping[str, Any], roles: Mapping[str, _Role | None]
) -> bool:
    """Whether this field says that the call failed."""
    value, envelope = fields[key], _is_envelope(roles)
    streams = "stream" in roles.values()
    explained = envelope or any(
        role == "words" or _name(each) == "message" for each, role in roles.items()
    )
    text = " ".join(words_of(value)) if isinstance(value, str) and len(value) < _QUOTED else ""
    passed = any(_passes(of, fields[each]) for each, of in roles.items())
    match role:
        case "exit":
            return (envelope or streams) and _number(value) not in (None, 0)
        case "succeeded":
            return _is_no(value) and (envelope or not isinstance(value, int) or value is False)
        case "failed":
            return _is_yes(value) and explained
        case "error":
            return not passed and _tells_error(value, envelope, several=_name(key).endswith("s"))
        case "error code":
            number = _number(value)
            told = isinstance(value, str) and value.strip().lower() not in _NOTHING
            return explained and not passed and (bool(number) if number is not None else told)
        case "http" | "status":
            number = _number(value)
            if number is not None:
                ended = streams and role == "status" and number != 0
                return envelope and (ended or number in _ERROR_STATUS) and not passed
            return (text in _ERROR and explained) or (text in _FAILED and envelope)
        case _:
            return False


def _tells_error(value: Json, envelope: bool, *, several: bool) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        counts = several and value.strip()[:1].isdigit()  # "Errors: 0, warnings: 2"
        told = value.strip().lower() not in _NOTHING and not counts
        return told and (_number(value) is None or _is_http(value))
    if isinstance(value, (int, float)):
        return envelope and _is_http(value)
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value)
        named = [each for each in inner.values() if not isinstance(each, (int, float))]
        codes = [_number(each) for key, each in inner.items() if "code" in _name(key)]
        return any(named) or any(codes)
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[Any]", value)
        return (envelope or not several) and any(items)
    return False


def _passes(role: _Role | None, value: Json) -> bool:
    """Whether the application itself says that all went well. What a protocol says (HTTP 200, MCP's
    ``isError: false``) is only that there is an answer."""
    match role:
        case "succeeded":
            return _is_yes(value)
        case "exit":
            return _number(value) == 0
        case "status":
            return isinstance(value, str) and " ".join(words_of(value)) in _PASSED
        case _:
            return False


def _is_yes(value: Json) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in _YES)


def _is_no(value: Json) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _NO
    return value is False or (isinstance(value, int) and value == 0)


def _is_http(value: Json) -> bool:
    return _number(value) in _ERROR_STATUS


def _number(value: Json) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    found = re.fullmatch(r"\s*(-?\d{1,10})\s*", value) if isinstance(value, str) else None
    return int(found[1]) if found else None


_SPEAKING: tuple[_Role, ...] = ("error", "words", "stream", "carrier")
_EXPLAINING = re.compile(r"messages?$|msg$|details?$|reason$|description$|cause$|explanation$")


def _words_of_failure(fields: Mapping[str, Any], roles: Mapping[str, _Role | None]) -> str:
    """What an object says of its failure; where it has no words, the field that says it."""
    said = _words_in(fields, 0)
    code = next((f"exit code {_number(fields[key])}" for key, role in roles.items()
                 if role == "exit" and _number(fields[key]) not in (None, 0)), "")  # fmt: skip
    if code:
        return f"{code}: {said}" if said else code
    if said:
        return said
    key = next(key for key, role in roles.items() if _fails(key, role, fields, roles))
    return f"{key}: {json.dumps(fields[key], default=repr)}"


def _words_in(value: Json, level: int) -> str:
    """The words of an error, wherever its structure has them."""
    if level > _DEEPEST:
        return ""
    if isinstance(value, str):
        inner = _structure(value)
        if isinstance(inner, (dict, list, str)):
            return _words_in(inner, level + 1) or value
        return _exception_line(value) or value.strip()
    if isinstance(value, (list, tuple)):
        return next(
            filter(None, (_words_in(each, level + 1) for each in cast("Sequence[Any]", value))), ""
        )
    if not isinstance(value, dict):
        return ""
    fields = cast("dict[str, Any]", value)
    roles = _roles(fields)
    ranked = sorted(
        (key for key, role in roles.items() if role in _SPEAKING),
        key=lambda key: _rank(key, roles[key]),
    )
    for key in ranked:
        words = _words_in(fields[key], level + 1)
        if words and words.lower() not in _NOTHING:
            return words
    codes = (key for key, role in roles.items() if role in ("error code", "status") and fields[key])
    return next((f"{key} {fields[key]}" for key in codes if level), "")


def _rank(key: str, role: _Role | None) -> int:
    """Whose words are asked first: the error's own, a message's, ..., last what was printed."""
    name = _name(key)
    if role == "error":
        return 0
    if _EXPLAINING.search(name):
        return 1
    if name in ("stderr", "std_err"):
        return 2
    if name in ("stdout", "std_out"):
        return 6
    return {"words": 3, "carrier": 4}.get(cast("str", role), 5)


def _structure(text: str) -> Json:
    """The value that a text writes down whole; ``None`` where it is a text."""
    inner = text.strip() if len(text) <= _LONGEST else ""
    if fence := _FENCE.fullmatch(inner):
        inner = fence[1].strip()
    if label := _BEFORE.match(inner):
        value = _document(inner[label.end() :])
        return None if value is None else {label[1]: value}
    if inner[:1] == "<":
        return _tagged(inner)
    if inner[:1] in ("{", "["):
        return _document(inner)
    if inner[:1] == '"':
        value = _strict(inner)
        return value if isinstance(value, str) else None
    return _keywords(inner) if inner[-1:] == ")" and _CALL.match(inner) else None


def _strict(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_TEXT_OR_BRACKET = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[{}\[\]]""")


def _ended(text: str) -> str:
    """A document that was cut off behind a value, with what is open closed: what stands in it is
    quoted, and not passed on."""
    opened: list[str] = []
    for mark in _TEXT_OR_BRACKET.findall(text):
        if mark in "{[":
            opened.append("}" if mark == "{" else "]")
        elif mark in "}]" and opened:
            opened.pop()
    return text + "".join(reversed(opened))


def _document(text: str) -> Json:
    """A JSON document, or one as Python or a careless writer puts it, or that was cut off."""
    value = _strict(text)
    mended = value is None and _LOOKS.match(text) is not None
    for each in (text, _ended(text), _ended(text + '"')) if mended else ():
        read = read_json(each, 0)
        if isinstance(read, JsonReading) and not each[read.end :].strip():
            return _strict(read.json)
    return value


def _tagged(text: str) -> Json:
    """Tagged parts as fields: ``<returncode>1</returncode><output>...</output>``."""
    fields: dict[str, Any] = {}
    place = 0
    while tag := _TAG.match(text, place):
        end = text.find(f"</{tag[1]}>", tag.end())
        if end < 0:
            break
        fields.setdefault(tag[1], text[tag.end() : end].strip())
        place = end + len(tag[1]) + 3
        place += (
            len(text[place:]) - len(text[place:].lstrip())
            if text[place : place + 1].isspace()
            else 0
        )
    return fields or None


def _keywords(text: str) -> Json:
    """``Result(exit_code=1, stderr='...')`` as fields."""
    tree = parse_python(text, mode="eval")
    call = tree.body if isinstance(tree, ast.Expression) else None
    if not isinstance(call, ast.Call) or call.args or not call.keywords:
        return None
    fields: dict[str, Any] = {}
    for keyword in call.keywords:
        try:
            fields[keyword.arg or ""] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, RecursionError):
            fields[keyword.arg or ""] = ast.unparse(keyword.value)
    return fields


def _shown(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]


_HEAD_LINES, _TAIL_LINES = 2, 3
"""Lines at each end in which a report says how a command ended, the way that runners print it."""


def _exit_status(first: Sequence[str], last: Sequence[str]) -> tuple[int, str, str] | None:
    """The status that the first or last lines tell, the line, and what stands beside it."""
    for lines, places in (
        (first, range(min(len(first), _HEAD_LINES))),
        (last, reversed(range(max(len(last) - _TAIL_LINES, 0), len(last)))),
    ):
        for place in places:
            if found := _EXIT.match(lines[place].lstrip("[(<* ")):
                after: Sequence[str] = lines[place + 1 :] if lines is first else ()
                beside = filter(
                    None, (_OUTPUT.sub("", each) for each in after or lines[:place][-1:])
                )
                return int(found[1]), lines[place].strip("[]<>*. "), next(beside, "")
    return None


def _labels(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines of name and value with which a text begins."""
    for line in lines:
        found = _LABEL.match(line)
        if found is None:
            return
        yield found[1], line[found.end() :].strip()


def _exception_line(text: str) -> str:
    """The last line of the last traceback in a text; of several joined, the one that was raised."""
    headers = list(_TRACEBACK.finditer(text))
    if not headers:
        return ""
    lines = text[headers[-1].end() :].split("\n")
    return next((line.strip() for line in lines[1:] if line[:1] not in ("", " ", "\t")), "")


def _raised(text: str) -> str:
    """The exception in a text of which it is known that it reports one."""
    lines = [found[1].strip() for found in _RAISED.finditer(text)]
    return _exception_line(text) or (lines[-1] if lines else "")


def _crash(text: str) -> str | None:
    """The exception with which a program's output ends; ``None`` where a text goes on after it."""
    words = _exception_line(text)
    after = text[text.rfind(words) :] if words else ""
    return words if words and "\n\n" not in after.strip() else None
