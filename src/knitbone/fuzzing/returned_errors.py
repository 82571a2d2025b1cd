"""Whether a returned text tells of an error: by its structure, by its wording, or perhaps.

``tests/fuzzing/returned_texts.py`` holds the labelled texts that the wording is measured on. What
only may be an error (``Order 17 not found``) counts where the tool's normal results look otherwise,
which the campaign knows and a single text does not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from http import HTTPStatus
from typing import Any, cast

from knitbone.common.source import evaluate_literal
from knitbone.fuzzing.complaints import reads_as_bug
from knitbone.fuzzing.normalise import normalise

__all__ = ["NormalResults", "reads_as_error"]

_HEAD = 300
"""Characters that an error announces itself in."""
_LONGEST_OBJECT = 64 * 1024
_SHORT = 160
"""An answer longer than this that only may be an error is content: articles begin with anything."""
_COMPARED = 40
"""Normal results that are looked at; the first ones."""
_ENOUGH, _WORDY = 5, 4
"""Results, and words of one on average, from which on wording can be called free."""
_LABEL, _OFTEN = 4, 5
"""Words of a label, and how often one comes before it is what a tool says to all it refuses."""
_WORD = re.compile(r"[^\W\d_]{3,}")

_KEYS = ("error", "errors", "exception", "traceback", "error_message", "errormessage", "err")
_CODES = ("status", "status_code", "statuscode", "http_status")
_BAD = ("error", "failed", "failure", "fail", "exception")

_BEFORE = r"^[^\w{\"'<]*(?:sorry[,!.]?\s+|oops[,!.]?\s+|uh[- ]oh[,!.]?\s+)?"
_NOUN = r"(?:[\w.]*error|[\w.]*exception|failure|fatal)"
_WORK = r"(?:handling|correct\w+|report\w+|check\w+|logging|detect\w+|messag\w+|bars?|rates?)"
_VALUE = r"(?=\s*[-+]?\d[\d.,]*\s*%?\s*$)"
"""What follows the name of a quantity, as in ``Mean absolute error: 0.31``."""
_CLIENT = "|".join(re.escape(status.phrase) for status in HTTPStatus if 400 <= status < 600)
_SERVER = "|".join(re.escape(status.phrase) for status in HTTPStatus if status >= 500)

_STRONG = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Error: x / An unexpected error occurred / ValueError('x') / Error fetching x / Error 404
        rf"{_BEFORE}(?:(?:an?|the|this|tool|internal|unexpected|fatal|unhandled|unknown)\s+){{0,3}}"
        rf"{_NOUN}(?!\s+{_WORK})[\W_]*?(?:[:!(\[\u2014-](?!{_VALUE})|$|\s\d|(?:has\s+)?occurred\b|"
        r"while\b|when\b|in\s+(?:line|file|the|tool)\b|at\s+line\b|\w+ing\b)",
        # Parser error: x / Syntax error at line 3; not: Mean absolute error: 0.31
        rf"{_BEFORE}(?:\w+\s+){{1,2}}(?:error|exception|failure)\s*(?::(?!{_VALUE})|at\s+line\b)",
        r"^[^\w{\"'<]*\[(?:error|fatal|critical|exception)\]",
        rf"{_BEFORE}\d+\s+validation\s+errors?\s+for\b",
        rf"{_BEFORE}failed(?:\s+to\b|\s+with\b|\s*[:!]|\s+\w+ing\b|\s*$)",
        r"^[^\w{\"'<]*(?:[\w']+\s+){1,4}failed(?:\s*[:!.]|\s+(?:with|because|due|after)\b|\s*$)",
        r"^[^{\"']{0,80}\b(?:exit|status|error|return)\s+code\s*:?\s*[1-9]\d{0,2}\b",
        rf"{_BEFORE}(?:http[\s/.\d]*?\s+)?(?:status\s+)?[45]\d\d\s*:?\s+"
        rf"(?:(?:client|server)\s+error|{_CLIENT})\b",
        rf"{_BEFORE}http\s*:?\s*(?:error\s*)?[45]\d\d\b",
        rf"^[^\w]*(?:{_SERVER})\W*$",
        r"^[^{\"']{0,80}\[Errno -?\d+\]",
        r"^[\w./-]{1,40}:\s(?:[^\n]{0,100}:\s)?(?:command not found|no such file or directory|"
        r"permission denied|is a directory|not a directory)",
        r"^[^{\"']{0,40}(?<!no )\b(?:an?|some|the|following)\s+(?:\w+\s+){0,2}(?:error|exception|"
        r"problem)\s+(?:has\s+|was\s+|were\s+)?(?:occurred|raised|encountered|happened)\b",
        rf"{_BEFORE}there\s+(?:was|were|has\s+been)\s+(?:an?\s+|some\s+)?(?:\w+\s+)?(?:errors?|problem)\b",
        rf"{_BEFORE}(?:\w+\s+)?(?:got|encountered|caught|hit|raised)\s+(?:an?\s+)?(?:\w+\s+)?"
        r"(?:error|exception)\b",
        rf"{_BEFORE}(?:something|it)\s+went\s+wrong\b",
        r"^\s*<[\w:-]*(?:error|exception|fault)\b",
        r"^\W*traceback\b\W*(?:\(most|$)",
    )
)
_NOTHING_WRONG = re.compile(
    r"\b(?:no|zero|0|without(?: any)?|none of the \w+|not (?:a single|any))\s+(?:\w+\s+){0,2}?"
    r"(?:errors?|exceptions?|failures?|problems?|failed)\b|\berror-free\b"
    r"|\b(?:errors?|failures?|failed|exceptions?)\s*[:=]\s*0\b(?!\s*\w)"
    r"|\b(?:errors|failures|exceptions)\s*[:=]\s*none\b"
    r"|\b(?:status|return) code\s*:?\s*[23]\d\d\b",
    re.IGNORECASE,
)
"""Words that say that nothing went wrong: they are no words of an error."""
_TRACEBACK = "Traceback (most recent call last)"
_WEAK_HEAD = re.compile(
    rf"{_BEFORE}(?:error|failure|invalid|unable\s+to|could\s?n[o']t|can\s?not|can't|not\s+found|"
    r"no\s+such|unknown|unsupported|missing|denied|(?:permission|access)\s+denied|bad|illegal|"
    r"malformed|must\s+(?:be|have|not)|please\s+(?:provide|specify|enter|give|use|try)|"
    r"unrecogni[sz]ed|unauthori[sz]ed|forbidden|insufficient|wrong|too\s+(?:many|few|long|short|"
    r"large|small|big)|(?:division|divide)\s+by\s+zero|nothing\s+to)\b",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:not\s+(?:be\s+)?found|does\s?n[o']t\s+exist|do\s+not\s+exist|(?:is|are|was)\s?n[o']t\s+"
    r"(?:an?\s+|in\s+the\s+|one\s+of\b)?(?:valid|number|integer|date|known|allowed|supported|"
    r"permitted|available|recogni[sz]ed|possible|\w+\s+(?:list|range))|not\s+(?:allowed|supported|"
    r"permitted|valid)|must\s+(?:be|have|not|contain|start|end|lie)|could\s?n[o']t|can\s?not|can't|"
    r"timed\s+out|refused|exceeded|exceeds|out\s+of\s+(?:range|bounds|memory|stock)|by\s+zero|"
    r"expected\b[^\n]{1,80}\b(?:got|but|found|received)|invalid|not\s+authori[sz]ed)\b",
    re.IGNORECASE,
)


class NormalResults:
    """What a tool returns when nothing is wrong: what a doubtful text is held against."""

    def __init__(self) -> None:
        self.count = 0
        self._words: Counter[str] = Counter()
        self._lengths = 0
        self._distinct: set[str] = set()

    def saw(self, text: str, arguments: dict[str, Any]) -> None:
        """A result that reads like no error."""
        if self.count < _COMPARED:
            words = _WORD.findall(normalise(text[:_HEAD], arguments).lower())
            self._words.update(set(words))
            self._lengths += len(words)
            self._distinct.add(text[:_HEAD])
        self.count += 1

    def show_as_error(self, text: str, *, times: int) -> bool:
        """Whether a text that only may be an error is one beside these.

        Where the tool has a wording of its own, another one stands out at once. Where every result
        is worded freely (articles, quotations), only one that comes back with other arguments does;
        where every result is a label of its own ("Created", "Bad Request"), only one that keeps
        coming.

        Args:
            times: calls that returned this text, whatever its values.
        """
        if not self.count:
            return False
        if self._is_label(text):
            return times > _OFTEN
        return times > 1 or not self._are_free()

    def show_as_label(self, text: str, *, times: int) -> bool:
        """Whether a text that reads like an error ("Internal Server Error") is one label among
        others that the tool gives, such as the names of states."""
        return times <= _OFTEN and self._is_label(text)

    def _is_label(self, text: str) -> bool:
        told = ":" in text or "\n" in text.strip()
        return not told and len(_WORD.findall(text)) <= _LABEL and self._are_labels()

    def _are_labels(self) -> bool:
        seen = min(self.count, _COMPARED)
        return len(self._distinct) >= _ENOUGH and self._lengths <= _LABEL * seen

    def _are_free(self) -> bool:
        seen = min(self.count, _COMPARED)
        if seen < _ENOUGH or self._lengths < _WORDY * seen:
            return False
        return max(self._words.values(), default=0) * 2 < seen


def reads_as_error(text: str) -> bool | None:
    """Whether a returned text is an error: ``None`` when it only may be one."""
    head = text[:_HEAD]
    if _TRACEBACK in text or (verdict := _in_structure(text)) is True:
        return True
    if verdict is False:
        return False
    line = _NOTHING_WRONG.sub("well", head.strip().partition("\n")[0])
    if any(pattern.match(line) for pattern in _STRONG):
        return True
    if len(text) > _SHORT or "\n" in text.strip():
        return False
    is_weak = _WEAK_HEAD.match(line) or _WEAK.search(line) or reads_as_bug(line)
    return None if is_weak else False


def _in_structure(text: str) -> bool | None:
    """Whether the text is an object that tells of an error; ``None`` where it is no object."""
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return None
    value = _parse(text)
    if isinstance(value, dict):
        return _is_error_object(cast("dict[Any, Any]", value))
    if isinstance(value, list):
        items = cast("list[Any]", value)
        objects = [cast("dict[Any, Any]", item) for item in items if isinstance(item, dict)]
        return bool(items) and len(objects) == len(items) and all(map(_is_error_object, objects))
    return None


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > _LONGEST_OBJECT:
        return None
    try:
        return evaluate_literal(text.strip())  # what str() makes of a dictionary
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _is_error_object(value: dict[Any, Any]) -> bool:
    body = {str(key).lower().replace("-", "_"): item for key, item in value.items()}
    if any(_tells(body.get(key)) for key in _KEYS):
        return True
    if body.get("success") is False or body.get("ok") is False:
        return True
    if body.get("iserror") is True or body.get("is_error") is True:
        return True
    if any(str(body.get(key, "")).lower() in _BAD for key in ("status", "type", "state")):
        return True
    codes = [body.get(key) for key in _CODES]
    return any(type(code) is int and 400 <= code < 600 for code in codes)


_NONE = re.compile(
    r"\W*(?:none|null|nil|no|false|ok|n/?a|0|no (?:errors?|exceptions?|problems?)"
    r"(?: (?:found|occurred|reported|detected))?)\W*",
    re.IGNORECASE,
)


def _tells(value: Any) -> bool:
    """Whether what stands under ``error`` is one: a number there is a measurement or a count."""
    if isinstance(value, dict):
        # A form with an error's fields, and nothing in them.
        return any(map(_tells, cast("dict[Any, Any]", value).values()))
    if isinstance(value, str):
        return bool(value.strip()) and _NONE.fullmatch(value) is None
    return bool(value) and not (isinstance(value, (int, float)) and value is not True)
