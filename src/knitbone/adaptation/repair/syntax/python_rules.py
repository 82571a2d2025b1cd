"""Rules for slips of models in Python, beside those for brackets, strings and commas.

Each function is the ``propose`` of a rule: it looks at a program and proposes edits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import HEADERS, Token, code_tokens
from knitbone.adaptation.repair.syntax.records import Scene

__all__ = [
    "colons",
    "comments",
    "conditions",
    "increments",
    "negations",
    "nested_quotes",
    "other_keywords",
    "python_2",
    "upper_operators",
]

_PRINT = re.compile(r"print\b[\s\\]*[\w\"'.]")
_EXCEPT = re.compile(r"except\b[^:]{0,200}?,")
_OTHER_ELSE = re.compile(r"els(?:e[\s\\]*)?if\b")
"""Without these a text need not be cut into tokens for the rules."""
_NESTED = re.compile(
    r"\b[rR]?[fF][rR]?\"[^\"\n{}]*(?:\{[^\"\n{}]*(?:\"\w[\w ]*\"[^\"\n{}]*)*\}[^\"\n{}]*)+\""
)


def colons(scene: Scene) -> Iterator[RepairProposal]:
    """Add a missing colon, ``if x > 3``, at the end of a header whose next line is indented."""
    start, end = scene.line(max(min(scene.fault.offset, len(scene.text)) - 1, 0))
    for begin, finish in ((start, end), scene.line(max(start - 1, 0))):
        code = code_tokens(scene.between(begin, finish))
        if not code or code[0].text not in HEADERS or code[-1].text in (":", ",", "\\", "("):
            continue
        following = scene.text[finish + 1 :].split("\n", 1)[0]
        indent = code[0].start - begin
        if len(following) - len(following.lstrip()) <= indent or not following.strip():
            continue
        place = code[-1].end
        if code[-1].text in (";", "{", "->"):
            continue
        yield proposal([Edit(place, place, ":")], "missing colon added")


def python_2(scene: Scene) -> Iterator[RepairProposal]:
    """Replace ``print "x"`` and ``except E, e:`` of Python 2, wherever they stand."""
    if not _PRINT.search(scene.text) and not _EXCEPT.search(scene.text):
        return
    edits: list[Edit] = []
    prints = excepts = 0
    for line in scene.statements:
        first, rest = line[0], line[1:]
        if first.text == "print" and rest and _print_argument(rest):
            edits.append(Edit(first.end, rest[0].start, "("))
            edits.append(Edit(rest[-1].end, rest[-1].end, ")"))
            prints += 1
        elif first.text == "except" and len(rest) >= 4 and _names_error(rest):
            edits.append(Edit(rest[-3].start, rest[-2].start, " as "))
            excepts += 1
    if edits:
        told = [f"{prints} print statements -> calls"] * bool(prints)
        told += [f'{excepts} "except E, e" -> "as"'] * bool(excepts)
        yield proposal(edits, "; ".join(told))


def _print_argument(rest: list[Token]) -> bool:
    first = rest[0]
    operand = first.kind in ("string", "name", "number") and first.text not in ("in", "is", "if")
    plain = all(token.text not in (";", "=", "+=") for token in rest)
    return operand and plain and rest[-1].text != ","


def _names_error(rest: list[Token]) -> bool:
    comma, name, colon = rest[-3:]
    simple = all(t.kind == "name" or t.text == "." for t in rest[:-3])
    return comma.text == "," and name.kind == "name" and colon.text == ":" and simple


def other_keywords(scene: Scene) -> Iterator[RepairProposal]:
    """Replace ``else if``, ``elseif`` and ``elsif`` of other languages."""
    if not _OTHER_ELSE.search(scene.text):
        return
    edits: list[Edit] = []
    for line in scene.statements:
        if line[-1].text != ":" or len(line) < 3:
            continue
        if line[0].text == "else" and line[1].text == "if":
            edits.append(Edit(line[0].start, line[1].end, "elif"))
        elif line[0].text in ("elseif", "elsif"):
            edits.append(Edit(line[0].start, line[0].end, "elif"))
    if edits:
        yield proposal(edits, f'"else if" -> "elif" in {len(edits)} places')


def comments(scene: Scene) -> Iterator[RepairProposal]:
    """Replace ``// text`` on a line of its own by a comment of Python."""
    if "//" not in scene.text:
        return
    edits = [
        Edit(line[0].start, line[1].end, "#")
        for line in scene.statements
        if len(line) > 1 and line[0].text == line[1].text == "/" and line[0].end == line[1].start
    ]
    if edits:
        yield proposal(edits, f"// -> # before {len(edits)} comments")


def increments(scene: Scene) -> Iterator[RepairProposal]:
    """Replace ``i++`` as a statement."""
    if "++" not in scene.text and "--" not in scene.text:
        return
    edits: list[Edit] = []
    for line in scene.statements:
        tail = "".join(token.text for token in line[1:]).rstrip(";")
        if line[0].kind == "name" and tail in ("++", "--"):
            edits.append(Edit(line[1].start, line[-1].end, f" {tail[0]}= 1"))
    if edits:
        yield proposal(edits, f'"++" -> "+= 1" in {len(edits)} statements')


def conditions(scene: Scene) -> Iterator[RepairProposal]:
    """Replace the equals sign in ``if x = 3:``.

    With a call on the right ``:=`` might be meant, so only with a literal.
    """
    if "if" not in scene.text:
        return
    for line in scene.statements:
        if line[0].text not in ("if", "elif") or abs(line[0].start - scene.fault.offset) > 500:
            continue
        for index, token in enumerate(line[:-1]):
            right = line[index + 1]
            literal = right.kind in ("string", "number") or right.text in ("None", "True", "False")
            if token.text == "=" and literal:
                yield proposal([Edit(token.start, token.end, "==")], '"=" -> "==" in a condition')


def nested_quotes(scene: Scene) -> Iterator[RepairProposal]:
    """Change the inner quotes of ``f"{d["key"]}"``: before Python 3.12 they have to differ."""
    if 'f"' not in scene.text.lower():
        return
    edits: list[Edit] = []
    for match in _NESTED.finditer(scene.text):
        inner = [p for p in range(match.start(), match.end()) if scene.text[p] == '"'][1:-1]
        if inner and "'" not in match.group():
            edits += [Edit(place, place + 1, "'") for place in inner]
    if edits:
        yield proposal(edits, "quotes inside an f-string -> '")


def negations(scene: Scene) -> Iterator[RepairProposal]:
    """Replace ``!x``, and ``! (x)``, of C."""
    if "!" not in scene.text:
        return
    edits: list[Edit] = []
    tokens = scene.tokens
    for index, token in enumerate(tokens[:-1]):
        if token.text != "!" or token.kind != "operator":
            continue
        line = scene.text[scene.text.rfind("\n", 0, token.start) + 1 :].partition("\n")[0]
        if line.count("'") % 2 or line.count('"') % 2:
            return  # the sign may belong to the string whose quote is missing
        before = next((t for t in reversed(tokens[:index]) if t.kind != "space"), None)
        opens = (
            before is None
            or before.kind in ("newline", "operator")
            or (before.text in ("(", "[", "{", "if", "elif", "while", "and", "or", "not", "return"))
        )
        operand = tokens[index + 1]
        if not opens or not (operand.kind == "name" or operand.text == "("):
            return
        edits.append(Edit(token.start, token.end, "not "))
    if edits:
        yield proposal(edits, f'"!" -> "not" in {len(edits)} places')


_UPPER = {"AND": "and", "OR": "or", "NOT": "not"}


def upper_operators(scene: Scene) -> Iterator[RepairProposal]:
    """Replace ``a AND b`` of SQL: two operands without an operator between them are no Python."""
    if not any(word in scene.text for word in _UPPER):
        return
    edits: list[Edit] = []
    code = [None, *scene.code, None]
    for before, token, after in zip(code, code[1:], code[2:], strict=False):
        if token is None or token.kind != "name" or token.text not in _UPPER or after is None:
            continue
        operand = after.kind in ("name", "number", "string") or after.text in ("(", "[", "{", "-")
        led = before is not None and (
            before.kind in ("name", "number", "string") or before.text in (")", "]", "}")
        )
        if operand and (token.text == "NOT" or led):
            edits.append(Edit(token.start, token.end, _UPPER[token.text]))
    if edits:
        yield proposal(edits, f"{len(edits)} operators written in lower case")
