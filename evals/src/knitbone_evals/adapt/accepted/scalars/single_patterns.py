"""Templates of programs that take an answer apart, or try one reading and then another."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.scalars.single_base import (
    PHRASES,
    SENTENCES,
    TITLES,
    Built,
    either,
    fill,
    pad,
    pick,
    prose,
    template,
)


@template("regular expression with default")
def fullmatch_or_default(random: Random) -> Built:
    """A full match of an identifier such as ABC-123, else a default."""
    pattern, said, others = random.choice(
        (
            (
                r"[A-Z]{2,5}-\d+",
                ("ABC-123", "XY-0042", "JIRA-7", "NO-1", "END-0"),
                (
                    "ABC 123",
                    "none",
                    "ABC-",
                    "abc-123",
                    "ABC-1 or ABC-2",
                    "-5",
                    "A-",
                    "ABC-12.",
                    "NO",
                ),
            ),
            (
                r"[A-Z]{1,5}([.-][A-Z])?",
                ("AAPL", "BRK.B", "F", "NO", "BF-B", "DONE", "T", "ON"),
                (
                    "n/a",
                    "not listed",
                    "$AAPL",
                    "7203.T",
                    "private",
                    "Apple Inc.",
                    "A-",
                    "AAPL?",
                    "-",
                ),
            ),
            (
                r"#[0-9a-fA-F]{6}",
                ("#ff0000", "#00FF7f", "#000000", "#123456"),
                ("red", "#fff", "ff0000", "#ggg000", "not #ff0000", "#1234567", "rgb(1, 2, 3)"),
            ),
            (
                r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=[QRBN])?[+#]?|O-O(-O)?[+#]?",
                ("e4", "Nf3+", "O-O", "Qxe5#", "e8=Q+", "O-O-O#", "Rad1"),
                ("resign", "1. e4", "e4 e5", "0-0", "1-0", "draw?", "e4!?", "pass", "Nf9", "..."),
            ),
        )
    )
    source = random.choice(
        (
            """
            import re

            PATTERN = re.compile(r"<<pattern>>")


            def handle():
                <<v>> = <<ask>>.strip()
                return <<v>> if PATTERN.fullmatch(<<v>>) else <<=default>>
            """,
            """
            import re


            def handle():
                if m := re.fullmatch(r"\\s*(<<pattern>>)\\s*", <<ask>>):
                    return ("match", m.group(1))
                return ("no match", <<=default>>)
            """,
        )
    )
    default = random.choice(("none", "unknown", "?", "0"))
    text = fill(random, f"Answer in the form {pattern}", source, pattern=pattern, default=default)
    return Built(text, pick(said, others, pad))


@template("regular expression with default")
def answer_line(random: Random) -> Built:
    """What follows `Answer:`, else the whole answer."""
    word = random.choice(("Answer", "Final answer", "Result", "Translation"))
    source = random.choice(
        (
            r"""
            import re


            def handle():
                <<v>> = <<ask>>
                m = re.search(r"<<word>>:\s*(.+)", <<v>>)
                return m.group(1).strip() if m else <<v>>.strip()
            """,
            """
            MARK = "<<word>>:"


            def handle():
                <<v>> = <<ask>>.strip()
                _, found, after = <<v>>.rpartition(MARK)
                return after.strip() if found else <<v>>
            """,
            """
            def handle():
                return <<ask>>.strip().removeprefix("<<word>>:").strip()
            """,
        )
    )
    whole_prefix = "removeprefix" in source

    def marked(random: Random) -> str:
        value = random.choice(PHRASES + ("A-", "-5", "1,000", "<5", "$12", "5%", "v2.0."))
        lead = "" if whole_prefix else random.choice(("", prose(random) + "\n\n", "Hm.\n"))
        return f"{lead}{word}: {value}"

    def unmarked(random: Random) -> str:
        phrase = random.choice(PHRASES)
        while f"{word}:" in phrase:
            phrase = random.choice(PHRASES)
        return random.choice((phrase, f"No {word.lower()}.", prose(random, 2)))

    text = fill(random, f"Think aloud, then write '{word}: ...'", source, word=word)
    return Built(text, either(marked, unmarked, 0.4, pad), (f"{word}:",))


@template("regular expression without default")
def match_group(random: Random) -> Built:
    """`re.match` and its group, with no second way."""
    pattern, said = random.choice(
        (
            (
                r"(?P<value>\w+)!?:?\s",
                ("fix: typo", "feat!: C#", "docs : no. 5", "a b", "revert: \n"),
            ),
            (r"\W*(?P<value>[^\W\d_]+)", ("Köln", "(Nice)", "- Москва, 5 km", "“No.”", "¿Quién?")),
            (
                r"(?P<value>[^,;\n]+)",
                ("Inc., Acme", "C++; C#", "A-, B+", "O'Brien\nx", " <5", "1."),
            ),
        )
    )
    source = """
    import re


    def handle():
        return re.match(r"<<pattern>>", <<ask>>)["value"]
    """
    return Built(fill(random, "One line only", source, pattern=pattern), pick(said))


@template("commit line")
def commit_subject(random: Random) -> Built:
    """A conventional commit line, else a chore."""
    source = r"""
    import re
    from dataclasses import dataclass

    COMMIT = re.compile(r"(?P<kind>[a-z]+)(\((?P<scope>[^)]*)\))?(?P<bang>!)?: (?P<subject>.+)")


    @dataclass
    class Commit:
        kind: str
        subject: str
        scope: str = ""
        breaking: bool = False


    def handle():
        line = <<ask>>.strip().splitlines()[0]
        if m := COMMIT.fullmatch(line):
            return Commit(m["kind"], m["subject"], m["scope"] or "", bool(m["bang"]))
        return Commit("chore", line)
    """
    said = (
        "fix: don't strip 'A-'",
        "feat(api)!: drop v2.0.",
        "docs(README.md): use `x` (not **y**)",
        "fix(c++): 5% faster\n\nBody: 1. one\n2. two",
        "revert: fix: typo.",
        'test: "No."',
    )
    others = (
        "Fix typo",
        "WIP",
        "feat - no colon",
        "Merge branch 'main'",
        "v1.2.3",
        "(fix): x",
        "[x]",
    )
    return Built(fill(random, "A commit message for the diff", source), pick(said, others, pad))


@template("code")
def code_unfenced(random: Random) -> Built:
    """Code whose fences the program removes itself."""
    source = random.choice(
        (
            r"""
            import re

            FENCE = re.compile(r"^```\w*\n(.*?)\n?```$", re.S)


            def handle():
                <<v>> = <<ask>>.strip()
                m = FENCE.match(<<v>>)
                return m.group(1) if m else <<v>>
            """,
            """
            def strip_fences(<<v>>):
                lines = <<v>>.strip().splitlines()
                if lines[0].startswith("```"):
                    lines = lines[1:]
                if lines[-1].startswith("```"):
                    lines = lines[:-1]
                return "\\n".join(lines)


            def handle():
                return {"code": strip_fences(<<ask>>)}
            """,
        )
    )
    code = (
        "print('hello')",
        "x = {'a': [1, 2]}  # no. 5\n\nprint(x)",
        "def f():\n    return '''\n    - 1\n    '''",
        "# Heading\n\n* item",
        'if (a < b && c) { return "“x”"; }',
        "ls -la | grep '*.py' > out.txt",
        "SELECT 1;",
        "\tindented = True",
    )

    def draw(random: Random) -> str:
        text = random.choice(code)
        tag = random.choice(("", "python", "sh"))
        return random.choice((text, f"```{tag}\n{text}\n```")) + random.choice(("", "\n"))

    return Built(fill(random, "Only the code.", source), draw)


@template("tag with default")
def tag_or_whole(random: Random) -> Built:
    """What lies between two tags, else the whole answer."""
    tag = random.choice(("answer", "result", "final", "output"))
    source = random.choice(
        (
            r"""
            import re

            TAG = re.compile(r"<<<tag>>>(.*?)</<<tag>>>", re.DOTALL)


            def handle():
                <<v>> = <<ask>>
                found = TAG.search(<<v>>)
                return (found[1] if found else <<v>>).strip()
            """,
            """
            def between(<<v>>, start="<<<tag>>>", end="</<<tag>>>"):
                if start in <<v>> and end in <<v>>:
                    return <<v>>.split(start, 1)[1].split(end, 1)[0].strip()
                return <<v>>.strip()


            def handle():
                return between(<<ask>>)
            """,
        )
    )

    def tagged(random: Random) -> str:
        lead = random.choice(
            ("", "<thinking>" + prose(random) + "</thinking>\n", prose(random) + "\n")
        )
        inner = random.choice(("{}", "\n{}\n", " {} ")).format(random.choice(PHRASES))
        return f"{lead}<{tag}>{inner}</{tag}>" + random.choice(("", "\n", "\nDone."))

    def bare(random: Random) -> str:
        return random.choice(
            (random.choice(PHRASES), prose(random), f"<b>{random.choice(TITLES)}</b>", "<answers/>")
        )

    text = fill(random, f"Put it in <{tag}> tags.", source, tag=tag)
    return Built(text, either(tagged, bare, 0.4), (f"<{tag}>", f"</{tag}>"))


@template("number or text")
def int_float_text(random: Random) -> Built:
    """An int if it is one, else a float, else the text."""
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>.strip()
                for kind in (int, float):
                    try:
                        return kind(<<v>>)
                    except ValueError:
                        pass
                return <<v>>
            """,
            """
            def convert(<<v>>):
                try:
                    return int(<<v>>)
                except ValueError:
                    try:
                        return float(<<v>>)
                    except ValueError:
                        return <<v>>


            def handle():
                return {"value": convert(<<ask>>.strip())}
            """,
        )
    )
    said = ("7", "-5", "+3", "0042", "1e3", ".5", "1_000", "-0.25", "inf", "10.")
    others = ("1,000", "5%", "$12", "~10", "<5", "A-", "3 kg", "1.2.3", "v2.0.", "1/2", *PHRASES)
    return Built(fill(random, "Value of the cell?", source), pick(said, others, pad, 0.6))


@template("JSON or text")
def json_or_plain(random: Random) -> Built:
    """`json.loads`, else the text as it is."""
    source = random.choice(
        (
            """
            import json


            def handle():
                <<v>> = <<ask>>.strip()
                try:
                    return ("json", json.loads(<<v>>))
                except json.JSONDecodeError:
                    return ("text", <<v>>)
            """,
            """
            import json


            def handle():
                <<v>> = <<ask>>
                if <<v>>.lstrip().startswith(("{", "[")):
                    try:
                        return {"data": json.loads(<<v>>)}
                    except ValueError:
                        pass
                return {"text": <<v>>.strip()}
            """,
        )
    )
    said = (
        '{"a": 1, "b": null}',
        "[3, 1, 2, 2]",
        '"quoted"',
        "-5",
        "1e3",
        "null",
        "true",
        '{"n": {"x": []}, "note": "use \\"x\\", not {y}"}',
        '{\n  "city": "Köln",\n  "unread": ""\n}',
        '["```", "1. one", "No."]',
        "{}",
    )

    def other(random: Random) -> str:
        return random.choice((random.choice(PHRASES), prose(random), "No JSON here.", "+3", "A-"))

    prompt = "Reply in JSON or in plain words, as you like."
    return Built(fill(random, prompt, source), either(pick(said), other, 0.45, pad))


@template("Python literal or text")
def literal_or_text(random: Random) -> Built:
    """`ast.literal_eval`, else the text as it is."""
    source = """
    import ast


    def handle():
        <<v>> = <<ask>>.strip()
        try:
            value = ast.literal_eval(<<v>>)
        except (ValueError, SyntaxError):
            value = <<v>>
        return [type(value).__name__, value]
    """
    said = ("42", "-5", "'A-'", "(1, 2)", "{'a': None}", "True", "1e3", "[1, [2]]", "0x1F", '"No."')
    others = (
        "0042",
        "1,000 kg",
        "C++",
        "{Köln}",
        "nobody",
        "A-",
        "5%",
        "v2.0.",
        "[x]",
        "“42”",
        "it's",
    )
    return Built(fill(random, "The value, as Python sees it", source), pick(said, others, pad))


@template("label and value with default")
def after_colon(random: Random) -> Built:
    """What follows the first colon, else the whole answer."""
    source = """
    def handle():
        label, colon, value = <<ask>>.partition(":")
        if not colon:
            return ("value", label.strip())
        return (label.strip().lower(), value.strip())
    """
    said = (
        "City: Köln",
        "Price : $12",
        "Grade: A-",
        "Time: 12:30",
        "URL: https://x.org:80/",
        "C#: F#",
    )
    others = tuple(phrase for phrase in PHRASES if ":" not in phrase)
    return Built(
        fill(random, "One fact from the text, as label: value", source), pick(said, others, pad)
    )


@template("git branch with default")
def git_branch(random: Random) -> Built:
    """A name for a branch, else `main`."""
    source = r"""
    import re


    def handle():
        <<v>> = <<ask>>.strip()
        return <<v>> if re.fullmatch(r"(feature|fix|docs)/[\w.+#-]+", <<v>>) else "main"
    """
    said = (
        "feature/c++-17",
        "fix/no.-5",
        "docs/v2.0.",
        "fix/-x-",
        "feature/C#",
        "docs/öl",
        "fix/0042",
    )
    others = (
        "main",
        "hotfix/a",
        "feature/",
        "fix typo",
        "not fix/a",
        "Feature/x",
        "fix/a/b",
        "HEAD",
    )
    return Built(fill(random, "Branch name?", source), pick(said, others, pad))


@template("shell command")
def shell_command(random: Random) -> Built:
    """A command is split into words, and its program is looked up."""
    source = random.choice(
        (
            """
            import shlex

            SAFE = {"ls", "cat", "grep", "echo"}


            def handle():
                program, *rest = shlex.split(<<ask>>)
                return {"safe": program in SAFE, "program": program, "args": rest}
            """,
            """
            import shlex


            def handle():
                return shlex.split(<<ask>>.strip().removeprefix("$ "))
            """,
        )
    )
    said = (
        "ls -la",
        "cat 'my file.txt'",
        'grep -n "C++" *.md',
        "echo -n '{\"a\": 1}'",
        "./ls .",
        "rm -rf -- -5",
        'echo "O\'Brien" > out',
        "tar xzf a.tar.gz && ls",
        "unls",
        "echo ```",
    )
    literals = ("ls", "cat", "grep", "echo") if "SAFE" in source else ()
    return Built(fill(random, "Next shell command:", source), pick(said, dress=pad), literals)


@template("parsed identifier")
def uuid_or_address(random: Random) -> Built:
    """A UUID or an IP address, checked by the standard library."""
    source, said, others = random.choice(
        (
            (
                """
                import uuid


                def handle():
                    try:
                        return uuid.UUID(<<ask>>.strip())
                    except ValueError:
                        return uuid.UUID(int=0)
                """,
                (
                    "12345678-1234-5678-1234-567812345678",
                    "{12345678-1234-5678-1234-567812345678}",
                    "urn:uuid:12345678-1234-5678-1234-567812345678",
                    "12345678123456781234567812345678",
                    "ABCDEF00-0000-0000-0000-000000000001",
                ),
                ("none", "1234", "not a UUID", "12345678-1234", "n/a", "#5", "0042"),
            ),
            (
                """
                import ipaddress


                def handle():
                    <<v>> = <<ask>>.strip()
                    try:
                        return ipaddress.ip_network(<<v>>, strict=False)
                    except ValueError:
                        return ("host", <<v>>)
                """,
                ("10.0.0.1", "192.168.0.0/24", "::1", "2001:db8::/32", "0.0.0.0", "10.1.2.3/8"),
                (
                    "localhost",
                    "1.2.3",
                    "10.0.0.256",
                    "any",
                    "example.org.",
                    "10.0.0.1:80",
                    "not 10.*",
                ),
            ),
        )
    )
    return Built(fill(random, "Which one is in the log?", source), pick(said, others, pad))


@template("pattern given by the model")
def model_pattern(random: Random) -> Built:
    """The answer is a regular expression or template that is used."""
    source, said = random.choice(
        (
            (
                """
                import re


                def handle():
                    pattern = re.compile(<<ask>>.strip())
                    return (pattern.pattern, pattern.groups)
                """,
                (
                    r"^\d+$",
                    "[A-Z]{2}-?",
                    "(a|b)*",
                    r"\*\*(.+?)\*\*",
                    "```",
                    "-5",
                    r"^#+\s",
                    '"[^"]*"',
                ),
            ),
            (
                """
                def handle():
                    template = <<ask>>.strip()
                    return template.format(name="Jane", total=5)
                """,
                (
                    "Hi {name}!",
                    "{total}%",
                    "- {name}: {total:04d}",
                    "{{{name}}}",
                    "“{name}”",
                    "No.",
                ),
            ),
            (
                """
                from string import Template


                def handle():
                    return Template(<<ask>>).safe_substitute(name="Jane", price="$12")
                """,
                (
                    "Hi $name, ",
                    "${price}.",
                    "$$5 for $name",
                    "$unknown",
                    "{name}",
                    "5 $",
                    "*$name*",
                ),
            ),
        )
    )
    return Built(fill(random, "Write the pattern, nothing else", source), pick(said, dress=pad))


@template("yes with a reason")
def word_and_reason(random: Random) -> Built:
    """The first word decides, the reason behind it is kept with it."""
    source = """
    def handle():
        word, _, reason = <<ask>>.strip().partition(" ")
        match word.rstrip(",.:").lower():
            case "yes":
                return (True, reason)
            case "no":
                return (False, reason)
            case _:
                return (None, f"{word} {reason}".strip())
    """

    def said(random: Random) -> str:
        word = random.choice(("Yes", "No", "yes,", "NO:", "No."))
        return f"{word} {random.choice(SENTENCES)}"

    def others(random: Random) -> str:
        word = random.choice(
            ("Maybe", "Non,", "Nobody", "Yes-men", "Not", "Neither:", "N/A", "“No”")
        )
        return f"{word} {random.choice(SENTENCES)}"

    return Built(
        fill(random, "Yes or no, and why?", source),
        either(said, others, dress=pad),
        (
            "yes",
            "no",
        ),
    )


@template("tool name with default")
def tool_or_answer(random: Random) -> Built:
    """A line that begins with a tool's name calls it, all else is the answer."""
    source = """
    TOOLS = {
        "calc": lambda arg: ("calc", arg),
        "search": lambda arg: ("search", arg.strip('"')),
    }


    def handle():
        <<v>> = <<ask>>.strip()
        name, _, argument = <<v>>.partition(" ")
        tool = TOOLS.get(name)
        return tool(argument) if tool else ("answer", <<v>>)
    """
    said = ("calc 2*(3+4)", "calc -5", 'search "C++ vs. C#"', "search O'Brien's no. 5", "search")
    others = ("Search nothing", "research it", "no calc", "calc: 5", "/calc 5", "`calc`", *PHRASES)
    prompt = "Use a tool (calc <expr>, search <words>) or answer."
    return Built(fill(random, prompt, source), pick(said, others, pad), ("calc", "search"))


@template("country code with default")
def country(random: Random) -> Built:
    """Two capitals, from an enum with a default."""
    source = """
    from enum import Enum


    class Country(Enum):
        NO = "Norway"
        DE = "Germany"
        CI = "Côte d'Ivoire"
        XX = "unknown"

        @classmethod
        def read(cls, <<v>>):
            <<v>> = <<v>>.strip()
            try:
                return cls[<<v>>] if len(<<v>>) == 2 else cls(<<v>>)
            except (KeyError, ValueError):
                return cls.XX


    def handle():
        return Country.read(<<ask>>)
    """
    said = ("NO", "DE", "CI", "Norway", "Germany", "Côte d'Ivoire")
    others = (
        "SE",
        "not Norway",
        "Germany or NO",
        "n/a",
        "East Germany",
        "DE-BY",
        "GERM",
        "+49",
        "-",
        "0",
    )
    return Built(fill(random, "Country or its code?", source), pick(said, others, pad), said)
