"""Asks the peers' environment what its libraries make of an answer."""

from __future__ import annotations

import atexit
import json
import subprocess
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from knitbone.adaptation.testing import ParserSyntax, PositionalTemplate, Site, StructuredTemplate
from knitbone.common.structured.shape import Shape
from knitbone_evals.adapt.cases import AppSpec
from knitbone_evals.adapt.treatments import Repair, Treatment, with_peer

__all__ = ["LIBRARIES", "form_of", "peer_versions", "peers", "schema_of"]

WORKER = Path(__file__).with_name("worker.py")
LIBRARIES = {
    "json-repair": ("json",),
    "LangChain parsers": ("json", "xml", "numbered", "bullets"),
    "guardrails": ("json",),
    "instructor": ("json",),
}
"""The libraries, and the forms of answers that each has something for."""


def peers(python: str) -> dict[str, Treatment]:
    """A treatment for each library that the interpreter ``python`` has."""
    return {name: with_peer(partial(_at_site, python, name)) for name in peer_versions(python)}


def peer_versions(python: str) -> dict[str, str]:
    """The libraries that are there, with their versions.

    Raises:
        FileNotFoundError: there is no such interpreter.
    """
    found: dict[str, str] = _ask(python, {"versions": True})
    return found


def _at_site(python: str, name: str, site: Site, _spec: AppSpec) -> Repair | None:
    form, shape = form_of(site)
    if form not in LIBRARIES[name]:
        return None
    schema = schema_of(shape)
    if name == "guardrails" and "properties" not in schema and "items" not in schema:
        return None  # it validates against a schema, and the code has none

    def repair(text: str) -> str | None:
        asked = {"peer": name, "form": form, "text": text, "schema": schema}
        made: str | None = _ask(python, asked)["text"]
        return made

    return repair


def form_of(site: Site) -> tuple[str, Shape]:
    """Which form of answer the site's code reads, as far as the libraries have a word for it."""
    for requirement in site.requirements:
        if isinstance(requirement, StructuredTemplate):
            return requirement.format, requirement.shape
        if isinstance(requirement, ParserSyntax) and requirement.language == "json":
            return "json", Shape()
        if isinstance(requirement, PositionalTemplate):
            marker = requirement.marker
            return {"number": "numbered", "bullet": "bullets"}.get(marker, marker), Shape()
    return "", Shape()


def schema_of(shape: Shape) -> dict[str, Any]:
    """What the code demands, as JSON schema."""
    schema: dict[str, Any] = {} if shape.type in ("any", "date") else {"type": shape.type}
    if shape.fields:
        schema["type"] = "object"
        schema["properties"] = {each.name: schema_of(each.shape) for each in shape.fields}
        schema["required"] = [each.name for each in shape.fields if each.required]
    if shape.items is not None:
        schema["items"] = schema_of(shape.items)
    if shape.nullable:
        schema["nullable"] = True
    return schema


@lru_cache(maxsize=2)
def _worker(python: str) -> Callable[[dict[str, Any]], Any]:
    process = subprocess.Popen(
        [python, str(WORKER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    atexit.register(process.terminate)
    told, heard = process.stdin, process.stdout
    if told is None or heard is None:
        raise RuntimeError("the worker has no pipes")

    def ask(asked: dict[str, Any]) -> Any:
        told.write(json.dumps(asked) + "\n")
        told.flush()
        return json.loads(heard.readline())

    return ask


def _ask(python: str, asked: dict[str, Any]) -> Any:
    return _worker(python)(asked)
