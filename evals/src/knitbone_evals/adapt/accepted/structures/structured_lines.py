"""Consumers of labelled lines, sections, dialogues, filters and regular expressions."""

from __future__ import annotations

import random
import shlex

from knitbone_evals.adapt.accepted.structures.structured_base import (
    AMOUNTS,
    LEADS,
    WORDS,
    ask_prompt,
    crlf,
    fill,
    keys,
    many,
    pad,
    pick,
    prose,
    sentence,
    template,
    to_json,
    value,
)


@template("key-value-lines", "key: value lines")
def _(r: random.Random):
    sign = r.choice((":", "=", ":"))
    body = r.choice(
        (
            f'lines = [line for line in text.splitlines() if "{sign}" in line]\n'
            f'    pairs = dict(line.split("{sign}", 1) for line in lines)\n'
            "    return {k.strip(): v.strip() for k, v in pairs.items()}",
            "out = {}\n    for line in text.splitlines():\n"
            f'        key, mark, val = line.partition("{sign}")\n        if mark:\n'
            "            out[key.strip().lower()] = val.strip()\n    return out",
            f'rows = [ln.split("{sign}", maxsplit=1) for ln in text.splitlines() if '
            f'"{sign}" in ln]\n'
            "    return [tuple(p.strip() for p in row) for row in rows]",
        )
    )
    source = fill(
        """
        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "the fields", f"One 'key{sign} value' per line."),
        body=body,
    )
    names = [name.title() for name in keys(r, 4)]

    def draw(d: random.Random) -> str:
        lines = []
        for name in names[: d.randint(1, 4)]:
            name = d.choice((name, name, name.lower(), name + " (x)", "#" + name, "A-" + name))
            lines.append(f"{name}{d.choice(('', ' '))}{sign}{d.choice((' ', '', '  '))}{value(d)}")
            if d.random() < 0.2:
                lines.append(d.choice(("", sentence(d, sign))))
        return crlf(d, pad(d, "\n".join(lines)))

    return source, draw


@template("labelled-lines", "labelled lines with defaults")
def _(r: random.Random):
    one, two = (name.title() for name in keys(r, 2))
    default = r.choice(("unknown", "none", ""))
    source = fill(
        """
        from dataclasses import dataclass


        @dataclass
        class Card:
            first: str = "@default@"
            second: str = "@default@"


        def handle() -> Card:
            card = Card()
            for line in ask(@prompt@).splitlines():
                line = line.strip()
                if line.startswith("@one@:"):
                    card.first = line[len("@one@:") :].strip()
                elif line.startswith("@two@:"):
                    card.second = line.removeprefix("@two@:").strip()
            return card
        """,
        one=one,
        two=two,
        default=default,
        prompt=ask_prompt(
            r, f"{one} and {two}", f"{one}: ...", f"Use the lines '{one}:' and '{two}:'"
        ),
    )

    def draw(d: random.Random) -> str:
        lines = [d.choice(LEADS)] if d.random() < 0.3 else []
        for name in (one, two):
            if d.random() < 0.65:
                lines.append(f"{name}:{d.choice((' ', '', '  '))}{value(d)}")
            elif d.random() < 0.5:
                near = ("Sub" + name.lower(), "Re" + name.lower(), "No " + name.lower(), "P.S.")
                lines.append(f"{d.choice(near)}: {value(d)}")
            if d.random() < 0.2:
                lines.append(sentence(d))
        return crlf(d, "\n".join(lines or [sentence(d)]))

    return source, draw


@template("labelled-regex", "labelled lines by regex")
def _(r: random.Random):
    one, two = (name.title() for name in keys(r, 2))
    source = fill(
        """
        import re


        def field(label, text, default=@default@):
            match = re.search(rf"^\\s*{label}\\s*:\\s*(.+?)\\s*$", text, re.MULTILINE@flags@)
            return match.group(1) if match else default


        def handle():
            text = ask(@prompt@)
            return {label: field(label, text) for label in ("@one@", "@two@", "Score")}
        """,
        one=one,
        two=two,
        default=repr(r.choice(("", None, "n/a"))),
        flags=r.choice(("", " | re.I")),
        prompt=ask_prompt(r, f"{one}, {two} and Score", "on labelled lines"),
    )

    def draw(d: random.Random) -> str:
        lines = []
        for name in (one, two, "Score"):
            if d.random() < 0.7:
                what = pick(d, AMOUNTS) if name == "Score" else value(d)
                lines.append(
                    f"{d.choice(('', ' '))}{name}{d.choice(('', ' '))}: {what}{d.choice(('', ' '))}"
                )
            if d.random() < 0.2:
                lines.append(d.choice(("", sentence(d), f"{name}s: {value(d)}", f"({name}: x)")))
        return "\n".join(lines) or value(d)

    return source, draw


@template("labelled-blocks", "labels with several lines")
def _(r: random.Random):
    labels = r.sample(("Summary", "Pros", "Cons", "Verdict", "Context", "Risks"), 3)
    source = fill(
        """
        LABELS = (@labels@)


        def handle():
            found, current = {}, None
            for line in ask(@prompt@).splitlines():
                head, colon, rest = line.partition(":")
                if colon and head.strip() in LABELS:
                    current = head.strip()
                    found[current] = [rest.strip()] if rest.strip() else []
                elif current @test@:
                    found[current].append(line.strip())
            return {label: "\\n".join(lines).strip() for label, lines in found.items()}
        """,
        labels=", ".join(f'"{label}"' for label in labels),
        test=r.choice(("is not None", "and line.strip()")),
        prompt=ask_prompt(r, "a review", "Parts: " + ", ".join(labels)),
    )

    def draw(d: random.Random) -> str:
        parts = [sentence(d, ":")] if d.random() < 0.3 else []
        for label in labels[: d.randint(1, 3)]:
            parts.append(f"{label}:{d.choice((' ', chr(10)))}{prose(d)}")
            if d.random() < 0.3:
                parts.append(f"- {value(d)}\n- {value(d)}")
        return crlf(d, d.choice(("\n", "\n\n")).join(parts))

    return source, draw


@template("blank-line-records", "records between blank lines")
def _(r: random.Random):
    one, two = (name.title() for name in keys(r, 2))
    source = fill(
        """
        import re


        def record(block):
            return dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)


        def handle():
            blocks = re.split(r"\\n\\s*\\n", ask(@prompt@).strip())
            records = [record(block) for block in blocks]
            return [(r.get("@one@"), r.get("@two@", "@default@")) for r in records if r]
        """,
        one=one,
        two=two,
        default=r.choice(("-", "", "none")),
        prompt=ask_prompt(
            r, "the records", f"'{one}: ...' and '{two}: ...', a blank line between records"
        ),
    )

    def draw(d: random.Random) -> str:
        blocks = [d.choice(LEADS).rstrip(":")] if d.random() < 0.2 else []
        for _ in range(many(d, 1, 5, 20)):
            lines = [f"{one}: {value(d)}"]
            if d.random() < 0.6:
                lines.append(f"{two}: {value(d)}")
            if d.random() < 0.3:
                lines.append(f"Other: {value(d)}")
            blocks.append("\n".join(lines))
        return d.choice(("\n\n", "\n \n", "\n\n\n")).join(blocks)

    return source, draw


@template("shell-pairs", "key=value pairs by shlex")
def _(r: random.Random):
    source = fill(
        """
        import shlex


        def handle():
            tokens = shlex.split(ask(@prompt@)@comments@)
            return dict(token.split("=", 1) for token in tokens if "=" in token)
        """,
        comments=r.choice(("", "", ", comments=False")),
        prompt=ask_prompt(r, "the settings", 'like name="A B" size=3'),
    )

    def draw(d: random.Random) -> str:
        parts = []
        for name in keys(d, d.randint(1, 5)):
            text = value(d)
            plain = all(mark not in " \"'\\\t" for mark in text)
            double = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
            parts.append(
                f"{name}={d.choice((shlex.quote(text), double, text if plain else double))}"
            )
            if d.random() < 0.15:
                parts.append(d.choice(("--flag", "export", "word", "'two words'")))
        return pad(d, d.choice((" ", "\n", "  ")).join(parts))

    return source, draw


@template("shell-command", "a command by shlex")
def _(r: random.Random):
    programs = r.sample(("ls", "grep", "git", "mv", "echo", "curl"), 3)
    source = fill(
        """
        import shlex

        ALLOWED = {@allowed@}


        def handle():
            command = ask(@prompt@).strip().removeprefix("$ ")
            program, *args = shlex.split(command)
            if program not in ALLOWED:
                return ("refused", program)
            return (program, @ending@)
        """,
        allowed=", ".join(f'"{name}"' for name in programs),
        prompt=ask_prompt(r, "one shell command", "No explanation."),
        ending=r.choice(
            ("args", "tuple(args)", '[a for a in args if a.startswith("-")], len(args)')
        ),
    )

    def draw(d: random.Random) -> str:
        near = (
            programs[0] + "s",
            "sudo",
            "./" + programs[1],
            "rm",
            "/bin/ls",
            "nols",
        )
        program = d.choice((*programs, *programs, d.choice(near), d.choice(near), d.choice(near)))
        args = [
            d.choice(
                (
                    shlex.quote(value(d)),
                    "-l",
                    "--no-cache",
                    "-5",
                    '"a b"',
                    "*.py",
                    "a\\ b",
                    "''",
                    "|",
                    "2>&1",
                )
            )
        ]
        args += [shlex.quote(value(d)) for _ in range(d.randint(0, 4))]
        return d.choice(("", "", "$ ")) + " ".join((program, *args)) + d.choice(("", "\n"))

    return source, draw, tuple(programs)


def action_input(r: random.Random) -> str:
    """What an agent gives to its tool."""
    return r.choice(
        (value(r), value(r), to_json(r, {"q": value(r), "n": 3}, one_line=True), sentence(r))
    )


@template("react-step", "ReAct step")
def _(r: random.Random):
    tools = r.sample(("search", "calculator", "lookup", "python", "weather"), 3)
    body = r.choice(
        (
            'if "Final Answer:" in reply:\n'
            '        return ("finish", reply.split("Final Answer:")[-1].strip())\n'
            '    pattern = r"Action\\s*:\\s*(.*?)\\s*\\nAction\\s*Input\\s*:\\s*(.*)"\n'
            "    m = re.search(pattern, reply, re.S)\n"
            '    return ("act", m.group(1), m.group(2).strip())',
            'step = dict(LINE.findall(reply))\n    if "Final Answer" in step:\n'
            '        return ("finish", step["Final Answer"])\n'
            '    return ("act", step["Action"], step["Action Input"])',
        )
    )
    source = fill(
        """
        import re

        LINE = re.compile(r"^(Thought|Action|Action Input|Final Answer): *(.*?)\\s*$", re.M)
        TOOLS = {@tools@}


        def parse(reply):
            @body@


        def handle():
            step = parse(ask(@prompt@))
            if step[0] == "act" and step[1] not in TOOLS:
                return ("unknown tool", *step[1:])
            return step
        """,
        tools=", ".join(f'"{tool}"' for tool in tools),
        body=body,
        prompt=ask_prompt(r, "the next step", "Thought/Action/Action Input or Final Answer."),
    )

    def draw(d: random.Random) -> str:
        def plain(maker) -> str:
            while "Final Answer" in (text := maker(d)):
                pass
            return text

        thought = f"Thought: {plain(sentence)}\n" if d.random() < 0.85 else ""
        if d.random() < 0.4:
            return f"{thought}Final Answer: {plain(d.choice((value, sentence)))}"
        near = (tools[0] + "s", "none", "web search", "no tool", "N/A")
        tool = d.choice((*tools, d.choice(near), d.choice(near)))
        return f"{thought}Action: {tool}\nAction Input: {plain(action_input)}" + d.choice(
            ("", "\n", "\nObservation:" if "LINE.findall" in body else "")
        )

    return source, draw, tuple(tools)


@template("react-trace", "ReAct trace of several steps")
def _(r: random.Random):
    source = fill(
        """
        import re

        STEP = re.compile(
            r"Thought: (?P<thought>.*?)\\nAction: (?P<tool>[^\\n]+)\\n"
            r"Action Input: (?P<arg>[^\\n]*)",
            re.DOTALL,
        )


        class Trace:
            def __init__(self, text):
                self.steps = [m.groupdict() for m in STEP.finditer(text)]
                self.answer = text.rpartition("Final Answer:")[2].strip()


        def handle():
            trace = Trace(ask(@prompt@))
            return trace.steps, trace.answer
        """,
        prompt=ask_prompt(
            r, "the whole trace", "Thought, Action, Action Input, Observation ... Final Answer"
        ),
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 0, 4, 10)):
            lines.append(
                f"Thought: {sentence(d)}\nAction: {d.choice(WORDS)}\n"
                f"Action Input: {action_input(d)}"
            )
            lines.append(f"Observation: {sentence(d)}")
        lines.append(f"Thought: {sentence(d)}\nFinal Answer: {value(d)}")
        return d.choice(("\n", "\n\n")).join(lines)

    return source, draw


@template("answer-marker", "last marker, or the whole text")
def _(r: random.Random):
    mark = r.choice(("Final Answer:", "ANSWER:", "####", "Therefore,", "=>"))
    source = fill(
        """
        MARK = "@mark@"


        def handle():
            text = ask(@prompt@)
            head, found, tail = text.rpartition(MARK)
            return (bool(found), tail.strip()@more@)
        """,
        mark=mark,
        more=r.choice(("", ", len(head.splitlines())")),
        prompt=ask_prompt(r, "the solution", f"End with {mark}"),
    )

    def draw(d: random.Random) -> str:
        end = d.choice((value, sentence, value))(d)
        if d.random() < 0.4:
            return d.choice((end, prose(d)))
        return f"{prose(d)}\n{mark}{d.choice((' ', chr(10), ''))}{end}"

    return source, draw


@template("question-answer", "question and answer pairs")
def _(r: random.Random):
    q, a = r.choice((("Q", "A"), ("Question", "Answer"), ("Front", "Back")))
    body = r.choice(
        (
            f'return re.findall(r"{q}:\\s*(.+?)\\s*\\n{a}:\\s*(.+?)\\s*(?=\\n'
            f'{q}:|\\Z)", text, re.DOTALL)',
            "pairs, question = [], None\n    for line in text.splitlines():\n"
            f'        if line.startswith("{q}:"):\n'
            f"            question = line[{len(q) + 1}:].strip()\n"
            f'        elif line.startswith("{a}:") and question is not None:\n'
            f"            pairs.append((question, line[{len(a) + 1}:].strip()))\n    return pairs",
            f'blocks = text.split("{q}:")[1:]\n'
            f'    return [tuple(s.strip() for s in block.split("{a}:", 1)) for block in blocks]',
        )
    )
    source = fill(
        """
        import re


        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "some quiz questions", f"{q}: ... {a}: ..."),
        body=body,
    )

    def draw(d: random.Random) -> str:
        def plain(maker) -> str:
            while f"{q}:" in (text := maker(d)) or f"{a}:" in text:
                pass
            return text

        pairs = [f"{q}: {plain(sentence)}\n{a}: {plain(value)}" for _ in range(many(d, 1, 5, 20))]
        return d.choice(("\n", "\n\n")).join(pairs) + d.choice(("", "\n"))

    return source, draw


@template("flash-cards", "cards on single lines")
def _(r: random.Random):
    sep = r.choice((" :: ", " -- ", " = ", "\t"))
    source = fill(
        """
        def handle():
            cards = {}
            for line in ask(@prompt@).splitlines():
                match line.split(@sep@, 1):
                    case [front, back] if front.strip():
                        cards[front.strip()] = back.strip()
                    case [only] if only.startswith("#"):
                        cards["deck"] = only.lstrip("# ")
                    case _:
                        pass
            return cards
        """,
        sep=repr(sep),
        prompt=ask_prompt(r, "flash cards", f"front{sep!r}back"),
    )

    def draw(d: random.Random) -> str:
        lines = ["# " + value(d)] if d.random() < 0.4 else []
        for _ in range(many(d, 1, 6)):
            lines.append(value(d) + sep + d.choice((value(d), sentence(d), "")))
            if d.random() < 0.1:
                lines.append("")
        return "\n".join(lines)

    return source, draw


@template("heading-sections", "markdown headings")
def _(r: random.Random):
    mark = r.choice(("##", "###", "#"))
    body = r.choice(
        (
            f'parts = re.split(r"^{mark} (.+)$", text, flags=re.M)\n'
            "    return {t.strip(): b.strip() for t, b in zip(parts[1::2], parts[2::2])}",
            "sections, title = {}, None\n    for line in text.splitlines():\n"
            f'        if line.startswith("{mark} "):\n'
            f"            title = line[{len(mark) + 1}:].strip()\n"
            "            sections[title] = []\n        elif title and line.strip():\n"
            "            sections[title].append(line)\n    return sections",
            f'parts = ("\\n" + text).split("\\n{mark} ")[1:]\n'
            '    return [tuple(part.partition("\\n")[::2]) for part in parts]',
        )
    )
    source = fill(
        """
        import re


        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "a report", f"Use {mark} headings."),
        body=body,
    )

    def draw(d: random.Random) -> str:
        parts = [prose(d, start="#")] if d.random() < 0.3 else []
        for _ in range(many(d, 1, 4, 10)):
            inner = d.choice(
                (
                    prose(d, start="#"),
                    "",
                    f"#{mark} {value(d)}\n{prose(d, start='#')}",
                    "```\nx = 1\n```",
                )
            )
            parts.append(f"{mark} {value(d)}\n{d.choice(('', chr(10)))}{inner}")
        return d.choice(("\n\n", "\n")).join(parts)

    return source, draw


@template("hash-split", "parts split at ###")
def _(r: random.Random):
    mark = r.choice(("###", "---", "===", "***", "<SEP>", "%%"))
    body = r.choice(
        (
            f'return [part.strip() for part in text.split("{mark}") if part.strip()]',
            f'return tuple(part.strip("\\n") for part in text.split("\\n{mark}\\n"))',
            f'first, _, rest = text.partition("{mark}")\n'
            f'    return first.strip(), rest.split("{mark}")',
        )
    )
    source = fill(
        """
        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "three drafts", f"Separate them with {mark}"),
        body=body,
    )

    def draw(d: random.Random) -> str:
        def plain() -> str:
            while mark in (text := prose(d)):
                pass
            return text

        blank = d.choice(("\n", "\n", "\n\n"))
        text = f"{blank}{mark}{blank}".join(plain() for _ in range(many(d, 1, 4, 8)))
        if d.random() < 0.15 and "strip()" in body:
            text = f"{mark}\n{text}\n{mark}"
        return text

    return source, draw
