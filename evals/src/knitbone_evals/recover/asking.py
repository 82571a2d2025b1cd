"""Ask a real model the questions that are not answered yet; each answer is written down at once.

python -m knitbone_evals.recover.asking http://127.0.0.1:8092/v1 qwen2.5-coder-1.5b-instruct
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import httpx

from knitbone_evals.lines import lines_of
from knitbone_evals.recover.requests import REQUESTS

__all__ = ["ANSWERS", "answers"]

ANSWERS = Path(__file__).parent / "data" / "answers"
_LETTERS = "ABCD"
_TOP = 20
"""Most likely first tokens whose probability is asked for."""
_PAUSE = 10.0
"""Seconds until a server that does not answer is asked again."""


def answers(model: str) -> dict[str, dict[str, Any]]:
    """What a model answered, by the question's identifier."""
    path = ANSWERS / f"{model}.jsonl"
    if not path.exists():
        return {}
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {line["id"]: line for line in lines}


def ask(url: str, model: str, until: float) -> None:
    """Put the open questions one after the other, until a time."""
    ANSWERS.mkdir(parents=True, exist_ok=True)
    known = answers(model)
    questions = [json.loads(line) for line in lines_of(REQUESTS)]
    with (ANSWERS / f"{model}.jsonl").open("a", encoding="utf-8") as file:
        open_questions = _paired([q for q in questions if q["id"] not in known], known)
        while open_questions and time.time() < until:
            question = open_questions[0]
            body = {
                "model": model, "max_tokens": 4, "temperature": 0, "logprobs": True,
                "top_logprobs": _TOP,
                "messages": [{"role": "user", "content": question["prompt"]}],
            }  # fmt: skip
            try:
                answer = httpx.post(f"{url}/chat/completions", json=body, timeout=600).json()
                choice = answer["choices"][0]
            except (httpx.HTTPError, ValueError, LookupError) as error:
                print(question["id"], repr(error), flush=True)
                time.sleep(_PAUSE)
                continue
            open_questions.pop(0)
            file.write(json.dumps(_kept(question["id"], choice, answer.get("usage"))) + "\n")
            file.flush()


def _paired(questions: list[dict[str, Any]], known: Collection[str]) -> list[dict[str, Any]]:
    """Questions whose calls were asked about already first, one situation after the other: two
    answers on the same calls say most of what a note does, where time ends before the questions."""
    places: dict[str, int] = {}
    for identity in [*known, *(question["id"] for question in questions)]:
        places.setdefault(identity.split("-")[0], len(places))
    return sorted(questions, key=lambda question: places[question["id"].split("-")[0]])


def _kept(identity: str, choice: dict[str, Any], usage: Any) -> dict[str, Any]:
    first = choice["logprobs"]["content"][0]["top_logprobs"]
    letters = {
        entry["token"].strip(): round(entry["logprob"], 4)
        for entry in reversed(first)
        if entry["token"].strip() in _LETTERS and entry["token"].strip()
    }
    tokens = (usage or {}).get("prompt_tokens")
    return {
        "id": identity, "text": choice["message"]["content"], "letters": letters,
        "prompt_tokens": tokens,
    }  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("model")
    parser.add_argument("--seconds", type=float, default=3_600.0)
    options = parser.parse_args()
    ask(options.url, options.model, time.time() + options.seconds)


if __name__ == "__main__":
    main()
