"""Sessions: what adapt remembers between the calls of one conversation, request or job.

A session is bound to the context (``contextvars``), so concurrent tasks and threads keep theirs
apart. Each kind of repair keeps its own state in it, found by the state's class.

Source: Comfrey §4.4.2 (session standard), §4.5.1 (history queue), §4.5.2 (iterations).
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from knitbone._forks import new_rlock
from knitbone._logging import get_logger, log

__all__ = ["Session", "current_session", "session"]

_logger = get_logger(__name__)
_State = TypeVar("_State")

_MAX_INPUTS = 1_000
"""User texts kept; of a longer conversation the first and the last ones."""
_MAX_INPUT = 10_000
"""Characters kept of each."""


class Session:
    """One conversation, request or job; a context manager, synchronous and asynchronous.

    It may be entered more than once, and by several tasks or threads at a time.

    Args:
        user_input: the user's first text, which sets language, spelling and structure.
    """

    def __init__(self, user_input: str | None = None) -> None:
        self._lock = new_rlock()
        self._states: dict[type[Any], Any] = {}
        self._inputs: list[str] = []
        self.hear(user_input)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The user's texts, in order, as far as the application passed them."""
        return tuple(self._inputs)

    def hear(self, user_input: str | None) -> None:
        """Add a text that the user wrote: the query of what follows.

        What is no text (nothing, a picture) is passed over; a request must not fail for it.
        """
        if not isinstance(user_input, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            if user_input is not None:
                kind = type(user_input).__name__
                log(_logger, logging.WARNING, "no text heard", given=kind)
            return
        with self._lock:
            if len(self._inputs) >= _MAX_INPUTS:
                del self._inputs[1]
            self._inputs.append(user_input[:_MAX_INPUT])

    def state(self, kind: type[_State]) -> _State:
        """Return this session's only instance of ``kind``, made at first use."""
        with self._lock:
            if kind not in self._states:
                self._states[kind] = kind()
            return cast("_State", self._states[kind])

    def __enter__(self) -> Session:
        _open.set((*_open.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        # A framework may leave in another context than it entered: nothing is to be closed there.
        opened = list(_open.get())
        if self in opened:
            opened.reverse()
            opened.remove(self)
            _open.set(tuple(reversed(opened)))

    async def __aenter__(self) -> Session:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()


_open: ContextVar[tuple[Session, ...]] = ContextVar("knitbone_sessions", default=())


def session(user_input: str | None = None) -> Session:
    """Open a session: ``with knitbone.session(question): ...`` for each conversation or request.

    Standards and histories hold inside it and nowhere else. Without one, every invocation
    stands for itself.

    Args:
        user_input: the user's first text; later ones are told with ``Session.hear``.
    """
    return Session(user_input)


def current_session() -> Session | None:
    """Return the innermost session that this context is in."""
    opened = _open.get()
    return opened[-1] if opened else None
