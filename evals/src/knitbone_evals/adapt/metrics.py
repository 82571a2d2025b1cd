"""The figures of one treatment over the scored cases of one group.

- *Recall*: of the faulty cases, those of which the treatment says or does anything.
- *Precision*: of the cases of which it does, the faulty ones; all conforming cases count, those
  for harm alone too. Of one kind: of the cases that it reports *as that kind*.
- *Prevented*: of the cases that fail without treatment and whose answer tells the right result,
  those whose downstream result is right.
- *Mis-repaired*: the downstream result of a faulty case changed, and is wrong.
- *Harmed*: the downstream result of a conforming case changed, or any value of it on its way.
- *Pass rate*: of all cases whose answer tells the right result, conforming ones included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from knitbone_evals.adapt.cases import DEFECTS
from knitbone_evals.adapt.measure import Scored
from knitbone_evals.adapt.requirements.intervals import share

__all__ = ["figures", "figures_by_kind"]

Figures = dict[str, Any]


def figures_by_kind(scored: Sequence[Scored], harmless: Sequence[Scored]) -> dict[str, Figures]:
    """The figures of every kind of defect, and of all of them (``all``).

    Args:
        harmless: the further conforming cases.
    """
    found = {"all": figures(scored, harmless)}
    conforming = [each for each in (*scored, *harmless) if not each.case.defects]
    for kind in DEFECTS:
        faulty = [each for each in scored if kind in each.case.defects]
        if faulty:
            found[kind] = _of_faulty(faulty) | _of_reports(faulty, conforming, kind)
    return found


def figures(scored: Sequence[Scored], harmless: Sequence[Scored]) -> Figures:
    """The figures over all kinds."""
    faulty = [each for each in scored if each.case.defects]
    conforming = [each for each in (*scored, *harmless) if not each.case.defects]
    telling = [each for each in scored if each.case.repairable or not each.case.defects]
    harmed = [each for each in conforming if each.changed or each.delivered]
    return (
        _of_faulty(faulty)
        | _of_reports(faulty, conforming, None)
        | {
            "conforming": len(conforming),
            "harmed": len(harmed),
            "result harmed": sum(each.changed for each in conforming),
            "reported conforming": sum(each.reported for each in conforming),
            "pass before": _share(telling, "bare_right"),
            "pass after": _share(telling, "right"),
        }
    )


def _of_faulty(faulty: Sequence[Scored]) -> Figures:
    failing = [each for each in faulty if each.case.repairable and not each.bare_right]
    wrong = [each for each in faulty if each.changed and not each.right]
    return {
        "faulty": len(faulty),
        "recall": _share(faulty, "reported"),
        "failing": len(failing),
        "prevented": _share(failing, "right"),
        "mis-repaired": len(wrong),
    }


def _of_reports(
    faulty: Iterable[Scored], conforming: Iterable[Scored], kind: str | None
) -> Figures:
    clusters: dict[str, list[bool]] = defaultdict(list)
    for each in (*faulty, *conforming):
        if each.reported_as(kind) if kind is not None else each.reported:
            clusters[_app(each)].append(bool(each.case.defects))
    return {
        "reports": sum(map(len, clusters.values())),
        "precision": share(list(clusters.values())),
    }


def _share(scored: Iterable[Scored], attribute: str) -> list[float] | None:
    clusters: dict[str, list[bool]] = defaultdict(list)
    for each in scored:
        clusters[_app(each)].append(bool(getattr(each, attribute)))
    return share(list(clusters.values()))


def _app(scored: Scored) -> str:
    return f"{scored.case.half}/{scored.case.app}"
