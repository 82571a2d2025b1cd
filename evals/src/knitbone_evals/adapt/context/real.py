"""Contexts made of real answers: paragraphs, with one of another answer, and single sentences."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["real_cases", "sentence_cases"]

MODELS = (
    "claude-2",
    "gpt-3.5-turbo-0301",
    "gpt4_0613",
    "Qwen-14B-Chat",
    "gemma-2b-it",
    "vicuna-7b",
)
QUESTION = 160
"""Characters of a question at most: a query, not a text to work on."""
PARAGRAPH = (60, 600)
ENTRIES = 4
SENTENCE = (30, 300)
SENTENCES = (3, 6)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MARKER = re.compile(r"^(?:\d+[.)]|[-*\u2022])\s+")
_ABOUT_ITSELF = re.compile(
    r"\b(?:sorry|as an ai|let me know|hope this|overall|in conclusion|here (?:is|are))\b",
    re.IGNORECASE,
)


def real_cases(data: Path, seed: int = 5) -> list[dict[str, Any]]:
    """For each answer with two paragraphs its context without and with the stranger."""
    rng = random.Random(seed)
    answers = [answer for model in MODELS for answer in _answers(data, model)]
    cases: list[dict[str, Any]] = []
    for question, paragraphs in answers:
        entries = rng.sample(paragraphs, rng.randint(2, min(ENTRIES, len(paragraphs))))
        other, others = rng.choice(answers)
        if other == question:
            continue
        found = [*entries, rng.choice(others)]
        cases.append({"kind": "clean", "query": question, "entries": entries, "irrelevant": []})
        cases.append(
            {
                "kind": "stranger",
                "query": question,
                "entries": found,
                "irrelevant": [len(entries)],
            }
        )
    return cases


def sentence_cases(data: Path, seed: int = 1) -> list[dict[str, Any]]:
    """Sentences of one answer that follow each other, twice for each answer; all belong."""
    rng = random.Random(seed)
    shortest, longest = SENTENCE
    least, most = SENTENCES
    cases: list[dict[str, Any]] = []
    for file in sorted((data / "llm_outputs").glob("*.jsonl")):
        for question, paragraphs in _answers(data, file.stem):
            parts = [part for text in paragraphs for part in _SENTENCE_END.split(text)]
            sentences = [part for part in parts if shortest <= len(part) <= longest]
            for _ in range(2 if len(sentences) >= least else 0):
                count = rng.randint(least, min(most, len(sentences)))
                first = rng.randint(0, len(sentences) - count)
                entries = sentences[first : first + count]
                cases.append(
                    {"kind": "sentences", "query": question, "entries": entries, "irrelevant": []}
                )
    return cases


def _answers(data: Path, model: str) -> Iterator[tuple[str, list[str]]]:
    file = data / "llm_outputs" / f"{model}.jsonl"
    for line in file.read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        shortest, longest = PARAGRAPH
        paragraphs = [
            _MARKER.sub("", part.strip()) for part in answer["output"].split("\n") if part.strip()
        ]
        chosen = [
            part
            for part in dict.fromkeys(paragraphs)
            if shortest <= len(part) <= longest
            and part[0].isupper()
            and part[-1] in ".!"
            and _ABOUT_ITSELF.search(part) is None
        ]
        if len(answer["prompt"]) <= QUESTION and len(chosen) > 1:
            yield answer["prompt"], chosen
