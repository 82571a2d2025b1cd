"""A site of this process that is switched on, with the checks that its values go through."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from knitbone._forks import new_lock, renew_in_child, unforked
from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.checks import Invocation, PromptMessage
from knitbone.adaptation.repair.plan import CheckPlan
from knitbone.adaptation.requirements.records import ScenarioRequirement
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.decorated_functions import note_unchecked
from knitbone.adaptation.runtime.exchange import Exchange
from knitbone.adaptation.runtime.preload import load_ahead
from knitbone.config import AdaptConfig, load_config
from knitbone.errors import KnitboneError

if TYPE_CHECKING:
    from knitbone.adaptation.runtime.arguments import CallChecks
    from knitbone.common.similarity import TextEmbedder

__all__ = ["ActiveSite"]


# The sentence embedder of this process, loaded once and warm.

_logger = get_logger(__name__)
_warming = new_lock()
_created: list[TextEmbedder | None] = []
_warm: list[TextEmbedder | None] = []


def load_embedder() -> TextEmbedder | None:
    """Load and warm the configured embedder; ``None`` where there is none, which is logged once."""
    if not _warm:
        with _warming:  # a hundred threads that begin at once need one model
            if not _created:
                _created.append(_new_embedder())
            if not _warm:
                _warm.append(_warm_up(_created[0]))
    return _warm[0]


def load_embedder_ahead() -> None:
    """Load an embedder that runs in this process before it is needed; no server is asked ahead."""
    if load_config().embedder.provider == "embedded":
        load_embedder()


@renew_in_child
def _reset_in_child() -> None:
    """Have a forked child warm the embedder up itself: its threads stayed in the parent."""
    _warm.clear()


def _new_embedder() -> TextEmbedder | None:
    try:
        with unforked:
            from knitbone.models.embedders import create_embedder  # noqa: PLC0415 - heavy

        return create_embedder(load_config().embedder)
    except KnitboneError as error:
        return _log_missing(error)


def _warm_up(embedder: TextEmbedder | None) -> TextEmbedder | None:
    try:
        if embedder is not None:
            embedder.embed(["warm"])
    except KnitboneError as error:
        return _log_missing(error)
    return embedder


def _log_missing(error: KnitboneError) -> None:
    log(_logger, logging.WARNING, "texts are not compared by meaning", reason=str(error))


class ActiveSite:
    """A site that is instrumented, under the configuration of its entry function."""

    __slots__ = (
        "_calls", "brings_call", "config", "ends_loops", "executed", "idle", "number", "plan",
        "reached", "site",
    )  # fmt: skip

    def __init__(self, site: Site, config: AdaptConfig) -> None:
        self.site = site
        self.config = config
        self.number = site.number
        self.plan = CheckPlan(site, config)
        self.brings_call = site.brings_call
        """Whether the arguments of a tool call come here, which have a schema of their own."""
        self._calls: CallChecks | None = None
        acting = site.acting(config)
        self.ends_loops = any(
            isinstance(r, ScenarioRequirement) and r.name == "succinct_content" for r in acting
        )
        """Whether a loop that refines an answer is to end where nothing new is said."""
        self.idle = not self.brings_call and not site.validated and not acting
        """Whether there is nothing to check; known for sure when the first value has come."""
        self.executed = 0
        """Values that passed."""
        self.reached = False
        """Whether the validator of its library was seen at work (``runtime/validators``)."""

    def load(self) -> None:
        """Load and compile everything that the first value would wait for."""
        if self.idle:
            return
        self.plan.load()
        if self.plan.idle and not self.brings_call and not self.site.validated:
            note_unchecked(self.site.place, quiet=self.config.quiet)
        if self.brings_call:
            self.calls.load()
        else:
            acceptance = importlib.import_module("knitbone.adaptation.repair.acceptance")
            acceptance.prepare_rehearsal(self.site)
        if self.site.validated:
            importlib.import_module("knitbone.adaptation.runtime.validators.answers")
        if self.site.queries:
            importlib.import_module("knitbone.adaptation.runtime.delivery")
        if self.plan.compares_meaning:
            load_ahead(load_embedder_ahead, each_process=True)

    def iterate(self) -> None:
        """Note that its answers refine one another: the loop itself says when they repeat one
        another."""
        if "semantics.history" not in self.config.without:
            without = (*self.config.without, "semantics.history")
            self.config = msgspec.structs.replace(self.config, without=without)

    def begin(
        self, exchange: Exchange, *, texts: int = 1, plan: CheckPlan | None = None
    ) -> Invocation:
        """Make the circumstances of a value that has just arrived.

        Args:
            exchange: what its call asked.
            texts: how many answers the value holds; of several, none is matched with a question.
            plan: the checks, where they are more than the site's own.
        """
        prompts = self.site.prompts

        def read() -> Sequence[PromptMessage]:
            told = exchange.messages() if texts == 1 else ()
            return told or [PromptMessage(role=p.role, text=p.text) for p in prompts]

        invocation = Invocation(
            self.config,
            session=exchange.session,
            asked=read,
            embedder=load_embedder,
            site=self.site.location,
        )
        invocation.expressions = (plan or self.plan).expressions
        if self.site.kind == "splitter":
            # All chunks of a document at once, when it is indexed: nobody waits for an answer.
            invocation.deadline.extend(self.config.budget_embedding_ms / 1000)
        return invocation

    @property
    def calls(self) -> CallChecks:
        """The checks of tool calls; loaded with the first."""
        if self._calls is None:
            from knitbone.adaptation.runtime.arguments import CallChecks  # noqa: PLC0415 - agents are rare

            self._calls = CallChecks(self.site, self.plan, self.config)
        return self._calls

    def __str__(self) -> str:
        return self.site.location
