"""Python's own parser of regular expressions, under the name that it has in each Python version."""

from __future__ import annotations

import importlib
import sys
from typing import Any

__all__ = ["sre", "sre_parser"]

_MODERN = sys.version_info >= (3, 11)
# Private modules since 3.11, without type stubs; their token layout is the same in 3.10 to 3.13.
sre: Any = importlib.import_module("re._constants" if _MODERN else "sre_constants")
sre_parser: Any = importlib.import_module("re._parser" if _MODERN else "sre_parse")
