"""Serves a fetched model over the OpenAI protocol: ``python -m knitbone_evals.real_model.serve``.

Runs in the environment of ``make real-model``, which alone has the server's library. Ends after
``--seconds``, so that a forgotten server does not stay.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path


def main() -> None:
    """Serve until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="the file of the weights")
    parser.add_argument("--port", type=int, default=8091)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--context", type=int, default=8192, help="tokens")
    parser.add_argument("--seconds", type=int, default=6 * 3600)
    options = parser.parse_args()
    if not options.model.is_file():
        sys.exit(f"{options.model} is not there. Fetch it: make real-model")

    import xllamacpp  # noqa: PLC0415 - only this lane has it

    params = xllamacpp.CommonParams()
    params.model.path, params.port = str(options.model), options.port
    params.n_ctx, params.n_parallel, params.use_jinja = options.context, 1, True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    time.sleep(options.seconds)


if __name__ == "__main__":
    main()
