"""Taint tracking: values that record what application code does with them.

A text is tainted with ``taint``; methods, slices, comparisons and loops record by themselves
(``strings``, ``containers``). What C code does with a text is recorded where the call is written,
in modules that were rewritten at their import (``watched_imports``, ``rewrite``, ``call_watch``).
``start_watching`` serves an importer of one's own; ``watching`` brings an import hook. Importing
``containers`` and ``strings`` registers the tainted kinds. Trees of operations grow below a
``Tree`` (``marks``). Apart from what they record, the values behave as the plain ones.
"""

from knitbone.adaptation.learning.taint import containers, strings
from knitbone.adaptation.learning.taint.marks import (
    Answer,
    Mark,
    Node,
    RecordedOperation,
    Tree,
    Varying,
)
from knitbone.adaptation.learning.taint.places import FilePlace, Scope
from knitbone.adaptation.learning.taint.rewrite import rewrite_module
from knitbone.adaptation.learning.taint.tainted_kinds import mark_of, plain, taint
from knitbone.adaptation.learning.taint.watched_imports import (
    compile_watched,
    start_watching,
    watching,
)

__all__ = [
    "Answer",
    "FilePlace",
    "Mark",
    "Node",
    "RecordedOperation",
    "Scope",
    "Tree",
    "Varying",
    "compile_watched",
    "containers",
    "mark_of",
    "plain",
    "rewrite_module",
    "start_watching",
    "strings",
    "taint",
    "watching",
]
