"""Python's own compiler as a judge: faults, programs, and what nobody writes."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
import warnings
from collections.abc import Callable
from functools import lru_cache

from knitbone.adaptation.defects.syntax.language import Fault, Shape

__all__ = ["enclose", "fault_finder", "shape"]

_NAME = "<knitbone syntax check>"
_MAX_TREE = 20_000
"""Characters up to which a syntax tree is asked for before the compiler has accepted the text:
Python 3.10 overflows the stack on the trees of longer chains (100,000 ``.a``)."""
_MAX_STATEMENT = 20_000
"""Characters of a statement whose repairs are compared, for the same reason."""
_HEADER = re.compile(
    r"\s*(?:async\s+)?(if|for|while|with|def|class|elif|else|try|except|finally|match|case)\b"
)
_LEAD = {
    "elif": "if x: pass\n",
    "else": "if x: pass\n",
    "except": "try: pass\n",
    "finally": "try: pass\n",
}


def fault_finder(mode: str, parser: str) -> Callable[[str], Fault | None]:
    """The consumer's compilation, without running anything.

    Args:
        mode: ``exec``, ``eval`` or ``single``.
        parser: the consumer's name; ``ast.parse`` accepts what the compiler only later refuses
            (``return`` outside of a function), ``ast.literal_eval`` literals alone.
    """
    # The consumer warns about its text itself; only messages about this file name are silenced.
    warnings.filterwarnings("ignore", category=Warning, module=re.escape(_NAME))
    literal = parser.rpartition(".")[2] == "literal_eval"
    tree_only = parser in ("ast.parse", "libcst.parse_module", "black.format_str")
    stripped = mode == "eval" or literal

    def find(text: str) -> Fault | None:
        source = text.lstrip(" \t") if stripped else text
        try:
            compile(source, _NAME, mode, 0, dont_inherit=True)
            if literal:
                ast.literal_eval(source)
        except SyntaxError as error:
            if tree_only and len(source) <= _MAX_TREE and _tree(source) is not None:
                return None
            return _located(source, error, len(text) - len(source))
        except (ValueError, TypeError, OverflowError) as error:
            # Null bytes, lone surrogates, no literal.
            return Fault(-1, str(error))
        except (MemoryError, RecursionError):
            return Fault(-1, "too deeply nested to be parsed")
        return None

    return find


def _located(source: str, error: SyntaxError, shift: int) -> Fault:
    place = 0
    for _ in range((error.lineno or 1) - 1):
        following = source.find("\n", place) + 1
        if not following:
            break
        place = following
    place = min(place + max((error.offset or 1) - 1, 0), len(source))
    return Fault(place + shift, error.msg)


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source, _NAME)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def shape(text: str) -> Shape | None:
    """The program of a text; ``None`` where there is none."""
    tree = _tree(text) if len(text) <= _MAX_STATEMENT else None
    if tree is None:
        return None
    try:
        return Shape(_oddity(tree, text), ast.dump(tree))
    except RecursionError:
        return None


def enclose(text: str, start: int, end: int) -> tuple[str, str]:
    """What makes a statement of a block a program of its own."""
    statement = text[start:end]
    header = _HEADER.match(statement)
    word = header.group(1) if header else ""
    indent = statement[: len(statement) - len(statement.lstrip(" \t"))]
    lead = textwrap.indent(_LEAD.get(word, ""), indent)
    if word == "case":
        lead = f"{indent}match x:\n"
        return f"if 1:\n{lead}" if indent else lead, " pass"
    tail = statement.rstrip()
    after = ""
    if word and tail.endswith(":"):
        after = f"\n{indent} case _: pass" if word == "match" else " pass"
        if word == "try":
            after += f"\n{indent}finally: pass"
    return (f"if 1:\n{lead}" if indent else lead), after


def _oddity(tree: ast.Module, text: str) -> int:
    """Constructs that parse and that nobody writes."""
    lines: list[str] | None = None
    odd = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            odd += isinstance(node.value, ast.BinOp | ast.Compare | ast.BoolOp | ast.UnaryOp)
            odd += isinstance(node.value, ast.Tuple)
        elif isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.Tuple):
            lines = lines or text.split("\n")
            # Columns count bytes; the line is ASCII wherever they matter here.
            line = lines[node.value.lineno - 1]
            odd += not line[node.value.col_offset :].startswith("(")
        elif isinstance(node, ast.Call):
            odd += isinstance(node.func, ast.Constant | ast.List | ast.Dict | ast.Tuple)
            odd += isinstance(node.func, ast.Name) and not _takes(node.func.id, node)
            odd += _splits_list(node.args)
        elif isinstance(node, ast.Subscript):
            odd += isinstance(node.value, ast.List | ast.Dict | ast.Set)
        elif isinstance(node, ast.Compare):
            odd += isinstance(node.left, ast.Tuple)
    return odd


def _splits_list(arguments: list[ast.expr]) -> bool:
    """``[1], 2, 3``: a list whose last items stand outside."""
    for index, argument in enumerate(arguments[:-1]):
        rest = arguments[index + 1 :]
        if isinstance(argument, ast.List | ast.Tuple | ast.Set):
            kinds = {type(x.value) for x in argument.elts if isinstance(x, ast.Constant)}
            if len(kinds) == 1 and all(
                isinstance(x, ast.Constant) and type(x.value) in kinds for x in rest
            ):
                return True
    return False


@lru_cache(maxsize=256)
def _bounds(name: str) -> tuple[int, int] | None:
    """How many positional arguments a built-in function takes, where it says so."""
    known = {"print": (0, 99), "range": (1, 3), "int": (0, 2), "str": (0, 3), "dict": (0, 1)}
    known |= {"list": (0, 1), "tuple": (0, 1), "set": (0, 1), "float": (0, 1), "bool": (0, 1)}
    known |= {"isinstance": (2, 2), "len": (1, 1), "max": (1, 99), "min": (1, 99), "type": (1, 3)}
    if name in known:
        return known[name]
    function = getattr(builtins, name, None)
    if not callable(function):
        return None
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return None
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return None
    return sum(p.default is p.empty for p in places), len(places)


def _takes(name: str, call: ast.Call) -> bool:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return True
    bounds = _bounds(name)
    if bounds is None:
        return True
    least, most = bounds
    return len(call.args) <= most and len(call.args) + len(call.keywords) >= least
