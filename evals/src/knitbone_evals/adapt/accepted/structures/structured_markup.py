"""Consumers of XML, tags and YAML."""

from __future__ import annotations

import random
import re
from xml.sax.saxutils import escape, quoteattr

from knitbone_evals.adapt.accepted.structures.structured_base import (
    AMOUNTS,
    LEADS,
    PEOPLE,
    WORDS,
    ask_prompt,
    crlf,
    fenced,
    fill,
    json_string,
    keys,
    many,
    pad,
    pick,
    prose,
    sentence,
    template,
    value,
    wrapped,
)

XML_HINTS = ("Answer in XML.", "Use XML tags.", "No text outside the XML.")


def xml_text(r: random.Random, text: str) -> str:
    """The text as the content of an element, written in one of several ways."""
    way = r.random()
    if way < 0.2:
        return f"<![CDATA[{text}]]>" if "]]>" not in text else escape(text)
    if way < 0.3:
        return escape(text, {'"': "&quot;", "'": "&apos;", "é": "&#233;", "$": "&#x24;"})
    return escape(text)


def noise(r: random.Random) -> str:
    """An element, comment or instruction that nobody reads."""
    return r.choice(
        (
            "<!-- a comment: a < b -->",
            "<note>" + escape(value(r)) + "</note>",
            "<empty/>",
            "<x:y xmlns:x='urn:x' z=\"1\"/>",
            "<?hint none?>",
            "<br />",
        )
    )


@template("xml-elements", "XML elements")
def _(r: random.Random):
    root, item = r.choice((("items", "item"), ("books", "book"), ("results", "result")))
    one, two = keys(r, 2)
    body = r.choice(
        (
            f'return [(e.findtext("{one}"), e.findtext("{two}", "-")) for e in '
            f'root.findall("{item}")]',
            f'return [{{child.tag: child.text for child in e}} for e in root.iter("{item}")]',
            f'return [[t.strip() for t in e.itertext() if t.strip()] for e in root.iter("{item}")]',
        )
    )
    source = fill(
        """
        import xml.etree.ElementTree as ET


        def handle():
            root = ET.fromstring(ask(@prompt@).strip())
            @body@
        """,
        prompt=ask_prompt(r, f"the {root}", *XML_HINTS),
        body=body,
    )

    def draw(d: random.Random) -> str:
        lines = [f"<{root}>" if d.random() < 0.7 else f"<{root} count=\"2\" lang='de'>"]
        for _ in range(many(d, 1, 5, 20)):
            parts = [f"<{one}>{xml_text(d, value(d))}</{one}>"]
            if d.random() < 0.7:
                parts.append(d.choice((f"<{two}/>", f"<{two}>{xml_text(d, value(d))}</{two}>")))
            if d.random() < 0.2 and "child.tag" not in body:
                parts.insert(d.randint(0, 1), noise(d))
            joint = d.choice(("", "\n    "))
            lines.append(f"  <{item}>{joint}{joint.join(parts)}{joint}</{item}>")
        head = d.choice(("", "", "", '<?xml version="1.0"?>\n'))
        return crlf(d, pad(d, head + "\n".join(lines) + f"\n</{root}>"))

    return source, draw


@template("xml-attributes", "XML attributes")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        from xml.etree import ElementTree


        class Row:
            def __init__(self, element):
                self.@one@ = element.attrib["@one@"]
                self.@two@ = element.get("@two@", "@default@")
                self.text = (element.text or "").strip()

            def as_tuple(self):
                return (self.@one@, self.@two@, self.text)


        def handle():
            tree = ElementTree.XML(ask(@prompt@))
            return [Row(element).as_tuple() for element in tree.iterfind(".//row")]
        """,
        one=one,
        two=two,
        default=r.choice(("", "none", "0")),
        prompt=ask_prompt(r, "the rows", *XML_HINTS),
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 5, 20)):
            attributes = [f"{one}={quoteattr(value(d))}"]
            if d.random() < 0.5:
                attributes.append(f"{two} = {quoteattr(value(d))}")
            if d.random() < 0.3:
                attributes.append(
                    f'id="{d.choice(AMOUNTS).translate({34: 39, 38: None, 60: None})}"'
                )
            d.shuffle(attributes)
            end = d.choice(("/>", " />", "></row>", f">{xml_text(d, value(d))}</row>"))
            lines.append("<row " + " ".join(attributes) + end)
            if d.random() < 0.15:
                lines.append(noise(d))
        inner = "\n".join(lines)
        if d.random() < 0.3:
            inner = f"<group>\n{inner}\n</group>"
        return f"<data>\n{inner}\n</data>" + d.choice(("", "\n"))

    return source, draw


@template("xml-minidom", "XML by minidom")
def _(r: random.Random):
    tag = r.choice(("name", "entry", "fact", "q"))
    source = fill(
        """
        from xml.dom import minidom


        def text_of(node):
            kinds = (node.TEXT_NODE, node.CDATA_SECTION_NODE)
            return "".join(child.data for child in node.childNodes if child.nodeType in kinds)


        def handle():
            with minidom.parseString(ask(@prompt@)) as dom:
                return [text_of(node)@strip@ for node in dom.getElementsByTagName("@tag@")]
        """,
        tag=tag,
        strip=r.choice(("", ".strip()")),
        prompt=ask_prompt(r, "the entries", *XML_HINTS),
    )

    def draw(d: random.Random) -> str:
        parts = []
        for _ in range(many(d, 1, 5)):
            parts.append(f"<{tag}>{xml_text(d, d.choice((value, prose))(d))}</{tag}>")
            if d.random() < 0.15:
                parts.append(noise(d))
        return f"<doc>{d.choice(('', chr(10)))}" + d.choice(("", "\n", " ")).join(parts) + "</doc>"

    return source, draw


@template("xml-cut-from-prose", "XML cut from prose")
def _(r: random.Random):
    root = r.choice(("response", "output", "data"))
    one, two = keys(r, 2)
    source = fill(
        """
        import re
        import xml.etree.ElementTree as ET


        def handle():
            text = ask(@prompt@)
            match = re.search(r"<@root@[\\s>].*</@root@>", text, re.DOTALL)
            node = ET.fromstring(match.group(0))
            several = [n.text for n in node.findall("@two@")]
            return {"@one@": node.find("@one@").text, "@two@": several}
        """,
        root=root,
        one=one,
        two=two,
        prompt=ask_prompt(r, "your response", *XML_HINTS[:2]),
    )

    def draw(d: random.Random) -> str:
        parts = [f"<{one}>{xml_text(d, value(d))}</{one}>"]
        parts += [f"<{two}>{xml_text(d, value(d))}</{two}>" for _ in range(d.randint(0, 3))]
        if d.random() < 0.3:
            parts.append(noise(d))
        d.shuffle(parts)
        text = f"<{root}>\n" + "\n".join(parts) + f"\n</{root}>"
        if d.random() < 0.3:
            text = fenced(d, text, "xml")
        return wrapped(d, text)

    return source, draw


@template("tag-regex", "one tag by regex")
def _(r: random.Random):
    tag = r.choice(("answer", "result", "final", "summary", "sql"))
    fallback = r.random() < 0.4
    source = fill(
        """
        import re


        def handle():
            reply = ask(@prompt@)
            match = re.search(r"<@tag@>(.*?)</@tag@>", reply, re.DOTALL@flags@)
            @ending@
        """,
        tag=tag,
        flags=r.choice(("", " | re.IGNORECASE")),
        prompt=ask_prompt(r, f"the {tag}", f"Put it in <{tag}></{tag}>."),
        ending=(
            "return match.group(1).strip() if match else reply.strip()"
            if fallback
            else "return match.group(1).strip()"
        ),
    )

    def draw(d: random.Random) -> str:
        inner = d.choice((value, sentence, prose, value))(d)
        if fallback and d.random() < 0.4:
            return d.choice((inner, inner, f"<b>{inner}</b>", f"{tag}: {inner}"))
        if d.random() < 0.1:
            inner = f"<b>{inner}</b>"
        blank = d.choice(("", "", "\n", " "))
        text = f"<{tag}>{blank}{inner}{blank}</{tag}>"
        if d.random() < 0.4:
            text = prose(d) + d.choice(("\n", " ", "\n\n")) + text
        if d.random() < 0.3:
            text += "\n" + prose(d)
        return text

    return source, draw


@template("tags-findall", "many tags by findall")
def _(r: random.Random):
    tag = r.choice(("item", "idea", "step", "li", "q"))
    body = r.choice(
        (
            f'return [t.strip() for t in re.findall(r"<{tag}>(.*?)</{tag}>", reply, re.S)]',
            f"return [html.unescape(t) for t in "
            f're.findall(r"<{tag}\\b[^>]*>(.*?)</{tag}>", reply, re.S)]',
            f'return [part.split("</{tag}>")[0].strip() for part in reply.split("<{tag}>")[1:]]',
        )
    )
    source = fill(
        """
        import html
        import re


        def handle():
            reply = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "five of them", f"Each in a <{tag}> tag"),
        body=body,
    )

    def draw(d: random.Random) -> str:
        parts = [d.choice(LEADS)] if d.random() < 0.3 else []
        for _ in range(many(d, 1, 6)):
            start = f'<{tag} id="1">' if "[^>]" in body and d.random() < 0.3 else f"<{tag}>"
            parts.append(f"{start}{d.choice((value, value, prose))(d)}</{tag}>")
            if d.random() < 0.2:
                parts.append(d.choice((noise(d), sentence(d, "<"), "")))
        return crlf(d, d.choice(("\n", "", "\n\n")).join(parts))

    return source, draw


@template("tags-any-name", "tags of any name")
def _(r: random.Random):
    wanted = keys(r, 3)
    source = fill(
        """
        import re

        WANTED = (@wanted@)


        def handle():
            text = ask(@prompt@)
            found = dict(re.findall(r"<(\\w+)>\\s*(.*?)\\s*</\\1>", text, re.DOTALL))
            return @ending@
        """,
        wanted=", ".join(f'"{name}"' for name in wanted),
        prompt=ask_prompt(r, ", ".join(wanted), "Use one XML-like tag for each."),
        ending=r.choice(
            ("{k: found[k] for k in WANTED}", "found", '[(k, found.get(k, "")) for k in WANTED]')
        ),
    )

    def draw(d: random.Random) -> str:
        parts = [f"<{name}>{d.choice((value, prose))(d, '<')}</{name}>" for name in wanted]
        if d.random() < 0.3:
            parts.insert(0, f"<thinking>{prose(d, '<')}</thinking>")
        if d.random() < 0.3:
            parts.append("<other_tag>\n" + value(d, "<") + "\n</other_tag>")
        if d.random() < 0.2:
            d.shuffle(parts)
        return d.choice(("\n", "\n\n", " ")).join(parts)

    return source, draw


@template("tags-partition", "tag by partition")
def _(r: random.Random):
    tag = r.choice(("answer", "translation", "reply"))
    source = fill(
        """
        def between(text, start, end):
            before, found, rest = text.partition(start)
            if not found:
                return before.strip()
            return rest.partition(end)[0].strip()


        def handle():
            return between(ask(@prompt@), "@start@", "@end@")
        """,
        start=(
            start := r.choice((f"<{tag}>", f"[{tag.upper()}]", f"<<{tag}>>", f"{tag.upper()}:"))
        ),
        end=(end := {"<": f"</{tag}>", "[": f"[/{tag.upper()}]"}.get(start[0], "END")),
        prompt=ask_prompt(r, f"the {tag}", f"Between {start} and {end}."),
    )

    def draw(d: random.Random) -> str:
        inner = d.choice((value, sentence, prose))(d)
        if d.random() < 0.35:
            return inner
        lead = sentence(d) + "\n" if d.random() < 0.4 else ""
        tail = f"{d.choice((' ', chr(10)))}{end}" if d.random() < 0.8 else ""
        return f"{lead}{start}{d.choice((' ', chr(10), ''))}{inner}{tail}"

    return source, draw


@template("html-parser", "tags by HTMLParser")
def _(r: random.Random):
    tag = r.choice(("li", "p", "td", "h2"))
    source = fill(
        """
        from html.parser import HTMLParser


        class Collector(HTMLParser):
            def __init__(self):
                super().__init__()
                self.open = False
                self.found = []

            def handle_starttag(self, tag, attrs):
                if tag == "@tag@":
                    self.open = True
                    self.found.append("")

            def handle_endtag(self, tag):
                if tag == "@tag@":
                    self.open = False

            def handle_data(self, data):
                if self.open:
                    self.found[-1] += data


        def handle():
            parser = Collector()
            parser.feed(ask(@prompt@))
            parser.close()
            return [" ".join(text.split()) for text in parser.found]
        """,
        tag=tag,
        prompt=ask_prompt(r, "the page", "as HTML"),
    )

    def draw(d: random.Random) -> str:
        parts = []
        for _ in range(many(d, 1, 5)):
            start = d.choice(
                (f"<{tag}>", f"<{tag.upper()}>", f'<{tag} class="a">', f"<{tag} id=x hidden>")
            )
            text = d.choice(
                (
                    value(d, "<"),
                    f"a <b>{value(d, '<')}</b> c",
                    escape(value(d)),
                    value(d, "<") + "<br>",
                )
            )
            parts.append(f"{start}{text}</{tag}>")
        return d.choice(("", "<!DOCTYPE html>\n", "<div>\n")) + d.choice(("\n", "")).join(parts)

    return source, draw


PLAIN = re.compile(r"[^\W\d_][\w .+%/'()&!?$]*(?<! )\Z")
YAML_TRAPS = [
    "yes",
    "no",
    "on",
    "off",
    "~",
    "null",
    "012",
    "0x1F",
    "1_000",
    "12:30",
    "2024-01-05",
    "1e3",
    "-5",
    "+3",
]
YAML_TRAPS += [
    "1.000,5",
    "5%",
    "3 kg",
    "$12",
    "<5",
    "~10",
    "A-",
    ".5",
    "True",
    "N",
    "y",
    "v2.0.",
    "C++",
    ".NET",
    "0042",
]
YAML_TRAPS += [
    "O'Brien",
    "a#b",
    "x:y",
    "Inc.",
    "-x",
    "...and more",
    "(a)",
    "1, 2",
    "no.",
    "?x",
    "1.0",
    "!!str 5",
    "#\n",
]


def yaml_text(r: random.Random, text: str) -> str:
    """The text as a YAML scalar of one line."""
    way = r.random()
    if way < 0.6 and PLAIN.match(text):
        return text
    if way < 0.5 and "\n" not in text:
        return "'" + text.replace("'", "''") + "'"
    return json_string(r, text, plain=True)


def yaml_scalar(r: random.Random) -> str:
    """A YAML scalar of any type, now and then with a comment behind it."""
    if r.random() < 0.4:
        trap = pick(r, YAML_TRAPS, "\n")
        return trap + (r.choice(("  # sic", " #")) if r.random() < 0.1 else "")
    return yaml_text(r, value(r))


@template("yaml-mapping", "YAML mapping")
def _(r: random.Random):
    one, two, three = keys(r, 3)
    source = fill(
        """
        import yaml


        def handle():
            data = yaml.safe_load(ask(@prompt@))
            @ending@
        """,
        prompt=ask_prompt(r, f"{one}, {two}, {three}", "YAML please.", "Return YAML only"),
        ending=r.choice(
            (
                f'return data["{one}"], data["{two}"], data.get("{three}")',
                f'return {{"{one}": str(data["{one}"]), "{two}": str(data["{two}"])}}',
                "return {str(key): val for key, val in data.items()}",
            )
        ),
    )

    def draw(d: random.Random) -> str:
        lines = [f"{one}: {yaml_scalar(d)}"]
        block = d.choice(("|", ">", "|-", ">-", "|+"))
        lines.append(
            d.choice(
                (
                    f"{two}: {yaml_scalar(d)}",
                    f"{two}: {block}\n  {sentence(d)}\n\n  {sentence(d)}",
                    f"{two}:\n  - {yaml_scalar(d)}\n  - {yaml_scalar(d)}",
                    f"{two}: &x [a, {d.choice(WORDS)}, -5]\nagain: *x",
                    f"{two}: {{a: 1, b: no}}",
                )
            )
        )
        if d.random() < 0.6:
            lines.append(f"{three}:{d.choice(('', ' ~', '  ' + yaml_scalar(d)))}")
        if d.random() < 0.3:
            lines.insert(
                d.randint(0, len(lines)),
                d.choice(("# remark: none", "", "extra key: 'x'", '"q k": 1')),
            )
        if d.random() < 0.2:
            d.shuffle(lines)
        text = d.choice(("", "", "", "---\n", "%YAML 1.1\n---\n")) + "\n".join(lines)
        return text + d.choice(("", "\n", "\n...\n" if not block.endswith("+") else "\n"))

    return source, draw


@template("yaml-records", "YAML list of mappings")
def _(r: random.Random):
    one, two = keys(r, 2)
    top = r.choice(("", "items", "tasks"))
    source = fill(
        """
        from dataclasses import dataclass
        from typing import Any

        import yaml


        @dataclass
        class Task:
            @one@: Any
            @two@: Any = None


        def handle() -> list[Task]:
            data = yaml.safe_load(ask(@prompt@))
            return [Task(entry["@one@"], entry.get("@two@")) for entry in data@top@]
        """,
        one=one,
        two=two,
        top=f'["{top}"]' if top else "",
        prompt=ask_prompt(r, "the tasks", "as a YAML list"),
    )

    def draw(d: random.Random) -> str:
        lines = [f"{top}:"] if top else []
        deep = d.choice(("", "  ")) if top else ""
        for _ in range(many(d, 1, 5, 25)):
            if d.random() < 0.15:
                lines.append(f"{deep}- {{{one}: {d.choice(WORDS)}, {two}: [1, 2]}}")
                continue
            lines.append(f"{deep}- {one}: {yaml_scalar(d)}")
            if d.random() < 0.6:
                lines.append(f"{deep}  {two}: {yaml_scalar(d)}")
            if d.random() < 0.15:
                lines.append(f"{deep}  # {sentence(d)}")
            if d.random() < 0.1:
                lines.append("")
        return crlf(d, "\n".join(lines) + d.choice(("", "\n")))

    return source, draw


@template("yaml-list", "YAML list of scalars")
def _(r: random.Random):
    source = fill(
        """
        import yaml


        def handle():
            answer = ask(@prompt@)
            items = yaml.safe_load(answer)
            return @ending@
        """,
        prompt=ask_prompt(r, "the values", "as a YAML list"),
        ending=r.choice(
            ("items", "[str(item) for item in items]", "[(type(x).__name__, x) for x in items]")
        ),
    )

    def draw(d: random.Random) -> str:
        if d.random() < 0.15:
            return "[" + ", ".join(yaml_text(d, pick(d, PEOPLE, ",[]{}:#")) for _ in range(3)) + "]"
        lines = []
        for _ in range(many(d, 1, 6)):
            lines.append("- " + yaml_scalar(d))
            if d.random() < 0.1:
                lines.append(
                    d.choice(("", "# 1. remark", "-", "- - a\n  - b", "- 'two\n\n  lines'"))
                )
        return d.choice(("", "", "---\n")) + "\n".join(lines)

    return source, draw


@template("yaml-fence", "YAML from a fence, or whole")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        import re

        import yaml

        FENCE = re.compile(r"```ya?ml\\n(?P<body>.*?)```", re.DOTALL)


        def handle():
            text = ask(@prompt@)
            match FENCE.search(text):
                case None:
                    config = yaml.safe_load(text)
                case found:
                    config = yaml.safe_load(found["body"])
            if not isinstance(config, dict):
                return {"@one@": str(config), "@two@": "@default@"}
            return {"@one@": config.get("@one@"), "@two@": config.get("@two@", "@default@")}
        """,
        one=one,
        two=two,
        default=r.choice(("auto", "none", "0")),
        prompt=ask_prompt(r, "a config", "Use a ```yaml block."),
    )

    def draw(d: random.Random) -> str:
        if d.random() < 0.2:
            return d.choice((yaml_text(d, value(d, "`")), d.choice(WORDS), "- a\n- b"))
        lines = [f"{one}: {yaml_text(d, value(d, '`'))}"]
        if d.random() < 0.6:
            lines.append(f"{two}: {d.choice(YAML_TRAPS[:28])}")
        if d.random() < 0.4:
            lines.append("other:\n  - x: 1\n    y: [a, 'b']")
        text = "\n".join(lines)
        return (
            text if d.random() < 0.4 else wrapped(d, f"```{d.choice(('yaml', 'yml'))}\n{text}\n```")
        )

    return source, draw


@template("front-matter", "YAML front matter and a body")
def _(r: random.Random):
    key = r.choice(("title", "tags", "date"))
    source = fill(
        """
        import yaml


        def handle():
            page = ask(@prompt@)
            _, head, body = page.split("---", 2)
            meta = yaml.safe_load(head)
            return meta["@key@"], body.strip()
        """,
        key=key,
        prompt=ask_prompt(r, "a blog post", "with YAML front matter between --- lines"),
    )

    def draw(d: random.Random) -> str:
        while "---" in (scalar := yaml_scalar(d)):
            pass
        more = d.choice(("", "draft: no\n", "layout: post\n"))
        body = prose(d) + (f"\n\n---\n\n## {value(d)}\n\n{prose(d)}" if d.random() < 0.4 else "")
        return f"---\n{key}: {scalar}\n{more}---\n{d.choice(('', chr(10)))}{body}"

    return source, draw
