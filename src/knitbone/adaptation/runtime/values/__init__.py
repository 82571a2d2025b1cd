"""Values keep their type: the texts inside what a model, retriever or splitter returned, and the
same value with other texts."""

from knitbone.adaptation.runtime.values.change import rebuild, replace_texts
from knitbone.adaptation.runtime.values.locate import Part, find_parts, parts

__all__ = ["Part", "find_parts", "parts", "rebuild", "replace_texts"]
