"""What is done to a repository, a repository with it done, and the calls that do it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from knitbone_evals.agent_tasks.github.repository import PullRequest, Repository
from knitbone_evals.agent_tasks.records import Call

__all__ = ["Effect", "applied", "calls", "changes"]

Kind = Literal[
    "issues", "issue", "look", "comment", "branch", "create", "update", "delete", "pull request"
]
_LOOKING = {"issues", "issue", "look"}


@dataclass(frozen=True)
class Effect:
    """One thing done, or looked at.

    Attributes:
        branch: where a file is, or the branch that is made or asked to be pulled.
        path: the file; of a pull request its title.
        text: the comment, the contents, or the description of a pull request.
    """

    kind: Kind
    number: int = 0
    branch: str = ""
    path: str = ""
    text: str = ""
    old: str = ""
    new: str = ""


def changes(effects: Iterable[Effect]) -> list[Effect]:
    """The effects that change something."""
    return [effect for effect in effects if effect.kind not in _LOOKING]


def applied(state: Repository, effects: Iterable[Effect]) -> Repository:
    """The repository after the effects.

    Raises:
        ValueError: what an effect is on is missing, is there already, or is not changed.
    """
    after = state.copy()
    for effect in changes(effects):
        _apply(after, effect)
    return after


def _apply(state: Repository, effect: Effect) -> None:
    if effect.kind == "comment":
        if effect.number not in state.issues:
            raise ValueError(f"no issue {effect.number}")
        state.issues[effect.number].comments.append(("", effect.text))
    elif effect.kind == "branch":
        if effect.branch in state.branches:
            raise ValueError(f"branch {effect.branch} is there already")
        state.branches[effect.branch] = dict(state.branches["main"])
    elif effect.branch not in state.branches or effect.branch == "main":
        raise ValueError(f"nothing can be done on branch {effect.branch!r}")
    elif effect.kind == "pull request":
        if state.branches[effect.branch] == state.branches["main"]:
            raise ValueError(f"{effect.branch} is no different from main")
        pull = PullRequest(effect.path, effect.text, effect.branch, "main", "")
        state.pulls[state.next_number()] = pull
    else:
        _apply_to_file(state.branches[effect.branch], effect)


def _apply_to_file(files: dict[str, str], effect: Effect) -> None:
    if (effect.path in files) == (effect.kind == "create"):
        raise ValueError(f"{effect.path} cannot be made subject to {effect.kind}")
    if effect.kind == "create":
        files[effect.path] = effect.text
    elif effect.kind == "delete":
        del files[effect.path]
    else:
        # As the tool's replacement does it: everywhere, blank space around both ignored.
        changed = files[effect.path].replace(effect.old.strip(), effect.new.strip())
        if changed == files[effect.path]:
            raise ValueError(f"{effect} changes nothing")
        files[effect.path] = changed


def calls(effects: Iterable[Effect]) -> tuple[Call, ...]:
    """The calls that bring the effects about, from ``main`` on."""
    made: list[Call] = []
    active = "main"
    for effect in effects:
        if effect.branch and effect.kind != "branch" and effect.branch != active:
            made.append(Call("set_active_branch", {"branch_name": effect.branch}))
        made.append(_call(effect))
        active = effect.branch or active
    return tuple(made)


def _call(effect: Effect) -> Call:
    if effect.kind == "issues":
        return Call("get_issues", {})
    if effect.kind == "issue":
        return Call("get_issue", {"issue_number": effect.number})
    if effect.kind == "look":
        return Call("read_file", {"formatted_filepath": effect.path})
    if effect.kind == "comment":
        return Call("comment_on_issue", {"input": f"{effect.number}\n\n{effect.text}"})
    if effect.kind == "branch":
        return Call("create_branch", {"branch_name": effect.branch})
    if effect.kind == "pull request":
        return Call("create_pull_request", {"formatted_pr": f"{effect.path}\n\n{effect.text}"})
    if effect.kind == "create":
        return Call("create_file", {"formatted_file": f"{effect.path}\n\n{effect.text}"})
    if effect.kind == "delete":
        return Call("delete_file", {"formatted_filepath": effect.path})
    update = f"{effect.path}\n\nOLD <<<<\n{effect.old}\n>>>> OLD\nNEW <<<<\n{effect.new}\n>>>> NEW"
    return Call("update_file", {"formatted_file_update": update})
