"""What models write around a value, and answers that hold no value, or more than one.

``{v}`` is the value, ``{w}`` another one that the consumer reads, ``{noun}`` what was asked for.
"""

from __future__ import annotations

__all__ = ["AROUND_BLOCKS", "AROUND_VALUES", "TRAPS", "TRAPS_OF_BLOCKS"]

AROUND_VALUES: dict[str, tuple[str, ...]] = {
    "marks": (
        "{v}.", "**{v}**", "`{v}`", '"{v}"', "'{v}'", "*{v}*.", "- {v}", "> {v}", "**{v}.**", "({v})",
        "[{v}]", "### {v}", "  {v}\n", "<answer>{v}</answer>", "“{v}”",
    ),
    "fences": (
        "```\n{v}\n```", "```text\n{v}\n```", "Here is the {noun}:\n\n```\n{v}\n```",
        "```\n{v}\n```\n\nThis is the {noun}.", "Sure!\n\n```plaintext\n{v}\n```\n\nLet me know!",
    ),
    "labels": (
        "Answer: {v}", "**Answer:** {v}", "Final answer: {v}", "The answer is {v}.", "{Noun}: {v}",
        "**{Noun}:** {v}", "**{Noun}**: {v}.", "{noun} = {v}", "The answer is:\n\n{v}", "Output: `{v}`",
        "## {Noun}\n\n{v}", "Question: what is the {noun}?\nAnswer: {v}", "### Answer\n**{v}**",
    ),
    "sentences": (
        "The {noun} is {v}.", "Sure! The {noun} is {v}.", "The {noun} is **{v}**.",
        'The {noun} is "{v}".', "The {noun} is `{v}`.", "The {noun} is: {v}",
        "Based on the text, the {noun} is {v}.", "Based on the information provided, the {noun} is **{v}**.",
        "According to the text you gave, the {noun} is {v}.", "It is {v}.", "That is {v}.",
        "{v} is the {noun}.", "**{v}** is the {noun}.", "The correct {noun} is {v}.",
        "The {noun} mentioned in the text is {v}.", "As the text says, the {noun} is {v}.",
        "After reading the text, the {noun} comes to {v}.", "Therefore, the {noun} is {v}.",
        "So the {noun} is {v}.", "I found the {noun}: {v}.",
    ),
    "remarks": (
        "{v}\n\nLet me know if you need anything else!", "{v}\n\nI hope this helps!",
        "Sure! Here is the {noun}:\n\n{v}", "Certainly! Here you go:\n{v}",
        "Here is the {noun} you asked for:\n\n**{v}**\n\nLet me know if you have questions.",
        "{v}\n\nThis was taken from the text.", "{v}\n\nExplanation: the text says so.",
        "{v} (as the text says)", "{v}, as stated in the text.", "The {noun} is {v}. The text says so plainly.",
        "{v} - taken from the text.", "{v}\n\n(Taken from the third line of the text.)",
    ),
    "reasoning": (
        "<think>Let me see. The text says it.</think>\n{v}",
        "<think>Is it {w}? No, that is something else.</think>\n\n{v}",
        "Let us read the text. It says it plainly.\n\nThe {noun} is {v}.",
        "To find the {noun}, we read the text.\n\n**{v}**",
        "The text says that the {noun} is {v}. So the answer is {v}.",
        "The {noun} is {v}.\n\n{v}", "Step one: read the text.\nStep two: answer.\n\nAnswer: {v}",
        "1. Read the text.\n2. Find the {noun}.\n\nFinal answer: {v}",
    ),
}  # fmt: skip
"""Surroundings in which the value is the one that was asked for."""

TRAPS: dict[str, tuple[str, ...]] = {
    "two": (
        "{v} or {w}", "The {noun} is {v} or {w}.", "Either {v} or {w}.", "{v} and {w}", "{v}, {w}", "{v} / {w}",
        "{v}\n{w}", "- {v}\n- {w}", "The text names {v} and also {w}.", "**{v}** or **{w}**",
        "1. {v}\n2. {w}", "First answer: {v}\nSecond answer: {w}", "The old one is {v}, the new one {w}.",
        "The other one is {w}; the {noun} is {v}.", "It was {w} before and is {v} now.",
    ),
    "negated": (
        "not {v}", "It is not {v}.", "The {noun} isn't {v}.", "not {v} but {w}", "{v}? No, {w}.",
        "The {noun} is not {v}, it is {w}.", "It is {v}, not {w}.", "Anything but {v}.", "Never {v}.",
        "The {noun} can't be {v}.", "There is no {v}.", "It is no longer {v}.", "The {noun} is hardly {v}.",
        "{v} is wrong.", "{v} is incorrect.", "{v} would be the wrong {noun}.", "I ruled out {v}.",
        "The {noun} differs from {v}.", "Everything except {v}.",
    ),
    "doubt": (
        "It might be {v}.", "Perhaps {v}.", "{v}?", "Is it {v}?", "I am not sure, but {v}.", "{v} or so",
        "If the text is right, {v}.", "It could be {v}.", "Possibly {v}, possibly something else.",
        "I cannot tell whether it is {v}.", "{v} unless the text is wrong.", "Maybe {v}",
        "It is unclear; the text hints at {v}.",
    ),
    "range": (
        "between {v} and {w}", "from {v} to {w}", "{v} to {w}", "{v} - {w}", "{v}–{w}", "{v} at most",
        "before {v}", "after {v}", "at least {v}", "more than {v}", "over {v}",
    ),
    "mention": (
        "Your message mentions {v}, but I need more details.", "For example: {v}",
        "Please answer with something like {v}.", "An example of the {noun} would be {v}.",
        "I cannot answer that. A typical {noun} looks like this: {v}",
        "You asked whether the {noun} is {v}.", "The previous {noun} was {v}.", "The {noun} used to be {v}.",
        "The text that mentions {v} says nothing about the {noun}.", "Excluding {v}, there is nothing.",
        "The default is {v}.", "Somebody claims that it is {v}.",
    ),
    "nothing": (
        "I don't know.", "I'm sorry, but I can't help with that.", "The text does not say.", "N/A", "",
        "As a language model I have no access to that.", "Please provide the text.",
        "There is no {noun} in the text.", "None",
    ),
}  # fmt: skip
"""Answers of which the value must not be taken."""

AROUND_BLOCKS: dict[str, tuple[str, ...]] = {
    "marks": ("{v}\n", "\n{v}\n\n", "```\n{v}\n```", "```{tag}\n{v}\n```"),
    "lead-ins": (
        "Here is the {noun}:\n\n{v}", "Sure! Here is the {noun} you asked for:\n{v}", "{Noun}:\n\n{v}",
        "**{Noun}**\n\n{v}", "Certainly. I have put it all together below.\n\n{v}", "## {Noun}\n\n{v}",
        "Of course!\n\nHere you go:\n\n{v}",
        "Based on the information provided, I have made the {noun} for you.\n\n{v}",
    ),
    "remarks": (
        "{v}\n\nLet me know if you need anything else!", "{v}\n\nI hope this helps.",
        "{v}\n\nThis is the {noun} as you asked for it.", "{v}\n\nNote: the figures are from the text.",
        "{v}\n\nThe {noun} holds everything that the text says.",
    ),
    "both": (
        "Here is the {noun}:\n\n```\n{v}\n```\n\nLet me know if you need anything else!",
        "Here is the {noun}:\n\n```{tag}\n{v}\n```\n\nIt was made from the text.",
        "Sure!\n\n{v}\n\nI hope this helps!",
        "The {noun} looks like this.\n\n{v}\n\nEverything was taken from the text.",
        "<think>They want it as asked.</think>\n\n{v}",
        "To make the {noun}, I read the text first.\n\n```{tag}\n{v}\n```\n\nEach part comes from the text.",
    ),
}  # fmt: skip

TRAPS_OF_BLOCKS: dict[str, tuple[str, ...]] = {
    "two": (
        "Here is one:\n\n{v}\n\nHere is another:\n\n{w}", "{v}\n\nor\n\n{w}",
        "```{tag}\n{v}\n```\n\n```{tag}\n{w}\n```", "Before:\n\n{w}\n\nAfter:\n\n{v}",
    ),
    "nothing": TRAPS["nothing"],
}  # fmt: skip
