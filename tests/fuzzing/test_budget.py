"""Budgets: time and explicit limits stop model stages, the paper's own are reported."""

from __future__ import annotations

from knitbone.config import FuzzConfig
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.record.events import Usage


def budget(elapsed: float = 0.0, **limits: float) -> CampaignBudget:
    return CampaignBudget(FuzzConfig(**limits), elapsed=lambda: elapsed)


def test_the_papers_budgets_are_the_defaults_and_only_time_is_hard() -> None:
    account = budget()
    account.charge(Usage(input_tokens=20_000, output_tokens=6_000, cost_usd=0.25))
    assert account.refusal() is None
    spent = account.spent()
    assert (spent.tokens, spent.usd, spent.model_calls) == (26_000, 0.25, 1)
    assert spent.over == ("26,000 of 25,000 tokens", "0.25 of 0.10 USD")
    assert budget(elapsed=301).refusal() == "300 s are over"


def test_limits_that_were_asked_for_are_hard() -> None:
    account = budget(max_tokens=100, max_usd=1)
    assert account.refusal() is None
    account.charge(Usage(input_tokens=60, output_tokens=40))
    assert account.refusal() == "100 of 100 tokens are used"
    account = budget(max_usd=0.5)
    account.charge(Usage(cost_usd=0.5))
    assert account.refusal() == "0.50 of 0.50 USD are spent"


def test_a_call_without_a_price_is_counted_as_such() -> None:
    account = budget()
    account.charge(Usage(input_tokens=5))
    assert (account.spent().unpriced, account.spent().usd, account.spent().over) == (1, 0.0, ())
