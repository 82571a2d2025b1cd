"""Messages by which an interpreter says that an operation failed, wherever they turn up.

In the answer of a tool whose code is out of sight (an MCP server, a handler that tells
``str(error)``) they are all that tells a failure nobody foresaw from a refusal in its author's
own words. The wordings are CPython's 3.10 to 3.14 (``Objects/*.c``, ``Python/ceval.c``), V8's,
Go's and Rust's.
"""

from __future__ import annotations

import re

__all__ = [
    "BUGS", "reads_as_bug", "reads_as_complaint", "reads_as_conversion",
    "reads_as_forbidden", "reads_as_missing_network", "says_nothing",
]  # fmt: skip

BUGS = frozenset(
    {
        "ArithmeticError", "AssertionError", "AttributeError", "FloatingPointError", "IndexError",
        "KeyError", "LookupError", "NameError", "NotImplementedError", "OverflowError",
        "RecursionError", "RuntimeError", "StopIteration", "SystemError", "TypeError",
        "UnboundLocalError", "UnicodeEncodeError", "ZeroDivisionError",
    }
)  # fmt: skip
"""Python's own types whose message helps no caller: it tells of types, positions and keys."""

_BUG = re.compile(
    r"""
      '?[\w.]+'?\ object\ (?:has\ no\ attribute
        |is\ not\ (?:subscriptable|iterable|callable|an\ iterator)
        |does\ not\ support|cannot\ be\ interpreted)
    | unsupported\ operand\ type
    | argument\ of\ type\ '[\w.]+'\ is\ not\ (?:iterable|a\ container)
    | argument\ should\ be\ .{1,40},\ not\ '?\w+
    | (?:list|tuple|string|byte|bytearray)\ ind(?:ex|ices)\ (?:out\ of\ range|must\ be\ integers)
    | can\ only\ (?:concatenate|join)\ | must\ be\ (?:str|real\ number|an\ iterable),\ not\ \w+
    | expected\ str(?:ing)?,\ bytes\ or\ os\.PathLike | expected\ string\ or\ bytes-like
    | sequence\ item\ \d+:\ expected | not\ all\ arguments\ converted | unhashable\ type
    | not\ enough\ values\ to\ unpack | too\ many\ values\ to\ unpack | cannot\ unpack\ non-iterable
    | \bpop(?:item)?\b.{0,15}\bfrom\ (?:an\ )?empty | \barg\ is\ an\ empty\ sequence
    | \b(?:max|min)\(\)\ iterable\ argument\ is\ empty
    | referenced\ before\ assignment | cannot\ access\ local\ variable
    | \b\w+\(\)\ (?:takes\ (?:\d|no|at|exactly|from) | missing\ \d
        | got\ (?:an\ unexpected|multiple|some) | arg(?:ument)?\ (?:\d|after|must|should)
        | expected\ (?:a|at|str|int) | must\ be\ (?:\w+\ or|an?)\ )
    | dictionary\ (?:update\ sequence|changed\ size) | \bNoneType\b
    | '[<>=]{1,2}'\ not\ supported\ between
    | \bCannot\ (?:read|set)\ propert(?:y|ies)\ of\ | \bCannot\ convert\ undefined
    | \b[\w.$]+\ is\ not\ a\ function\b | \b(?:undefined|null)\ is\ not\ (?:iterable|an\ object)
    | \bMaximum\ call\ stack | \binvalid\ memory\ address
    | \bruntime\ error:\ (?:index|slice|integer)
    | \bpanicked\ at\b | \bNullPointerException\b | \bIndexOutOfBounds
    """,
    re.VERBOSE,
)
_CONVERSION = re.compile(
    r"invalid literal for int\(\)|could not convert string to float|Invalid isoformat string"
    r"|time data .{0,2000} does not match format|unconverted data remains"
    r"|Expecting (?:value|property name|',' delimiter|':' delimiter)|Extra data: line"
    r"|Unterminated string starting at|Invalid control character at|Invalid \\escape"
    r"|(?:month|day|year|hour|minute|second) (?:is |must be |-?\d+ is )?(?:in|out of)\b"
    r"|badly formed hexadecimal UUID|Incorrect padding|substring not found"
    r"|Invalid base64-encoded string|'?No time zone found with key"
    r"|ZoneInfo keys m(?:ust|ay)|.{0,200} does not appear to be an IPv"
    r"|.{0,200} is not a valid \w+\Z",
    re.DOTALL,
)
"""What is read has another form: a caller who is told so knows what to do."""
_OPERATION = re.compile(
    r"(?:integer |float |complex )?(?:floor )?(?:division|modulo|division or modulo) by zero"
    r"|math (?:domain|range) error|(?:int|float|Python int) too large to convert"
    r"|cannot convert float (?:NaN|infinity)|Exceeds the limit \(\d+ digits\)"
    r"|maximum recursion depth|'[\w-]+' codec can't (?:en|de)code|name '\w+' is not defined"
    r"|embedded null (?:byte|character)|\[<class 'decimal\.\w+'>\]",
    re.DOTALL,
)
_KEY = re.compile(r"(?:KeyError: ?)?(?:'[^'\n]{0,200}'|\d{1,20})\Z")
"""What is left of a ``KeyError``: the key."""
_NETWORK = re.compile(
    r"\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b|\bECONNREFUSED\b|\bECONNRESET\b|\bEHOSTUNREACH\b"
    r"|\A\s*fetch failed\s*\Z|getaddrinfo|\bname resolution\b|Name or service not known"
    r"|nodename nor servname|Max retries exceeded with url|NewConnectionError|NameResolutionError"
    r"|\[Errno (?:101|110|111|113|-[2-5])\]|Network is unreachable|No route to host"
    r"|Could not resolve host|All connection attempts failed|Cannot connect to host"
    r"|ConnectError\b|\bdns error\b|error sending request for url|\bno such host\b",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(r"\[Errno (?:1|13|30)\]|\bEACCES\b|\bEPERM\b|\bEROFS\b|\bos error 13\b")
_NOTHING = re.compile(
    r"\W*(?:(?:an?|the|this|tool|internal|unexpected|unknown|unhandled|fatal|server|execution)\W+)*"
    r"(?:error|exception|failure)?(?:\W+(?:has\W+)?occurred)?(?:\W+\(?code\W+-?\d+\)?)?\W*\Z",
    re.IGNORECASE,
)
_LONGEST, _SHORT = 4_000, 120


def reads_as_bug(text: str) -> bool:
    """Whether an operation failed that no caller can make sense of, anywhere in ``text``."""
    return _BUG.search(text[:_LONGEST]) is not None


def reads_as_complaint(text: str) -> bool:
    """Whether ``text`` is nothing but an interpreter's message, without a word of an author's."""
    head = text.strip()[:_LONGEST]
    found = _KEY.match(head) or _OPERATION.match(head)
    return found is not None or reads_as_conversion(head) or reads_as_bug(head)


def reads_as_conversion(text: str) -> bool:
    """Whether a function of Python's own says that a text has not the form that it reads."""
    return _CONVERSION.match(text.strip()[:_LONGEST]) is not None


def reads_as_missing_network(text: str) -> bool:
    """Whether an error tells that a host could not be looked up or reached."""
    return _NETWORK.search(text[:_LONGEST]) is not None


def reads_as_forbidden(text: str) -> bool:
    """Whether the system refused a file or an operation, as the sandbox makes it do."""
    return _FORBIDDEN.search(text[:_LONGEST]) is not None


def says_nothing(text: str) -> bool:
    """Whether an error does not say what is wrong: ``Internal error (code -32603)``."""
    return len(text) <= _SHORT and _NOTHING.match(text) is not None
