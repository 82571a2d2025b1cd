"""Hostile schemas, replies and escapes: ``python -m knitbone_evals.fuzz.hostile_run``.

The corpora in ``hostile/`` are by an author who had read neither the generator nor the sandbox.

* schemas: 200 proposals each within the given time, in a process of its own; its memory is counted.
* replies: every variant is called, then a second call in the same sandbox: both must have an end.
* escapes: each in a sandbox of its own; what ``World`` says that changed counts, not the answer.

Run it as root and as another user: the walls differ.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from knitbone.errors import KnitboneError
from knitbone.fuzzing.generate.bounded_generator import BoundedGenerator, CannotGenerateError
from knitbone.fuzzing.generate.directed_generator import DirectedGenerator
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.schema_bounds import bounded_schema
from knitbone_evals.fuzz.hostile.escapes import ESCAPES, UNPROMISED
from knitbone_evals.fuzz.hostile.replies import REPLIES
from knitbone_evals.fuzz.hostile.schemas import SCHEMAS
from knitbone_evals.fuzz.hostile.world import World

_CALLS = 200
_MOST_MB = 1024


def in_child(work: Callable[[], str]) -> tuple[str, float, int]:
    """What ``work`` says, its seconds, and the most megabytes that its process had."""
    read_end, write_end = os.pipe()
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            said = work()
        except BaseException as error:  # noqa: BLE001 - what is measured
            said = f"ESCAPED {type(error).__name__}: {str(error)[:200]}"
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        os.write(write_end, json.dumps([said, most]).encode("ascii"))
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as answer:
        text = answer.read()
    _, status = os.waitpid(pid, 0)
    said, most = json.loads(text) if text else (f"ESCAPED: ended with {status}", 0)
    return said, time.monotonic() - started, most


def propose(schema: dict[str, object], time_s: float) -> str:
    """200 proposals, or what is said instead."""
    end = time.monotonic() + time_s
    sound, unmade = bounded_schema(schema)
    tool = ToolUnderTest(name="t", target="t", documentation="", schema=sound, unmade=unmade)
    said = "; ".join(unmade)
    try:
        generator = BoundedGenerator(
            lambda spec: DirectedGenerator(spec, seed=1), tool, time_s=time_s
        )
        for call in range(1, _CALLS + 1):
            arguments = generator.propose(call).arguments
            generator.observe(arguments, CallOutcome(status="ok", text="x"), None)
            if time.monotonic() > end:
                return f"{call} calls; time is up; {said}"
    except CannotGenerateError as error:
        return f"{error}; {said}"
    return f"{_CALLS} calls; {said}"


def run_schemas(time_s: float) -> int:
    bad = 0
    for each in SCHEMAS:
        said, seconds, most = in_child(lambda schema=each.schema: propose(schema, time_s))
        is_bad = said.startswith("ESCAPED") or seconds > 1.5 * time_s or most > _MOST_MB
        bad += is_bad
        word = "BAD " if is_bad else "    "
        print(f"{word}{each.name:24} {seconds:6.1f} s {most:5} MB  {said[:110]}", flush=True)
    print(f"schemas: {len(SCHEMAS) - bad} of {len(SCHEMAS)} bounded\n")
    return bad


def run_replies() -> int:
    bad = total = 0
    for each in REPLIES:
        with tempfile.TemporaryDirectory() as folder:
            module = Path(folder, "hostile_reply.py")
            module.write_text(each.source, encoding="utf-8")
            for variant in each.variants:
                total += 1
                try:
                    with Sandbox(f"{module}:attempt", trace=True) as sandbox:
                        for index in range(2):
                            sandbox.call(
                                0, {"text": variant}, timeout_s=3, trace=True, fresh=index == 1
                            )
                    fault = ""
                except KnitboneError as error:
                    fault = f"ended the campaign: {error.message[-300:]}"
                except Exception as error:  # noqa: BLE001 - what is measured
                    fault = f"traceback: {type(error).__name__}: {error}"
                if fault:
                    bad += 1
                    print(f"BAD {each.name} {variant}: {fault}", flush=True)
    print(f"replies: {total - bad} of {total} variants of {len(REPLIES)} end as calls\n")
    return bad


def run_escapes() -> int:
    through = unpromised = 0
    confinement: tuple[str, ...] = ()
    for each in ESCAPES:
        with tempfile.TemporaryDirectory() as folder:
            module = Path(folder, "hostile_escape.py")
            module.write_text(each.source, encoding="utf-8")
            module.chmod(0o644)
            with World() as world:
                os.environ.update(world.environment)
                try:
                    with Sandbox(f"{module}:attempt") as sandbox:
                        confinement = sandbox.confinement
                        outcome = sandbox.call(0, {"outside": world.outside}, timeout_s=30)
                        said = f"{outcome.status}: {outcome.text or outcome.message}"
                except KnitboneError as error:
                    said = f"sandbox ended: {error.message[-200:]}"
                changed = world.changes()
        claims = "escaped:" in said
        if changed or claims:
            is_promised = each.name not in UNPROMISED
            through += bool(changed)
            unpromised += bool(changed) and not is_promised
            word = "THROUGH" if changed else "claims "
            mark = "" if is_promised else " (unpromised)"
            print(f"{word} {each.name}{mark}: changed {changed}; {said[:600]}", flush=True)
    print(f"confinement: {', '.join(confinement)}; user {os.getuid()}")
    print(f"escapes: {len(ESCAPES) - through} of {len(ESCAPES)} changed nothing outside\n")
    return through


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["schemas", "replies", "escapes"])
    parser.add_argument("--time", type=float, default=10.0, help="seconds for each schema")
    options = parser.parse_args()
    bad = 0
    if "schemas" in options.what:
        bad += run_schemas(options.time)
    if "replies" in options.what:
        bad += run_replies()
    if "escapes" in options.what:
        bad += run_escapes()
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
