"""Readers of labelled lines: the two ways in which code takes such lines, replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from knitbone.adaptation.consumers.readers import Reader, Step, pieces_behind
from knitbone.adaptation.consumers.step_replay import rewrites
from knitbone.adaptation.repair.positional.label_plan import LabelPlan
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["ByName", "ByStart", "LabelReader"]


class LabelReader(Protocol):
    """The way in which the code takes labelled lines."""

    every_line: bool
    """Whether a line that is none of them raises an error."""

    def texts_by_label(
        self, text: str, *, rewrite: bool = True
    ) -> Mapping[str, Sequence[str]] | None:
        """Return the texts behind each label, by its key; ``None`` where a line raises an error.

        Args:
            rewrite: whether what the code changes in the text is seen as well.
        """
        ...

    def is_record(self, line: str) -> bool:
        """Return whether the code can take a line."""
        ...


class ByStart:
    """Reads ``if line.startswith("Reply:")``: every line with this start."""

    every_line = False

    def __init__(self, template: PositionalTemplate, plan: LabelPlan) -> None:
        self._steps = template.steps
        fold = template.ignore_case
        self._ignore_case = fold
        self._starts = {i.key: i.text.casefold() if fold else i.text for i in plan.labels}

    def texts_by_label(self, text: str, *, rewrite: bool = True) -> dict[str, list[str]]:
        lines = pieces_behind(self._steps if rewrite else _locating(self._steps), text)
        return {
            key: [
                line[len(start) :]
                for line in lines
                if (line.casefold() if self._ignore_case else line).startswith(start)
            ]
            for key, start in self._starts.items()
        }

    def is_record(self, line: str) -> bool:
        return bool(line.strip())


class ByName:
    """Reads ``fields[name] = text``: of several lines with one name the last."""

    def __init__(self, template: PositionalTemplate, plan: LabelPlan) -> None:
        self._reader = template.replay
        mark = self._reader.separator.strip()
        self._keys = {
            self._reader.name_of(
                (label.text.removesuffix(mark) if mark else _name_of_label(label.text),)
            ): (label.key)
            for label in plan.labels
        }
        self.every_line = self._reader.kind == "split" and self._reader.method == "split"

    def texts_by_label(self, text: str, *, rewrite: bool = True) -> dict[str, list[str]] | None:
        reader = self._reader
        if not rewrite:
            reader = msgspec.structs.replace(reader, steps=_locating(reader.steps))
        if self.every_line and not all(map(self.is_record, pieces_behind(reader.steps, text))):
            return None
        return self._by_key(reader, text)

    def _by_key(self, reader: Reader, text: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {key: [] for key in self._keys.values()}
        for record in reader.read(text):
            if (key := self._keys.get(reader.name_of(record))) is not None:
                found[key] = [record[1]]
        return found

    def is_record(self, line: str) -> bool:
        return self._reader.separator in line


def _name_of_label(label: str) -> str:
    """Return a label without the marks behind its name."""
    return label.rstrip(" :=|>-~/")


def _locating(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(step for step in steps if not rewrites(step))
