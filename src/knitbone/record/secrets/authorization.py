"""Credentials behind an authentication scheme: ``Authorization: Bearer ...``, ``Basic ...``.

Source: RFC 9110 section 11.6 (the header), RFC 7617 (``Basic``).
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error

from knitbone.record.secrets.value_spans import (
    Span,
    rest_of_line,
    skip_quote,
    span_without_quotes,
)
from knitbone.record.secrets.values import is_placeholder, is_random

__all__ = ["credentials_of_scheme", "scheme_at", "secret_after_scheme"]

_SCHEME = re.compile(
    r"(?i:(bearer|basic|token|apikey|negotiate|ntlm|digest|key|aws4-hmac-sha256))[ =]+"
)
_ANY_SCHEME = re.compile(r"([A-Za-z][\w-]{1,24})[ =]+(?=[^\s=:]{8})")
"""A scheme of somebody's own, which only a header of that name makes one."""
_ALWAYS = ("bearer", "basic")
"""Schemes that announce a credential whatever the name before them is."""
_OF_A_LINE = ("digest", "aws4-hmac-sha256")
"""Schemes whose credentials are several fields."""
_SHORTEST = 8
"""Characters of the shortest credential (ours)."""


def scheme_at(text: str, place: int, name: str) -> re.Match[str] | None:
    """Return the scheme at the place of a value, where it makes the value a credential.

    Args:
        name: of the value, in small letters.
    """
    pattern = _ANY_SCHEME if name.endswith("authorization") else _SCHEME
    scheme = pattern.match(text, skip_quote(text, place))
    if scheme is None:
        return None
    announced = name.endswith(("authorization", "auth")) or scheme[1].lower() in _ALWAYS
    return scheme if announced else None


def credentials_of_scheme(text: str, scheme: re.Match[str]) -> Span | None:
    """Return the span of what a named scheme is given: a value, or the rest of its line."""
    value = span_without_quotes(text, scheme.end())
    if value is None or is_placeholder(text[slice(*value)]):
        return None
    if not _is_credential(text[slice(*value)]):
        return None
    return rest_of_line(text, scheme.end()) if scheme[1].lower() in _OF_A_LINE else value


def secret_after_scheme(text: str, place: int) -> Span | None:
    """Return the span of a credential behind ``Bearer`` or ``Basic`` without a name before it."""
    scheme = _SCHEME.match(text, place)
    span = span_without_quotes(text, scheme.end()) if scheme else None
    if scheme is None or span is None:
        return None
    value = text[slice(*span)]
    fits = _names_user(value) if scheme[1].lower() == "basic" else _is_credential(value)
    return span if fits and not is_placeholder(value) else None


def _is_credential(value: str) -> bool:
    """Return whether it is a credential rather than a word of a sentence."""
    if len(value) < _SHORTEST:
        return False
    varied = any(map(str.isdigit, value)) or value[1:] != value[1:].lower()
    return (varied and not value.rstrip(".,:;").isalpha()) or is_random(value) or _names_user(value)


def _names_user(value: str) -> bool:
    """Return whether it is base64 of ``user:password``."""
    if len(value) < _SHORTEST:
        return False
    try:
        return b":" in b64decode(value.rstrip(".,") + "==", altchars=b"-_", validate=False)
    except (Error, ValueError):
        return False
