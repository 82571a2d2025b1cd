"""Schemas of tools, and how arguments are judged by them."""

from knitbone.adaptation.testing import (
    CallChecks,
    CheckPlan,
    Evidence,
    Invocation,
    Site,
    StructuredTemplate,
    ToolOffer,
    judge,
)
from knitbone.config import AdaptConfig

__all__ = ["CLOCK", "CLOSED", "NEVER", "ORDER", "SITE", "WEATHER", "ZONE",
           "plan_of", "run", "schema", "text_of", "tool"]  # fmt: skip

EVIDENCE = Evidence(file="app.py", line=9, expression="json.loads(call.function.arguments)")
CODE = StructuredTemplate(format="json", parser="json.loads", evidence=EVIDENCE)
SITE = Site(
    file="app.py",
    line=9,
    column=4,
    end_line=9,
    end_column=30,
    function="run",
    expression="call.function.arguments",
    origin="client.chat.completions.create",
    origin_file="app.py",
    origin_line=3,
    origin_end_line=3,
    form="arguments",
    confidence="high",
    requirements=(CODE,),
)


def text_of(kind, **more):
    return {"type": kind, **more}


def schema(required, optional=None, **more):
    properties = {**required, **(optional or {})}
    return text_of("object", properties=properties, required=list(required), **more)


WEATHER = schema(
    {"city": text_of("string"), "days": text_of("integer")},
    {
        "unit": text_of("string", enum=["celsius", "fahrenheit"]),
        "verbose": text_of("boolean"),
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "more": {},
    },
)
ORDER = {
    "$defs": {
        "Item": schema({"sku": text_of("string"), "count": text_of("integer")}),
        "Speed": text_of("string", enum=["slow", "express"]),
    },
    **schema(
        {"items": text_of("array", items={"$ref": "#/$defs/Item"})},
        {"speed": {"$ref": "#/$defs/Speed"}, "address": schema({"street": text_of("string")})},
    ),
}
CLOCK = text_of("object", properties={})
ZONE = schema({}, {"zone": text_of("string")})
CLOSED = schema(
    {"city": text_of("string")}, {"days": text_of("integer")}, additionalProperties=False
)
NEVER = text_of("object", properties={}, additionalProperties=False)


def tool(told, name="tool"):
    return {"type": "function", "function": {"name": name, "parameters": told}}


def plan_of(tools, text, name="tool", *, site=SITE, config=None):
    config = config or AdaptConfig(budget_ms=60_000)
    holder = None if name is None else {"name": name, "arguments": text}
    calls = CallChecks(site, CheckPlan(site, config), config)
    return calls.plan_of(text, holder, ToolOffer(tools, "app.py:3"))


def run(text, told, *, without=(), mode="repair"):
    config = AdaptConfig(budget_ms=60_000, without=without, mode=mode)
    return judge(text, plan_of([tool(told)], text, config=config).groups, Invocation(config))
