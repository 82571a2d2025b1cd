"""Values keep their type: the texts inside what a model, retriever or splitter returned, and the
same value with other texts."""

from knitbone.adaptation.runtime.values.replacement import rebuild, replace_texts
from knitbone.adaptation.runtime.values.texts import ValueText, find_texts, parts

__all__ = ["ValueText", "find_texts", "parts", "rebuild", "replace_texts"]
