"""Documentation made from what fuzzing learned of a tool, as a patch (ToolFuzz §5.3)."""

from knitbone.fuzzing.fixing.engine import DocumentationFixed, EarlierFixes, FixSetting, fix
from knitbone.fuzzing.fixing.records import DocumentationFix, ProvenStatement

__all__ = [
    "DocumentationFix",
    "DocumentationFixed",
    "EarlierFixes",
    "FixSetting",
    "ProvenStatement",
    "fix",
]
