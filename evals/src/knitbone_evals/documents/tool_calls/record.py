"""Records what a served model answers: ``python -m
knitbone_evals.documents.tool_calls.record URL --model NAME``.

What is recorded already is not asked again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import httpx

from knitbone_evals.documents.tool_calls.requests import CallRequest, call_requests

__all__ = ["ANSWERS", "recorded"]

ANSWERS = Path(__file__).parent / "answers"
COUNT = 252
_MAX_TOKENS = 300
_SECONDS = 300.0


def recorded(path: Path) -> dict[str, str]:
    """The answers of a model, by the key of the request."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {record["key"]: record["text"] for record in map(json.loads, lines)}


def ask(url: str, request: CallRequest) -> str:
    """What the model says to a request."""
    body: dict[str, Any] = {
        "messages": request.messages, "max_tokens": _MAX_TOKENS, "temperature": 0.3, "seed": 7
    }  # fmt: skip
    if request.way == "tools":
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.about,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    reply = httpx.post(f"{url}/chat/completions", json=body, timeout=_SECONDS)
    reply.raise_for_status()
    message = reply.json()["choices"][0]["message"]
    calls = message.get("tool_calls")
    if calls:  # the server has read it: what the model wrote is not known
        return json.dumps({"server": calls})
    return str(message["content"])


def main() -> None:
    """Ask for what is not recorded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="of a server of the OpenAI protocol, with /v1")
    parser.add_argument("--model", required=True, help="the name of the file of answers")
    parser.add_argument("--count", type=int, default=COUNT)
    chosen = parser.parse_args()
    path = ANSWERS / f"{chosen.model}.jsonl"
    path.parent.mkdir(exist_ok=True)
    known = recorded(path)
    for request in call_requests(chosen.count):
        if request.key not in known:
            record = {"key": request.key, "text": ask(chosen.url, request)}
            with path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
