"""Text for a terminal. Whatever a model, a tool or a file said is untrusted: it goes through
``printable`` before it reaches the screen."""

from __future__ import annotations

from knitbone.common.printable import printable

__all__ = ["printable"]
