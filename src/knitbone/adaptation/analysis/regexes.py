"""Calls of the modules ``re`` and ``regex`` on outputs: the pattern, and what it reads."""

from __future__ import annotations

import ast
import re
from typing import Any

from knitbone.adaptation.analysis.arguments import as_argument
from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.output_sites import OutputSites
from knitbone.adaptation.analysis.values import (
    CallArguments,
    Constant,
    External,
    PatternValue,
    Response,
    Tracked,
    Value,
    Values,
    join,
)
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["Regexes", "flag"]

_FLAGS = {
    f"re.{name}": int(flag)
    for name, flag in re.RegexFlag.__members__.items()
    if name not in ("DEBUG", "NOFLAG")
}


_METHODS = frozenset(
    {"match", "search", "fullmatch", "findall", "finditer", "split", "sub", "subn"}
)


class Regexes:
    """Evaluates calls of regular expressions for one function."""

    def __init__(
        self,
        evaluator: Evaluator,
        outputs: OutputSites,
    ) -> None:
        self._evaluator = evaluator
        self._outputs = outputs

    def call(self, method: str, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate a function of the module ``re``."""
        pattern = given.arguments[0] if given.arguments else given.keywords.get("pattern", ())
        if method in ("compile", "Pattern"):
            flags = (
                given.arguments[1] if len(given.arguments) > 1 else given.keywords.get("flags", ())
            )
            self._compiled(pattern, node)
            return (self._pattern(pattern, flags, node),)
        text_index = 2 if method in ("sub", "subn") else 1
        texts = given.arguments[text_index] if len(given.arguments) > text_index else ()
        texts = texts or given.keywords.get("string", ())
        flags_index = {"split": 3, "sub": 4, "subn": 4}.get(method, 2)
        flags = given.keywords.get("flags", ())
        if len(given.arguments) > flags_index:
            flags = given.arguments[flags_index]
        patterns = tuple(v for v in pattern if isinstance(v, PatternValue))
        if not patterns:
            if method in _METHODS:
                self._compiled(pattern, node)
            patterns = tuple(self._pattern((value,), flags, node) for value in pattern) or (
                self._pattern((), flags, node),
            )
        return self.apply(method, patterns, texts, node)

    def _compiled(self, pattern: Values, node: ast.Call) -> None:
        """Record that an output is compiled as a regular expression."""
        for value in pattern:
            if isinstance(value, Tracked):
                self._evaluator.use(value, "re.compile", node, position="0")

    def _pattern(self, pattern: Values, flags: Values, node: ast.Call) -> PatternValue:
        """Return a compiled pattern."""
        given = node.args[0] if node.args else node.func
        text = as_argument(self._evaluator, pattern, given)
        number = _flags(flags)
        if not isinstance(text, str) or number is None:
            text = text if isinstance(text, Computed) else Computed(ast.unparse(given)[:200])
        return PatternValue(text, number or 0)

    def apply(
        self, method: str, patterns: tuple[PatternValue, ...], texts: Values, node: ast.Call
    ) -> Values:
        """Record that a regular expression reads, cuts or changes an output."""
        found: list[Value] = []
        for value in texts:
            tracked = value
            if isinstance(value, Response):
                text = self._outputs.text_of(value, node)
                if text is None:
                    continue
                tracked = text
            if not isinstance(tracked, Tracked):
                continue
            for pattern in patterns:
                extra: tuple[Any, ...] = (pattern.pattern, pattern.flags)
                if method in ("sub", "subn"):
                    extra = (*extra, self._replacement(node))
                found.append(self._evaluator.use(tracked, f"re.{method}", node, extra))
        return join(tuple(found))

    def _replacement(self, node: ast.Call) -> Any:
        """Return the replacement of ``re.sub``."""
        has_text = len(node.args) == 2 and all(each.arg != "string" for each in node.keywords)
        compiled = isinstance(node.func, ast.Attribute) and has_text
        index = 0 if compiled else 1
        if len(node.args) <= index:
            return Computed("")
        return as_argument(
            self._evaluator, self._evaluator.values(node.args[index]), node.args[index]
        )


def flag(value: Value) -> int | None:
    """Return the number of a flag such as ``re.MULTILINE``."""
    if isinstance(value, External):
        return _FLAGS.get(value.path)
    if isinstance(value, Constant) and isinstance(value.value, int):
        return int(value.value)
    return None


def _flags(values: Values) -> int | None:
    """Return the number of flags; ``None`` where they are computed."""
    if not values:
        return 0
    return flag(values[0])
