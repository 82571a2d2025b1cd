"""The analyst's hints -> directives, without values and without anybody else's instructions.

A hint is free text of a model that has read the run: the one place where words that are not ours
enter a guidance. What of it is a value (``value_free``) is left out or said by the name of its
argument; a hint that cannot do without is dropped. So is one that says what a tool's answer says:
a text in the environment that gives orders is not to give them to the next run as well.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.addressed import addressed_texts
from knitbone.tethering.diagnosis.records import Claim
from knitbone.tethering.diagnosis.units import TransitionUnit, asked, system_texts
from knitbone.tethering.diagnosis.vocabulary import words_of
from knitbone.tethering.guidance.failed_run import FailedRun
from knitbone.tethering.guidance.free_text import value_free
from knitbone.tethering.guidance.records import ConstraintClass, Directive

__all__ = ["hint_directives"]

_LONGEST = 240
"""Characters of a hint (ours)."""
_SHARED = 0.6
"""Share of a hint's telling words that may stand together in a tool's answer (ours)."""
_WINDOW = 60
"""Words that count as together (ours)."""
_ROOT = 5
"""Letters by which two words are compared, whatever their ending (ours)."""

_WORD = re.compile(r"[a-z]{4,}")
_KINDS: Mapping[ConstraintClass, re.Pattern[str]] = {
    "order": re.compile(r"\b(?:before|after|first|until|prior|order)\b", re.IGNORECASE),
    "rule": re.compile(r"\b(?:confirm\w*|rule|policy|permission|ask)\b", re.IGNORECASE),
    "repetition": re.compile(r"\b(?:repeat\w*|again|retry\w*|loop)\b", re.IGNORECASE),
    "required argument": re.compile(r"\b(?:argument|parameter|field|required)s?\b", re.IGNORECASE),
    "unresolved error": re.compile(r"\b(?:error|fail\w*|exception)s?\b", re.IGNORECASE),
    "completion": re.compile(r"\b(?:end|finish\w*|complete\w*|done)\b", re.IGNORECASE),
}


def hint_directives(failed: FailedRun, reference: TransitionUnit) -> Iterator[Directive]:
    """The hints of an analyst whose answer was accepted; none of a run in which a text speaks to
    its reader, for the analyst read it, too."""
    diagnosis = failed.diagnosis
    if diagnosis.analysis.state != "accepted" or addressed_texts(failed.units):
        return
    answers = _answers(failed.run, failed.units)
    units = (reference, *failed.units)  # its own names of arguments go first
    for hint in diagnosis.recovery_hints:
        said = value_free(hint, failed.run, units, failed.names)
        if not said or len(said) > _LONGEST or _is_repeated(said, answers, failed):
            continue
        tool = _tool_in(hint, failed)
        kinds: list[ConstraintClass] = [k for k, pattern in _KINDS.items() if pattern.search(said)]
        words = " ".join(sorted(set(_WORD.findall(said.lower()))))
        digest = hashlib.blake2b(words.encode("utf-8"), digest_size=4).hexdigest()
        fact = Claim(kind="named by the analyst", text=hint, step=reference.index)
        yield failed.directive(
            reference, fact, kinds[0] if kinds else "check first", tool=tool, about=(digest,),
            do=said if said.endswith((".", "!")) else f"{said}.",
        )  # fmt: skip


def _tool_in(hint: str, failed: FailedRun) -> str | None:
    """The tool that a hint names, of those that the run called: by its name, or its words."""
    words = f" {' '.join(words_of(hint))} "
    called = dict.fromkeys(call.tool for unit in failed.units for call in unit.calls)
    named = [tool for tool in called if f" {' '.join(words_of(tool))} " in words]
    return next((tool for tool in named if failed.names.tool(tool)), None)


def _answers(run: Run, units: Sequence[TransitionUnit]) -> list[list[str]]:
    """What came from the environment, as the roots of its telling words; not what was asked."""
    known = {*_roots(asked(run)), *(root for text in system_texts(run) for root in _roots(text))}
    texts = dict.fromkeys(call.result for unit in units for call in unit.calls)
    return [[root for root in _roots(text) if root not in known] for text in texts]


def _is_repeated(said: str, answers: Sequence[Sequence[str]], failed: FailedRun) -> bool:
    """Whether a hint says what some answer of a tool says."""
    own = {word[:_ROOT] for word in failed.names.words}
    wanted = set(_roots(said)) - own
    if not wanted:
        return False
    for answer in answers:
        for start in range(0, max(1, len(answer)), _WINDOW // 2):
            if len(wanted.intersection(answer[start : start + _WINDOW])) / len(wanted) >= _SHARED:
                return True
    return False


def _roots(text: str) -> list[str]:
    return [word[:_ROOT] for word in _WORD.findall(text[:20_000].lower())]
