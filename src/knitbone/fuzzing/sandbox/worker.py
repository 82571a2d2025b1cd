"""The processes that run the user's code: the template imports it, the workers call it.

The template confines itself before it imports anything of the user's, then forks a worker when
asked to; so a worker that died is replaced in milliseconds, with the tool already imported.
Where importing started threads or processes (an MCP server, say), forking is not safe: there the
template becomes the worker, and the keeper starts a new template for the next one.
"""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import gc
import os
import random
import signal
import socket
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from knitbone.errors import KnitboneError
from knitbone.fuzzing.sandbox.audit import MARK, RefusedAction, SandboxDenied, install
from knitbone.fuzzing.sandbox.exception_origins import is_unforeseen
from knitbone.fuzzing.sandbox.hook import load_reset, set_up
from knitbone.fuzzing.sandbox.landlock import restrict
from knitbone.fuzzing.sandbox.limits import Limits, confine_process, die_with_parent
from knitbone.fuzzing.sandbox.missing_resources import text_of
from knitbone.fuzzing.sandbox.namespaces import bind_read_only, own_network
from knitbone.fuzzing.sandbox.outcome import (
    describe_failure,
    describe_refusals,
    describe_result,
    noted,
)
from knitbone.fuzzing.sandbox.privileges import drop_privileges
from knitbone.fuzzing.sandbox.processes import children, thread_count
from knitbone.fuzzing.sandbox.return_types import ReturnCheck
from knitbone.fuzzing.sandbox.seccomp import filter_calls
from knitbone.fuzzing.sandbox.shared_memory import (
    SHARED_MEMORY,
    clear_shared_memory,
    give_shared_memory,
)
from knitbone.fuzzing.sandbox.walls import (
    AUDIT,
    FILTER,
    LANDLOCK,
    NO_PRIVILEGES,
    OWN_MEMORY,
    OWN_NETWORK,
    OWN_PROCESSES,
    READ_ONLY,
)
from knitbone.fuzzing.sandbox.wire import Message, encode, receive, send
from knitbone.fuzzing.tools.adapter_calls import ErrorResult
from knitbone.fuzzing.tools.mcp import is_mcp_target
from knitbone.fuzzing.tools.resolve import load_tools, load_with_companions
from knitbone.fuzzing.tools.types import (
    ArgumentsRejectedError,
    OutputTypeError,
    ProcessEndedError,
    Tool,
)
from knitbone.fuzzing.trace.attach import begin, end, traced
from knitbone.fuzzing.trace.load import roots_of_target, trace_imports

__all__ = ["DIRECTORY_TOKEN", "SPAWN", "run_template"]

DIRECTORY_TOKEN = "${SANDBOX}"  # noqa: S105 - not a secret
"""Stands for the private directory in arguments and messages, whose real name differs each time."""

_ANSWER_SHARE = 0.8
"""Of the time for loading, in which a server must answer; the rest is for saying that it did not.
"""
_REJECTION = 500
"""Characters kept of the message by which arguments are refused."""
SPAWN = b"s"
"""What the keeper sends with a channel, when it wants a worker on the other end."""


# A tool may replace what its own code calls; what the worker calls stays as it was.
_chdir, _getpid, _exit = os.chdir, os.getpid, os._exit
_set_timer, _seed = signal.setitimer, random.seed
_unfreeze, _collect = gc.unfreeze, gc.collect
_environ = os.environ


class _Loaded(NamedTuple):
    """What the template hands to every worker."""

    tools: list[Tool]
    """The companions come last."""
    checks: list[ReturnCheck]
    """One for each tool."""
    refused: list[RefusedAction]
    """What the audit hook refused, until it is cleared."""
    reset: Callable[[], None] | None
    chance: int
    """Seeds ``random`` before each call."""
    own_memory: bool
    """Whether ``/dev/shm`` is the workers' alone."""


def run_template(control: socket.socket, output: int, work: str, job: Message) -> None:
    """Confine this process, import the target, report its tools, and fork workers for ever."""
    die_with_parent()
    _redirect(output)
    os.chdir(work)
    try:
        confinement, refused = _confine(job)
        with _imports_allowed(job):
            if job["trace"]:
                trace_imports(roots_of_target(job["target"].partition(":")[0], job["cwd"]))
            tools, companions = _load(job)
            reset = load_reset(job["reset"], directory=job["cwd"])
    except KnitboneError as error:
        send(control, {"error": {"message": error.message, "next_step": error.next_step}})
        return
    try:
        specs = [tool.describe() for tool in tools]
        encode(specs)
        companions = [tool for tool in companions if _is_describable(tool)]
    except Exception as error:  # noqa: BLE001 - descriptions are the tools' own objects
        send(control, {"error": _undescribed(job["target"], error)})
        return
    told: Message = {"tools": specs, "companions": [tool.describe() for tool in companions]}
    tools = [*tools, *companions]
    if job["trace"]:
        for tool in tools:
            tool.attach(traced)
    loaded = _Loaded(
        tools,
        [ReturnCheck(tool) for tool in tools],
        refused,
        reset,
        chance=job["chance"],
        own_memory=OWN_MEMORY in confinement,
    )
    send(control, {**told, "confinement": confinement})
    gc.collect()
    gc.freeze()
    single = thread_count(os.getpid()) <= 1 and not children(os.getpid())
    while True:
        command, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if command != SPAWN or not descriptors:
            return
        channel = socket.socket(fileno=descriptors[0])
        if not single:
            send(control, {"pid": os.getpid()})
            _serve(channel, loaded, work)
            return
        pid = os.fork()
        if pid == 0:
            control.close()
            die_with_parent()
            _serve(channel, loaded, work)
            os._exit(0)
        channel.close()
        send(control, {"pid": pid})
        _, status = os.waitpid(pid, 0)
        send(control, {"died": status})


def _load(job: Message) -> tuple[list[Tool], list[Tool]]:
    """The tools of the target, and their companions where they are asked for."""
    maker = partial(set_up, job["setup"], directory=job["cwd"])
    within_s = Limits(**job["limits"]).load_timeout_s * _ANSWER_SHARE
    target, directory = job["target"], job["cwd"]
    if job["companions"]:
        return load_with_companions(target, directory=directory, set_up=maker, within_s=within_s)
    return load_tools(target, directory=directory, set_up=maker, within_s=within_s), []


def _is_describable(tool: Tool) -> bool:
    try:
        return bool(encode(tool.describe()))
    except Exception:  # noqa: BLE001 - descriptions are the tools' own objects
        return False


def _undescribed(target: str, error: Exception) -> Message:
    return {
        "message": f"The tools of {target!r} cannot be described as JSON: "
        f"{type(error).__name__}: {error}"[:1_000],
        "next_step": "Their names, documentation and schemas must be what JSON can carry.",
    }


def _confine(job: Message) -> tuple[list[str], list[RefusedAction]]:
    """Give up what a tool may not do; what enforces that, and what will have been refused."""
    folders = [job["work"], job["home"]]
    limits = Limits(**job["limits"])
    hosts: list[str] = job["allow_hosts"]
    confine_process(limits, running=job["running"], address_space=not is_mcp_target(job["target"]))
    walls = [OWN_PROCESSES] if job["set_apart"] else []
    if give_shared_memory(limits.file_size_mb):
        walls.append(OWN_MEMORY)
        if bind_read_only([job["room"], SHARED_MEMORY]):
            walls.append(READ_ONLY)
            os.chdir(job["work"])  # the folder as it is mounted now
        folders.append(SHARED_MEMORY)
    if not hosts and own_network():
        walls.append(OWN_NETWORK)
    version = restrict(folders, network=bool(hosts))
    refused = install(
        folders,
        allow_hosts=hosts,
        kernel_confined=version is not None,
        protected=[os.getppid(), os.getpid(), *job["protected"]],
    )
    if drop_privileges():
        walls.append(NO_PRIVILEGES)
    if filter_calls():
        walls.append(FILTER)
    kernel = [] if version is None else [f"{LANDLOCK} {version}"]
    return [*kernel, *walls, AUDIT], refused


@contextlib.contextmanager
def _imports_allowed(job: Message) -> Any:
    """The user's modules can be imported; what they warn about is no concern of ours."""
    sys.path[:0] = [path for path in (job.get("changed"), job["cwd"]) if path is not None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _redirect(output: int) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(null)
    os.close(output)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives on
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115


def _serve(channel: socket.socket, loaded: _Loaded, work: str) -> None:
    """Answer calls until the channel closes."""
    # A group of its own: a tool that signals its group reaches nobody else.
    with contextlib.suppress(OSError):
        os.setsid()
    faulthandler.enable(file=2)
    warnings.simplefilter("ignore")
    own_pid, environment = os.getpid(), dict(os.environ)
    send(channel, {"ready": True})  # what is open from here on, the calls have opened
    while (message := receive(channel)) is not None:
        number = {"number": message["number"]}
        _chdir(work)
        os.environ = _environ  # noqa: B003 - put back where the tool replaced it
        if dict(_environ) != environment:
            _environ.clear()
            _environ.update(environment)
        if loaded.own_memory:
            clear_shared_memory()
        _seed(loaded.chance)  # a tool that draws lots draws the same ones in every replay
        _set_timer(signal.ITIMER_REAL, 0)
        if loaded.reset is not None:
            send(channel, _reset(loaded.reset, message["number"]))
        try:
            reply = _answer(message, loaded, work)
        except MemoryError:
            reply = {"status": "memory", "message": "MemoryError"}
        except BaseException as error:  # noqa: BLE001 - only what the tool replaced can raise here
            reply = {"status": "crash", "message": f"broke its own process: {error!r}"[:500]}
        if _getpid() != own_pid:
            _exit(0)  # the tool forked, and this is the child coming back from the call
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        try:
            send(channel, reply | number)
        except MemoryError:
            send(channel, {"status": "memory", "message": "MemoryError"} | number)


def _answer(message: Message, loaded: _Loaded, work: str) -> Message:
    """Make the call that ``message`` asks for."""
    index: int = message["tool"]
    tool, check = loaded.tools[index], loaded.checks[index]
    loaded.refused.clear()
    check.found = None
    arguments = _substitute(message["arguments"], work)
    if message.get("trace"):
        begin(arguments)
    if message.get("exceptions"):
        with noted() as seen:
            reply = _call(tool, arguments, work)
        told = seen.told_in(str(reply.get("text", "")))
        reply["repeats"] = any(is_unforeseen(tool, error) for error in told)
    else:
        reply = _call(tool, arguments, work)
    if (trace := end()) is not None:
        reply["trace"] = _hidden(trace, work)
    if loaded.refused:
        reply["attempts"] = describe_refusals(tool, loaded.refused)
    if check.found is not None and reply["status"] == "ok":
        reply["violation"] = check.found
    if message.get("collect"):
        _unfreeze()
        _collect()
    return reply


def _reset(reset: Callable[[], None], number: str) -> Message:
    try:
        reset()
    except BaseException as error:  # noqa: BLE001 - the user's code may raise anything
        return {"message": f"{type(error).__name__}: {error}"[:2_000]}
    return {"ready": number}


def _call(tool: Tool, arguments: dict[str, Any], work: str) -> Message:
    try:
        value = tool.call(tool.prepare(arguments))
        reply = describe_result(value)
        if isinstance(value, ErrorResult) and value.by is not None:
            reply["origin"] = {"by": value.by}
    except SystemExit as stop:
        reply = describe_failure(tool, stop)
        reply.update(status="exit", message=f"the tool asked to exit with status {stop.code!r}")
    except MemoryError as error:
        reply = describe_failure(tool, error, by_function=True)
        reply["status"] = "memory"
    except BaseException as error:  # noqa: BLE001 - whatever a tool raises is a result
        if isinstance(error, ArgumentsRejectedError) or tool.rejects(error):
            return _hide({"status": "rejected", "message": text_of(error)[:_REJECTION]}, work)
        reply = describe_failure(tool, error, arguments)
        if _denied(error):
            reply["status"] = "denied"
        elif isinstance(error, ProcessEndedError):
            reply.update(status="crash", exception=None, tail=error.tail)
        elif isinstance(error, OutputTypeError):
            reply = {"status": "ok", "violation": str(error)}
        elif isinstance(error, OSError) and error.errno == errno.EFBIG:
            reply["status"] = "disk"
    if MARK in reply.get("text", ""):
        reply["status"] = "denied"
    return _hide(reply, work)


def _denied(error: BaseException | None) -> bool:
    seen = 0
    while error is not None and seen < 50:
        if (
            isinstance(error, SandboxDenied)
            or _is_refused_by_kernel(error)
            or MARK in str(error.args)[:2_000]
        ):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _is_refused_by_kernel(error: BaseException) -> bool:
    """Whether Python code met a wall that only the sandbox has: a file system made read-only, or a
    socket that is no network one."""
    if not isinstance(error, OSError):
        return False
    if error.errno == errno.EROFS:
        return True
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if error.errno != errno.EACCES or traceback is None:
        return False
    frame = traceback.tb_frame
    return frame.f_globals.get("__name__") == "socket" and frame.f_code.co_name in (
        "__init__", "socketpair",
    )  # fmt: skip


def _substitute(value: Any, work: str) -> Any:
    if isinstance(value, str):
        return value.replace(DIRECTORY_TOKEN, work)
    if isinstance(value, list):
        return [_substitute(item, work) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if isinstance(value, dict):
        return {_substitute(k, work): _substitute(v, work) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType] - JSON
    return value


def _hidden(value: Any, work: str) -> Any:
    """A trace without the real name of the private directory."""
    if isinstance(value, str):
        return value.replace(work, DIRECTORY_TOKEN)
    if isinstance(value, list):
        return [_hidden(item, work) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if isinstance(value, dict):
        return {k: _hidden(v, work) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType] - JSON
    return value


def _hide(reply: Message, work: str) -> Message:
    for key in ("text", "message"):
        if key in reply:
            reply[key] = reply[key].replace(work, DIRECTORY_TOKEN)
    return reply
