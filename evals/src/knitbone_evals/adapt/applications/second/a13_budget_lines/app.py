"""Household book: every line of the bank statement goes to a budget. Model behind litellm, so we can switch vendors."""
import os
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import litellm  # noqa: E402

litellm.telemetry = False
litellm.suppress_debug_info = True

PROVIDERS = {
    "openai": lambda: {
        "model": "openai/gpt-4o-mini",
        "api_base": os.environ.get("OPENAI_BASE_URL"),
        "api_key": os.environ.get("OPENAI_API_KEY", "none"),
    },
    "anthropic": lambda: {
        "model": "anthropic/claude-3-5-haiku-latest",
        "api_base": os.environ.get("ANTHROPIC_BASE_URL"),
        "api_key": os.environ.get("ANTHROPIC_API_KEY", "none"),
    },
}
PROVIDER = os.environ.get("BUDGET_PROVIDER", "openai")
WORKERS = int(os.environ.get("BUDGET_WORKERS", "1"))

BUDGETS = ("groceries", "rent", "transport", "fun", "health")

QUESTION = "To which budget does this payment belong: {budgets}? Reply with one of these words.\n\nPayment: {line}"


def classify(line: str) -> str:
    reply = litellm.completion(
        messages=[{"role": "user", "content": QUESTION.format(budgets=", ".join(BUDGETS), line=line)}],
        temperature=0,
        max_tokens=60,
        **PROVIDERS[PROVIDER](),
    )
    word = reply.choices[0].message.content.strip().lower()
    return word if word in BUDGETS else "other"


def amount(line: str) -> Decimal:
    return Decimal(line.rsplit(" ", 1)[1])


def run(request: str):
    lines = [line.strip() for line in request.splitlines() if line.strip()]
    totals: dict[str, Decimal] = defaultdict(Decimal)
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        for line, budget in zip(lines, pool.map(classify, lines)):
            totals[budget] += amount(line)
    return {budget: str(total) for budget, total in sorted(totals.items())}


if __name__ == "__main__":
    import sys

    for budget, total in run(sys.stdin.read()).items():
        print(f"{budget:<12}{total:>10}")
