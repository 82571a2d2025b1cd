"""Names of operations taken apart: the library, the class on the way, the function.

An operation is named by the calls that lead to it, such as
``sqlite3.connect().cursor().execute``; readers ask for the part that decides.
"""

from __future__ import annotations

__all__ = [
    "class_name",
    "function_name",
    "library",
]


def library(name: str) -> str:
    """Return the first part: ``sqlite3`` of ``sqlite3.connect().cursor().execute``."""
    return name.lstrip(".").partition(".")[0].removesuffix("()")


def function_name(name: str) -> str:
    """Return the last part: ``execute``."""
    return name.rpartition(".")[2].removesuffix("()")


def class_name(name: str) -> str:
    """Return the last part that is written like a class, or else the last that is called:
    ``JsonOutputParser`` of ``langchain_core.output_parsers.JsonOutputParser().parse``."""
    parts = name.split(".")
    named = [part for part in parts if part[:1].isupper()]
    called = [part for part in parts if part.endswith("()")]
    return next(iter([*reversed(named), *reversed(called)]), "").removesuffix("()")
