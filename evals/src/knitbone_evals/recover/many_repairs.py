"""What a thousand repairs leave: ``python -m knitbone_evals.recover.many_repairs``.

The counter of the samples (AgentTether's first figure) is served over OpenAI's client, against a
local server whose model is simulated. Its first attempt fails, the second is guided and supervised
and succeeds. Each repair has a task of its own and all of them one store, as in a service that runs
on. Counted are resident memory, open files, threads, hooks and files beside the store, after a
tenth of the repairs and after all.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import openai

import knitbone
from knitbone.samples import bank_teller
from knitbone.testing import ModelServer
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "recovery_many_repairs.json"
REPAIRS = 1_000
_EACH = 20
"""Repairs over one server."""


class Branch(bank_teller.Teller):
    """The counter and its agent."""

    def __init__(self, client: openai.OpenAI) -> None:
        super().__init__()
        self._client = client

    def __call__(self, task: str) -> str:
        return bank_teller.serve(self._client, self.bank, task)


def left() -> dict[str, Any]:
    """What this process holds now."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    resident = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    base = openai._base_client.SyncAPIClient  # pyright: ignore[reportPrivateUsage] - where hooks are put
    return {
        "resident_mb": round(int(resident) / 1024, 1),
        "open_files": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "threads": threading.active_count(),
        "hooked": not vars(base)["request"].__module__.startswith("openai"),
        "files": sorted({path.suffix for path in Path().rglob("*") if path.is_file()}),
        "journals": sum(1 for path in Path(".knitbone").rglob("*") if path.is_file()),
        "store_mb": round(Path("runs.db").stat().st_size / 1e6, 1)
        if Path("runs.db").exists()
        else 0,
    }


def _repair(branch: Branch, key: str) -> bool:
    return knitbone.recover(
        branch, bank_teller.TASK, branch.succeeded, key=key, strategy="full",
        reset=branch.reset, store="runs.db",
    ).repaired  # fmt: skip


def measure(repairs: int) -> dict[str, Any]:
    """Repair so often, in this process and in the working folder."""
    found: dict[str, Any] = {}
    repaired, began = 0, time.monotonic()
    for first in range(1, repairs + 1, _EACH):
        with (
            ModelServer(bank_teller.teller_model) as server,  # keeps each request that it got
            openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client,
        ):
            for number in range(first, min(first + _EACH, repairs + 1)):
                repaired += _repair(Branch(client), f"task {number}")
        if first + _EACH - 1 in (repairs // 10, repairs):
            found[f"after {first + _EACH - 1}"] = left()
    found["seconds a repair"] = round((time.monotonic() - began) / repairs, 3)
    return {"repairs": repairs, "repaired": repaired, **found}


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repairs", type=int, default=REPAIRS)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        result = measure(arguments.repairs)
        os.chdir("/")
    write_result(out, result)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
