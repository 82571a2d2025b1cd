"""The check of code fences: find them, write them in the form that the code looks for, prove it.

Content is never touched: only fence lines are written, moved to a line of their own, or re-tagged.

Source: Comfrey §4.3.1 (code-fenced templates).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    RepairRefusal,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.repair.fenced.code_proof import (
    detected_language,
    is_complete,
    is_program,
    is_program_or_mendable,
)
from knitbone.adaptation.requirements.records import FencedTemplate

__all__ = [
    "HEURISTICS",
    "MAX_BLOCKS",
    "MAX_TEXT",
    "is_known",
    "is_tag",
    "language_of",
    "prepare",
    "same_language",
]


# Code in an answer without a fence: the one stretch of lines that is a program.
#
# The answer is read as paragraphs. The code has to be contiguous and proved as a whole, and what
# stands around it must not be code: anything else is ambiguous, and no code is found.

_MAX_PARAGRAPHS = 200
"""Paragraphs of an answer that is searched for code (ours)."""
_MAX_CODE = 30_000
"""Characters of code without a fence; Python's parser takes up to 3 µs for each, is not stopped,
and may be asked three times (measured)."""
_MAX_PROOFS = 40
"""Proofs that one answer may cost (ours)."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LEAD = re.compile(r"[A-Z][^\n{}()\[\]=;]{2,200}:[ \t]*\n")
"""A line that leads to what follows: ``Here is the code:``."""
_PROSE = re.compile(r"[^\W\d_][\w'\u2019,-]*(?: [\w'\u2019`\"(),-]+){3,}")
"""At least four words in a row, as in prose."""
_CODE_MARKS = re.compile(r"[;{}=]|\w\(|^\s*[#/<@]|^ {4}|^\t")
"""Signs of code in a paragraph."""


class CodeStretch(NamedTuple):
    """The code, as offsets into the text."""

    start: int
    end: int
    alone: bool
    """Whether nothing but blanks stands around it."""


def code_stretch(text: str, language: str) -> CodeStretch | None:
    """Find the only stretch of whole lines that is a program of the language.

    ``None`` where there is none, or where it cannot be told apart from what is around it.
    """
    if len(text) > _MAX_CODE:
        return None
    found = _stretch(text, language, is_program)
    return (
        found
        if found is not None or language != "json"
        else _stretch(text, language, is_program_or_mendable)
    )


def _stretch(text: str, language: str, proves: Callable[[str, str], bool]) -> CodeStretch | None:
    """Find the stretch of paragraphs, without prose at both ends, that is proved to be code."""
    if proves(language, text):
        return CodeStretch(0, len(text), alone=True)
    paragraphs = _paragraphs(text)
    if not paragraphs or len(paragraphs) > _MAX_PARAGRAPHS:
        return None
    proofs = 0
    first = 0
    while first < len(paragraphs) and _is_prose(text[slice(*paragraphs[first])]):
        first += 1
    last = len(paragraphs)
    while last > first and _is_prose(text[slice(*paragraphs[last - 1])]):
        last -= 1
    while last > first and proofs < _MAX_PROOFS:
        start, end = paragraphs[first][0], paragraphs[last - 1][1]
        proofs += 1
        if proves(language, text[start:end]):
            return CodeStretch(start, end, alone=False)
        # A paragraph at the end may be prose that does not look like it; one that is code, or
        # holds some, may not be left out.
        if _has_code(text[slice(*paragraphs[last - 1])], language):
            return None
        last -= 1
    return None


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the runs of lines that are not blank; "Here is the code:" directly above code is one
    of its own."""
    found: list[tuple[int, int]] = []
    start = -1
    for line in _LINE.finditer(text):
        if not line.group().strip():
            start = -1
        elif start < 0:
            start = line.start()
            found.append((start, line.end()))
            start = -1 if _LEAD.fullmatch(line.group()) else start
        else:
            found[-1] = (start, line.end())
        if len(found) > _MAX_PARAGRAPHS:
            break
    return found


def _is_prose(paragraph: str) -> bool:
    return all(
        (_PROSE.match(row.strip()[:400]) or row.rstrip().endswith(":"))
        and not _CODE_MARKS.search(row)
        for row in paragraph.split("\n")
        if row.strip()
    )


def _has_code(paragraph: str, language: str) -> bool:
    return bool(_CODE_MARKS.search(paragraph)) or is_program(language, paragraph)


# The consumer's way of finding a fenced block: its own expression, or one that does the same.


class FenceReader(NamedTuple):
    """The consumer's reader of fenced blocks."""

    reader: Reader
    own: bool
    """Whether it is the application's own expression."""

    def accepts(self, text: str) -> bool:
        """Return whether the code finds a block with content."""
        return any(any(part.strip() for part in record) for record in self.reader.read(text))

    def finds(self, text: str, contents: list[str]) -> bool:
        """Return whether everything that the code finds is one of the contents."""
        wanted = {self.reader.transform(content).strip() for content in contents}
        records = self.reader.read(text)
        return bool(records) and all(
            any(_content_of(part) in wanted for part in record) for record in records
        )


def _content_of(part: str) -> str:
    """Return the content of what the code takes of a block, where it takes the fences with it."""
    stripped = part.strip()
    if stripped.startswith(("```", "~~~")) and stripped.endswith(stripped[:3]):
        stripped = stripped.partition("\n")[2][:-3].strip()
    return stripped


def fence_reader(template: FencedTemplate) -> FenceReader:
    """Return the template's own reader, or an equal one for code that cuts the text at the
    marks."""
    if template.reader is not None:
        return FenceReader(template.reader, own=True)
    mark = re.escape(template.mark)
    named = "|".join(re.escape(tag) for tag in template.languages if tag)
    if not template.languages:
        tags = r"[\w+#-]+"
    elif template.languages == ("",):
        # Code that cuts at a bare mark may well take a tag off in a way that was not seen.
        tags = r"[\w+#-]*"
    else:
        tags = f"(?:{named})" + ("?" if "" in template.languages else "")
    pattern = rf"{mark}{tags}[^\S\n]*\n(.*?){mark}"
    return FenceReader(
        Reader(kind="regex", method="finditer", pattern=pattern, flags=int(re.DOTALL)), own=False
    )


# Language tags behind an opening fence, and the tags that mean the same language: ``py``,
# ``python``.
#
# Source: Comfrey §4.3.1 ("unifying the language identifier (e.g., python and py)").

_ALIASES = (
    ("python", "py", "python3", "py3", "python2", "pycon", "ipython", "python-repl"),
    ("javascript", "js", "node", "nodejs", "mjs", "ecmascript"),
    ("typescript", "ts"),
    ("bash", "sh", "shell", "zsh", "shellscript", "shell-script"),
    ("json", "json5", "jsonc", "application/json"),
    ("jsonl", "ndjson", "jsonlines"),
    ("yaml", "yml"),
    ("markdown", "md"),
    ("html", "htm", "html5", "xhtml"),
    ("sql", "sqlite", "sqlite3", "postgresql", "postgres", "psql", "mysql", "tsql", "plsql"),
    ("cpp", "c++", "cxx", "cc"),
    ("csharp", "c#", "cs"),
    ("rust", "rs"),
    ("go", "golang"),
    ("ruby", "rb"),
    ("kotlin", "kt"),
    ("powershell", "ps1", "pwsh"),
    ("dockerfile", "docker"),
    ("latex", "tex"),
    ("plaintext", "text", "txt", "plain"),
    ("dot", "graphviz", "gv"),
    ("terraform", "hcl", "tf"),
    ("makefile", "make"),
)
_OTHERS = (
    "c java css scss php perl r scala swift lua xml toml csv tsv ini cfg conf cypher graphql gql "
    "mermaid diff patch output console log regex matlab haskell elixir erlang clojure vue svelte "
    "jsx tsx svg sparql http proto julia dart solidity nginx objective-c fsharp ocaml lisp scheme "
    "assembly asm vb vba groovy gradle puml plantuml bibtex rst jinja jinja2 handlebars env"
)
_LANGUAGE = {alias: names[0] for names in _ALIASES for alias in names}
_OTHER_NAMES = frozenset(_OTHERS.split())
_INFO = re.compile(
    r"\{?\s*\.?(?P<tag>[\w+#/-]{1,32})\}?(?:[\s:,]\s*(?:[\w.-]+=.*|\{(?!\s*[\"'{\[]).*|[\w./-]+\.\w+|\.\w.*)\}?)?"
)
"""A tag, and attributes as Markdown tools write them: ``title=a.py``, ``{linenos}``; no JSON."""
_TAG = re.compile(r"[\w+#-]{1,32}")


def tag_in(info: str) -> str:
    """Return the tag in the text behind an opening fence: ``python`` of ``{.python .numberLines}``.

    All of the text where it is not a tag with attributes; empty where there is nothing.
    """
    match = _INFO.fullmatch(info[:200])
    return match["tag"] if match else info


def is_tag(tag: str) -> bool:
    """Return whether a tag is one word, and not code that stands in the line of the fence."""
    return _TAG.fullmatch(tag) is not None


def is_known(tag: str) -> bool:
    """Return whether a tag is the name of a language, and not a word of the content."""
    return tag.casefold() in _LANGUAGE or tag.casefold() in _OTHER_NAMES


def language_of(tag: str) -> str:
    """Return the language that a tag names; empty for no tag."""
    folded = tag.casefold()
    return _LANGUAGE.get(folded, folded)


def same_language(tag: str, accepted: tuple[str, ...]) -> str | None:
    """Return the accepted tag that names the language of ``tag``: itself, or else the first;
    ``None``: none."""
    if tag in accepted:
        return tag
    language = language_of(tag)
    return next((each for each in accepted if each and language_of(each) == language), None)


# The fenced blocks of a text, with fences that Markdown would not accept.
#
# The lines are read once. Unlike in CommonMark, a fence with a tag opens a block even where another
# one is open: a model that writes a second tag forgot to close the first.

MAX_BLOCKS = 256
"""Blocks that are looked at; an answer with more is not repaired (ours)."""
_WHOLE_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(
    r"(?P<lead>[ \t]{0,16}(?:(?:[-*+>]|[0-9]{1,3}[.)])[ \t]{1,8})?)(?P<mark>`{3,}|~{3,})"
)
_ENDING = re.compile(r"[^`]```$")


class FencedBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One fenced block; positions are offsets into the text."""

    start: int
    """Start of the mark of the opening fence."""
    mark: str
    tag: str
    """The tag as written; empty where there is none."""
    inside: int
    """Start of the content."""
    end: int
    """End of the content, which is the start of the closing fence's line."""
    after: int
    """Behind the closing mark; ``end`` where there is none."""
    closed: bool
    """Blanks in front of the closing mark."""
    inline: bool = False
    """Whether a fence shares its line with the content."""


def find_blocks(text: str) -> list[FencedBlock] | None:
    """Find the blocks in order; ``None`` where there are more than ``MAX_BLOCKS``."""
    found: list[FencedBlock] = []
    opened: FencedBlock | None = None
    for line in _WHOLE_LINE.finditer(text):
        row = line.group().rstrip("\r\n")
        fence = _FENCE.match(row)
        if fence is None:
            # The closing mark may stand at the end of the last line of code.
            if opened is not None and opened.mark == "```" and _ENDING.search(row):
                found.append(_close(opened, line.start() + len(row) - 3, 3, inline=True))
                opened = None
            continue
        position, mark = line.start() + fence.start("mark"), fence["mark"]
        info = row[fence.end() :].strip()
        if opened is not None and mark[0] == opened.mark[0] and not info:
            if len(mark) >= len(opened.mark):
                lead = fence["lead"] if not fence["lead"].strip() else ""
                end = line.start() if lead == fence["lead"] else position
                found.append(_close(opened, end, len(mark), lead))
                opened = None
            continue
        if opened is not None:
            if mark[0] != opened.mark[0] or language_of(opened.tag) == "markdown":
                continue  # content of the open block
            found.append(unclosed(opened, line.start()))
        opened = _open(position, mark, info, line.end())
        if opened.inline:
            found.append(_one_line_block(opened, text, line.start() + len(row)))
            opened = None
        if len(found) > MAX_BLOCKS:
            return None
    if opened is not None:
        found.append(unclosed(opened, len(text)))
    return found


def unclosed(block: FencedBlock, end: int) -> FencedBlock:
    """Return the block as one without a closing fence, whose content ends there."""
    return msgspec.structs.replace(block, end=end, after=end, closed=False)


def _open(position: int, mark: str, info: str, end: int) -> FencedBlock:
    inline = "```" in info and mark == "```"
    return FencedBlock(
        start=position,
        mark=mark,
        tag=tag_in(info),
        inside=end,
        end=end,
        after=end,
        closed=False,
        inline=inline,
    )


def _close(
    block: FencedBlock, position: int, length: int, lead: str = "", *, inline: bool = False
) -> FencedBlock:
    return msgspec.structs.replace(
        block,
        end=position,
        after=position + len(lead) + length,
        closed=True,
        inline=inline,
    )


def _one_line_block(block: FencedBlock, text: str, end: int) -> FencedBlock:
    """Return a block on one line: the tag is its first word, the content what follows up to the
    mark."""
    inside = block.start + len(block.mark)
    close = text.index("```", inside, end)
    tag, blank, code = text[inside:close].partition(" ")
    if not (blank and code.strip() and is_known(tag)):
        tag = ""
    inside += len(tag) + len(blank if tag else "")
    return msgspec.structs.replace(
        block, tag=tag, inside=inside, end=close, after=close + 3, closed=True
    )


HEURISTICS = ("fenced.tag", "fenced.close", "fenced.open", "fenced.wrap", "fenced.mark")
MAX_TEXT = 500_000
"""Characters of an answer that is repaired; a longer one is passed on with a record (ours)."""
_MARK = re.compile(r"`{3,}|~{3,}")
_PARTIAL = re.compile(r"\n(?:`{1,2}|~{1,2})[ \t]{0,8}$")
_ITEM = re.compile(r"[ \t]*(?:[-*+>]|[0-9]{1,3}[.)])[ \t]+")


def prepare(requirement: FencedTemplate) -> Check | None:
    """Compile the template into a check; ``None`` for marks other than three backticks or
    tildes."""
    if requirement.mark not in ("```", "~~~"):
        return None
    reader = fence_reader(requirement)

    @FunctionCheck
    def check(text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        invocation.deadline.check()
        if reader.accepts(text):
            return conforming(text)
        if requirement.optional and not _MARK.search(text):
            return conforming(text)
        return _repair(text, requirement, reader, invocation)

    return check


class _Form(msgspec.Struct, frozen=True, kw_only=True):
    """The form that a block is to have: offsets of its content, and the tag to write."""

    start: int
    inside: int
    end: int
    after: int
    tag: str
    rules: tuple[str, ...] = ()


def _repair(
    text: str, template: FencedTemplate, reader: FenceReader, invocation: Invocation
) -> Verdict:
    """Detect where the fences are, write them as the code looks for them, verify."""
    try:
        blocks = find_blocks(text)
        if blocks is None:
            raise RepairRefusal("too many code fences")
        if not blocks:
            forms = [_wrap_bare_code(text, template, invocation)]
        elif len(blocks) == 1 and _is_end(text, blocks[0]):
            forms = [_open_block(text, blocks[0], template, invocation)]
        else:
            forms = _block_forms(text, blocks, template, invocation)
    except RepairRefusal as refusal:
        return refused(text, str(refusal))
    invocation.deadline.check()
    candidate = _write(text, forms, template.mark)
    contents = [text[form.inside : form.end] for form in forms]
    if not reader.finds(candidate, contents):
        return refused(text, "with its fences repaired, the code would not find the content")
    rules = tuple(dict.fromkeys(rule for form in forms for rule in form.rules))
    edits = sum(max(len(form.rules), 1) for form in forms)
    return repaired(candidate, *(rules or ("fence line rewritten",)), edits=edits)


def _is_end(text: str, block: FencedBlock) -> bool:
    """Return whether the only fence is a closing one: code stands before it, and nothing behind
    it."""
    return (
        not block.closed
        and not block.tag
        and bool(text[: block.start].strip())
        and not text[block.inside : block.end].strip()
    )


def _wrap_bare_code(text: str, template: FencedTemplate, invocation: Invocation) -> _Form:
    """Return the form of an answer without fences: all of it, or one contiguous stretch, is
    code."""
    if not invocation.uses("fenced.wrap"):
        raise RepairRefusal("there is no code fence")
    tag, start, end, alone = _find_bare_code(text, text, template, invocation)
    rule = "bare code wrapped in a fence" if alone else "code in prose wrapped in a fence"
    return _Form(start=start, inside=start, end=end, after=end, tag=tag, rules=(rule,))


def _open_block(
    text: str, block: FencedBlock, template: FencedTemplate, invocation: Invocation
) -> _Form:
    """Return the form of an answer that has the closing fence only."""
    if not invocation.uses("fenced.open"):
        raise RepairRefusal("the opening fence is missing")
    tag, start, end, _ = _find_bare_code(text, text[: block.start], template, invocation)
    if text[end : block.start].strip():
        raise RepairRefusal("text stands between the code and its closing fence")
    return _Form(
        start=start,
        inside=start,
        end=end,
        after=block.start + len(block.mark),
        tag=tag,
        rules=("opening fence added",),
    )


def _find_bare_code(
    text: str, part: str, template: FencedTemplate, invocation: Invocation
) -> tuple[str, int, int, bool]:
    """Return tag, start and end of code without an opening fence, and whether it is alone."""
    languages = template.languages or ("python", "json", "sql", "html")
    for tag in languages:
        named = [language_of(tag)] if tag else ["python", "json", "sql", "html"]
        for language in named:
            invocation.deadline.check()
            stretch = code_stretch(part, language)
            if stretch is None:
                continue
            code = part[stretch.start : stretch.end]
            known = part[: stretch.start] + " ".join(said.text for said in invocation.messages)
            # A closing fence behind it says that it is complete.
            if part is text and not is_complete(language, code, known=known, is_proved=True):
                raise RepairRefusal("the code may be cut off")
            return tag, stretch.start, stretch.end, stretch.alone
    raise RepairRefusal("there is no code fence, and no code that stands apart from the prose")


def _block_forms(
    text: str, blocks: list[FencedBlock], template: FencedTemplate, invocation: Invocation
) -> list[_Form]:
    """Return the blocks that the code is meant to find, in the form that it looks for."""
    blocks = [block for block in blocks if text[block.inside : block.end].strip()]
    tags = _tags(text, blocks, template, invocation)
    forms: list[_Form] = []
    for block, tag in zip(blocks, tags, strict=True):
        if tag is None:
            continue
        end, after, rules = block.end, block.after, list[str]()
        if not block.closed:
            end, after = _content_end(text, block, tag, invocation)
            rules.append("closing fence added")
        if tag != block.tag:
            rules.append(f"tag {block.tag[:16]!r} -> {tag!r}" if tag else "tag removed")
        if block.mark != template.mark:
            if not invocation.uses("fenced.mark") or template.mark in text[block.inside : end]:
                raise RepairRefusal(f"the fence is written {block.mark[:8]}")
            rules.append(f"{block.mark[:8]} -> {template.mark}")
        forms.append(
            _Form(
                start=block.start,
                inside=block.inside,
                end=end,
                after=after,
                tag=tag,
                rules=tuple(rules),
            )
        )
    if not forms:
        raise RepairRefusal("no code fence holds the language that the code looks for")
    return forms


def _tags(
    text: str, blocks: list[FencedBlock], template: FencedTemplate, invocation: Invocation
) -> list[str | None]:
    """Return the tag that each block is to have; ``None`` for blocks that are something else."""
    accepted = template.languages
    tags = [_tag(block, accepted) for block in blocks]
    if any(tag is not None for tag in tags):
        changed = any(tag not in (None, b.tag) for tag, b in zip(tags, blocks, strict=True))
        if changed and not invocation.uses("fenced.tag"):
            raise RepairRefusal("the tag of the code fence is not the one that the code looks for")
        return tags
    untagged = [index for index, block in enumerate(blocks) if not block.tag]
    if not invocation.uses("fenced.tag"):
        untagged = []
    proofs: dict[int, str] = {}
    for index in untagged:
        invocation.deadline.check()
        content = text[blocks[index].inside : blocks[index].end]
        proofs[index] = _proved_tag(content, accepted, alone=len(blocks) == 1)
    if untagged and not any(proofs.values()):
        proofs = _mendable_tags(text, blocks, untagged, accepted, invocation)
    found = {index: tag for index, tag in proofs.items() if tag}
    if len(found) > 1:
        raise RepairRefusal("several code fences without a tag may be meant")
    return [found.get(index) for index in range(len(blocks))]


def _proved_tag(content: str, accepted: Sequence[str], *, alone: bool) -> str:
    """Return the tag that a block without one is proved to need; empty where nothing proves it.

    Args:
        alone: whether it is the only block of the answer.
    """
    named = [tag for tag in accepted if tag]
    if not named:
        return detected_language(content)
    shown = next((tag for tag in named if is_program(language_of(tag), content)), "")
    if not shown and alone and not _provable(named) and not detected_language(content):
        return named[0]  # no proof applies
    return shown


def _mendable_tags(
    text: str,
    blocks: list[FencedBlock],
    untagged: list[int],
    accepted: tuple[str, ...],
    invocation: Invocation,
) -> dict[int, str]:
    """Return the blocks that hold JSON with slips, with its tag, where nothing is proved."""
    tag = next((tag for tag in accepted if tag and language_of(tag) == "json"), "")
    contents = ((index, text[blocks[index].inside : blocks[index].end]) for index in untagged)
    pause = invocation.deadline.check
    return {
        index: tag
        for index, content in contents
        if tag and is_program_or_mendable("json", content, pause)
    }


def _provable(tags: list[str]) -> bool:
    return any(language_of(tag) in ("python", "json", "sql", "html", "xml") for tag in tags)


def _tag(block: FencedBlock, accepted: tuple[str, ...]) -> str | None:
    if block.tag and not is_tag(block.tag):
        return None  # code in the line of the fence
    if not accepted:
        return block.tag or None
    if not block.tag:
        return "" if "" in accepted else None
    named = same_language(block.tag, accepted)
    return "" if named is None and accepted == ("",) and is_known(block.tag) else named


def _content_end(
    text: str, block: FencedBlock, tag: str, invocation: Invocation
) -> tuple[int, int]:
    """Return where the content of an unclosed block ends, and where the text goes on."""
    if not invocation.uses("fenced.close"):
        raise RepairRefusal("the code fence is not closed")
    language = language_of(block.tag or tag)
    content = text[block.inside : block.end]
    known = text[: block.start] + " ".join(said.text for said in invocation.messages)
    # The closing fence itself was cut off: what stands before it is all there.
    partial = _PARTIAL.search(content)
    if partial is not None and is_complete(
        language, content[: partial.start() + 1], pause=invocation.deadline.check
    ):
        return block.inside + partial.start() + 1, block.end
    if is_complete(language, content, known=known, pause=invocation.deadline.check):
        return block.end, block.end
    stretch = code_stretch(content, language)
    if stretch is not None and not content[: stretch.start].strip() and not stretch.alone:
        end = block.inside + stretch.end
        return end, end
    raise RepairRefusal("the code fence is not closed, and the code in it may be cut off")


def _write(text: str, forms: list[_Form], mark: str) -> str:
    """Return the text with each block replaced by its form."""
    pieces: list[str] = []
    position = 0
    for form in forms:
        before, content = text[position : form.start], text[form.inside : form.end]
        row = before.rpartition("\n")[2]
        # A fence may stand behind blanks or the mark of a list item, but not behind words.
        lead = "" if not row.strip() or _ITEM.fullmatch(row[-24:]) else "\n"
        end = "" if content.endswith("\n") else "\n"
        ended = form.after > form.end and text[form.after : form.after + 1] in ("", "\r", "\n")
        behind = "" if ended or form.after >= len(text) else "\n"
        pieces += [before, lead, mark, form.tag, "\n", content, end, mark, behind]
        position = form.after
    return "".join((*pieces, text[position:]))
