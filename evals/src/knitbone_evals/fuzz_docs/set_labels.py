"""What a person says of prompt sets, without seeing what the checks said (ToolFuzz, App. G).

Ten sets a tool are drawn by a seed. A label is an annotation of a run that holds what the labeller
was shown: queries, calls, results and answers. From labels and verdicts come the false discovery
rate (the share of accused sets that the person holds for sound) and Cohen's kappa.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any, cast

import msgspec

from knitbone.errors import StoreError
from knitbone.fuzzing.documentation.faults import is_faulty
from knitbone.fuzzing.documentation.records import (
    CHECKS,
    REFUSED_ALIKE,
    Check,
    DocumentationCampaign,
    SetResult,
)
from knitbone.record.events import Annotation, Event, Message, Outcome, Run, ToolCall
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.redaction import Redactor
from knitbone.record.store import RunStore

__all__ = [
    "RULES",
    "SAMPLE",
    "Agreement",
    "agreement_of",
    "agreements",
    "kappa",
    "labels_of",
    "run_of_set",
    "sampled_sets",
    "save_label",
    "verdict_of",
]

SAMPLE = 10
"""ToolFuzz, App. G: sets that are labelled of one tool."""
_KIND = "knitbone.documentation"
_Z = NormalDist().inv_cdf(0.975)

Rule = tuple[Check, ...]
RULES: dict[str, Rule] = {
    "cascade": CHECKS,
    "calls and results (CC)": ("input", "output"),
    "oracle (LLM)": ("oracle",),
    "refused alike": REFUSED_ALIKE,
    "calls": ("input",),
    "results": ("output",),
}
"""What is compared with the labels; a rule of checks that were not made says nothing of a set."""
_OF_OURS = (CHECKS, REFUSED_ALIKE)
"""Rules that do not accuse a documentation which names the form."""


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far the verdicts of a rule agree with labels."""

    rule: str
    labelled: int
    """Sets that have a label and that the rule decides."""
    accused: int
    wrongly: int
    """Accused sets that are labelled sound."""
    fdr: float | None
    """``wrongly`` by ``accused``; ``None`` where nothing is accused."""
    fdr_low: float | None = None
    fdr_high: float | None = None
    """The 95 % interval (Wilson)."""
    kappa: float | None = None
    """Cohen's; ``None`` where label or verdict is the same for all sets."""


def sampled_sets(
    campaign: DocumentationCampaign, *, number: int = SAMPLE, seed: int = 0
) -> tuple[SetResult, ...]:
    """The sets of one tool to be labelled, in the order in which they are shown."""
    chance = random.Random(f"{seed} {campaign.tool.target}")
    sets = list(campaign.sets)
    return tuple(chance.sample(sets, min(number, len(sets))))


def run_of_set(campaign: DocumentationCampaign, result: SetResult) -> Run:
    """A set as a run: what a labeller is shown, and nothing of the verdicts."""
    events: list[Event] = []

    def name(place: int, what: str) -> str:
        return f"{result.set.id}-{place}-{what}"

    for run in result.runs:
        query = Message(id=name(run.prompt, "query"), role="user", content=run.query)
        events.append(query)
        for number, call in enumerate(run.calls):
            events.append(
                ToolCall(
                    id=name(run.prompt, f"call-{number}"),
                    parent=query.id,
                    name=call.tool,
                    arguments=call.arguments,
                    result=call.output,
                    error=call.error,
                )
            )
        said = run.answer if run.answer is not None else f"no answer: {run.error or run.stopped}"
        events.append(Outcome(id=name(run.prompt, "answer"), reason=said))
    identifier = _run_id(campaign, result)
    run = Run(
        id=identifier,
        name=f"prompt set of {campaign.tool.name}",
        task=result.set.template.text,
        attributes={_KIND: campaign.tool.target},
        events=tuple(events),
    )
    # Without secrets, and without what no store can hold; the identifier is ours and stays.
    return msgspec.structs.replace(Redactor().record(run), id=identifier)


def _run_id(campaign: DocumentationCampaign, result: SetResult) -> str:
    """The same for the same set with the same runs."""
    shown = msgspec.json.encode([ascii(campaign.tool.target), result.set.id, _shown(result)])
    return hashlib.sha256(shown).hexdigest()[:32]


def _shown(result: SetResult) -> list[Any]:
    return [ascii([run.query, run.calls, run.answer]) for run in result.runs]


def save_label(
    store: RunStore,
    campaign: DocumentationCampaign,
    result: SetResult,
    *,
    faulty: bool,
    labeller: str,
) -> Annotation:
    """Keep what a person said of a set.

    Raises:
        StoreError: the store cannot be written.
    """
    run = run_of_set(campaign, result)
    try:
        store.get(run.id)
    except StoreError:
        store.put(run)
    label = Annotation(
        id=new_identifier(),
        run=run.id,
        kind="label",
        body={
            "of": _KIND,
            "target": campaign.tool.target,
            "set": result.set.id,
            "faulty": faulty,
            "labeller": labeller,
        },
        created_ns=now_ns(),
    )
    store.annotate(label)
    return label


def labels_of(
    store: RunStore, campaign: DocumentationCampaign, *, labeller: str | None = None
) -> dict[str, bool]:
    """What was said of each set, by its identifier; the latest label counts.

    Args:
        labeller: whose labels; anybody's if not given.
    """
    found: dict[str, tuple[int, bool]] = {}
    for result in campaign.sets:
        for label in _annotations(store, _run_id(campaign, result)):
            body = cast("dict[str, Any]", label.body)
            mine = labeller is None or body.get("labeller") == labeller
            if body.get("of") == _KIND and mine:
                at = found.get(result.set.id, (-1, False))[0]
                if label.created_ns >= at:
                    found[result.set.id] = (label.created_ns, bool(body.get("faulty")))
    return {name: faulty for name, (_, faulty) in found.items()}


def _annotations(store: RunStore, run: str) -> Iterator[Annotation]:
    try:
        yield from store.annotations(run)
    except StoreError:
        return  # not labelled yet


def agreements(
    labelled: Sequence[tuple[DocumentationCampaign, Mapping[str, bool]]],
) -> tuple[Agreement, ...]:
    """How far each rule agrees with the labels of several tools, on the same runs."""
    rows: list[Agreement] = []
    for rule, checks in RULES.items():
        pairs = [
            (verdict, label)
            for campaign, labels in labelled
            for result in campaign.sets
            if (label := labels.get(result.set.id)) is not None
            and (verdict := verdict_of(result, checks)) is not None
        ]
        if pairs:
            rows.append(agreement_of(rule, pairs))
    return tuple(rows)


def verdict_of(result: SetResult, checks: Rule) -> bool | None:
    """Whether one of ``RULES`` accuses a set; ``None`` where it comes to no verdict."""
    if not _decides(result, checks):
        return None
    return is_faulty(result, checks) if checks in _OF_OURS else result.fails(checks)


def _decides(result: SetResult, checks: Rule) -> bool:
    """Whether a rule comes to a verdict: a check that passes decides, whatever the others say."""
    verdicts = [result.verdict(check) for check in checks]
    if any(verdict is not None and verdict.failed is False for verdict in verdicts):
        return True
    if result.documented and checks in _OF_OURS:
        return True
    return all(verdict is not None and verdict.failed is not None for verdict in verdicts)


def agreement_of(rule: str, pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """The figures of one rule.

    Args:
        pairs: verdict and label of each set; true is faulty.
    """
    accused = sum(verdict for verdict, _ in pairs)
    wrongly = sum(verdict and not label for verdict, label in pairs)
    low, high = _wilson(wrongly, accused)
    return Agreement(
        rule=rule,
        labelled=len(pairs),
        accused=accused,
        wrongly=wrongly,
        fdr=wrongly / accused if accused else None,
        fdr_low=low,
        fdr_high=high,
        kappa=kappa(pairs),
    )


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of two raters (Cohen 1960); ``None`` where chance alone explains all of it."""
    if not pairs:
        return None
    number = len(pairs)
    observed = sum(one == other for one, other in pairs) / number
    first = sum(one for one, _ in pairs) / number
    second = sum(other for _, other in pairs) / number
    expected = first * second + (1 - first) * (1 - second)
    return None if math.isclose(expected, 1) else (observed - expected) / (1 - expected)


def _wilson(hits: int, of: int) -> tuple[float | None, float | None]:
    """The 95 % interval of a share (Wilson 1927)."""
    if not of:
        return None, None
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)
