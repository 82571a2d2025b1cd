"""What a failure shows of the documentation: under-, over- or ill-specified (ToolFuzz §3)."""

from knitbone.fuzzing.classification.judge import classify, classify_with_model

__all__ = ["classify", "classify_with_model"]
