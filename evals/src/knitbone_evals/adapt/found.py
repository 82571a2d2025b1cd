"""What the retriever applications of the seen half share: topics, and entries of other topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from knitbone_evals.adapt.cases import Base
from knitbone_evals.adapt.faults import Fault, Injected, fault

__all__ = ["base_of", "entries_of", "irrelevant_faults"]

Topics = Mapping[str, Sequence[str]]


def entries_of(texts: Sequence[str], everything: Sequence[str]) -> list[dict[str, str]]:
    """The entries of these texts, each with its place among all as its source."""
    return [{"text": text, "source": f"p{everything.index(text) + 1}"} for text in texts]


def base_of(
    topics: Topics, other: Sequence[str], argument: str, results: Callable[[list[Any]], Any]
) -> Callable[[Any, Any], Base]:
    """A ``base``: two to four entries of what is asked for.

    Args:
        argument: the keyword that takes the question.
        results: of entries.
    """
    everything = [text for texts in topics.values() for text in texts] + list(other)

    def base(rng: Any, _pool: Any) -> Base:
        question = rng.choice(list(topics))
        texts = rng.sample(topics[question], rng.randint(2, min(4, len(topics[question]))))
        entries = entries_of(texts, everything)
        return Base(inputs={argument: question}, outputs=tuple(entries), expected=results(entries))

    return base


def irrelevant_faults(topics: Topics, other: Sequence[str], argument: str) -> tuple[Fault, ...]:
    """An entry about something else: of no topic at all, or of another one."""
    everything = [text for texts in topics.values() for text in texts] + list(other)

    def among(base: Base, texts: Sequence[str], rng: Any, where: int) -> Injected | None:
        added = entries_of([rng.choice(list(texts))], everything)
        return Injected(outputs=(*base.outputs[:where], *added, *base.outputs[where:]))

    @fault("irrelevant entry", "context")
    def irrelevant(base: Base, rng: Any) -> Injected | None:
        return among(base, other, rng, rng.randrange(1, len(base.outputs) + 1))

    @fault("irrelevant entry first", "context")
    def first(base: Base, rng: Any) -> Injected | None:
        return among(base, other, rng, 0)

    @fault("entry of another subject", "context")
    def subject(base: Base, rng: Any) -> Injected | None:
        others = [
            text for asked, ts in topics.items() if asked != base.inputs[argument] for text in ts
        ]
        return among(base, others, rng, rng.randrange(len(base.outputs) + 1))

    return irrelevant, first, subject
