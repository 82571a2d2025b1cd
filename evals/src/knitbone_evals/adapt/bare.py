"""Runs a case as its application is written, without adapt, against a local model server."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, ModuleType
from typing import Any

import msgspec

from knitbone.record.events import ToolCallRequest
from knitbone.testing import ModelServer, Reply
from knitbone_evals.adapt.cases import UNCHANGED, AppSpec, Case
from knitbone_evals.modules import load_module

__all__ = ["Result", "Stage", "right", "same"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What an application gave back, as JSON, or the type of the exception it raised."""

    value: Any = None
    error: str | None = None


class Stage:
    """A model server and the applications that talk to it; a context manager.

    ``load`` may replace how an application is imported, for a runner that adapts it.
    """

    def __init__(self, load: Callable[[AppSpec], ModuleType] | None = None) -> None:
        self._load = load or load_app
        self._modules: dict[str, ModuleType] = {}
        self._server = ModelServer(self._answer)
        self._waiting: list[Any] = []
        self._always: str | None = None
        self._kept: dict[str, str | None] = {}
        self.requests = 0
        """Model calls of the last run."""

    def __enter__(self) -> Stage:
        self._server.__enter__()
        for name, value in self._server.environment.items():
            self._kept[name] = os.environ.get(name)
            os.environ[name] = value
        return self

    def __exit__(self, *error: Any) -> None:
        for module in self._modules.values():
            for value in vars(module).values():
                if type(value).__module__.partition(".")[0] in ("openai", "anthropic", "httpx"):
                    with suppress(Exception):
                        value.close()
        for name, value in self._kept.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._server.__exit__(None, None, None)

    def module(self, spec: AppSpec) -> ModuleType:
        """The application, imported once a stage: its clients read the address at import."""
        if spec.module not in self._modules:
            self._modules[spec.module] = self._load(spec)
        return self._modules[spec.module]

    def run(self, spec: AppSpec, case: Case) -> Result:
        """The application's result; an exception of its own is a result too."""
        module = self.module(spec)
        inputs = dict(case.inputs)
        self.requests, self._waiting, self._always = 0, list(case.outputs), None
        if spec.feeds is not None:
            self._always = spec.reply
            outputs = list(case.outputs)
            inputs[spec.feeds] = outputs[0] if spec.kind == "splitter" else outputs
        counts: Counter[str] = Counter()
        try:
            with _counting(spec, counts):
                value = getattr(module, spec.function)(**inputs)
        except Exception as error:  # noqa: BLE001 - what the application lets through is measured
            return Result(error=type(error).__name__)
        value = msgspec.json.decode(msgspec.json.encode(value))
        if spec.counted:
            value = {"value": value, "calls": {name: counts[name] for name in spec.counted}}
        return Result(value=value)

    def _answer(self, _body: dict[str, Any]) -> Reply:
        self.requests += 1
        if self._always is not None:
            return Reply(text=self._always)
        if not self._waiting:
            return Reply(status=400, error="The case has no further answer.")
        answer = self._waiting.pop(0)
        if isinstance(answer, str):
            return Reply(text=answer)
        calls = tuple(
            ToolCallRequest(name=call["name"], arguments=call["arguments"])
            for call in answer["tool_calls"]
        )
        return Reply(text=answer.get("text", ""), tool_calls=calls)


def load_app(spec: AppSpec) -> ModuleType:
    """The application's module, executed anew."""
    return load_module(spec.folder / "app.py", spec.module)


def right(spec: AppSpec, case: Case, result: Result, raw: Result) -> bool:
    """Whether a result is the right one; ``raw`` is the bare result of the same case."""
    if case.expected == UNCHANGED and result == raw:
        return True
    if result.error is not None:
        return False
    wanted = [each for each in (case.expected, *case.accepted) if each != UNCHANGED]
    return any(same(spec, result.value, each) for each in wanted)


def same(spec: AppSpec, one: Any, other: Any) -> bool:
    """Equality of two results, in the way the application's results are compared."""
    if spec.compare == "text":
        return _spaced(one) == _spaced(other)
    return one == other


def _spaced(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"\s+", " ", value).strip()
    if isinstance(value, list):
        return [_spaced(each) for each in value]
    if isinstance(value, dict):
        return {key: _spaced(each) for key, each in value.items()}
    return value


@contextmanager
def _counting(spec: AppSpec, counts: Counter[str]) -> Iterator[None]:
    """Counts executions of the app's own functions without touching them: wrapping a tool would
    change what an analysis can know of it."""
    if not spec.counted:
        yield
        return
    file = str(spec.folder / "app.py")

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name in spec.counted and code.co_filename == file:
            counts[code.co_name] += 1

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)
        threading.setprofile(None)  # type: ignore[arg-type]
