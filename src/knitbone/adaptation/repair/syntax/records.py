"""The records of code repair: a program and its tokens, a fault, a rule, a language with its
parser."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from operator import attrgetter

import msgspec

from knitbone._forks import lazy
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.syntax.edits import RepairProposal
from knitbone.adaptation.repair.syntax.lexer import Lexicon, Token, code_tokens, scan, statements

__all__ = ["Fault", "Language", "ProgramShape", "ProgramText", "Scene", "SyntaxRule"]


class Fault(msgspec.Struct, frozen=True):
    """The position and reason of a parser's error."""

    offset: int
    """Characters from the start of the text; -1 where the parser does not tell."""
    message: str


class ProgramShape(msgspec.Struct, frozen=True):
    """A program as far as two repairs of it are compared."""

    oddity: int
    """Constructs that parse, and that nobody writes: a comparison as a statement, a call with
    arguments that a built-in function does not take."""
    displays: int
    """Tuples, lists, sets and dictionaries that are written out."""
    tree: str
    """The syntax tree without positions: equal trees are the same program."""


_start = attrgetter("start")


class ProgramText(msgspec.Struct, frozen=True, dict=True):
    """A text that is meant to be a program; it is split into tokens once, where a rule asks for
    them."""

    text: str
    lexicon: Lexicon

    @lazy
    def tokens(self) -> list[Token]:
        """All tokens; together they are the text."""
        return scan(self.text, self.lexicon)

    @lazy
    def code(self) -> list[Token]:
        """The tokens without blanks, line breaks and comments."""
        return code_tokens(self.tokens)

    @lazy
    def brackets(self) -> list[Token]:
        """The brackets outside of strings and comments."""
        return [token for token in self.tokens if token.kind == "bracket"]

    @lazy
    def statements(self) -> list[list[Token]]:
        """The code tokens of each logical line."""
        return statements(self.tokens)


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A program and its fault, as a rule sees them."""

    program: ProgramText
    fault: Fault
    invocation: Invocation

    @property
    def text(self) -> str:
        """The program as it stands."""
        return self.program.text

    @property
    def tokens(self) -> list[Token]:
        """The tokens of the program."""
        return self.program.tokens

    @property
    def code(self) -> list[Token]:
        """The tokens without blanks, line breaks and comments."""
        return self.program.code

    @property
    def brackets(self) -> list[Token]:
        """The brackets outside of strings and comments."""
        return self.program.brackets

    @property
    def statements(self) -> list[list[Token]]:
        """The code tokens of each logical line."""
        return self.program.statements

    def between(self, start: int, end: int) -> list[Token]:
        """Return the tokens that begin between two offsets."""
        first = bisect_left(self.tokens, start, key=_start)
        return self.tokens[first : bisect_left(self.tokens, end, first, key=_start)]

    def line(self, offset: int) -> tuple[int, int]:
        """Return start and end (without the line break) of the line that ``offset`` lies in."""
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", start)
        return start, len(self.text) if end < 0 else end


class SyntaxRule(msgspec.Struct, frozen=True):
    """One way in which models break code, and a function that proposes repairs."""

    name: str
    """The heuristic that switches it off: ``syntax.brackets``."""
    propose: Callable[[Scene], Iterable[RepairProposal]]


def _nothing(text: str) -> Iterable[tuple[str, str]]:
    del text
    return ()


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """A language with the parser of its consumer."""

    name: str
    tags: frozenset[str]
    """The tags of fences that hold it."""
    lexicon: Lexicon
    find_fault: Callable[[str], Fault | None]
    """The consumer's own parser; ``None`` where it accepts the text."""
    shape: Callable[[str], ProgramShape | None]
    """``None`` where the text does not parse."""
    enclose: Callable[[str, int, int], tuple[str, str]]
    """``(before, after)``: what makes ``text[start:end]``, a whole statement, a program of its
    own; so a candidate costs the parse of a statement, not of the program."""
    statement: Callable[[str], bool]
    """Whether a line can be code."""
    everywhere: tuple[SyntaxRule, ...]
    """Rules for what is wrong wherever it stands outside strings and comments."""
    nearby: tuple[SyntaxRule, ...]
    """Rules for what may be wrong where the parser gave up."""
    max_text: int = 262_144
    """Characters that the parser is given; compiling more of Python takes longer than the time
    budget by itself."""
    takes_prose: bool = False
    """Whether most sentences parse, so that parsing proves nothing: only what the model itself
    marked as code is taken out, and nothing is mended."""
    tells_prose: bool = False
    """Whether prose around such a program can be told by its form all the same."""
    blocks_end: bool = False
    """Whether braces enclose statements."""
    unwrap: Callable[[str], Iterable[tuple[str, str]]] = _nothing
    """Gives programs without what models write around them, each with its rule."""
    line_statements: bool = False
    """Whether a statement ends with its line, and ``enclose`` can judge it by itself."""
