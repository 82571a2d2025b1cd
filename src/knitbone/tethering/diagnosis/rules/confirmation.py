"""Whether a person's reply confirms what an agent had proposed: by saying yes, or by taking the
proposal up in words of its own ("Cancel the two that are pending", "I'll go with the first one").

The words of the reply are held against those of the proposal, so that nothing here knows a subject.
A request that the agent had not spoken of confirms nothing, however friendly it begins.
"""

from __future__ import annotations

import re

__all__ = ["confirms", "consents"]

_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok(?:ay)?|confirm(?:ed)?|correct|proceed|go ahead|go for it|"
    r"please do|do it|do so|agreed?|approved?|sounds (?:good|great|right|fine|perfect)|"
    r"looks (?:good|great|right|fine|perfect)|(?:that|this|it)(?:'s| is) (?:fine|right|good|great|"
    r"perfect|ok|all right)|all right|alright|absolutely|definitely|certainly|of course|by all "
    r"means|exactly|that works|works for me|fine (?:with|by) me|happy with that|let'?s (?:do|go|"
    r"proceed)|you (?:may|can) (?:go|proceed|continue|book|cancel|do)|"
    r"ja|oui|s[ií]|sim|d'accord|einverstanden|vale|certo)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:i'?ll|i will|i'?d like to|i would|let'?s|we'?ll) (?:go (?:with|for)|take|have|choose|"
    r"pick|use|keep)\b|\bthe (?:\w+ ){1,2}(?:one|option)\b|\boption \w+\b",
    re.IGNORECASE,
)
"""A choice among what was offered."""
_NEW = re.compile(
    r"\b(?:also|another|additionally|in addition|one more|instead|besides|before (?:we|you) "
    r"(?:finish|go|end))\b",
    re.IGNORECASE,
)
"""What begins something that had not been spoken of."""
_NO = re.compile(r"^\W*(?:no|nope|not|don'?t|wait|stop|hold on)\b", re.IGNORECASE)
_BEFOREHAND = re.compile(
    r"\b(?:go ahead|no need to (?:ask|confirm|check)|without asking|don'?t (?:ask|wait)|"
    r"just (?:do|go|book|cancel|take)|you (?:may|can) decide|up to you)\b",
    re.IGNORECASE,
)
"""Consent that is given with the request."""
_TOKEN = re.compile(r"#?\w*\d[\w.]*|[^\W\d_]{4,}")
_COMMON = {
    "please", "would", "could", "that", "this", "these", "those", "thank", "thanks", "want",
    "like", "need", "just", "with", "from", "them", "then", "than", "have", "will", "your",
    "mine", "only", "make", "great", "good", "perfect", "here", "there", "about", "into",
}  # fmt: skip
_SHARED = 0.5
"""Share of a reply's words that the proposal holds, from which on the reply takes it up (ours;
looked at on half of the recorded runs)."""
_LONGEST = 2_000
_STEM = 5
"""Letters by which two words are the same."""


def consents(request: str) -> bool:
    """Whether a person who was not asked has agreed beforehand, in the request itself."""
    return _BEFOREHAND.search(request[:_LONGEST]) is not None


def confirms(reply: str, proposal: str) -> bool:
    """Whether a reply agrees to what had been proposed.

    Args:
        proposal: the agent's last words before the reply.
    """
    reply, proposal = reply[:_LONGEST], proposal[:_LONGEST]
    if _YES.search(reply):
        return True
    if _NO.match(reply) or not proposal:
        return False
    words, offered = _words(reply), _words(proposal)
    named = {word for word in words if not word.isalpha()}
    if not words or _NEW.search(reply) or not named <= offered:
        return False  # a record or an amount that had not been spoken of
    if _CHOICE.search(reply):
        return True
    if named and (words - named) & offered:
        return True  # the records that had been spoken of, and what to do with them
    return len(words & offered) >= _SHARED * len(words)


def _words(text: str) -> set[str]:
    tokens = (token.lower().rstrip(".") for token in _TOKEN.findall(text))
    return {token[:_STEM] if token.isalpha() else token for token in tokens if token not in _COMMON}
