"""What stands for the state, context and configuration that an agent framework would inject.

It is empty. A tool that asks it for something was not run: what the framework would have put there,
nobody knows here, so what follows is no failure of the tool.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["AbsentObject", "InjectedMapping", "NotInjectedError"]


class NotInjectedError(KeyError, AttributeError):
    """Something was asked for that a framework would have injected."""

    def __str__(self) -> str:
        return str(self.args[0])


def _refuse(what: str, name: object) -> NoReturn:
    raise NotInjectedError(f"{what}, which the framework injects, has no {name!r} here")


class InjectedMapping(dict[str, Any]):
    """A state or configuration; ``get`` and ``in`` find nothing, as in an empty one."""

    def __init__(self, what: str, *args: Any, **known: Any) -> None:
        super().__init__(*args, **known)
        self._what = what

    def __missing__(self, key: str) -> NoReturn:
        _refuse(self._what, key)


class AbsentObject:
    """An object of which nothing is known; it is false."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(self.__dict__.get("_what", "an object"), name)

    def __getitem__(self, key: object) -> NoReturn:
        _refuse(self._what, key)
