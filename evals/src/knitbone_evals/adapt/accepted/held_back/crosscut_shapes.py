"""Programs whose shape matters: helpers, recursion, registries, closures, generators."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.held_back.crosscut_vocabulary import (
    PASSAGES,
    Parts,
    blanks,
    extra,
    fill,
    joined,
    json_text,
    prose,
    quoted,
    sentence,
    several,
    template,
    text_line,
    value,
)


@template("shared-helper", "helper of several callers")
def shared_helper(random: Random) -> Parts:
    """One helper asks and strips, its callers read a word, a number or a text."""
    which = random.choice(("label", "count", "title"))
    source = fill(
        random,
        """
        def complete(prompt, **kwargs):
            for key, value in kwargs.items():
                prompt = prompt.replace("{" + key + "}", str(value))
            return ask(prompt).strip()

        def label(text):
            return "spam" if complete("Spam or ham?\\n{text}", text=text) == "spam" else "ham"

        def count(text):
            return int(complete("How many people occur in: {text}", text=text))

        def title(text):
            return complete("A title for: {text}", text=text)

        def handle():
            return <<which>>("Ann met Bob.")
        """,
        which=which,
    )

    def draw(random: Random) -> str:
        if which == "count":
            return blanks(random, random.choice(("2", "0", "+3", "007", "-1")))
        if which == "label":
            return blanks(
                random, random.choice(("spam", "spam", "ham", "Spamalot", "not spam", "N/A"))
            )
        return blanks(random, random.choice((text_line(random), value(random), "spam", "2")))

    return source, draw, ("spam", "ham") if which == "label" else ()


@template("outline-recursion", "recursion")
def outline_recursion(random: Random) -> Parts:
    """An outline by indentation, read by a function that calls itself."""
    source = fill(
        random,
        """
        def indent_of(line):
            return len(line) - len(line.lstrip(" "))

        def tree(lines, depth=0):
            nodes = []
            while lines and indent_of(lines[0]) >= depth:
                text = lines.pop(0)
                children = []
                if lines and indent_of(lines[0]) > indent_of(text):
                    children = tree(lines, indent_of(lines[0]))
                nodes.append((text.strip(), children))
            return nodes

        def handle():
            <<a>> = ask("Outline of the thesis, two blanks of indent per level:")
            return tree([line for line in <<a>>.splitlines() if line.strip()])
        """,
    )

    def draw(random: Random) -> str:
        parts, depth = [], 0
        for item in several(random, text_line, 8):
            parts.append("  " * depth + random.choice(("", "- ", "1. ")) + item)
            depth = max(0, min(4, depth + random.choice((-2, -1, 0, 1))))
        return joined(random, parts, blank=True)

    return source, draw, ()


@template("json-walk", "recursion")
def json_walk(random: Random) -> Parts:
    """A JSON value of any depth, flattened by recursion."""
    source = fill(
        random,
        """
        import json

        def flatten(value, path=""):
            if isinstance(value, dict):
                for key, child in value.items():
                    yield from flatten(child, f"{path}.{key}" if path else key)
            elif isinstance(value, list):
                for n, child in enumerate(value):
                    yield from flatten(child, f"{path}[{n}]")
            else:
                yield path, value

        def handle():
            return dict(flatten(json.loads(ask("Turn this form into nested JSON: ..."))))
        """,
    )

    def nested(random: Random, depth: int) -> object:
        kind = random.random()
        if depth and kind < 0.35:
            keys = random.sample(
                ("a b", "no", "C#", "", "x.y", "1", "äö", "$ref"), random.randint(0, 4)
            )
            return {key: nested(random, depth - 1) for key in keys}
        if depth and kind < 0.55:
            return [nested(random, depth - 1) for _ in range(random.randint(0, 4))]
        return random.choice((None, True, False, -5, 1e3, "1,000", "", text_line(random)))

    def draw(random: Random) -> str:
        data = {"id": value(random), "body": nested(random, 4)}
        return blanks(random, json_text(random, data))

    return source, draw, ()


@template("command-registry", "registry by decorator")
def command_registry(random: Random) -> Parts:
    """A game master's commands in a registry, unknown ones are told as a story."""
    source = fill(
        random,
        """
        import shlex

        COMMANDS = {}

        def command(fn):
            COMMANDS[fn.__name__] = fn
            return fn

        @command
        def roll(dice="1d20", *mods):
            return ("roll", dice, sum(map(int, mods)))

        @command
        def damage(target, points):
            return ("damage", target, int(points))

        @command
        def say(*words):
            return ("say", " ".join(words))

        def run(line):
            word, _, rest = line.strip().partition(" ")
            if word in COMMANDS:
                return COMMANDS[word](*shlex.split(rest))
            return ("story", line)

        def handle():
            return run(ask(f"You are the game master. Commands: {sorted(COMMANDS)}; else narrate."))
        """,
    )

    def draw(random: Random) -> str:
        dice = random.choice(("roll", "roll 2d6", "roll d20 +3", "roll 1d8 -1 +2"))
        hit = f"damage {random.choice(('goblin', quoted('Dr. No'), quoted('rat #2')))} "
        told = random.choice(
            (prose(random), sentence(random), "Roll for initiative!", "rolling on")
        )
        return random.choice(
            (
                dice,
                hit + random.choice(("5", "-5", "+3", "007")),
                "say " + random.choice(("Halt!", '"Who goes there?"', "no.", "C++ ;)", "yes, yes")),
                told,
                told,
            )
        )

    return source, draw, ("roll", "damage", "say")


@template("json-or-lines", "either/or parser")
def json_or_lines(random: Random) -> Parts:
    """JSON if it is JSON, else lines."""
    source = fill(
        random,
        """
        import json

        def parse_list(text):
            try:
                data = json.loads(text)
            except json.JSONDecodeError:
                return [line.lstrip("-*• ").strip() for line in text.splitlines() if line.strip()]
            return data if isinstance(data, list) else [data]

        def handle():
            return parse_list(ask("Suggest three names for a cat. JSON list preferred."))
        """,
    )

    def draw(random: Random) -> str:
        items = several(random, value)
        lines = [
            random.choice(("", "- "))
            + random.choice(PASSAGES[4:5] + ("Minou", "'No'", i.lstrip("-*") or "Ω"))
            for i in items
        ]
        return random.choice(
            (json_text(random, items), joined(random, lines, blank=True), lines[0], "42")
        )

    return source, draw, ()


@template("int-float-text", "either/or parser")
def int_float_text(random: Random) -> Parts:
    """The first of several readers that does not raise."""
    source = fill(
        random,
        """
        from datetime import date

        def parse_bool(s):
            return {"true": True, "false": False}[s.lower()]

        READERS = (int, float, parse_bool, date.fromisoformat, str)

        def coerce(cell):
            for read in READERS:
                try:
                    return read(cell)
                except (ValueError, KeyError):
                    continue

        def handle():
            <<a>> = ask("Fill the missing cell of the table. Only the value.")
            return coerce(<<a>>.strip())
        """,
    )

    def draw(random: Random) -> str:
        texts = (
            "true",
            "False",
            "2024-02-29",
            "1e3",
            "-5",
            "+3",
            "0042",
            "1,000",
            "5%",
            "<5",
            "no",
        )
        return blanks(random, random.choice((random.choice(texts), value(random))))

    return source, draw, ("true", "false")


@template("comment-filter", "negated filter")
def comment_filter(random: Random) -> Parts:
    """Every line but remarks and fences is kept."""
    mark = random.choice(("#", "//", ">"))
    source = fill(
        random,
        """
        def keep(line: str) -> bool:
            return bool(line.strip()) and not line.lstrip().startswith(("<<mark>>", "```"))

        def handle():
            <<a>> = ask("Shell commands to set up the project, one a line:")
            return [line.rstrip() for line in <<a>>.splitlines() if keep(line)]
        """,
        mark=mark,
    )
    commands = (
        "cd ~/app && ls -la",
        "export X=1  # yes",
        "pip install 'a[b]>=2.0'",
        "$ git push",
        'echo "no" > out.txt',
        "./run.sh -5 +3",
        "    make C++",
        "- not really a command",
    )

    def draw(random: Random) -> str:
        parts = [random.choice(commands), *several(random, lambda random: random.choice(commands))]
        if random.random() < 0.5:
            parts.insert(0, f"{mark} first of all: {sentence(random)}")
        if random.random() < 0.3:
            parts = ["```bash", *parts, "```"]
        return joined(random, parts, blank=True)

    return source, draw, ()


@template("drop-missing", "negated filter")
def drop_missing(random: Random) -> Parts:
    """A data cleaner that drops the words for missing values."""
    source = fill(
        random,
        """
        MISSING = {"", "n/a", "na", "none", "null", "-"}

        class Cleaner:
            def __init__(self, column):
                self.column = column
                self.dropped = 0

            def __call__(self, text):
                kept = []
                for cell in text.split("\\n"):
                    if cell.strip().lower() not in MISSING:
                        kept.append(cell.strip())
                    else:
                        self.dropped += 1
                return kept, self.dropped

        def handle():
            cleaner = Cleaner("city")
            return cleaner(ask(f"Normalise {cleaner.column}, one value a line, else N/A"))
        """,
    )

    def cell(random: Random) -> str:
        return random.choice((value(random), "N/A", "none", "-", "", "Nonesuch", "n/a (yet)", "-5"))

    def draw(random: Random) -> str:
        cells = [value(random), *several(random, cell, 9)]
        random.shuffle(cells)
        return "\n".join(cells)

    return source, draw, ()


@template("parser-class", "class hierarchy")
def parser_class(random: Random) -> Parts:
    """A chain with an output parser, as agent libraries have it."""
    child = random.choice(("ListParser", "NumberedParser", "StrParser"))
    source = fill(
        random,
        r"""
        import re
        from abc import ABC, abstractmethod

        class OutputParser(ABC):
            @abstractmethod
            def parse(self, text): ...
            def get_format_instructions(self):
                return ""

        class StrParser(OutputParser):
            def parse(self, text):
                return text

        class ListParser(OutputParser):
            def get_format_instructions(self):
                return "Your response should be a list of comma separated values, eg: `foo, bar`"
            def parse(self, text):
                return [part.strip() for part in text.split(",")]

        class NumberedParser(ListParser):
            pattern = r"\d+\.\s([^\n]+)"
            def parse(self, text):
                return re.findall(self.pattern, text)

        class Chain:
            def __init__(self, prompt, parser):
                self.prompt, self.parser = prompt, parser
            def invoke(self, **inputs):
                hint = self.parser.get_format_instructions()
                return self.parser.parse(ask(self.prompt.format(**inputs) + "\n" + hint))

        def handle():
            return Chain("Ideas for {topic}.", <<child>>()).invoke(topic="a picnic")
        """,
        child=child,
    )

    def draw(random: Random) -> str:
        if child == "StrParser":
            return random.choice((prose(random), text_line(random), value(random)))
        items = several(random, lambda random: value(random, ",.0123456789"))
        if child == "ListParser":
            return ", ".join(items)
        return "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))

    return source, draw, ()


@template("closure-parser", "closure")
def closure_parser(random: Random) -> Parts:
    """Parsers made by a function."""
    outer, inner = random.choice(((";", ":"), ("|", "="), ("\n", ":"), (",", "->")))
    source = fill(
        random,
        """
        def split_on(sep, then=str.strip):
            def parse(text):
                return [then(part) for part in text.split(sep) if part.strip()]
            return parse

        def pair(mark):
            def parse(text):
                left, right = text.split(mark, 1)
                return left.strip(), right.strip()
            return parse

        read = split_on(<<outer>>, then=pair(<<inner>>))

        def handle():
            return read(ask("Glossary as term<<shown>>meaning, separated by " + repr(<<outer>>)))
        """,
        outer=quoted(outer),
        inner=quoted(inner),
        shown=inner,
    )

    def item(random: Random) -> str:
        left = value(random, outer + inner)
        return f"{left}{inner} {text_line(random, outer)}"

    return source, lambda random: blanks(random, outer.join(several(random, item))), ()


@template("generator-lines", "generator")
def generator_lines(random: Random) -> Parts:
    """Generators that feed each other."""
    source = fill(
        random,
        """
        import io
        import itertools

        def stream(prompt):
            with io.StringIO(ask(prompt)) as buffer:
                while line := buffer.readline():
                    yield line

        def paragraphs(lines):
            for filled, group in itertools.groupby(lines, key=lambda s: bool(s.strip())):
                if filled:
                    yield "".join(group)<<strip>>

        def handle():
            return list(paragraphs(stream("Write a short fable.")))
        """,
        strip=random.choice(("", ".strip()", '.rstrip("\\n")')),
    )
    return source, lambda random: blanks(random, prose(random)), ()


@template("retry-loop", "retry loop")
def retry_loop(random: Random) -> Parts:
    """Some attempts, of which the first is good."""
    source = fill(
        random,
        """
        import json

        MAX_RETRIES = <<n>>

        class LLMError(RuntimeError):
            pass

        def ask_json(prompt, required=()):
            error = None
            for attempt in range(MAX_RETRIES):
                hint = f"\\nLast error: {error}" if error else ""
                try:
                    data = json.loads(ask(prompt + hint))
                    missing = [key for key in required if key not in data]
                    if missing:
                        raise ValueError(f"missing {missing}")
                    return data
                except ValueError as exc:
                    error = exc
            raise LLMError(f"gave up after {MAX_RETRIES}: {error}")

        def handle():
            data = ask_json("Grade as JSON with grade and remark.", required=["grade", "remark"])
            return data["grade"], data["remark"]
        """,
        n=random.choice((1, 2, 3, 5)),
    )

    def draw(random: Random) -> str:
        grade = random.choice(("A-", "B+", 1, -5, 3.0, None, "N/A", "<5", ["A", "A-"], True))
        data = {"grade": grade, "remark": random.choice((prose(random), value(random), ""))}
        return blanks(random, json_text(random, extra(random, data)))

    return source, draw, ()


@template("prose-stored", "prose stored")
def prose_stored(random: Random) -> Parts:
    """A text that goes into a record as it is."""
    source = fill(
        random,
        """
        from dataclasses import dataclass, field

        @dataclass
        class Article:
            slug: str
            text: str = ""
            history: list[str] = field(default_factory=list)

            def rewrite(self, style):
                self.history.append(self.text)
                self.text = ask(f"Rewrite in {style} style:\\n{self.text}")<<strip>>
                return self

        def handle():
            return Article("tides", "The tide came in.").rewrite("<<style>>")
        """,
        strip=random.choice(("", "", ".strip()", ".rstrip()")),
        style=random.choice(("formal", "pirate", "haiku")),
    )
    return source, lambda random: blanks(random, random.choice((prose, text_line))(random)), ()


@template("prose-printed", "prose printed and measured")
def prose_printed(random: Random) -> Parts:
    """A text that is printed, its words and characters counted."""
    source = fill(
        random,
        """
        def report(text):
            print(text)
            print("-" * 20)
            return {"chars": len(text), "words": len(text.split()), "lines": text.count("\\n") + 1}

        def handle():
            return report(ask("<<prompt>>"))
        """,
        prompt=random.choice(
            ("Explain recursion to a child.", "Write a poem.", "Summarise the talk.")
        ),
    )
    return source, prose, ()


@template("prose-truncated", "prose measured")
def prose_truncated(random: Random) -> Parts:
    """A summary that is cut to a number of words or characters."""
    words = random.random() < 0.5
    limit = random.choice((5, 20, 100))
    source = fill(
        random,
        """
        LIMIT = <<limit>>

        def shorten(text):
            <<rest>>

        def handle():
            summary = ask(f"Summarise in at most {LIMIT} <<unit>>.")
            return shorten(summary), len(summary) > LIMIT
        """,
        limit=limit,
        unit="words" if words else "characters",
        rest=(
            "words = text.split()\n"
            '    return " ".join(words[:LIMIT]) + ("…" if len(words) > LIMIT else "")'
            if words
            else "return text if len(text) <= LIMIT else text[: LIMIT - 3] + '...'"
        ),
    )
    return source, lambda random: random.choice((prose, text_line, value))(random), ()


@template("chat-history", "prose stored")
def chat_history(random: Random) -> Parts:
    """A chat bot that appends the answer to its messages."""
    source = fill(
        random,
        """
        from collections import deque

        class ChatBot:
            def __init__(self, system, window=4):
                self.messages = deque([{"role": "system", "content": system}], maxlen=window)

            def chat(self, text):
                self.messages.append({"role": "user", "content": text})
                prompt = "\\n".join(f"{m['role']}: {m['content']}" for m in self.messages)
                content = ask(prompt + "\\nassistant:")
                self.messages.append({"role": "assistant", "content": content})
                return content

        def handle():
            bot = ChatBot("You are <<who>>.")
            bot.chat("hello, who are you?")
            return list(bot.messages)<<part>>
        """,
        who=random.choice(("a pirate", "a kind tutor", "Marvin")),
        part=random.choice(("", "[-1:]", "[1:]")),
    )
    return source, lambda random: random.choice((prose, text_line, value))(random), ()


@template("pipeline", "pipeline of functions")
def pipeline(random: Random) -> Parts:
    """Functions applied one after the other."""
    source = fill(
        random,
        r"""
        import re
        from functools import reduce

        def drop_quotes(s): return s[1:-1] if len(s) > 1 and s[0] == s[-1] == '"' else s
        def one_line(s): return re.sub(r"\s+", " ", s)
        def strip_prefix(s): return s.removeprefix("Title:").strip()

        STEPS = [str.strip, <<steps>>]

        def handle():
            return reduce(lambda s, step: step(s), STEPS, ask("Give the paper a title."))
        """,
        steps=random.choice(
            ("strip_prefix, drop_quotes, one_line", "one_line, strip_prefix", "drop_quotes")
        ),
    )

    def draw(random: Random) -> str:
        title = random.choice((text_line(random), value(random), 'On "No" and\n “Yes”'))
        return blanks(random, random.choice(("{}", '"{}"', "Title: {}")).replace("{}", title))

    return source, draw, ()
