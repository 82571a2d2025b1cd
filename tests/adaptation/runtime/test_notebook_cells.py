"""Cells of a notebook, which share one namespace: a source in one, its consumer in another."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterator
from typing import Any

import pytest

_SOURCE = """
import knitbone

ANSWERS = {"when": "It is due on **March 18, 2026**.", "steps": "1) wash 2) dry"}
LISTED = "1) wash\\n2) dry"

@knitbone.source
def ask(question):
    return ANSWERS[question]
"""
_IMPORTS = "from datetime import date\n"
_DUE = "@knitbone.adapt\ndef due(question):\n    return date.fromisoformat(ask(question))\n"
_HELPER = "def read(question):\n    return date.fromisoformat(ask(question))\n"
_BY_HELPER = "@knitbone.adapt\ndef due(question):\n    return read(question)\n"
_CLASS = "class Reader:\n    def read(self, question):\n" + "\n".join(
    f"    {line}" for line in _HELPER.splitlines()[1:]
)
_BY_CLASS = "@knitbone.adapt\ndef due(question):\n    return Reader().read(question)\n"
_counts = itertools.count()


@pytest.fixture
def names() -> Iterator[list[str]]:
    """The names of cells, taken out of ``linecache`` at the end."""
    made: list[str] = []
    yield made
    for name in made:
        linecache.cache.pop(name, None)


def _run(cells: list[str], names: list[str], form: str) -> dict[str, Any]:
    """Run cells as IPython does: the text of each is in ``linecache``, the namespace is one."""
    space: dict[str, Any] = {"__name__": "__main__"}
    notebook = next(_counts)
    for number, text in enumerate(cells):
        name = form.format(kind="abc"[notebook % 3] * (notebook + 1), number=number)
        names.append(name)
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), space)
    return space


_FORMS = ("<{kind}-input-{number}-75d155771c67>", "/nowhere/{kind}_9/{number}41.py")


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize(
    "cells",
    [
        [_SOURCE + _IMPORTS + _DUE],
        [_SOURCE, _IMPORTS + _DUE],
        [_SOURCE, _IMPORTS, _DUE],
        [_IMPORTS, _SOURCE, "x = 1\n", _DUE],
        [_SOURCE, _IMPORTS + _HELPER, _BY_HELPER],
        [_SOURCE, _IMPORTS, _HELPER, "", _BY_HELPER],
        [_SOURCE, _IMPORTS + _CLASS, _BY_CLASS],
        [_SOURCE, "def ask_again(question):\n    return ask(question)\n", _IMPORTS,
         _DUE.replace("ask(", "ask_again(")],
        # The same name again: the last cell that binds it counts.
        [_SOURCE, "def read(question):\n    return question\n", _IMPORTS + _HELPER, _BY_HELPER],
        # A cell that runs again under another name.
        [_SOURCE, _IMPORTS + _HELPER, _BY_HELPER, _IMPORTS + _HELPER, _BY_HELPER],
        # A cell of an error: IPython keeps its text.
        [_SOURCE, _IMPORTS, "try:\n    nothing\nexcept NameError:\n    pass\n", _DUE],
    ],
)  # fmt: skip
def test_a_source_in_one_cell_and_its_consumer_in_another(
    cells: list[str], form: str, names: list[str]
) -> None:
    space = _run(cells, names, form)
    assert str(space["due"]("when")) == "2026-03-18"


def test_a_name_that_was_bound_again_is_not_read_as_it_was(names: list[str]) -> None:
    """The earlier ``read`` makes a date; the one that counts hands the text on."""
    again = "def read(question):\n    return ask(question)\n"
    space = _run([_SOURCE, _IMPORTS + _HELPER, again, _BY_HELPER], names, _FORMS[0])
    assert space["due"]("when") == space["ANSWERS"]["when"]


def test_cells_of_another_notebook_are_not_read(names: list[str]) -> None:
    _run([_SOURCE, _IMPORTS + _HELPER], names, _FORMS[0])
    other = "import knitbone\ndef read(question):\n    return '**2026**'\n"
    space = _run([other, _BY_HELPER], names, _FORMS[0])
    assert space["due"]("when") == "**2026**"
