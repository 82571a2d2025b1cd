"""The start, the forks and the end of every Python process below ``knitbone run``.

``bootstrap/sitecustomize.py`` calls ``start`` before anything of the application runs. Only the
standard library is loaded until the first module of the application is imported.
"""

from __future__ import annotations

import atexit
import importlib
import json
import logging
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knitbone._forks import renew_in_child
from knitbone._switch import is_disabled
from knitbone.adaptation.runtime.instrument.importer import adopt_imports, adopt_scripts
from knitbone.common.ownership import is_own

if TYPE_CHECKING:
    from knitbone.adaptation.requirements.sites import Site

__all__ = ["environment_of", "start"]

VARIABLE = "_KNITBONE_RUN"
"""Environment variable that carries the settings to child processes."""
BOOTSTRAP = str(Path(__file__).with_name("bootstrap"))
_PULSE_S = 1.0
"""Seconds between two writings of the counts (ours)."""


def environment_of(settings: dict[str, Any], environment: dict[str, str]) -> dict[str, str]:
    """Return the environment for a command, made from that of the process that starts it.

    Args:
        settings: ``units`` (lists of folders and files that belong together), ``packages``
            (names), ``adapt`` (fields of ``AdaptConfig``), ``parts`` (folder for the counts),
            ``learn`` (folder for what is observed; without it nothing is), ``starters`` (modules
            of other parts, whose ``start(settings)`` is called at the start of each process).
    """
    inherited = environment.get("PYTHONPATH", "")
    others = [entry for entry in inherited.split(os.pathsep) if entry and entry != BOOTSTRAP]
    return {
        **environment,
        VARIABLE: json.dumps(settings),
        "PYTHONPATH": os.pathsep.join([BOOTSTRAP, *others]),
    }


def start() -> None:
    """Instrument the application in this process; called before anything of it runs."""
    if is_disabled():
        return
    settings = json.loads(os.environ[VARIABLE])
    _log_as_asked()
    scope = _Launched(settings)
    if settings.get("learn"):
        # Loaded by ``knitbone learn`` only.
        from knitbone.adaptation.learning.session import start_learning  # noqa: PLC0415

        start_learning(settings["learn"], scope.wants)
    for module in settings.get("starters", ()):
        try:
            importlib.import_module(module).start(settings)
        except Exception as error:  # noqa: BLE001 - one part's failure is not the others'
            sys.stderr.write(f"knitbone: {module} not started: {error!r}\n")
    adopt_imports(scope)
    adopt_scripts(_script())
    counts = _Counts(str(settings["parts"]))
    scope.before_planning = counts.follow
    atexit.register(counts.write)
    renew_in_child(counts.after_fork)


def _log_as_asked() -> None:
    """Write the log that ``KNITBONE_LOG`` asks for. Its modules are loaded only if it is set."""
    if not os.environ.get("KNITBONE_LOG"):
        return
    from knitbone._logging import (  # noqa: PLC0415
        clean_lines,
        enable_logging,
        get_logger,
        level_asked_for,
        log,
    )
    from knitbone.record.redaction import Redactor  # noqa: PLC0415

    clean_lines(Redactor().text)
    enable_logging(level_asked_for())
    log(get_logger(__name__), logging.DEBUG, "process started", pid=os.getpid(), arguments=sys.argv)


def _script() -> str | None:
    """Return the script that Python is about to run: not ``-c``, ``-m``, or standard input."""
    first = sys.argv[0] if sys.argv else ""
    return None if first in ("", "-", "-c", "-m") else first


class _Launched:
    """The user's own files in a launched process; an ``importer.ImportScope``."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._units: list[tuple[str, ...]] = [tuple(unit) for unit in settings["units"]]
        self._places = {name for u in self._units for place in u for name in _aliases(place)}
        self._packages: set[str] = set(settings["packages"])
        self._named: set[str] = set()
        self._adapt: dict[str, Any] = settings["adapt"]
        self.before_planning: Callable[[], None] = lambda: None
        """Called before the sites of a module of the application are planned."""

    def wants(self, name: str, path: str) -> bool:
        """Return whether a file belongs to the application."""
        if name in self._packages and name not in self._named:
            self._named.add(name)
            file = Path(path)
            own = str(file.parent if file.name == "__init__.py" else file)
            self._units.append((os.path.realpath(own),))
            self._places.add(own)
        return is_own(path, *self._places)

    def sites(self, file: str) -> Sequence[Site]:
        """Return the sites of a file of the application, switched on."""
        from knitbone.adaptation.runtime.instrument.plans import (  # noqa: PLC0415 - heavy
            plan_of_unit,
            sites_of,
        )
        from knitbone.adaptation.runtime.registry import number_site  # noqa: PLC0415
        from knitbone.config import AdaptConfig  # noqa: PLC0415

        unit = self._unit_of(file)
        if unit is None:
            return ()
        self.before_planning()
        config = AdaptConfig(**self._adapt)
        plan = plan_of_unit([Path(path) for path in unit], config.analysis_s)
        found = sites_of(plan, file)
        for site in found:
            if site.file == file:
                number_site(site, config)
        return found

    def _unit_of(self, file: str) -> tuple[str, ...] | None:
        return next((u for u in self._units if is_own(file, *u)), None)


def _aliases(place: str) -> set[str]:
    """Return the paths under which a place is imported where ``sys.path`` goes through links."""
    found = {place}
    for entry in sys.path:
        real = os.path.realpath(entry)
        if real != entry and (place == real or place.startswith(real + os.sep)):
            found.add(entry.rstrip(os.sep) + place[len(real) :])
    return found


class _Counts:
    """The file of this process's counts, which ``knitbone run`` reads.

    It is written at the end, and now and then before, for the process may be killed.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._name = _part_name()
        self._last = 0.0

    def follow(self) -> None:
        """Begin to write from time to time, from the first module of the application on."""
        from knitbone.adaptation.runtime.decorated_functions import hold_lines  # noqa: PLC0415
        from knitbone.adaptation.runtime.output import set_pulse  # noqa: PLC0415 - heavy

        hold_lines()
        set_pulse(self._pulse)

    def write(self, *, complete: bool = True) -> None:
        """Write the counts, in place of those written before."""
        if "knitbone.adaptation.runtime.registry" not in sys.modules:
            return
        from knitbone.adaptation.runtime.decorated_functions import say_held_lines  # noqa: PLC0415
        from knitbone.adaptation.runtime.instrument.program_report import process_report  # noqa: PLC0415
        from knitbone.adaptation.runtime.registry import process_counts  # noqa: PLC0415

        if complete:
            counts = process_counts()
            say_held_lines(
                {one.site.rpartition(":")[0] for one in counts if one.repaired or one.observed}
            )
        try:
            path = Path(self._folder, self._name)
            draft = path.with_suffix(f".{threading.get_ident()}.draft")
            draft.write_bytes(process_report(complete=complete))
            draft.replace(path)
        except Exception as error:  # noqa: BLE001 - what the program does stands
            if complete and Path(self._folder).is_dir():
                sys.stderr.write(f"knitbone: counts of process {os.getpid()} lost: {error!r}\n")

    def _pulse(self) -> None:
        now = time.monotonic()
        if now - self._last > _PULSE_S:
            self._last = now
            self.write(complete=False)

    def after_fork(self) -> None:
        """Begin to count anew in the child of a fork: what the parent counted is the parent's."""
        self._name = _part_name()
        self._last = 0.0
        runtime: Any = sys.modules.get("knitbone.adaptation.runtime.registry")
        if runtime is not None:
            runtime.forget_counts()
        util: Any = sys.modules.get("multiprocessing.util")
        if util is not None:
            # Its children end without ``atexit``, but run their own finalizers.
            util.register_after_fork(self, partial(_write_at_end, util))


def _write_at_end(util: Any, counts: _Counts) -> None:
    """Have ``multiprocessing.util`` write the counts when this process ends, after its own
    finalizers."""
    util.Finalize(None, counts.write, exitpriority=-1_000)


def _part_name() -> str:
    return f"{os.getpid()}-{uuid.uuid4().hex}.json"
