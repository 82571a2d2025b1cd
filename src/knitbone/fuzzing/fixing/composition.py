"""From statements to edits: each goes where its argument is described, or into the main text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knitbone.fuzzing.fixing.docstrings import TextEdit, behind, insertions
from knitbone.fuzzing.fixing.records import ProvenStatement, TextPlace
from knitbone.fuzzing.fixing.statements import MOST_WORDS, sentences, shown_call
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json

__all__ = ["composed_edits", "composed_words", "opening_sentence"]


def composed_words(
    tool: ToolUnderTest, statements: Sequence[ProvenStatement], example: dict[str, Json] | None
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Sentences by argument, as they read in its entry and elsewhere, and those of the tool."""
    own, naming = sentences(tool, statements)
    general: list[str] = []
    if example is not None and statements:
        said = f"Example: {shown_call(tool, example)}"
        words = sum(len(text.split()) for text in own.values()) + len(said.split())
        if words <= MOST_WORDS and shown_call(tool, example) not in tool.documentation:
            general.append(said)
    return own, naming, general


def composed_edits(
    places: Mapping[str, TextPlace],
    own: Mapping[str, str],
    naming: Mapping[str, str],
    general: Sequence[str],
    *,
    opening: str = "",
) -> dict[str, list[TextEdit]]:
    """The edits of each place, by its argument.

    Args:
        places: the main text under ``""``, and descriptions of arguments.
        opening: what a documentation that there is none of begins with.
    """
    main = places[""]
    edits: dict[str, list[TextEdit]] = {}
    for name, place in places.items():
        if name and name in own:
            edits[name] = [behind(place.text, own[name])]
    rest = {name: text for name, text in own.items() if name not in edits}
    if main.kind == "missing":
        said = " ".join([*(naming[name] for name in rest), *general])
        text = f"{opening}\n\n{main.indent}{said}" if said else opening
        edits[""] = [TextEdit(start=0, end=0, text=f"{text}\n{main.indent}" if said else text)]
    elif main.kind == "docstring":
        edits[""] = insertions(main.text, rest, general, naming=naming, indent=main.indent)
    elif rest or general:
        said = " ".join([*(naming[name] for name in rest), *general])
        made = insertions(main.text, rest, general, naming=naming)
        edits[""] = made if "\n" in main.text else [behind(main.text, said)]
    return {name: made for name, made in edits.items() if made}


def opening_sentence(tool: ToolUnderTest) -> str:
    """The first sentence of a documentation that there is none of: the tool's name in words."""
    words = tool.name.replace("_", " ").replace("-", " ").strip()
    return f"{words[:1].upper()}{words[1:]}." if words else "Tool."
