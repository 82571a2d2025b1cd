"""Faults that know no meaning: tokens lost, doubled and exchanged, random characters, cuts.

Only texts that the target rejects are cases; how many it accepts all the same is counted.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from knitbone_evals.documents.fields import Draw
from knitbone_evals.documents.forms import (
    FORMS,
    Document,
    RejectedError,
    Token,
    accepted,
    document,
    tokens,
)
from knitbone_evals.documents.shapes import SHAPES, half_of

__all__ = ["CUTS", "Case", "Edit", "cases", "changed", "mends", "nearer", "streams"]

FLAT = 3
"""Documents of a shape in XML and in CSV, which few shapes have; one in the other forms."""
CUTS = 10
TOKENS = 6
"""Tokens of a document of which each is deleted, doubled and exchanged."""
MUTATIONS = {1: 4, 2: 2, 3: 2}
"""How many texts of a document get so many random mutations."""
_EXCHANGE = {
    "json": '{}[],:"', "python": "{}[],:'\"()", "xml": "<>/=\"'", "csv": ',"\n;\t',
}  # fmt: skip
_ANY = "aeZ019 .-_\\éあ\n"


class Edit(NamedTuple):
    """``old`` at a place of a text becomes ``new``."""

    at: int
    old: str
    new: str

    @property
    def cost(self) -> int:
        """How many characters are changed."""
        return max(len(self.old), len(self.new))


class Case(NamedTuple):
    """A text that the target rejects, and what it was."""

    document: Document
    kind: str
    """The class of the fault, such as ``delete quote``."""
    text: str
    mends: tuple[Edit, ...]
    """The edits of ``text`` that give the document back."""

    @property
    def value(self) -> Any:
        return self.document.value


def changed(text: str, edits: tuple[Edit, ...]) -> str:
    """A text with edits, which do not overlap and are ordered by place."""
    for edit in reversed(edits):
        end = edit.at + len(edit.old)
        if text[edit.at : end] != edit.old:
            raise ValueError(f"{edit} does not fit the text")
        text = text[: edit.at] + edit.new + text[end:]
    return text


def nearer(case: Case) -> tuple[Any, ...]:
    """The accepted documents that some of a case's edits give, and not all."""
    found: list[Any] = []
    for count in range(1, len(case.mends)):
        for some in itertools.combinations(case.mends, count):
            try:
                text = changed(case.text, some)
                found.append(accepted(text, case.document.form, case.document.target))
            except RejectedError:
                continue
    return tuple(found)


def mends(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits that take others back."""
    back: list[Edit] = []
    offset = 0
    for edit in edits:
        back.append(Edit(edit.at + offset, edit.new, edit.old))
        offset += len(edit.new) - len(edit.old)
    return tuple(back)


def cases(
    seed: int,
    half: str | None = None,
    *,
    forms: tuple[str, ...] = FORMS,
    dropped: Counter[str] | None = None,
) -> Iterator[Case]:
    """All cases of a half (of both for ``None``), the same for the same seed.

    Args:
        seed: of values, layouts and faults.
        half: ``development`` or ``final``.
        forms: only these.
        dropped: gets the number of texts that the target accepts, by form and class.
    """
    for shape, form, number in itertools.product(SHAPES, forms, range(FLAT)):
        if half in (None, half_of(shape)) and _turn(shape, form, number):
            made = document(shape, form, seed, number)
            if made is None:
                continue
            for kind, edits in _faults(made, Draw(f"faults/{seed}/{shape}/{form}/{number}")):
                text = changed(made.text, edits)
                if text == made.text:
                    continue
                try:
                    accepted(text, form, made.target)
                except RejectedError:
                    yield Case(made, kind, text, mends(edits))
                else:
                    if dropped is not None:
                        dropped[f"{form}: {kind}"] += 1


def streams(seed: int, count: int = 1000) -> Iterator[tuple[Document, list[str]]]:
    """Whole documents in chunks of random lengths, as they come from a model."""
    names = list(SHAPES)
    number = 0
    while count:
        rng = Draw(f"stream/{seed}/{number}")
        made = document(rng.choice(names), rng.choice(FORMS), seed, 1 + number)
        number += 1
        if made is not None:
            count -= 1
            longest = round(2 ** rng.uniform(0, 7))
            chunks: list[str] = []
            place = 0
            while place < len(made.text):
                length = rng.randint(1, longest)
                chunks.append(made.text[place : place + length])
                place += length
            yield made, chunks


def _turn(shape: str, form: str, number: int) -> bool:
    """Every shape with its schema, the other forms of a JSON-like value by turns."""
    if form in ("xml", "csv") or number:
        return form in ("xml", "csv")
    if form == "json schema":
        return True
    others = ("json", "python schema", "python")
    return (list(SHAPES).index(shape) + others.index(form)) % 3 != 2


def _faults(made: Document, rng: random.Random) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    found = tokens(made.text, made.syntax)
    for token in _sample(found, rng):
        at, text, kind = token
        yield f"delete {kind}", (Edit(at, text, ""),)
        yield f"double {kind}", (Edit(at, "", text),)
        yield f"exchange {kind}", (Edit(at, text, _other(token, made, rng)),)
    for number, count in MUTATIONS.items():
        for _ in range(count):
            yield f"{number} random", _mutations(made, found, number, rng)
    for part in range(CUTS):
        at = (len(made.text) * (part + 1)) // (CUTS + 1)
        yield "cut", (Edit(at, made.text[at:], ""),)


def _sample(found: list[Token], rng: random.Random) -> list[Token]:
    """Tokens of all kinds, as far as the number goes, in a random order."""
    by_kind: dict[str, list[Token]] = {}
    for token in rng.sample(found, len(found)):
        by_kind.setdefault(token.kind, []).append(token)
    picked = [
        group[turn]
        for turn in range(TOKENS)
        for group in by_kind.values()
        if turn < len(group)
    ]  # fmt: skip
    return picked[:TOKENS]


def _other(token: Token, made: Document, rng: random.Random) -> str:
    if token.kind == "name":
        names = {each.text for each in tokens(made.text, "xml") if each.kind == "name"}
        return rng.choice(sorted(names - {token.text}))
    return rng.choice([each for each in _EXCHANGE[made.syntax] if each != token.text])


def _mutations(
    made: Document, found: list[Token], number: int, rng: random.Random
) -> tuple[Edit, ...]:
    """Random edits at places of their own; half of them at tokens, the others anywhere."""
    text = made.text
    edits: list[Edit] = []
    while len(edits) < number:
        at = rng.choice(found).at if rng.random() < 0.5 else rng.randrange(len(text) - 1)
        if any(abs(at - edit.at) < 3 for edit in edits):
            continue
        pool = _EXCHANGE[made.syntax] if rng.random() < 0.5 else _ANY
        new = rng.choice([each for each in pool if each != text[at]])
        pair = text[at : at + 2]
        drawn = rng.choice(
            [
                Edit(at, text[at], ""),
                Edit(at, "", new),
                Edit(at, text[at], new),
                Edit(at, pair, pair[::-1]),
            ]
        )
        if drawn.old != drawn.new:
            edits.append(drawn)
    return tuple(sorted(edits))
