"""Templates as the analysis makes them from a consumer, for tests of the stages behind it."""

import re

from knitbone.adaptation.requirements import Evidence, PositionalTemplate, Reader, Step
from knitbone.adaptation.requirements.regular import read_pattern


def template_of(pattern, flags=0, method="findall", steps=()):
    shape = read_pattern(pattern, flags)
    lines = any(name in ("splitlines", "split") for name, *_ in steps)
    return PositionalTemplate(
        elements=shape.elements,
        reader=Reader(
            kind="regex",
            method=method,
            pattern=pattern,
            flags=int(flags),
            steps=tuple(Step(name, tuple(arguments)) for name, *arguments in steps),
        ),
        repeated=lines or method in ("findall", "finditer"),
        line_start=shape.line_start or method in ("match", "fullmatch"),
        spans_lines=shape.spans_lines and not lines,
        ignore_case=shape.ignore_case,
        evidence=Evidence(file="app.py", line=1, expression=pattern),
    )


NUMBERED = template_of(r"^\d+\.\s+(.*)$", re.MULTILINE)
NUMBERED_READ = template_of(r"^\s*(\d+)\.\s+(.+?)\s*$", 0, "match", [("splitlines",)])
TASKS = template_of(r"Task (\d+): (.+)", 0, "match", [("splitlines",)])
BULLETS = template_of(r"^[-*]\s+(.+)$", re.MULTILINE)
SPANNING = template_of(r"(\d+)\.\s*(.*?)(?=\n\d+\.|\Z)", re.DOTALL)
EITHER = template_of(r"^\s*(?:\d+[.)]|[-*])\s+(.+)$", re.MULTILINE)
ANYWHERE = template_of(r"\s*(\d+)\)\s*(.+)")
ALL = {
    "anywhere": ANYWHERE,
    "numbered": NUMBERED,
    "numbered_read": NUMBERED_READ,
    "tasks": TASKS,
    "bullets": BULLETS,
    "spanning": SPANNING,
    "either": EITHER,
}
