"""The result file as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from knitbone_evals.fuzz.results import FEW, MANY

__all__ = ["markdown"]


def markdown(result: dict[str, Any]) -> str:
    """All tables of the result, one after the other."""
    lines = list(_planted(result["planted"]))
    if "library" in result:
        lines += ["", *_library(result["library"])]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    drawn = result["bootstrap"]
    lines += [
        "",
        f"Seeds {_several(result['seeds'])}; numbers with a slash are those of the seeds, others "
        f"their median. 95 % bootstrap intervals of the median seed, {drawn['resamples']} "
        f"resamples, seed {drawn['seed']}. {versions}.",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _head(*names: str) -> Iterator[str]:
    yield _row(names)
    yield _row("---" for _ in names)


def _several(numbers: Sequence[object]) -> str:
    return " / ".join(str(number) for number in numbers)


def _interval(figure: Sequence[float] | None) -> str:
    if figure is None:
        return "-"
    middle, low, high = figure
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def _middle(numbers: Iterable[float | None]) -> str:
    known = [number for number in numbers if number is not None]
    return f"{statistics.median(known):g}" if known else "-"


def _planted(part: dict[str, Any]) -> Iterator[str]:
    sides: dict[str, Any] = part["sides"]
    names = list(sides)
    yield f"### {part['tools']} tools with one planted fault each, {part['sound tools']} sound ones"
    yield ""
    yield from _head("faults found within so many calls a tool", "tools", *names)
    for place, row in enumerate(sides[names[0]]["groups"]):
        found = (_several(sides[name]["groups"][place]["found"]) for name in names)
        yield _row((row["group"], row["tools"], *found))
    yield _row(("share of the planted", "", *(_interval(sides[name]["share"]) for name in names)))
    calls = (_middle([sides[name]["groups"][0]["median call"]]) for name in names)
    yield _row(("median call of the first sight", "", *calls))
    waits = (_middle([sides[name]["groups"][0]["median seconds"]]) for name in names)
    yield _row(("median seconds to the first sight", "", *waits))
    for figure in sides[names[0]]["summary"]:
        cells = (_several(sides[name]["summary"][figure]) for name in names)
        yield _row((figure, "", *cells))
    missed = part["missed by the baseline"]
    yield ""
    yield (
        f"The baseline finds the fault of {len(missed['tools'])} tools with none of the seeds in "
        f"{MANY:,} calls; of these knitbone finds {_several(missed['found'])} in {FEW}: "
        f"{_interval(missed['share'])}. They are: {', '.join(missed['tools'])}."
    )
    if "reproducers" in part:
        tried = part["reproducers"]
        yield ""
        yield (
            f"Of {tried['commands']} reproducers of one seed, run as commands, "
            f"{tried['same failure']} show the same failure again."
        )


def _library(part: dict[str, Any]) -> Iterator[str]:
    sides: dict[str, list[dict[str, Any]]] = part["sides"]
    yield f"### Unique errors in {part['tools']} library tools"
    yield ""
    yield from _head("over all tools", *sides)
    for name, title in _FIGURES.items():
        yield _row((title, *(_several([one[name] for one in seeds]) for seeds in sides.values())))
    chao = (
        _several([f"{one['chao1']['value']:g} [{one['chao1']['low']:g}, {one['chao1']['high']:g}]"
                  for one in seeds])
        for seeds in sides.values()
    )  # fmt: skip
    yield _row(("Chao1, 95 %", *chao))
    yield ""
    yield (
        f"Either finds {_several(part['union'])} in {MANY:,} calls; knitbone's share of these "
        f"in {FEW} calls: {_several(part['share of the union'])}, median {part['median share']}. "
        f"All seeds together: {part['union of all seeds']}, share "
        f"{_several(part['share of the union of all seeds'])}. Unique errors of knitbone over "
        f"those of the baseline, {FEW} calls each: {_several(part['ratio'])}; of the medians "
        f"{_interval(part['ratio of medians'])}."
    )
    yield ""
    yield from _head("tool (median of the seeds)", *sides, "either, all seeds")
    for row in part["rows"]:
        yield _row((row["tool"], *(f"{number:g}" for number in row["found"]), row["union"]))


_FIGURES = {
    "errors": "unique errors",
    "raised": "raised, or a hang",
    "returned": "returned as text",
    "conforming": "with arguments that meet the schema",
    "calls_per_error": "calls for one unique error",
    "seconds": "seconds for all calls",
    "seconds_per_error": "seconds for one unique error",
    "beyond": "findings that only a sandbox sees",
    "unread": "findings that the common rule does not count",
    "denied": "calls stopped by the sandbox",
    "failed": "workers that died",
}
