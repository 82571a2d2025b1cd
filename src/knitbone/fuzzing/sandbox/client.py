"""The sandbox as the rest of knitbone sees it."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast
from urllib.parse import quote, quote_plus

import msgspec

from knitbone.errors import SandboxError, TargetError
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.fuzzing.sandbox.directory import PREFIX, remove_tree
from knitbone.fuzzing.sandbox.limits import Limits
from knitbone.fuzzing.sandbox.wire import Message, receive, send
from knitbone.fuzzing.schema_bounds import bounded_schema
from knitbone.record.events import Json

__all__ = ["Sandbox", "masked_values"]


# Variables that the user passes to the tools, and their values kept out of everything written.
#
# The names are what commands, tests and journals tell. A value is taken from the process that
# starts the sandbox, and masked in every answer before anything looks at it: as it stands, as JSON
# and as Python write it, as a URL does, and in base64.

_SHORTEST = 4
"""Characters from which a value is masked; a shorter one says nothing, and occurs everywhere."""
_OURS = frozenset({"HOME", "PYTHONHASHSEED", "TMPDIR"})


def passed_variables(names: Sequence[str]) -> dict[str, str]:
    """The variables of this process by name.

    Raises:
        SandboxError: one is not set, or is what the sandbox itself sets.
    """
    for name in names:
        if name in _OURS:
            raise SandboxError(
                f"The sandbox sets {name} itself.", next_step="Leave --env for it out."
            )
        if name not in os.environ:
            raise SandboxError(
                f"The variable {name[:60]!r} is not set.",
                next_step="--env takes the name of a variable that is set where knitbone runs.",
            )
    return {name: os.environ[name] for name in names}


def masked_values(value: Any, passed: Mapping[str, str]) -> Any:
    """``value`` with every text in it without the values of ``passed``."""
    forms = sorted(_forms(passed).items(), key=lambda pair: -len(pair[0]))

    def masked(part: Any) -> Any:
        if isinstance(part, str):
            for form, name in forms:
                if form in part:
                    part = part.replace(form, name)
            return part
        if isinstance(part, list):
            return [masked(item) for item in cast("list[Any]", part)]
        if isinstance(part, dict):
            pairs = cast("dict[str, Any]", part).items()
            return {masked(key): masked(item) for key, item in pairs}
        return part

    return masked(value)


def _forms(passed: Mapping[str, str]) -> dict[str, str]:
    """Each spelling of a value, and what stands for it."""
    forms: dict[str, str] = {}
    for name, value in passed.items():
        if len(value) < _SHORTEST:
            continue
        data = value.encode("utf-8", "surrogateescape")
        spellings = {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
        spellings |= {repr(value)[1:-1], repr(data)[2:-1], data.hex()}
        spellings |= {quote(data), quote(data, safe=""), quote_plus(data)}
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            spellings |= {encode(data).decode("ascii"), encode(data).decode("ascii").rstrip("=")}
        forms.update(dict.fromkeys(spellings, f"${{{name}}}"))
    return forms


_PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TZ", "VIRTUAL_ENV")
"""Environment variables that a tool sees; the others, keys above all, it does not."""

_BOOT = (
    "import json, sys\n"
    "sys.path.pop(0)\n"  # the current directory, put there by -c
    "sys.path[:] = json.loads(sys.argv[2])\n"
    "from knitbone.fuzzing.sandbox.keeper import main\n"
    "main(int(sys.argv[1]))\n"
)
_GOODBYE_S = 15.0
"""Longest wait for the keeper to clean up."""


class Sandbox:
    """A private directory and a supply of confined workers for one target; a context manager.

    Args:
        files: a folder whose copy the tools work in; small sample files otherwise.
        allow_hosts: hosts that the tools may connect to.
        reset: ``module:name`` or ``file.py:name`` of a function without parameters, called before
            each call, inside the sandbox, to put the tools' own state back.
        env: names of variables of this process that the tools see as well; their values are
            masked in whatever comes back.
        setup: as ``reset``, of a function that makes the instance of a class that ``target`` names.
        trace: import the tools' own modules so that calls can tell what they do.
        chance: seeds what tools draw by ``random``, and the order of their sets.
        companions: also have the tools that share state with the one that ``target`` names.
        changed: a folder whose modules take the place of those of the same name.

    Raises:
        TargetError: the target cannot be found, imported or understood.
        SandboxError: the processes cannot be started or kept.
    """

    def __init__(  # noqa: PLR0913 - all but the target have defaults and names
        self,
        target: str,
        *,
        limits: Limits | None = None,
        files: Path | None = None,
        allow_hosts: Sequence[str] = (),
        reset: str | None = None,
        env: Sequence[str] = (),
        setup: str | None = None,
        trace: bool = False,
        chance: int = 0,
        companions: bool = False,
        changed: Path | None = None,
    ) -> None:
        if files is not None and not files.is_dir():
            raise SandboxError(
                f"{files} is not a folder.", next_step="Name a folder of files with --files."
            )
        self.limits = limits or Limits()
        self._target, self._reset, self._trace = target, reset, trace
        self._chance, self._companions = chance, companions
        self._changed = changed
        self._passed = passed_variables(env)
        self._base: str | None = None
        ours, theirs = socket.socketpair()
        self._channel = ours
        try:
            with theirs:
                self._process = _start_keeper(theirs.fileno(), chance, self._passed)
        except OSError as error:
            ours.close()
            raise SandboxError(
                f"The sandbox cannot be started: {error}.", next_step="Check the system's limits."
            ) from error
        try:
            loaded = self._ask(
                self._job(files, allow_hosts, reset, setup), within_s=self._patience_s
            )
            self._base = loaded.get("base")
            told = _told(loaded, target)
            self.paths: tuple[str, ...] = told.paths
            """Files and folders of the private directory, relative."""
            self.confinement: tuple[str, ...] = told.confinement
            self.tools: tuple[ToolUnderTest, ...] = _specs(told.tools, target)
            self.companions: tuple[ToolUnderTest, ...] = ()
            """Other tools that share state with them; they follow ``tools`` in ``call``."""
            if told.companions:
                self.companions = _specs(told.companions, target, picked=True)
        except BaseException:
            self.close()
            raise

    def call(
        self,
        tool: int,
        arguments: dict[str, Json],
        *,
        timeout_s: float,
        fresh: bool = False,
        trace: bool = False,
        exceptions: bool = False,
    ) -> CallOutcome:
        """Run one tool once.

        Args:
            tool: position in ``tools``, then in ``companions``.
            timeout_s: wall clock allowed, in seconds.
            fresh: in a process that has made no call before.
            trace: the outcome tells what the tool did, where the sandbox was made to.
            exceptions: the outcome tells whether the text repeats an exception; slower.

        Raises:
            SandboxError: the sandbox ended, or the reset hook failed.
        """
        reply = self._ask(
            {
                "tool": tool,
                "arguments": arguments,
                "timeout_s": timeout_s,
                "fresh": fresh,
                "trace": trace and self._trace,
                "exceptions": exceptions,
            },
            # A call may be made twice, to see what it leaves behind.
            within_s=self._patience_s + 3 * timeout_s,
        )
        if reply.get("status") == "unready":
            raise SandboxError(
                f"The reset hook {self._reset!r} failed: {reply.get('message')}",
                next_step="It must succeed before every call, within the sandbox's limits.",
            )
        try:
            return msgspec.convert(reply, CallOutcome)
        except msgspec.ValidationError as error:
            # Only a tool that writes into the channel of its worker gets here.
            return CallOutcome(status="crash", message=f"the worker answered nonsense: {error}")

    def companions_of(self, tool: int) -> dict[str, int]:
        """Positions of the other tools that share state with one, by name."""
        specs = (*self.tools, *self.companions)
        own = specs[tool].name
        return {spec.name: place for place, spec in enumerate(specs) if spec.name != own}

    def close(self) -> None:
        """End every process of the sandbox and delete its directory."""
        self._channel.close()
        try:
            self._process.wait(_GOODBYE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # Only where the keeper was killed is there anything left.
        if self._base is not None and Path(self._base).name.startswith(PREFIX):
            remove_tree(Path(self._base))

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _job(
        self,
        files: Path | None,
        allow_hosts: Sequence[str],
        reset: str | None,
        setup: str | None,
    ) -> Message:
        return {
            "target": self._target,
            "cwd": str(Path.cwd()),
            "files": None if files is None else str(files.resolve()),
            "limits": msgspec.to_builtins(self.limits),
            "allow_hosts": list(allow_hosts),
            "reset": reset,
            "setup": setup,
            "trace": self._trace,
            "chance": self._chance,
            "companions": self._companions,
            "changed": None if self._changed is None else str(self._changed),
            "temporary": tempfile.gettempdir(),
            "protected": [os.getpid()],
        }

    @property
    def _patience_s(self) -> float:
        """Far more than the sandbox takes to get a worker, which it may have to try again."""
        return 60 + 6 * self.limits.load_timeout_s

    def _ask(self, message: Message, *, within_s: float) -> Message:
        reply: Message | None = None
        with contextlib.suppress(OSError):
            self._channel.settimeout(within_s)
            send(self._channel, message)
            reply = receive(self._channel)
        if reply is not None and self._passed:
            reply = masked_values(reply, self._passed)
        if reply is None or "fatal" in reply:
            detail = "" if reply is None else f": {str(reply['fatal']).strip()[-2_000:]}"
            raise SandboxError(
                f"The sandbox of {self._target!r} ended unexpectedly, or answers no more{detail}",
                next_step="If the tool does not kill processes, please report this.",
            )
        return reply


def _start_keeper(
    descriptor: int, chance: int, passed: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    path = [str(Path(entry or ".").resolve()) for entry in sys.path]
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment.update(passed)
    # Sets iterate in the same order in every run, so a tool's failures are the same.
    environment["PYTHONHASHSEED"] = str(chance)
    return subprocess.Popen(
        [sys.executable, "-s", "-B", "-X", "utf8", "-c", _BOOT, str(descriptor), json.dumps(path)],
        env=environment,
        cwd="/",
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


_READ = 200_000
"""Characters of a documentation: what an agent could be shown."""


class _Error(msgspec.Struct, frozen=True):
    message: str
    next_step: str | None = None


class _Told(msgspec.Struct, frozen=True):
    """What the sandbox tells of the target once it is imported: the word of the tool's process."""

    base: str
    paths: tuple[str, ...]
    tools: tuple[dict[str, Json], ...] = ()
    companions: tuple[dict[str, Json], ...] = ()
    confinement: tuple[str, ...] = ()
    error: _Error | None = None


def _told(loaded: Message, target: str) -> _Told:
    """
    Raises:
        TargetError: the target cannot be loaded, or its process tells what makes no sense.
    """
    try:
        told = msgspec.convert(loaded, _Told)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _nonsense(target, error) from error
    if told.error is not None:
        raise TargetError(told.error.message, next_step=told.error.next_step)
    return told


def _specs(
    tools: Sequence[dict[str, Json]], target: str, *, picked: bool = False
) -> tuple[ToolUnderTest, ...]:
    base = target.partition("#")[0]
    specs: list[ToolUnderTest] = []
    for tool in tools:
        name = target if len(tools) == 1 and not picked else f"{base}#{tool.get('name')}"
        try:
            spec = msgspec.convert({**tool, "target": name}, ToolUnderTest)
        except (msgspec.ValidationError, RecursionError) as error:
            raise _nonsense(target, error) from error
        schema, unmade = bounded_schema(spec.schema)
        specs.append(
            msgspec.structs.replace(
                spec, schema=schema, unmade=unmade, documentation=spec.documentation[:_READ]
            )
        )
    if not specs:
        raise TargetError(f"{target!r} names no tool.", next_step="Name one that it has.")
    return tuple(specs)


def _nonsense(target: str, error: Exception) -> TargetError:
    return TargetError(
        f"What {target!r} tells of its tools makes no sense: {error}.",
        next_step="A name, a documentation and a schema are needed of each; import it by hand.",
    )
