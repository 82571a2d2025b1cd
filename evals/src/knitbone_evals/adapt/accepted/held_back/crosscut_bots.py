"""Bots, tutors, assistants and writers, with classes, state and tables of functions."""

from __future__ import annotations

import json
from random import Random

from knitbone_evals.adapt.accepted.held_back.crosscut_vocabulary import (
    TECH,
    Parts,
    blanks,
    cased,
    extra,
    fill,
    joined,
    json_text,
    name,
    paragraph,
    prose,
    sentence,
    template,
    text_line,
    value,
    with_default,
)


@template("state-machine", "state machine")
def state_machine(random: Random) -> Parts:
    """Lines read with a state: a recipe with ingredients and steps."""
    source = fill(
        random,
        """
        def parse_recipe(text):
            recipe = {"title": "", "ingredients": [], "steps": []}
            state = "title"
            for line in text.splitlines():
                line = line.strip()
                if not line:
                    continue
                if line.rstrip(":").lower() in ("ingredients", "steps"):
                    state = line.rstrip(":").lower()
                elif state == "title":
                    recipe["title"] = recipe["title"] or line
                else:
                    recipe[state].append(line)
            return recipe

        def handle():
            return parse_recipe(ask("A recipe: title, then 'Ingredients:', then 'Steps:'."))
        """,
    )

    def draw(random: Random) -> str:
        foods = (
            "½ cup milk",
            "- 3 kg flour",
            "2–3 eggs (large)",
            "~10 g salt",
            "1,000 ml H₂O",
            "-",
        )
        title = random.choice(
            ("O'Brien's Stew", "Crème brûlée", "# No-Bake Cake", "7-Up Cake", "Ω")
        )
        steps = [random.choice(("", f"{n}. ")) + text_line(random) for n in range(1, 4)]
        parts = [title, cased(random, "ingredients") + random.choice((":", ""))]
        parts += random.sample(foods, 3) + ["Steps:"] + steps
        return joined(random, parts, blank=True)

    return source, draw, ()


@template("quiz", "tutor")
def quiz(random: Random) -> Parts:
    """A quiz question with its options and the key."""
    source = fill(
        random,
        r"""
        import re
        from dataclasses import dataclass

        @dataclass
        class Quiz:
            question: str
            options: dict
            key: str

        def parse_quiz(text):
            question, *rest = [l.strip() for l in text.strip().splitlines() if l.strip()]
            options, key = {}, None
            for line in rest:
                if m := re.match(r"([A-D])[).]\s*(.*)", line):
                    options[m[1]] = m[2]
                elif line.lower().startswith("answer:"):
                    key = line.split(":", 1)[1].strip()[0]
            if key not in options:
                raise ValueError("no key")
            return Quiz(question, options, key)

        def handle():
            return parse_quiz(ask("Make a question with options A-D, end with 'Answer: X'."))
        """,
    )

    def draw(random: Random) -> str:
        question = random.choice(("What is 3 - 8?", "Q1: Which is not .NET?", sentence(random)))
        mark = random.choice((")", "."))
        parts = [question] + [
            f"{x}{mark} {value(random)}" for x in "ABCD"[: random.choice((2, 4, 4))]
        ]
        if random.random() < 0.2:
            parts[-1] = parts[-1][:2] + " A and B"
        answer = random.choice("AB")
        parts.append(f"Answer: {random.choice((answer, answer + ')', answer + ' – of course'))}")
        if random.random() < 0.2:
            parts.append("Explanation: " + paragraph(random))
        return joined(random, parts, blank=True)

    return source, draw, ()


@template("slash-commands", "either/or parser")
def slash_commands(random: Random) -> Parts:
    """A chat bot's command, or something that is said; methods found by name."""
    source = fill(
        random,
        """
        class Bot:
            def dispatch(self, text):
                if not text.startswith("/"):
                    return {"say": text}
                name, *args = text[1:].split()
                method = getattr(self, f"do_{name}", self.unknown)
                return method(*args)

            def do_search(self, *terms):
                return {"search": list(terms)}

            def do_remind(self, when, *what):
                return {"remind": " ".join(what), "when": when}

            def unknown(self, *args):
                return {"unknown": args}

        def handle():
            return Bot().dispatch(ask("Reply, or use /search <terms>, /remind <when> <what>"))
        """,
    )

    def draw(random: Random) -> str:
        spoken = random.choice((prose(random), text_line(random), "search me!", "No, sorry. /s"))
        called = random.choice(
            (
                '/search C++ -python "yes man"',
                "/search " + value(random),
                "/remind 00:30 call O'Brien",
                "/remind +5min  stretch",
                "/shrug ok",
                "/search",
            )
        )
        return random.choice((spoken, called))

    return source, draw, ("/search", "/remind")


@template("code-or-all", "either/or parser")
def code_or_all(random: Random) -> Parts:
    """The fenced code if there is a fence, else the whole answer."""
    source = fill(
        random,
        r"""
        import re

        def extract_code(text: str) -> str:
            blocks = re.findall(r"```(?:\w+)?\n(.*?)```", text, re.DOTALL)
            return <<pick>> if blocks else text<<strip>>

        def handle():
            code = extract_code(ask("Write a Python function that adds two numbers. Only code."))
            return code, code.count("\n")
        """,
        pick=random.choice(("max(blocks, key=len)", "blocks[-1]", '"\\n".join(blocks)')),
        strip=random.choice(("", ".strip()")),
    )

    def draw(random: Random) -> str:
        code = random.choice(
            (
                "def add(a, b):\n    return a + b\n",
                "add = lambda a, b: a + b  # no. types\n",
                "\tprint(-5)\n",
                "# C#\nint Add(int a, int b) => a + b;\n",
                "x: list[int] = []\n\n\nx += [1,\n2]\n",
                "1. + 2.\n",
            )
        )
        fence = f"```{random.choice(('python', 'py', ''))}\n{code}```"
        lead = random.choice(("", sentence(random) + "\n\n"))
        return random.choice(
            (code, lead + fence, fence + "\n\n" + sentence(random), fence + "\n" + fence)
        )

    return source, draw, ()


@template("translations", "parallel lines")
def translations(random: Random) -> Parts:
    """As many lines as there are sources, zipped into a dictionary."""
    count = random.choice((1, 2, 3, 5))
    texts = ["Save", "Cancel", "Yes", "Are you sure?", "No."][:count]
    source = fill(
        random,
        """
        SOURCES = <<texts>>

        def translate(texts: list[str], language: str) -> dict[str, str]:
            prompt = f"Translate each line to {language}:\\n" + "\\n".join(texts)
            lines = ask(prompt).strip("\\n").split("\\n")
            if len(lines) != len(texts):
                raise ValueError(f"{len(lines)} lines for {len(texts)}")
            return dict(zip(texts, lines))

        def handle():
            return translate(SOURCES, "<<language>>")
        """,
        texts=json.dumps(texts),
        language=random.choice(("German", "Japanese", "French")),
    )

    def draw(random: Random) -> str:
        words = (
            "Speichern",
            "« Annuler »",
            "Ja",
            "non",
            "本当に?",
            "Nein.",
            "O.K.",
            " Oui",
            "-",
            "はい。",
        )
        return "\n".join(random.choice(words) for _ in texts) + random.choice(("", "\n"))

    return source, draw, ()


@template("subclass-registry", "registry by subclass")
def subclass_registry(random: Random) -> Parts:
    """Tools that register themselves, chosen by a JSON call; else plain talk."""
    source = fill(
        random,
        """
        import json

        class Tool:
            registry = {}

            def __init_subclass__(cls, **kw):
                super().__init_subclass__(**kw)
                Tool.registry[cls.__name__.lower()] = cls

        class Add(Tool):
            def run(self, a, b):
                return a + b

        class Echo(Tool):
            def run(self, text, **rest):
                return text

        def handle():
            <<a>> = ask(f"Call one of {list(Tool.registry)} as JSON (tool, args) or just talk.")
            try:
                call = json.loads(<<a>>)
                tool = Tool.registry[call["tool"]]()
            except (ValueError, KeyError, TypeError):
                return ("talk", <<a>>)
            return ("tool", tool.run(**call["args"]))
        """,
    )

    def draw(random: Random) -> str:
        add = {"tool": "add", "args": {"a": random.choice((-5, 1e3, 0)), "b": 3}}
        echo = {"tool": "echo", "args": {"text": text_line(random), "x": None}}
        call = json_text(random, extra(random, random.choice((add, echo))))
        talk = random.choice((prose(random), value(random), '{"tool": "subtract"}', "Add what?"))
        return random.choice((call, talk))

    return source, draw, ("add", "echo")


@template("mapping-of-readers", "dictionary of functions")
def mapping_of_readers(random: Random) -> Parts:
    """A reader for each field; lines with other names are left out."""
    source = fill(
        random,
        """
        READERS = {
            "score": float,
            "tags": lambda v: [t.strip() for t in v.split(",") if t.strip()],
            "passed": lambda v: v.strip().lower() in ("yes", "true"),
            "comment": str.strip,
        }

        def parse(text):
            result = {}
            for line in text.splitlines():
                key, _, value = line.partition(":")
                if reader := READERS.get(key.strip().lower()):
                    result[key.strip().lower()] = reader(value)
            return result

        def handle():
            return parse(ask("Score: <float>\\nTags: a, b\\nPassed: yes/no\\nComment: ..."))
        """,
    )

    def draw(random: Random) -> str:
        tags = random.choice(("", "C++, no., N/A", "a,,b", value(random)))
        parts = [
            f"Score: {random.choice(('-5', '+3', '1e3', '.5', '0042', ' 7.'))}",
            f"Tags: {tags}",
            f"Passed: {random.choice(('yes', 'No', 'TRUE', 'maybe', 'not yet', 'nobody', ''))}",
            f"Comment: {text_line(random)}",
        ]
        if random.random() < 0.4:
            parts.append(random.choice(("Hint: score: 9", "(end)", "Scores: 1, 2", "")))
        random.shuffle(parts)
        return joined(random, parts, blank=True)

    return source, draw, ("yes", "true")


@template("report-writer", "prose stored")
def report_writer(random: Random) -> Parts:
    """A text put into a page between other texts."""
    source = fill(
        random,
        """
        import textwrap

        TEMPLATE = \"\"\"# {title}

        {body}

        -- generated
        \"\"\"

        def section(title, body):
            return textwrap.dedent(TEMPLATE).format(title=title, body=body)

        def handle():
            body = ask("Write the introduction of the annual report.")
            return section("Introduction", <<body>>)
        """,
        body=random.choice(("body", "body.strip()", 'textwrap.indent(body, "> ")')),
    )
    return source, prose, ()


@template("word-statistics", "prose measured")
def word_statistics(random: Random) -> Parts:
    """The readability of a text: sentences, words, longest word."""
    source = fill(
        random,
        r"""
        import re
        from collections import Counter

        def stats(text):
            words = re.findall(r"[\w'’-]+", text.lower())
            return {
                "sentences": len(re.findall(r"[.!?…。]+(?:\s|$)", text)),
                "common": Counter(words).most_common(<<n>>),
                "longest": max(words, key=len, default=""),
            }

        def handle():
            return stats(ask("Write a paragraph a ten year old understands."))
        """,
        n=random.choice((1, 3, 10)),
    )
    return source, prose, ()


@template("final-answer-or-all", "either/or parser")
def final_answer_or_all(random: Random) -> Parts:
    """What follows a mark, or everything."""
    mark = random.choice(("Final Answer:", "ANSWER:", "=>", "Therefore,", "TERMINATE"))
    source = fill(
        random,
        """
        def final(text: str, mark: str = "<<mark>>") -> str:
            head, found, tail = text.rpartition(mark)
            return (<<side>> if found else text).strip()

        def handle():
            return final(ask("Think first, then conclude with <<mark>>"))
        """,
        mark=mark,
        side=(side := "head" if mark == "TERMINATE" else "tail"),
    )

    def draw(random: Random) -> str:
        if random.random() < 0.4:
            return blanks(random, random.choice((prose(random), value(random))))
        thought, told = prose(random), random.choice((value(random), text_line(random)))
        if side == "head":
            return f"{told}\n\n{mark}" + random.choice(("", ".", "\n"))
        return f"{thought}\n{mark} {told}" + random.choice(("", "\n"))

    return source, draw, ()


@template("class-state", "class with methods")
def class_state(random: Random) -> Parts:
    """A ticket whose state changes by the answer, with a table of methods."""
    words = ("close", "reopen", "assign")
    source = fill(
        random,
        """
        import operator
        from dataclasses import dataclass

        @dataclass
        class Ticket:
            state: str = "open"
            owner: str = ""

            def close(self, _): self.state = "closed"
            def reopen(self, _): self.state = "open"
            def assign(self, who): self.owner = who
            def note(self, text): self.state = f"noted: {text}"

        ACTIONS = {n: operator.attrgetter(n) for n in ("close", "reopen", "assign")}

        def apply(ticket, text):
            verb, _, rest = text.strip().partition(" ")
            getter = ACTIONS.get(verb.lower())
            if getter is None:
                ticket.note(text)
            else:
                getter(ticket)(rest)
            return ticket

        def handle():
            return apply(Ticket(), ask("Next action: close, reopen, assign <who>, or a remark"))
        """,
    )

    def draw(random: Random) -> str:
        if random.random() < 0.4:
            return random.choice((text_line(random), "closed already", "not close", "No action."))
        who = random.choice((name(random), "@zoë", "nobody", "C++ team", "#3"))
        return blanks(random, random.choice(("close", "Reopen", f"assign {who}", f"ASSIGN {who}")))

    return source, draw, words


@template("partial-classifier", "partial functions")
def partial_classifier(random: Random) -> Parts:
    """Classifiers made with partial from one function with a default."""
    labels = random.choice((("urgent", "normal"), ("bug", "feature", "question"), ("hot", "cold")))
    source = fill(
        random,
        """
        from functools import partial

        def classify(text, *, labels, default):
            <<a>> = ask(f"Choose from {', '.join(labels)}: {text}").strip().lower()
            return next((l for l in labels if l == <<a>>), default)

        priority = partial(classify, labels=<<labels>>, default="<<default>>")

        def handle():
            return {t: priority(t) for t in ["The server is down!"]}
        """,
        labels=json.dumps(list(labels)),
        default=random.choice(("unknown", "other", labels[-1])),
    )
    return source, lambda random: with_default(random, labels), labels


@template("plan-tree", "class hierarchy")
def plan_tree(random: Random) -> Parts:
    """A plan in JSON made into nodes by a classmethod that calls itself."""
    source = fill(
        random,
        """
        import json
        from dataclasses import dataclass, field

        @dataclass
        class Node:
            task: str
            hours: float = 0
            children: list["Node"] = field(default_factory=list)

            @classmethod
            def from_dict(cls, d):
                kids = [cls.from_dict(c) for c in d.get("children") or []]
                return cls(d["task"], float(d.get("hours") or 0), kids)

            def total(self):
                return self.hours + sum(c.total() for c in self.children)

        def handle():
            root = Node.from_dict(json.loads(ask("Plan as JSON tree: task, hours, children")))
            return root, root.total()
        """,
    )

    def node(random: Random, depth: int) -> dict[str, object]:
        data: dict[str, object] = {"task": text_line(random)}
        if random.random() < 0.7:
            data["hours"] = random.choice((0, 1.5, "3", "+2", None, "1e1", "", "007"))
        if depth and random.random() < 0.7:
            data["children"] = [node(random, depth - 1) for _ in range(random.randint(0, 3))]
        return extra(random, data)

    return source, lambda random: blanks(random, json_text(random, node(random, 3))), ()


@template("file-blocks", "code assistant")
def file_blocks(random: Random) -> Parts:
    """Files of a project, each with its path before the fence."""
    source = fill(
        random,
        r"""
        import re
        from pathlib import PurePosixPath

        FILE = re.compile(r"^(\S+?):?\n```[^\n]*\n(.*?)^```", re.M | re.S)

        def files(chat: str) -> dict[str, str]:
            found = {}
            for path, code in FILE.findall(chat):
                path = re.sub(r'[:<>"|?*`#]', "", path)
                found[str(PurePosixPath(path))] = code
            return found

        def handle():
            return files(ask("Write the project. Each file: its path, then a code block."))
        """,
    )

    def draw(random: Random) -> str:
        paths = (
            "main.py",
            "src/app.ts",
            ".gitignore",
            "docs/read me".replace(" ", "_"),
            "`a/b.c++`",
        )
        parts = []
        for path in random.sample(paths, random.randint(1, 4)):
            code = random.choice(("print('no')\n", "*.pyc\n\n!keep\n", "", "let x = -5 // +3\n"))
            lang = random.choice(("", "python", "ts"))
            parts.append(f"{path}{random.choice(('', ':'))}\n```{lang}\n{code}```")
        return random.choice(("", paragraph(random) + "\n\n")) + "\n\n".join(parts)

    return source, draw, ()


@template("names-as-written", "prose stored")
def names_as_written(random: Random) -> Parts:
    """A short value that is used as written: a name, a title, a search."""
    source = fill(
        random,
        """
        PROMPTS = {
            "author": "Who wrote this? Name only.",
            "search": "Write a web search for the question.",
            "commit": "One line commit message for the diff.",
        }

        def ask_for(what):
            value = ask(PROMPTS[what]).strip()
            if not value:
                raise ValueError("empty answer")
            return {what: value}

        def handle():
            return ask_for("<<what>>")
        """,
        what=random.choice(("author", "search", "commit")),
    )

    def draw(random: Random) -> str:
        commit = random.choice(
            ("fix: don't drop `-5`", "feat(C#)!: no. 3", '"exact phrase" -site:x.y')
        )
        return blanks(random, random.choice((commit, text_line(random), *random.sample(TECH, 2))))

    return source, draw, ()
