"""``mend_xml``: a record whose opening tag is damaged is never left out of its list."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.common.structured.xml_tree import mend_xml

_ROWS = "".join(f'<task id="{n}"><title>t{n}</title><hours>{n}</hours></task>' for n in (1, 2, 3))
_TEXT = f"<tasks>{_ROWS}</tasks>"
_SECOND = _TEXT.index('<task id="2">')


def _nests(outer: str, inner: str) -> bool | None:
    if not outer:
        return inner in ("task", "title", "hours") or None
    return (outer, inner) in {("tasks", "task"), ("task", "title"), ("task", "hours")} or None


@given(
    start=st.integers(0, 12),
    length=st.integers(0, 13),
    new=st.text("<>/&;task id=\"2'~-!", max_size=3),
)
@settings(max_examples=500, deadline=None)
def test_a_damaged_opening_tag_loses_no_record(start: int, length: int, new: str) -> None:
    place = _SECOND + start
    text = _TEXT[:place] + new + _TEXT[min(place + length, _SECOND + 13) :]
    mended = mend_xml(text, _nests)
    if mended is None or not mended.edits:
        return
    for begin, end, written, _ in sorted(mended.edits, reverse=True):
        text = text[:begin] + written + text[end:]
    try:
        root = ET.fromstring(text)
    except ET.ParseError:
        return  # the check of the answer refuses it
    assert [task.findtext("title") for task in root.findall("task")] == ["t1", "t2", "t3"]


def test_a_doubled_closing_tag_and_a_misspelt_one_are_mended() -> None:
    assert mend_xml(_TEXT.replace("</task>", "</task></task>", 1), _nests) is not None
    misspelt = mend_xml(_TEXT.replace("t1</title>", "t1</hours>"), _nests)
    assert misspelt is not None
    assert len(misspelt.edits) == 2
