"""What a run itself says against a step, by words and by deeds, without a model.

An outlier is not yet a mistake, and a mistake need not stand out. This plane looks for facts that a
reader would point at, each present or not:

- in conversations: the first step after which trouble shows (an error, a refusal, an empty result,
  a next speaker who notices it); the first step that gives code to run; the word of a deed without
  the deed ("I have verified ..." where nothing was called); values that the step itself calls
  assumed, simulated or a placeholder; *retrospective blame*: a later step that apologises, corrects
  or tries again points back to the steps whose words it shares;
- in runs that act through tools: a step that changes state, and one for whose change a later call
  is refused. What an agent says to a person there is a courtesy as often as a claim, so that the
  words above are not read.

A step that neither says nor does anything is no candidate. Each fact multiplies the odds of a step
by e (``suspicion.py``), all alike: no weight was fitted. Words are English; other languages bring
no facts, and then the plane is silent. Which facts carry, on which runs that was decided, and what
was tried and dropped: evals/docs/localization.md. Time and memory are linear in the run's length.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.lockouts import blocked
from knitbone.tethering.diagnosis.units import TransitionUnit

__all__ = ["PLANE", "SIGNALS", "SILENT", "facts_of", "score_conduct"]

PLANE = "conduct"

SIGNALS: dict[str, str] = {
    "first trouble": "words of trouble come right after it for the first time",
    "first code": "it gives the first code to run",
    "word without deed": "it speaks of looking or checking, and called nothing",
    "declared assumption": "it says itself that values are assumed or made up",
    "blamed later": "later corrections share its words",
    "side_effect": "it changes state",
    "in the way": "a later call was refused for what it changed",
}
"""The facts, in the words of a report."""

SILENT = "silent"
"""Signal of a step that neither says nor does anything; no fact against it, but one for it."""
_FEWEST_WORDS = 6
"""Words from which on an utterance says something: "TERMINATE" and "Thank you!" do not (ours)."""
_CLIP = 6_000
"""Characters of a step that are compared."""
_OPENING = 250
"""Characters in which the next speaker says that something went wrong (ours)."""
_ADMISSION = 400
"""Characters in which a correction is announced (ours)."""
_HEAD = 300
"""Characters of an answer in which a refusal counts."""
_REACH = 200
"""Earlier steps that a correction may point to; more are too far to be meant (ours)."""

_CODE = re.compile(r"```[a-zA-Z]{0,12}[ \t]{0,20}\n")
_REFUSED = re.compile(
    r"\bnot (?:found|available|defined|allowed|possible)\b|\bno (?:results?|match\w{0,9}|such)\b"
    r"|\b(?:unable|cannot|could not|does not exist|denied|unsuccessful|failed|error|timeout)\b",
    re.IGNORECASE,
)
_RAN = re.compile(r"exitcode: 0 \(execution succeeded\)|code output:", re.IGNORECASE)
_NOTICED = re.compile(
    r"\b(?:it (?:seems|appears|looks)|there (?:was|is|were) an? (?:issue|error|problem)"
    r"|unfortunately|apologi[sz]|sorry|(?:issue|error|problem|fail\w{0,5}|discrepanc\w{1,3}) )",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:apologi[sz]e|sorry|mistakes?|mistaken|incorrect(?:ly)?|wrong(?:ly)?|forgot|overlooked"
    r"|misread|misinterpret\w{0,5}|discrepanc(?:y|ies)|let'?s (?:correct|fix|revise)"
    r"|to (?:fix|correct) (?:this|that|the)|correct(?:ed|ing) (?:this|that|the|code|version)"
    r"|try (?:that |this |it )?again|re-?(?:run|try|execute|evaluate))\b",
    re.IGNORECASE,
)
_ASSUMED = re.compile(
    r"\b(?:assum(?:e|ed|es|ing|ptions?)|simulat(?:e|ed|es|ing|ion)|hypothetical(?:ly)?"
    r"|placeholders?|(?:mock|dummy|fake|fictional|sample|synthetic) "
    r"(?:data\w{0,5}|values?|list|file|url|key|input|entries)|your_\w{1,40}|path/to|let'?s say"
    r"|suppose)\b",
    re.IGNORECASE,
)
_LOOKING = r"(?:watch|inspect|review|examin|check|verif|visit|look|identif|analy[sz]|confirm|count"
_DEED = re.compile(
    r"\bI(?:'ll| will| need to| can) (?:now |carefully |proceed to ){0,3}"
    + _LOOKING
    + r"|cross|document)\w{0,6}\b"
    r"|\bI(?:'ve| have) (?:now |also |carefully |thoroughly |already ){0,3}"
    + _LOOKING
    + r"|cross|double)\w{0,6}|having (?:carefully )?(?:review|check|verif|examin)\w{1,6}"
    r"|(?:upon|after) (?:\w{1,20} )?(?:review|inspect|examin|check|verif)\w{1,6}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]{3,40}")
_FILLERS = """
the and for that this with from are was were has have had not but you your our their its his her
they them will would can could should shall may might must let lets been being into than then there
here what which who whom when where why how all any each few more most other some such only own same
too very just also now step steps using use used need based following provided information
"""
_COMMON = frozenset(_FILLERS.split())


def score_conduct(
    units: Sequence[TransitionUnit], facts: Mapping[str, Sequence[float]] | None = None
) -> list[PlaneEvidence]:
    """The evidence of this plane for every unit, in their order; empty where it knows nothing.

    The score is the logarithm of what the facts multiply the odds of a unit by; the signals name
    them, or say that the unit is silent.

    Args:
        facts: those to count, from ``facts_of``; all where none are given.
    """
    facts = facts_of(units) if facts is None else facts
    silent = [not _says(unit) for unit in units]
    scores = [0.0] * len(units)
    for values in facts.values():
        scores = [score + value for score, value in zip(scores, values, strict=True)]
    if not any(scores) and not any(silent):
        return []
    return [
        PlaneEvidence(
            plane=PLANE, ordinal=ordinal, score=round(scores[ordinal], 6), rank=rank,
            signals=(SILENT,) if silent[ordinal] else _signals(facts, ordinal),
        )
        for ordinal, rank in enumerate(ranks(scores))
    ]  # fmt: skip


def facts_of(units: Sequence[TransitionUnit]) -> dict[str, list[float]]:
    """Each fact of ``SIGNALS`` that a run of this kind is asked about: one value a unit, 0 to 1."""
    if any(unit.calls for unit in units):
        changes = {change for change, _ in blocked(units)}
        return {
            "side_effect": [float(unit.side_effect) for unit in units],
            "in the way": [float(unit.ordinal in changes) for unit in units],
        }
    texts = [f"{unit.belief} {unit.action}" for unit in units]
    code = [_CODE.search(text) is not None for text in texts]
    return {
        "first trouble": _first(_trouble(units, texts)),
        "first code": _first(code),
        "word without deed": [
            # the first step hands the task over
            float(k > 0 and not code[k] and not _works(unit) and _DEED.search(text) is not None)
            for k, (unit, text) in enumerate(zip(units, texts, strict=True))
        ],
        "declared assumption": [
            float(k > 0 and _ASSUMED.search(text) is not None) for k, text in enumerate(texts)
        ],
        "blamed later": _blame(texts),
    }


def _signals(facts: Mapping[str, Sequence[float]], ordinal: int) -> tuple[str, ...]:
    """The facts of a unit; a share in blame counts above what each unit has on average."""
    even = 1.0 / max(len(facts.get("blamed later", ())), 1)
    return tuple(
        name
        for name, values in facts.items()
        if values[ordinal] > (even if name == "blamed later" else 0.0)
    )


def _says(unit: TransitionUnit) -> bool:
    if unit.calls:
        return True
    text = f"{unit.belief} {unit.action}".replace("TERMINATE", " ")
    return len(re.findall(r"\w+", text[:_CLIP])) >= _FEWEST_WORDS


def _works(unit: TransitionUnit) -> bool:
    """Whether something was looked up, run or changed in it, whatever came of it."""
    return bool(unit.calls) or unit.status in ("ok", "error") or unit.intent in ("read", "write")


def _first(found: Sequence[bool]) -> list[float]:
    values = [0.0] * len(found)
    if True in found:
        values[list(found).index(True)] = 1.0
    return values


def _trouble(units: Sequence[TransitionUnit], texts: Sequence[str]) -> list[bool]:
    """Whether what came back, or the next speaker, shows that the step went wrong."""
    shown: list[bool] = []
    for k, unit in enumerate(units):
        noticed = k + 1 < len(texts) and _NOTICED.search(texts[k + 1][:_OPENING]) is not None
        refused = _REFUSED.search(unit.feedback[:_HEAD]) is not None
        shown.append(unit.status == "error" or refused or noticed or _empty(unit.feedback))
    return shown


def _empty(feedback: str) -> bool:
    """Whether an answer came, and nothing in it."""
    return bool(feedback) and len(_RAN.sub("", feedback[:_HEAD]).strip()) < 4


def _blame(texts: Sequence[str]) -> list[float]:
    """Each step's share in what later corrections point back to; the shares of a run add up to 1.

    A correction spreads its blame over the steps before it by the squared rarity of the words that
    they share (an inverse document frequency within the run).
    """
    blame = [0.0] * len(texts)
    corrections = [k for k, text in enumerate(texts) if k and _CORRECTS.search(text[:_ADMISSION])]
    if not corrections:
        return blame
    words = [frozenset(_words(text)) for text in texts]
    holders = Counter(word for own in words for word in own)
    weight = {w: math.log((1 + len(texts)) / count) ** 2 for w, count in holders.items()}
    norms = [math.sqrt(sum(weight[word] for word in own)) or 1.0 for own in words]
    for k in corrections:
        reach = range(max(0, k - _REACH), k)
        shared = [sum(weight[word] for word in words[k] & words[j]) / norms[j] for j in reach]
        total = sum(shared)
        if total > 0:
            for j, value in zip(reach, shared, strict=True):
                blame[j] += value / total
    total = sum(blame)
    return [value / total for value in blame] if total > 0 else blame


def _words(text: str) -> list[str]:
    lowered = (word.casefold() for word in _WORD.findall(text[:_CLIP]))
    return [word for word in lowered if word not in _COMMON]
