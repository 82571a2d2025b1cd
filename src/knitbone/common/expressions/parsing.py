"""Python's own parser of regular expressions."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["sre", "sre_parser"]

# Private modules without type stubs; their token layout is the same in 3.11 to 3.13.
sre: Any = importlib.import_module("re._constants")
sre_parser: Any = importlib.import_module("re._parser")
