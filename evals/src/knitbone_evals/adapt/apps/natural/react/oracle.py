"""One action, one input: what the agent shall do is told, and told once."""

import re

FIELD = re.compile(r"^(?:Thought|Action|Action Input):", re.MULTILINE)


def passes(result, answer):
    inputs = {found.strip() for found in re.findall(r"^Action Input:(.*)$", answer, re.MULTILINE)}
    return (
        len(inputs) == 1
        and bool(result["action"])
        and "\n" not in result["action"]
        and not any(FIELD.search(result[name]) for name in ("thought", "action", "input"))
    )


def slots(result):
    return [result["thought"], result["action"], result["input"]]
