"""The end of a repair that cannot be sure."""

from __future__ import annotations

__all__ = ["RepairRefusal"]


class RepairRefusal(Exception):  # noqa: N818 - control flow between the stages of one check
    """The answer is passed on as it is; the message says why.

    Raised between the stages of one check, which gives its caller a verdict instead.
    """
