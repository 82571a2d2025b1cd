"""Runs at the start of every Python process below ``knitbone run``: its folder stands first in
``PYTHONPATH``. Starts the instrumentation, then gives way to the ``sitecustomize`` that would
have run without it."""

import importlib
import os
import sys


def _start() -> None:
    try:
        importlib.import_module("knitbone.adaptation.runtime.instrument.launch").start()
    except Exception as error:  # noqa: BLE001 - fail open: the program runs untouched
        sys.stderr.write(f"knitbone: {sys.executable} runs untouched: {error!r}\n")


def _give_way() -> None:
    here = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120 - pathlib is slow to load
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != here]
    sys.path_importer_cache.pop(here, None)
    own = sys.modules.pop(__name__)
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        # Whoever imports this module wants to find one under its name.
        sys.modules.setdefault(__name__, own)


if os.environ.get("_KNITBONE_RUN"):
    _start()
_give_way()
