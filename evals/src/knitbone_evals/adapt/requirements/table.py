"""The figures as Markdown, and what differs, for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from knitbone_evals.adapt.requirements.scoring import Judged, Score

__all__ = ["render", "render_differences"]


def render(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = [f"### {result['title']}", ""]
    lines += [
        "| part | applications | lines | sites: recall | precision | requirements: recall "
        "| precision | wrong at high confidence | s per 10,000 lines |",
        "| --- |" + " --- |" * 8,
    ]
    for split, found in result["splits"].items():
        sites, requirements = found["sites"]["all"], found["requirements"]["all"]
        cells = [
            str(len(found["applications"])),
            f"{found['lines']:,}",
            *_cells(sites),
            *_cells(requirements),
            f"{found['wrong at high confidence']} of {found['at high confidence']}",
            f"{found['seconds per 10,000 lines']:.2f}",
        ]
        lines.append(f"| {split} | " + " | ".join(cells) + " |")
    splits = list(result["splits"])
    lines += ["", "| kind | " + " | ".join(f"{s}: recall | precision" for s in splits) + " |"]
    lines.append("| --- |" + " --- |" * 2 * len(splits))
    first = result["splits"][splits[0]]
    for group in ("sites", "requirements"):
        for kind in (kind for kind in first[group] if kind != "all"):
            cells = [cell for s in splits for cell in _cells(result["splits"][s][group][kind])]
            name = f"{kind} (site)" if group == "sites" else kind
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    packages = [
        f"{name} {version}"
        for found in result["splits"].values()
        for name, version in found["applications"].items()
        if version
    ]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    lines += ["", f"Packages: {', '.join(packages)}." if packages else "No packages."]
    lines += [
        "95 % bootstrap intervals, applications drawn first and then their members, seed "
        f"{result['seed']}; n in brackets; {versions}.",
        "",
    ]
    return "\n".join(lines)


def _cells(found: dict[str, Any]) -> list[str]:
    return [
        _cell(found["recall"], found["labels"]),
        _cell(found["precision"], found["reported"]),
    ]


def _cell(values: list[float] | None, n: int) -> str:
    if values is None:
        return "- (0)"
    return "{:.2f} [{:.2f}, {:.2f}] ({})".format(*values, n)


def render_differences(scores: Sequence[Score]) -> str:
    """Each miss and each false report on a line of its own."""
    lines: list[str] = []
    for score in scores:
        wrong = [
            *_wrong("missed", score.site_labels),
            *_wrong("false", score.sites_found),
            *_wrong("missed", score.requirement_labels),
            *_wrong("false", score.requirements_found),
        ]
        lines += [f"{score.name}: {line}" for line in wrong]
    return "\n".join(lines)


def _wrong(word: str, judged: Iterable[Judged]) -> list[str]:
    return [f"{word} {each.shown}" for each in judged if not each.right]
