"""Tools for family research: record files, trees, ages."""

import json
import re
from datetime import date
from typing import Any


def record_names(text: str) -> list[str]:
    """List the names in a file of family records.

    Args:
        text: Lines in GEDCOM form: a level of one digit, perhaps a reference as in "@I1@", a tag
            in capitals and perhaps a value, as in "0 @I1@ INDI", "1 NAME Ada /Moser/". A line
            belongs to the closest line before it with a lower level.

    Raises:
        ValueError: There are more than 500 lines, or one has another form.
    """
    records: list[dict[str, Any]] = []
    opened: list[dict[str, Any]] = []
    lines = text.splitlines()
    if len(lines) > 500:
        raise ValueError("text: 500 lines at most")
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"([0-9]) (?:@[A-Z0-9]+@ )?([A-Z]+)(?: ([\w /.,'-]*))?", line)
        if match is None:
            raise ValueError(f"text: line {number} is not a record")
        level, tag, value = int(match[1]), match[2], match[3]
        node = {"tag": tag, "value": value or "", "parts": []}
        siblings = opened[level - 1]["parts"] if level else records
        siblings.append(node)
        opened[level:] = [node]
    people = [record for record in records if record["tag"] == "INDI"]
    return [part["value"] for who in people for part in who["parts"] if part["tag"] == "NAME"]


def _people(person: Any) -> int:
    if not isinstance(person, dict) or not isinstance(person.get("name"), str):
        raise ValueError("tree: every person must be an object with a name")
    return 1 + sum(_people(child) for child in person.get("children", []))


def family_size(tree: str) -> int:
    """Count the people in a family tree.

    Args:
        tree: JSON of the eldest person: an object with "name" and, if there are any, with
            "children", a list of such objects again.

    Raises:
        ValueError: The tree is not JSON, is nested too deeply, or a person has no name.
    """
    if tree.count("{") + tree.count("[") > 200:
        raise ValueError("tree: nested too deeply")
    try:
        root = json.loads(tree)
    except ValueError as error:
        raise ValueError(f"tree: not JSON: {error}") from error
    return _people(root)


def _day(argument: str, text: str) -> date:
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(f"{argument} must have the form YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{argument} is not in the calendar") from None


def age_at_death(born: str, died: str) -> int:
    """Tell how many years somebody lived.

    Args:
        born: Date of birth, as in "1815-12-10".
        died: Date of death, in the same form.

    Raises:
        ValueError: One of them is no date, or the death comes before the birth.
    """
    birth, death = _day("born", born), _day("died", died)
    if death < birth:
        raise ValueError("died must not come before born")
    birthday = birth.replace(year=death.year)
    return death.year - birth.year - (birthday > death)
