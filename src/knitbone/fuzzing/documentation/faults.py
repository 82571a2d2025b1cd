"""Faulty prompt sets as faults of the documentation: one for each sentence that is missing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.documentation.consistency import arguments_of
from knitbone.fuzzing.documentation.oracle import THRESHOLD
from knitbone.fuzzing.documentation.place import documentation_place
from knitbone.fuzzing.documentation.records import (
    Check,
    DocumentationCampaign,
    DocumentationFault,
    SetResult,
    ToolUse,
)
from knitbone.fuzzing.documentation.stated import contradicted_sentence
from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.records import AgentQuery, Campaign, Classification, Finding, ToolUnderTest
from knitbone.fuzzing.sandbox.wire import to_text
from knitbone.record.events import Json

__all__ = ["as_campaign", "faults_of", "is_faulty", "marked_known"]

_STEP = 200
_STEPS = 12
_ID, _FINGERPRINT = 10, 16
"""Hexadecimal digits of a finding's identifier, and of its name in a baseline."""


def is_faulty(result: SetResult, checks: tuple[Check, ...]) -> bool:
    """Whether a set counts: all checks failed, and the documentation does not say what the agent
    disregarded."""
    return result.fails(checks) and not result.documented


def faults_of(
    results: Sequence[SetResult],
    tool: ToolUnderTest,
    *,
    checks: tuple[Check, ...],
    agent: str,
    command: str,
) -> tuple[DocumentationFault, ...]:
    """The faults that the sets show; sets that lack the same sentence show one.

    Args:
        agent: the agent and its model.
        command: what searches this tool again.
    """
    groups: dict[str, list[tuple[int, SetResult]]] = {}
    for number, result in enumerate(results, start=1):
        if is_faulty(result, checks) and result.lack is not None:
            groups.setdefault(_name(tool, result), []).append((number, result))
    return tuple(
        _fault(name, found, tool, agent=agent, command=command) for name, found in groups.items()
    )


def marked_known(found: DocumentationCampaign, campaign: Campaign) -> DocumentationCampaign:
    """The search with the faults marked that a baseline names.

    Args:
        campaign: ``as_campaign`` of the search, marked.
    """
    known = {finding.id for finding in campaign.findings if finding.known}
    faults = tuple(
        msgspec.structs.replace(
            fault, finding=msgspec.structs.replace(fault.finding, known=fault.id in known)
        )
        for fault in found.faults
    )
    return msgspec.structs.replace(found, faults=faults)


def _name(tool: ToolUnderTest, result: SetResult) -> str:
    """By what is lacking of which argument: its forms differ from set to set."""
    lack = result.lack
    kind = "" if lack is None else lack.kind
    # Which forms were met is chance; that the argument's values are not told is the fault.
    kind = "values" if kind in ("form", "limits", "meaning") else kind
    content = json.dumps(["misleading", tool.name, kind, "" if lack is None else lack.argument])
    return hashlib.sha256(content.encode("ascii")).hexdigest()[:_FINGERPRINT]


def _fault(
    name: str,
    found: Sequence[tuple[int, SetResult]],
    tool: ToolUnderTest,
    *,
    agent: str,
    command: str,
) -> DocumentationFault:
    number, first = next(
        (each for each in found if each[1].lack is not None and each[1].lack.kind == "form"),
        found[0],
    )
    lack = first.lack
    assert lack is not None  # noqa: S101 - the caller looked
    verdict = first.verdict("input")
    queries = tuple(prompt.text for prompt in first.set.prompts)
    sentence = contradicted_sentence(tool, first.varies[0]) if first.varies else ""
    finding = Finding(
        id=name[:_ID],
        kind="misleading",
        exception=None,
        frame=documentation_place(tool),
        message=_message(first),
        arguments=_arguments(first),
        call=number,
        count=len(found),
        reproducer=command,
        fingerprint=name,
        classification=Classification(
            verdict="ill-specified" if sentence else "under-specified",
            sentence=printable(sentence, limit=300),
            lack=lack.text,
            judge="prompt sets",
            reason=lack.text,
        ),
        query=_query(first, agent),
        about=lack.argument or lack.kind,
    )
    return DocumentationFault(
        id=finding.id,
        lack=lack,
        sets=tuple(result.set.id for _, result in found),
        varies=first.varies,
        buckets=() if verdict is None else verdict.buckets,
        queries=queries,
        finding=finding,
    )


def _message(result: SetResult) -> str:
    verdict = result.verdict("input")
    asked = len(result.set.prompts)
    if verdict is None or not verdict.failed:
        return f"every call of {asked} prompts that mean the same was refused"
    ways = len(verdict.buckets)
    return f"{asked} prompts that mean the same led to {ways} different calls"


def _arguments(result: SetResult) -> dict[str, Json]:
    """Of a call that failed; of the last one where none did."""
    calls = [call for run in result.runs for call in run.calls]
    failed = [call for call in calls if call.failure]
    return arguments_of((failed or calls)[0 if failed else -1]) if calls else {}


def _query(result: SetResult, agent: str) -> AgentQuery:
    """The prompt whose run went wrong most plainly, with its steps."""
    oracle = result.verdict("oracle")
    worst = min(oracle.ratings, key=lambda each: each.score, default=None) if oracle else None
    place = worst.prompts[0] if worst is not None and worst.prompts else 0
    run = next((each for each in result.runs if each.prompt == place), result.runs[0])
    low = sum(len(r.prompts) for r in oracle.ratings if r.score <= THRESHOLD) if oracle else 0
    return AgentQuery(
        text=run.query,
        agent=agent.partition(" / ")[0],
        model=agent.partition(" / ")[2],
        runs=len(result.runs),
        reproduced=low or len(result.runs),
        steps=tuple(printable(line, limit=_STEP) for line in _steps(run.calls, run.answer)),
    )


def _steps(calls: Sequence[ToolUse], answer: str | None) -> list[str]:
    lines: list[str] = []
    for call in calls[: _STEPS // 2]:
        lines.append(f"call: {call.tool} {to_text(call.arguments)}")
        lines.append(f"tool: {call.output}")
    return [*lines, f"agent: {answer}"]


def as_campaign(found: DocumentationCampaign) -> Campaign:
    """The same in the form that all findings share, for their reports."""
    findings = tuple(fault.finding for fault in found.faults)
    calls = sum(len(run.calls) for result in found.sets for run in result.runs)
    return Campaign(
        tool=found.tool,
        seed=found.seed,
        calls=calls,
        findings=findings,
        rejected=0,
        denied=0,
        minimisation_calls=0,
        chao1=chao1([finding.count for finding in findings]) if found.sets else None,
        stopped=found.stopped,
        confinement=found.confinement,
        spent=found.spent,
        silence=found.silence,
    )
