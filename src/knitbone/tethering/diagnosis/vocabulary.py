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

__all__ = [
    "READING",
    "WRITING",
    "Intent",
    "Status",
    "error_signature",
    "intent_of_text",
    "intent_of_tool",
    "is_no_result",
    "is_state_changing",
    "participle",
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


def is_no_result(report: str) -> bool:
    """Whether an executor only says that there was nothing to execute."""
    return _NO_CODE.match(report) is not None


def error_signature(text: str) -> str:
    """An error with what varies from one occurrence to the next taken out."""
    for pattern, name in _VARIABLE:
        text = pattern.sub(name, text)
    return " ".join(text.lower().split())[:160]
