"""Faults that know no meaning, and who reads the texts rightly: ``python -m
knitbone_evals.documents.blind``.

Tokens deleted, doubled and exchanged, random characters, cuts (``faults``), in six forms, over one
half of the shapes. ``ties`` says of which texts another document lies as near.
"""

from __future__ import annotations

from collections import Counter

from knitbone_evals.documents.faults import cases, nearer
from knitbone_evals.documents.score import Trial, options, report
from knitbone_evals.documents.ties import kept, tie

_QUICK = 300


def main(arguments: list[str] | None = None) -> int:
    """Draw, read, score, print."""
    chosen = options(__doc__).parse_args(arguments)
    if chosen.quick:
        chosen.limit = min(chosen.limit or _QUICK, _QUICK)
    dropped: Counter[str] = Counter()
    drawn = list(cases(chosen.seed, chosen.half, dropped=dropped))
    ties = kept(chosen.seed, chosen.half, drawn)
    every = -(-len(drawn) // chosen.limit) if chosen.limit else 1
    picked = range(0, len(drawn), every)
    if ties is None:
        print(f"No ties are kept for seed {chosen.seed}: they are found now, which takes long.")
    trials = [
        Trial(
            case.document.form, case.kind, case.text, case.document.target, case.value,
            tie(case) if ties is None else ties[number], nearer(case),
        )
        for number, case in ((number, drawn[number]) for number in picked)
    ]  # fmt: skip
    print(f"{sum(dropped.values())} of {len(drawn) + sum(dropped.values())} texts are accepted with"
          " their fault, and left out.")  # fmt: skip
    notes = {"accepted with their fault": dict(sorted(dropped.items()))}
    return report(trials, chosen, "blind", notes)


if __name__ == "__main__":
    raise SystemExit(main())
