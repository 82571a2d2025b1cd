"""A call of an output tool that a model wrote as text, where the library waits for the call itself.

Models without a parser of calls before them write ``{"name": ..., "arguments": {...}}`` into their
answer, in a fence, in tags or in doubled braces; or the arguments alone. The call is taken where it
is the one document of the answer, names a tool that ends the run, and the output type accepts its
arguments. Calls of tools that do something are never taken: nobody knows whether one was meant.

Source: Comfrey §4.3.1 (structured templates); which texts are calls is ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    refused,
    repaired,
)
from knitbone.adaptation.repair.structured.json import MAX_TEXT, prepare_json
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.adaptation.text.wrappers.remarks import may_take_back
from knitbone.common.structured.shape import Field, Shape

__all__ = ["OutputTool", "WrittenCall", "prepare_written_call"]


class WrittenCall(msgspec.Struct):
    """A call, as models write it; its arguments as they stand there."""

    name: str
    arguments: msgspec.Raw


class _CallWithParameters(msgspec.Struct):
    """The same in the words of another family of models."""

    name: str
    parameters: msgspec.Raw


class OutputTool(NamedTuple):
    """A tool whose call ends a run, and the check of its arguments."""

    requirement: StructuredTemplate
    check: Check


def prepare_written_call(tools: Mapping[str, OutputTool], *, named: bool) -> Check:
    """Build the check that makes a call, ``{"name": ..., "arguments": {...}}``, of an answer.

    Args:
        named: whether the call has to say its name.
    """
    requirement = next(iter(tools.values())).requirement
    outlines = [_outline(requirement, key) for key in ("arguments", "parameters")]

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if len(text) > MAX_TEXT:
            return refused(text, f"the answer has more than {MAX_TEXT} characters")
        if may_take_back(text[: text.find("{")] + " " + text[text.rfind("}") + 1 :]):
            return refused(text, "the words beside the call may take it back")
        called = next(filter(None, (_called(text, each, invocation) for each in outlines)), None)
        if called is None and (named or len(tools) > 1):
            return refused(text, "no call of an output tool is written in the answer")
        name, arguments = called or (next(iter(tools)), text)
        if name not in tools:
            return refused(text, f"the call is of {name!r}, which is no output tool")
        verdict = tools[name].check(arguments, invocation)
        if verdict.disposition not in ("conforming", "repaired"):
            return refused(text, verdict.reason)
        if not _is_filled(verdict.text):
            return refused(text, "the answer holds no arguments")
        written = f'{{"name": {json.dumps(name)}, "arguments": {verdict.text}}}'
        rule = f"text -> call of {name}"
        return repaired(written, rule, *verdict.rules, edits=verdict.edits + 1)

    return check


def _outline(requirement: StructuredTemplate, key: str) -> Check:
    """Return the check of a call whose arguments stand under a key."""
    fields = (
        Field(name="name", shape=Shape(type="string"), required=True),
        Field(name=key, shape=Shape(type="object"), required=True),
    )
    shape = Shape(type="object", fields=fields)
    check = prepare_json(msgspec.structs.replace(requirement, shape=shape, parser=""))
    assert check is not None  # noqa: S101 - JSON can always be checked
    return check


def _called(text: str, outline: Check, invocation: Invocation) -> tuple[str, str] | None:
    """Return the name and the arguments of the one call that is written; ``None``: there is
    none."""
    verdict = outline(text, invocation)
    if verdict.disposition not in ("conforming", "repaired"):
        return None
    try:
        call = msgspec.json.decode(verdict.text, type=WrittenCall)
        return call.name, bytes(call.arguments).decode()
    except msgspec.ValidationError:
        other = msgspec.json.decode(verdict.text, type=_CallWithParameters)
        return other.name, bytes(other.parameters).decode()


def _is_filled(arguments: str) -> bool:
    """Return whether a text is an object with anything in it."""
    try:
        return bool(msgspec.json.decode(arguments, type=dict[str, msgspec.Raw]))
    except msgspec.DecodeError:
        return False
