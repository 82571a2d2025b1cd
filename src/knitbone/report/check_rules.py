"""What each finding of ``knitbone check`` means, and what to do about it."""

from __future__ import annotations

import msgspec

__all__ = ["RULES", "FindingRule", "rule_of"]


class FindingRule(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of finding."""

    title: str
    help: str


RULES: dict[str, FindingRule] = {
    "silent-loss": FindingRule(
        title="An answer that does not fit is dropped without an error",
        help="Count or log what is dropped, or let knitbone repair it: put @knitbone.adapt on the "
        "function that starts the work.",
    ),
    "may-raise": FindingRule(
        title="An answer that does not fit raises an error that nothing catches",
        help="Catch the error where you can still ask again, or let knitbone repair the answer.",
    ),
    "first-line-only": FindingRule(
        title='"^" without re.MULTILINE matches at the start of the text only',
        help="Pass re.MULTILINE, or match line by line.",
    ),
    "splitter-of-size-1": FindingRule(
        title="A text is cut into pieces of one unit",
        help="Set the size to what the model's context allows; sizes are characters unless a "
        "length function is given.",
    ),
    "overlap-not-below-size": FindingRule(
        title="The overlap of pieces is as large as the pieces",
        help="Set the overlap to a fraction of the size.",
    ),
    "relevance-threshold-0": FindingRule(
        title="A relevance threshold lets every entry pass",
        help="Set a threshold above 0, or remove it to say that none is meant.",
    ),
    "output-executed-as-it-is": FindingRule(
        title="The whole answer is run as code",
        help="Take the code out of its fence and check it before it runs.",
    ),
    "sql-executed-unchecked": FindingRule(
        title="A statement of the model reaches the database without any check",
        help="Parse the statement, allow only what the application needs, and use a connection "
        "that may not change anything else.",
    ),
    "prompt-and-parser-disagree": FindingRule(
        title="The prompt asks for one format and the code parses another",
        help="Make prompt and parser name the same format.",
    ),
    "key-not-in-the-prompt": FindingRule(
        title="The code reads a key that the prompt does not ask for",
        help="Name the key in the prompt as the code reads it.",
    ),
    "prompt-and-pattern-disagree": FindingRule(
        title="The pattern does not match what the prompt shows as an example",
        help="Change the pattern or the example so that one reads the other.",
    ),
}
"""By the name that comments and baselines use."""


def rule_of(name: str) -> FindingRule:
    """The rule of a finding; one that is not described here speaks for itself."""
    title = name.replace("-", " ")
    return RULES.get(name) or FindingRule(
        title=title.capitalize(), help=f"See the message: {title}."
    )
