"""Words by which a name or a text tells the kind of step.

Verb stems that API designers share and the shapes of identifiers; nothing of a tool or a domain. Of
agent frameworks stand here the marks by which they say themselves that they plan, end or found no
code (``_PLAN``, ``_FINISH``, ``_NO_CODE``). All patterns are linear in the text, and texts are
clipped before matching.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from knitbone.common.number_words import NUMBER_WORDS

__all__ = [
    "NUMBER",
    "READING",
    "REPETITION",
    "TIMES",
    "WRITING",
    "Intent",
    "Status",
    "asks_for_repetition",
    "did_not_run",
    "error_signature",
    "intent_of_text",
    "intent_of_tool",
    "is_no_result",
    "is_state_changing",
    "news_in",
    "participle",
    "waits",
    "words_of",
]

Intent = Literal["read", "write", "compute", "plan", "delegate", "communicate", "finish"]
Status = Literal["ok", "error", "unknown"]

_STEMS: dict[Intent, str] = {
    "read": "browse check click count describe download exists fetch find get grep inspect list "
    "load lookup navigate open peek query read retrieve scroll search see show status verify view "
    "visit",
    "write": "add append apply approve archive assign block book buy cancel change charge clear "
    "close commit copy create debit delete deploy deposit disable discard drop edit "
    "enable exchange execute file freeze grant insert install issue kill lock make "
    "merge modify move order patch pay place post publish purchase push put redeem "
    "refund register remove rename replace reserve reset restart return revoke schedule "
    "send set ship start stop store submit transfer trigger uninstall unlock update "
    "upgrade upload withdraw write",
    "compute": "calc calculate compute convert eval evaluate math parse python run sum",
    "plan": "note plan reason reflect think todo",
    "communicate": "answer ask message notify reply respond say tell",
    "finish": "complete done escalate final finish handoff terminate",
}
WRITING = frozenset(_STEMS["write"].split())
"""Verbs of tools that change state."""
READING = frozenset(_STEMS["read"].split())
"""Verbs of tools that look something up."""
_VERBS: dict[str, Intent] = {}
for _intent, _stems in _STEMS.items():
    _VERBS.update(dict.fromkeys(_stems.split(), _intent))

_IRREGULAR = {
    "buy": "bought", "cut": "cut", "freeze": "frozen", "make": "made", "pay": "paid", "put": "put",
    "send": "sent", "set": "set", "withdraw": "withdrawn", "write": "written",
}  # fmt: skip
_PEOPLE = {"human", "humans", "operator", "representative", "agent", "agents"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_FINISH = re.compile(r"\bTERMINATE\b|FINAL ANSWER|\b(?:task|scenario) complete", re.IGNORECASE)
_PLAN = re.compile(
    r"\bplan\b[^\n]{0,40}:|step[- ]by[- ]step|^\W*(?:updated |task )?ledger\b|is_request_satisfied",
    re.IGNORECASE | re.MULTILINE,
)
_CODE = re.compile(r"```[a-zA-Z]{0,12}\n")
_DID = re.compile(
    r"^I (?:clicked|typed|scrolled|opened|visited|searched|navigated|read|downloaded|waited|went)\b"
)

_NO_CODE = re.compile(r"There is no code from the last|No code block detected")
_VARIABLE = (
    (re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b"), "<id>"),
    (re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\""), "<text>"),
    (re.compile(r"(?:/[\w.\-]+){2,}"), "<path>"),
    (re.compile(r"#?\b[A-Za-z_]*\d[\w.,\-]*"), "<n>"),
)
_CLIP = 4_000
_NOT_RUN = re.compile(
    r"\b(?:was|were|is|has been|have been) (?:not|never) "
    r"(?:executed|run|performed|carried out|made)\b"
    r"|\b(?:tool|function|command) ?(?:use|call|execution)?s? (?:was |were |is |has been )?"
    r"(?:rejected|declined|blocked|skipped|cancell?ed|interrupted)\b"
    r"|\brequest interrupted by user\b|\bdoesn't want to proceed\b|\bdry[- ]run\b"
    r"|\b(?:permission|approval) (?:is |was )?(?:required|needed|not granted)\b"
    r"|\bhaven't granted\b|\b(?:awaiting|waiting for|requires) (?:your |user |human )?"
    r"(?:approval|permission)\b",
    re.IGNORECASE,
)
"""How runtimes say, in place of a result, that they did not make a call."""
_WAITING = re.compile(
    r"\b(?:state|status|phase|stage)\W{1,5}\w{2,20}ing\b"
    r"|\b(?:pending|queued|running|in[ _-]?progress|processing|not (?:yet )?(?:ready|finished|done)"
    r"|waiting|starting|provisioning|building|scheduled|initiali[sz]ing|retry later)\b",
    re.IGNORECASE,
)
_WAITED_FOR = re.compile(
    r"\b(?:pending|queued|in[ _-]?progress|not (?:yet )?(?:ready|finished|done)|retry later"
    r"|(?:still|already|currently) \w{2,20}ing)\b",
    re.IGNORECASE,
)
_PAUSES = frozenset({"wait", "sleep", "pause", "delay"})
"""Verbs of tools that let time pass."""
_PAUSE_COMMAND = re.compile(r"\b(?:sleep|timeout /t) \d")
_COMMAND = 2_000
"""Characters of arguments in which a command to wait is looked for (ours)."""
_SHORT = 300
"""Characters of the longest answer that is only a state of work under way (ours)."""


NUMBER = rf"\b(\d{{1,3}}|{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})"
TIMES = re.compile(
    rf"{NUMBER} (?:[\w-]+ )?(?:times|runs|rounds|tries|attempts|iterations|repetitions|samples"
    r"|measurements)\b",
    re.IGNORECASE,
)
"""How often a task asks for something."""
REPETITION = re.compile(
    r"\b(?:in|by) (?:small )?(?:batches|chunks|portions|slices)\b"
    r"|\b(?:until|repeatedly|again and again|several times|keep \w+ing|repeat|monitor|poll)\b"
    r"|\bevery (?:\d+ |few |other )?(?:seconds?|minutes?|hours?|s|min)\b",
    re.IGNORECASE,
)
"""Words of a task that ask for the same again and again."""


@cache
def participle(verb: str) -> re.Pattern[str]:
    """What says that something was done to a thing: "closed" of "close", "shipped" of "ship"."""
    return re.compile(rf"\b(?:{_IRREGULAR.get(verb, verb + '(?:e?d|[a-z]ed)')})\b", re.IGNORECASE)


def words_of(name: str) -> list[str]:
    """The words in an identifier: ``getUserByID2`` and ``get_user_by_id_2`` read alike."""
    return [word.lower() for word in _WORD.findall(name[:200])]


def intent_of_tool(name: str) -> Intent:
    """What a tool is for, by the verb in its name: the first known word decides.

    Handing over to a person ends the agent's own work, whatever the verb. A name without a known
    verb counts as reading.
    """
    words = words_of(name)
    if len(words) > 1 and words[0] in ("transfer", "escalate", "hand") and _PEOPLE & set(words):
        return "finish"
    for word in words:
        if word in _VERBS:
            return _VERBS[word]
    return "read"


def intent_of_text(text: str, mode: str | None) -> Intent:
    """What an utterance without a tool call is for."""
    head, tail = text[:_CLIP], text[-400:]
    if (mode or "").startswith("terminat") or _FINISH.search(tail):
        return "finish"
    if _CODE.search(head):
        return "compute"
    if mode == "thought" or _PLAN.search(head[:600]):
        return "plan"
    if mode:
        return "delegate"
    return "read" if _DID.search(head) else "communicate"


def is_state_changing(intent: Intent) -> bool:
    """Whether a step of this intent changes the world outside the conversation."""
    return intent == "write"


def asks_for_repetition(task: str) -> bool:
    """Whether a task asks for the same thing several times, or again and again."""
    return any(words.search(task[:_CLIP]) is not None for words in (TIMES, REPETITION))


def did_not_run(result: str) -> bool:
    """Whether an answer says that the call was not made."""
    return _NOT_RUN.search(result[:_SHORT]) is not None


def waits(tool: str, arguments: str, result: str, *, failed: bool) -> bool:
    """Whether a call lets time pass, or is told that work is under way; made again it is no
    repetition."""
    if not _PAUSES.isdisjoint(words_of(tool)) or _PAUSE_COMMAND.search(arguments[:_COMMAND]):
        return True
    # An error tells what was being done when it came, too.
    words = _WAITED_FOR if failed else _WAITING
    return len(result) <= _SHORT and words.search(result) is not None


def is_no_result(report: str) -> bool:
    """Whether an executor only says that there was nothing to execute."""
    return _NO_CODE.match(report) is not None


def error_signature(text: str) -> str:
    """An error with what varies from one occurrence to the next taken out."""
    for pattern, name in _VARIABLE:
        text = pattern.sub(name, text)
    return " ".join(text.lower().split())[:160]


_NEWS = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z]\w+|\w*\d[\w.:]*\w|\d")


def news_in(text: str) -> frozenset[str]:
    """The names in a text (a capital where no sentence begins), and what holds a number: an
    utterance without a new one of them may say again what was said before."""
    return frozenset(_NEWS.findall(text))
