"""Runs in the peers' environment: a line of JSON in, a line of JSON out. Imports nothing of ours.

In: ``{"peer": ..., "form": "json" | "xml" | "numbered" | "bullets", "text": ..., "schema": ...}``.
Out: ``{"text": ...}`` what the peer makes of the answer, written as the consumer reads it; the text
itself where the peer reads in it what a plain parser reads; ``null`` where it gives up.
``{"versions": true}`` asks for the libraries' versions.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import sys
from functools import lru_cache
from typing import Any

# A benchmark reports to nobody.
os.environ["OTEL_SDK_DISABLED"] = "true"
os.environ["GUARDRAILS_RUN_SYNC"] = "true"

PEERS = {
    "json-repair": "json-repair",
    "LangChain parsers": "langchain-core",
    "guardrails": "guardrails-ai",
    "instructor": "instructor",
}


def main() -> None:
    """Answer until the input ends."""
    # What a library prints must not get between our lines.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        said = versions() if "versions" in asked else {"text": answer(asked)}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


def versions() -> dict[str, str]:
    """The peers that are installed here."""
    found: dict[str, str] = {}
    for peer, distribution in PEERS.items():
        try:
            found[peer] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def answer(asked: dict[str, Any]) -> str | None:
    """What a peer makes of a text; whatever it raises means that it gives up."""
    try:
        return _ASK[asked["peer"]](asked["text"], asked["form"], asked.get("schema"))
    except Exception:  # noqa: BLE001 - a peer's failure is a result
        return None


def _json_repair(text: str, _form: str, _schema: Any) -> str | None:
    import json_repair  # noqa: PLC0415 - each peer loads its own

    return _as_json(text, json_repair.loads(text))


def _langchain(text: str, form: str, _schema: Any) -> str | None:
    from langchain_core import output_parsers  # noqa: PLC0415 - each peer loads its own
    from langchain_core.utils.json import parse_json_markdown  # noqa: PLC0415 - each peer loads its own

    if form == "json":
        return _as_json(text, parse_json_markdown(text))
    if form == "xml":
        return _as_xml(text, output_parsers.XMLOutputParser())
    if form == "numbered":
        items = output_parsers.NumberedListOutputParser().parse(text)
        return _as_list(text, [f"{number}. {item}" for number, item in enumerate(items, 1)])
    items = output_parsers.MarkdownListOutputParser().parse(text)
    return _as_list(text, [f"- {item}" for item in items])


def _instructor(text: str, _form: str, _schema: Any) -> str | None:
    from instructor.v2.core.json import extract_json_from_codeblock  # noqa: PLC0415

    found = extract_json_from_codeblock(text)
    return text if found == text.strip() else found


def _guardrails(text: str, _form: str, schema: Any) -> str | None:
    outcome = _guard(json.dumps(schema)).parse(text, num_reasks=0)
    if outcome.validated_output is None:
        return None
    return _as_json(text, _without_defaults(outcome.validated_output, text))


def _without_defaults(value: Any, text: str) -> Any:
    """Optional keys that the answer does not have are null in what the library gives; they stay
    away."""
    if isinstance(value, list):
        return [_without_defaults(each, text) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_defaults(each, text)
        for key, each in value.items()
        if each is not None or f'"{key}"' in text
    }


@lru_cache(maxsize=32)
def _guard(schema: str) -> Any:
    from guardrails import Guard  # noqa: PLC0415 - each peer loads its own

    return Guard.for_pydantic(_type_of(json.loads(schema), "Answer"))


def _type_of(schema: dict[str, Any], name: str) -> Any:
    """A pydantic type of a JSON schema, as a user of the library would write it."""
    from pydantic import ConfigDict, create_model  # noqa: PLC0415 - each peer loads its own

    plain = {"string": str, "integer": int, "number": float, "boolean": bool}
    kind = schema.get("type", "object" if "properties" in schema else "")
    if kind == "array":
        found: Any = list[_type_of(schema.get("items", {}), name + "Item")]
    elif kind == "object" and schema.get("properties"):
        required = schema.get("required", [])
        fields: dict[str, Any] = {}
        for key, inner in schema["properties"].items():
            inner_type = _type_of(inner, f"{name}_{key}")
            fields[key] = (inner_type, ...) if key in required else (inner_type | None, None)
        # Keys that the code does not read are passed on, as they are without the library.
        found = create_model(name, __config__=ConfigDict(extra="allow"), **fields)
    else:
        found = plain.get(kind, Any)
    return found | None if schema.get("nullable") and found is not Any else found


def _as_json(text: str, value: Any) -> str | None:
    if value == "" or value is None:
        return None
    try:
        same = json.loads(text) == value
    except ValueError:
        same = False
    return text if same else json.dumps(value, ensure_ascii=False)


def _as_xml(text: str, parser: Any) -> str | None:
    """The document that the parser reads, where it can read one."""
    parser.parse(text)
    fenced = re.search(r"```(?:xml)?(.*)```", text, re.DOTALL)
    return fenced.group(1).strip() if fenced else text


def _as_list(text: str, lines: list[str]) -> str | None:
    if not lines:
        return None
    there = {line.strip() for line in text.split("\n")}
    return text if all(line.strip() in there for line in lines) else "\n".join(lines)


_ASK = {
    "json-repair": _json_repair,
    "LangChain parsers": _langchain,
    "guardrails": _guardrails,
    "instructor": _instructor,
}

if __name__ == "__main__":
    main()
