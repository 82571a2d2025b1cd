"""The check of code fences: find them, write them in the form that the code looks for, prove it.

Content is never touched: only fence lines are written, moved to a line of their own, or re-tagged.

Source: Comfrey §4.3.1 (code-fenced templates).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

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
from knitbone.adaptation.repair.fenced.fence_reader import FenceReader, fence_reader
from knitbone.adaptation.repair.fenced.fenced_blocks import FencedBlock, find_blocks
from knitbone.adaptation.repair.fenced.tags import is_known, is_tag, language_of, same_language
from knitbone.adaptation.repair.fenced.unfenced_code import code_stretch
from knitbone.adaptation.requirements.records import FencedTemplate

__all__ = ["HEURISTICS", "MAX_TEXT", "prepare"]

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
