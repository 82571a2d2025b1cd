"""A calibrated ranker for those who have labelled runs: off unless a file of weights is named."""

from knitbone.tethering.ranker.design import COLUMNS, design
from knitbone.tethering.ranker.fit import Example, fit_ranker
from knitbone.tethering.ranker.model import Ranker, load_ranker, probabilities

__all__ = [
    "COLUMNS",
    "Example",
    "Ranker",
    "design",
    "fit_ranker",
    "load_ranker",
    "probabilities",
]
