"""Passwords that commands take without a name (``sshpass -p``, ``echo … | sudo -S``), and files
whose lines are made of fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from knitbone.record.secrets.values import is_placeholder, strip_quotes

__all__ = ["COMMAND_HINTS", "secrets_in_commands"]

_VALUE = r"(?P<value>\\*\"[^\"\n]{3,256}\"|'[^'\n]{3,256}'|[^\s\"'|&;<>]{3,256})"
_COMMANDS = (
    (b"sshpass", rf"\bsshpass\s+-p\s*{_VALUE}"),
    (b"mysql", rf"\bmysql\w*\b[^\n|;]{{0,200}}?\s-p(?=[^\s-]){_VALUE}"),
    (b"mariadb", rf"\bmariadb[\w-]*\b[^\n|;]{{0,200}}?\s-p(?=[^\s-]){_VALUE}"),
    (b"login", rf"\b(?:docker|podman|helm registry|az|oras)\s+login\b[^\n|;]{{0,200}}?\s-p[ =]{_VALUE}"),  # noqa: E501
    (b"mongo", rf"\bmongo\w*\b[^\n|;]{{0,200}}?\s-p[ =]?{_VALUE}"),
    (b"redis-cli", rf"\bredis-cli\b[^\n|;]{{0,200}}?\s-a[ =]?{_VALUE}"),
    (b"smbclient", rf"\bsmbclient\b[^\n|;]{{0,200}}?\s-U\s*[\"']?[^\s%\"']{{1,64}}%{_VALUE}"),
    (b"sudo -s", rf"\becho\s+(?:-\w+\s+)?{_VALUE}\s*\|\s*sudo\s+-S"),
    (b"chpasswd", rf"\becho\s+[\"']?[\w.-]{{1,64}}:{_VALUE}[\"']?\s*\|\s*(?:sudo\s+)?chpasswd"),
    (b"sqlplus", rf"\bsqlplus\s+(?:-\w+\s+)*[\w$.]{{1,64}}/{_VALUE}(?=@)"),
    (b"pass:", rf"\bpass(?:in|out|wd)?\s+pass:{_VALUE}"),
    (b"-securestring", rf"\bConvertTo-SecureString\s+(?:-String\s+)?{_VALUE}"),
    (b"networkcredential", rf"\bNetworkCredential\(\s*\\*\"[^\"\n]{{1,128}}\"\s*,\s*{_VALUE}"),
    (b" set ", r"\b(?:config\w*|secrets?|env)\s+set\s+[\w.:/-]*(?i:secret|token|passw|key)[\w.-]*[ =]"  # noqa: E501
               rf"{_VALUE}"),
    (b"oracle:thin:", rf"oracle:thin:[\w$.]{{1,64}}/{_VALUE}(?=@)"),
    (b":5432:", r"(?<![\w.*-])[\w.*-]+:5432:[\w.*-]+:[\w.*-]+:(?P<value>[^\s\"'\\]{3,256})"),
    (b"kty", r"\\*[\"'](?:d|p|q|dp|dq|qi|k)\\*[\"']\s{0,4}:\s{0,4}\\*[\"'](?P<value>[\w-]{16,2048})"),  # noqa: E501
)  # fmt: skip
_BEFORE = 512
_AFTER = 8_192
"""Characters before and behind a hint to which a command or a key belongs (ours)."""
COMMAND_HINTS = tuple(hint for hint, _ in _COMMANDS)
"""Without one of these, in small letters, no command holds a password."""
_COMPILED = {hint: re.compile(pattern) for hint, pattern in _COMMANDS}


def secrets_in_commands(
    text: str, folded: bytes, hints: Collection[bytes]
) -> Iterator[tuple[int, int]]:
    """Places of passwords that a command or a line of fields holds by position.

    Args:
        folded: the text in small letters, a byte a character.
        hints: those of ``COMMAND_HINTS`` that it bears.
    """
    for hint in hints:
        pattern = _COMPILED[hint]
        place, done = folded.find(hint), 0
        while place >= 0:
            # Only near its hint can a command be: each part of a text is read once for each.
            end = min(len(text), place + _AFTER)
            for match in pattern.finditer(text, max(done - _BEFORE, place - _BEFORE, 0), end):
                start, stop = strip_quotes(text, *match.span("value"))
                if start < stop and not is_placeholder(text[start:stop]):
                    yield start, stop
            done = end
            place = folded.find(hint, max(place + len(hint), done - _BEFORE))
