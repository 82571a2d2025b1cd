"""Values that record what application code does with them, and otherwise are what they were.

A text is tainted with ``taint_text``; methods, slices, comparisons and loops record by themselves,
and what C code does with a text is recorded where the call is written, in modules that were loaded
under ``watching``. Trees of operations grow below a ``Tree``.
"""

from knitbone.core.taint import containers, strings
from knitbone.core.taint.imports import compile_watched, prepare, watching
from knitbone.core.taint.making import mark_of, plain, taint
from knitbone.core.taint.marks import Answer, Mark, Node, Operation, Tree, Varying
from knitbone.core.taint.places import Place, Scope
from knitbone.core.taint.rewrite import rewrite_module
from knitbone.core.taint.state import note_callers

__all__ = [
    "Answer",
    "Mark",
    "Node",
    "Operation",
    "Place",
    "Scope",
    "Tree",
    "Varying",
    "compile_watched",
    "containers",
    "mark_of",
    "note_callers",
    "plain",
    "prepare",
    "rewrite_module",
    "strings",
    "taint",
    "watching",
]
