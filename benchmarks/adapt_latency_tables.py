"""The latency result as Markdown."""

from __future__ import annotations

from typing import Any

__all__ = ["render"]


def render(result: dict[str, Any]) -> str:
    """All tables."""
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    return "\n".join(
        [
            f"### {result['title']}",
            "",
            *_kinds(result["kinds"]),
            *_prose(result["prose"]),
            *_json(result["broken json"]),
            *_hostile(result["adversarial"]),
            *_memory(result["memory"]),
            f"{result['rounds']} rounds{_repeated(result)}; {versions}.",
            result.get("note", ""),
            "",
        ]
    )


def _repeated(result: dict[str, Any]) -> str:
    times = result.get("repeated", 1)
    return f", the quietest of {times} measurements of each row" if times > 1 else ""


def _kinds(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "Microseconds for an answer of about 2 KB; the ratio is to the consumer's own reader. "
        "*Default*: default settings; *all*: all scenario requirements switched on.",
        "",
        "| kind | reader p50 | conforming, default: p50 / p95 / p99 | ratio "
        "| conforming, all: p50 "
        "| repair: p50 / p95 / p99 | repair beyond the reader | of a model call of 1 s |",
        "| --- |" + " --- |" * 7,
    ]
    for row in rows:
        usual, repair = row["default"], row["repair"]
        lines.append(
            f"| {row['kind']} | {row['reader us']} | {_three(usual)} | {usual['ratio']} "
            f"| {row['all']['p50']} | {_three(repair)}{'' if repair['repaired'] else ' (refused)'} "
            f"| {repair['beyond the reader']} | {usual['of a model call']:.4%} |"
        )
    return [*lines, ""]


def _three(found: dict[str, Any]) -> str:
    return f"{found['p50']} / {found['p95']} / {found['p99']}"


def _prose(found: dict[str, Any]) -> list[str]:
    embedded = found["texts embedded in a call"]
    lines = [
        f"| {found['sentences']} new sentences ({embedded} texts embedded), "
        "all scenario requirements "
        "| p50 / p95 / p99, ms | of a model call |",
        "| --- | --- | --- |",
    ]
    for name in ("with embeddings", "without", "every sentence embedded"):
        times = " / ".join(f"{found[name][share] / 1e3:.2f}" for share in ("p50", "p95", "p99"))
        lines.append(f"| {name} | {times} | {found[name]['of a model call']:.2%} |")
    return [*lines, ""]


def _json(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| broken JSON | characters | knitbone, ms | json-repair, ms | ratio |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        ratio = f"{row['ratio_median']} ({row['ratio_min']} to {row['ratio_max']})"
        cells = [row["faults"], f"{row['characters']:,}", row["knitbone_ms"], row["json_repair_ms"]]
        lines.append("| " + " | ".join(map(str, [*cells, ratio])) + " |")
    return [*lines, ""]


def _hostile(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| adversarial text | characters | slowest kind, s | which | changed by |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row['text']} | {row['characters']:,} | {row['seconds']} | {row['slowest kind']} "
        f"| {', '.join(row['changed']) or 'none'} |"
        for row in rows
    ]
    return [*lines, ""]


def _memory(found: dict[str, int]) -> list[str]:
    lines = ["| peak memory of a process | MB |", "| --- | --- |"]
    lines += [f"| {name} | {number} |" for name, number in found.items()]
    return [*lines, ""]
