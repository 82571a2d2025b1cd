"""How often the classification of a planted fault is the one that its author wrote down.

``python -m knitbone_evals.fuzz.classification`` calls every planted tool with the arguments that
trigger its fault, in the sandbox, makes a finding of it as a campaign does, its arguments made
smaller, and classifies it by the rules. With ``--calls 200`` whole campaigns look for the faults;
only faults that are found are counted then.

The rules were made on the themes of the first half; the other half was only ever scored, and the
table has both, with the majority class as the baseline.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.classification.rules import classify_by_rules
from knitbone.fuzzing.confirmation import minimise
from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.records import CallOutcome, Classification, Finding, FindingKind
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.trials import Trials, sandbox_trial
from knitbone.record.events import Json
from knitbone_evals.fuzz.planted.registry import THEMES, planted
from knitbone_evals.fuzz.planted.specification import Planted
from knitbone_evals.fuzz.scoring import bases

__all__ = ["Judged", "main", "wilson"]

DEVELOPED_ON = ("travel", "measures", "tables", "references", "days")
_KINDS: dict[str, FindingKind] = {
    "raised": "raised",
    "returned text": "returned",
    "hang": "hang",
    "output type": "output_type",
    "nondeterminism": "nondeterminism",
}
_BUDGET = 60
"""Calls for making the arguments of one finding smaller."""
_TIMEOUT_S = 1.0
_Z = 1.959963984540054


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One planted fault and what was said of it."""

    target: str
    theme: str
    category: str
    truth: str
    verdict: str
    sentence: str
    arguments: dict[str, Json]
    lack: str = ""
    finding: Finding | None = None

    @property
    def right(self) -> bool:
        return self.verdict == self.truth


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    share, square = right / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    return middle - half, middle + half


def from_witnesses(tools: list[Planted]) -> Iterator[Judged]:
    """Findings made from the arguments that the tools' author wrote down."""
    for tool in tools:
        with Sandbox(tool.target) as sandbox:
            finding = _finding(sandbox, tool)
            trials = _trials(sandbox)
            said = classify_by_rules(sandbox.tools[0], finding, trials=trials)
            yield _judged(tool, finding, said)


def from_campaigns(tools: list[Planted], calls: int) -> Iterator[Judged]:
    """Findings that campaigns made, those of the planted faults."""
    for tool in tools:
        campaign = fuzz(tool.target, calls=calls, config=FuzzConfig(call_timeout_s=_TIMEOUT_S))
        for finding in campaign.findings:
            frame = finding.frame
            names = bases(finding.exception) if finding.exception else ()
            place = frame.function if frame is not None else ""
            kind = next((k for k, ours in _KINDS.items() if ours == finding.kind), finding.kind)
            if tool.fault.matches(kind, names, place, finding.message):
                with Sandbox(tool.target) as sandbox:
                    said = classify_by_rules(campaign.tool, finding, trials=_trials(sandbox))
                yield _judged(tool, finding, said)
                break


def _trials(sandbox: Sandbox) -> Trials:
    trial = sandbox_trial(sandbox, 0, timeout_s=_TIMEOUT_S)
    return Trials(trial, roots=sandbox.tools[0].roots, most=FuzzConfig().minimise_calls)


def _judged(tool: Planted, finding: Finding, said: Classification) -> Judged:
    return Judged(
        target=tool.target,
        theme=tool.target.partition(":")[0].rpartition(".")[2],
        category=tool.category,
        truth=tool.specification,
        verdict=said.verdict.removesuffix("-specified"),
        sentence=said.sentence or said.lack,
        lack=said.lack,
        finding=finding,
        arguments=finding.arguments,
    )


def _finding(sandbox: Sandbox, tool: Planted) -> Finding:
    spec = sandbox.tools[0]

    def observe(
        arguments: dict[str, Json], *, fresh: bool = False
    ) -> tuple[CallOutcome, FailedCall | None]:
        if tool.before:
            fresh = True
            for earlier in tool.before:
                sandbox.call(0, earlier, timeout_s=_TIMEOUT_S, fresh=fresh)
                fresh = False
        outcome = sandbox.call(0, arguments, timeout_s=_TIMEOUT_S, fresh=fresh)
        return outcome, judge(outcome, arguments, roots=spec.roots)

    outcome, verdict = observe(tool.witness, fresh=True)
    if verdict is None or _KINDS[tool.fault.kind] != verdict.kind:
        # What only a comparison of calls shows is told by the description of the fault.
        kind = _KINDS[tool.fault.kind]
        return Finding(
            id="-", kind=kind, exception=None, frame=None, message=outcome.text[:500],
            arguments=tool.witness, call=1,
        )  # fmt: skip
    arguments = tool.witness
    if verdict.kind in ("raised", "returned"):
        arguments = minimise(
            arguments,
            fails=lambda candidate: (
                (found := observe(candidate)[1]) is not None and found.id == verdict.id
            ),
            budget=_BUDGET,
        )
        verdict = observe(arguments)[1] or verdict
    return Finding(
        id=verdict.id, kind=verdict.kind, exception=verdict.exception, frame=verdict.frame,
        message=verdict.message, arguments=arguments, call=1,
    )  # fmt: skip


def table(judged: list[Judged]) -> Iterator[str]:
    """Accuracy on both halves and on all, beside that of the majority class."""
    majority = Counter(one.truth for one in judged).most_common(1)[0][0]
    halves = {
        "developed on": [one for one in judged if one.theme in DEVELOPED_ON],
        "only scored": [one for one in judged if one.theme not in DEVELOPED_ON],
        "all": judged,
    }
    yield f"{'':14}{'n':>4}  {'rules':>24}  always {majority!r}"
    for name, ones in halves.items():
        if not ones:
            continue
        rows: list[str] = []
        for right in (sum(o.right for o in ones), sum(o.truth == majority for o in ones)):
            low, high = wilson(right, len(ones))
            rows.append(f"{right:>3} = {right / len(ones):.2f} [{low:.2f}, {high:.2f}]")
        yield f"{name:14}{len(ones):>4}  {rows[0]:>24}  {rows[1]}"
    yield ""
    for truth in ("under", "over", "ill"):
        said = Counter(one.verdict for one in judged if one.truth == truth)
        yield f"{truth:14}{said.total():>4}  judged " + ", ".join(
            f"{verdict} {count}" for verdict, count in said.most_common()
        )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m knitbone_evals.fuzz.classification", description=__doc__
    )
    parser.add_argument("--calls", type=int, help="look for the faults with campaigns this long")
    parser.add_argument("--theme", choices=THEMES, action="append", help="these themes only")
    parser.add_argument(
        "--verbose", action="store_true", help="name what was misjudged, in the first half only"
    )
    options = parser.parse_args()
    tools = [
        tool
        for tool in planted()
        if not options.theme or any(f".{theme}:" in tool.target for theme in options.theme)
    ]
    found = from_witnesses(tools) if options.calls is None else from_campaigns(tools, options.calls)
    judged = list(found)
    print(f"{len(judged)} of {len(tools)} planted faults\n")
    print("\n".join(table(judged)))
    if options.verbose:
        for one in judged:
            if not one.right and one.theme in DEVELOPED_ON:
                print(
                    f"{one.target.rpartition(':')[2]:20} is {one.truth}, judged {one.verdict}: "
                    f"{one.sentence[:90]!r} {str(one.arguments)[:80]}"
                )


if __name__ == "__main__":
    main()
