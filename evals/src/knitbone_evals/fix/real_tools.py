"""Five tools of other people: the patch, that git applies it, unique errors before and after."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec

from knitbone.fuzzing.fixing import DocumentationFix, DocumentationFixed, FixSetting, fix

__all__ = ["TARGETS", "fix_real_tools"]

TARGETS = (
    "bfcl_eval.eval_checker.multi_turn_eval.func_source_code.math_api:MathAPI.square_root",
    "coding_open_agent_tools.dependencies.analysis:calculate_dependency_tree",
    "llm_tools_patch:patch_multi_edit",
    "arcade_math.tools.exponents:log",
    "arcade_math.tools.rounding:round_num",
)
"""All with findings in evals/docs/fuzz_field_trial.md."""
CALLS = {"llm_tools_patch:patch_multi_edit": 200}
"""Fewer than 200 come to no normal result."""


def fix_real_tools() -> dict[str, object]:
    """The figures of all five, and their patches."""
    rows: list[dict[str, object]] = []
    for target in TARGETS:
        made = _fixed(target)
        row: dict[str, object] = {
            "target": target,
            "statements": [statement.text for statement in made.statements],
            "dropped": len(made.dropped),
            "trials": made.trials,
            "before": msgspec.to_builtins(made.before),
            "after": msgspec.to_builtins(made.after),
            "refusal": msgspec.to_builtins(made.refusal),
            "patch": "".join(_shortened(patch.diff) for patch in made.patches),
            "git_apply": all(_is_applied(patch.file, patch.diff) for patch in made.patches),
        }
        rows.append(row)
        print(json_line(row), flush=True)
    compared = [row for row in rows if row["after"] is not None]
    totals = {when: _total(compared, when) for when in ("before", "after")}
    return {
        "calls": [CALLS.get(target, 100) for target in TARGETS],
        "seed": 0,
        **totals,
        "tools": rows,
    }


def _total(rows: list[dict[str, object]], when: str) -> dict[str, int]:
    counts = [count for row in rows if isinstance(count := row[when], dict)]
    return {name: sum(count[name] for count in counts) for name in ("unique", "within")}


def json_line(row: dict[str, object]) -> str:
    patch = row["patch"]
    counts = {key: row[key] for key in ("target", "before", "after", "git_apply", "refusal")}
    return f"{counts}\n{patch}"


def _fixed(target: str) -> DocumentationFix:
    setting = FixSetting(calls=CALLS.get(target, 100), seed=0, check=True)
    found = [e.fix for e in fix(target, setting) if isinstance(e, DocumentationFixed)]
    return found[0]


def _shortened(diff: str) -> str:
    """The diff with names that begin at the package."""
    lines = diff.split("\n")
    for number in (0, 1):
        mark, _, path = lines[number].partition(" ")
        lines[number] = f"{mark} {path[:2]}{_in_package(path[2:])}"
    return "\n".join(lines)


def _in_package(path: str) -> str:
    parts = path.split("/")
    names = {target.partition(":")[0].split(".")[0] for target in TARGETS}
    begin = next((n for n, part in enumerate(parts) if part.removesuffix(".py") in names), 0)
    return "/".join(parts[begin:])


def _is_applied(file: str, diff: str) -> bool:
    """Whether ``git apply`` takes a patch on a copy of its file in a repository of its own."""
    name = diff.split("\n", 1)[0].removeprefix("--- a/")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, name)
        copy.parent.mkdir(parents=True)
        shutil.copy(file, copy)
        before = copy.read_bytes()
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        done = subprocess.run(
            ["git", "apply", "--verbose", "-"],
            cwd=folder,
            input=diff.encode(),
            capture_output=True,
            check=False,
        )
        return done.returncode == 0 and copy.read_bytes() != before
