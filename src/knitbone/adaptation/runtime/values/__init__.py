"""Values that keep their type: the texts inside a model's, retriever's or splitter's value, and
the same value with other texts."""

from knitbone.adaptation.runtime.values.replacement import replace_texts
from knitbone.adaptation.runtime.values.texts import ValueText, find_texts, parts

__all__ = ["ValueText", "find_texts", "parts", "replace_texts"]
