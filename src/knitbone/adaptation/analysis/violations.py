"""The treatment of outputs that an operation cannot read, from the code around the operation.

A failing ``json.loads(text)`` raises, is handled where a ``try`` stands around it, and a
``re.findall`` that finds nothing loses the text silently: ``on_violation`` of the requirement.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from knitbone._forks import lazy
from knitbone.adaptation.analysis.program import Function
from knitbone.adaptation.analysis.unmatched_answers import is_cut, keeps_text, on_no_match
from knitbone.adaptation.requirements.records import OnViolation

__all__ = ["Surroundings"]

_MATCH_FUNCTIONS = frozenset({"re.match", "re.search", "re.fullmatch"})
"""Functions that give ``None`` where a text does not fit."""
_EMPTY_ON_FAILURE = frozenset({"re.findall", "re.finditer", ".find", ".rfind", "re.split", ".get"})
"""Functions that give nothing, and no error, where a text does not fit."""
_SEARCHES = frozenset({"re.finditer", ".find", ".rfind"})
"""Functions that give places in a text, at which the code may cut it."""
_PROCESS_CALLS = ("os.system", "os.popen", "subprocess.", "asyncio.create_subprocess")
"""Functions that start a command."""
_SPLIT_METHODS = frozenset({".split", ".rsplit", ".partition", ".rpartition"})
_ITEM_BY_ITEM = frozenset({"map", "list", "tuple"})
"""Builtins that go through a list item by item."""
_QUESTIONS = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "truth", "is_none", "isinstance"}
)
"""Operations that only ask something about a value."""
_NAMING_QUESTIONS = frozenset({"eq", "ne", "in", "contains", ".startswith", ".endswith"})
"""Questions that name the text that they ask for."""
_NEVER_FAILING = frozenset(
    {
        ".strip",
        ".lower",
        ".upper",
        ".splitlines",
        "len",
        "str",
        "iterate",
        "format",
        "concat",
        "slice",
    }
)
"""Operations that any text allows."""


class Surroundings:
    """The statements of one function, to look upwards from an expression."""

    def __init__(self, function: Function) -> None:
        self._root = function.node if function.node is not None else function.module.tree
        self._parents = {
            child: parent
            for parent in ast.walk(self._root)
            for child in ast.iter_child_nodes(parent)
        }

    def around(self, node: ast.AST) -> ast.AST | None:
        """Return what a node stands in."""
        return self._parents.get(node)

    def on_violation(self, operation: str, node: ast.expr) -> OnViolation:
        """Return what the code does when this operation fails or finds nothing."""
        if operation in _NEVER_FAILING:
            return "unknown"
        if operation in _EMPTY_ON_FAILURE:
            searched = _searched(node) if operation in _SEARCHES else None
            kept = searched is not None and is_cut(searched, self._root)
            return "unknown" if kept else "silent"
        if operation.startswith(_PROCESS_CALLS) and not _raises_on_failure(node):
            return "unknown"  # a command that fails is no error of the program
        if operation in _MATCH_FUNCTIONS:
            fate = self._of_match(node)
        elif operation in _SPLIT_METHODS:
            fate = self._of_parts(node)
        elif operation in _NAMING_QUESTIONS:
            fate = on_no_match(node, self._parents, self._root)
        elif operation.startswith(".") or operation in _QUESTIONS:
            return "unknown"
        else:
            fate = "raises"
        return "handled" if fate == "raises" and self.is_caught(node) else fate

    @lazy
    def passing_over(self) -> str:
        """Return how the function may skip lines by their place, as it does with a header: words of
        ``slice`` (``lines[1:]``), ``taken`` (``next(lines)``, ``lines.pop(0)``), ``counted``
        (``enumerate``, a flag that is set behind the first line); empty where it does not."""
        names = _constants(self._root)
        found = {idiom for node in ast.walk(self._root) if (idiom := _skipping_idiom(node, names))}
        return " ".join(sorted(found))

    def is_caught(self, node: ast.AST) -> bool:
        """Return whether an error at the node ends in a handler that does not raise again."""
        inner: ast.AST = node
        for outer in self._above(node):
            if (
                isinstance(outer, ast.Try)
                and any(inner is statement for statement in outer.body)
                and outer.handlers
            ):
                return not any(
                    isinstance(statement, ast.Raise)
                    for handler in outer.handlers
                    for statement in handler.body
                )
            inner = outer
        return False

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Find the nodes around a node, the nearest first."""
        parent = self._parents.get(node)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent)

    def _of_match(self, call: ast.expr) -> OnViolation:
        """Return what happens where an expression does not match."""
        parent = self._parents.get(call)
        if isinstance(parent, ast.Attribute | ast.Subscript):
            return "raises"  # AttributeError: None has no group
        if isinstance(parent, ast.NamedExpr):
            name = parent.target.id
        elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
            name = parent.targets[0].id
        elif isinstance(parent, ast.If | ast.IfExp):
            return self._without_match(parent, call)
        elif isinstance(parent, ast.comprehension | ast.BoolOp | ast.UnaryOp):
            return "silent"
        else:
            return "unknown"
        for node in ast.walk(self._root):
            if isinstance(node, ast.If | ast.While | ast.IfExp) and _mentions(node.test, name):
                return self._without_match(node, call, name)
            if isinstance(node, ast.comprehension) and any(_mentions(c, name) for c in node.ifs):
                return "silent"
        return "raises"

    def _without_match(
        self, node: ast.If | ast.While | ast.IfExp, call: ast.expr, name: str = ""
    ) -> OnViolation:
        """Return what happens in the branch without a match, and behind it."""
        negative = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        if isinstance(node.test, ast.Compare) and _is_name(node.test.left, name):
            none = isinstance(node.test.comparators[0], ast.Constant)
            negative = none and isinstance(node.test.ops[0], ast.Is | ast.Eq)
        lost = node.body if negative else node.orelse
        statements = lost if isinstance(lost, list) else [lost]
        if any(isinstance(inner, ast.Raise) for each in statements for inner in ast.walk(each)):
            return "raises"
        text = _searched(call)
        if isinstance(node, ast.While) or text is None:
            return "silent"
        kept = keeps_text(node, text, negative=negative, parents=self._parents, function=self._root)
        return "unknown" if kept else "silent"

    def _of_parts(self, call: ast.expr) -> OnViolation:
        """Return what happens where a split gives too few parts."""
        parent = self._parents.get(call)
        if isinstance(parent, ast.Subscript):
            index = parent.slice
            last = isinstance(index, ast.UnaryOp)
            first = isinstance(index, ast.Constant) and index.value == 0
            return "silent" if first or last else "raises"  # IndexError
        if self._is_unpacked(call):
            return "raises"
        starts = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple):
            whole = starts and call.func.attr in ("partition", "rpartition")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            return "silent" if whole else "raises"  # ValueError: not enough values to unpack
        if isinstance(parent, ast.For | ast.comprehension):
            return "silent"
        guarded = any(isinstance(node, ast.If) for node in ast.walk(self._root))
        return "silent" if guarded else "raises"

    def _is_unpacked(self, call: ast.expr) -> bool:
        """Return whether the parts go through a comprehension, or ``map``, into names,
        a part each."""
        inner: ast.AST = call
        for outer in self._above(call):
            if isinstance(outer, ast.Assign):
                target = outer.targets[0]
                return inner is not call and isinstance(target, ast.Tuple | ast.List)
            is_passed_on = (
                ast.unparse(outer.func) in _ITEM_BY_ITEM
                if isinstance(outer, ast.Call)
                else isinstance(outer, ast.comprehension | ast.ListComp | ast.GeneratorExp)
            )
            if not is_passed_on:
                return False
            if isinstance(outer, ast.comprehension) and (outer.ifs or inner is not outer.iter):
                return False
            inner = outer
        return False


def _constants(root: ast.AST) -> frozenset[str]:
    """Return the names that are set to a constant: flags and counters."""
    return frozenset(
        target.id
        for node in ast.walk(root)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and not isinstance(node.value.value, str)
    )


def _skipping_idiom(node: ast.AST, constants: frozenset[str]) -> str:
    """Return how one statement skips lines; empty where it does not."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        start = node.slice.lower
        placed = isinstance(start, ast.Constant) and isinstance(start.value, int) and start.value
        return "slice" if placed else ""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        if name == "pop" and node.args and ast.unparse(node.args[0]) == "0":
            return "taken"
        return {"next": "taken", "islice": "counted", "enumerate": "counted"}.get(name, "")
    if isinstance(node, ast.Delete):
        return "taken"
    if isinstance(node, ast.Starred):
        return "taken" if isinstance(node.ctx, ast.Store) else ""
    if isinstance(node, ast.For | ast.While):
        tests = (inner.test for inner in ast.walk(node) if isinstance(inner, ast.If))
        read = ({n.id for n in ast.walk(t) if isinstance(n, ast.Name)} for t in tests)
        return "counted" if any(each and each <= constants for each in read) else ""
    return ""


def _raises_on_failure(node: ast.expr) -> bool:
    """Return whether a command that fails raises: ``subprocess.run(..., check=True)``."""
    if not isinstance(node, ast.Call):
        return False
    if "check_" in ast.unparse(node.func):
        return True
    return any(
        keyword.arg == "check"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in node.keywords
    )


def _searched(call: ast.expr) -> ast.expr | None:
    """Return the text that an expression is applied to: ``re.search(pattern, text)``,
    ``pattern.search(text)``."""
    if not isinstance(call, ast.Call):
        return None
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("find", "rfind"):
        return call.func.value
    place = 1 if ast.unparse(call.func).startswith(("re.", "regex.")) else 0
    for keyword in call.keywords:
        if keyword.arg == "string":
            return keyword.value
    return call.args[place] if len(call.args) > place else None


def _mentions(node: ast.AST, name: str) -> bool:
    """Return whether a name occurs in a node."""
    return any(_is_name(inner, name) for inner in ast.walk(node))


def _is_name(node: ast.AST, name: str) -> bool:
    """Return whether a node is that name."""
    return isinstance(node, ast.Name) and node.id == name
