"""What is said twice, in mixed markers, in another spelling or language."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from knitbone_evals.adapt.cases import Base
from knitbone_evals.adapt.faults.base import CONTENT, Fault, Injected, on_text

__all__ = ["BULLETS", "FOREIGN", "foreign_sentence", "repeated_item", "repeated_sentence"]

FOREIGN = (
    "Die Altstadt ist am schönsten am frühen Morgen, wenn noch niemand unterwegs ist.",
    "El mercado abre todos los días a las ocho de la mañana.",
    "Le petit port se trouve à cinq minutes à pied de la gare.",
    "Il ponte vecchio fu costruito prima della chiesa.",
    "城市博物馆每天上午九点开门。",
    "Музей закрыт по понедельникам, вход свободный.",
)
_BULLET = re.compile(r"^- ", re.MULTILINE)


def _mixed(marker: str) -> Callable[[str, random.Random], str | None]:
    """One bullet of several with another marker."""

    def change(text: str, rng: random.Random) -> str | None:
        found = list(_BULLET.finditer(text))
        if len(found) < 3:
            return None
        match = found[rng.randrange(1, len(found))]
        return text[: match.start()] + marker + text[match.end() :]

    return change


def _all(marker: str) -> Callable[[str, random.Random], str | None]:
    return lambda text, _rng: _BULLET.sub(marker, text)


BULLETS: tuple[Fault, ...] = (
    on_text("stars for dashes", "template", _all("* ")),
    on_text("dots for dashes", "template", _all("• ")),
    on_text("dash without space", "template", _all("-")),
    on_text("numbers for dashes", "template", lambda text, _: _numbered(text)),
    on_text("one star among dashes", "template", _mixed("* "), layer=CONTENT),
    on_text("one dot among dashes", "template", _mixed("• "), layer=CONTENT),
    on_text("bullets indented", "template", _all("  - ")),
)


def _numbered(text: str) -> str | None:
    lines = text.split("\n")
    if not all(line.startswith("- ") for line in lines):
        return None
    return "\n".join(f"{place}. {line[2:]}" for place, line in enumerate(lines, 1))


def repeated_item(
    write: Callable[[list[Any]], str],
    results: Callable[[list[Any]], Any],
    *,
    reworded: bool,
) -> Fault:
    """An item of a list once more, word by word or in other words.

    Args:
        write: the answer of the items.
        results: the application's result for the items, or None if it cannot say.
        reworded: take the paraphrase, ``base.slots["reworded"][item]``.
    """

    def inject(base: Base, rng: random.Random) -> Injected | None:
        items = list(base.slots["items"])
        others = base.slots.get("reworded", {})
        choice = [place for place, item in enumerate(items) if not reworded or others.get(item)]
        if not choice:
            return None
        place = rng.choice(choice)
        again = others[items[place]] if reworded else items[place]
        where = rng.randrange(place + 1, len(items) + 1)
        faulty = [*items[:where], again, *items[where:]]
        without = [*items[:place], *items[place + 1 : where], again, *items[where:]]
        return Injected(outputs=(write(faulty),), accepted=(results(without),))

    name = "item in other words" if reworded else "item twice"
    return Fault(name=name, defect="semantics", inject=inject, layer=CONTENT)


def repeated_sentence(results: Callable[[str], Any], *, reworded: bool) -> Fault:
    """A sentence of a text once more, after another one. The answer is
    ``base.slots["sentences"]``, joined by blanks; paraphrases as in ``repeated_item``."""

    def inject(base: Base, rng: random.Random) -> Injected | None:
        sentences = list(base.slots.get("sentences", ()))
        others = base.slots.get("reworded", {})
        choice = [i for i, each in enumerate(sentences) if not reworded or others.get(each)]
        if not choice:
            return None
        place = rng.choice(choice)
        again = others[sentences[place]] if reworded else sentences[place]
        where = rng.randrange(place + 1, len(sentences) + 1)
        faulty = [*sentences[:where], again, *sentences[where:]]
        without = [*sentences[:place], *sentences[place + 1 : where], again, *sentences[where:]]
        return Injected(outputs=(" ".join(faulty),), accepted=(results(" ".join(without)),))

    name = "sentence in other words" if reworded else "sentence twice"
    return Fault(name=name, defect="semantics", inject=inject, layer=CONTENT)


def foreign_sentence(between: str = r"(?<=[.!?])( )") -> Fault:
    """A sentence of another language after one of the text's. Only a translator could mend it, and
    then not to the letter: the right outcome without one is a report and no change.

    Args:
        between: what separates two sentences, as the one group of an expression.
    """

    def change(text: str, rng: random.Random) -> str | None:
        found = list(re.finditer(between, text))
        if not found:
            return None
        match = rng.choice(found)
        return text[: match.end()] + rng.choice(FOREIGN) + match.group(1) + text[match.end() :]

    return on_text(
        "sentence of another language", "lexical", change, layer=CONTENT, determined=False
    )
