"""The choice among several small repairs: the one that is the only likely program.

Nothing decides where a bracket or a quote goes by where it usually goes: all places are tried, and
the programs that come out are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, apply_edits
from knitbone.adaptation.repair.syntax.lexer import CLOSER_OF, Token
from knitbone.adaptation.repair.syntax.records import Language, ProgramShape, Scene

__all__ = ["statement_start", "unique_repair"]


def statement_start(tokens: list[Token], opener: Token, *, before: int | None = None) -> int:
    """Return the start of the line on which no bracket was open yet.

    Args:
        opener: what the statement holds.
        before: the statement's own start, where the one before it is asked for.
    """
    level = 0
    start = 0
    for token in tokens:
        if token.start >= opener.start:
            break
        if token.kind == "bracket":
            level = level + 1 if token.text in CLOSER_OF else max(level - 1, 0)
        elif token.kind == "newline" and level == 0 and token.end != before:
            start = token.end
    return start


def unique_repair(
    language: Language,
    scene: Scene,
    candidates: Sequence[RepairProposal],
    start: int,
    end: int,
    *,
    openers: Sequence[RepairProposal] = (),
    lone: Sequence[RepairProposal] = (),
) -> Iterator[RepairProposal]:
    """Yield the candidate whose program is the only one that somebody would write.

    An opener stands before what it encloses: what was written first is what was meant, and the
    closers were miscounted. So no tuple or list is made up where a closer can go, ``f((a, b))`` of
    ``f(a, b))``; but a parenthesis may change what an operator applies to, and then nothing is
    sure.

    Args:
        start: of the statement that the candidates change.
        openers: candidates that add an opener.
        lone: what only speaks against the others.
    """
    if not language.line_statements:
        start, end = 0, len(scene.text)
        # A syntax tree costs far more than the consumer's parser, which refuses most of them.
        candidates, openers, lone = (
            _parsing_proposals(language, scene, proposals)
            for proposals in (candidates, openers, lone)
        )
        accepted = [*candidates, *openers, *lone]
        if len(accepted) <= 1:
            yield from (x for x in accepted if x.rule)
            return

    def programs(
        proposals: Sequence[RepairProposal],
    ) -> Iterator[tuple[ProgramShape, RepairProposal]]:
        """Yield the programs that parse, each with its proposal."""
        for proposed in proposals:
            scene.invocation.deadline.check()
            edits = [Edit(e.start - start, e.end - start, e.new) for e in proposed.edits]
            statement = apply_edits(scene.text[start:end], edits)
            before, after = language.enclose(statement, 0, len(statement))
            shape = language.shape(before + statement + after)
            if shape is not None:
                yield shape, proposed

    firm = [*programs(candidates)]
    displays = min((shape.displays for shape, _ in firm), default=None)
    weak = [x for x in programs(openers) if displays is None or x[0].displays <= displays]
    # Of edits to the same program the last: at the end of a run, or the removal.
    found = {shape.tree: (shape.oddity, x) for shape, x in (*weak, *firm, *programs(lone))}
    least = min((oddity for oddity, _ in found.values()), default=0)
    if least and language.line_statements:
        return  # a statement by itself, and none that somebody would write
    plausible = [x for oddity, x in found.values() if oddity == least]
    if len(plausible) == 1 and plausible[0].rule:
        yield plausible[0]


def _parsing_proposals(
    language: Language, scene: Scene, proposals: Sequence[RepairProposal]
) -> list[RepairProposal]:
    found: list[RepairProposal] = []
    for proposed in proposals:
        scene.invocation.deadline.check()
        if language.find_fault(apply_edits(scene.text, proposed.edits)) is None:
            found.append(proposed)
    return found
