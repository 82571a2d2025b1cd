"""Counts of tokens, by the names that providers, frameworks and platforms give them.

Sources: the API references of OpenAI (chat completions, responses) and Anthropic (messages),
OpenTelemetry's GenAI conventions, OpenInference, and the exports of the platforms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from knitbone.record.events import Usage
from knitbone.wire.fields import count, field, integer_of, number_of

__all__ = [
    "AI_SDK_COUNTS",
    "CHAT_COUNTS",
    "GENAI_COUNTS",
    "LANGCHAIN_COUNTS",
    "LANGFUSE_COUNTS",
    "LANGSMITH_COUNTS",
    "MLFLOW_COUNTS",
    "OPENINFERENCE_COUNTS",
    "PROVIDERS_COUNTS",
    "RESPONSES_COUNTS",
    "CountNames",
    "read_usage",
    "usage_of",
    "with_cached",
]


class CountNames(NamedTuple):
    """The names that one convention gives its counts; of several, the first that is there."""

    input: tuple[str, ...]
    output: tuple[str, ...]
    cost: tuple[str, ...] = ()
    """US dollars."""
    details: str = ""
    """Where it tells how many input tokens came from a cache, under ``cached_tokens``."""

    def cached(self, usage: Any) -> int | None:
        """The input tokens that came from a cache, where the convention tells."""
        return count(field(field(usage, self.details), "cached_tokens"))


CHAT_COUNTS = CountNames(
    ("prompt_tokens",), ("completion_tokens",), details="prompt_tokens_details"
)
RESPONSES_COUNTS = CountNames(("input_tokens",), ("output_tokens",), details="input_tokens_details")
LANGCHAIN_COUNTS = CountNames(("input_tokens",), ("output_tokens",))
PROVIDERS_COUNTS = CountNames(
    ("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")
)
"""Either of the two, where a framework passes on what a provider said."""
GENAI_COUNTS = CountNames(
    ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    ("gen_ai.usage.cost", "knitbone.usage.cost_usd"),
)
OPENINFERENCE_COUNTS = CountNames(
    ("llm.token_count.prompt",), ("llm.token_count.completion",), ("llm.cost.total",)
)
AI_SDK_COUNTS = CountNames(
    ("gen_ai.usage.input_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens"),
    ("gen_ai.usage.output_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens"),
)
LANGFUSE_COUNTS = CountNames(
    ("input", "prompt_tokens", "input_tokens"),
    ("output", "completion_tokens", "output_tokens"),
    ("total",),
)
LANGSMITH_COUNTS = CountNames(
    ("langsmith.prompt_tokens",), ("langsmith.completion_tokens",), ("langsmith.total_cost",)
)
MLFLOW_COUNTS = CountNames(("input_tokens",), ("output_tokens",), ("total_cost",))


def read_usage(
    names: CountNames, counts: Mapping[str, Any], costs: Mapping[str, Any] | None = None
) -> Usage | None:
    """The tokens and the cost of a call; ``None`` where nothing is told of either.

    Args:
        costs: where the cost stands, if apart from the counts.
    """
    given, made = integer_of(counts, *names.input), integer_of(counts, *names.output)
    cost = number_of(counts if costs is None else costs, *names.cost)
    return usage_of(given, made, cost)


def usage_of(given: int | None, made: int | None, cost: float | None) -> Usage | None:
    """Make a record of a call's tokens and cost; ``None`` where nothing is told."""
    if given is None and made is None and cost is None:
        return None
    return Usage(input_tokens=given, output_tokens=made, cost_usd=cost)


def with_cached(given: int | None, *, made: int | None, read: int | None) -> int | None:
    """The input tokens as OpenTelemetry counts them: with those that a cache was made of and those
    that were read from it, which Anthropic counts apart."""
    return None if given is None else given + (made or 0) + (read or 0)
