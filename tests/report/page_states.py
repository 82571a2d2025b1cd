"""Every page that the project writes, in the states that a person may meet it in."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
from page_support import HOSTILE
from test_adaptation_page import outcome, seen
from test_check_page import APP
from test_check_page import shown as checked
from test_diagnosis_page import call, examined, plain
from test_documentation_page import confused, result, searched
from test_fuzz_reports import FINDINGS, FRAME, TOOL, campaign, finding
from test_html import case, diagnosed
from test_html import page as demo

from knitbone.fuzzing.records import Attempt, Classification, FindingKind
from knitbone.report.adaptation_html import adaptation_page
from knitbone.report.diagnosis_html import diagnosis_page
from knitbone.report.documentation_html import documentation_page
from knitbone.report.fuzz_html import fuzz_page
from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.interchange.importers import import_bytes

RTL = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd (close) \u0645\u0631\u062d\u0628\u0627 12"
LONG = "W" * 5_000
BAD = " ".join(HOSTILE) + f" {RTL} {LONG} \x1b[31mred\x1b[0m"
"""What nobody should be able to do to a page, at once."""


def _tool(number, *findings):
    return campaign(*findings, tool=msgspec.structs.replace(TOOL, name=f"tool_{number}"))


def _hostile_tool():
    bad = finding(
        message=BAD, arguments={"note": BAD, RTL: LONG}, reproducer="knitbone " + "\x1b" * 6_000,
        frame=msgspec.structs.replace(FRAME, source=BAD, file=f"/inn/{LONG}.py"),
        classification=Classification(verdict="under-specified", lack=BAD),
    )  # fmt: skip
    tool = msgspec.structs.replace(TOOL, name=LONG, target=LONG, documentation=BAD)
    return campaign(
        bad, tool=tool, behaviours=(BAD,), stopped=BAD,
        attempts=(Attempt(action="connect", object=BAD),),
    )  # fmt: skip


def _hostile_search():
    tool = msgspec.structs.replace(TOOL, name=LONG, target=LONG, documentation=BAD)
    return searched(result(BAD), tool=tool, stopped=BAD, agent=BAD)


def _hostile_run():
    messages = [
        {"role": "user", "content": BAD},
        call("find", {"x": BAD}, 1, content=BAD),
        {"role": "tool", "tool_call_id": "c1", "content": "Error: " + BAD},
        call(HOSTILE[0], {HOSTILE[1]: BAD}, 2),
        {"role": "tool", "tool_call_id": "c2", "content": "Error: " + BAD},
        {"role": "assistant", "name": LONG, "content": BAD},
    ]
    value = json.dumps({"messages": messages, "success": False, "task": BAD})
    return examine(import_bytes(value.encode(), path=f"{LONG}.json")[0].run)


def _unhappy():
    return examine(
        import_bytes(b'{"messages": [{"role": "user", "content": "hi"}]}', path="x")[0].run
    )


def states(folder):
    """The pages by name.

    Args:
        folder: where sources are written for ``knitbone check``.
    """
    run, good = plain(), examined([("find", {"x": "R100"}, "ok")], success=True)
    kinds = [finding(20 + k, kind=kind) for k, kind in enumerate(get_args(FindingKind))]
    changed = [case(), case(name="refused", action="refused", after=None, tasks=0)]
    diagnoses = [diagnosed(), diagnosed(turning_point=None, rank=None, step=3)]
    bad_case = case(before=BAD, after=BAD, why=BAD, name=LONG)
    bad_run = diagnosed(task=BAD, headline=BAD, reason=BAD, hints=(BAD,), action=BAD, name=LONG)
    bad_seen = dict.fromkeys(("site", "requirement", "evidence", "before", "after", "reason"), BAD)
    source = APP.replace("Greet ", LONG).replace("rating", "'</script>" + RTL)
    return {
        "demo": demo(changed, diagnoses, [campaign(*FINDINGS), campaign()]),
        "demo-empty": demo(),
        "demo-hostile": demo(
            [bad_case], [bad_run], [_hostile_tool()], requirement=BAD, evidence=BAD
        ),
        "fuzz": fuzz_page([campaign(*FINDINGS, *kinds)]),
        "fuzz-empty": fuzz_page([campaign()]),
        "fuzz-many": fuzz_page([_tool(k, *FINDINGS[: k % 4]) for k in range(100)]),
        "fuzz-hostile": fuzz_page([_hostile_tool(), *map(_tool, range(3))]),
        "documentation": documentation_page([searched(), searched(result()), confused()]),
        "documentation-empty": documentation_page([searched()]),
        "documentation-hostile": documentation_page([_hostile_search(), confused(BAD)]),
        "diagnosis": diagnosis_page([run]),
        "diagnosis-empty": diagnosis_page([]),
        "diagnosis-stepless": diagnosis_page([_unhappy()], left_out=3),
        "diagnosis-many": diagnosis_page([run, good, run, _unhappy()] * 25),
        "diagnosis-hostile": diagnosis_page([_hostile_run(), run, good]),
        "adaptation": adaptation_page(outcome(seen(), seen(site="b.py:1"), seen(after=None)),
                                      ("python", "app.py"), "observe"),
        "adaptation-empty": adaptation_page(outcome(processes=0), ("python", "app.py"), "repair"),
        "adaptation-hostile": adaptation_page(
            outcome(seen(**bad_seen, rules=(BAD,)), untouched={BAD: BAD}), (BAD,), "observe"
        ),
        "check": checked(folder),
        "check-empty": checked(folder, "print(1)\n", command=""),
        "check-hostile": checked(
            folder, source, not_adapted=BAD, notes=[(BAD, "")], command=f"knitbone check {LONG}"
        ),
    }  # fmt: skip
