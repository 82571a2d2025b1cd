"""One tool under knitbone's fuzzer, in a process of its own; the report goes to standard output.

The process loads neither the tool, which only the sandbox does, nor the descriptions of its fault
(see ``planted.registry``). What knitbone finds is told in the baseline's words.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from knitbone.config import FuzzConfig
from knitbone.fuzzing.engine import fuzz
from knitbone.fuzzing.records import (
    CallFinished,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    Finding,
    FindingFound,
    ToolUnderTest,
)
from knitbone.fuzzing.sandbox.worker import DIRECTORY_TOKEN
from knitbone_evals.fuzz.calling import Failure, is_own, is_refusal, returned_error
from knitbone_evals.fuzz.reports import Found, Report, Task

__all__ = ["GENERATORS", "failure_of", "run"]

_LONGEST_ARGUMENTS = 400
_KINDS = {
    "returned": "returned text",
    "output_type": "output type",
    # The baseline sees these three as the exceptions that they begin as.
    "exit": "raised",
    "memory": "raised",
    "disk": "raised",
}
_REFUSED = re.compile(r"\[Errno 13\]")
"""The sandbox, or so it may be: the baseline runs without one, as a user who may do everything."""
_EXCEPTIONS = {"exit": "SystemExit", "memory": "MemoryError", "disk": "OSError"}


def _schema_generator(tool: ToolUnderTest, seed: int, paths: Sequence[str]) -> Any:
    from knitbone.fuzzing.generate.schema import SchemaGenerator  # noqa: PLC0415 - one choice only

    return SchemaGenerator(tool, seed=seed, paths=paths)


GENERATORS: dict[str, Callable[..., Any] | None] = {"taint": None, "schema": _schema_generator}
"""``taint`` is what users get; ``schema`` looks at nothing but the arguments' types and text."""


def failure_of(finding: Finding) -> Failure:
    """A finding in the words that the baseline uses, under the baseline's rule of what is one."""
    kind = _KINDS.get(finding.kind, finding.kind)
    if kind in ("raised", "returned text") and _REFUSED.search(finding.message):
        return msgspec.structs.replace(_failure_of(finding, kind), key="")
    return _failure_of(finding, kind)


def _failure_of(finding: Finding, kind: str) -> Failure:
    name = finding.exception or _EXCEPTIONS.get(finding.kind, "")
    function, line = "", 0
    if finding.frame is not None and is_own(finding.frame.file):
        function, line = finding.frame.function, finding.frame.line
    if kind == "returned text":
        same = returned_error(_in_place(finding.message), _in_place(finding.arguments))
        key = "" if same is None else same.key
    elif kind == "raised":
        short = name.rpartition(".")[2]
        key = "" if is_refusal(short, function) else f"{short} in {function}:{line}"
    else:
        key = kind
    exceptions = (name,) if kind == "raised" else ()
    # A message may hold what no encoder takes.
    text = finding.message.encode("utf-8", "backslashreplace").decode()
    return Failure(kind, exceptions, function, line, text, key)


def _in_place(value: Any) -> Any:
    """With a path for the sandbox's token, whose braces are read as a value by the common rule."""
    return json.loads(json.dumps(value).replace(DIRECTORY_TOKEN, "/sandbox"))


def run(task: Task) -> Report:
    """Fuzz the tool with the calls and the seed that the task tells."""
    config = FuzzConfig(call_timeout_s=task.timeout)
    campaign: Campaign | None = None
    begin, end = 0.0, 0.0
    moments: dict[int, float] = {}
    first: dict[str, dict[str, Any]] = {}
    for event in fuzz(
        task.target,
        calls=task.calls,
        seed=task.seed,
        config=config,
        files=Path(task.files) if task.files else None,
        allow_hosts=task.allow_hosts,
        generator=GENERATORS[task.generator or "taint"],
    ):
        if isinstance(event, CampaignStarted):
            begin = time.monotonic()
        elif isinstance(event, CallFinished):
            moments[event.call] = end = time.monotonic() - begin
        elif isinstance(event, FindingFound):
            first[event.finding.id] = event.finding.arguments
        elif isinstance(event, CampaignFinished):
            campaign = event.campaign
    assert campaign is not None
    meets = Draft202012Validator(campaign.tool.schema).is_valid
    return Report(
        target=task.target,
        calls=campaign.calls,
        rejected=campaign.rejected,
        denied=campaign.denied,
        extra_calls=campaign.minimisation_calls,
        seconds=round(end, 3),
        findings=tuple(
            _found(finding, moments, meets(first.get(finding.id, finding.arguments)))
            for finding in _all_wordings(campaign)
        ),
    )


def _all_wordings(campaign: Campaign) -> Iterator[Finding]:
    """Whatever failed in other words, by ToolFuzz's counting: every wording of each reason, what is
    refused on purpose, and what was not run for want of something."""
    for finding in (*campaign.findings, *campaign.not_run):
        yield finding
        for variant in finding.variants:
            yield msgspec.structs.replace(
                finding,
                id=variant.id,
                kind=variant.kind,
                exception=variant.exception,
                frame=variant.frame,
                message=variant.message,
                arguments=variant.arguments,
                call=variant.call,
                count=variant.count,
                replays=None,
            )


def _standing(finding: Finding) -> str:
    """Announced failures, and ignored ones, count as little as refused ones."""
    is_failure = finding.standing != "unhandled" or finding.counts
    return finding.standing if is_failure else "refused"


def _found(finding: Finding, moments: dict[int, float], conforming: bool) -> Found:
    return Found(
        failure=failure_of(finding),
        call=finding.call,
        arguments=ascii(finding.arguments)[:_LONGEST_ARGUMENTS],
        count=finding.count,
        seconds=round(moments.get(finding.call, 0.0), 3),
        replays=finding.replays,
        conforming=conforming,
        reproducer=finding.reproducer,
        standing=_standing(finding),
    )


def main() -> None:
    """Read a task from the argument, write the report to what was standard output."""
    task = msgspec.json.decode(sys.argv[1], type=Task)
    output = os.dup(1)
    os.dup2(2, 1)
    os.write(output, msgspec.json.encode(run(task)))


if __name__ == "__main__":
    main()
