"""Tools for releases of software: notes, gradual rollouts, switches."""

import json
import re
import zlib
from typing import Literal

_switches: dict[str, bool] = {}


def count_changes(changelog: str, version: str) -> str:
    """Count the changes of a version.

    Args:
        changelog: Markdown: "## " and a version, as in "## 1.4.2", and below it the sections, as in
            "### Added", each with its entries, which start with "- ".
        version: The version; if the changelog does not have it, the answer says so.

    Raises:
        ValueError: A line is none of these, or comes before the first version or section.
    """
    notes: dict[str, dict[str, list[str]]] = {}
    current = section = ""
    for number, line in enumerate(changelog.splitlines(), 1):
        heading = re.fullmatch("## ([0-9]{1,4}(?:[.][0-9]{1,4}){0,3})", line)
        if heading is not None:
            current = heading[1]
            notes[current] = {}
        elif line.startswith("### "):
            if not current:
                raise ValueError(f"changelog: line {number} comes before the first version")
            section = line[4:].strip()
            notes[current].setdefault(section, [])
        elif line.startswith("- "):
            if not section:
                raise ValueError(f"changelog: line {number} comes before the first section")
            notes[current][section].append(line[2:])
        elif line.strip():
            raise ValueError(f"changelog: line {number} is not understood")
    if version not in notes:
        return "The changelog does not have this version."
    entries = sum(len(changes) for changes in notes[version].values())
    return f"{entries} changes in {len(notes[version])} sections"


def in_rollout(request: str) -> bool:
    """Tell whether a user already gets a new feature; it is the same at every call.

    Args:
        request: JSON object with the name of the "user" (any text that is not empty), and the
            "percent" of the users who get the feature, a whole number from 0 to 100.

    Raises:
        ValueError: The request is not such an object.
    """
    try:
        parsed = json.loads(request)
    except (ValueError, RecursionError) as error:
        raise ValueError("request: not JSON") from error
    if not isinstance(parsed, dict):
        raise ValueError("request: an object is needed")
    user, percent = parsed.get("user"), parsed.get("percent")
    if not isinstance(user, str) or not user:
        raise ValueError("request: the user is missing")
    if isinstance(percent, bool) or not isinstance(percent, int) or not 0 <= percent <= 100:
        raise ValueError("request: percent must be a whole number, 0 to 100")
    return zlib.crc32(user.encode("utf-8")) % 100 < percent


def switches(action: Literal["add", "on", "off", "list", "purge"], name: str = "") -> str:
    """Manage the switches of features. New ones are off.

    Args:
        action: "add", "on" and "off" need a name; "list" names all switches,
            and "purge" removes those that are off.
        name: Name of the switch: 1 to 20 small letters, digits and underscores.

    Raises:
        ValueError: The name has another form, is taken or unknown, or there are 50 switches.
    """
    if action == "list":
        return ", ".join(_switches) or "There are no switches."
    if action == "purge":
        before = len(_switches)
        for switch, on in _switches.items():
            if not on:
                del _switches[switch]
        return f"{before - len(_switches)} removed"
    if not re.fullmatch("[a-z0-9_]{1,20}", name):
        raise ValueError("name: small letters, digits and underscores are needed")
    if action == "add":
        if name in _switches or len(_switches) == 50:
            raise ValueError("name: it is taken, or there are 50 switches already")
        _switches[name] = False
        return f"{name} is added"
    if name not in _switches:
        raise ValueError("name: there is no such switch")
    _switches[name] = action == "on"
    return f"{name} is {action}"
