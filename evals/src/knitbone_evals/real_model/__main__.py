"""The benchmarks that ask a real model: ``python -m knitbone_evals.real_model --weights DIR``.

Serves each fetched model with the environment of ``make real-model``, records what is not recorded
yet, and stops the server. Without ``--weights`` everything is replayed, and what is not recorded is
left out: so the same figures come out on a machine without the models.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knitbone_evals.paths import REPOSITORY
from knitbone_evals.real_model.fetch import MODELS, weights_file

PORT = 8091


@contextmanager
def served(python: Path, weights: Path, threads: int) -> Iterator[str]:
    """The address of a model that is served for the block."""
    server = subprocess.Popen(
        [python, "-m", "knitbone_evals.real_model.serve", weights, "--port", str(PORT),
         "--threads", str(threads)],
        cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        if not address:
            sys.exit(f"{weights} could not be served; see: make real-model")
        yield address
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Run each benchmark of the lane."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, help="where make real-model put the models")
    parser.add_argument("--python", type=Path, help="the environment that has the server")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data", type=Path, help="of the localization benchmark")
    options = parser.parse_args()

    def run(module: str, *arguments: object) -> None:
        command = [sys.executable, "-m", module, *(str(each) for each in arguments)]
        subprocess.run(command, check=True, cwd=REPOSITORY)

    for model in MODELS if options.weights else ():
        weights = weights_file(options.weights.resolve(), model)
        with served(options.python.absolute(), weights, options.threads) as address:
            name = f"qwen2.5-coder-{model}-instruct"
            if model == "1.5b":
                run("knitbone_evals.real_model.habits.record", address)
            run("knitbone_evals.fuzz_docs.real_models", "--record", address, "--model", name)
            if options.data:
                run("knitbone_evals.diagnose.analyst", "--data", options.data, "--record", address,
                    "--model", name)  # fmt: skip
    run("knitbone_evals.real_model.habits.agreement")
    run("knitbone_evals.fuzz_docs.real_models")
    if options.data:
        run("knitbone_evals.diagnose.analyst", "--data", options.data)


if __name__ == "__main__":
    main()
