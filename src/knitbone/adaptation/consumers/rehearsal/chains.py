"""The steps behind a model in a chain (``prompt | model | parser | function``), rehearsed.

No function of the application runs while a chain's model answers: what comes next stands in the
chain itself, which is found among the running frames. Steps that are functions of the application
are interpreted; behind any other step but a reader of texts the chain is not followed.
LangChain is never imported here.
"""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from knitbone.adaptation.consumers.rehearsal.calls import call
from knitbone.adaptation.consumers.rehearsal.expressions import EXPRESSIONS
from knitbone.adaptation.consumers.rehearsal.machine import Ending, Machine, Unfinished, Unfollowed
from knitbone.adaptation.consumers.rehearsal.sources import root_of
from knitbone.adaptation.consumers.rehearsal.statements import STATEMENTS
from knitbone.adaptation.model_mark import MODEL_MARK

__all__ = ["chain_behind"]

_MAX_FRAMES = 60
"""Frames between a value's delivery and the chain that its model is a step of (ours)."""


class ChainSteps(NamedTuple):
    """The functions of the application that get what a model in a chain answers, in order."""

    functions: tuple[FunctionType, ...]
    reads_text: bool
    """Whether the first of them gets the text of a message."""

    def rehearse(self, answer: Any, check: Callable[[], None]) -> Ending | None:
        """Return what the steps make of an answer; ``None`` where they cannot be followed.

        Raises:
            TimeoutError: ``check`` said so.
        """
        value = getattr(answer, "content", answer) if self.reads_text else answer
        if self.reads_text and not isinstance(value, str):
            return None
        root = root_of(self.functions[0].__code__.co_filename)
        machine = Machine(EXPRESSIONS, STATEMENTS, call, root, check)
        machine.answer = machine.make(value)
        kind = "returned"
        try:
            for function in self.functions:
                value = machine.call(function, (value,), {})
        except Unfinished as error:
            raise TimeoutError("the rehearsal took too long") from error
        except (Unfollowed, RecursionError, MemoryError):
            return None
        except Exception as error:  # noqa: BLE001 - the application's own
            kind, value = "raised", error
        return machine.ending(kind, value)._replace(complete=False)


def chain_behind(frame: FrameType | None) -> ChainSteps | None:
    """Return the steps behind the model that is running as a step of a chain.

    Args:
        frame: the innermost running one.
    """
    base: Any = sys.modules.get("langchain_core.runnables.base")
    sequences: Any = getattr(base, "RunnableSequence", ())
    for _ in range(_MAX_FRAMES):
        if frame is None or base is None:
            break
        if frame.f_code.co_name in ("invoke", "ainvoke"):
            held = frame.f_locals
            chain, place, step = held.get("self"), held.get("i"), held.get("step")
            if isinstance(chain, sequences) and isinstance(place, int):
                marked = MODEL_MARK in getattr(step, "__dict__", ())
                return _steps(held["self"].steps[place + 1 :], base) if marked else None
        frame = frame.f_back
    return None


def _steps(steps: list[Any], base: Any) -> ChainSteps | None:
    parsers: Any = sys.modules.get("langchain_core.output_parsers.string")
    reads_text = bool(steps) and parsers is not None and type(steps[0]) is parsers.StrOutputParser
    behind = steps[reads_text:]
    held = [getattr(step, "func", None) for step in behind if type(step) is base.RunnableLambda]
    functions = [function for function in held if isinstance(function, FunctionType)]
    if not functions or len(functions) < len(behind):
        return None
    return ChainSteps(tuple(functions), reads_text)
