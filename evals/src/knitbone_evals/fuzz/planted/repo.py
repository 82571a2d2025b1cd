"""A small stand-in for a version control system."""

from __future__ import annotations

import re

_COMMITS: dict[str, tuple[str | None, str]] = {
    "9f31c2": ("71ab00", "Speed up the import"),
    "71ab00": ("5de4f7", "Mend the date filter"),
    "5de4f7": ("20c9aa", "Add the date filter"),
    "20c9aa": ("0b17e3", "Write a readme"),
    "0b17e3": (None, "First commit"),
}
_REFS = {"HEAD": "9f31c2", "main": "9f31c2", "v1.0": "5de4f7"}
_TYPES = ("feat", "fix", "docs", "test", "chore", "refactor")


class Workspace:
    """Branches of the working copy."""

    def __init__(self) -> None:
        self._branches = {
            "main": ["First commit", "Write a readme", "Add the date filter"],
            "speed": ["First commit", "Write a readme", "Speed up the import"],
        }
        self._current = "main"

    def create_branch(self, name: str) -> str:
        """Create a branch from main.

        Args:
            name: Name of the new branch: letters, digits, hyphens and slashes.

        Returns:
            What was done.
        """
        if not re.fullmatch(r"[A-Za-z0-9/-]{1,60}", name):
            return f"{name!r} is not a valid name."
        if name in self._branches:
            return f"Branch {name} exists already."
        self._branches[name] = list(self._branches["main"])
        return f"Branch {name} was created."

    def switch(self, name: str) -> str:
        """Switch to another branch.

        Args:
            name: Name of the branch; there are main and speed from the start.

        Returns:
            What was done.
        """
        if name not in self._branches:
            return f"There is no branch {name!r}."
        self._current = name
        return f"Now on {name}."

    def delete_branch(self, name: str) -> str:
        """Delete a branch; main always stays.

        Args:
            name: Name of the branch.

        Returns:
            What was done.
        """
        if name == "main":
            return "main cannot be deleted."
        if self._branches.pop(name, None) is None:
            return f"There is no branch {name!r}."
        return f"Branch {name} was deleted."

    def log(self, count: int = 10) -> list[str]:
        """Show the last commits of the branch that is checked out.

        Args:
            count: How many commits at most, at least 1.

        Returns:
            The subjects of the commits, the newest first.

        Raises:
            ValueError: If `count` is below 1.
        """
        if count < 1:
            raise ValueError("count must be at least 1")
        return self._branches[self._current][::-1][:count]


workspace = Workspace()


def resolve_revision(revision: str) -> str:
    """Find the commit that a revision means.

    Args:
        revision: HEAD, main, the tag v1.0 or the hash of a commit; "~" and a number go back
            that many commits, e.g. "HEAD~2".

    Returns:
        Hash and subject of the commit.

    Raises:
        ValueError: If the revision is not known.
    """
    match = re.fullmatch(r"([A-Za-z0-9.]+)(?:~([0-9]{0,3}))?", revision.strip())
    if match is None:
        raise ValueError(f"{revision!r} is not a revision")
    name, back = match.groups()
    commit = _REFS.get(name, name)
    if commit not in _COMMITS:
        raise ValueError(f"revision {name} is unknown")
    steps = 0 if back is None else int(back or 1)
    for _ in range(steps):
        commit = _COMMITS[commit][0]
    return f"{commit} {_COMMITS[commit][1]}"


def lint_commit_message(message: str) -> list[str]:
    """Lint a commit message.

    Args:
        message: The message, its subject in the first line, e.g. "fix: read empty files".

    Returns:
        One line per violation, such as "error: subject is longer than 72 characters"; an empty
        list for a good message.
    """
    lines = message.splitlines()
    if not lines or not lines[0].strip():
        return ["error: subject is empty"]
    subject = lines[0]
    problems = []
    kind, colon, text = subject.partition(": ")
    if not colon:
        problems.append("error: subject has no type, failed to find ': '")
    elif kind not in _TYPES:
        problems.append(f"error: unknown type {kind!r}, expected one of {', '.join(_TYPES)}")
    elif not text.strip():
        problems.append("error: nothing after the type")
    if len(subject) > 72:
        problems.append("error: subject is longer than 72 characters")
    if subject.rstrip().endswith("."):
        problems.append("warning: subject ends with a full stop")
    if len(lines) > 1 and lines[1].strip():
        problems.append("error: second line must be blank")
    return problems
