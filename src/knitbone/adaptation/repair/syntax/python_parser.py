"""Python's own compiler as the parser of a consumer: faults and programs of a text."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Callable

from knitbone.adaptation.repair.syntax.python_oddity import oddity
from knitbone.adaptation.repair.syntax.records import Fault, ProgramShape
from knitbone.common.source import evaluate_literal, parse_source

__all__ = ["enclose", "fault_finder", "shape"]

_NAME = "<knitbone syntax check>"
_MAX_TREE = 20_000
"""Characters up to which a syntax tree is asked for before the compiler has accepted the text:
Python 3.10 overflows the stack on the trees of longer chains (100,000 ``.a``)."""
_MAX_STATEMENT = 20_000
"""Characters of a statement whose repairs are compared, for the same reason."""
_MAX_PARTS = 12_000
"""Lines and statements, each of which takes the compiler up to 8 µs (measured)."""
_MAX_FUNCTIONS = 2_000
"""The compiler's time grows with their square: 0.5 s for 6,000 in a module (measured)."""
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
    """Return a function that compiles a text as the consumer does, without running it, and finds
    its fault.

    It raises ``TimeoutError`` for a text that takes too long to compile.

    Args:
        mode: ``exec``, ``eval`` or ``single``.
        parser: the consumer's name; ``ast.parse`` accepts what the compiler only later refuses
            (``return`` outside of a function), ``ast.literal_eval`` literals alone.
    """
    # The consumer warns about its text itself; only messages about this file name are silenced.
    warnings.filterwarnings("ignore", category=Warning, module=re.escape(_NAME))
    literal = parser.rpartition(".")[2] == "literal_eval"
    tree_only = mode == "exec" and parser in (
        "ast.parse",
        "libcst.parse_module",
        "black.format_str",
    )
    stripped = mode == "eval" or literal

    def find(text: str) -> Fault | None:
        if _is_large(text):
            raise TimeoutError("compiling the text would take longer than the time budget")
        source = text.lstrip(" \t") if stripped else text
        try:
            compile(source, _NAME, mode, 0, dont_inherit=True)
            if literal and not _is_literal(source):
                return Fault(-1, "no literal")
        except SyntaxError as error:
            if tree_only and len(source) <= _MAX_TREE and _tree(source) is not None:
                return None
            return _fault_at(source, error, len(text) - len(source))
        except (ValueError, TypeError, OverflowError) as error:
            # Null bytes, lone surrogates.
            return Fault(-1, str(error))
        except (MemoryError, RecursionError):
            return Fault(-1, "too deeply nested to be parsed")
        return None

    return find


def _is_large(text: str) -> bool:
    """Return whether compiling takes long, which nothing can stop."""
    functions = text.count("def ") + text.count("lambda")
    return functions > _MAX_FUNCTIONS or text.count("\n") + text.count(";") > _MAX_PARTS


def _is_literal(source: str) -> bool:
    try:
        evaluate_literal(source)
    except (ValueError, TypeError):
        return False
    return True


def _fault_at(source: str, error: SyntaxError, shift: int) -> Fault:
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
        return parse_source(source, _NAME)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def shape(text: str) -> ProgramShape | None:
    """Return the program of a text; ``None`` where there is none."""
    tree = _tree(text) if len(text) <= _MAX_STATEMENT else None
    if tree is None:
        return None
    try:
        displays = sum(
            isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict) for node in ast.walk(tree)
        )
        return ProgramShape(oddity(tree, text), displays, ast.dump(tree))
    except RecursionError:
        return None


def enclose(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the text before and after a statement of a block that makes it a program of its
    own."""
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
