"""Readers of requirements: from what code does with an output to what the output must look like.

The input is a tree of operations (``requirements.uses``), the output a tuple of requirement
records (``requirements.records``); Comfrey §4.2. ``int(text.split(":")[1])`` becomes a template
with the mark ``:`` and an integer behind it. ``engine`` calls the families of readers in turn.

Words used in all modules of this package
    text       an output, or a part of one, where code reads it (``text_consumers.Text``)
    consumer   one operation that reads a text: ``.split(":")``, ``json.loads``
    family     a reader of one kind of consumers; it returns requirements and the consumers that
               it claims, which later families do not see
    mark       a constant text that code looks for or cuts at: ``":"``, ``"Answer:"``
    lost       a text of which nothing is known any more, and the reason
"""

from knitbone.adaptation.reading.engine import read_uses
from knitbone.adaptation.reading.scenario import ALL_SCENARIOS, scenarios_of
from knitbone.adaptation.reading.shared_parsers import separate_callers

__all__ = ["ALL_SCENARIOS", "read_uses", "scenarios_of", "separate_callers"]
