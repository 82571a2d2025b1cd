"""Static analysis of an application: where outputs arise and what the code does with them."""

from knitbone.adaptation.analysis.budget import Budget, OverBudget
from knitbone.adaptation.analysis.engine import Analysis, EntryPoint, analyse_files, analyse_module

__all__ = ["Analysis", "Budget", "EntryPoint", "OverBudget", "analyse_files", "analyse_module"]
