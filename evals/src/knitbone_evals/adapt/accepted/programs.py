"""A consumer as two modules: as its author wrote it, and the same under ``knitbone.adapt``."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import knitbone
from knitbone_evals.modules import load_module

__all__ = ["Consumer", "Mode", "Outcome", "Program", "outcome_of"]

Mode: TypeAlias = Literal["repair", "strict"]


class Consumer(Protocol):
    """What the grammars yield; see ``scalars.py``."""

    name: str
    kind: str
    source: str
    draw: Callable[[Any], str]
    literals: tuple[str, ...]


class Outcome(NamedTuple):
    """What a program made of an answer."""

    value: str
    """Its ``repr``: the two modules define classes of their own, which never compare equal."""
    raised: str
    empty: bool

    @property
    def accepted(self) -> bool:
        """Whether the program read the answer: no exception, and something came of it."""
        return not self.raised and not self.empty


_MODEL = '''"""The model: it says what it is told to say."""

import knitbone

answer = ""


@knitbone.source
def ask(prompt: str) -> str:
    return answer
'''


class Program:
    """One consumer, loaded twice.

    Args:
        folder: where the modules are written; it must be on ``sys.path``.
        number: tells this program's modules from all others.
        mode: of adapt, for one of the two; ``None``: it is not adapted.
    """

    def __init__(
        self, consumer: Consumer, folder: Path, number: int, *, mode: Mode | None = "repair"
    ) -> None:
        self.consumer = consumer
        model = folder / "model.py"
        if not model.exists():
            model.write_text(_MODEL, encoding="utf-8")
        self._model: Any = _loaded("model", model)
        self.module = _write(consumer, folder, f"plain_{number}")
        """The module as it is."""
        self._adapted = self.module
        if mode is not None:
            self._adapted = _write(consumer, folder, f"adapted_{number}")
            knitbone.adapt(mode=mode)(self._adapted.handle)

    def plain(self, answer: str) -> Outcome:
        """What the code makes of an answer by itself."""
        return self._run(self.module, answer)

    def is_handled(self, answer: str) -> bool:
        """Whether the code itself catches an exception that reading the answer raises: it goes on
        with what it has for answers that it cannot read."""
        raised: list[str] = []

        def look(frame: FrameType, event: str, told: Any) -> Any:
            if frame.f_code.co_filename != self.module.__file__:
                return None
            if event == "exception" and not issubclass(told[0], (StopIteration, GeneratorExit)):
                raised.append(told[0].__name__)
            return look

        before = sys.gettrace()
        sys.settrace(look)
        try:
            outcome = self.plain(answer)
        finally:
            sys.settrace(before)
        return bool(raised) and not outcome.raised

    def adapted(self, answer: str) -> Outcome:
        """What it makes of the answer under adapt."""
        return self._run(self._adapted, answer)

    def _run(self, module: Any, answer: str) -> Outcome:
        self._model.answer = answer
        return outcome_of(module.handle)


def outcome_of(handle: Callable[[], Any]) -> Outcome:
    """Call it, and say what came of it."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            value = handle()
    except Exception as error:  # noqa: BLE001 - an application may raise what it likes
        return Outcome("", f"{type(error).__name__}: {error}", empty=False)
    empty = value is None or (not value and isinstance(value, (str, list, dict, tuple, set)))
    return Outcome(repr(value), "", empty)


def _write(consumer: Consumer, folder: Path, name: str) -> Any:
    path = folder / f"{name}.py"
    head, _, rest = consumer.source.partition("from __future__ import annotations\n")
    if not rest:
        head, rest = "", consumer.source
    else:
        head += "from __future__ import annotations\n"
    path.write_text(f"{head}from model import ask\n{rest}", encoding="utf-8")
    return _loaded(name, path)


def _loaded(name: str, path: Path) -> ModuleType:
    return sys.modules[name] if name in sys.modules else load_module(path, name)
