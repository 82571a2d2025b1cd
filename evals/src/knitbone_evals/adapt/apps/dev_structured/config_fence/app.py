"""Suggests alert rules; the model may explain itself, the rules stand in a fenced block."""

import json
import re

from anthropic import Anthropic

FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)
OPERATORS = {">": "above", "<": "below", ">=": "at least", "<=": "at most"}


class RuleWriter:
    system = (
        "You write alert rules. Explain briefly, then give the rules in a ```json block: a list "
        'of objects with "metric", "op" (one of >, <, >=, <=), "threshold" (number), '
        '"for_minutes" (integer) and optionally "labels" (object).'
    )

    def __init__(self):
        self._client = Anthropic()

    def _ask(self, wish):
        with self._client.messages.stream(
            model="claude-sonnet-4-5",
            max_tokens=1500,
            system=self.system,
            messages=[{"role": "user", "content": wish}],
        ) as stream:
            return "".join(stream.text_stream)

    def rules(self, wish):
        blocks = FENCE.findall(self._ask(wish))
        return json.loads(blocks[-1])


def describe(rule):
    words = OPERATORS[rule["op"]]
    text = f"{rule['metric']} {words} {float(rule['threshold']):g} for {rule['for_minutes'] * 60}s"
    labels = rule.get("labels") or {}
    return text + "".join(f" {key}={value}" for key, value in sorted(labels.items()))


def alerts(wish):
    return [describe(rule) for rule in RuleWriter().rules(wish)]
