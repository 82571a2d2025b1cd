"""The reference pages that are made of the code: ``python docs/generate.py``.

Commands with their options, and all settings. A test holds the pages to the code.
"""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from knitbone import config
from knitbone.cli.app import group

FOLDER = Path(__file__).parent / "reference"


def commands() -> str:
    """The page of commands."""
    lines = [
        "# Commands", "",
        "Made of the code by `python docs/generate.py`. `knitbone COMMAND --help` prints the same.",
    ]  # fmt: skip
    with click.Context(group, info_name="knitbone") as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if command is not None:
                lines += _command(command, context, f"knitbone {name}")
    return "\n".join(lines).rstrip() + "\n"


def _command(command: click.Command, parent: click.Context, name: str) -> Iterator[str]:
    with click.Context(command, info_name=name.rpartition(" ")[2], parent=parent) as context:
        usage = " ".join(command.collect_usage_pieces(context))
        yield from ("", f"## {name}", "", "```", f"{name} {usage}", "```", "")
        yield from inspect.cleandoc(command.help or "").replace("\b\n", "").splitlines()
        rows = [option.get_help_record(context) for option in command.get_params(context)]
        shown = [row for row in rows if row is not None and "--help" not in row[0].split(", ")]
        if shown:
            yield from ("", "| option | |", "| --- | --- |")
            for option, said in shown:
                yield f"| `{_cell(option)}` | {_cell(said)} |"
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                if found is not None:
                    yield from _command(found, context, f"{name} {inner}")


def settings() -> str:
    """The page of settings."""
    lines = [
        "# Settings", "",
        "Made of the code by `python docs/generate.py`. A setting stands in `pyproject.toml`",
        "(`[tool.knitbone.adapt]`) or in `knitbone.toml`, in an environment variable",
        "(`KNITBONE_ADAPT_MODE=observe`), or is a keyword argument; the later wins.",
    ]  # fmt: skip
    sections: dict[Any, list[str]] = {}
    for field in msgspec.structs.fields(config.Config):
        sections.setdefault(field.type, []).append(field.name)
    for kind, names in sections.items():  # the roles of models are alike
        lines += _section(", ".join(names), kind)
    return "\n".join(lines).rstrip() + "\n"


def _section(name: str, kind: Any) -> Iterator[str]:
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return
    yield from ("", f"## {name}", "", inspect.cleandoc(kind.__doc__ or ""), "")
    yield from ("| setting | default | |", "| --- | --- | --- |")
    said = _docstrings(kind)
    nested: list[tuple[str, Any]] = []
    for field in msgspec.structs.fields(kind):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            nested.append((f"{name}.{field.name}", field.type))
            continue
        if field.name != "given_by":  # where a setting came from is none
            text = _cell(said.get(field.name, ""))
            yield f"| `{field.name}` | `{_cell(_default(field))}` | {text} |"
    for inner in nested:
        yield from _section(*inner)


def _default(field: Any) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return repr(field.default_factory())
    return "none" if field.default in (None, msgspec.NODEFAULT) else repr(field.default)


def _docstrings(kind: type) -> dict[str, str]:
    """By field, the text below it in the source."""
    found: dict[str, str] = {}
    for each in (base for base in kind.__mro__ if base.__module__ == config.__name__):
        (body,) = ast.parse(inspect.getsource(each)).body
        statements = body.body if isinstance(body, ast.ClassDef) else []
        for field, text in itertools.pairwise(statements):
            match field, text:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str() as said)),
                ):
                    found.setdefault(name, said)
                case _:
                    pass
    return found


def _cell(text: str) -> str:
    return " ".join(text.replace("``", "`").split()).replace("|", "\\|")


PAGES = {"commands.md": commands, "settings.md": settings}


def main() -> None:
    """Write the pages."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
