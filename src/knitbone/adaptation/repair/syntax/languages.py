"""The catalogue of languages that can be checked, each with its consumer's parser and its rules."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from knitbone._forks import unforked
from knitbone.adaptation.repair.syntax import python_rules as python
from knitbone.adaptation.repair.syntax import sql_rules as sql
from knitbone.adaptation.repair.syntax.brace_blocks import propose_braces
from knitbone.adaptation.repair.syntax.brackets import propose_brackets
from knitbone.adaptation.repair.syntax.commas import missing_commas, superfluous_commas
from knitbone.adaptation.repair.syntax.edits import RepairProposal
from knitbone.adaptation.repair.syntax.extraction import (
    has_prompts,
    has_prose,
    is_fenced,
    is_inline,
)
from knitbone.adaptation.repair.syntax.foreign_characters import (
    C_OPERATORS,
    PYTHON_OPERATORS,
    SQL_OPERATORS,
    characters,
    entities,
    escapes,
    operators,
    quotes,
)
from knitbone.adaptation.repair.syntax.indentation import indentation
from knitbone.adaptation.repair.syntax.lexer import C_LIKE, PYTHON, RUST, SHELL, SQL, Lexicon
from knitbone.adaptation.repair.syntax.python_expressions import (
    comparisons,
    expression_shape,
    looks_like_expression,
    without_statement,
)
from knitbone.adaptation.repair.syntax.python_parser import enclose, fault_finder
from knitbone.adaptation.repair.syntax.python_parser import shape as python_shape
from knitbone.adaptation.repair.syntax.records import (
    Fault,
    Language,
    ProgramShape,
    Scene,
    SyntaxRule,
)
from knitbone.adaptation.repair.syntax.sql_parser import (
    MAX_SQL,
    sql_fault_finder,
    sql_shape,
    sqlite_fault_finder,
)
from knitbone.adaptation.repair.syntax.tree_parser import (
    GRAMMARS,
    MAX_TREE_TEXT,
    tree_fault_finder,
    tree_shape,
)
from knitbone.adaptation.repair.syntax.unclosed_strings import propose_strings
from knitbone.errors import import_extra

__all__ = ["load_language"]

_PYTHON_LINE = re.compile(
    r"\s*(?:[@#]|(?:import|from|def|class|return|if|for|while|with|try|else|elif|except|finally"
    r"|raise|assert|pass|break|continue|async|await|global|del|yield|print|exec)\b"
    r"|[\w.]+(?:\[[^\]]*\])?\s*(?:[-+*/]?=)|[\w.]+\(|[\d(\[{])"
)
"""The beginning of a line that may be Python."""
_SQL_LINE = re.compile(
    r"\s*(?:--|/\*|\(|(?:select|with|insert|update|delete|create|alter|drop|explain|pragma|merge"
    r"|replace|truncate|show|describe|values|from|where|group|order|having|limit|join|inner"
    r"|left|right|union|and|or|set|on)\b)",
    re.IGNORECASE,
)
"""The beginning of a line that may be SQL."""
_C_LINE = re.compile(r"\s*(?:[#/{}*@]|.*[;{}=]\s*$|[\w.$]+\(|(?:const|let|var|function|import)\b)")
"""A line that may be code with braces."""
_SHELL_LINE = re.compile(r"\s*(?:[#$./-]|[a-z][\w.-]*(?:\s+[-\w./\"'$~*|>&=]+)*\s*$|\w+=)")
"""A line that may be a command."""
_BRACKETED_NAMES = frozenset({"tsql"})
"""Dialects that write names in ``[]``."""
_BACKTICKS = frozenset(
    {"mysql", "sqlite", "bigquery", "hive", "spark", "databricks", "clickhouse", "doris", ""}
)
"""Dialects that write names in backticks; the empty one is any dialect."""
_STRICT_EQUALS = frozenset({"postgres", "mysql", "tsql", "oracle", "redshift", "mssql"})
"""Dialects that refuse ``==``."""
_STANDARD_STRINGS = frozenset({"sqlite", "postgres", "oracle", "tsql", "duckdb", "redshift"})
"""Dialects in which a backslash in a string is a character like any other."""
_MAX_SQLITE = 100_000
_LIFETIMES = frozenset({"rust"})


def load_language(name: str, dialect: str, parser: str) -> Language | None:
    """Return a language as its consumer reads it; ``None`` for one that nothing here can parse.

    Raises:
        MissingExtraError: its parser is not installed.
    """
    if name == "python":
        return _python(dialect or "exec", parser)
    if name == "sql":
        return _sql(dialect, parser)
    if name in GRAMMARS:
        return _grammar(name)
    if name == "regex":
        return _without_repairs(name, _regex_finder(), frozenset({"regex", "regexp", "re"}))
    if name == "html":
        # Its parsers take everything: a fence is all that can be known to be wrong.
        return _without_repairs(name, lambda _: None, frozenset({"html", "xml", "svg"}))
    if name == "jinja":
        tags = frozenset({"jinja", "jinja2", "j2", "html", "text", "markdown"})
        return _without_repairs(name, _jinja_finder(), tags)
    return None


def _everywhere(
    operators_of: Callable[[Scene], Iterator[RepairProposal]], *, sql: bool
) -> list[SyntaxRule]:
    return [
        SyntaxRule("syntax.entities", entities),
        SyntaxRule("syntax.quotes", quotes(sql=sql)),
        SyntaxRule("syntax.characters", characters),
        SyntaxRule("syntax.operators", operators_of),
    ]


def _with_structure(language: Language) -> Language:
    """Add the rules for brackets and strings, which ask the language's own parser."""
    rules = (
        *language.nearby,
        SyntaxRule("syntax.brackets", partial(propose_brackets, language)),
        SyntaxRule("syntax.strings", partial(propose_strings, language)),
    )
    return msgspec.structs.replace(language, nearby=rules)


def _python(mode: str, parser: str) -> Language:
    """Return Python as it is compiled in a mode: executed, evaluated, or parsed only."""
    evaluated = mode == "eval"
    return _with_structure(
        Language(
            name="python",
            tags=frozenset({"python", "py", "python3", "py3", "pycon", "ipython"}),
            lexicon=PYTHON,
            find_fault=fault_finder(mode, parser),
            shape=expression_shape if evaluated else python_shape,
            enclose=_enclose_nothing if evaluated else enclose,
            statement=looks_like_expression if evaluated else _is_python_line,
            unwrap=without_statement if evaluated else _no_unwrapping,
            everywhere=(
                *_everywhere(operators(PYTHON_OPERATORS), sql=False),
                SyntaxRule("syntax.escapes", escapes),
                SyntaxRule("syntax.operators", python.upper_operators),
                *((SyntaxRule("syntax.conditions", comparisons),) if evaluated else ()),
                SyntaxRule("syntax.comments", python.comments),
                SyntaxRule("syntax.keywords", python.other_keywords),
                SyntaxRule("syntax.python2", python.python_2),
                SyntaxRule("syntax.increments", python.increments),
                SyntaxRule("syntax.negations", python.negations),
            ),
            nearby=(
                SyntaxRule("syntax.indentation", indentation),
                SyntaxRule("syntax.colons", python.colons),
                SyntaxRule("syntax.conditions", python.conditions),
                SyntaxRule("syntax.fstrings", python.nested_quotes),
                SyntaxRule("syntax.commas", missing_commas),
                SyntaxRule("syntax.commas", superfluous_commas),
            ),
            line_statements=not evaluated,
        )
    )


def _sql(dialect: str, parser: str) -> Language:
    """Return SQL in the dialect of its database."""
    table = dict(SQL_OPERATORS)
    if dialect not in _STRICT_EQUALS:
        del table["=="]
    if dialect == "sqlite":
        table["&&"] = "AND"
    find = sqlite_fault_finder(parser) if dialect == "sqlite" else sql_fault_finder(dialect)
    everywhere = _everywhere(operators(table), sql=True)
    if dialect not in _BACKTICKS:
        quote = "[]" if dialect in _BRACKETED_NAMES else '""'
        everywhere.append(SyntaxRule("syntax.sql_names", sql.backticks(quote)))
    everywhere.append(SyntaxRule("syntax.sql_commas", sql.trailing_commas))
    everywhere.append(SyntaxRule("syntax.escapes", escapes))
    if dialect in _STANDARD_STRINGS:
        everywhere.append(SyntaxRule("syntax.strings", sql.apostrophes))
    return _with_structure(
        Language(
            name="sql",
            tags=frozenset({"sql", "sqlite", "postgresql", "postgres", "mysql", "tsql"}),
            lexicon=SQL,
            find_fault=find,
            shape=sql_shape(dialect, find),
            enclose=_enclose_nothing,
            statement=lambda line: bool(_SQL_LINE.match(line)),
            unwrap=sql.without_prompt,
            max_text=_MAX_SQLITE if dialect == "sqlite" else MAX_SQL,
            everywhere=tuple(everywhere),
            nearby=(
                SyntaxRule("syntax.sql_semicolons", sql.semicolons),
                SyntaxRule("syntax.commas", missing_commas),
            ),
        )
    )


def _grammar(name: str) -> Language:
    """Return a language that a tree-sitter grammar parses."""
    shell = name in ("bash", "shell")
    aliases = {"shell": {"sh", "bash", "zsh", "shell", "console"}, "javascript": {"js", "jsx"}}
    aliases |= {"bash": aliases["shell"], "typescript": {"ts"}, "c++": {"cpp"}, "c#": {"csharp"}}
    find = _rejecting_non_commands(tree_fault_finder(name)) if shell else tree_fault_finder(name)
    lexicon: Lexicon = SHELL if shell else RUST if name in _LIFETIMES else C_LIKE
    # In a shell typographic quotes and dashes are arguments like any other, by themselves.
    everywhere = (
        [SyntaxRule("syntax.quotes", quotes())]
        if shell
        else _everywhere(operators(C_OPERATORS), sql=False)
    )
    nearby = () if shell else (SyntaxRule("syntax.brackets", propose_braces),)
    language = Language(
        name=name,
        tags=frozenset({name, *aliases.get(name, ())}),
        lexicon=lexicon,
        find_fault=_rejecting_fences(find),
        shape=tree_shape(name),
        enclose=_enclose_nothing,
        statement=lambda line: bool((_SHELL_LINE if shell else _C_LINE).match(line)),
        everywhere=tuple(everywhere),
        nearby=nearby,
        max_text=MAX_TREE_TEXT,
        takes_prose=shell,
        tells_prose=shell,
        blocks_end=not shell,
    )
    return _without_sentences(language) if shell else _with_structure(language)


def _without_repairs(
    name: str, find: Callable[[str], Fault | None], tags: frozenset[str]
) -> Language:
    """Return a language whose code is not mended: only what stands around it is removed."""
    return Language(
        name=name,
        tags=tags,
        lexicon=C_LIKE,
        find_fault=_rejecting_fences(find),
        shape=lambda text: None if find(text) else ProgramShape(0, 0, text),
        enclose=_enclose_nothing,
        statement=lambda line: bool(line.strip()),
        everywhere=(),
        nearby=(),
        takes_prose=True,
    )


def _is_python_line(line: str) -> bool:
    return _PYTHON_LINE.match(line) is not None


def _no_unwrapping(text: str) -> tuple[()]:
    del text
    return ()


def _enclose_nothing(text: str, start: int, end: int) -> tuple[str, str]:
    del text, start, end
    return "", ""


def _rejecting_fences(find: Callable[[str], Fault | None]) -> Callable[[str], Fault | None]:
    """Return a parser that rejects a fence around the code, which may parse.

    As a template string, as a command substitution, as part of a pattern.
    """

    def checked(text: str) -> Fault | None:
        return Fault(0, "a fence around the code") if is_fenced(text) else find(text)

    return checked


_STRINGS = re.compile(r"'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"", re.DOTALL)
"""Strings of a shell."""
_TYPOGRAPHIC = re.compile(
    '(?:^|(?<=[\\s=]))(?:[\u201c\u201e][^\u201c\u201d"\n]*[\u201d\u201c]'
    "|[\u2018\u201a][^\u2018\u2019'\n]*[\u2019\u2018])(?=\\s|$)"
)
"""An argument of a shell between typographic quotes."""
_PARTS = re.compile(r"[\s*?$&|;<>()]")
"""Characters that a shell splits or expands an argument at."""


def _has_typographic_quotes(text: str) -> bool:
    """Return whether such quotes hold one argument together that falls apart without them.

    Around a word they may be what is meant.
    """
    if text.isascii():
        return False
    plain = _STRINGS.sub("''", text)
    return any(_PARTS.search(x.group()) for x in _TYPOGRAPHIC.finditer(plain))


def _rejecting_non_commands(find: Callable[[str], Fault | None]) -> Callable[[str], Fault | None]:
    """Return a parser that rejects text which parses as commands, but is none.

    The prompt as the command ``$``, the whole answer as a command substitution, quotes of a text
    as letters.
    """

    def checked(text: str) -> Fault | None:
        if text.lstrip().startswith("<think"):
            return Fault(0, "reasoning before the commands")
        if has_prompts(text):
            return Fault(0, "prompts before the commands")
        if is_inline(text):
            return Fault(0, "backticks around the command")
        if _has_typographic_quotes(text):
            return Fault(0, "typographic quotes around an argument")
        return find(text)

    return checked


def _without_sentences(language: Language) -> Language:
    """Return a language whose parser rejects sentences, which parse as commands, too."""
    find = language.find_fault

    def checked(text: str) -> Fault | None:
        fault = find(text)
        if fault is None and "\n" in text.strip() and has_prose(text, language):
            return Fault(0, "prose around the commands")
        return fault

    return msgspec.structs.replace(language, find_fault=checked)


_MAX_PATTERN = 16_384
"""Characters; compiling as many takes up to 40 ms, and cannot be stopped (measured)."""


def _regex_finder() -> Callable[[str], Fault | None]:
    """Return Python's own compilation of a pattern as a parser."""
    # The consumer warns about its pattern itself.
    warnings.filterwarnings("ignore", category=FutureWarning, module=re.escape(__name__))

    def find(text: str) -> Fault | None:
        if len(text) > _MAX_PATTERN:
            raise TimeoutError(f"a pattern of {len(text)} characters; the bound is {_MAX_PATTERN}")
        try:
            re.compile(text)
        except re.error as error:
            return Fault(-1 if error.pos is None else error.pos, error.msg)
        except (OverflowError, RecursionError) as error:
            return Fault(-1, str(error))
        except Warning:
            return None  # the consumer decides what a warning means
        return None

    return find


def _jinja_finder() -> Callable[[str], Fault | None]:
    jinja2 = import_extra("jinja2", extra="standard", purpose="Checking templates")
    environment = jinja2.Environment()

    def find(text: str) -> Fault | None:
        try:
            with unforked:  # a lock on its lexers
                environment.parse(text)
        except jinja2.TemplateSyntaxError as error:
            return Fault(-1, str(error.message))
        except RecursionError:
            return Fault(-1, "too deeply nested to be parsed")
        return None

    return find
