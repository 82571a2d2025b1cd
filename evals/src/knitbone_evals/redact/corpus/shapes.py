"""All shapes of secrets: how they truly occur in what agents read and write."""

from __future__ import annotations

from material import Shape
from shapes_files import FILE_SHAPES
from shapes_providers import PROVIDERS
from shapes_settings import SETTINGS
from shapes_transport import TRANSPORT

__all__ = ["SHAPES", "Shape"]

SHAPES: tuple[Shape, ...] = (*PROVIDERS, *SETTINGS, *TRANSPORT, *FILE_SHAPES)
