"""From the operations on an output to the requirements that the code has of it (Comfrey §4.2)."""

from knitbone.adaptation.reading.engine import read_uses
from knitbone.adaptation.reading.scenario import ALL_SCENARIOS, scenarios_of
from knitbone.adaptation.reading.shared_parsers import separated

__all__ = ["ALL_SCENARIOS", "read_uses", "scenarios_of", "separated"]
