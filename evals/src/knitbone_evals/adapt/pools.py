"""Material for the slots of answers: written here, or sentences of real answers.

Whatever is drawn together must not say the same twice: the tasks and points below name different
things; sentences of real answers pass a strict filter (``real``).
"""

from __future__ import annotations

import json
import random
import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.adapt_latency_cases import POINTS, TASKS

__all__ = ["NAMES", "POINTS", "TASKS", "Passage", "Pool", "Source", "constructed", "real", "varied"]

Source = Literal["constructed", "real", "natural"]
"""Of what an output is made: texts written here, real answers in its slots, all of it found."""

NAMES = (
    "Ada Brandt", "Bruno Keita", "Carla Jensen", "Dmitri Novak", "Esra Yilmaz", "Femi Okafor",
    "Greta Lund", "Hugo Marin", "Ines Rocha", "Jonas Weber", "Kaia Olsen", "Liam O'Neill",
)  # fmt: skip


class Passage(msgspec.Struct, frozen=True):
    """Consecutive sentences of one real answer, and what it answers."""

    prompt: str
    sentences: tuple[str, ...]


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """Where slots of free text come from."""

    source: Source
    sentences: tuple[str, ...]
    """Any two may stand together."""
    passages: tuple[Passage, ...] = ()

    def some(self, rng: random.Random, count: int) -> list[str]:
        """Sentences, all different."""
        return rng.sample(self.sentences, count)


REMARKS = (
    "The customer could not log in after the update.",
    "The parcel arrived with a broken lid.",
    "The screen stays black when the lamp is off.",
    "Two of the four screws were missing.",
    "The invoice shows an address from last year.",
    "The app closes as soon as a photo is opened.",
    "The battery lasts for half an hour only.",
    "The manual came in a language that nobody here reads.",
    "The delivery was promised for Monday and came on Thursday.",
    "The sound stops when the window is made smaller.",
    "The seat squeaks since the second day.",
    "The discount code was refused at the till.",
    "The heater smells of rubber.",
    "The file cannot be saved under its old name.",
    "The colleague on the phone was very kind.",
    "The lid fits, but the handle is loose.",
)


@lru_cache(maxsize=1)
def constructed() -> Pool:
    """What is written here."""
    return Pool(source="constructed", sentences=REMARKS)


_SENTENCE = re.compile(r"[A-Z][A-Za-z ,'-]{38,130}\.")
_OPENER = re.compile(
    r"(?:Sure|Here|I|As|Yes|No|Let|Please|Thank|Hello|Hi|Okay|Great|Also|However|This|That|These|"
    r"Those|They|It|He|She|We|You|But|And|So|Then|For|Additionally|Finally|Moreover|Overall|One|"
    r"Another|Others|Once|In|If|The two|Specifically|Conversely|Meanwhile|Remember|Ultimately)\b"
)
"""Words that lean on a sentence before."""
_VARIETY = re.compile(
    r"(?:our|or|re|ise|ize|yse|yze|ised|ized|ising|izing|isation|ization|elled|eled|elling|eling|"
    r"og|ogue|ence|ense|[a-z]our[a-z]+|[a-z]{3}or(?:s|ed|ing|ful|able|ite|ate)|gr[ae]y|mould|mold|"
    r"mustache|moustache|tyre|tire|program|programme|judgment|judgement|practi[cs]e)\b",
)
"""Endings in which American and British English may differ; a sentence with one is not used.
Far too wide, on purpose: it costs sentences, of which there are plenty."""
_WORD = re.compile(r"[a-z]{4,}")

PASSAGES = {
    "gpt4_0613": (2, 4, 15, 20, 47, 100, 107),
    "gpt-3.5-turbo-0301": (4, 28, 46, 56, 88, 99),
    "vicuna-7b": (2, 37, 50, 58),
    "Qwen-14B-Chat": (2, 12, 27, 50, 88),
    "claude-2": (35,),
    "gemma-2b-it": (2, 110),
}
"""Answers whose first three sentences were read and found clean: one language, one spelling,
nothing said twice, nothing of the question repeated. Lines of the file, from 0."""


@lru_cache(maxsize=2)
def real(data: Path) -> Pool:
    """Sentences of ``llm_outputs``: plain prose of 40 to 130 letters, whole by itself, without
    numbers, brackets, quotes or words whose spelling depends on the country, no two of them with
    a third of their longer words in common; and the openings of ``PASSAGES``."""
    kept: list[str] = []
    words_of: list[set[str]] = []
    passages: list[Passage] = []
    for file in sorted((data / "llm_outputs").glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            answer = json.loads(line)
            sentences = re.split(r"(?<=[.!?])\s+", answer["output"])
            if number in PASSAGES.get(file.stem, ()):
                passages.append(Passage(answer["prompt"], tuple(sentences[:3])))
            for sentence in sentences[:12]:
                words = set(_WORD.findall(sentence.lower()))
                if _clean(sentence) and not any(_near(words, other) for other in words_of):
                    kept.append(sentence)
                    words_of.append(words)
    return Pool(source="real", sentences=tuple(kept), passages=tuple(passages))


def _clean(sentence: str) -> bool:
    return (
        _SENTENCE.fullmatch(sentence) is not None
        and _OPENER.match(sentence) is None
        and _VARIETY.search(sentence) is None
        and "  " not in sentence
        and "etc." not in sentence
        and " - " not in sentence
    )


def _near(words: set[str], other: set[str]) -> bool:
    return len(words & other) * 3 >= min(len(words), len(other))


def varied(text: str, variety: str) -> str:
    """``[colour|color]`` as British (``uk``) or American (``us``) English."""
    return re.sub(r"\[([^|\]]*)\|([^\]]*)\]", lambda m: m.group(1 if variety == "uk" else 2), text)
