"""Missing or superfluous braces of blocks, placed by the indentation that the model kept."""

from __future__ import annotations

from collections.abc import Iterator

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import Token
from knitbone.adaptation.repair.syntax.records import Scene

__all__ = ["propose_braces"]


def propose_braces(scene: Scene) -> Iterator[RepairProposal]:
    """Propose a brace that a block lacks, or the removal of one more than there are blocks.

    A block that begins at the end of a line ends with a brace under the first character of that
    line; where the first brace further left stands instead, the block's own is missing before it.
    """
    stack: list[Token] = []
    for token in scene.tokens:
        if token.kind != "bracket" or token.text not in "{}":
            continue
        if token.text == "{":
            stack.append(token)
        elif not stack:
            yield from _remove_superfluous(scene, token)
            return
        elif _starts_line(scene, token) and _opens_block(scene, stack[-1]):
            opener = stack.pop()
            if _indent(scene, token) < _indent(scene, opener):
                position = _end_of_block(scene, opener)
                if position is not None:
                    yield _closing_proposal(scene, opener, position)
                return
        elif _starts_line(scene, token) and scene.line(stack[-1].start) != scene.line(token.start):
            return  # a brace inside a line is open: see ``brackets``
        elif _repeats(scene, token, stack[-1]):
            yield proposal([Edit(token.start, token.end, "")], 'superfluous "}" removed')
            stack.pop()
        else:
            stack.pop()
    if stack:
        yield from _close_at_dedent(scene, stack[-1])


def _closing_proposal(scene: Scene, opener: Token, position: int) -> RepairProposal:
    start, _ = scene.line(opener.start)
    indent = scene.text[start : start + _indent(scene, opener)]
    return proposal([Edit(position, position, f"{indent}}}\n")], 'missing "}" added')


def _close_at_dedent(scene: Scene, opener: Token) -> Iterator[RepairProposal]:
    """Propose the end of a block that is open at the end of the text: before the next line that is
    indented no further."""
    text = scene.text
    rule = 'missing "}" added'
    if not _opens_block(scene, opener):
        end = len(text.rstrip())
        if "\n" not in text[opener.end : end] and text[:end][-1:] in (";", "}"):
            yield proposal([Edit(end, end, " }")], rule, at_end=True)
        return
    position = _end_of_block(scene, opener)
    if position is not None:
        yield _closing_proposal(scene, opener, position)
        return
    indent = _indent(scene, opener)
    end = len(text.rstrip())
    if end > opener.end and text[end - 1] in ";}":
        start, _ = scene.line(opener.start)
        closer = f"\n{text[start : start + indent]}}}"
        yield proposal([Edit(end, end, closer)], rule, at_end=True)


def _end_of_block(scene: Scene, opener: Token) -> int | None:
    """Return the start of the first line under the block's that is indented no further than its
    header; ``None`` where there is none, or where the block would be empty."""
    indent = _indent(scene, opener)
    position = scene.line(opener.start)[1] + 1
    body = False
    while position < len(scene.text):
        start, end = scene.line(position)
        line = scene.text[start:end]
        if line.strip():
            if len(line) - len(line.lstrip(" \t")) <= indent:
                return start if body else None
            body = True
        position = end + 1
    return None


def _remove_superfluous(scene: Scene, token: Token) -> Iterator[RepairProposal]:
    """Propose the removal of one brace too many: at the end, alone on its line, under another
    such."""
    before = scene.text[: token.start].rstrip()
    start, _ = scene.line(token.start)
    if scene.text[start : token.start].strip().endswith("}"):
        yield proposal([Edit(token.start, token.end, "")], 'superfluous "}" removed')
        return
    alone = _starts_line(scene, token) and not scene.text[token.end :].strip()
    if not alone or not before.endswith("}"):
        return
    last = len(before) - 1
    start, _ = scene.line(last)
    indent = scene.text[start:last]
    if not indent.strip() and len(indent) == _indent(scene, token):
        yield proposal([Edit(len(before), token.end, "")], 'superfluous "}" removed')


def _repeats(scene: Scene, token: Token, opener: Token) -> bool:
    """Return whether a brace is the second of ``}}``, which would close a block further left."""
    start, _ = scene.line(token.start)
    return (
        scene.text[start : token.start].strip() == "}"
        and _opens_block(scene, opener)
        and _indent(scene, opener) < _indent(scene, token)
    )


def _starts_line(scene: Scene, token: Token) -> bool:
    start, _ = scene.line(token.start)
    return not scene.text[start : token.start].strip()


def _opens_block(scene: Scene, token: Token) -> bool:
    _, end = scene.line(token.start)
    return not scene.text[token.end : end].strip()


def _indent(scene: Scene, token: Token) -> int:
    start, end = scene.line(token.start)
    line = scene.text[start:end]
    return len(line) - len(line.lstrip(" \t"))
