"""Counts the forms of the recorded calls into the reader's table: ``python -m ...habits.derive``.

For each text argument of each call the forms are sought that make of the request's words what the
model wrote. Where every form would have written the same (``COD`` of ``COD``) nothing is learned;
where several fit, the value is shared out between them by how often each is chosen elsewhere
(expectation maximisation). What no form makes is counted as *other*, and what the model left out as
*left out*: the reader draws neither. Numbers and truth values have the schema's form and are no
habits.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from importlib import resources
from pathlib import Path
from typing import Any

from knitbone.fuzzing.agents.written_calls import read_written_calls
from knitbone_evals.reader.forms import FORMS, write
from knitbone_evals.real_model.habits.record import ANSWERS, MODEL, Request, answer, requests
from knitbone_evals.real_model.recorder import Replay, UnrecordedError

TABLE = "habits.json"
ROUNDS = 100
"""Of expectation maximisation; the counts stand still long before."""
LEAST = 0.05
"""Of a value: what is less is no habit."""


def calls(model: Replay) -> list[tuple[Request, dict[str, Any] | None]]:
    """The recorded requests, each with the arguments of the call; ``None``: it is no call."""
    found: list[tuple[Request, dict[str, Any] | None]] = []
    for request in requests():
        try:
            completion = answer(model, request)
        except UnrecordedError:
            continue
        written = read_written_calls(completion.text, [request.tool])
        asked = completion.message.tool_calls or (written.calls if written else ())
        arguments: Any = asked[0].arguments if len(asked) == 1 else None
        found.append((request, arguments if isinstance(arguments, dict) else None))
    return found


def written_as(value: Any) -> str:
    """The text of a value, whatever its type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def fitting(kind: str, words: str, value: Any) -> list[str]:
    """The forms that write a value; none where all forms agree, ``other`` where none does."""
    made = {form: text for form in FORMS[kind] if (text := write(kind, form, words)) is not None}
    found = [form for form, text in made.items() if text == written_as(value)]
    if not found and "made up" in made and re.fullmatch(r"\d{4}-\d\d-\d\d", written_as(value)):
        return ["made up"]
    if not found:
        return ["other"]
    return [] if len(set(made.values())) == 1 else found


def shared_out(seen: list[list[str]]) -> Counter[str]:
    """How many values each form wrote, of values that one of several forms wrote."""
    weights: Counter[str] = Counter({form: 1.0 for forms in seen for form in forms})
    for _ in range(ROUNDS):
        gained: Counter[str] = Counter()
        for forms in seen:
            total = sum(weights[form] for form in forms)
            for form in forms:
                gained[form] += weights[form] / total
        weights = gained
    return weights


def table(found: list[tuple[Request, dict[str, Any] | None]]) -> dict[str, Any]:
    """Counts by kind and form, and how many requests and values they were made of."""
    seen: dict[str, list[list[str]]] = defaultdict(list)
    for request, arguments in found:
        properties: Any = request.tool.parameters["properties"]
        for name, words in request.words.items() if arguments is not None else ():
            if properties[name]["type"] != "string":
                continue
            value = (arguments or {}).get(name)
            kind = request.kinds[name]
            seen[kind].append(["left out"] if value is None else fitting(kind, words, value))
    told = {kind: [forms for forms in seen[kind] if forms] for kind in FORMS if seen[kind]}
    return {
        "model": MODEL,
        "requests": len(found),
        "calls": sum(arguments is not None for _, arguments in found),
        "values": sum(len(forms) for forms in seen.values()),
        "telling": sum(len(forms) for forms in told.values()),
        "other": sum(forms == ["other"] for each in told.values() for forms in each),
        "forms": {
            kind: {f: round(n, 2) for f, n in shared_out(each).most_common() if n >= LEAST}
            for kind, each in told.items()
        },
    }


def main() -> None:
    """Print the table, or write it where the reader finds it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="over the frozen table")
    parser.add_argument("--others", action="store_true", help="show what no form makes")
    options = parser.parse_args()
    found = calls(Replay(ANSWERS, MODEL))
    text = json.dumps(table(found), indent=1, ensure_ascii=False) + "\n"
    if options.others:
        for request, arguments in found:
            for name, words in request.words.items() if arguments else ():
                value = (arguments or {}).get(name)
                if value is not None and fitting(request.kinds[name], words, value) == ["other"]:
                    print(f"{request.kinds[name]}: {words!r} -> {value!r}")
    elif options.write:
        folder = resources.files("knitbone_evals.reader")
        Path(str(folder.joinpath(TABLE))).write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
