"""The code in an answer, without what models put around it: fences, prose, labels, prompts, line
numbers.

Only what stands around the code is removed, and only where what remains is one program; several
different programs are not chosen between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from knitbone.adaptation.repair.syntax.records import Language
from knitbone.adaptation.text.wrappers.fences import CodeBlock, code_blocks
from knitbone.adaptation.text.wrappers.labels import code_end, code_start

__all__ = ["Source", "has_prompts", "has_prose", "is_fenced", "is_inline", "program_sources"]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate for the program in an answer."""

    text: str
    rules: tuple[str, ...] = ()
    """The removals; empty for the answer itself."""
    ended: bool = False
    """Whether the model itself marked the end: the code is not cut off there."""
    marked: bool = False
    """Whether the model itself marked it as code."""


_INLINE = re.compile(r"\s*(`{1,2})([^`]+)\1\s*")
"""A whole answer between backticks."""
_WORDS = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[,.;:!?]?(?:\s|$)")
"""A word of prose, with the mark behind it."""
_LIST = re.compile(r"(?:[-*•]|\d+[.)]|#{1,6})\s+|\*\*")
"""The mark of a list item, a heading, or emphasis."""
_PROSE_END = re.compile(r"[.:!?)…*]\s*$")
"""The end of a line of prose."""
_CODE_WORD = re.compile(
    r"(?:import|from|def|class|return|if|for|while|with|try|print|const|let|var|function|select"
    r"|insert|update|delete|create|alter|drop|where|and|or|order|group|join|values|set)\b"
)
"""Words that begin a line of code in many languages."""
_PROMPTS = (
    ("prompt >>> removed", re.compile(r">>> ?|\.\.\.(?: |$)")),
    ("prompt In [n]: removed", re.compile(r"In \[\d+\]: |\s+\.\.\.: ?")),
    ("prompt $ removed", re.compile(r"\$ ")),
    ("diff marker + removed", re.compile(r"\+ ?")),
    ("quote marker > removed", re.compile(r"> ?")),
)
"""Marks before each line of code: the rule for people, and an expression."""
_NUMBER = re.compile(r"[ \t]*(\d{1,5})(?:[ \t]*[|:.)\u2502][ \t]?|\t| {2})")
"""A line number, with the mark behind it."""


def is_fenced(text: str) -> bool:
    """Return whether the answer begins with a fence: no language begins so, though some can parse
    it."""
    return text.lstrip()[:3] in ("```", "~~~")


def has_prompts(text: str) -> bool:
    """Return whether every line begins with the prompt of a shell."""
    return text.startswith("$ ") and all(
        line.startswith("$ ") for line in text.split("\n") if line.strip()
    )


def is_inline(text: str) -> bool:
    """Return whether the answer is nothing but code between backticks."""
    return text.lstrip().startswith("`") and _INLINE.fullmatch(text) is not None


def has_prose(text: str, language: Language) -> bool:
    """Return whether sentences stand before or behind the code, as paragraphs of their own."""
    return next(_without_prose(text, language), None) is not None


def program_sources(text: str, language: Language, uses: Callable[[str], bool]) -> Iterator[Source]:
    """Yield what may be the program, the most likely first.

    Raises:
        LookupError: the answer holds several programs.
    """
    for source in _candidate_sources(text, language, uses):
        for rule, code in language.unwrap(source.text) if uses("syntax.prompts") else ():
            yield msgspec.structs.replace(source, text=code, rules=(*source.rules, rule))
        yield source


def _candidate_sources(
    text: str, language: Language, uses: Callable[[str], bool]
) -> Iterator[Source]:
    """Yield every way to take the code out of the answer."""
    if uses("syntax.fences"):
        if blocks := code_blocks(text):
            yield _source_of_block(text, blocks, language)
            return
        for rule, code in _marked_code(text, language):
            yield Source(text=code, rules=(rule,), ended=True, marked=True)
    ended = text.endswith("\n")
    if uses("syntax.prompts"):
        for rule, code in _without_prompts(text):
            yield Source(text=code, rules=(rule,), ended=ended, marked=language.takes_prose)
    if uses("syntax.prose") and (language.tells_prose or not language.takes_prose):
        for rule, code, cut in _without_prose(text, language):
            yield Source(text=code, rules=(rule,), ended=ended or cut)
    yield Source(text=text, ended=ended)


def _source_of_block(text: str, blocks: list[CodeBlock], language: Language) -> Source:
    first, last = blocks[0], blocks[-1]
    if not first.closed and not first.tag and text[: first.start].strip():
        # The application's own prompt opened it.
        return Source(text=text[: first.start], rules=("closing fence removed",), ended=True)
    block = _only_program(blocks, language)
    # What follows is part of a block that is not closed.
    outside = text[: first.start].strip() or (block.closed and text[last.end :].strip())
    rule = "code taken out of its fence" + (" and the prose around it" if outside else "")
    marked = language.takes_prose or block.tag in language.tags
    # The last line break is part of a pattern, but not of a program.
    code = block.code.removesuffix("\n") if language.takes_prose else block.code
    return Source(text=code, rules=(rule,), ended=block.closed, marked=marked)


def _only_program(blocks: list[CodeBlock], language: Language) -> CodeBlock:
    """Return the one program among the blocks, of those with the language's tag if there are any.

    Raises:
        LookupError: there is none, or there are several.
    """
    filled = [block for block in blocks if block.code.strip()]
    named = [block for block in filled if block.tag in language.tags]
    chosen = named or [block for block in filled if not block.tag] or filled
    programs = {block.code.strip(): block for block in chosen}
    if len(programs) > 1:
        programs = _latest_definition(programs, language)
    if not programs:
        raise LookupError("the code block is empty")
    if len(programs) > 1:
        raise LookupError(f"the answer holds {len(programs)} blocks of code")
    return next(iter(programs.values()))


def _marked_code(text: str, language: Language) -> Iterator[tuple[str, str]]:
    """Yield code between backticks, or behind a line with nothing but the name of its language."""
    inline = _INLINE.fullmatch(text)
    if inline is not None:
        yield "backticks around the code removed", inline[2]
    first, _, rest = text.lstrip().partition("\n")
    if first.strip().lower() in language.tags and language.statement(rest.partition("\n")[0]):
        yield "name of the language removed", rest


def _latest_definition(programs: dict[str, CodeBlock], language: Language) -> dict[str, CodeBlock]:
    """Return the last block that parses, where it defines again whatever the others define."""
    parsing = {
        code: block for code, block in programs.items() if language.find_fault(block.code) is None
    }
    if len(parsing) < 2:
        return parsing or programs
    *others, last = parsing
    defined = _defined_names(last)
    if all(_defined_names(code) and _defined_names(code) <= defined for code in others):
        return {last: parsing[last]}
    return parsing


_DEFINITION = re.compile(r"^(?:async )?(?:def|class|function|func|fn)\s+(\w+)", re.MULTILINE)
"""The name that a line of code defines."""


def _defined_names(code: str) -> set[str]:
    return set(_DEFINITION.findall(code))


def _without_prompts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the program without the prompts of a shell, or line numbers, and the rule for it."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    if not filled:
        return
    for rule, mark in _PROMPTS:
        if all(mark.match(line) for line in filled):
            # A bare ``+ 1`` is the rest of an expression.
            yield rule, "\n".join(mark.sub("", line, count=1) for line in lines)
    if len(filled) < 2 or not _NUMBER.match(filled[0]):
        return
    numbers = [_NUMBER.match(line) for line in filled]
    if all(numbers):
        values = [int(number[1]) for number in numbers if number]
        if values == list(range(values[0], values[0] + len(values))):
            yield (
                f"line numbers removed from {len(values)} lines",
                "\n".join(_NUMBER.sub("", line, count=1) for line in lines),
            )


def _without_prose(text: str, language: Language) -> Iterator[tuple[str, str, bool]]:
    """Yield the program without sentences before and behind it."""
    end = code_end(text)
    body = text[:end] if end is not None and text[:end].strip() else text
    start = code_start(body)
    if start and language.statement(body[start:].partition("\n")[0]):
        yield "label removed", body[start:], body is not text
    lines = body.split("\n")
    first, last = 0, len(lines)
    while first < last and (not lines[first].strip() or _is_prose(lines[first], language)):
        first += 1
    while last > first and (not lines[last - 1].strip() or _is_prose(lines[last - 1], language)):
        last -= 1
    before = any(line.strip() for line in lines[:first])
    after = any(line.strip() for line in lines[last:]) or body is not text
    if first < last and (before or after) and _are_separate(lines, first, last):
        where = " and ".join(("before",) * before + ("after",) * after)
        yield f"prose {where} the code removed", "\n".join(lines[first:last]) + "\n", after


def _is_prose(line: str, language: Language) -> bool:
    """Return whether a line is a sentence or a heading, and no code."""
    mark = _LIST.match(line)
    rest = line[mark.end() :] if mark else line
    if not mark and not rest[:1].isupper():
        return False  # indented, or the rest of an expression
    if any(rest.count(opener) != rest.count(closer) for opener, closer in ("()", "[]", "{}")):
        return False
    words = len(_WORDS.findall(rest))
    if _CODE_WORD.match(rest) or words < 2 or words * 2 < len(rest.split()):
        return False
    if not _PROSE_END.search(rest) and not mark and words < 4:
        return False
    return not language.statement(line)


def _are_separate(lines: list[str], first: int, last: int) -> bool:
    """Return whether prose and code are separate paragraphs, or a colon announces the code."""
    before = first == 0 or not lines[first - 1].strip() or lines[first - 1].rstrip().endswith(":")
    after = last == len(lines) or not lines[last].strip()
    return before and after
