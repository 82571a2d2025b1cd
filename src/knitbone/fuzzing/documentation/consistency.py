"""The checks without a model: are synonymous prompts the same calls, with the same results?

ToolFuzz §4.2, input and output evaluation. Ours: calls are compared as a multiset, so that an agent
that calls twice where another calls once is seen; results that differ for the same input are the
tool's doing, not the documentation's, and are one result here; so are results that differ in the
words of the call alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import cast

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.documentation.canonical import canonical_arguments, normalised
from knitbone.fuzzing.documentation.records import (
    Bucket,
    CheckVerdict,
    Normaliser,
    PromptRun,
    ToolUse,
)
from knitbone.fuzzing.normalise import normalise as without_values
from knitbone.fuzzing.records import ToolUnderTest, json_text
from knitbone.record.events import Json

__all__ = [
    "ComparedRun",
    "arguments_of",
    "check_input",
    "check_output",
    "check_refused",
    "seen_runs",
]

_SHOWN = 400
_ECHO, _LONGEST_ECHO = 2, 1_000
"""Characters of an argument that is looked for in a result."""
_LEAST = 2
"""Runs that can be compared."""
_VARIES = "a result that is another one each time"


class ComparedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What one run did with the tool under test."""

    prompt: int
    calls: tuple[ToolUse, ...]
    inputs: tuple[str, ...]
    """Canonical arguments of the calls, in order."""
    others: tuple[str, ...] = ()
    """Other tools that it called."""

    @property
    def kind(self) -> str:
        return {0: "no call", 1: "one call"}.get(len(self.calls), "several calls")


def seen_runs(runs: Sequence[PromptRun], name: str, tool: ToolUnderTest) -> list[ComparedRun]:
    """The runs that came to an end of their own, with their calls of the tool under test.

    Args:
        name: of the tool under test, as the agent knows it.
    """
    found: list[ComparedRun] = []
    for run in runs:
        if run.stopped in ("failed", "budget"):
            continue
        calls = tuple(call for call in run.calls if call.tool == name)
        inputs = tuple(canonical_arguments(call.arguments, tool.schema) for call in calls)
        others = tuple(dict.fromkeys(call.tool for call in run.calls if call.tool != name))
        found.append(ComparedRun(prompt=run.prompt, calls=calls, inputs=inputs, others=others))
    return found


def check_input(seen: Sequence[ComparedRun]) -> CheckVerdict:
    """Whether the runs made other calls; the order of calls does not matter."""
    if (undecided := _too_few(seen)) is not None:
        return msgspec.structs.replace(undecided, check="input")
    groups: dict[tuple[str, ...], list[ComparedRun]] = {}
    for run in seen:
        groups.setdefault(tuple(sorted(run.inputs)), []).append(run)
    buckets = tuple(
        _bucket(runs, "; ".join(json_text(call.arguments) for call in runs[0].calls))
        for runs in groups.values()
    )
    return CheckVerdict(
        check="input",
        failed=len(buckets) > 1,
        reason="" if len(buckets) > 1 else f"all prompts led to the same: {seen[0].kind}",
        buckets=buckets,
    )


def check_output(
    seen: Sequence[ComparedRun], *, normalise: Collection[Normaliser] = (), unstable: bool = False
) -> CheckVerdict:
    """Whether the tool returned other results for other inputs.

    Args:
        normalise: what results may differ in.
        unstable: the tool gives other results for the same input, so that only whether and how it
            failed is compared.
    """
    if (undecided := _too_few(seen)) is not None:
        return msgspec.structs.replace(undecided, check="output")
    first: dict[tuple[str, ...], ComparedRun] = {}
    groups: dict[tuple[str, ...], list[ComparedRun]] = {}
    for run in seen:
        # Another result for the same input is not the documentation's doing.
        told = first.setdefault(run.inputs, run)
        groups.setdefault(_outputs(told, normalise, unstable=unstable), []).append(run)
    buckets = tuple(
        _bucket(runs, "; ".join(output or "''" for output in outputs))
        for outputs, runs in groups.items()
    )
    reason = "" if len(buckets) > 1 else "all prompts came to the same results"
    if unstable and len(buckets) <= 1:
        reason = "results differ for the same input, so they say nothing of the documentation"
    return CheckVerdict(check="output", failed=len(buckets) > 1, reason=reason, buckets=buckets)


def check_refused(seen: Sequence[ComparedRun]) -> CheckVerdict:
    """Whether the tool refused every call of every run; a run without a call refutes it, too."""
    if (undecided := _too_few(seen)) is not None:
        return msgspec.structs.replace(undecided, check="refused")
    if not all(run.calls and all(call.failure for call in run.calls) for run in seen):
        reason = "a call worked" if any(run.calls for run in seen) else "the tool was never called"
        return CheckVerdict(check="refused", failed=False, reason=reason)
    groups: dict[tuple[str, ...], list[ComparedRun]] = {}
    for run in seen:
        groups.setdefault(tuple(call.failure for call in run.calls), []).append(run)
    buckets = tuple(_bucket(runs, "; ".join(said)) for said, runs in groups.items())
    return CheckVerdict(check="refused", failed=True, buckets=buckets)


def _outputs(
    run: ComparedRun, normalise: Collection[Normaliser], *, unstable: bool
) -> tuple[str, ...]:
    if not unstable:
        return tuple(normalised(_without_echo(call), normalise) for call in run.calls)
    return tuple(
        without_values(call.failure, arguments_of(call)) if call.failure else _VARIES
        for call in run.calls
    )


def _without_echo(call: ToolUse) -> str:
    """A normal output without the texts that the call was given: a tool that only repeats them did
    the same for both. What it refuses stays as it is: two forms that are both refused differ."""
    if call.failure:
        return call.output
    output = call.output
    texts = [v for v in arguments_of(call).values() if isinstance(v, str) and len(v) >= _ECHO]
    for text in sorted(texts, key=len, reverse=True):
        pattern = rf"(?<!\w){re.escape(text.strip()[:_LONGEST_ECHO])}(?!\w)"
        output = re.sub(pattern, "·", output, flags=re.IGNORECASE) if text.strip() else output
    return output


def arguments_of(call: ToolUse) -> dict[str, Json]:
    """The arguments of a call; none where the agent wrote no object."""
    given: Json = call.arguments
    return cast("dict[str, Json]", given) if isinstance(given, dict) else {}


def _too_few(seen: Sequence[ComparedRun]) -> CheckVerdict | None:
    if len(seen) >= _LEAST:
        return None
    came = "1 run came" if len(seen) == 1 else f"{len(seen)} runs came"
    return CheckVerdict(check="input", failed=None, reason=f"only {came} to an end")


def _bucket(runs: Sequence[ComparedRun], text: str) -> Bucket:
    return Bucket(
        kind=runs[0].kind,  # pyright: ignore[reportArgumentType] - one of its three words
        text=printable(text, limit=_SHOWN),
        prompts=tuple(run.prompt for run in runs),
    )
