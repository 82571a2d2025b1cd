"""A cache of analysis results on disk, so that an unchanged application is analysed once.

There is one file for each unit (a package, a folder of scripts, a script). It holds the result
with a digest of everything that the result depends on: the version of the analysis, the Python
version, names and contents of the source files. A cache that cannot be read or written is no
error.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import msgspec
import platformdirs

from knitbone._logging import get_logger, log
from knitbone._version import __version__
from knitbone.adaptation.requirements.sites import Site

try:
    import fcntl
except ImportError:  # not on Windows: processes that start together all analyse
    fcntl = None

__all__ = ["UnitPlan", "cached_plan"]

_logger = get_logger(__name__)
_MAX_ENTRIES = 200
"""Units kept; the oldest go first."""
_PATIENCE_S = 30.0
"""Seconds for which a process waits for another one's analysis, three times the budget; it may have
been stopped (ours)."""
_STEP_S = 0.02


class UnitPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an analysis that instrumentation needs."""

    sites: tuple[Site, ...]
    edges: dict[str, tuple[str, ...]]
    functions: dict[str, tuple[str, str, int]]
    """Function key -> file, qualified name, line of its first decorator or ``def``."""
    errors: dict[str, str]
    """File -> why it was not analysed."""
    seconds: float = 0.0
    """The time that making the plan took."""
    passing: bool = False
    """Whether it would be another one at another time, and is not kept."""
    silenced: tuple[Site, ...] = ()
    """Sites that a comment or the requirements file switches off; never kept on disk."""

    def reachable(self, entry: str) -> set[str]:
        """Return the keys of all functions that an entry function may lead to, itself included."""
        found, pending = {entry}, [entry]
        while pending:
            for callee in self.edges.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found


class _CachedPlan(msgspec.Struct, frozen=True):
    """A plan on disk, with the digest of what it depends on."""

    files: tuple[str, ...]
    """Files whose contents are part of the digest."""
    digest: str
    plan: UnitPlan


def cached_plan(
    unit: str,
    listed: Sequence[Path] | None,
    make: Callable[[], UnitPlan],
    *,
    extra: str = "",
) -> tuple[UnitPlan, bool]:
    """Return the plan of a unit, and whether it came from the cache.

    Args:
        unit: names the unit; an absolute path.
        listed: the unit's files; ``None`` where only the analysis finds them out: then the files
            of the last analysis are looked at.
        make: analyses the unit.
        extra: what else the result depends on.
    """
    folder = platformdirs.user_cache_path("knitbone") / "plans"
    name = hashlib.blake2b(unit.encode("utf-8", "replace"), digest_size=16).hexdigest()
    path = folder / f"{name}.msgpack"
    with _unit_lock(path.with_suffix(".lock")):
        entry = _read(path)
        if entry is not None:
            files = [str(file) for file in listed] if listed is not None else entry.files
            if entry.digest == digest_of(files, extra):
                return entry.plan, True
        started = time.perf_counter()
        plan = make()
        plan = msgspec.structs.replace(plan, seconds=time.perf_counter() - started)
        if listed is not None:
            files = [str(file) for file in listed]
        else:
            files = sorted({file for file, _, _ in plan.functions.values()} | set(plan.errors))
        if not plan.passing:
            _write(path, _CachedPlan(tuple(files), digest_of(files, extra), plan))
        return plan, False


def digest_of(files: Sequence[str], extra: str) -> str:
    """Return a digest of the analysis itself and of the files' names and contents."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{_own_state()}\0{extra}".encode("utf-8", "replace"))
    for file in files:
        digest.update(b"\0" + file.encode("utf-8", "replace") + b"\0")
        try:
            content = Path(file).read_bytes()
        except OSError as error:
            content = repr(error).encode()
        digest.update(hashlib.blake2b(content, digest_size=16).digest())
    return digest.hexdigest()


_own: str = ""


def _own_state() -> str:
    """Return the state of the analysis itself, also where it is edited without a new version
    number."""
    global _own  # noqa: PLW0603 - computed once a process
    if not _own:
        root = Path(__file__).parents[2]
        stats = ((file.name, file.stat()) for file in sorted(root.rglob("*.py")))
        states = [f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in stats]
        _own = f"{__version__} {sys.version_info[:2]} {' '.join(states)}"
    return _own


def _read(path: Path) -> _CachedPlan | None:
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=_CachedPlan)
    except (OSError, msgspec.DecodeError):
        return None


def _write(path: Path, entry: _CachedPlan) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.draft")
        draft.write_bytes(msgspec.msgpack.encode(entry))
        draft.replace(path)
        entries = sorted(path.parent.glob("*.msgpack"), key=lambda file: file.stat().st_mtime)
        for old in entries[:-_MAX_ENTRIES]:
            old.unlink(missing_ok=True)
            old.with_suffix(".lock").unlink(missing_ok=True)
    except (OSError, TypeError, ValueError) as error:
        log(_logger, logging.DEBUG, "plan not cached", path=str(path), reason=repr(error))


@contextlib.contextmanager
def _unit_lock(path: Path) -> Generator[None]:
    """Hold a unit's lock: of processes that start together one analyses the unit, and the others
    wait."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield
        return
    try:
        end = time.monotonic() + _PATIENCE_S
        while fcntl is not None and time.monotonic() < end:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(_STEP_S)
            except OSError:
                break
        yield
    finally:
        if fcntl is not None:
            # A child that was forked meanwhile holds the same lock: closing alone would leave it.
            with contextlib.suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)
