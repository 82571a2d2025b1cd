"""The answer of a model on its way to its library's validator.

The validator is asked first, so an answer that it accepts costs nothing and stays as it is. What it
refuses is repaired by the schema of the output type, if the call that is under way belongs to a
site of this process that is switched on. What cannot be repaired is refused as before: the library
may ask the model again.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.checks import Check
from knitbone.adaptation.repair.conclusion import conclude
from knitbone.adaptation.repair.engine import judge
from knitbone.adaptation.repair.plan import Group, TextRule
from knitbone.adaptation.repair.structured.typed_output import (
    OutputType,
    RefusedValue,
    output_type_of,
    prepare_typed_output,
)
from knitbone.adaptation.repair.structured.written_call import (
    OutputTool,
    WrittenCall,
    prepare_written_call,
)
from knitbone.adaptation.requirements.records import Evidence, StructuredTemplate
from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.exchange import Exchange, exchange_of, exchanges_under_way
from knitbone.adaptation.runtime.listeners import drop_repairs, tell_repairs
from knitbone.adaptation.runtime.registry import active_site
from knitbone.adaptation.runtime.summary import SUMMARY
from knitbone.common.structured.changes import Path
from knitbone.errors import RequirementViolation

__all__ = ["Validation", "WrittenCall", "call_in_text", "refused_values", "validated"]

_logger = get_logger(__name__)
_Answer = TypeVar("_Answer", str, dict[str, Any])
_MAX_CAUSES = 4
"""Errors behind an error of a library, until one lists what is refused (ours)."""
_KINDS = {"int": "integer", "float": "number", "decimal": "number",
          "literal": "option", "enum": "option"}  # fmt: skip
"""The first words of pydantic's types of errors."""


class Validation(NamedTuple):
    """The validator of one output type, as its library calls it."""

    provider: str
    """As at the sites: ``pydantic-ai``."""
    schema: Mapping[str, Any]
    """What the model is told."""
    wrapper: str = ""
    """The key under which a value that is no object stands."""


def validated(answer: _Answer, validation: Validation, validate: Callable[[_Answer], Any]) -> Any:
    """Return what a library's validator makes of an answer, repaired where it refuses it.

    Raises:
        RequirementViolation: in strict mode, where it refuses it.
        Exception: what the validator raises of an answer that cannot be repaired.
    """
    active = _site_under_way(validation.provider)
    if active is None:
        return validate(answer)
    try:
        made = validate(answer)
    except Exception:
        active.executed += 1
        adapted = _repaired(answer, validation, validate, active)
        if adapted is answer:
            tell_repairs()
            raise
        try:
            made = validate(adapted)
        except Exception:
            drop_repairs()
            raise
        tell_repairs()
        return made
    active.executed += 1
    SUMMARY.count(active.site, "conforming")
    return made


def _site_under_way(provider: str) -> ActiveSite | None:
    """Return the site whose call asked a model of the library last, and has no value yet."""
    for number in exchanges_under_way():
        active = active_site(number)
        if active is not None and active.site.provider == provider:
            active.reached = True
            return active
    return None


def _repaired(
    answer: _Answer,
    validation: Validation,
    validate: Callable[[_Answer], Any],
    active: ActiveSite,
) -> _Answer:
    """Return the answer as the validator accepts it; the same object where that cannot be done."""
    try:
        return _adapted(answer, validation, validate, active)
    except RequirementViolation:
        raise
    except Exception:  # noqa: BLE001 - fail open
        _report_failure(active)
        return answer


def _report_failure(active: ActiveSite) -> None:
    log(_logger, logging.ERROR, "answer not adapted", exc_info=True, site=active.site.location)
    SUMMARY.count(active.site, "failed", reason="the answer of a library was not read")


def _adapted(
    answer: _Answer,
    validation: Validation,
    validate: Callable[[_Answer], Any],
    active: ActiveSite,
) -> _Answer:
    is_text = isinstance(answer, str)
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)

    def read(draft: str) -> Any:
        return validate(cast("_Answer", draft if is_text else json.loads(draft)))

    requirement, check = _prepared(validation, read, active)
    passed = _concluded(text, requirement, check, active)
    if passed is text:
        return answer
    return cast("_Answer", passed if is_text else json.loads(passed))


def call_in_text(
    text: str, tools: Mapping[str, tuple[Validation, Callable[[str], Any]]], *, named: bool
) -> WrittenCall | None:
    """Return the call of an output tool that an answer holds as text; ``None`` where it holds none
    that the tool's validator accepts, repaired or as it stands.

    Args:
        tools: by name, of one library: the output type, and what reads its arguments.
        named: whether the call has to say its name: arguments alone are read as a text.

    Raises:
        RequirementViolation: in strict mode, where there is an object in the answer, and no call.
    """
    if named and not any(f'"{name}"' in text for name in tools):
        return None
    provider = next((each.provider for each, _ in tools.values()), "")
    active = _site_under_way(provider) if provider and "{" in text else None
    if active is None:
        return None
    try:
        prepared = {
            name: OutputTool(*_prepared(validation, read, active))
            for name, (validation, read) in tools.items()
        }
        requirement = next(iter(prepared.values())).requirement
        passed = _concluded(text, requirement, prepare_written_call(prepared, named=named), active)
        tell_repairs()
        return None if passed is text else msgspec.json.decode(passed, type=WrittenCall)
    except RequirementViolation:
        raise
    except Exception:  # noqa: BLE001 - fail open
        _report_failure(active)
        return None


def _prepared(
    validation: Validation, read: Callable[[str], Any], active: ActiveSite
) -> tuple[StructuredTemplate, Check]:
    """Return what an output type requires, and its check."""

    def refuses(draft: str) -> tuple[RefusedValue, ...] | None:
        try:
            read(draft)
        except Exception as error:  # noqa: BLE001 - whatever the validator raises: it refuses
            return tuple(refused_values(error))
        return None

    output, requirement = _read(msgspec.json.encode(validation.schema), validation.wrapper)
    own = next((r for r in active.site.requirements if isinstance(r, StructuredTemplate)), None)
    if own is not None:
        requirement = msgspec.structs.replace(requirement, evidence=own.evidence)
    return requirement, prepare_typed_output(requirement, output, refuses)


def _concluded(text: str, requirement: StructuredTemplate, check: Check, active: ActiveSite) -> str:
    """Return the answer as a check leaves it, and tell what was done."""
    rule = TextRule(requirement, "template discrepancy", check)
    invocation = active.begin(exchange_of(active.number) or Exchange())
    started = time.perf_counter_ns()
    decision = judge(text, (Group(0, (rule,)),), invocation)
    spent = time.perf_counter_ns() - started
    return conclude(text, decision, active.site, invocation, SUMMARY, nanoseconds=spent)


@lru_cache(maxsize=64)
def _read(schema: bytes, wrapper: str) -> tuple[OutputType, StructuredTemplate]:
    """Read an output type off its schema, and say what it requires."""
    output = output_type_of(json.loads(schema), wrapper)
    evidence = Evidence(file="", line=0, expression="the output type")
    shape = output.shape
    return output, StructuredTemplate(
        format="json", shape=shape, parser="", on_violation="raises", evidence=evidence
    )


def refused_values(error: BaseException) -> Iterator[RefusedValue]:
    """Yield the values that an error of pydantic, or one that was raised from it, lists."""
    cause: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        listed: Any = getattr(cause, "errors", None)
        if callable(listed):
            for each in cast("list[dict[str, Any]]", listed()):
                path: Path = tuple(each["loc"])
                yield RefusedValue(path, _KINDS.get(each["type"].partition("_")[0], "other"))  # type: ignore[arg-type]
            return
        cause = None if cause is None else cause.__cause__
