"""Named faults, as lists of what models write hold them, and who reads the texts rightly: ``python
-m knitbone_evals.documents.named``.

The faults are those of ``catalogue``, over one half of the shapes, with the schema as target. Where
data are missing or contradict each other, a refusal is right.
"""

from __future__ import annotations

from knitbone_evals.documents.catalogue import DRAWS, FAULTS, REFUSALS, named_cases
from knitbone_evals.documents.score import Trial, options, report
from knitbone_evals.documents.ties import NONE


def main(arguments: list[str] | None = None) -> int:
    """Draw, read, score, print."""
    chosen = options(__doc__).parse_args(arguments)
    drawn = list(named_cases(chosen.seed, chosen.half, draws=1 if chosen.quick else DRAWS))
    every = -(-len(drawn) // chosen.limit) if chosen.limit else 1
    trials = [
        Trial("json schema", case.kind, case.text, case.target, case.value, NONE)
        for case in drawn[::every]
    ]
    return report(trials, chosen, "named", {"faults": len(FAULTS), "refusals": len(REFUSALS)})


if __name__ == "__main__":
    raise SystemExit(main())
