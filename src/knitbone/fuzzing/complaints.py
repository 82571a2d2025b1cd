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
    "reads_as_forbidden", "reads_as_key", "reads_as_missing_network", "says_nothing",
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
    | (?:list|tuple|string|byte|bytearray|deque|range\ object|list\ assignment|pop)
        \ ind(?:ex|ices)\ (?:out\ of\ range|must\ be\ integers)
    | can\ only\ (?:concatenate|join)\ | must\ be\ (?:str|real\ number|an\ iterable),\ not\ \w+
    | must\ be\ str\ or\ None,\ not | expected\ str(?:ing)?,\ bytes\ or\ os\.PathLike
    | expected\ string\ or\ bytes-like
    | sequence\ item\ \d+:\ expected | not\ all\ arguments\ converted | unhashable\ type
    | not\ enough\ values\ to\ unpack | too\ many\ values\ to\ unpack | cannot\ unpack\ non-iterable
    | \bpop(?:item)?\b.{0,15}\bfrom\ (?:an\ )?empty | \barg\ is\ an\ empty\ sequence
    | \b(?:max|min)\(\)\ iterable\ argument\ is\ empty
    | referenced\ before\ assignment | cannot\ access\ local\ variable
    | [\w>]\(\)\ (?:takes\ (?:\d|no|at|exactly|from) | missing\ (?:\d|required\ arg)
        | got\ (?:an\ unexpected|multiple|some) | arg(?:ument)?\ (?:\d|after|must|should)
        | expected\ (?:a|at|str|int) | must\ be\ (?:\w+\ or|an?)\ | must\ have\ at\ least\ \w+\ arg)
    | (?:dictionary|Set)\ changed\ size | dictionary\ update\ sequence | \bNoneType\b
    | \b(?:module|type\ object)\ '[\w.]+'\ has\ no\ attribute
    | object\ of\ type\ '\w+'\ has\ no\ len
    | \bbad\ operand\ type\ for | can't\ multiply\ sequence\ by | can't\ concat\ \w+\ to
    | requires\ string\ as\ left\ operand | offset-naive\ and\ offset-aware
    | Object\ of\ type\ [\w.]+\ is\ not\ JSON\ serializable
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
    r"|Invalid base64-encoded string|'?No time zone found with key|complex\(\) arg is a malformed"
    r"|non-hexadecimal number found|Invalid literal for Fraction"
    r"|\[<class 'decimal\.ConversionSyntax'>\]"
    r"|ZoneInfo keys m(?:ust|ay)|.{0,200} does not appear to be an IPv"
    r"|.{0,200} is not a valid \w+\Z",
    re.DOTALL,
)
"""What is read has another form: a caller who is told so knows what to do."""
_OPERATION = re.compile(
    r"""(?:\A|(?<=[:>\u2014-]\s)|(?<=[('"\[]))(?:
      (?:integer\ |float\ |complex\ )?(?:floor\ )?(?:division|modulo|division\ or\ modulo)\ by\ zero
    | float\ (?:modulo(?:\ by\ zero)?|divmod\(\)|floor\ division)
    | complex\ (?:modulo|exponentiation)
    | (?:0\.0|zero)\ (?:cannot\ be\ raised\ )?to\ a\ negative(?:\ or\ complex)?\ power
    | Fraction\(-?\d+,\ 0\) | \[(?:,?\ ?<class\ 'decimal\.(?!ConversionSyntax)\w+'>)+\]
    | \(?3[34],\ ['"]Numerical\ (?:result|argument)\ out\ of\ (?:range|domain)['"]\)?
    | Numerical\ (?:result|argument)\ out\ of\ (?:range|domain)
    | math\ (?:domain|range)\ error | expected\ a\ (?:\w+\ input|noninteger\ or\ positive\ integer
        |number\ between\ \S+\ and\ \S+),\ got\ -?[\d.aefint+-]+
    | (?:int|float|Python\ int)\ too\ (?:large|big)\ to\ convert[^\n]{0,40}
    | cannot\ (?:convert\ (?:float\ )?(?:NaN|[Ii]nfinity)|fit\ 'int'\ into)[^\n]{0,40}
    | can't\ convert\ negative\ int\ to\ unsigned | too\ many\ digits\ in\ integer
    | Exceeds\ the\ limit\ \(\d+\ digits\)[^\n]{0,200} | date\ value\ out\ of\ range
    | (?:year|timestamp)\ out\ of\ range\ for\ platform\ time_t[^\n]{0,40}
    | days=-?\d+;\ must\ have\ magnitude[^\n]{0,40} | normalized\ days\ too\ large[^\n]{0,60}
    | (?:\[Errno\ 75\]\ |OSError\(75,\ ')Value\ too\ large\ for\ defined\ data\ type
    | UnicodeEncodeError\('[^\n]{1,300}
    | maximum\ recursion\ depth\ exceeded[^\n]{0,80}
    | '[\w-]+'\ codec\ can't\ encode[^\n]{0,300} | name\ '\w+'\ is\ not\ defined[^\n]{0,80}
    | embedded\ null\ (?:byte|character)
    | isqrt\(\)\ argument[^\n]{0,40} | maxlen\ must\ be\ non-negative
    | factorial\(\)\ (?:not\ defined|argument\ should)[^\n]{0,60}
    | slice\ step\ cannot\ be\ zero | negative\ shift\ count
    | pow\(\)\ 3rd\ argument[^\n]{0,40}
    | (?:chr\(\)\ arg|bytes?\ must\ be)\ (?:not\ )?in\ range\(0[^\n]{0,30} | empty\ separator
    | (?:'[^\n]{0,80}'|-?[\d.]+|None)\ is\ not\ in\ (?:list|deque)
    | \w+\.(?:index|remove)\(x\):\ x\ not\ in\ \w+
    | Sample\ larger\ than\ population[^\n]{0,40} | empty\ range\ (?:for|in)\ rand\w+\([^\n]{0,60}
    | base\ is\ not\ invertible[^\n]{0,40} | Cannot\ choose\ from\ an\ empty\ sequence
    | Single\ '[{}]'\ encountered\ in\ format\ string | incomplete\ format
    | cannot\ switch\ from[^\n]{0,40}field\ [^\n]{0,60}
    | unsupported\ format\ (?:char|string)[^\n]{0,60}
    | Unknown\ format\ code[^\n]{0,60}
    | [^\n]{0,20}\ format:\ a[^\n]{0,20}\ number\ is\ required[^\n]{0,40}
    | not\ enough\ arguments\ for\ format\ string | %c\ requires[^\n]{0,40}
    | [\w-]*\ ?(?:mean|stdev|variance|mode|median|regression|correlation|covariance|quantiles)
        (?:\ for\ empty\ data|\ requires?\ (?:at\ least|a\ non-empty)[^\n]{0,60}
        |\ does\ not\ support\ negative\ values)
    | Out\ of\ range\ float\ values[^\n]{0,40} | index\ out\ of\ bounds\ on\ dimension\ \d+
    | must\ have\ at\ least\ one\ data\ point
    | Replacement\ index\ \d+\ out\ of\ range[^\n]{0,40} | can't\ set\ attribute[^\n]{0,40}
    | 'popitem\(\):\ dictionary\ is\ empty'
    | int\(\)\ can't\ convert\ non-string[^\n]{0,40} | type\ \w+\ doesn't\ define\ __\w+__\ method
    | \w+\ expected\ (?:at\ (?:least|most)\ )?\d+\ arguments?,\ got\ \d+
    | [\w.]+\ first\ arg\ must\ be[^\n]{0,60} | string\ argument\ without\ an\ encoding
    | '[\w.]+'\ object\ is\ not\ (?:reversible|an\ iterator|a\ mapping|awaitable|async[^\n]{0,20})
    | (?:cannot|can't)\ convert\ (?:type\ )?'[\w.]+'\ (?:object\ )?to\ [^\n]{1,40}
    | keys\ must\ be\ str,[^\n]{0,80} | function\ missing\ required\ argument[^\n]{0,60}
    | fromisoformat:\ argument\ must\ be\ str | unsupported\ type\ for\ timedelta[^\n]{0,60}
    | argument\ must\ be\ a\ sequence\ of\ length\ \d+
    | both\ arguments\ should\ be\ Rational[^\n]{0,30}
    | metaclass\ conflict:[^\n]{0,200} | complex\(\)\ can't\ take\ second[^\n]{0,40}
    | super\(\):\ [^\n]{0,40} | module\ name\ must\ be\ a\ string
    | attribute\ name\ must\ be\ string[^\n]{0,40} | memoryview:\ [^\n]{0,80}
    | Population\ must\ be\ a\ sequence[^\n]{0,60} | deque\ mutated\ during\ iteration
    | generator\ (?:raised\ StopIteration|already\ executing)
    | Existing\ exports\ of\ data[^\n]{0,60} | coroutine\ raised\ StopIteration
    )(?:\s?[.!;)'"\]}]){0,6}\s*\Z""",
    re.VERBOSE,
)
"""A clause of its own: an author who means to tell it says more, or less."""
_KEY = re.compile(r"(?:KeyError: ?)?(?:'[^'\n]{0,200}'|\d{1,20})\Z")
"""What is left of a ``KeyError``: the key."""
_DECODING = re.compile(r"'[\w-]+' codec can't decode")
"""Of a file that the caller named, it tells what is wrong with it."""
_QUOTED_KEY = re.compile(r"(?:KeyError\((?='.*'\)\W?\Z))?'[^'\n]{1,200}'\)?\.?\Z")
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
    """Whether an operation failed that no caller can make sense of: by words that only an
    interpreter says, anywhere in ``text``, or by the clause in which it ends."""
    head = text.strip()[:_LONGEST]
    return (_BUG.search(head) or _OPERATION.search(head)) is not None


def reads_as_complaint(text: str) -> bool:
    """Whether ``text`` is nothing but an interpreter's message, without a word of an author's."""
    head = text.strip()[:_LONGEST]
    found = _KEY.match(head) or _DECODING.match(head)
    return found is not None or reads_as_conversion(head) or reads_as_bug(head)


def reads_as_key(text: str) -> bool:
    """Whether ``text`` is nothing but a key in quotation marks, as a failed look-up tells it."""
    return _QUOTED_KEY.match(text.strip()[:_LONGEST]) is not None


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
