"""Forty applications whose authors knew no detector: ``python -m
knitbone_evals.adapt.applications``.

Written cases: conforming answers, drifting ones (the right value in another shape, as models write)
and answers without a value. Real answers: each application asks recorded small models for what
twelve requests fix, and ``marks/`` says what each answer holds, marked before adapt ran on it. Each
application runs in a process of its own, plain and under ``knitbone run``; nothing is told to it.

*Wrong* is a result that is neither the right one nor the one of the plain code: adapt made it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from knitbone_evals.adapt.applications.cases import HALVES, Application, applications
from knitbone_evals.adapt.applications.results import (
    MODELS,
    Judged,
    judged,
    recorded_path,
    table,
    write,
)
from knitbone_evals.adapt.applications.running import run_cases
from knitbone_evals.paths import RESULTS

RESULT = RESULTS / "applications.json"
_ROUND = 4
"""Requests of each application that are recorded before the next ones, so that a recording that is
cut off holds some of each."""
_RECORD_S = 600.0


def main() -> None:
    """Record, or run all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, action="append", help="by default both")
    parser.add_argument("--application", help="only those whose name holds this")
    parser.add_argument("--verbose", action="store_true", help="print each case that is not right")
    parser.add_argument("--written", action="store_true", help="only the written cases")
    parser.add_argument("--record", metavar="URL", help="ask this server for what is not recorded")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0])
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    chosen = [
        each
        for each in applications(halves=tuple(options.half or HALVES))
        if options.application is None or options.application in each.name
    ]
    if options.record:
        record(chosen, options.model, options.record)
        return
    with ThreadPoolExecutor(options.processes) as pool:
        rows = [
            row
            for group in pool.map(lambda each: played(each, written=options.written), chosen)
            for row in group
        ]
    if options.verbose:
        for row in rows:
            if row.verdict not in ("right", "kept"):
                print(row.line())
    print(table(rows))
    if not (options.half or options.application or options.written):
        write(RESULT, rows)


def record(chosen: Sequence[Application], model: str, url: str) -> None:
    """Ask a real model each application's requests, some of each application at a time."""
    for start in range(0, 12, _ROUND):
        for application in chosen:
            requests = [case for case in application.cases if case.answers is None]
            got = run_cases(
                application, requests[start : start + _ROUND], adapted=False,
                recorded=recorded_path(model, application), model=model, url=url, limit_s=_RECORD_S,
            )  # fmt: skip
            for name, result in got.items():
                print(application.name, name, str(result)[:160], flush=True)


def played(application: Application, *, written: bool) -> list[Judged]:
    """All cases of an application, plain and adapted."""
    rows: list[Judged] = []
    cases = [case for case in application.cases if case.answers is not None]
    rows += _both(application, cases, None, "")
    for model in () if written else MODELS:
        path = recorded_path(model, application)
        if path.exists():
            requests = [case for case in application.cases if case.answers is None]
            rows += _both(application, requests, path, model)
    return rows


def _both(
    application: Application, cases: Sequence[Any], recorded: Path | None, model: str
) -> list[Judged]:
    plain = run_cases(application, cases, adapted=False, recorded=recorded, model=model)
    ours = run_cases(application, cases, adapted=True, recorded=recorded, model=model)
    return [
        judged(application, case, model, plain[case.id], ours[case.id])
        for case in cases
        if recorded is None or plain[case.id].get("given")
    ]


if __name__ == "__main__":
    main()
