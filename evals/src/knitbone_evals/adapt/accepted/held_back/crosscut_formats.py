"""Programs that read a format: JSON, pydantic, CSV, XML, YAML."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from xml.sax.saxutils import escape

from knitbone_evals.adapt.accepted.held_back.crosscut_vocabulary import (
    Parts,
    blanks,
    extra,
    fill,
    joined,
    json_text,
    name,
    paragraph,
    prose,
    rows,
    sentence,
    several,
    template,
    text_line,
    value,
)


@template("json-get", "JSON")
def json_get(random: Random) -> Parts:
    """A JSON object with a default for an optional key."""
    source = fill(
        random,
        """
        import json

        def extract(mail: str) -> tuple:
            data = json.loads(ask(f"Return JSON with name, company, phone (optional).\\n\\n{mail}"))
            return data["name"], data["company"], data.get("phone", <<default>>)

        def handle():
            return extract("Hi, this is Zoë from Acme.")
        """,
        default=random.choice(("None", '""', '"n/a"')),
    )

    def draw(random: Random) -> str:
        data: dict[str, object] = {"name": name(random), "company": value(random)}
        if random.random() < 0.6:
            data["phone"] = random.choice(("+49 (0)30 1234-5", "0042", None, 112, "", "1-800-NO"))
        return blanks(random, json_text(random, extra(random, data)))

    return source, draw, ()


@template("json-fence", "JSON in a fence")
def json_fence(random: Random) -> Parts:
    """A fence that is taken off if there is one."""
    source = fill(
        random,
        """
        import json

        def parse_json(text: str) -> dict:
            text = text.strip()
            if text.startswith("```"):
                text = text.split("\\n", 1)[1].rsplit("```", 1)[0]
            return json.loads(text)

        def handle():
            <<a>> = parse_json(ask("Summarise the commit as JSON: {title, body, files}"))
            return {key: <<a>>[key] for key in ("title", "body", "files")}
        """,
    )

    def draw(random: Random) -> str:
        data = {
            "title": text_line(random),
            "body": prose(random),
            "files": random.choice(([], ["a.py", "b c.txt"], [value(random)])),
        }
        text = json_text(random, extra(random, data))
        fence = random.choice(("{}", "```json\n{}\n```", "```\n{}\n```", "```JSON \n{}```"))
        return blanks(random, fence.replace("{}", text))

    return source, draw, ()


@template("json-braces", "JSON between braces")
def json_braces(random: Random) -> Parts:
    """From the first brace to the last one."""
    source = fill(
        random,
        """
        import json

        class JsonOutputParser:
            def parse(self, text):
                start, end = text.find("{"), text.rfind("}")
                if start == -1:
                    raise ValueError("no JSON in answer")
                return json.loads(text[start : end + 1])

        def handle():
            <<a>> = ask("Plan the trip. JSON with keys city, days, budget.")
            plan = JsonOutputParser().parse(<<a>>)
            return plan["city"], int(plan["days"]), plan["budget"]
        """,
    )

    def draw(random: Random) -> str:
        data: dict[str, object] = {
            "city": random.choice(("Zürich", "L'Aquila", "St. John's", "東京", "No, Tuva", "{x}")),
            "days": random.choice((3, "3", "03", 1.0, -2)),
            "budget": random.choice((None, "$1,000", 1e3, {"eur": 900.5}, [100, 50], "~10 €")),
        }
        lead = random.choice(
            ("", "Sure! Here is the plan:\n", prose_without_braces(random) + "\n\n")
        )
        tail = random.choice(
            ("", "\n```", "\n\nEnjoy your trip :)", "\n\n" + sentence(random, "{}"))
        )
        text = json_text(random, extra(random, data))
        return lead + ("```json\n" if "```" in tail else "") + text + tail

    return source, draw, ()


def prose_without_braces(random: Random) -> str:
    """Some prose in which no brace occurs."""
    return " ".join(sentence(random, "{}") for _ in range(random.randint(1, 4)))


@template("json-records", "JSON array")
def json_records(random: Random) -> Parts:
    """An array of objects made into dataclasses."""
    source = fill(
        random,
        """
        import json
        from dataclasses import dataclass

        @dataclass(<<frozen>>)
        class Card:
            front: str
            back: str
            tags: tuple = ()

        def cards(topic):
            rows = json.loads(ask(f"Flash cards on {topic}: JSON array of front/back/tags."))
            return [Card(r["front"], r["back"], tuple(r.get("tags") or ())) for r in rows]

        def handle():
            return cards("the French revolution")
        """,
        frozen=random.choice(("frozen=True", "order=True", "")),
    )

    def card(random: Random) -> dict[str, object]:
        data: dict[str, object] = {"front": text_line(random), "back": value(random)}
        if random.random() < 0.5:
            data["tags"] = random.choice((None, [], ["c#", "no."], [value(random)]))
        return extra(random, data)

    return source, lambda random: json_text(random, [card(random) for _ in range(rows(random))]), ()


@template("pydantic-model", "pydantic")
def pydantic_model(random: Random) -> Parts:
    """A model with optional fields, defaults and a nested list."""
    source = fill(
        random,
        """
        from typing import Optional
        from pydantic import BaseModel, Field

        class Item(BaseModel):
            label: str
            amount: float = Field(<<bound>>)

        class Invoice(BaseModel):
            number: str
            customer: Optional[str] = None
            items: list[Item] = []
            paid: bool = False

        def handle():
            prompt = f"Extract the invoice.\\n{Invoice.model_json_schema()}"
            return Invoice.model_validate_json(ask(prompt))
        """,
        bound=random.choice(("...", "description='in euro'", "gt=-1e9")),
    )

    def draw(random: Random) -> str:
        amounts = (0, -5, 1e3, "12.50", "+3", 9.99, "-0.5", "1e3")
        data: dict[str, object] = {
            "number": random.choice(("0042", "R-7/24", "No. 3", "#1", "N/A"))
        }
        if random.random() < 0.6:
            data["customer"] = random.choice((None, "", name(random)))
        if random.random() < 0.7:
            data["items"] = [
                extra(random, {"label": text_line(random), "amount": random.choice(amounts)})
                for _ in range(rows(random) - 1)
            ]
        if random.random() < 0.5:
            data["paid"] = random.choice((True, False, "yes", "no", "off", 1, "0", "T"))
        return blanks(random, json_text(random, extra(random, data)))

    return source, draw, ()


@template("pydantic-strict", "pydantic")
def pydantic_strict(random: Random) -> Parts:
    """A model with a Literal, an alias, a validator and a fallback."""
    source = fill(
        random,
        """
        from datetime import date
        from typing import Literal
        from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

        class Event(BaseModel):
            model_config = ConfigDict(populate_by_name=True, extra="<<extra>>")
            title: str = Field(min_length=1)
            day: date = Field(alias="date")
            kind: Literal["talk", "party", "other"] = "other"

            @field_validator("title")
            @classmethod
            def tidy(cls, v: str) -> str:
                return " ".join(v.split())

        FALLBACK = Event(title="(unreadable)", day=date(1970, 1, 1))

        def handle():
            try:
                return Event.model_validate_json(ask("Event as JSON: title, date, kind"))
            except ValidationError:
                return FALLBACK
        """,
        extra=random.choice(("ignore", "allow")),
    )

    def draw(random: Random) -> str:
        if random.random() < 0.33:
            return random.choice(
                ("There is no event in this mail.", "N/A", sentence(random), prose(random))
            )
        data: dict[str, object] = {
            "title": random.choice((text_line(random), "  two\tblanks  ", value(random))),
            random.choice(("date", "day")): random.choice(
                ("2024-02-29", "1999-12-31", 86400 * 365)
            ),
        }
        if random.random() < 0.6:
            data["kind"] = random.choice(("talk", "party", "other"))
        return json_text(random, extra(random, data))

    return source, draw, ()


@template("csv-dict", "CSV")
def csv_dict(random: Random) -> Parts:
    """CSV with a header."""
    comma = random.choice((",", ",", ";", "\t"))
    option = "" if comma == "," else f", delimiter={json.dumps(comma)}"
    source = fill(
        random,
        """
        import csv
        import io

        def clean(table: str) -> list[dict]:
            <<a>> = ask("Return the cleaned table as CSV with header name,qty,note:\\n" + table)
            return [dict(r) for r in csv.DictReader(io.StringIO(<<a>>.strip("\\n"))<<option>>)]

        def handle():
            return clean("a|b|c")
        """,
        option=option,
    )

    def draw(random: Random) -> str:
        out = io.StringIO()
        end = random.choice(("\n", "\n", "\r\n"))
        style = random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
        writer = csv.writer(out, delimiter=comma, lineterminator=end, quoting=style)
        writer.writerow(("name", "qty", "note"))
        for _ in range(rows(random)):
            note = random.choice(("", text_line(random), '{"a": [1, 2]}', "two\nlines", " padded "))
            writer.writerow((name(random), random.choice(("-5", "+3", "0042", "", "1,000")), note))
        return out.getvalue()

    return source, draw, ()


@template("pipe-rows", "delimited lines")
def pipe_rows(random: Random) -> Parts:
    """Fields between marks, a fixed number of them."""
    mark = random.choice(("|", " | ", ";", "::", "\\t", " -> "))
    real = mark.replace("\\t", "\t")
    source = fill(
        random,
        """
        from collections import namedtuple

        Entity = namedtuple("Entity", "name kind detail")
        SEP = "<<mark>>"

        def parse_line(line):
            parts = line.split(SEP, 2)
            if len(parts) != 3:
                raise ValueError(f"bad line: {line!r}")
            return Entity(*(p.strip() for p in parts))

        def handle():
            <<a>> = ask(f"List entities, one a line: name{SEP}kind{SEP}detail")
            return [parse_line(line) for line in <<a>>.splitlines() if line.strip()]
        """,
        mark=mark,
    )

    def row(random: Random) -> str:
        avoid = real.strip() or "\t"
        kind = random.choice(("person", "org", "N/A", "C#", "", "thing?"))
        return real.join((name(random, avoid), kind, text_line(random)))

    return source, lambda random: joined(random, several(random, row), blank=True), ()


@template("xml-tree", "XML")
def xml_tree(random: Random) -> Parts:
    """XML read by a parser."""
    source = fill(
        random,
        """
        import xml.etree.ElementTree as ET

        def handle():
            root = ET.fromstring(ask("A quest as <quest><title/><step n=''/></quest>").strip())
            steps = [(s.get("n"), (s.text or "").strip()) for s in root.iter("step")]
            return {"title": root.findtext("title", <<default>>), "steps": steps}
        """,
        default=random.choice(('"untitled"', '""')),
    )

    def draw(random: Random) -> str:
        end = random.choice(("", "\n", "\n  "))
        parts = [] if random.random() < 0.2 else [f"<title>{escape(text_line(random))}</title>"]
        for n in range(rows(random)):
            text = escape(text_line(random)) if random.random() < 0.8 else "<![CDATA[a < b & c]]>"
            mark = random.choice("'\"")
            parts.append(f"<step n={mark}{n}{mark}>{text}</step>")
        parts.append(random.choice(("", "<reward unit='gp'>-5</reward>", "<!-- no -->", "<step/>")))
        body = "".join(end + part for part in parts)
        return blanks(random, f"<quest>{body}{end}</quest>")

    return source, draw, ()


@template("xml-tags", "tags by expression")
def xml_tags(random: Random) -> Parts:
    """Text between tags, found by an expression."""
    tags = random.choice((("thinking", "answer"), ("scratchpad", "reply"), ("plan", "code")))
    source = fill(
        random,
        r"""
        import re

        def tag(name, text):
            m = re.search(rf"<{name}>(.*?)</{name}>", text, re.DOTALL<<flag>>)
            return m.group(1)<<strip>> if m else <<none>>

        def handle():
            <<a>> = ask("Think in <<tag1>> tags, then write the result in <<tag2>> tags.")
            return {name: tag(name, <<a>>) for name in ("<<one>>", "<<two>>")}
        """,
        tag1=f"<{tags[0]}>",
        tag2=f"<{tags[1]}>",
        one=tags[0],
        two=tags[1],
        flag=random.choice(("", " | re.I")),
        strip=random.choice(("", ".strip()")),
        none=random.choice(("None", '""')),
    )

    def draw(random: Random) -> str:
        one = f"<{tags[0]}>{prose(random)}</{tags[0]}>" if random.random() < 0.8 else ""
        two = f"<{tags[1]}>{random.choice(('', chr(10)))}{text_line(random)}\n</{tags[1]}>"
        middle = random.choice(("", "\n\n", "\n<meta n='1'/>\n", "\nSo:\n"))
        return one + middle + two + random.choice(("", "\n", "\nHope this helps!"))

    return source, draw, ()


@template("yaml-load", "YAML")
def yaml_load(random: Random) -> Parts:
    """YAML read by a parser."""
    source = fill(
        random,
        """
        import yaml

        def handle():
            doc = yaml.safe_load(ask("The character in YAML: name, age, skills (list), bio."))
            return {
                "name": str(doc["name"]),
                "age": doc.get("age"),
                "skills": list(doc.get("skills") or []),
                "bio": doc.get("bio", ""),
            }
        """,
    )

    def draw(random: Random) -> str:
        name_ = random.choice(
            ('"Dr. No"', "Zoë", "'O''Brien'", "X Æ A-12", "no", "0042", "Mr: Yes")
        )
        name_ = name_.replace("Mr: Yes", '"Mr: Yes"')
        parts = [f"name: {name_}  # as told" if random.random() < 0.2 else f"name: {name_}"]
        parts.append(random.choice(("age: 42", "age: ~", "age: '~10'", "age: -5", "# age unknown")))
        skill = ["yes-man", "C++", "'#1 cook'", "{a: 1}", "1_000", "2024-02-29", "no", '"-"']
        items = random.sample(skill, random.randint(1, 4))
        flow = random.random() < 0.3
        parts.append(
            f"skills: [{', '.join(items)}]" if flow else "\n  - ".join(["skills:", *items])
        )
        bio = paragraph(random)
        parts.append(
            random.choice((f"bio: |\n  {bio}\n\n  - not a list", f"bio: >-\n  {bio}", "bio:"))
        )
        parts.append(random.choice(("", "mood: !!str 5", "extra: {}", "...")))
        return random.choice(("", "---\n")) + "\n".join(parts) + "\n"

    return source, draw, ()
