"""What is stated of the planted tools, against their faults: a call that works must keep to it, the
call that fails should break it."""

from __future__ import annotations

from scipy import stats

from knitbone.fuzzing.fixing import DocumentationFix, DocumentationFixed, FixSetting, fix
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone_evals.fuzz.planted import registry
from knitbone_evals.fuzz.planted.specification import Planted, Sound

__all__ = ["state_planted"]

_DEV = ("travel", "measures", "tables", "references", "days")
"""The themes that may be looked at."""


def state_planted(split: str) -> dict[str, object]:
    """The figures of one split of the planted tools."""
    faults = sound = false = ruled_out = stated_of = before = after = 0
    wrong: list[str] = []
    rows: list[dict[str, object]] = []
    for tool in _tools(split):
        made = _fixed(tool.target)
        constraints = [statement.constraint for statement in made.statements]
        stated_of += bool(constraints)
        normal = tool.accepted if isinstance(tool, Sound) else (tool.normal, *tool.more)
        if not all(keeps(constraints, arguments) for arguments in normal):
            false += 1
            wrong.append(tool.target)
        if isinstance(tool, Planted):
            faults += 1
            ruled_out += not keeps(constraints, tool.witness)
        else:
            sound += 1
        before += 0 if made.before is None else made.before.within
        after += 0 if made.after is None else made.after.within
        rows.append(
            {
                "target": tool.target,
                "category": tool.category if isinstance(tool, Planted) else "sound",
                "statements": [statement.text for statement in made.statements],
                "refusal": None if made.refusal is None else made.refusal.what,
            }
        )
        print(rows[-1], flush=True)
    total = faults + sound
    return {
        "split": split,
        "tools with a fault": faults,
        "sound tools": sound,
        "tools of which something is stated": stated_of,
        "fault's call ruled out": _share(ruled_out, faults),
        "a call that works ruled out (false)": _share(false, total),
        "wrong": wrong,
        "tools": rows,
    }


def _tools(split: str) -> list[Planted | Sound]:
    if split in ("second", "third"):
        return list(registry.SECOND if split == "second" else registry.THIRD)
    named = [t for t in registry.TOOLS if (t.target.split(":")[0].split(".")[-1] in _DEV)]
    return named if split == "dev" else [tool for tool in registry.TOOLS if tool not in named]


def _fixed(target: str) -> DocumentationFix:
    setting = FixSetting(calls=200, seed=0)
    return next(e.fix for e in fix(target, setting) if isinstance(e, DocumentationFixed))


def _share(hits: int, total: int) -> dict[str, object]:
    """A share with its exact binomial interval (Clopper-Pearson, 95 %)."""
    if not total:
        return {"n": 0}
    interval = stats.binomtest(hits, total).proportion_ci()
    return {
        "hits": hits,
        "n": total,
        "share": round(hits / total, 3),
        "low": round(interval.low, 3),
        "high": round(interval.high, 3),
    }
