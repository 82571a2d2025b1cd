"""Trees of operations from compact tuples, for tests of what is read from them.

``(name, *arguments, {options}, [below])``: the options (keywords, settings, position, branch, ...)
and the uses below may be left out. A list of such tuples is what is done with the output.
"""

from knitbone.adaptation.testing import Evidence, Operation, Use, describe, read_uses

OPERATION = ("keywords", "settings", "position")


def tree(uses, *, form="text", settings=None):
    lines = iter(range(1, 10_000))
    return _use(("source", form, {"settings": settings or {}}, uses), lines)


def _use(node, lines):
    name, *rest = node
    below = rest.pop() if rest and isinstance(rest[-1], list) else []
    options = rest.pop() if rest and isinstance(rest[-1], dict) else {}
    line = options.get("line") or next(lines)
    return Use(
        operation=Operation(
            name=name,
            arguments=tuple(rest),
            keywords=tuple(options.get("keywords", {}).items()),
            settings=tuple(options.get("settings", {}).items()),
            position=options.get("position", ""),
        ),
        uses=tuple(_use(child, lines) for child in below),
        evidence=Evidence(
            file=options.get("file", "app.py"),
            line=line,
            expression=options.get("expression", name),
        ),
        **{
            key: value
            for key, value in options.items()
            if key not in (*OPERATION, "line", "file", "expression")
        },
    )


def read(uses, *, form="text", kind="chat", confidence="high", settings=None):
    """The requirements, without those of the scenario."""
    root = tree(uses, form=form, settings=settings)
    return read_uses(root, confidence=confidence, kind=kind, scenario=frozenset())


def described(uses, **options):
    """The requirements as a person reads them."""
    return [describe(requirement) for requirement in read(uses, **options)]
