"""Findings of ``knitbone fuzz`` and ``fuzz-docs`` as JUnit XML: a suite for each tool, a case for
each finding.

The format has no specification of its own; this is the part that CI servers agree on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from knitbone.common.printable import printable
from knitbone.fuzzing.records import Campaign, Finding
from knitbone.report.fuzz import (
    arguments_line,
    figures,
    judgement,
    place,
    refused_line,
    signature,
    what,
)

__all__ = ["junit_xml"]

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(
    campaigns: Iterable[tuple[Campaign, float]], *, command: str = "knitbone fuzz"
) -> str:
    """The XML of some campaigns, each with the seconds it took.

    Args:
        command: what ran.
    """
    suites = ET.Element("testsuites", name=command)
    for campaign, seconds in campaigns:
        _suite(suites, campaign, seconds)
    for key in ("tests", "failures", "skipped"):
        suites.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    ET.indent(suites)
    body = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _suite(suites: ET.Element, campaign: Campaign, seconds: float) -> None:
    name = _clean(campaign.tool.target)
    counted = [f for f in campaign.findings if f.counts or f.ignored]
    silent = [f for f in counted if f.known or f.ignored]
    refusals = refused_line(campaign)
    failures = len(counted) - len(silent)
    # Where nothing was called, nothing was tried: no test has passed.
    untried = bool(campaign.silence) and not campaign.calls and not counted and not refusals
    suite = ET.SubElement(
        suites,
        "testsuite",
        name=name,
        tests=str(max(len(counted) + bool(refusals), 1)),
        failures=str(failures),
        errors="0",
        skipped=str(len(silent) + bool(refusals) + untried),
        time=f"{seconds:.3f}",
    )
    for finding in counted:
        case = ET.SubElement(
            suite, "testcase", classname=name, name=_clean(f"{what(finding)} {place(finding)}")
        )
        if finding.known or finding.ignored:
            why = "in the baseline" if finding.known else f"ignored: {finding.ignored}"
            ET.SubElement(case, "skipped", message=_clean(why))
        else:
            failure = ET.SubElement(
                case,
                "failure",
                type=_clean(finding.exception or finding.kind),
                message=_clean(printable(_message(finding), limit=500)),
            )
            failure.text = _clean(_details(finding, campaign))
    if refusals:
        case = ET.SubElement(suite, "testcase", classname=name, name="refused on purpose")
        ET.SubElement(case, "skipped", message=_clean(refusals))
    if not counted and not refusals:
        case = ET.SubElement(
            suite, "testcase", classname=name, name=f"{campaign.calls} calls without a failure"
        )
        if untried:
            ET.SubElement(case, "skipped", message=_clean(_summary(campaign)))
    output = ET.SubElement(suite, "system-out")
    output.text = _clean(f"{signature(campaign.tool)}\n{_summary(campaign)}")


def _summary(campaign: Campaign) -> str:
    if campaign.silence:
        return f"no fault was found: {printable(campaign.silence, limit=400)}"
    faults = sum(finding.kind == "misleading" for finding in campaign.findings)
    if not faults:
        return figures(campaign)
    return (
        "1 fault of the documentation" if faults == 1 else f"{faults} faults of the documentation"
    )


def _message(finding: Finding) -> str:
    """What is missing in the documentation, where that is the fault; else what the tool said."""
    found = finding.classification
    if finding.kind == "misleading" and found is not None and found.lack:
        return found.lack
    return finding.says or what(finding)


def _details(finding: Finding, campaign: Campaign) -> str:
    frame = finding.frame
    lines = [f"{campaign.tool.name}({arguments_line(finding)})", what(finding)]
    if frame is not None:
        lines.append(f"{frame.file}:{frame.line}: {frame.source}")
    if finding.classification is not None:
        lines.append(judgement(finding.classification))
    lines.append(finding.reproducer)
    return "\n".join(printable(line, limit=20_000) for line in lines)


def _clean(text: str) -> str:
    """Without what XML 1.0 does not allow."""
    return _NO_XML.sub("\ufffd", text)
