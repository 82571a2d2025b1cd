"""Polling: the same call again and again is what the task needs."""

import json

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import json_faults

SPEC = AppSpec(
    name="job_watch",
    half="unseen",
    domain="task management",
    function="watch",
    kind="tools",
    counted=("status", "restart"),
)


def call(name, job):
    arguments = json.dumps({"job": job})
    return {"text": "", "tool_calls": [{"name": name, "arguments": arguments}]}


def of_looks(job, states, names, note=""):
    """``names``: the tools in the order of their calls."""
    seen, left = [], list(states)
    for name in names:
        if name == "status":
            seen.append(f"{job}: {left.pop(0) if len(left) > 1 else left[0]}")
        else:
            left = ["running", "passed"]
            seen.append(f"{job}: restarted")
    told = f"Build {job} is done."
    return Base(
        inputs={"job": job, "states": list(states)},
        outputs=(*(call(name, job) for name in names), told),
        expected={
            "value": {"seen": seen, "told": told},
            "calls": {name: names.count(name) for name in ("status", "restart")},
        },
        note=note,
    )


def base(rng, _pool):
    waiting = rng.randint(1, 5)
    job = f"{rng.choice(('web', 'api', 'docs'))}-{rng.randint(100, 999)}"
    states = [*["queued"] * rng.randint(0, 2), *["running"] * waiting, "passed"]
    if rng.random() < 0.3:
        states = [*["running"] * waiting, "failed"]
        return of_looks(job, states, ["status"] * len(states) + ["restart", "status", "status"])
    return of_looks(job, states, ["status"] * len(states))


FAULTS = tuple(
    each
    for each in json_faults()
    if each.name in ("single quotes", "bare keys", "closing brackets lost", "key in other case")
)


def extra(_rng):
    names = ["status", "restart", "restart", "status"]
    note = "a restart that did not take: a call that changes something is never left out"
    yield case_of(SPEC, of_looks("api-7", ["failed"], names, note))
