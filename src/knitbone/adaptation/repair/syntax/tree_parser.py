"""Parsers from tree-sitter grammars, each a package of its own.

A grammar is no compiler: it accepts what a compiler later refuses, and recovers from what it does
not know. A text without an error node is conforming.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from knitbone.adaptation.repair.syntax.records import Fault, ProgramShape
from knitbone.errors import MissingExtraError, import_extra

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Tree

__all__ = ["GRAMMARS", "MAX_TREE_TEXT", "tree_fault_finder", "tree_shape"]

MAX_TREE_TEXT = 8_192
"""Characters. Recovery from errors may take quadratic time, and a parse is never stopped: with a
callback that stops it, tree-sitter 0.26.1 crashed the process now and then."""
GRAMMARS = {
    "bash": ("tree_sitter_bash", "language"),
    "shell": ("tree_sitter_bash", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "c": ("tree_sitter_c", "language"),
    "c++": ("tree_sitter_cpp", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c#": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "powershell": ("tree_sitter_powershell", "language"),
}
"""Language -> module and function of its grammar. The one of Perl is not among them: with some
sixty characters it never ends (2.0.3)."""
_BYTES_ONLY = frozenset({"bash", "shell"})
"""Their scanner looks characters up in a table of bytes: with ``{`` and an emoji it reads
beyond, which ends the process (tree-sitter-bash issue 337). To a shell, such a
character is a letter."""
_NOT_ASCII = re.compile(rb"[^\x00-\x7f]")
_QUOTES = re.compile("[\u2018\u2019\u201c\u201d\u201e]")
_DISPLAYS = frozenset(
    {"array", "array_pattern", "object", "object_pattern", "tuple_expression", "array_expression"}
)
_ODD = frozenset({"sequence_expression", "comma_expression"})
_ODD_STATEMENT = frozenset({"binary_expression", "sequence_expression", "comma_expression"})


def _load_grammar(language: str) -> Grammar:
    """Load the grammar of a language of ``GRAMMARS``.

    Raises:
        MissingExtraError: its package is not installed; the message says which.
    """
    tree_sitter = import_extra("tree_sitter", extra="syntax", purpose=f"Checking {language}")
    module, function = GRAMMARS[language]
    try:
        grammar = importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.replace("_", "-")
        raise MissingExtraError(
            f"Checking {language} needs the package {package!r}, which is not installed.",
            next_step=f"Install it with: pip install {package}",
        ) from error
    return tree_sitter.Language(getattr(grammar, function)())


def _parser(language: str) -> Callable[[str], Tree]:
    """Return a function that makes the tree of a text; its positions are bytes of
    ``text.encode()``.

    It raises ``UnicodeEncodeError`` where the text has a lone surrogate.
    """
    grammar = _load_grammar(language)
    from tree_sitter import Parser  # noqa: PLC0415 - an extra; its absence was said before

    def parse(text: str) -> Tree:
        source = text.encode()
        if language in _BYTES_ONLY and not text.isascii():
            source = _NOT_ASCII.sub(b"x", source)
        return Parser(grammar).parse(source)

    return parse


def tree_fault_finder(language: str) -> Callable[[str], Fault | None]:
    """Return a function that finds the first error node of a text, in a language of ``GRAMMARS``.

    Raises:
        MissingExtraError: the grammar's package is not installed; the message says which.
    """
    parse = _parser(language)

    def find(text: str) -> Fault | None:
        if "\0" in text:
            # No compiler and no shell takes it, and recovery from it takes gigabytes.
            return Fault(text.index("\0"), "a null character")
        try:
            root = parse(text).root_node
        except UnicodeEncodeError as error:
            return Fault(-1, str(error))
        if not root.has_error:
            return _stray(root, text)
        node = _first_error(root)
        what = "something is missing" if node.is_missing else "not understood"
        return Fault(len(text.encode()[: node.start_byte].decode(errors="ignore")), what)

    return find


def _stray(root: Node, text: str) -> Fault | None:
    """Return a fault for typographic quotes, which some grammars take for letters of a name."""
    if text.isascii() or not _QUOTES.search(text):
        return None
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier" and _QUOTES.search((node.text or b"").decode()):
            position = len(text.encode()[: node.start_byte].decode())
            return Fault(position, "a typographic quote in a name")
        waiting.extend(node.children)
    return None


def _first_error(node: Node) -> Node:
    """Return the innermost node before which all is well; an error may be in what no node shows."""
    while not node.is_error and not node.is_missing:
        inner = next((child for child in node.children if child.has_error), None)
        if inner is None:
            break
        node = inner
    return node


def tree_shape(language: str) -> Callable[[str], ProgramShape | None]:
    """Return a function that makes the tree of a text without positions, in a language of
    ``GRAMMARS``.

    Raises:
        MissingExtraError: the grammar's package is not installed; the message says which.
    """
    parse = _parser(language)

    def shape(text: str) -> ProgramShape | None:
        if "\0" in text:
            return None
        try:
            root = parse(text).root_node
        except UnicodeEncodeError:
            return None
        return None if root.has_error else _walk(root)

    return shape


def _walk(root: Node) -> ProgramShape:
    """Return the shape of a tree, in one walk."""
    # Not ``str(root)``, which recurses.
    odd = displays = 0
    seen: list[str] = []
    waiting: list[Node | None] = [root]
    while waiting:
        node = waiting.pop()
        if node is None:
            seen.append(")")
            continue
        odd += node.type in _ODD
        displays += node.type in _DISPLAYS
        children = node.children
        if node.type == "parenthesized_expression":
            # ``((x))`` is the program that ``(x)`` is.
            waiting.extend(child for child in reversed(children) if child.is_named)
            continue
        if node.type == "expression_statement" and children:
            odd += children[0].type in _ODD_STATEMENT
        seen += ("(", node.type)
        waiting.append(None)
        waiting.extend(reversed(children))
    return ProgramShape(odd, displays, " ".join(seen))
