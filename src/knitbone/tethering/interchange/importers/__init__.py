"""Importers: public formats of recorded agent runs, each a pure function from JSON to runs."""

from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.registry import FORMATS, import_bytes, import_file

__all__ = ["FORMATS", "ImportedRun", "import_bytes", "import_file"]
