"""What adapt remembers between the invocations of one conversation, request or job.

A session is bound to the context (``contextvars``): concurrent tasks and threads keep theirs
apart. Each defect keeps its own state in it, found by the state's class.

Source: Comfrey §4.4.2 (session standard), §4.5.1 (history queue), §4.5.2 (iterations).
"""

from __future__ import annotations

import threading
from contextvars import ContextVar, Token
from typing import Any, TypeVar, cast

__all__ = ["Session", "current_session", "session"]

_State = TypeVar("_State")
_current: ContextVar[Session | None] = ContextVar("knitbone_session", default=None)


class Session:
    """One conversation, request or job; a context manager, synchronous and asynchronous.

    Args:
        user_input: the user's first text, which sets language, spelling and structure.
    """

    def __init__(self, user_input: str | None = None) -> None:
        self._lock = threading.RLock()
        self._states: dict[type[Any], Any] = {}
        self._tokens: list[Token[Session | None]] = []
        self.inputs: list[str] = [] if user_input is None else [user_input]
        """The user's texts, in order, as far as the application told them."""

    def hear(self, user_input: str) -> None:
        """The user said something more."""
        self.inputs.append(user_input)

    def state(self, kind: type[_State]) -> _State:
        """This session's only instance of ``kind``, made at first use."""
        with self._lock:
            if kind not in self._states:
                self._states[kind] = kind()
            return cast("_State", self._states[kind])

    def __enter__(self) -> Session:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._tokens.pop())

    async def __aenter__(self) -> Session:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()


def session(user_input: str | None = None) -> Session:
    """Open a session: ``with knitbone.session(question): ...`` for each conversation or request.

    Standards and histories hold inside it and nowhere else. Without one, every invocation
    stands for itself.
    """
    return Session(user_input)


def current_session() -> Session | None:
    """The session that this context is in."""
    return _current.get()
