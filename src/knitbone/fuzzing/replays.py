"""Arguments and findings in files and on the command line: what makes a finding replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from knitbone.errors import InputFormatError
from knitbone.fuzzing.records import CallBefore, Campaign, Finding
from knitbone.record.events import Json

__all__ = ["campaign_record", "finding_file", "read_replay"]

_MARK = "knitbone_finding"
_VERSION = 1


def campaign_record(campaign: Campaign) -> dict[str, Json]:
    """The campaign as the JSON that machines read."""
    return {
        "tool": campaign.tool.name,
        "target": campaign.tool.target,
        "calls": campaign.calls,
        "companion_calls": dict(campaign.companion_calls),
        "calls_per_finding": campaign.calls_per_finding,
        "seed": campaign.seed,
        "rejected": campaign.rejected,
        "rejection": campaign.rejection,
        "denied": campaign.denied,
        "attempts": [msgspec.to_builtins(attempt) for attempt in campaign.attempts],
        "minimisation_calls": campaign.minimisation_calls,
        "normal": campaign.normal,
        "chao1": msgspec.to_builtins(campaign.chao1),
        "stopped": campaign.stopped,
        "confinement": list(campaign.confinement),
        "unmade": list(campaign.tool.unmade),
        "notes": list(campaign.tool.notes),
        "behaviours": list(campaign.behaviours),
        "spent": msgspec.to_builtins(campaign.spent),
        "tool_level": campaign.tool_level,
        "findings": [_finding_record(f) for f in campaign.findings if f.standing == "unhandled"],
        "refused": [_finding_record(f) for f in campaign.findings if f.standing == "refused"],
        "not_run": [_finding_record(finding) for finding in campaign.not_run],
    }


def finding_file(campaign: Campaign, finding: Finding) -> dict[str, Json]:
    """One finding as the record that ``read_replay("@file")`` reads back."""
    return {_MARK: _VERSION, "target": campaign.tool.target, **_finding_record(finding)}


class ReplayCalls(NamedTuple):
    """What to replay."""

    arguments: dict[str, Json]
    before: tuple[CallBefore, ...] = ()
    """Calls that go before it in the same process."""
    id: str | None = None
    """Of the finding, where the file tells it."""


def read_replay(text: str) -> ReplayCalls:
    """Arguments from JSON text, or from ``@file`` (arguments, or a saved finding); a list of
    arguments is a sequence of calls, of which the last is looked at. Before that, a call of another
    tool stands as ``["its name", arguments]``.

    Raises:
        InputFormatError: it is not a JSON object, or a list of such calls.
    """
    source = "--replay"
    if text.startswith("@"):
        source = text[1:]
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputFormatError(
                f"{source} cannot be read: {error}.", next_step="Name a file after the @."
            ) from error
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputFormatError(
            f"The arguments in {source} are not JSON: {error}.",
            next_step='Write them as in --replay \'{"name": "value"}\', or --replay @file.json.',
        ) from error
    calls = cast("list[Any]", value if isinstance(value, list) else [value])
    if not calls or not isinstance(calls[-1], dict) or not all(map(_is_call, calls)):
        raise InputFormatError(
            f"The arguments in {source} are {text[:40]!r}, not a JSON object, and no list of such.",
            next_step='Write them as in --replay \'{"name": "value"}\'.',
        )
    *before, body = calls
    if _MARK in body:
        before = body.get("before", ())
        return ReplayCalls(body["arguments"], tuple(map(_call, before)), body.get("id"))
    return ReplayCalls(body, tuple(map(_call, before)))


def _is_call(value: Any) -> bool:
    """Whether it is an object of arguments, or the name of another tool and such an object."""
    if not isinstance(value, list):
        return isinstance(value, dict)
    parts = cast("list[Any]", value)
    return len(parts) == 2 and isinstance(parts[0], str) and isinstance(parts[1], dict)


def _call(value: Any) -> CallBefore:
    if isinstance(value, dict):
        return cast("dict[str, Json]", value)
    return value[0], value[1]


def _finding_record(finding: Finding) -> dict[str, Json]:
    return cast("dict[str, Json]", msgspec.to_builtins(finding))
