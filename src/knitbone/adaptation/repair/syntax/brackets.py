"""Brackets that are missing, mismatched or superfluous.

A missing bracket can be put in more than one place. Every place in its statement is tried: if all
programs that come out are the same, or all others are such as nobody writes, the place is known;
otherwise ``f(a + b`` may be ``f(a) + b`` as well as ``f(a + b)``, and the answer is refused.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, pairwise
from math import comb

import msgspec

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import CLOSER_OF, OPENER_OF, Token, code_tokens
from knitbone.adaptation.repair.syntax.records import Language, Scene
from knitbone.adaptation.repair.syntax.uniqueness import statement_start, unique_repair

__all__ = ["MAX_DEPTH", "max_depth", "propose_brackets"]

MAX_DEPTH = 100
"""Open brackets at a time beyond which nothing is repaired (CPython's own limit is 200)."""
_MAX_TRIES = 150
"""Placements tried for one fault: a statement of 150 tokens with one bracket missing, or of 16
with two. More would leave the time budget, and are hardly ever unique."""
_PYTHON_NAMES = (
    frozenset(dir(builtins)),
    frozenset(name for kind in (str, list, dict, set, tuple, slice, bytes) for name in dir(kind)),
)
_MAX_LINES = 40
"""Lines that a bracket may span where its closer is missing."""


_CONTINUATIONS = tuple(",+-*/=")
"""Characters that no statement ends with. An opener is left out: what follows it stands deeper."""


class _Problem(msgspec.Struct, frozen=True, kw_only=True):
    """The first bracket that does not fit."""

    unclosed: tuple[Token, ...] = ()
    """Openers without a closer, the innermost last."""
    closer: Token | None = None
    """The closer that does not fit; ``None`` at the end of the text."""
    opener: Token | None = None
    """The opener that the closer does not fit."""


def max_depth(brackets: Iterable[Token]) -> int:
    """Return the greatest number of brackets that are open at a time."""
    deepest = level = 0
    for bracket in brackets:
        level = level + 1 if bracket.text in CLOSER_OF else max(level - 1, 0)
        deepest = max(deepest, level)
    return deepest


def propose_brackets(language: Language, scene: Scene) -> Iterator[RepairProposal]:
    """Propose repairs of the first bracket that does not fit."""
    problem = _first_problem(scene.brackets)
    if problem is None:
        return
    if problem.unclosed:
        if language.blocks_end and _ends_line(scene, problem.unclosed[-1]):
            return  # a block: by its indentation, see ``brace_blocks``
        yield from _close(language, scene, problem)
    elif problem.closer is not None:
        yield from _fix_misfit(language, scene, problem.closer, problem.opener)


def _first_problem(brackets: list[Token]) -> _Problem | None:
    """Return the first bracket that does not fit; ``None`` where all do."""
    stack: list[Token] = []
    for token in brackets:
        if token.text in CLOSER_OF:
            stack.append(token)
        elif stack and stack[-1].text == OPENER_OF[token.text]:
            stack.pop()
        else:
            match = next(
                (
                    i
                    for i in range(len(stack) - 1, -1, -1)
                    if stack[i].text == OPENER_OF[token.text]
                ),
                None,
            )
            if match is None:
                return _Problem(closer=token, opener=stack[-1] if stack else None)
            return _Problem(unclosed=tuple(stack[match + 1 :]), closer=token)
    return _Problem(unclosed=tuple(stack)) if stack else None


def _ends_line(scene: Scene, token: Token) -> bool:
    if token.text != "{":
        return False
    _, end = scene.line(token.start)
    return not scene.text[token.end : end].strip()


def _close(language: Language, scene: Scene, problem: _Problem) -> Iterator[RepairProposal]:
    """Propose closers inside the statement of the openers."""
    unclosed = problem.unclosed
    if problem.closer is None:
        # Those that later lines leave open are later faults.
        line_end = _region_end(language, scene, unclosed[0])
        unclosed = tuple(opener for opener in unclosed if opener.start < line_end)
    else:
        line_end = min(problem.closer.start, _region_end(language, scene, unclosed[0]))
    places = _closer_positions(scene, unclosed[-1], line_end)
    count = len(unclosed)
    if not places or comb(len(places) + count - 1, count) > _MAX_TRIES:
        return
    closers = [CLOSER_OF[opener.text] for opener in reversed(unclosed)]
    candidates: list[RepairProposal] = []
    rule = f'missing "{"".join(closers)}" added'
    for chosen in combinations_with_replacement(places, count):
        at_end = not scene.text[chosen[-1] :].strip()
        candidates.append(proposal(_close_edits(chosen, closers), rule, at_end=at_end))
    start = statement_start(scene.tokens, unclosed[0])
    end = _statement_end(scene, problem, line_end)
    yield from unique_repair(language, scene, candidates, start, end)


def _close_edits(positions: tuple[int, ...], closers: list[str]) -> list[Edit]:
    texts: dict[int, str] = {}
    for position, closer in zip(positions, closers, strict=True):
        texts[position] = texts.get(position, "") + closer
    return [Edit(position, position, text) for position, text in texts.items()]


def _closer_positions(scene: Scene, opener: Token, end: int) -> list[int]:
    """Return the positions behind tokens where a closer may stand."""
    tokens, start = scene.tokens, opener.end
    found: list[int] = []
    inside = [token for token in code_tokens(tokens) if start <= token.start < end]
    if not inside and any(t.start == end and t.kind == "operator" for t in tokens):
        return [start]  # ``f(;``
    if _may_be_empty(inside, start):
        found.append(start)
    owners = _owners(tokens)
    for index, token in enumerate(inside):
        following = inside[index + 1] if index + 1 < len(inside) else None
        star = token.text == "*" and index == 0  # ``COUNT(*``
        if not (star or _ends_item(scene, token, following)):
            continue
        if following is not None and _item_continues(opener, token, following, owners):
            continue
        found.append(token.end)
    return found


def _may_be_empty(inside: Sequence[Token], start: int) -> bool:
    """Return whether the bracket may close right away: what follows can stand behind it."""
    if inside and inside[0].start == start and inside[0].text in ("[", ".", ","):
        return True  # ``f([0]`` may be ``f()[0]``
    # ``f( - 1`` may be ``f() - 1``
    return len(inside) > 1 and inside[0].text in ("-", "+") and inside[1].start > inside[0].end


def _ends_item(scene: Scene, token: Token, following: Token | None) -> bool:
    """Return whether an item can end with a token."""
    if token.text == ",":  # so may a list, and so does a tuple of one item
        if following is None or following.kind == "operator":
            return True
        return "\n" in scene.text[token.end : following.start]
    return token.kind in ("name", "number", "string") or token.text in OPENER_OF


def _item_continues(opener: Token, token: Token, following: Token, owners: set[str]) -> bool:
    """Return whether an item goes on, because nobody writes a closer between two such tokens."""
    adjoins = following.text if following.start == token.end else ""
    if adjoins == "(" or (opener.text == "{" and adjoins in ("[", ".")):
        return True  # ``f)(x)``, ``a}[0]``
    return following.text == "." and token.text in owners  # ``os).path``: of a module


def _owners(tokens: list[Token]) -> set[str]:
    """Return the names of modules, and of the object itself."""
    names = {"self", "cls", "this", "super"}
    code = code_tokens(tokens)
    names.update(after.text for before, after in pairwise(code) if before.text in ("import", "as"))
    return names


def _region_end(language: Language, scene: Scene, opener: Token) -> int:
    """Return where the region of the closer ends: with the lines that are indented under the
    opener's."""
    text = scene.text
    if not language.line_statements and not language.blocks_end:
        semicolon = text.find(";", opener.end)
        return semicolon if semicolon > 0 else len(text)
    start, end = scene.line(opener.start)
    if _is_header(language, text[start:end]):
        return end
    semicolon = text.find(";", opener.end, end)
    if language.blocks_end and semicolon > 0:
        return semicolon
    indent = _indent(text[start:end])
    for _ in range(_MAX_LINES):
        if end >= len(text):
            return len(text)
        following, following_end = scene.line(end + 1)
        line = text[following:following_end]
        goes_on = text[start:end].rstrip()[-1:] in _CONTINUATIONS or line.lstrip()[:1] in tuple(
            OPENER_OF
        )
        if line.strip() and _indent(line) <= indent and not goes_on:
            return end
        start = following
        end = following_end
    return end


def _is_header(language: Language, line: str) -> bool:
    """Return whether what follows is a block, not the rest of the bracket: ``if f(x:``."""
    before, after = language.enclose(line, 0, len(line))
    del before
    return bool(after)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _statement_end(scene: Scene, problem: _Problem, region_end: int) -> int:
    if problem.closer is None:
        return region_end
    level = 0
    for token in scene.tokens:
        if token.start < problem.closer.start:
            continue
        if token.kind == "bracket":
            level += 1 if token.text in CLOSER_OF else -1
        elif token.kind == "newline":
            return token.start
    return len(scene.text)


def _fix_misfit(
    language: Language, scene: Scene, closer: Token, opener: Token | None
) -> Iterator[RepairProposal]:
    """Propose repairs for a closer without its opener.

    Another closer was meant, an opener is missing, or neither.
    """
    first = opener or closer
    start = statement_start(scene.tokens, first)
    if opener is None and not scene.text[start : closer.start].strip() and start:
        # The statement before it ended too early.
        start = statement_start(scene.tokens, first, before=start)
    _, end = scene.line(closer.start)
    code = [t for t in code_tokens(scene.tokens) if start <= t.start < closer.end]
    if len(code) > _MAX_TRIES or _hides_opener(language, scene, code):
        return
    if opener is not None:
        # Where the statement ends depends on what the closer should have been.
        start, end = 0, len(scene.text)
    candidates = [*_removal_proposals(code, closer)]
    if opener is not None:
        right = CLOSER_OF[opener.text]
        edit = Edit(closer.start, closer.end, right)
        candidates.append(proposal([edit], f'"{closer.text}" -> "{right}"'))
    # A pair that changes nothing is no repair: the name of a call may be what is missing.
    known = {candidate.edits for candidate in candidates}
    lone = [
        proposal([Edit(token.start, token.end, "")], "")
        for token in code
        if token.text == closer.text and (Edit(token.start, token.end, ""),) not in known
    ]
    # Where braces enclose statements, an opener fits almost anywhere: see ``brace_blocks``.
    openers = (
        [] if language.blocks_end and closer.text == "}" else [*_opener_proposals(code, closer)]
    )
    yield from unique_repair(language, scene, candidates, start, end, openers=openers, lone=lone)


def _opener_proposals(code: list[Token], closer: Token) -> Iterator[RepairProposal]:
    """Propose openers that may be missing; without a rule where one only speaks against a
    removal."""
    missing = OPENER_OF[closer.text]
    for before, token in pairwise([*code[:1], *code]):
        if token.text in OPENER_OF or token.text in (",", ";", ":"):
            continue  # an empty bracket: ``f(x())``
        operand = before.kind in ("name", "number", "string") or before.text in OPENER_OF
        if token.kind == "operator" and operand:
            continue  # ``n (+ 1)``
        adjoins = before.kind == "name" and token.start == before.end
        # ``x([0]``, ``printf"...")``: what was one expression is hardly two.
        weak = adjoins and (token.text in CLOSER_OF or before.text[-1:] in "bBfFrRuU")
        edit = Edit(token.start, token.start, missing)
        yield proposal([edit], "" if weak else f'missing "{missing}" added')


def _removal_proposals(code: list[Token], closer: Token) -> Iterator[RepairProposal]:
    """Propose the removal of one of several closers in a row; a closer by itself rather lacks its
    opener."""
    for index, token in enumerate(code):
        around = (*code[max(index - 1, 0) : index], *code[index + 1 : index + 2])
        if token.text == closer.text and any(t.text in OPENER_OF for t in around):
            edit = Edit(token.start, token.end, "")
            yield proposal([edit], f'superfluous "{closer.text}" removed')


def _hides_opener(language: Language, scene: Scene, code: list[Token]) -> bool:
    """Return whether the opener was lost between two names, or before a call's closer:
    ``printlen(x))``, ``print(x.upper))``."""
    names = Counter(token.text for token in scene.tokens if token.kind == "name")
    functions, methods = _PYTHON_NAMES if language.name == "python" else (frozenset[str](),) * 2
    known = functions | methods | names.keys()
    for before, token in pairwise([*code[:1], *code]):
        word = token.text
        if token.kind != "name" or before.text in ("def", "class", "function"):
            continue
        unknown = names[word] == 1 and word not in functions and word not in methods
        if unknown and _is_two_names(word, known, functions | methods):
            return True
        called = word in methods if before.text == "." else word == "input"
        if called and scene.text[token.end : token.end + 2] in ("))", ")]", ")}"):
            return True
    return False


def _is_two_names(word: str, known: Collection[str], functions: Collection[str]) -> bool:
    """Return whether a word falls into two known names, or into a function and another name."""
    for cut in range(1, len(word)):
        head, tail = word[:cut], word[cut:]
        long = max(len(head), len(tail)) > 2
        if long and head in known and (tail in known or tail.isdecimal()):
            return True
        if cut > 3 and head in functions and tail[0] != "_":
            return True
        if len(tail) > 3 and tail in functions and head[-1] != "_":
            return True
    return False
