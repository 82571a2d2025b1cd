"""Labels that every record of an answer has in one other form: ``Q1:``, ``Q.``, ``Question:``.

That a number counts the records, or that a word stands for its initial, is told by all records
together, never by one line.

Source: Comfrey §4.3.1 (clustering of identifiers).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.adaptation.repair.positional.label_plan import Identifier

__all__ = ["rewrite_labels"]

_LEAD = r"^(?P<lead>[^\S\n]{0,8}(?:[-*+•>][^\S\n])?(?:\*\*|__|[*_`])?)"


def rewrite_labels(text: str, labels: Sequence[Identifier]) -> str | None:
    """Return the text with the labels as the template has them; ``None`` where it is not clear
    that all records have them in the same other form."""
    names = [label.text.rstrip(" :") for label in labels]
    plain = all(label.text == f"{name}:" for label, name in zip(labels, names, strict=True))
    if not all(names) or not plain or len({name.casefold() for name in names}) < len(names):
        return None
    found = list(_expression(names).finditer(text))
    if not _in_turn([match["name"].casefold() for match in found], [n.casefold() for n in names]):
        return None
    if not _have_one_form(found, names):
        return None
    pieces: list[str] = []
    place = 0
    for index, match in enumerate(found):
        pieces.append(text[place : match.start()])
        pieces.append(f"{match['lead']}{names[index % len(names)]}{match['close'] or ''}:")
        place = match.end()
    return "".join((*pieces, text[place:]))


def _expression(names: Sequence[str]) -> re.Pattern[str]:
    """Compile how a label may be written: with a number; an initial also as a word, or with a
    full stop."""
    short = all(len(name) == 1 and name.isalpha() for name in names)
    word = r"(?P<more>[^\W\d_]{2,15})?" if short else "(?P<more>(?!))?"
    stop = "[:.]" if short else ":"
    return re.compile(
        rf"{_LEAD}(?P<name>{'|'.join(map(re.escape, names))}){word}"
        rf"(?:[^\S\n]?\#?(?P<number>\d{{1,3}}))?(?P<close>\*\*|__|[*_`])?{stop}(?=[^\S\n]|\*|_|`)",
        re.MULTILINE | re.IGNORECASE,
    )


def _have_one_form(found: Sequence[re.Match[str]], names: Sequence[str]) -> bool:
    """Return whether all records have their labels in the same form, and their numbers count."""
    if len({(match["name"].casefold(), match["more"]) for match in found}) > len(names):
        return False  # several words with one initial
    records = len(found) // len(names)
    numbers = [match["number"] for match in found]
    counted = [str(n) for n in range(1, records + 1) for _ in names]
    if any(numbers) and (numbers != counted or records < 2):
        return False
    return len({match["more"] is None for match in found}) == 1


def _in_turn(found: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether the labels stand in the order of the template, each as often as the others."""
    records, left = divmod(len(found), len(names))
    return records > 0 and not left and list(found) == list(names) * records
