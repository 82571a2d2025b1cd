"""How the simulated reader fares on the 200 requests: ``python -m ...habits.agreement``.

*Words*: it gives the argument the words that are marked in the request, in any form. *Value*: what
it writes is what the real model wrote. The patterns were made while looking at these requests, so
both are what they reach at best.
"""

from __future__ import annotations

import argparse
from collections import Counter

from knitbone.fuzzing.agents.dialogue import open_dialogue
from knitbone.models.chat import complete_sync
from knitbone_evals.reader.forms import FORMS, write
from knitbone_evals.reader.reader import DocumentationReader
from knitbone_evals.real_model.habits.derive import calls, written_as
from knitbone_evals.real_model.habits.record import ANSWERS, MODEL
from knitbone_evals.real_model.recorder import Replay


def main() -> None:
    """Print both shares, over several seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--missed", action="store_true", help="show where the words are others")
    options = parser.parse_args()
    counted: Counter[str] = Counter()
    for request, real in calls(Replay(ANSWERS, MODEL)):
        for seed in range(options.seeds):
            dialogue = open_dialogue("tool-calling", request.text, [request.tool])
            said = complete_sync(
                DocumentationReader(seed=seed), dialogue.messages, tools=dialogue.tools
            )
            made = said.message.tool_calls[0].arguments
            assert isinstance(made, dict)
            for name, words in request.words.items():
                kind, value = request.kinds[name], made.get(name)
                forms = {write(kind, form, words) for form in FORMS[kind]}
                typed = request.tool.parameters["properties"][name]["type"] == "boolean"  # type: ignore[index, call-overload]
                right = value is not None and (typed or written_as(value) in forms)
                counted["all"] += 1
                counted["words"] += right
                counted["value"] += value is not None and written_as(value) == written_as(
                    (real or {}).get(name)
                )
                if options.missed and seed == 0 and not right:
                    print(f"{request.tool.name}.{name} ({kind}): {words!r} -> {value!r}")
    shares = {which: round(counted[which] / counted["all"], 3) for which in ("words", "value")}
    print(counted["all"], "values:", shares)


if __name__ == "__main__":
    main()
