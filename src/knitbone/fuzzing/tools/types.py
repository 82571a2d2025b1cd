"""What an adapter makes of a tool."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Tool"]


class Tool(Protocol):
    """One tool under test, inside the worker."""

    def describe(self) -> dict[str, Any]:
        """The fields of a ``ToolSpec`` but its target."""
        ...

    def prepare(self, arguments: dict[str, Any]) -> Any | None:
        """The arguments as ``call`` wants them; ``None`` when validation rejects them."""
        ...

    def call(self, prepared: Any) -> Any:
        """Run the tool once, to its end (also where it is asynchronous)."""
        ...

    def rejects(self, error: BaseException) -> bool:
        """Whether ``error`` is the framework's validation refusing the arguments."""
        ...

    def owns(self, file: str) -> bool:
        """Whether ``file`` (a real path) is the tool's own code."""
        ...
