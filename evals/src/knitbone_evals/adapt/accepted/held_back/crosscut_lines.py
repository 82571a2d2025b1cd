"""Programs that read lines: key and value, markdown, steps of an agent, fences, blocks."""

from __future__ import annotations

import json
from random import Random

from knitbone_evals.adapt.accepted.held_back.crosscut_vocabulary import (
    PASSAGES,
    Parts,
    allowed,
    blanks,
    extra,
    fill,
    joined,
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


@template("front-matter", "YAML front matter")
def front_matter(random: Random) -> Parts:
    """A head between lines of dashes, and a body."""
    source = fill(
        random,
        """
        def parse_post(text):
            _, head, body = text.split("---\\n", 2)
            meta = {}
            for line in head.splitlines():
                if line.strip():
                    key, value = line.split(":", 1)
                    meta[key.strip().lower()] = value.strip()
            return meta, body.lstrip("\\n")

        def handle():
            return parse_post(ask("Write a post with front matter (title, date, tags)."))
        """,
    )

    def draw(random: Random) -> str:
        head = [f"title: {text_line(random)}", f"date: {random.choice(('2024-02-29', '~1900'))}"]
        head.append(
            random.choice(("tags: [c#, no.]", "tags:", "Draft: no", "\nurl: http://x.y/:z"))
        )
        random.shuffle(head)
        return "---\n" + "\n".join(head) + "\n---\n" + prose(random).replace("\r", "")

    return source, draw, ()


@template("key-value", "key-value lines")
def key_value(random: Random) -> Parts:
    """Lines of key and value, everything kept."""
    mark = random.choice((":", ":", "=", " - "))
    source = fill(
        random,
        """
        def read_fields(text: str) -> dict[str, str]:
            fields = {}
            for line in text.splitlines():
                key, sep, value = line.partition("<<mark>>")
                if sep:
                    fields[key.strip().lower()] = value.strip()
            return fields

        def handle():
            fields = read_fields(ask("Name<<mark>>... Role<<mark>>... Since<<mark>>... by line"))
            return fields["name"], fields["role"], fields.get("since", "-")
        """,
        mark=mark,
    )

    def draw(random: Random) -> str:
        gap = random.choice(("", " ")) if mark != " - " else ""
        parts = [f"Name{mark}{gap}{name(random)}", f"Role{mark}{gap}{value(random)}"]
        if random.random() < 0.6:
            parts.append(
                f"Since{mark}{gap}{random.choice(('2024-02-29', '', 'N/A', '~10 y.', '00:30'))}"
            )
        if random.random() < 0.3:
            parts.append(f"Shoe size{mark}{gap}{random.choice(('9½', 'no.', '-5'))}")
        random.shuffle(parts)
        if random.random() < 0.3:
            parts.insert(0, random.choice(("Here you are", "(from the mail)", "")))
        return joined(random, parts, blank=True)

    return source, draw, ()


@template("labelled-fields", "fields by expression")
def labelled_fields(random: Random) -> Parts:
    """One expression for each field, with the m flag."""
    source = fill(
        random,
        r"""
        import re

        FIELDS = ("Title", "Genre", "Year", "Plot")

        def get(field, text):
            m = re.search(rf"^{field}:[ \t]*(.*)$", text, re.M)
            if m is None:
                raise KeyError(field)
            return m.group(1).strip()

        def handle():
            <<a>> = ask("Invent a film.\n" + "\n".join(f"{f}: ..." for f in FIELDS))
            film = {f.lower(): get(f, <<a>>) for f in FIELDS}
            film["year"] = int(film["year"])
            return film
        """,
    )

    def draw(random: Random) -> str:
        parts = [f"Title: {value(random)}", f"Genre: {random.choice(('', 'sci-fi / no.', 'A-'))}"]
        parts.append(f"Year: {random.choice(('1999', '-44', '+2024', '0042'))}")
        if random.random() < 0.3:
            parts.append("Subtitle: " + random.choice(("Year: 2", "(none)", "-")))
        parts.append(f"Plot:{random.choice((' ', chr(9)))}{paragraph(random)}")
        return joined(random, parts, blank=True)

    return source, draw, ()


@template("markdown-sections", "markdown headings")
def markdown_sections(random: Random) -> Parts:
    """A dictionary of the sections under headings."""
    source = fill(
        random,
        r"""
        import re

        def sections(report):
            parts = re.split(r"^##[ \t]+(.+?)[ \t]*$", report, flags=re.M)
            return {h: body.strip() for h, body in zip(parts[1::2], parts[2::2])}

        def handle():
            return sections(ask("Write the weekly report with ## headings: Done, Next, Risks."))
        """,
    )

    def draw(random: Random) -> str:
        heads = random.choice((["Done", "Next", "Risks"], ["Done?", "C# & .NET", "1. Risks: none"]))
        lead = random.choice(("", "# Report\n\n", sentence(random) + "\n\n"))
        body = [f"## {h}\n{random.choice(('', prose(random)))}" for h in heads]
        return lead + random.choice(("\n", "\n\n")).join(body)

    return source, draw, ()


@template("bullets", "markdown bullets")
def bullets(random: Random) -> Parts:
    """Lines with a bullet, the others are left out."""
    source = fill(
        random,
        """
        def bullet_points(text):
            out = []
            for line in text.splitlines():
                line = line.strip()
                if line.startswith(("- ", "* ", "• ")):
                    out.append(line[2:].strip())
            return out

        def handle():
            points = bullet_points(ask("Key points of the article as bullets:"))
            assert points
            return <<result>>
        """,
        result=random.choice(("points", "tuple(points)", "{'n': len(points), 'points': points}")),
    )

    def draw(random: Random) -> str:
        mark = random.choice(("- ", "* ", "• ", "  - "))
        parts = [mark + item for item in several(random, text_line)]
        if random.random() < 0.4:
            parts.insert(0, random.choice(("Key points:\n", sentence(random), "# Points")))
        if random.random() < 0.2:
            parts.append("\n" + random.choice(("That's it.", "Shall I go on?", "-- the bot")))
        return joined(random, parts)

    return source, draw, ()


@template("numbered", "numbered list")
def numbered(random: Random) -> Parts:
    """Numbered lines by an expression, numbers kept or not."""
    keep = random.choice((True, False))
    source = fill(
        random,
        r"""
        import re

        STEP = re.compile(r"^\s*(\d+)[.)]\s+(.+?)\s*$", re.MULTILINE)

        def handle():
            <<a>> = ask("List the steps, numbered from 1.")
            steps = STEP.findall(<<a>>)
            return <<result>>
        """,
        result="[(int(n), s) for n, s in steps]" if keep else "[s for _, s in steps]",
    )

    def draw(random: Random) -> str:
        mark = random.choice((".", ")"))
        start = random.choice((1, 1, 1, 0, 7))
        down = random.random() < 0.1
        items = several(random, text_line)
        numbers = list(range(start, start + len(items)))
        if down:
            numbers.reverse()
        parts = [f"{n}{mark} {item}" for n, item in zip(numbers, items)]
        if random.random() < 0.3:
            parts.insert(0, random.choice(("Steps:", "Of course!", paragraph(random))))
        return joined(random, parts, blank=True)

    return source, draw, ()


@template("markdown-table", "markdown table")
def markdown_table(random: Random) -> Parts:
    """Rows of a table, header and rule left out."""
    source = fill(
        random,
        """
        def read_table(md):
            rows = [
                [cell.strip() for cell in line.strip().strip("|").split("|")]
                for line in md.splitlines()
                if line.strip().startswith("|")
            ]
            header, _rule, *body = rows
            return [dict(zip(header, row)) for row in body]

        def handle():
            return read_table(ask("Compare the plans in a markdown table: | Plan | Price | Note |"))
        """,
    )

    def draw(random: Random) -> str:
        rule = random.choice(("|---|---|---|", "| :--- | ---: | --- |", "|-|-|-|"))
        parts = ["| Plan | Price | Note |", rule]
        for _ in range(rows(random)):
            price = random.choice(("$12", "-5", "1.000,5", "<5", "0", "—", "~10", "A-"))
            note = random.choice((text_line(random, "|"), "x"))
            parts.append(f"| {name(random, '|')} | {price} | {note} |")
        lead = random.choice(("", "Here is the table:\n\n", sentence(random) + "\n"))
        return lead + "\n".join(parts) + random.choice(("", "\n", "\n\n*All prices net.*"))

    return source, draw, ()


@template("checkboxes", "task list")
def checkboxes(random: Random) -> Parts:
    """Open and done tasks."""
    source = fill(
        random,
        r"""
        import re
        from dataclasses import dataclass

        @dataclass
        class Task:
            text: str
            done: bool

        def tasks(text):
            for box, what in re.findall(r"^\s*[-*] \[([ xX])\] (.+)$", text, re.M):
                yield Task(what.rstrip(), box != " ")

        def handle():
            return list(tasks(ask("Break it down into a markdown task list, [ ] and [x].")))
        """,
    )

    def row(random: Random) -> str:
        return f"{random.choice(('', '  '))}- [{random.choice(' xX')}] {text_line(random)}"

    return source, lambda random: joined(random, several(random, row), blank=True), ()


@template("comma-list", "comma list")
def comma_list(random: Random) -> Parts:
    """Keywords between commas, sorted or not, duplicates dropped or not."""
    comma = random.choice((",", ",", ";", "|"))
    source = fill(
        random,
        """
        def keywords(text):
            <<a>> = ask(f"Keywords of the text, separated by '<<comma>>':\\n{text}")
            words = [w.strip() for w in <<a>>.split("<<comma>>")]
            return <<result>>

        def handle():
            return keywords("...")
        """,
        comma=comma,
        result=random.choice(
            ("[w for w in words if w]", "list(dict.fromkeys(words))", "sorted(words)", "words")
        ),
    )

    def draw(random: Random) -> str:
        items = several(random, lambda random: value(random, comma + "\n"))
        return blanks(random, random.choice((comma + " ", comma)).join(items))

    return source, draw, ()


@template("react-step", "ReAct")
def react_step(random: Random) -> Parts:
    """An agent's step: a final answer or a tool with its input."""
    source = fill(
        random,
        r"""
        import re
        from dataclasses import dataclass

        @dataclass
        class AgentAction:
            tool: str
            tool_input: str

        @dataclass
        class AgentFinish:
            output: str

        FINAL = "Final Answer:"

        def parse(text: str):
            if FINAL in text:
                return AgentFinish(text.split(FINAL)[-1].strip())
            m = re.search(r"Action\s*:[ \t]*(.*?)[ \t]*\n+Action Input\s*:[ \t]*(.*)", text, re.S)
            if not m:
                raise ValueError(f"Could not parse LLM output: `{text}`")
            return AgentAction(m.group(1).strip(), m.group(2).strip(" ").strip('"'))

        def handle():
            return parse(ask("Question: ...\nThought:"))
        """,
    )

    def draw(random: Random) -> str:
        thought = random.choice(("", f"Thought: {paragraph(random)}\n", f" {sentence(random)}\n"))
        if random.random() < 0.5:
            return thought + "Final Answer: " + random.choice((text_line(random), prose(random)))
        tool = random.choice(
            ("search", "python_repl", "Calculator", "sql-db", "no-op", "ask.human")
        )
        data = random.choice(
            (
                "-5 * (3 + 1)",
                '{"q": "C#"}',
                '"quoted"',
                "print('a')\nprint('b')",
                value(random, '"'),
            )
        )
        return f"{thought}Action: {tool}\nAction Input: {data}" + random.choice(("", "\n"))

    return source, draw, ()


@template("fences", "code fences")
def fences(random: Random) -> Parts:
    """All fenced blocks with their languages."""
    source = fill(
        random,
        r"""
        import re

        FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)

        def handle():
            <<a>> = ask("Write the function and a test for it, each in its own code block.")
            return [(lang.strip() or "text", code) for lang, code in FENCE.findall(<<a>>)]
        """,
    )

    def block(random: Random) -> str:
        code = random.choice(
            (
                "def f(x):\n\treturn x <- 5  # yes\n",
                "",
                '{"a": 1}\n',
                "$ ls -l | grep '*.py'\n\n\n",
                "print(f\"`{x}`\")\n\nif __name__ == '__main__':\n    main()\n",
                "1. not a list\n- nor this\n",
            )
        )
        return (
            f"```{random.choice(('python', '', 'c++', 'C#', 'diff', 'py title=a.py'))}\n{code}```"
        )

    def draw(random: Random) -> str:
        parts = []
        for item in several(random, block, 3):
            if random.random() < 0.5:
                parts.append(paragraph(random))
            parts.append(item)
        return "\n\n".join(parts) + random.choice(("", "\n", "\n\nLet me know!"))

    return source, draw, ()


@template("dashed-sections", "separated blocks")
def dashed_sections(random: Random) -> Parts:
    """Blocks between separator lines."""
    mark = random.choice(("---", "===", "###", "***", "<END>"))
    source = fill(
        random,
        """
        SEPARATOR = "\\n<<mark>>\\n"

        def variants(brief, n=3):
            <<a>> = ask(f"Write {n} ad texts, separated by a line with <<mark>>.\\n{brief}")
            return [v<<strip>> for v in <<a>>.split(SEPARATOR)]

        def handle():
            return variants("new toothpaste")
        """,
        mark=mark,
        strip=random.choice((".strip()", "")),
    )

    def draw(random: Random) -> str:
        def block(random: Random) -> str:
            return prose(random).replace("\r", "").replace(f"\n{mark}\n", "\n")

        return f"\n{mark}\n".join(several(random, block, 4))

    return source, draw, ()


@template("json-lines", "JSON lines")
def json_lines(random: Random) -> Parts:
    """One JSON value a line."""
    source = fill(
        random,
        """
        import json

        def handle():
            <<a>> = ask("Synthetic training data, JSONL with prompt and completion:")
            rows = map(json.loads, filter(str.strip, <<a>>.splitlines()))
            return [(r["prompt"], r["completion"]) for r in rows]
        """,
    )

    def row(random: Random) -> str:
        data = {"prompt": text_line(random), "completion": value(random)}
        return json.dumps(extra(random, data), ensure_ascii=random.random() < 0.5)

    return source, lambda random: joined(random, several(random, row), blank=True), ()


@template("ini", "INI")
def ini(random: Random) -> Parts:
    """INI read by configparser."""
    source = fill(
        random,
        """
        import configparser

        def handle():
            cfg = configparser.ConfigParser(interpolation=None)
            cfg.read_string(ask("Suggest a config in INI form with sections server and log."))
            log = cfg.getboolean("log", "on", fallback=True)
            return {s: dict(cfg[s]) for s in cfg.sections()}, log
        """,
    )

    def draw(random: Random) -> str:
        host = random.choice(("::1", "0.0.0.0", "no.host", "%h", "C:\\x", "a = b"))
        parts = ["[server]", f"host = {host}", f"port={random.choice(('0042', '80', '-1', ''))}"]
        parts += random.choice((["# none"], ["; ok"], [])) + ["", "[log]"]
        parts += random.choice((["on = no"], ["On: YES"], ["level = 1e3"], []))
        return "\n".join(parts) + "\n"

    return source, draw, ()


@template("questions-answers", "question and answer pairs")
def questions_answers(random: Random) -> Parts:
    """Pairs of Q and A over several lines."""
    source = fill(
        random,
        r"""
        import re

        PAIR = re.compile(r"Q(?:\d+)?:\s*(.+?)\s*\nA(?:\d+)?:\s*(.+?)(?=\nQ\d*:|\Z)", re.S)

        def handle():
            <<a>> = ask("Write an FAQ.\nQ: ...\nA: ...")
            return [(q, a.strip()) for q, a in PAIR.findall(<<a>>)]
        """,
        a="text",
    )

    def draw(random: Random) -> str:
        n = random.choice(("", "", "1"))
        parts = []
        for i in range(rows(random)):
            number = str(i + 1) if n else ""
            short = random.choice(allowed(PASSAGES, "Q"))
            body = random.choice((text_line(random), paragraph(random), "Yes:\n" + short))
            parts.append(f"Q{number}: {sentence(random)}\nA{number}: {body}")
        return random.choice(("\n\n", "\n")).join(parts)

    return source, draw, ()


@template("dialogue", "dialogue lines")
def dialogue(random: Random) -> Parts:
    """Lines of a script, stage directions skipped."""
    source = fill(
        random,
        """
        def script(scene):
            <<a>> = ask(f"Write the scene: {scene}. Format: NAME: line. Directions in (brackets).")
            lines = []
            for line in <<a>>.splitlines():
                if not line.strip() or line.startswith("("):
                    continue
                who, what = line.split(": ", 1)
                lines.append({"who": who, "what": what})
            return lines

        def handle():
            return script("a duel at dawn")
        """,
    )

    def row(random: Random) -> str:
        if random.random() < 0.2:
            return random.choice(("(a pause: long)", "(Exit Dr. No)"))
        return f"{name(random, ':').upper()}: {text_line(random)}"

    def draw(random: Random) -> str:
        return joined(random, [f"ANN: {text_line(random)}", *several(random, row)], blank=True)

    return source, draw, ()


@template("search-replace", "edit blocks")
def search_replace(random: Random) -> Parts:
    """Edits of a code assistant."""
    source = fill(
        random,
        r"""
        import re

        EDIT = re.compile(r"<<<<<<< SEARCH\n(.*?)\n?=======\n(.*?)\n?>>>>>>> REPLACE", re.S)

        def handle():
            <<a>> = ask("Fix the bug. Use SEARCH/REPLACE blocks.")
            edits = EDIT.findall(<<a>>)
            if not edits:
                raise ValueError("no edits")
            return edits
        """,
    )

    def draw(random: Random) -> str:
        code = (
            "x = -5",
            "    if a == 'no':",
            "\treturn +3  # yes",
            "",
            's = "```"',
            "- item",
            "a |= b",
        )
        parts = []
        for _ in range(random.randint(1, 3)):
            old = "\n".join(random.choice(code) for _ in range(random.randint(1, 4)))
            new = "\n".join(random.choice(code) for _ in range(random.randint(0, 4)))
            text = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
            if random.random() < 0.4:
                text = f"app/main.py\n```python\n{text}\n```"
            parts.append(text)
        return random.choice(("", paragraph(random) + "\n\n")) + "\n\n".join(parts)

    return source, draw, ()


@template("python-literal", "Python literal")
def python_literal(random: Random) -> Parts:
    """A Python list or dictionary by literal_eval."""
    source = fill(
        random,
        """
        import ast

        def handle():
            <<a>> = ask("Answer with a Python list of strings only.")
            items = ast.literal_eval(<<a>>.strip())
            if not isinstance(items, list):
                raise TypeError(type(items))
            return items
        """,
    )

    def draw(random: Random) -> str:
        items = several(random, value)
        text = (
            repr(items)
            if random.random() < 0.7
            else "[\n    " + ",\n    ".join(map(repr, items)) + ",\n]"
        )
        return blanks(
            random, text.replace("[", "[None, -5, ", 1) if random.random() < 0.2 else text
        )

    return source, draw, ()


@template("subtitles", "timed blocks")
def subtitles(random: Random) -> Parts:
    """Subtitles in blocks of number, time and text."""
    source = fill(
        random,
        """
        def parse_srt(srt):
            cues = []
            for block in srt.replace("\\r\\n", "\\n").strip().split("\\n\\n"):
                number, times, *text = block.split("\\n")
                start, end = times.split(" --> ")
                cues.append((int(number), start, end, " / ".join(text)))
            return cues

        def handle():
            return parse_srt(ask("Translate these subtitles to German. Keep the SRT format."))
        """,
    )

    def draw(random: Random) -> str:
        parts = []
        for n in range(1, rows(random) + 1):
            text = "\n".join(
                random.choice(("- Nein!", "<i>Ja…</i>", sentence(random))) for _ in "ab"
            )
            parts.append(f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{text}")
        text = "\n\n".join(parts)
        return blanks(random, text.replace("\n", "\r\n") if random.random() < 0.2 else text)

    return source, draw, ()


@template("graph-tuples", "delimited tuples")
def graph_tuples(random: Random) -> Parts:
    """Tuples of a knowledge graph with unusual marks."""
    source = fill(
        random,
        r"""
        import re

        TUPLE, RECORD, DONE = "<|>", "##", "<|COMPLETE|>"

        def handle():
            <<a>> = ask(f"List (entity{TUPLE}name{TUPLE}type), joined by {RECORD}; end: {DONE}")
            graph = []
            for record in <<a>>.replace(DONE, "").split(RECORD):
                record = re.sub(r"^\(|\)$", "", record.strip())
                if record:
                    graph.append(tuple(part.strip().strip('"') for part in record.split(TUPLE)))
            return graph
        """,
    )

    def row(random: Random) -> str:
        head = random.choice(('"entity"', '"relationship"', "entity"))
        last = value(random, '#<"')
        return f"({head}<|>{name(random)}<|>{last})"

    def draw(random: Random) -> str:
        end = random.choice(("<|COMPLETE|>", "\n<|COMPLETE|>\n", ""))
        return random.choice(("##\n", "##", "\n##\n")).join(several(random, row)) + end

    return source, draw, ()
