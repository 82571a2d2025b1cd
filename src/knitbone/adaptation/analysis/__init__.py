"""Static analysis of an application: where outputs arise, and what the code does with them.

``engine`` analyses files. ``program`` parses them and resolves names; ``flow`` evaluates every
function without running it (an abstract interpretation: ``frames`` statements, ``expressions``,
``calls``, on the ``values`` that matter); ``catalogue`` knows which calls of which library bring an
output. The result is one tree of operations for each output (``operation_trees``), from which
``adaptation.reading`` reads requirements.
"""

from knitbone.adaptation.analysis.budget import Budget, OverBudget
from knitbone.adaptation.analysis.engine import Analysis, EntryPoint, analyse_files, analyse_module

__all__ = ["Analysis", "Budget", "EntryPoint", "OverBudget", "analyse_files", "analyse_module"]
