"""Importers: public formats of recorded agent runs, each a pure function from JSON to runs."""

from knitbone.tethering.interchange.importers.imported_run import ImportedRun, LabelsOnlyError
from knitbone.tethering.interchange.importers.registry import FORMATS, import_bytes, import_file

__all__ = ["FORMATS", "ImportedRun", "LabelsOnlyError", "import_bytes", "import_file"]
