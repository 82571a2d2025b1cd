"""Repair of positional templates (template discrepancy, Comfrey §4.3.1): lists, labels, rows,
values.

``template.py`` chooses the form of a template and so the module that checks it. Words used
throughout, as in the paper: an *identifier* is a fixed text of the template (``Action:``; a
*label* where it is a name), a *slot* is what the code takes between identifiers, a *head* is
everything before the content of a line (``- **1.**``).
"""

from knitbone.adaptation.repair.positional.template import HEURISTICS, prepare

__all__ = ["HEURISTICS", "prepare"]
