"""The figures of a treatment over the natural answers, judged by the labels and the oracles.

- *Pass rate*: of all answers, those whose result the oracle of their format passes.
- *Repaired*: of the answers that fail and whose right result follows from the answer alone (by
  the label), those whose result is a right one after treatment.
- *Mis-repaired*: the result changed and no right result of the label is it; of answers that the
  label calls beyond repair, any change.
- *Harmed*: the result of an answer that conforms (by the label) changed.
- *Foreign slots*: texts of changed results that the answer does not contain.

Debatable labels count on neither side.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from knitbone_evals.adapt.cases import app_module
from knitbone_evals.adapt.measure import Scored
from knitbone_evals.adapt.natural import read_labels
from knitbone_evals.adapt.oracles import plain
from knitbone_evals.adapt.requirements.intervals import share

__all__ = ["foreign_slots", "natural_figures", "passes"]


def natural_figures(scored: Sequence[Scored]) -> dict[str, Any]:
    """All figures of one treatment."""
    labels = read_labels()
    judged = [each for each in scored if not labels[_line(each)].debatable]
    repairable = [each for each in judged if each.case.repairable and not each.bare_right]
    conforming = [each for each in judged if not each.case.defects]
    changed = [each for each in judged if each.changed and each.case.defects]
    return {
        "n": len(scored),
        "debatable": len(scored) - len(judged),
        "pass before": _share((each, passes(each, bare=True)) for each in scored),
        "pass after": _share((each, passes(each)) for each in scored),
        "repairable": len(repairable),
        "repaired": _share((each, each.right) for each in repairable),
        "mis-repaired": sum(not each.right for each in changed),
        "conforming": len(conforming),
        "harmed": sum(each.changed for each in conforming),
        "reported conforming": sum(each.reported for each in conforming),
        "reported failing": _share((each, each.reported) for each in judged if each.case.defects),
        "foreign slots": sum(len(foreign_slots(each)) for each in scored),
        "by format": {
            name: [sum(each.right for each in of), len(of)] for name, of in _formats(repairable)
        },
    }


def passes(each: Scored, *, bare: bool = False) -> bool:
    """Whether the oracle passes the result."""
    result = each.raw if bare else each.result
    oracle = app_module("natural", each.case.app, "oracle")
    return result.error is None and bool(oracle.passes(result.value, each.case.outputs[0]))


def foreign_slots(each: Scored) -> list[str]:
    """Texts of a changed result that do not stand in the answer, however it escapes them."""
    if not each.changed or each.result.error is not None:
        return []
    answer: str = each.case.outputs[0]
    readings = [plain(text) for text in (answer, html.unescape(answer), _unescaped(answer))]
    oracle = app_module("natural", each.case.app, "oracle")
    slots = [plain(str(slot)) for slot in oracle.slots(each.result.value)]
    return [slot for slot in slots if not any(slot in reading for reading in readings)]


def _unescaped(answer: str) -> str:
    def read(match: re.Match[str]) -> str:
        try:
            return str(json.loads(f'"{match.group()}"'))
        except ValueError:
            return match.group()[1:]

    return re.sub(r"\\(?:u[0-9a-fA-F]{4}|.)", read, answer)


def _line(each: Scored) -> int:
    return int(each.case.id.rpartition("/")[2])


def _formats(scored: Iterable[Scored]) -> list[tuple[str, list[Scored]]]:
    found: dict[str, list[Scored]] = defaultdict(list)
    for each in scored:
        found[each.case.app].append(each)
    return sorted(found.items())


def _share(judged: Iterable[tuple[Scored, bool]]) -> list[float] | None:
    clusters: dict[str, list[bool]] = defaultdict(list)
    for each, holds in judged:
        clusters[each.case.app].append(holds)
    return share(list(clusters.values()))
