"""What a model call costs, by the configured price list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from knitbone.config import ModelPrice

__all__ = ["cost_usd"]

_MILLION = 1_000_000


def cost_usd(
    prices: Mapping[str, ModelPrice],
    models: Iterable[str],
    input_tokens: int | None,
    output_tokens: int | None,
) -> float | None:
    """US dollars; ``None`` where a price or a number of tokens is not known.

    Args:
        models: the names of the model, the most specific first (what the answer says, what was
            asked for).
    """
    if not prices or input_tokens is None or output_tokens is None:
        return None
    price = next((found for name in models if (found := _price_of(prices, name))), None)
    if price is None:
        return None
    return (
        input_tokens * price.input_usd_per_million + output_tokens * price.output_usd_per_million
    ) / _MILLION


def _price_of(prices: Mapping[str, ModelPrice], model: str) -> ModelPrice | None:
    """The entry of that name, else the longest one that the name begins with: providers add dates
    to their models' names."""
    if model in prices:
        return prices[model]
    starts = [name for name in prices if model.startswith(name)]
    return prices[max(starts, key=len)] if starts else None
