"""What is known of campaigns that began and did not end: somebody pressed Ctrl-C."""

from __future__ import annotations

from collections import Counter

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.baseline import with_fingerprints
from knitbone.fuzzing.final_verdicts import settle
from knitbone.fuzzing.records import (
    CallFinished,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    Finding,
    FindingFound,
    FuzzEvent,
    Status,
)

__all__ = ["UnfinishedCampaigns"]


class _Begun:
    def __init__(self, event: CampaignStarted) -> None:
        self.tool = event.tool
        self.confinement = event.confinement
        self.calls = 0
        self.statuses: Counter[Status] = Counter()
        self.findings: list[Finding] = []


class UnfinishedCampaigns:
    """Collects from the events of campaigns what is known of those that have not ended."""

    def __init__(self) -> None:
        self._begun: dict[str, _Begun] = {}

    def take(self, event: FuzzEvent) -> None:
        """Take one event in."""
        match event:
            case CampaignStarted():
                self._begun[event.tool.target] = _Begun(event)
            case CallFinished():
                begun = self._begun[event.tool]
                begun.calls = event.call
                begun.statuses[event.status] += 1
            case FindingFound():
                self._begun[event.tool].findings.append(event.finding)
            case CampaignFinished():
                del self._begun[event.campaign.tool.target]

    def campaigns(self, config: FuzzConfig, seed: int | None, why: str) -> list[Campaign]:
        """Those that have not ended: their findings as they were first seen, neither minimised nor
        tried again.

        Args:
            seed: from ``config`` where it is not given.
            why: what ended them.
        """
        return [
            settle(
                Campaign(
                    tool=begun.tool,
                    seed=config.seed if seed is None else seed,
                    calls=begun.calls,
                    findings=with_fingerprints(
                        begun.tool,
                        [msgspec.structs.replace(each, replays=None) for each in begun.findings],
                    ),
                    rejected=begun.statuses["rejected"],
                    denied=begun.statuses["denied"],
                    minimisation_calls=0,
                    chao1=None,
                    stopped=why,
                    confinement=begun.confinement,
                ),
                ignore=config.ignore,
            )
            for begun in self._begun.values()
            if begun.calls
        ]
