"""Whether another document lies as near: ``python -m knitbone_evals.documents.ties``.

A text is *tied* when as few changed characters as give the original give another document with
another value that the target accepts. All single-character edits of the text are tried, over an
alphabet of structural characters, quotes, backslash, digits and some letters, and the characters of
the fault; each candidate is parsed and validated. No reader's costs are in it.

``SAME``: the edit that gives the original gives another value elsewhere, not counting blanks around
texts. ``ANY``: another edit of one character does, such as one that writes a quote over the last
letter of a text whose closing quote is lost. Bounds, all on the side of fewer ties:

* places up to ``REACH`` characters from the fault, of XML and CSV ``NEAR``;
* ``INVALID`` where the text parses and only its value is wrong;
* no place behind the first character that no document continues (JSON and Python);
* of faults that ``n`` changed characters take back, edits of one character, and one edit of one
  character in place of one of the ``n``; where more than ``LEFT_OUT`` are lost, the document
  without one of them, at ``SPREAD`` places;
* ``CHECKS`` parsed candidates of JSON and Python that the automaton passes.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import time
from collections.abc import Iterable, Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from knitbone_evals.documents.faults import Case, Edit, cases, changed
from knitbone_evals.documents.forms import RejectedError, accepted, same
from knitbone_evals.documents.shapes import HALVES

__all__ = ["ANY", "NONE", "SAME", "kept", "tie"]

NONE, ANY, SAME = "-", "a", "s"
REACH, NEAR, INVALID, LEFT_OUT, SPREAD, CHECKS = 4000, 250, 12, 8, 150, 1500
KEPT = Path(__file__).with_name("ties.txt")
"""One line a half: seed, half, digest of the texts, one letter a case."""

_ALPHABET = {
    "json": '{}[],:"\\ \n0129.-abAB',
    "python": "{}[],:'\"()\\ \n0129.-abAB",
    "xml": "<>/=\"'& ab0",
    "csv": ',"\n a0',
}


def tie(case: Case) -> str:
    """``SAME``, ``ANY`` or ``NONE``."""
    steps = [step for mend in case.mends for step in _steps(mend)]
    checks = Checks(case)
    if len(steps) == 1:
        only = steps[0]
        if checks.other(_candidates(case.text, checks, only, alike=True), blanks=False):
            return SAME
        return ANY if checks.other(_candidates(case.text, checks, only)) else NONE
    many = len(steps) > LEFT_OUT
    if many and checks.other(_shorter(case)):
        return ANY
    for mend in case.mends:
        if checks.other(_candidates(case.text, checks, mend)):
            return ANY
    if many:
        return NONE
    for index, step in enumerate(steps):
        others = [*steps[:index], *steps[index + 1 :]]
        text = _applied(case.text, others)
        moved = sum(
            len(each.new) - len(each.old)
            for place, each in enumerate(others)
            if place < index
        )  # fmt: skip
        left = step._replace(at=step.at + moved)
        if checks.other(_candidates(text, checks, left)):
            return ANY
    return NONE


class Checks:
    """Parses and validates candidates of a case, up to a number."""

    def __init__(self, case: Case) -> None:
        self.document = case.document
        self.left = CHECKS if case.document.syntax in ("json", "python") else 10**9

    def value(self, text: str) -> Any:
        return accepted(text, self.document.form, self.document.target)

    def other(self, texts: Iterable[str], *, blanks: bool = True) -> bool:
        """Whether one of the texts is accepted with another value than the document's."""
        right = self.document.value if blanks else _bare(self.document.value)
        for text in texts:
            if self.left <= 0:
                return False
            self.left -= 1
            try:
                value = self.value(text)
            except RejectedError:
                continue
            if not same(value if blanks else _bare(value), right):
                return True
        return False


def _bare(value: Any) -> Any:
    """A value without the blanks around its texts."""
    if isinstance(value, dict):
        return {str(key).strip(): _bare(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_bare(each) for each in value]
    return value.strip() if isinstance(value, str) else value


def _shorter(case: Case) -> Iterator[str]:
    """The document without one of the characters that are lost, at places spread over them."""
    whole = case.document.text
    for mend in case.mends:
        places = range(mend.at, mend.at + len(mend.new))
        for at in places[:: max(1, len(places) // SPREAD)]:
            yield whole[:at] + whole[at + 1 :]


def _steps(mend: Edit) -> list[Edit]:
    """An edit as edits of one character, all in the places of the same text."""
    size = min(len(mend.old), len(mend.new))
    pairs = zip(mend.old[:size], mend.new[:size], strict=True)
    steps = [Edit(mend.at + n, old, new) for n, (old, new) in enumerate(pairs) if old != new]
    steps += [Edit(mend.at + size + n, old, "") for n, old in enumerate(mend.old[size:])]
    steps += [Edit(mend.at + size, "", new) for new in mend.new[size:]]
    return steps


def _applied(text: str, steps: list[Edit]) -> str:
    """Like ``changed``; several may be inserted at one place, in their order."""
    merged: list[Edit] = []
    for step in steps:
        if merged and not step.old and not merged[-1].old and merged[-1].at == step.at:
            merged[-1] = merged[-1]._replace(new=merged[-1].new + step.new)
        else:
            merged.append(step)
    return changed(text, tuple(merged))


def _candidates(text: str, checks: Checks, mend: Edit, *, alike: bool = False) -> Iterator[str]:
    """Texts at one edit that may be accepted, from the fault outwards; only by edits that write the
    same in place of the same if ``alike``."""
    syntax = checks.document.syntax
    scan = _Scan(text, syntax) if syntax in ("json", "python") else None
    reach = NEAR if scan is None else REACH
    last = len(text)
    if scan is not None:
        last = min(last, scan.end)
        reach = INVALID if scan.whole else reach
    places = [at for at in range(mend.at - reach, mend.at + reach + 1) if 0 <= at <= last]
    alphabet = dict.fromkeys(_ALPHABET[syntax] + mend.new)
    ending = [letter for letter in alphabet if letter in _ENDING]
    for at in sorted(places, key=lambda at: abs(at - mend.at)):
        here = text[at : at + 1]
        within = scan is not None and not scan.whole and scan.states[at][0] == "text"
        # What neither ends nor escapes anything in a text leaves the error where it is.
        letters = ending if within and here not in ending else alphabet
        if alike:
            edits = [(mend.old, mend.new)] if text.startswith(mend.old, at) else []
        else:
            edits = [(here, ""), *((here, new) for new in letters if new != here and here)]
            edits += [("", new) for new in letters]
        for old, new in edits:
            if (old or new) and (scan is None or scan.may_pass(at, old, new)):
                yield text[:at] + new + text[at + len(old) :]


# A pushdown automaton for JSON and for Python literals. It passes every text that is one, and some
# others: candidates that it stops at need not be parsed. A state is a mode, a stack (the expected
# closer on top, nested pairs) and what is under way.

_State = tuple[str, Any, Any]
_NUMBER = r"-?[\d.][\d.eE+-]*"
_WORDS = {
    "json": re.compile(rf"true|false|null|{_NUMBER}"),
    "python": re.compile(r"True|False|None|[-+]*[\d.][\w.+-]*|[-+]+|[bBuUrR]{1,2}"),
}
_ENDING = "\"'\\\n"
_OPENERS = {"{": "}", "[": "]", "(": ")"}


class _Scan:
    """The states of a text before each of its characters, up to where no document continues."""

    def __init__(self, text: str, syntax: str) -> None:
        self.text, self.syntax = text, syntax
        self.step = _json_step if syntax == "json" else _python_step
        self.triple = syntax == "python" and ("'''" in text or '"""' in text)
        self.states: list[_State] = []
        state: _State | None = ("value", None, None)
        for character in text:
            self.states.append(state)
            state = self.step(state, character)
            if state is None:
                break
        else:
            self.states.append(state)
        self.end = len(self.states) - 1
        self.whole = state is not None and self._ends(state)

    def may_pass(self, at: int, old: str, new: str) -> bool:
        """Whether the text with an edit gets through."""
        if self.triple or (self.syntax == "python" and self._makes_triple(at, old, new)):
            return True
        state: _State | None = self.states[at]
        for character in new:
            state = self.step(state, character)
            if state is None:
                return False
        for place in range(at + len(old), len(self.text)):
            if place <= self.end and state == self.states[place]:
                return self.whole
            state = self.step(state, self.text[place])
            if state is None:
                return False
        return self._ends(state)

    def _makes_triple(self, at: int, old: str, new: str) -> bool:
        around = self.text[max(0, at - 2) : at] + new + self.text[at + len(old) : at + len(old) + 2]
        return "'''" in around or '"""' in around

    def _ends(self, state: _State) -> bool:
        mode, stack, word = state
        if stack is not None:
            return False
        if mode == "word":
            return bool(_WORDS[self.syntax].fullmatch(word))
        return mode == "after" or (self.syntax == "python" and mode in ("value", "comment"))


def _json_step(state: _State, character: str) -> _State | None:
    mode, stack, under_way = state
    if mode == "text":
        if character == '"':
            return (under_way, stack, None)
        if character == "\\":
            return ("escape", stack, under_way)
        return None if character < " " else state
    if mode == "escape":
        return ("text", stack, under_way) if character in '"\\/bfnrtu' else None
    if mode == "word":
        if character.isalnum() or character in ".+-":
            return ("word", stack, under_way + character)
        if not _WORDS["json"].fullmatch(under_way):
            return None
        mode = "after"
    if character in " \t\r\n":
        return (mode, stack, None)
    if mode in ("value", "first"):
        if character == '"':
            return ("text", stack, "after")
        if character in "{[":
            return (
                "first key" if character == "{" else "first",
                (_OPENERS[character], stack),
                None,
            )
        if character == "]" and mode == "first":
            return ("after", stack[1], None)
        return ("word", stack, character) if character.isalnum() or character == "-" else None
    if mode in ("key", "first key"):
        if character == '"':
            return ("text", stack, "colon")
        return ("after", stack[1], None) if character == "}" and mode == "first key" else None
    if mode == "colon":
        return ("value", stack, None) if character == ":" else None
    if stack is None:
        return None
    if character == ",":
        return ("key" if stack[0] == "}" else "value", stack, None)
    return ("after", stack[1], None) if character == stack[0] else None


def _python_step(state: _State, character: str) -> _State | None:
    """In braces the closer on the stack is ``}?`` before the first comma or colon, then ``}s`` in a
    set, ``}k`` before and ``}v`` behind the colon of an item."""
    mode, stack, under_way = state
    if mode == "text":
        if character == under_way:
            return ("after", stack, None)
        if character == "\\":
            return ("escape", stack, under_way)
        return None if character == "\n" else state
    if mode == "escape":
        return ("text", stack, under_way)
    if mode == "comment":
        return (under_way, stack, None) if character == "\n" else state
    if mode == "word":
        if character.isalnum() or character in "_.+-":
            return ("word", stack, under_way + character)
        if not _WORDS["python"].fullmatch(under_way):
            return None
        mode = "value" if under_way[-1] in "+-" else "after"
    if character in " \t\r\n\f\\":
        return (mode, stack, None)
    if character == "#":
        return ("comment", stack, mode)
    if character in "\"'":
        return ("text", stack, character)
    top = stack[0] if stack else ""
    if mode in ("value", "needed"):
        if character in _OPENERS:
            closer = "}?" if character == "{" else _OPENERS[character]
            return ("value", (closer, stack), None)
        if character == top[:1] and mode == "value":
            return ("after", stack[1], None)
        return ("word", stack, character) if character.isalnum() or character in "_.+-" else None
    if character == ",":
        follow = {"}?": "}s", "}v": "}k", "}k": None}.get(top, top)
        if follow is None:
            return None
        return ("value", (follow, stack[1]) if stack else None, None)
    if character == ":":
        return ("needed", ("}v", stack[1]), None) if top in ("}?", "}k") else None
    if character in "+-":
        return ("needed", stack, None)
    return ("after", stack[1], None) if character == top[:1] and top != "}k" else None


# kept ties


def kept(seed: int, half: str, all_cases: list[Case]) -> str | None:
    """The ties of all cases of a half, ``None`` where none are kept for just these texts."""
    for line in KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else ():
        if line.split(" ")[:3] == [str(seed), half, _digest(all_cases)]:
            return line.split(" ")[3]
    return None


def _digest(all_cases: list[Case]) -> str:
    return hashlib.sha256(repr([case.text for case in all_cases]).encode()).hexdigest()[:16]


def main() -> int:
    """Find the ties of all cases, and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", choices=HALVES, action="append", default=[])
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    for half in options.half or HALVES:
        began = time.monotonic()
        drawn = list(cases(options.seed, half))
        with Pool(options.processes) as pool:
            found = "".join(pool.map(tie, drawn, chunksize=20))
        others = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
        others = [line for line in others if line.split(" ")[:2] != [str(options.seed), half]]
        others.append(f"{options.seed} {half} {_digest(drawn)} {found}")
        KEPT.write_text("\n".join(others) + "\n", encoding="utf-8")
        print(f"{half}: {len(drawn)} cases, {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
