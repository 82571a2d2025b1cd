"""Seeded faults: what language models do wrong, put into outputs that conform.

One module a family; each function of it makes a ``Fault``. ``inject`` gives the faulty outputs and
says whether the right result is still determined by them (then it is the clean one's), or not
(then the right outcome is no change), or ``None`` where the output has nothing to break.
"""

from knitbone_evals.adapt.faults.base import Fault, Injected, fault, on_text
from knitbone_evals.adapt.faults.code import PYTHON, SQL
from knitbone_evals.adapt.faults.json_text import JSON, json_faults
from knitbone_evals.adapt.faults.lists import NUMBERED, REACT, TASKS
from knitbone_evals.adapt.faults.markup import CSV, XML, YAML
from knitbone_evals.adapt.faults.wording import BULLETS, repeated_item, repeated_sentence

__all__ = [
    "BULLETS",
    "CSV",
    "JSON",
    "NUMBERED",
    "PYTHON",
    "REACT",
    "SQL",
    "TASKS",
    "XML",
    "YAML",
    "Fault",
    "Injected",
    "fault",
    "json_faults",
    "on_text",
    "repeated_item",
    "repeated_sentence",
]
