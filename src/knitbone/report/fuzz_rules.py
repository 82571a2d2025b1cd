"""What each kind of finding of ``knitbone fuzz`` means, and what to do about it."""

from __future__ import annotations

from knitbone.fuzzing.records import FindingKind
from knitbone.report.check_rules import FindingRule

__all__ = ["FUZZ_RULES", "rule_name"]

_ARGUMENTS = (
    "Handle these arguments, refuse them in the argument schema, or say in the documentation what "
    "is not allowed."
)

FUZZ_RULES: dict[FindingKind, FindingRule] = {
    "raised": FindingRule(title="The tool raises an error", help=_ARGUMENTS),
    "returned": FindingRule(title="The tool returns an error as text", help=_ARGUMENTS),
    "exit": FindingRule(
        title="The tool ends the process",
        help="Raise an exception in place of sys.exit or os._exit: the agent ends with it.",
    ),
    "crash": FindingRule(
        title="The tool kills the process",
        help="A native library failed: check the arguments before they reach it.",
    ),
    "hang": FindingRule(
        title="The tool does not answer in time",
        help="Bound the loop, the recursion or the wait; give network calls a time limit.",
    ),
    "memory": FindingRule(
        title="The tool uses more memory than allowed",
        help="Bound the sizes that arguments can ask for.",
    ),
    "output": FindingRule(
        title="The tool returns or prints more than allowed",
        help="Cut the result: an agent cannot read megabytes.",
    ),
    "processes": FindingRule(
        title="The tool starts too many processes, or leaves some running",
        help="Wait for the processes that the tool starts, and bound their number.",
    ),
    "disk": FindingRule(
        title="The tool writes more than allowed",
        help="Bound the sizes that arguments can ask for.",
    ),
    "threads": FindingRule(
        title="The tool leaves threads running",
        help="Join the threads that the tool starts, or use one pool for all calls.",
    ),
    "files": FindingRule(
        title="The tool leaves files or sockets open",
        help="Open files and connections with a with statement.",
    ),
    "outside": FindingRule(
        title="The tool reaches for files that it was not asked for",
        help="Keep to the folder that the tool works in, or name the file in an argument.",
    ),
    "network": FindingRule(
        title="The tool connects to a host that it was not asked for",
        help="Say in the documentation which hosts the tool uses, and allow them: --allow-host.",
    ),
    "output_type": FindingRule(
        title="The result is not of the declared type",
        help="Correct the declaration or the result: agents and validators believe it.",
    ),
    "nondeterminism": FindingRule(
        title="The same arguments give other results",
        help="Sort what comes from sets and folders; say in the documentation what changes.",
    ),
    "misleading": FindingRule(
        title="The documentation misleads an agent",
        help="Write the missing sentence: which values the argument takes, and what they mean.",
    ),
}


def rule_name(kind: FindingKind) -> str:
    """The name of the rule in reports for machines: ``tool-raised``."""
    return f"tool-{kind.replace('_', '-')}"
