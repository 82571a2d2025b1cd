"""The application's own code, rehearsed on an answer without any effect.

A repair counts only where it does not change what the application had read. ``continuation.py``
finds the code behind an output (``chains.py``: in a chain) and runs it on the ``machine.py``, an
interpreter of Python's syntax tree (``expressions.py``, ``statements.py``) that
calls only what has no effect (``effect_free.py``, ``calls.py``, ``attributes.py``) and gives up on
everything else; ``comparison.py`` says whether a repair changes what was read.
"""

from knitbone.adaptation.consumers.rehearsal.chains import chain_behind
from knitbone.adaptation.consumers.rehearsal.comparison import (
    RehearsedEndings,
    fields_of,
    is_same,
    keeps_what_was_read,
    reads_alike,
)
from knitbone.adaptation.consumers.rehearsal.continuation import Continuation, continuation_of
from knitbone.adaptation.consumers.rehearsal.machine import Ending, RefusedText

__all__ = [
    "Continuation",
    "Ending",
    "RefusedText",
    "RehearsedEndings",
    "chain_behind",
    "continuation_of",
    "fields_of",
    "is_same",
    "keeps_what_was_read",
    "reads_alike",
]
