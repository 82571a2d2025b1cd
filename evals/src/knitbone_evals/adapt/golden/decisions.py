"""What adapt decided on the answers of one case at one site, as a record that can be compared."""

from __future__ import annotations

import hashlib
import lzma
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.adaptation.testing import SUMMARY, SiteCounts

__all__ = [
    "Decision",
    "Observed",
    "Verdict",
    "compact",
    "decisions",
    "digest",
    "observed",
    "read",
    "write",
]

Verdict = Literal["right", "missed", "wrong", ""]
"""``missed``: not right, and what the plain code gives; ``wrong``: not right, and adapt made it;
empty where the set does not know what is right."""

_SHORT = 60
"""Characters of a text that the record holds as it is: a line, so that most values of the sets are
readable and the record stays below one megabyte; of a longer one it holds the hash."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_QUOTED = re.compile(r"""(?<!\w)(['"]).*?\1(?!\w)""", re.DOTALL)
_NUMBER = re.compile(r"\d+")
_DISPOSITIONS = (
    "conforming",
    "repaired",
    "refused",
    "unread",
    "observed",
    "raised",
    "failed",
    "unknown",
    "unchecked",
    "unfinished",
)


class Decision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of the answers of one case at one site."""

    set: str
    case: str
    """Unique in its set, apart from ``site``."""
    site: str = ""
    """``file:line``; empty where no site delivered a checked value."""
    answer: str
    """The hash of the case's answers."""
    text: str = ""
    """The answers where they are short and may be shown."""
    disposition: str
    """The distinct dispositions of the site's answers; ``none`` without any."""
    delivered: str = ""
    """What adapt delivered in place of answers, or the hash of it after ``#``."""
    reason: str = ""
    """The rules of repairs and the reasons of refusals, without the values they name."""
    result: str
    """The hash of what the application made of it."""
    verdict: Verdict = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.set, self.case, self.site


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What adapt did at one site; fields as in ``Decision``, the delivered text whole."""

    site: str = ""
    disposition: str = "none"
    delivered: str = ""
    reason: str = ""


def observed() -> list[Observed]:
    """What adapt did since the counts were last forgotten, at each site that delivered a value; one
    without a site where none did."""
    delivered: dict[str, list[str]] = {}
    for event in SUMMARY.adaptations:
        if event.action == "repaired" and event.after is not None:
            delivered.setdefault(event.site, []).append(event.after)
    found = [
        Observed(
            site=Path(counts.site).name,  # its folder is the machine's, or a temporary one
            disposition=" ".join(each for each in _DISPOSITIONS if getattr(counts, each)),
            delivered="\n".join(delivered.get(counts.site, ())),
            reason=_class_of(counts),
        )
        for counts in SUMMARY.snapshot()
    ]
    return found or [Observed()]


def decisions(
    group: str,
    case: str,
    answers: Iterable[str],
    seen: Iterable[Observed],
    *,
    result: str,
    verdict: Verdict,
    shown: bool = True,
) -> Iterator[Decision]:
    """A case's decisions, one for each site.

    Args:
        result: what the application made of the answers, as text.
        shown: whether texts may stand in the record, and be printed.
    """
    text = "\n".join(answers)
    for one in seen:
        made = one.delivered
        yield Decision(
            set=group,
            case=case,
            site=one.site,
            answer=digest(text),
            text=text if shown else "",
            disposition=one.disposition,
            delivered=made if shown or not made else f"#{digest(made)}",
            reason=one.reason,
            result=digest(_ADDRESS.sub("", result)),
            verdict=verdict,
        )


def _class_of(counts: SiteCounts) -> str:
    said = {*counts.rules, *(why for reasons in counts.reasons.values() for why in reasons)}
    return "; ".join(sorted({_NUMBER.sub("N", _QUOTED.sub("…", each)) for each in said}))


def digest(text: str) -> str:
    """A short hash, enough to tell the texts of one case apart."""
    found = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4)
    return found.hexdigest()


def compact(decision: Decision) -> Decision:
    """The decision as the record holds it: long texts as hashes, or not at all."""
    text, delivered = decision.text, decision.delivered
    if not delivered.startswith("#") and len(delivered) > _SHORT:
        delivered = f"#{digest(delivered)}"
    return msgspec.structs.replace(
        decision, text=text if len(text) <= _SHORT else "", delivered=delivered
    )


def write(path: Path, found: Iterable[Decision]) -> None:
    """Write decisions in the order of their keys; the same decisions give the same bytes."""
    lines = [msgspec.json.encode(compact(each)) for each in sorted(found, key=lambda one: one.key)]
    path.write_bytes(lzma.compress(b"\n".join(lines) + b"\n"))


def read(path: Path) -> list[Decision]:
    """Read what ``write`` wrote."""
    lines = lzma.decompress(path.read_bytes()).splitlines()
    return [msgspec.json.decode(line, type=Decision) for line in lines]
