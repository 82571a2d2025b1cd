"""Steps of a task, as the data file says them, made into effects on a tree.

A step says what is done (``move``, ``copy``, ``delete``, ``replace``, ``drop``: path or pattern;
``write``, ``append``: a path; ``take``: lines of a file, written ``to`` another; ``join``: files
after each other, as listed or in the order of their names) and may choose among the files of a
pattern by what they say:

- ``holds``, ``lacks``: a text
- ``after`` a label stands a number: ``over``, ``under`` (a bound), or ``best = "most"``/``"least"``

A ``text`` may be computed: ``of`` names files (a pattern, chosen as above), ``rows`` the lines of a
table; the text says ``{count}``, ``{sum}`` (of the numbers after the label, or of a ``column``),
``{names}`` (of the files, one a line) or ``{best}`` (the name of the first).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from knitbone_evals.agent_tasks.drawing import fill
from knitbone_evals.agent_tasks.files.effects import Effect, Tree, applied

__all__ = ["chosen", "is_conditional", "plan"]

_CONDITIONS = ("holds", "lacks", "over", "under", "best")
_COMPUTED = ("of", "rows")
_ON_FILES = ("move", "copy", "delete", "replace", "drop")
Step = Mapping[str, Any]


def is_conditional(steps: Sequence[Step]) -> bool:
    """Whether what is to be done, or to be written, stands in files."""
    asking = (*_CONDITIONS, *_COMPUTED, "take", "join", "drop")
    return any(name in step for step in steps for name in asking)


def plan(tree: Tree, steps: Sequence[Step]) -> tuple[Effect, ...]:
    """The effects of the steps, each chosen on what the steps before it left.

    Raises:
        ValueError: a step finds nothing, or chooses everything by a condition.
    """
    effects: list[Effect] = []
    for step in steps:
        now = applied(tree, effects)
        effects += _looks(now, step)
        effects += _effects(now, step)
    return tuple(effects)


def chosen(tree: Tree, pattern: str, step: Step) -> list[str]:
    """The paths of a pattern that fulfil a step's conditions, in order."""
    found = matching(tree, pattern)
    if not found:
        raise ValueError(f"{pattern!r} matches no file of {sorted(tree)}")
    if not any(name in step for name in _CONDITIONS):
        return found
    kept = [path for path in found if _fits(tree[path], step)]
    if "best" in step:
        kept.sort(key=lambda path: _number(tree[path], step["after"]))
        kept = [kept[-1 if step["best"] == "most" else 0]]
    if not kept or len(kept) == len(found):
        raise ValueError(f"{dict(step)} chooses {len(kept)} of {len(found)}: {found}")
    return kept


def matching(tree: Tree, pattern: str) -> list[str]:
    """The paths that a pattern names, in order; ``**/`` at its beginning stands for any folders."""
    deep = pattern.startswith("**/")
    parts = PurePosixPath(pattern).parts
    return [
        path
        for path in sorted(tree)
        if path == pattern
        or (
            PurePosixPath(path).match(pattern.removeprefix("**/"))
            and (deep or len(PurePosixPath(path).parts) == len(parts))
        )
    ]


def _fits(text: str, step: Step) -> bool:
    fits = step.get("holds", "") in text
    if "lacks" in step:
        fits = fits and step["lacks"] not in text
    if "over" in step:
        fits = fits and _number(text, step["after"]) > step["over"]
    if "under" in step:
        fits = fits and _number(text, step["after"]) < step["under"]
    return fits


def _number(text: str, label: str) -> float:
    found = re.search(re.escape(label) + r"\s*(-?\d+(?:\.\d+)?)", text)
    if found is None:
        raise ValueError(f"no number after {label!r} in {text!r}")
    return float(found[1])


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(round(number, 6))


def _looks(tree: Tree, step: Step) -> list[Effect]:
    """What has to be read before the step can be taken."""
    kind = next(iter(step))
    patterns = [step[name] for name in ("of", "rows", "take") if name in step]
    patterns += _joined(step)
    if kind in _ON_FILES and any(name in step for name in _CONDITIONS):
        patterns.append(step[kind])
    looks: list[Effect] = []
    for pattern in patterns:
        paths = matching(tree, pattern)
        if pattern not in tree:
            folders = sorted({str(PurePosixPath(path).parent) for path in paths})
            looks += [Effect("list", folder) for folder in folders]
        looks += [Effect("look", path) for path in paths]
    return looks


def _effects(tree: Tree, step: Step) -> list[Effect]:
    kind: Any = next(iter(step))
    if kind in {"write", "append"}:
        text = _computed(tree, step)
        return [Effect(kind, step[kind], text=text if text.endswith("\n") else text + "\n")]
    if kind == "join":
        paths = [path for pattern in _joined(step) for path in matching(tree, pattern)]
        text = "".join(tree[path] for path in paths)
        return [Effect("write", step["to"], text=text)]
    if kind == "take":
        return [Effect("write", step["to"], text=_taken(tree[step["take"]], step))]
    if kind not in _ON_FILES:
        raise ValueError(f"unknown step {dict(step)}")
    return [_on_file(kind, path, step) for path in chosen(tree, step[kind], step)]


def _joined(step: Step) -> list[str]:
    patterns = step.get("join", [])
    return [patterns] if isinstance(patterns, str) else patterns


def _on_file(kind: Any, path: str, step: Step) -> Effect:
    if kind == "replace":
        return Effect(kind, path, old=step["old"], new=step["new"])
    if kind == "drop":
        return Effect(kind, path, text=step["lines"])
    if kind == "delete":
        return Effect(kind, path)
    name = PurePosixPath(path)
    places = {"stem": name.stem, "file": name.name, "folder": name.parent.name}
    to = fill(step["to"], places)
    return Effect(kind, path, to=to + name.name if to.endswith("/") else to)


def _taken(text: str, step: Step) -> str:
    head, *rows = text.splitlines(keepends=True)
    kept = [line for line in rows if step["lines"] in line]
    if not kept or len(kept) == len(rows):
        raise ValueError(f"{dict(step)} takes {len(kept)} of {len(rows)} lines")
    return "".join([head, *kept] if step.get("head", True) else kept)


def _computed(tree: Tree, step: Step) -> str:
    if "rows" in step:
        rows = tree[step["rows"]].splitlines()[1:]
        kept = [row for row in rows if step.get("holds", "") in row]
        if not kept:
            raise ValueError(f"{dict(step)} finds no line")
        column: int | None = step.get("column")
        numbers = [float(row.split(",")[column]) for row in kept if column is not None]
        return fill(step["text"], {"count": str(len(kept)), "sum": _plain(sum(numbers))})
    if "of" not in step:
        return step["text"]
    kept = chosen(tree, step["of"], step)
    names = [PurePosixPath(path).name for path in kept]
    numbers = [_number(tree[path], step["after"]) for path in kept if "after" in step]
    values = {
        "count": str(len(kept)),
        "sum": _plain(sum(numbers)),
        "names": "\n".join(names),
        "best": names[0],
    }
    return fill(step["text"], values)
