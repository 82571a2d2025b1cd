"""From the operations on an output to the requirements that the code has of it (Comfrey §4.2)."""

from knitbone.adaptation.requirements.reading.callers import separated
from knitbone.adaptation.requirements.reading.scenario import ALL_SCENARIOS, scenarios_of
from knitbone.adaptation.requirements.reading.walk import read_uses

__all__ = ["ALL_SCENARIOS", "read_uses", "scenarios_of", "separated"]
