"""A patch changes the documentation and nothing else, in whatever way a file is written."""

from __future__ import annotations

import ast
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.cli.fix import _write_patch  # pyright: ignore[reportPrivateUsage]
from knitbone.fuzzing.fixing.docstrings import TextEdit, applied, behind, insertions, style_of
from knitbone.fuzzing.fixing.literals import EditError, edited_source, literal_of
from knitbone.fuzzing.fixing.patches import (
    ChangedFile,
    _refuse_more_than_texts,  # pyright: ignore[reportPrivateUsage]
    changed_file,
    git_diff,
    write_file,
)
from knitbone.fuzzing.fixing.records import DocumentationFix, DocumentationPatch, TextPlace
from knitbone.fuzzing.fixing.sources import SourceUnreadableError, read_source
from knitbone.fuzzing.fixing.text_places import find_places
from knitbone.fuzzing.records import ToolUnderTest

HEADERS = st.sampled_from(["", "# -*- coding: latin-1 -*-\n", "# coding: utf-8\n", "\n\n"])
TEXTS = st.text(st.sampled_from("ab cé.'\"\\\n\t{}%`:"), min_size=1, max_size=40).filter(
    lambda text: text.strip() and not text.endswith("\\")
)
MORE = st.text(st.sampled_from("xy z.'\"\\\n;0"), min_size=1, max_size=30)


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, str]:
    """A module with a documented function between odd lines, and what ends its lines."""
    indent = draw(st.sampled_from(["    ", "\t", "  "]))
    quote = draw(st.sampled_from(['"""', "'''"]))
    text = draw(TEXTS).replace("\\", "\\\\").replace(quote, " ").replace(quote[0], "")
    header = draw(HEADERS)
    lines = [
        f"{header}import os  # é \t trailing  ",
        "X = 'a\\tb' \\",
        f"{indent}'c'",
        "",
        "class A:",
        f"{indent}y = 1;  z = [ 1,2 ]",
        "",
        f"{indent}def tool(self, a: str) -> str:",
        f"{indent}{indent}{quote}Does a thing called tool, café. {text}{quote}",
        f"{indent}{indent}return 'Does a thing called tool.' [:3]  # keep\t",
        draw(st.sampled_from(["", "# end", "x = 1"])),
    ]
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    made = "\n".join(lines).replace("\n", newline)
    encoding = "latin-1" if "latin" in header else "utf-8"
    mark = b"\xef\xbb\xbf" if "latin" not in header and draw(st.booleans()) else b""
    return mark + made.encode(encoding), newline


@settings(max_examples=60)
@given(file=files(), more=MORE)
def test_everything_else_stays_byte_for_byte(file: tuple[bytes, str], more: str) -> None:
    content, newline = file
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tool.py")
        path.write_bytes(content)
        source = read_source(path)
        function = next(n for n in ast.walk(ast.parse(content)) if isinstance(n, ast.FunctionDef))
        docstring = ast.get_docstring(function)
        tool = ToolUnderTest(
            name="tool",
            target=f"{path}:A.tool",
            documentation=docstring or "",
            schema={"type": "object", "properties": {"a": {"type": "string"}}},
            roots=(str(path),),
        )
        places = find_places(tool)
        assert isinstance(places, dict), places
        place = places[""]
        end = len(place.text)
        changed = changed_file([place], {"": [TextEdit(start=end, end=end, text=f" {more}")]})
        start, stop = place.spans[0]
        assert changed.text[:start] == source.text[:start]
        tail = len(source.text) - stop
        assert changed.text[len(changed.text) - tail :] == source.text[stop:]
        assert read_source(path).content == content, "nothing is written yet"
        new_value = ast.literal_eval(changed.text[start : len(changed.text) - tail])
        assert new_value == f"{place.text} {more}"
        if newline == "\r\n":
            assert "\n" not in changed.text.replace("\r\n", "")
        _git_takes(folder, path, git_diff(changed, name="tool.py"), changed.content)
        path.write_bytes(content)
        write_file(changed)
        assert path.read_bytes() == changed.content


def _git_takes(folder: str, path: Path, patch: DocumentationPatch, wanted: bytes) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    Path(folder, "made.patch").unlink(missing_ok=True)
    tool = ToolUnderTest(name="tool", target="t", documentation="", schema={})
    _write_patch(Path(folder, "made.patch"), [DocumentationFix(tool=tool, patches=(patch,))])
    done = subprocess.run(
        ["git", "apply", "made.patch"], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == wanted


GOOGLE = """Do it.

    Args:
        a: First
        b (int): Second one.
            Goes on.

    Returns:
        What a: is.
    """
NUMPY = """Do it.

    Parameters
    ----------
    a : str
        First
    b : int

    Returns
    -------
    str
    """
SPHINX = """Do it.

    :param a: First
    :param int b: Second
    :returns: it
    """


@pytest.mark.parametrize(
    ("text", "style", "wanted"),
    [
        (
            GOOGLE,
            "google",
            ["        a: First. One.\n", "            Goes on. Two.\n", "        c: Three.\n"],
        ),
        (NUMPY, "numpy", ["        First. One.\n", "    b : int\n        Two.\n", "`c` three."]),
        (
            SPHINX,
            "sphinx",
            [":param a: First. One.\n", ":param int b: Second. Two.\n", ":param c: Three.\n"],
        ),
    ],
)
def test_entries_are_extended_in_their_style(text: str, style: str, wanted: list[str]) -> None:
    assert style_of(text) == style
    edits = insertions(
        text,
        {"a": "One.", "b": "Two.", "c": "Three."},
        naming={"a": "`a` one.", "b": "`b` two.", "c": "`c` three."},
        indent="    ",
    )
    made = applied(text, edits)
    for piece in wanted:
        assert piece in made, made
    for line in text.split("\n"):
        assert line.strip() in made


def test_a_plain_docstring_gets_a_sentence() -> None:
    edits = insertions("Do it", {"a": "One."}, naming={"a": "`a` one."}, indent="    ")
    assert applied("Do it", edits) == "Do it.\n\n    `a` one.\n    "


@pytest.mark.parametrize("source", ['f"x {1}"', "b'x'", "1 + 1"])
def test_what_is_no_plain_text_is_not_edited(source: str) -> None:
    with pytest.raises(EditError):
        literal_of(source, 0, len(source))


def test_a_raw_string_takes_no_escapes() -> None:
    literal = literal_of('r"""a\\d"""', 0, 10)
    edit = TextEdit(start=3, end=3, text=" more")
    assert edited_source('r"""a\\d"""', literal, [edit], "\n") == 'r"""a\\d more"""'
    with pytest.raises(EditError):
        edited_source('r"""a\\d"""', literal, [TextEdit(start=3, end=3, text="\\")], "\n")


_PLACE = TextPlace(file="a.py", spans=((0, 10),), kind="docstring", text="Old.")


@pytest.mark.parametrize(
    "after",
    [
        '"""Old."""\nprice = 1\n',
        '"""Old."""\ncost = "1"\n',
        '"""Old."""\ncost = 1 + 1\n',
    ],
)
def test_a_change_of_anything_but_a_text_is_refused(after: str) -> None:
    with pytest.raises(ValueError, match="would change"):
        _refuse_more_than_texts('"""Old."""\ncost = 1\n', after, [_PLACE])


def test_a_changed_text_is_allowed_once_for_each_place() -> None:
    before = '"""Old."""\ncost = "1"\n'
    _refuse_more_than_texts(before, '"""New."""\ncost = "1"\n', [_PLACE])
    with pytest.raises(ValueError, match="would change"):
        _refuse_more_than_texts(before, '"""New."""\ncost = "2"\n', [_PLACE])


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = 'def f():\n    """Old text of it."""\n'
    path.write_text(text, encoding="utf-8")
    start = text.index('"""')
    spans = ((start, len(text) - 1),)
    place = TextPlace(file=str(path), spans=spans, kind="docstring", text="New text of it.")
    with pytest.raises(EditError, match="changed"):
        changed_file([place], {"": [TextEdit(start=0, end=0, text="x")]})


def test_what_somebody_wrote_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n", encoding="utf-8")
    changed = ChangedFile(source=read_source(path), text="x = 2\n")
    path.write_text("x = 3\n", encoding="utf-8")
    with pytest.raises(EditError, match="changed since"):
        write_file(changed)
    assert path.read_text(encoding="utf-8") == "x = 3\n"
    assert list(tmp_path.iterdir()) == [path]


def test_an_undecodable_file_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b'"""\xff"""\n')
    with pytest.raises(SourceUnreadableError):
        read_source(path)


ENDS = st.sampled_from(
    [
        ">>> tool(\"red\")\n{0}'RED'",
        ">>> tool(\n{0}...     \"red\")\n{0}'RED'",
        "```json\n{0}{{}}\n{0}```",
        "~~~\n{0}x\n{0}~~~",
        "| a | b |\n{0}| --- | --- |\n{0}| 1 | 2 |",
        "So::\n\n{0}    tool(1)",
        "So::\n\n{0}    tool(1)\n\n{0}    tool(2)",
        "$ tool red\n{0}RED",
    ]
)


@given(
    end=ENDS,
    style=st.sampled_from(["plain", "google", "sphinx"]),
    indent=st.sampled_from(["", "    "]),
)
def test_what_is_no_prose_gets_no_full_stop(end: str, style: str, indent: str) -> None:
    inner = indent + "        "
    text = {
        "plain": f"Do it.\n\n{indent}{end.format(indent)}",
        "google": f"Do it.\n\n{indent}Args:\n{indent}    a: First one.\n{inner}{end.format(inner)}",
        "sphinx": f"Do it.\n\n{indent}:param a: First one.\n{inner}{end.format(inner)}",
    }[style]
    said = "At least 1."
    made = applied(text, insertions(text, {"a": said}, naming={"a": said}, indent=indent))
    assert made.count(said) == 1
    kept = made.splitlines()
    for line in text.splitlines()[1:]:
        assert line in kept or ("a: " in line and line.partition("a: ")[2] in made), made
    if style == "plain":
        assert applied(text, [behind(text, said)]) == f"{text}\n\n{said}"


@given(lead=st.sampled_from(["Number, for example::", "Colour, e.g.::"]))
def test_an_entry_that_announces_a_block_keeps_its_colons(lead: str) -> None:
    text = f"Do it.\n\nArgs:\n    a: {lead}\n\n        3\n"
    said = "At least 1."
    made = applied(text, insertions(text, {"a": said}, naming={"a": said}))
    assert f"a: {said} {lead}\n\n        3" in made
