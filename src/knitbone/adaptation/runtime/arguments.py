"""Checks of a tool call's arguments: what the code reads, and the schema of the tool that is
called.

The call that brings an answer passes the tools that the model may call, with a schema each; beside
the arguments stands the name of the tool. Both are seen while the application runs, so it does not
matter how they were written. Where the name is not known, the schemas are alternatives; where no
schema is known, only what the code reads is demanded.

Source: Comfrey §4.3.1; the providers' tool definitions (OpenAI, Anthropic, Bedrock, Ollama).
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from knitbone.adaptation.consumers.focus import focus_check
from knitbone.adaptation.repair.checks import FunctionCheck, Invocation, Verdict, refused
from knitbone.adaptation.repair.plan import CheckPlan, Group, TextRule
from knitbone.adaptation.repair.structured.arguments import Demands, prepare_arguments
from knitbone.adaptation.requirements.applied_regexes import schema_patterns
from knitbone.adaptation.requirements.records import Evidence, Shape, StructuredTemplate
from knitbone.adaptation.requirements.schema_shapes import shape_of_schema
from knitbone.adaptation.requirements.schema_simplification import simplify_schema
from knitbone.adaptation.requirements.sites import ARGUMENTS, Site
from knitbone.adaptation.runtime.messages import ToolOffer
from knitbone.adaptation.runtime.values.texts import fields_of
from knitbone.config import AdaptConfig

__all__ = ["CallChecks", "adapt_object"]

MAX_TOOLS = 256
"""Tools of one call that are looked at; providers accept 128 (ours)."""
_SCHEMAS = ("parameters", "input_schema", "inputSchema")
MAX_KEPT = 256
"""Compiled schemas that a site keeps; applications that make tools at run time have more (ours)."""
MAX_SCHEMA = 1_000_000
"""Bytes of the schemas of one check (ours)."""


class CallChecks:
    """The checks of a site where arguments of tool calls arrive.

    Args:
        plan: what the code demands of them.
    """

    def __init__(self, site: Site, plan: CheckPlan, config: AdaptConfig) -> None:
        self._site = site
        self._plan = plan
        self._config = config
        self._asks_schemas = "structured" not in config.without
        self._kept: dict[tuple[str, bytes], CheckPlan] = {}

    def load(self) -> None:
        """Load the schema compiler, and what watches the tools, ahead of the first call."""
        self._compiled({"": {"type": "object"}}, self._site.location)
        importlib.import_module("knitbone.adaptation.runtime.tools").load_ahead(self._config)

    def plan_of(self, value: Any, holder: Any, offer: ToolOffer | None) -> CheckPlan:
        """Choose the checks of one call.

        Args:
            holder: the object of which the arguments are a field; ``None``: not known.
            offer: the tools that the model was told; ``None``: not known.
        """
        if offer is None or not self._asks_schemas:
            return self._plan
        schemas = _schemas(offer.tools, _name_beside(value, holder))
        if not schemas:
            return self._plan
        try:
            key = (offer.place, msgspec.json.encode(schemas))
        except (TypeError, ValueError, RecursionError):
            return self._plan  # not plain data: no provider could be told it either
        if len(key[1]) > MAX_SCHEMA:
            return self._plan
        found = self._kept.get(key)
        if found is None:
            found = self._compiled(schemas, offer.place)
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found

    def _compiled(self, schemas: Mapping[str, Mapping[str, Any]], place: str) -> CheckPlan:
        rules = [_rule(name, schema, self._site, place) for name, schema in schemas.items()]
        known = [rule for rule in rules if rule is not None]
        if len(known) < len(rules):
            return self._plan  # one that cannot be checked may be the one that is meant
        rule = known[0] if len(known) == 1 else _one_of(known)
        patterns = dict.fromkeys(schema_patterns(list(schemas.values())))
        return self._plan.beside(Group(0, (rule,)), patterns)


def adapt_object(value: dict[str, Any], adapt: Callable[[str], str]) -> dict[str, Any]:
    """Adapt arguments that the SDK has parsed, as the JSON text that they were.

    Returns:
        the same object where nothing changed.

    Raises:
        RequirementViolation: what ``adapt`` raises in strict mode.
    """
    try:
        text = json.dumps(value)
        if json.loads(text) != value:
            return value  # not what a parser gives: keys that are numbers, tuples
    except (TypeError, ValueError, RecursionError):
        return value
    adapted = adapt(text)
    return value if adapted is text else json.loads(adapted)


def _schemas(tools: list[Any] | tuple[Any, ...], name: str | None) -> dict[str, Mapping[str, Any]]:
    """Return the schema of each named tool; only that of the called one, where its name is
    known."""
    found: dict[str, Mapping[str, Any]] = {}
    for tool in tools[:MAX_TOOLS]:
        told = fields_of(tool)
        for key in ("function", "toolSpec"):
            if key in told:
                told = fields_of(told[key])
        own = told.get("name")
        if not isinstance(own, str) or (name is not None and own != name):
            continue
        schema = fields_of(next((told[key] for key in _SCHEMAS if told.get(key)), None))
        found[own] = fields_of(schema.get("json", schema)) if "inputSchema" in told else schema
        if name is not None:
            break
    return found


def _name_beside(value: Any, holder: Any) -> str | None:
    """Return the name of the called tool, where the arguments are a field of the object that holds
    it."""
    fields = fields_of(holder)
    name = fields.get("name")
    beside = any(fields.get(key) is value for key in ARGUMENTS)
    return name if beside and isinstance(name, str) else None


def _rule(name: str, schema: Mapping[str, Any], site: Site, place: str) -> TextRule | None:
    """Compile a schema into a check; ``None`` where the code reads something else than JSON."""
    read = [r for r in site.requirements if isinstance(r, StructuredTemplate)]
    own = next((r for r in read if r.format == "json"), None)
    if read and own is None:
        return None
    plain = simplify_schema(schema)
    file, _, line = place.rpartition(":")
    expression = f"the schema of the tool {name}"
    requirement = StructuredTemplate(
        format="json",
        shape=shape_of_schema(plain),
        parser=own.parser if own is not None else "json.loads",
        steps=own.steps if own is not None else (),
        on_violation="raises",
        evidence=Evidence(file=file, line=int(line), expression=expression),
    )
    check = focus_check(prepare_arguments(requirement, _demands(plain)), requirement.steps)
    return None if check is None else TextRule(requirement, "template discrepancy", check)


def _demands(schema: Mapping[str, Any]) -> Demands:
    """Return what a plain schema demands beyond its shape; an argument itself may be left out
    where it is null."""
    known: Mapping[str, Any] = schema.get("properties", {})
    needed = schema.get("required", ())
    absent = {name for name, inner in known.items() if name not in needed and _not_null(inner)}
    return _deep(schema)._replace(absent=frozenset(absent))


def _deep(schema: Mapping[str, Any]) -> Demands:
    properties: Mapping[str, Any] = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False
    below = ((name, _deep(inner)) for name, inner in properties.items())
    items = _deep(schema["items"]) if "items" in schema else Demands()
    return Demands(
        closed=closed,
        names=frozenset(properties) if closed else frozenset(),
        below=tuple((name, inner) for name, inner in below if inner != Demands()),
        items=items if items != Demands() else None,
    )


def _not_null(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema forbids null."""
    said = "type" in schema or "enum" in schema
    return said and "null" not in schema.get("type", ()) and None not in schema.get("enum", ())


def _one_of(rules: list[TextRule]) -> TextRule:
    """Combine the checks of several tools: one that accepts the arguments is enough.

    Else the repair with the fewest edits is taken, where only one has so few.
    """

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        repairs: list[Verdict] = []
        reason = ""
        for rule in rules:
            invocation.deadline.check()
            verdict = rule.check(text, invocation)
            if verdict.disposition == "conforming":
                return verdict
            if verdict.disposition == "repaired":
                repairs.append(verdict)
            reason = reason or verdict.reason
        if not repairs:
            return refused(text, reason or "no tool takes these arguments")
        nearest = min(repairs, key=lambda one: one.edits)
        if any(one.edits == nearest.edits and one.text != nearest.text for one in repairs):
            return refused(text, "the arguments are as near to those of several tools")
        return nearest

    own = rules[0].requirement
    evidence = msgspec.structs.replace(own.evidence, expression="the schemas of the tools")
    requirement = msgspec.structs.replace(own, shape=Shape(type="object"), evidence=evidence)
    return rules[0]._replace(requirement=requirement, check=check)
