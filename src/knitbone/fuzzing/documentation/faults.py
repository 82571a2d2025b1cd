"""Faulty prompt sets as faults of the documentation: one for each sentence that is missing."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from knitbone.common.printable import printable
from knitbone.common.source import parse_source
from knitbone.fuzzing.documentation.consistency import arguments_of
from knitbone.fuzzing.documentation.documented_values import contradicted_sentence
from knitbone.fuzzing.documentation.oracle import THRESHOLD
from knitbone.fuzzing.documentation.records import (
    Check,
    DocumentationCampaign,
    DocumentationFault,
    SetResult,
    ToolUse,
)
from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.records import (
    AgentQuery,
    Campaign,
    Classification,
    Finding,
    StackFrame,
    ToolUnderTest,
    json_text,
)
from knitbone.record.events import Json

__all__ = ["as_campaign", "documentation_place", "faults_of", "is_faulty", "marked_known"]


# Where a tool's documentation stands in its source: what a report for code scanning points at.

_SHORTEST = 8
"""Characters of a text that is taken for a part of the documentation; shorter ones are anywhere."""
_LARGEST = 1_000_000
"""Bytes of a file that is read; what is larger is generated."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Candidate(NamedTuple):
    is_named: bool
    """It stands in a function or class of the tool's name."""
    length: int
    """Characters of the documentation that stand here."""
    line: int
    function: str


def documentation_place(tool: ToolUnderTest) -> StackFrame | None:
    """The line on which the documentation begins, else the tool's function.

    ``None`` where neither stands in the tool's own files: a server's tool, a text that is put
    together when the program runs.
    """
    for file in tool.roots:
        path = Path(file)
        text = "" if file.endswith(("/", "\\")) else _read(path)
        found = max(_candidates(text, tool), default=None, key=lambda each: each[:2])
        if found is not None:
            return StackFrame(
                file=file,
                line=found.line,
                source=text.splitlines()[found.line - 1].strip(),
                function=found.function,
            )
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _LARGEST else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _candidates(text: str, tool: ToolUnderTest) -> Iterator[_Candidate]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            tree = parse_source(text)
        except (SyntaxError, ValueError, RecursionError):
            return
    names: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        name = node.name if isinstance(node, _FUNCTIONS) else names.get(node, "")
        for child in ast.iter_child_nodes(node):
            names[child] = name
        if isinstance(node, _FUNCTIONS) and node.name == tool.name:
            yield _Candidate(True, 0, node.lineno, node.name)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            part = inspect.cleandoc(node.value).strip()
            if len(part) >= _SHORTEST and part in tool.documentation:
                is_named = names.get(node) == tool.name
                yield _Candidate(is_named, len(part), node.lineno, names.get(node, ""))


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
        lines.append(f"call: {call.tool} {json_text(call.arguments)}")
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
