"""From statements to edits: each goes where its argument is described, or into the main text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knitbone.fuzzing.fixing.docstrings import TextEdit, behind, insertions
from knitbone.fuzzing.fixing.records import ProvenStatement, TextPlace
from knitbone.fuzzing.fixing.statements import MOST_WORDS, sentences, shown_values
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json

__all__ = ["composed_edits", "composed_words", "opening_sentence"]


def composed_words(
    tool: ToolUnderTest, statements: Sequence[ProvenStatement], example: dict[str, Json] | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Sentences by argument, as they read in its entry and elsewhere.

    Args:
        example: a call that the tool takes, of which the values are shown whose format is stated:
            each with its argument, since a whole call is what small models copy.
    """
    own, naming = sentences(tool, statements)
    words = sum(len(text.split()) for text in own.values())
    for name, shown in shown_values(statements, example or {}).items():
        said = f"For example {shown}."
        words += len(said.split())
        if words <= MOST_WORDS:
            own[name], naming[name] = f"{own[name]} {said}", f"{naming[name]} {said}"
    return own, naming


def composed_edits(
    places: Mapping[str, TextPlace],
    own: Mapping[str, str],
    naming: Mapping[str, str],
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
        said = " ".join(naming[name] for name in rest)
        text = f"{opening}\n\n{main.indent}{said}" if said else opening
        edits[""] = [TextEdit(start=0, end=0, text=f"{text}\n{main.indent}" if said else text)]
    elif main.kind == "docstring":
        edits[""] = insertions(main.text, rest, naming=naming, indent=main.indent)
    elif rest:
        said = " ".join(naming[name] for name in rest)
        made = insertions(main.text, rest, naming=naming)
        edits[""] = made if "\n" in main.text else [behind(main.text, said)]
    return {name: made for name, made in edits.items() if made}


def opening_sentence(tool: ToolUnderTest) -> str:
    """The first sentence of a documentation that there is none of: the tool's name in words."""
    words = tool.name.replace("_", " ").replace("-", " ").strip()
    return f"{words[:1].upper()}{words[1:]}." if words else "Tool."
