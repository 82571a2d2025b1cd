r"""The backslashes of a text in broken JSON, as JSON writes them.

One that JSON has no meaning for (``"C:\dir"``) shows that whoever wrote the text does not escape
backslashes. Then the others of the same text are in doubt: in ``"C:\dir\new"`` the second is no
line break. They are all literal in a path or a regular expression; beside LaTeX and Markdown only
those of a command are (``\(a \neq b\)\n``). Else there is no reading that is sure.

Source: RFC 8259 §7.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["BACKSLASH", "IN_DOUBT", "Escaped", "doubtful_beside_literal", "escaped"]

BACKSLASH = "backslash in a text escaped"
"""The rule that says that the document has literal backslashes."""
IN_DOUBT = "which backslashes are escapes is not sure"
"""Why a text is not read."""


class Escaped(NamedTuple):
    """The inside of a text as JSON writes it."""

    json: str
    rules: dict[str, int]
    """Kind of edit -> how many."""


_COMMANDS = frozenset(
    """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi
    pi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi
    Psi Omega frac dfrac tfrac sqrt sum prod int iint oint lim sin cos tan cot sec csc arcsin
    arccos arctan sinh cosh tanh log ln exp max min sup inf det dim ker gcd binom left right big
    Big bigg begin end text textbf textit textrm mathrm mathbf mathbb mathcal mathit mathsf
    operatorname bar hat vec dot ddot tilde overline underline overrightarrow boxed bold
    boldsymbol bmod pmod times div cdot cdots ldots dots pm mp leq le geq ge neq ne approx equiv
    sim simeq cong propto ll gg in notin ni subset subseteq supset cup cap setminus emptyset
    forall exists neg not nexists land lor wedge vee to rightarrow leftarrow Rightarrow
    Leftarrow leftrightarrow mapsto implies iff uparrow downarrow nabla partial infty angle
    triangle perp parallel nparallel circ bullet star ast oplus otimes langle rangle lfloor
    rfloor lceil rceil quad qquad because therefore mid nmid top bot prime degree item label ref
    cite emph section newline noindent tag rm tt bf underbrace overbrace stackrel substack
    limits nolimits bigcup bigcap Re Im hbar ell
    """.split()  # noqa: SIM905 - words, not lines of quotes
)
"""Commands of LaTeX that stand in answers (ours)."""
_TOKEN = re.compile(r'\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[A-Za-z]|\\.|["\\\x00-\x1f]', re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{1,20}")
_OWN = frozenset('"/')
"""Escapes that mean the same everywhere."""
_OTHER_LANGUAGE = frozenset("'`")
_CONTROL = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_ROOT = r"(?:[A-Za-z]:|\.{1,2}|~|%\w{1,40}%)"
_PART = r'[^\\/:*?"<>|\x00-\x1f]'
_NAME = r"[\w.$@-]"
_PATH = re.compile(
    rf"(?:{_ROOT}(?:\\{{1,2}}{_PART}+)+\\{{0,2}}"
    rf"|\\\\{_NAME}{{2,}}(?:\\{_PART}+)+\\?"
    rf"|{_NAME}*(?:\\{{1,2}}[A-Za-z0-9]{_NAME}*)+\\?)",
    re.ASCII,
)
"""From a drive or a place like it; from a server; or of names without blanks."""
_EXPRESSION = re.compile(r"(?:[^\\\s]|\\(?:[dwsDWSbBAZzntrfvpPk]|[^\sA-Za-z]))+")
_REPEATS = re.compile(r"\\[dwsDWS][+*?{\]]|[)\]][+*?{]|\A\^|\$\Z")
_BESIDE_LITERAL = re.compile(
    r'"[A-Za-z]:(?:[^"\\]|\\[\\/])*\\[bfnrtu]|(?<!\\)(?:\\\\)*\\(?:[bf]|([nrt][a-z]+))'
)


def escaped(content: str) -> Escaped | None:
    """The inside of a text as JSON writes it; ``None`` where more than one reading is left."""
    literal = _literal_places(content)
    if literal is None:
        return None
    said: dict[str, int] = {}

    def write(match: re.Match[str]) -> str:
        piece = match.group()
        rule, written = _written(piece, in_doubt=match.start() in literal)
        if rule:
            said[rule] = said.get(rule, 0) + 1
        return written

    return Escaped(_TOKEN.sub(write, content), said)


def doubtful_beside_literal(json: str) -> bool:
    r"""Tell whether a mended document with literal backslashes has escapes that may be some as
    well.

    ``\b`` and ``\f`` are never meant in an answer; ``"C:\new"`` and ``\times`` are no white space.
    """
    return any(
        match.group(1) is None or match.group(1) in _COMMANDS
        for match in _BESIDE_LITERAL.finditer(json)
    )


def _is_stray(piece: str) -> bool:
    """Tell whether JSON has no meaning for it, nor another language that writes texts alike."""
    if piece[0] != "\\" or len(piece) != 2:
        return len(piece) == 1 and piece == "\\"
    return piece[1] not in "\\bfnrt" and piece[1] not in _OWN | _OTHER_LANGUAGE


def _literal_places(content: str) -> frozenset[int] | None:
    """Where a backslash is one although it could be an escape; ``None`` where that is not known."""
    pieces = list(_TOKEN.finditer(content))
    strays = [match for match in pieces if _is_stray(match.group())]
    if not strays:
        return frozenset()
    if any(len(match.group()) == 6 for match in pieces):
        return None  # who writes one character by its number means the others so, too
    if _PATH.fullmatch(content):
        # Doubled ones inside are escaped already; in front of a server's name both are meant.
        return frozenset(m.start() for m in pieces if m.start() == 0 or m.group() != "\\\\")
    if any(match.group() == "\\\\" for match in pieces):
        return None
    if _EXPRESSION.fullmatch(content) and _REPEATS.search(content):
        return frozenset(match.start() for match in pieces if match.group()[1:] not in _OWN)
    return _beside_markup(content, pieces, strays)


def _beside_markup(
    content: str, pieces: list[re.Match[str]], strays: list[re.Match[str]]
) -> frozenset[int] | None:
    marked_up = all(
        not match.group()[1:].isalpha() or _command(content, match) in _COMMANDS for match in strays
    )
    literal: set[int] = set()
    for match in pieces:
        piece = match.group()
        if piece in ("\\b", "\\f") or _command(content, match) in _COMMANDS:
            literal.add(match.start())
        elif not marked_up and (len(piece) > 2 or piece in ("\\n", "\\r", "\\t")):
            return None
    return frozenset(literal)


def _command(content: str, match: re.Match[str]) -> str:
    """The letters behind a backslash."""
    word = _WORD.match(content, match.start() + 1) if match.group()[0] == "\\" else None
    return word.group() if word else ""


def _written(piece: str, *, in_doubt: bool) -> tuple[str, str]:
    """The rule, empty where nothing changes, and how JSON writes the piece."""
    if piece == '"':
        return "quote in a text escaped", '\\"'
    if piece[0] != "\\":
        rule = "line break in a text escaped" if piece in "\n\r" else "control character escaped"
        return rule, _CONTROL.get(piece, f"\\u{ord(piece):04x}")
    tail = piece[1:]
    if in_doubt:
        return BACKSLASH, "\\\\" + ("\\\\" if tail == "\\" else tail)
    if len(piece) == 6 or (tail and tail in '"\\/bfnrt'):
        return "", piece
    if tail and tail in _OTHER_LANGUAGE:
        return "needless escape removed", tail
    if len(piece) == 4:
        return "escape of another language rewritten", f"\\u00{tail[1:]}"
    if not tail or tail >= " ":
        return BACKSLASH, "\\\\" + tail
    return BACKSLASH, "\\\\" + _CONTROL.get(tail, f"\\u{ord(tail):04x}")
