"""Static analysis: from source text to sites with their requirements. Never imports the app."""

from knitbone.adaptation.analysis.engine import Analysis, analyse_files, analyse_module

__all__ = ["Analysis", "analyse_files", "analyse_module"]
