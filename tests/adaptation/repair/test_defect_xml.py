"""XML: what is repaired, what is left alone, and the contracts."""

import re
from xml.etree import ElementTree as ET

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.repair.structured.xml import HEURISTICS, MAX_TEXT, root_of
from knitbone.adaptation.testing import (
    Evidence,
    Invocation,
    PromptMessage,
    StructuredTemplate,
    prepare_check,
)
from knitbone.common.structured.shape import Field, Shape
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="parse(text)")
ET_PARSER = "xml.etree.ElementTree.fromstring"
NUMBER = Shape(type="integer", convertible=True)


def fields(**named):
    return tuple(Field(name=name, shape=shape) for name, shape in named.items())


def template(*, parser=ET_PARSER, **named):
    shape = Shape(type="object", fields=fields(**named))
    return StructuredTemplate(format="xml", shape=shape, parser=parser, evidence=EVIDENCE)


ANSWER = template(verdict=Shape(), reason=Shape())
SCORE = template(score=NUMBER)
DATED = template(day=Shape(type="date", convertible=True, reading="date.fromisoformat"))
KIND = template(kind=Shape(values=("bug", "feature")))
ITEM = Shape(type="object", fields=fields(title=Shape(), qty=NUMBER))
ORDER = template(item=Shape(type="array", items=ITEM))
ATTRIBUTE = template(item=Shape(type="object", fields=(Field(name="@id", shape=Shape()),)))
CITY = template(**{"@city": Shape(), "name": Shape()})
DICT = template(parser="xmltodict.parse", answer=Shape(type="object", fields=fields(a=Shape())))
LXML = template(parser="lxml.etree.fromstring", a=Shape())
TASK = template(due_date=Shape(), owner=Shape())


def run(requirement, text, *, said="", without=(), budget_ms=60_000):
    config = AdaptConfig(without=tuple(without), budget_ms=budget_ms)
    messages = [PromptMessage(role="user", text=said)] if said else []
    return prepare_check(requirement)(text, Invocation(config, asked=lambda: messages))


GOOD = "<r><verdict>yes</verdict><reason>It is.</reason></r>"
TOUR = '<tour city="Bath"><name>Abbey</name></tour>'
REPAIRED = {
    "an element around the document": (CITY, f"<answer>\n{TOUR}\n</answer>", TOUR),
    "an element around the document, prose": (CITY, f"So:\n<answer>{TOUR}</answer>", TOUR),
    "a date in words": (
        DATED,
        "<r><day> 5 May 2024 </day></r>",
        "<r><day>2024-05-05</day></r>",
    ),
    "fence": (ANSWER, f"```xml\n{GOOD}\n```", GOOD),
    "prose": (ANSWER, f"Here is it:\n{GOOD}\nAnything else?", GOOD),
    "blanks before the declaration": (
        ANSWER,
        f' \n<?xml version="1.0"?>\n{GOOD}',
        f'<?xml version="1.0"?>\n{GOOD}',
    ),
    "an empty element behind a wrong tag": (
        ANSWER,
        GOOD.replace("</reason></r>", "</verdict><reason></verdict></r>"),
        GOOD.replace("</r>", "<reason></reason></r>"),
    ),
    "another closing tag": (ANSWER, GOOD.replace("</reason>", "</verdict>"), GOOD),
    "closing tag in another case": (ANSWER, GOOD.replace("</reason>", "</Reason>"), GOOD),
    "closing tag missing": (ANSWER, GOOD.replace("</verdict>", ""), GOOD),
    "closing tag missing at the end": (ANSWER, GOOD.replace("</r>", ""), GOOD),
    "cut off in a closing tag, all else there": (ANSWER, GOOD[: -len("son></r>")], GOOD),
    "cut off in the last tag": (
        ORDER,
        "<o><item><title>A</title><qty>1</qty></item></",
        "<o><item><title>A</title><qty>1</qty></item></o>",
    ),
    "closing tag too many": (ANSWER, GOOD.replace("</r>", "</b></r>"), GOOD),
    "closing tag missing, lines": (
        ANSWER,
        "<r>\n  <verdict>yes\n  <reason>It is.</reason>\n</r>\n",
        "<r>\n  <verdict>yes</verdict>\n  <reason>It is.</reason>\n</r>",
    ),
    "items that are not closed": (
        ORDER,
        "<o><item><title>A</title><qty>1</qty><item><title>B</title><qty>2</qty></item></o>",
        "<o><item><title>A</title><qty>1</qty></item><item><title>B</title><qty>2</qty></item></o>",
    ),
    "ampersand": (
        ANSWER,
        GOOD.replace("It is.", "R&D &amp; x"),
        GOOD.replace("It is.", "R&amp;D &amp; x"),
    ),
    "less than": (ANSWER, GOOD.replace("It is.", "1 < 2"), GOOD.replace("It is.", "1 &lt; 2")),
    "a tag in the content": (
        ANSWER,
        GOOD.replace("It is.", "a List<String> here"),
        GOOD.replace("It is.", "a List&lt;String> here"),
    ),
    "a name of HTML": (
        ANSWER,
        GOOD.replace("It is.", "a&nbsp;b"),
        GOOD.replace("It is.", "a&#160;b"),
    ),
    "no root": (
        ANSWER,
        "<verdict>yes</verdict>\n<reason>It is.</reason>",
        "<root><verdict>yes</verdict><reason>It is.</reason></root>",
    ),
    "no root around one": (SCORE, "<score>3</score>", "<root><score>3</score></root>"),
    "no root around a list": (
        ORDER,
        "<item><title>A</title><qty>1</qty></item>\n<item><title>B</title><qty>2</qty></item>",
        "<root><item><title>A</title><qty>1</qty></item>"
        "<item><title>B</title><qty>2</qty></item></root>",
    ),
    "thoughts before the answer": (ANSWER, f"<thinking>Hm & so.</thinking>\n{GOOD}", GOOD),
    "names in another case": (
        ANSWER,
        "<r><Verdict>yes</Verdict><Reason>It is.</Reason></r>",
        GOOD,
    ),
    "names in another style": (
        TASK,
        "<t><dueDate>1 May</dueDate><owner>Ada</owner></t>",
        "<t><due_date>1 May</due_date><owner>Ada</owner></t>",
    ),
    "a list in another case": (
        ORDER,
        "<o><Item><title>A</title><qty>1</qty></Item></o>",
        "<o><item><title>A</title><qty>1</qty></item></o>",
    ),
    "attributes": (
        ATTRIBUTE,
        "<r><item id=5 name='a\"b' kind=\u201cx\u201d>A</item></r>",
        '<r><item id="5" name=\'a"b\' kind="x">A</item></r>',
    ),
    "an attribute with an ampersand": (
        ATTRIBUTE,
        '<r><item id="a&b">A</item></r>',
        '<r><item id="a&amp;b">A</item></r>',
    ),
    "a number": (SCORE, "<r><score>1,234</score></r>", "<r><score>1234</score></r>"),
    "a value": (KIND, "<r><kind> Bug </kind></r>", "<r><kind> bug </kind></r>"),
    "a document in a dictionary": (DICT, "<answer><A>x</A></answer>", "<answer><a>x</a></answer>"),
    "an encoding that lxml refuses": (
        LXML,
        '<?xml version="1.0" encoding="UTF-8"?>\n<r><a>x</a></r>',
        "<r><a>x</a></r>",
    ),
    "control characters": (ANSWER, GOOD.replace("It is.", "It\x00 is."), GOOD),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_documents_are_brought_into_the_form_of_the_code(name):
    requirement, text, expected = REPAIRED[name]
    verdict = run(requirement, text)
    assert (verdict.disposition, verdict.text) == ("repaired", expected), verdict.reason
    assert verdict.rules
    assert verdict.edits
    assert run(requirement, expected).text is expected


CONFORMING = {
    "as wanted": (ANSWER, GOOD),
    "with a declaration and comments": (ANSWER, f'<?xml version="1.0"?><!-- x -->{GOOD}\n'),
    "two texts for one element, and all tags right": (
        ANSWER,
        GOOD.replace("</r>", "<reason/></r>"),
    ),
    "longer than what is repaired": (ANSWER, GOOD.replace("It is", "It is" * MAX_TEXT)),
    "CDATA": (ANSWER, GOOD.replace("It is.", "<![CDATA[a < b & c]]>")),
    "deeper than looked for": (ANSWER, f"<a><b>{GOOD}</b></a>"),
    "an empty list": (ORDER, "<o></o>"),
    "blanks around a number": (SCORE, "<r><score> 3 </score></r>"),
    "a namespace": (ANSWER, GOOD.replace("<r>", '<r xmlns="urn:x">')),
    "more elements": (ANSWER, GOOD.replace("</r>", "<more/></r>")),
    "a plain document type": (ANSWER, f"<!DOCTYPE r>{GOOD}"),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_what_the_code_reads_is_left_alone(name):
    requirement, text = CONFORMING[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "conforming", verdict
    assert verdict.text is text


BOMB = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r><verdict>&b;</verdict></r>'
REFUSED = {
    "a date that may be another": (DATED, "<r><day>03/04/2024</day></r>"),
    "no root that has the attribute": (CITY, "<name>Abbey</name><name>Bridge</name>"),
    "two documents in one element": (CITY, f"<all>{TOUR}{TOUR.replace('Bath', 'York')}</all>"),
    "prose": (ANSWER, "I do not know."),
    "empty": (ANSWER, ""),
    "two texts for one element behind a wrong tag": (
        ANSWER,
        GOOD.replace("</reason></r>", "</verdict><reason>It is not.</reason></r>"),
    ),
    "the second one says what the first does not": (
        ANSWER,
        GOOD.replace("<reason>", "<reason></reason></b><reason>"),
    ),
    "an element is missing": (ANSWER, "<r><verdict>yes</verdict></r>"),
    "cut off in a text": (ANSWER, "<r><verdict>yes</verdict><reason>It i"),
    "cut off in a number": (SCORE, "<r><score>12"),
    "cut off in a tag": (ANSWER, "<r><verdict>yes</verdict><reas"),
    "cut off behind one of a list": (ORDER, "<o><item><title>A</title><qty>1</qty></item>\n"),
    "a tag whose bracket would be text": (ORDER, "<o><item a><item><title>A</title></item></o>"),
    "two documents": (SCORE, "<r><score>1</score></r><r><score>2</score></r>"),
    "entities": (ANSWER, BOMB),
    "an external entity": (ANSWER, '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///x">]><r>&x;</r>'),
    "a number in words": (SCORE, "<r><score>three</score></r>"),
    "two values": (KIND, "<r><kind>bug or feature</kind></r>"),
    "an attribute twice": (ATTRIBUTE, "<r><item id='1' id='2'>A</item></r>"),
    "an attribute without a value": (ATTRIBUTE, "<r><item id>A</item></r>"),
    "another document": (ANSWER, "<html><body>x</body></html>"),
    "an unclosed comment": (ANSWER, "<r><!-- <verdict>a</verdict></r>"),
    "half of a surrogate pair": (ANSWER, GOOD.replace("It is.", "\ud800")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_in_doubt_nothing_is_done(name):
    requirement, text = REFUSED[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "refused", verdict.text
    assert verdict.text is text
    assert verdict.reason


@pytest.mark.parametrize("parser", ["app.parse", "langchain_core.output_parsers.XMLOutputParser"])
def test_a_parser_that_is_not_known_is_not_checked(parser):
    assert prepare_check(template(parser=parser, a=Shape())) is None


def test_without_names_there_is_nothing_to_check():
    assert prepare_check(template()) is None


@pytest.mark.parametrize(
    ("heuristic", "requirement", "text"),
    [
        ("structured.xml_tags", ANSWER, GOOD.replace("</verdict>", "")),
        ("structured.xml_text", ANSWER, GOOD.replace("It is.", "a & b")),
        ("structured.xml_root", ANSWER, f"So: {GOOD}"),
        ("structured.xml_names", ANSWER, GOOD.replace("reason>", "Reason>")),
        ("structured.xml_types", SCORE, "<r><score>1,234</score></r>"),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, requirement, text):
    assert heuristic in HEURISTICS
    assert run(requirement, text).disposition == "repaired"
    assert run(requirement, text, without=[heuristic]).disposition == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 150_000,
        "<a>" * 60_000 + "</a>" * 60_000,
        "<" * 400_000,
        "<a " * 150_000,
        "<a b=" * 80_000,
        "&" * 400_000,
        "&a" * 200_000,
        "<!--" * 100_000,
        "<![CDATA[" * 50_000,
        "<item>" * 40_000 + "<o>" * 40_000,
        "</a>" * 100_000,
        "<verdict>x" * 40_000,
        "<a>x</a>" * 60_000,
        "<r>" + " " * 400_000,
        "<r><item>" + "<item><title>" * 20_000,
    ],
    ids=range(15),
)
def test_hostile_text_is_passed_on(text):
    for requirement in (ANSWER, ORDER, DICT):
        try:
            verdict = run(requirement, text, budget_ms=2_000)
        except TimeoutError:
            continue
        assert verdict.text is text


_ROWS = "".join(f'<task id="{n}"><title>t{n}</title><hours>{n}</hours></task>' for n in (1, 2, 3))
_TASKS = f"<tasks>{_ROWS}</tasks>"
_SECOND = _TASKS.index('<task id="2">')
_TASK = Shape(type="object", fields=fields(title=Shape(), hours=NUMBER))


@given(
    start=st.integers(0, 12),
    length=st.integers(0, 13),
    new=st.text("<>/&;task id=\"2'~-!", max_size=3),
)
@settings(max_examples=500, deadline=None)
def test_a_damaged_opening_tag_loses_no_record(start, length, new):
    place = _SECOND + start
    text = _TASKS[:place] + new + _TASKS[min(place + length, _SECOND + 13) :]
    verdict = run(template(task=Shape(type="array", items=_TASK)), text)
    if verdict.disposition == "repaired":
        root = ET.fromstring(verdict.text)
        assert [task.findtext("title") for task in root.findall("task")] == ["t1", "t2", "t3"]


_PARTS = st.sampled_from(
    [
        "<r>",
        "</r>",
        "<verdict>",
        "</verdict>",
        "<reason>",
        "</reason>",
        "<Reason>",
        "</Reason>",
        "<item>",
        "</item>",
        "<title>",
        "</title>",
        "<qty>",
        "</qty>",
        "3",
        "1,234",
        "yes",
        " ",
        "\n",
        "&",
        "<",
        "&amp;",
        "&nbsp;",
        "```xml\n",
        "```",
        "text ",
        "<b/>",
        "<item id=5>",
        "\ud800",
        "<!-- c -->",
        "<![CDATA[<x>]]>",
        "<score>",
        "</score>",
        "<answer>",
        "</answer>",
        "<a>",
        "</a>",
    ]
)
_TEXTS = st.one_of(st.lists(_PARTS, max_size=14).map("".join), st.text('<>/ra&"= ', max_size=40))
_TEMPLATES = st.sampled_from([ANSWER, SCORE, ORDER, ATTRIBUTE, DICT, LXML])


@settings(max_examples=contract_examples(), deadline=None)
@given(requirement=_TEMPLATES, text=_TEXTS)
def test_contracts(requirement, text):
    verdict = run(requirement, text)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    again = run(requirement, verdict.text)
    assert again.disposition == "conforming"
    assert again.text is verdict.text
    root = ET.fromstring(verdict.text)
    answered = text.replace("&nbsp;", "\xa0").replace("&amp;", "&").replace(",", "")
    # A stray tag that is taken out joins what stood around it.
    joined = re.sub(r"<[^<>]*>", "", answered)
    for piece in root.itertext():
        for word in re.findall(r"\w+", piece.replace(",", "")):
            assert word in answered or word in joined


class StoppedError(Exception):
    pass


def test_a_long_document_is_parsed_no_further_than_the_time_allows():
    fed = []

    def pause():
        fed.append(None)
        if len(fed) == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        root_of("<a>" * 600_000, pause)
    assert root_of(GOOD, lambda: None).find("reason").text == "It is."


_SLOT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@settings(max_examples=contract_examples(), deadline=None)
@given(verdict=_SLOT, reason=_SLOT)
def test_a_slot_never_loses_a_character(verdict, reason):
    root = ET.Element("r")
    for name, content in (("verdict", verdict), ("reason", reason)):
        ET.SubElement(root, name).text = content
    text = ET.tostring(root, encoding="unicode")
    assert run(ANSWER, text).text is text
    broken = f"Sure:\n{text.replace('</verdict>', '</Verdict>')}\n"
    found = run(ANSWER, broken)
    if "&" in text:
        return
    assert found.disposition == "repaired" or not verdict
    if found.disposition == "repaired":
        again = ET.fromstring(found.text)
        assert (again.findtext("verdict"), again.findtext("reason")) == (verdict, reason)


FEED = "<feed><item><title>A</title><qty>3</qty></item></feed>"
PROMPT = "Answer with <feed> <item><title>..</title></item></feed>"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (FEED.replace("<feed>", '<feed xmlns="http://www.w3.org/2005/Atom">'), FEED),
        (FEED.replace("<feed>", "<feed a='b' xmlns='x'>"), FEED.replace("<feed>", "<feed a='b'>")),
        (FEED.replace("<feed>", "<feed>\n<items>").replace("</feed>", "</items>\n</feed>"), None),
        ('```xml\n<feed xmlns="x"><list>' + FEED[6:-7] + "</list></feed>\n```", FEED),
    ],
)
def test_what_the_prompt_does_not_show_around_the_items_is_taken_off(text, wanted):
    wanted = wanted or FEED.replace("<feed>", "<feed>\n").replace("</feed>", "\n</feed>")
    verdict = run(ORDER, text, said=PROMPT)
    assert (verdict.disposition, verdict.text) == ("repaired", wanted)
    assert verdict.rules
    assert run(ORDER, wanted, said=PROMPT).text is wanted


def test_each_of_both_can_be_switched_off():
    for text, heuristic in ((NAMESPACED, "xml_namespace"), (AROUND, "xml_wrapper")):
        assert run(ORDER, text, said=PROMPT).text == FEED
        assert run(ORDER, text, said=PROMPT, without=(f"structured.{heuristic}",)).text is text


NAMESPACED = FEED.replace("<feed>", '<feed xmlns="x">')
AROUND = FEED.replace("<feed>", "<feed><items>").replace("</feed>", "</items></feed>")


@pytest.mark.parametrize(
    ("requirement", "text", "said"),
    [
        (ORDER, NAMESPACED, ""),
        (ORDER, NAMESPACED, 'Answer with <feed xmlns="x"><item>'),
        (ORDER, NAMESPACED, "Write a feed with items"),
        (template(**{"a:item": Shape(type="array")}), NAMESPACED, PROMPT),
        (ORDER, NAMESPACED.replace("xmlns", "xmlns:a"), PROMPT),
        (ORDER, AROUND, ""),
        (ORDER, AROUND, PROMPT + " or <items><item></item></items>"),
        (ORDER, AROUND, "Answer with <feed><title/><item></item></feed>"),
        (ORDER, AROUND.replace("</feed>", "<item/></feed>"), PROMPT),
        (ORDER, AROUND.replace("<items>", "<items a='b'>"), PROMPT),
        (template(items=Shape(type="array")), AROUND, PROMPT),
        (ORDER, FEED, PROMPT),
    ],
)
def test_what_the_prompt_leaves_open_stays(requirement, text, said):
    assert run(requirement, text, said=said).text is text
