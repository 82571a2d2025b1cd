"""The figures of supervision, each with its origin; ``[tool.knitbone.tether]`` holds them."""

from knitbone.config import SupervisionSettings

__all__ = ["SupervisionSettings"]
