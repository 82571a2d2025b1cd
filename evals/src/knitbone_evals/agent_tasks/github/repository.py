"""The state of one repository: what the local server serves and changes, and what attempts are
judged by."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Issue", "PullRequest", "Repository", "differences"]


@dataclass
class Issue:
    """An issue; ``comments`` are (user, text)."""

    title: str
    body: str
    user: str
    state: str = "open"
    comments: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


@dataclass
class PullRequest:
    """A pull request; its comments are none of ours."""

    title: str
    body: str
    head: str
    base: str
    user: str
    reviewers: list[str] = field(default_factory=list[str])


@dataclass
class Repository:
    """One repository.

    Attributes:
        name: ``owner/name``.
        branches: branch -> path -> text. ``main`` is the default branch.
        issues: number -> issue; numbers are shared with ``pulls``.
    """

    name: str
    branches: dict[str, dict[str, str]]
    issues: dict[int, Issue] = field(default_factory=dict[int, Issue])
    pulls: dict[int, PullRequest] = field(default_factory=dict[int, PullRequest])

    def copy(self) -> Repository:
        """The same state, to be changed apart."""
        return copy.deepcopy(self)

    def next_number(self) -> int:
        """The number of the next issue or pull request."""
        return max([0, *self.issues, *self.pulls]) + 1


def differences(found: Repository, initial: Repository, expected: Repository) -> list[str]:
    """What is other than expected, a line each.

    Messages of commits do not count, nor who wrote; blank space around a comment and at the end of
    a changed file does not, either, since the tools add and strip it.
    """
    wrong = _names("branch", found.branches, expected.branches)
    for branch in found.branches.keys() & expected.branches.keys():
        files, wanted = found.branches[branch], expected.branches[branch]
        wrong += _names(f"file on {branch}", files, wanted)
        before = initial.branches.get(branch, initial.branches["main"])
        wrong += [
            f"wrong contents on {branch}: {path}"
            for path in sorted(files.keys() & wanted.keys())
            if not _same(files[path], wanted[path], strict=before.get(path) == wanted[path])
        ]
    wrong += _names("issue", found.issues, expected.issues)
    for number in found.issues.keys() & expected.issues.keys():
        said = [text.strip() for _, text in found.issues[number].comments]
        if said != [text.strip() for _, text in expected.issues[number].comments]:
            wrong.append(f"wrong comments on issue {number}")
    if _pulls(found) != _pulls(expected):
        wrong.append("wrong pull requests")
    return wrong


def _names(kind: str, found: Iterable[object], expected: Iterable[object]) -> list[str]:
    here, wanted = set(map(str, found)), set(map(str, expected))
    missing = [f"missing {kind}: {name}" for name in sorted(wanted - here)]
    return missing + [f"{kind} should not be there: {name}" for name in sorted(here - wanted)]


def _same(found: str, expected: str, *, strict: bool) -> bool:
    return found == expected if strict else found.rstrip() == expected.rstrip()


def _pulls(state: Repository) -> list[tuple[str, ...]]:
    return [
        (one.title.strip(), one.body.strip(), one.head, one.base, *one.reviewers)
        for _, one in sorted(state.pulls.items())
    ]
