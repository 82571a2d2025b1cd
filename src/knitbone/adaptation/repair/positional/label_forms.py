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
    """The text with the labels as the template has them; ``None`` where it is not clear that all
    records have them in the same other form."""
    names = [label.text.rstrip(" :") for label in labels]
    if not all(
        label.text == f"{name}:" and name for label, name in zip(labels, names, strict=True)
    ):
        return None
    short = all(len(name) == 1 and name.isalpha() for name in names)
    if len({name.casefold() for name in names}) < len(names):
        return None
    word = r"(?P<more>[^\W\d_]{2,15})?" if short else "(?P<more>(?!))?"
    stop = "[:.]" if short else ":"
    pattern = re.compile(
        rf"{_LEAD}(?P<name>{'|'.join(map(re.escape, names))}){word}"
        rf"(?:[^\S\n]?\#?(?P<number>\d{{1,3}}))?(?P<close>\*\*|__|[*_`])?{stop}(?=[^\S\n]|\*|_|`)",
        re.MULTILINE | re.IGNORECASE,
    )
    found = list(pattern.finditer(text))
    if not _in_turn([match["name"].casefold() for match in found], [n.casefold() for n in names]):
        return None
    if len({(match["name"].casefold(), match["more"]) for match in found}) > len(names):
        return None  # several words with one initial
    records = len(found) // len(names)
    numbers = [match["number"] for match in found]
    counted = [str(n) for n in range(1, records + 1) for _ in names]
    if any(numbers) and (numbers != counted or records < 2):
        return None
    if len({match["more"] is None for match in found}) > 1:
        return None
    pieces: list[str] = []
    place = 0
    for index, match in enumerate(found):
        pieces.append(text[place : match.start()])
        pieces.append(f"{match['lead']}{names[index % len(names)]}{match['close'] or ''}:")
        place = match.end()
    return "".join((*pieces, text[place:]))


def _in_turn(found: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether the labels stand in the order of the template, each as often as the others."""
    records, left = divmod(len(found), len(names))
    return records > 0 and not left and list(found) == list(names) * records
