"""Effects as calls of the tools that bring them about: in a terminal, and with the file toolkit."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from itertools import groupby
from pathlib import PurePosixPath

from knitbone_evals.agent_tasks.files.effects import Effect, Tree, applied
from knitbone_evals.agent_tasks.records import Call

__all__ = ["terminal_calls", "toolkit_calls"]


def terminal_calls(tree: Tree, effects: Iterable[Effect]) -> tuple[Call, ...]:
    """One command an effect; files that are read one after the other are read at once."""
    folders = _folders(tree)
    calls: list[Call] = []
    for kind, group in groupby(effects, key=lambda effect: effect.kind):
        if kind == "look":
            paths = " ".join(shlex.quote(effect.path) for effect in group)
            calls.append(Call("terminal", {"commands": f"cat {paths}"}))
        else:
            calls += [_terminal_call(effect, folders) for effect in group]
    return tuple(calls)


def _terminal_call(effect: Effect, folders: set[str]) -> Call:
    """One command; folders that it makes join the known ones."""
    target, command = effect.to or effect.path, _command(effect)
    if effect.kind in {"move", "copy", "write"} and _parent(target) not in folders:
        command = f"mkdir -p {shlex.quote(_parent(target))} && {command}"
        folders |= _folders([target])
    return Call("terminal", {"commands": command})


def _command(effect: Effect) -> str:
    path, to, text = shlex.quote(effect.path), shlex.quote(effect.to), shlex.quote(effect.text)
    if effect.kind == "replace" and "\n" not in effect.old + effect.new:
        new = re.sub(r"[/&\\]", r"\\\g<0>", effect.new)
        return f"sed -i {shlex.quote(f's/{_pattern(effect.old)}/{new}/g')} {path}"
    return {
        "list": f"ls {path}",
        "move": f"mv {path} {to}",
        "copy": f"cp {path} {to}",
        "delete": f"rm {path}",
        "write": f"printf %s {text} > {path}",
        "append": f"printf %s {text} >> {path}",
        "drop": f"sed -i {shlex.quote(f'/{_pattern(effect.text)}/d')} {path}",
    }[effect.kind]


def _pattern(text: str) -> str:
    """A text as a basic regular expression that matches it alone."""
    return re.sub(r"[][\\.*^$/]", r"\\\g<0>", text)


def toolkit_calls(tree: Tree, effects: Iterable[Effect]) -> tuple[Call, ...]:
    """The toolkit makes folders only where it writes files, and changes files by writing them."""
    now, folders = dict(tree), _folders(tree)
    calls: list[Call] = []
    for effect in effects:
        after = applied(now, [effect])
        target = effect.to or effect.path
        new_folder = effect.kind in {"move", "copy"} and _parent(target) not in folders
        calls += _anew(effect, after) if new_folder else _calls(effect, after)
        folders |= _folders([target])
        now = after
    return tuple(calls)


def _anew(effect: Effect, after: Tree) -> list[Call]:
    """Move or copy into a folder that is not there yet."""
    calls = [_read(effect.path), _write(effect.to, after[effect.to])]
    return [*calls, _delete(effect.path)] if effect.kind == "move" else calls


def _calls(effect: Effect, after: Tree) -> list[Call]:
    if effect.kind == "list":
        return [Call("list_directory", {"dir_path": effect.path})]
    if effect.kind == "look":
        return [_read(effect.path)]
    if effect.kind == "delete":
        return [_delete(effect.path)]
    if effect.kind in {"move", "copy"}:
        paths = {"source_path": effect.path, "destination_path": effect.to}
        return [Call(f"{effect.kind}_file", paths)]
    if effect.kind == "append":
        arguments = {"file_path": effect.path, "text": effect.text, "append": True}
        return [Call("write_file", arguments)]
    write = _write(effect.path, after[effect.path])
    return [write] if effect.kind == "write" else [_read(effect.path), write]


def _read(path: str) -> Call:
    return Call("read_file", {"file_path": path})


def _write(path: str, text: str) -> Call:
    return Call("write_file", {"file_path": path, "text": text})


def _delete(path: str) -> Call:
    return Call("file_delete", {"file_path": path})


def _parent(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _folders(paths: Iterable[str]) -> set[str]:
    return {str(folder) for path in paths for folder in PurePosixPath(path).parents}
