"""A site of this process that is switched on, and the circumstances of its values."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from knitbone._forks import new_lock, renew_in_child, unforked
from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.checks import Invocation, Said
from knitbone.adaptation.repair.plan import Plan
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.ahead import load_ahead
from knitbone.adaptation.runtime.functions import note_unchecked
from knitbone.adaptation.runtime.said import said_in
from knitbone.adaptation.runtime.session import current_session
from knitbone.config import AdaptConfig, load_config
from knitbone.errors import KnitboneError

if TYPE_CHECKING:
    from knitbone.adaptation.runtime.arguments import Calls
    from knitbone.common.similarity import TextEmbedder

__all__ = ["LiveSite"]

_logger = get_logger(__name__)


class LiveSite:
    """A site that is instrumented, under the configuration of its entry function."""

    __slots__ = (
        "_calls", "brings_call", "config", "ends_loops", "executed", "idle", "number", "plan",
        "site", "special",
    )  # fmt: skip

    def __init__(self, site: Site, config: AdaptConfig) -> None:
        self.site = site
        self.config = config
        self.number = site.number
        self.plan = Plan(site, config)
        self.brings_call = site.brings_call
        """Whether the arguments of a tool call come here, which have a schema of their own."""
        self._calls: Calls | None = None
        acting = site.acting(config)
        self.ends_loops = any(getattr(r, "name", "") == "succinct_content" for r in acting)
        """Whether a loop that refines an answer is to end where nothing new is said."""
        self.idle = not self.brings_call and not acting
        """Whether there is nothing to check; known for sure when the first value has come."""
        self.special = site.chained
        self.executed = 0
        """Values that passed."""

    def load(self) -> None:
        """Load and compile what the first value would wait for."""
        if self.idle:
            return
        self.plan.load()
        if self.plan.idle and not self.brings_call:
            note_unchecked(self.site.place, quiet=self.config.quiet)
        if self.brings_call:
            self.calls.load()
        else:
            acceptance = importlib.import_module("knitbone.adaptation.repair.acceptance")
            acceptance.prepare_rehearsal(self.site)
        if self.site.queries:
            importlib.import_module("knitbone.adaptation.runtime.ranked")
        if self.plan.compares_meaning:
            load_ahead(_embedder_ahead, each_process=True)

    def iterate(self) -> None:
        """Its answers refine one another: that they resemble is told by the loop alone."""
        if "semantics.history" not in self.config.without:
            without = (*self.config.without, "semantics.history")
            self.config = msgspec.structs.replace(self.config, without=without)

    def begin(self, asked: Any = None, *, texts: int = 1, plan: Plan | None = None) -> Invocation:
        """The circumstances of a value that has just arrived.

        Args:
            asked: what the call told the model, where that is known.
            texts: how many answers the value holds: of several, none is matched with a question.
            plan: what is checked of it, where that is more than the site's own.
        """
        prompts = self.site.prompts

        def read() -> Sequence[Said]:
            found = said_in(asked) if asked is not None and texts == 1 else ()
            return found or [Said(role=p.role, text=p.text) for p in prompts]

        invocation = Invocation(
            self.config,
            session=current_session(),
            asked=read,
            embedder=_embedder,
            site=self.site.location,
        )
        invocation.expressions = (plan or self.plan).expressions
        if self.site.kind == "splitter":
            # All chunks of a document at once, when it is indexed: nobody waits for an answer.
            invocation.deadline.extend(self.config.budget_embedding_ms / 1000)
        return invocation

    @property
    def calls(self) -> Calls:
        """What is checked of tool calls; loaded with the first."""
        if self._calls is None:
            from knitbone.adaptation.runtime.arguments import Calls  # noqa: PLC0415 - agents are rare

            self._calls = Calls(self.site, self.plan, self.config)
        return self._calls

    def __str__(self) -> str:
        return self.site.location


_warming = new_lock()
_created: list[TextEmbedder | None] = []
_warm: list[TextEmbedder | None] = []


def _embedder() -> TextEmbedder | None:
    """The configured embedder, loaded and warm; ``None``, and said once, where there is none."""
    if not _warm:
        with _warming:  # a hundred threads that begin at once need one model
            if not _created:
                _created.append(_new_embedder())
            if not _warm:
                _warm.append(_warmed(_created[0]))
    return _warm[0]


def _embedder_ahead() -> None:
    """One that runs in this process is loaded before it is needed; no server is asked before."""
    if load_config().embedder.provider == "embedded":
        _embedder()


@renew_in_child
def _cool() -> None:
    """In a child the same embedder loads again."""
    _warm.clear()


def _new_embedder() -> TextEmbedder | None:
    try:
        with unforked:
            from knitbone.models.embedders import create_embedder  # noqa: PLC0415 - heavy

        return create_embedder(load_config().embedder)
    except KnitboneError as error:
        return _say_missing(error)


def _warmed(embedder: TextEmbedder | None) -> TextEmbedder | None:
    try:
        if embedder is not None:
            embedder.embed(["warm"])
    except KnitboneError as error:
        return _say_missing(error)
    return embedder


def _say_missing(error: KnitboneError) -> None:
    log(_logger, logging.WARNING, "texts are not compared by meaning", reason=str(error))
