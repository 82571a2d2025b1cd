"""More consumers of lines: headings, filters, dialogues, regular expressions."""

from __future__ import annotations

import random

from knitbone_evals.adapt.accepted.structures.structured_base import (
    AMOUNTS,
    LEADS,
    PEOPLE,
    SHORT,
    TAILS,
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
    value,
)


@template("named-groups", "finditer with named groups")
def _(r: random.Random):
    one, two = keys(r, 2)
    sep = r.choice((" - ", ": ", " by ", " -> "))
    opening, closing = r.choice(("()", "[]", "<>"))
    source = fill(
        """
        import re

        LINE = re.compile(
            r"^(?P<@one@>.+?)@sep@(?P<@two@>.+?)(?: \\@opening@(?P<year>\\d{4})\\@closing@)?$",
            re.MULTILINE,
        )


        def handle():
            return [m.groupdict(default="") for m in LINE.finditer(ask(@prompt@))]
        """.replace("\\@opening@", "@opening@").replace("\\@closing@", "@closing@"),
        one=one,
        two=two,
        sep=sep,
        opening=opening if opening == "<" else "\\" + opening,
        closing=closing if closing == ">" else "\\" + closing,
        prompt=ask_prompt(r, "the works", f"{one}{sep}{two} {opening}year{closing}"),
    )

    def draw(d: random.Random) -> str:
        lines = [d.choice(("", "Sure!", d.choice(WORDS)))] if d.random() < 0.3 else []
        for _ in range(many(d, 1, 6)):
            year = (
                f" {opening}{d.choice((1984, 2001, '0042'))}{closing}" if d.random() < 0.5 else ""
            )
            lines.append(value(d) + sep + value(d) + year)
            if d.random() < 0.1:
                lines.append("")
        return "\n".join(lines)

    return source, draw


FINDERS = (
    (r"-?\\d+(?:\\.\\d+)?", "numbers", ("-5", "3.14", "0042", "7", "1.5", "12")),
    (
        r"[\\w.+-]+@[\\w-]+\\.[\\w.]+",
        "emails",
        ("a@example.org", "x.y+z@ex-ample.co.uk", "é@exämple.de"),
    ),
    (
        r"https?://\\S+",
        "links",
        ("https://example.org/?q=1&b=2#top", "http://x.io/a_(b)", "https://e.org."),
    ),
    (r"#\\w+", "hashtags", ("#now", "#C", "#1", "#été", "#東京")),
    (r"\\b[A-Z]{2,}-\\d+\\b", "tickets", ("AB-12", "JIRA-0042", "X12 ABC-7")),
    (r'"([^"]*)"', "quotes", ('"no"', '"a, b"', '"it\'s"', '"1."')),
    (r"\\[(\\d+)\\]", "references", ("[1]", "[42]", "[007]")),
    (r"`([^`]+)`", "names", ("`x`", "`--no-cache`", "`f(a, b)`", "`C#`")),
    (r"\\$[\\d,.]*\\d", "prices", ("$12", "$1,000", "$0.50")),
    (r"\\*\\*(.+?)\\*\\*", "terms", ("**bold**", "**A-**", "**C++**", "**no.**")),
)


@template("findall-in-prose", "findall in prose")
def _(r: random.Random):
    pattern, what, samples = r.choice(FINDERS)
    ending = r.choice(
        ("found", "sorted(set(found))", "found[0], len(found)", "list(dict.fromkeys(found))")
    )
    source = fill(
        """
        import re


        def handle():
            found = re.findall(r'@pattern@', ask(@prompt@))
            return @ending@
        """.replace("'@pattern@'", "'''@pattern@'''" if "'" in pattern else "'@pattern@'"),
        pattern=pattern.replace("\\\\", "\\").replace("@", "\x00"),
        prompt=ask_prompt(r, f"a text with {what}"),
        ending=ending,
    ).replace("\x00", "@")

    def draw(d: random.Random) -> str:
        parts = []
        for _ in range(many(d, 1, 5)):
            parts += [sentence(d, '`"*[$#'), d.choice(samples)]
        if d.random() < 0.5:
            parts.append(sentence(d, '`"*[$#'))
        return d.choice((" ", "\n")).join(parts)

    return source, draw


@template("keep-lines", "lines kept by a filter")
def _(r: random.Random):
    start = r.choice(("- ", "> ", "+", "* ", "TODO ", "=> "))
    source = fill(
        """
        def wanted(line: str) -> bool:
            return @test@


        def handle():
            lines = ask(@prompt@).splitlines()
            return [line@strip@ for line in lines if wanted(line)]
        """,
        test=r.choice(
            (
                f'line.startswith("{start}")',
                f'line.lstrip().startswith("{start}")',
                f'line[:{len(start)}] == "{start}"',
            )
        ),
        strip=r.choice(("", f"[{len(start)}:]", f'.replace("{start}", "", 1)')),
        prompt=ask_prompt(r, "the lines", f"Mark them with {start!r}"),
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 7)):
            lines.append(start + d.choice((value, sentence))(d))
            if d.random() < 0.3:
                lines.append(d.choice(("", sentence(d), d.choice(LEADS), "-" + value(d))))
        return crlf(d, "\n".join(lines))

    return source, draw


@template("drop-lines", "lines dropped by a filter")
def _(r: random.Random):
    tests = (
        'line and not line.startswith("#")',
        'line and "@word@" not in line.lower()',
        'line and not line.endswith(":")',
        'line and not line.startswith(("#", "//", "--"))',
        "len(line) > 1 and not line.isspace()",
        'line not in ("", "---", "```")',
        "line and not line[0].isspace()",
    )
    word = r.choice(("note", "example", "sure", "optional"))
    test = r.choice(tests).replace("@word@", word)
    source = fill(
        """
        def handle():
            kept = []
            for raw in ask(@prompt@).splitlines():
                line = raw.rstrip()
                if not (@test@):
                    continue
                kept.append(line)
            return kept
        """,
        test=test,
        prompt=ask_prompt(r, "names", "One per line", "One per line, no remarks."),
    )

    def draw(d: random.Random) -> str:
        lines = [d.choice(LEADS)] if d.random() < 0.3 else []
        lines.append(d.choice((d.choice(WORDS), pick(d, PEOPLE, "X"))) + " " + d.choice(WORDS))
        for _ in range(many(d, 0, 6)):
            noise = (
                "",
                "# " + value(d),
                f"{word.title()}: {value(d)}",
                "---",
                "// x",
                d.choice(TAILS),
                "x",
            )
            lines.append(d.choice((value(d), value(d), sentence(d), d.choice(noise))))
        if d.random() < 0.2:
            lines = [line + "  " for line in lines]
        return crlf(d, "\n".join(lines))

    return source, draw


@template("plain-lines", "one item a line")
def _(r: random.Random):
    body = r.choice(
        (
            "return [line.strip() for line in text.splitlines() if line.strip()]",
            'return text.strip().split("\\n")',
            "return [*filter(None, map(str.strip, text.splitlines()))]",
            "return {n: line for n, line in enumerate(text.strip().splitlines())}",
            "return sorted(text.split(), key=len)",
        )
    )
    source = fill(
        """
        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "titles", "One per line.", "No numbering, no bullets."),
        body=body,
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 7)):
            lines.append(d.choice((value, value, sentence))(d))
            if d.random() < 0.1:
                lines.append("")
        if d.random() < 0.15:
            lines.append(lines[0])
        return crlf(d, pad(d, "\n".join(lines)))

    return source, draw


@template("digit-lines", "lines of digits")
def _(r: random.Random):
    body = r.choice(
        (
            "return [int(line) for line in map(str.strip, text.splitlines()) if line.isdigit()]",
            "return [token for token in text.split() if token.isdigit()]",
            'return [int(t) for t in text.replace(",", " ").split() if t.lstrip("-").isdecimal()]',
            'return [line for line in text.splitlines() if line[:1].isdigit() and "." in line[:3]]',
        )
    )
    source = fill(
        """
        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "the numbers of the lines that matter"),
        body=body,
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 7)):
            digits = d.choice(("7", "0042", "12", "0", "999", "3"))
            lines.append(f"{d.choice('123456789')}. {value(d)}" if "line[:3]" in body else digits)
            if d.random() < 0.25:
                lines.append(d.choice(("", sentence(d), pick(d, AMOUNTS, "²½"), pick(d, SHORT))))
        joint = "\n"
        if "text.split()" in body and d.random() < 0.4:
            joint = " "
        if "replace" in body and d.random() < 0.5:
            joint = ", "
        return joint.join(lines)

    return source, draw


@template("member-lines", "lines that name a member of a set")
def _(r: random.Random):
    names = r.sample(("red", "green", "blue", "C", "C++", "C#", "A", "A-", "no", "none", "N/A"), 5)
    default = r.choice(("nothing", "unknown"))
    source = fill(
        """
        KNOWN = [@names@]


        def handle():
            found = [name for name in ask(@prompt@).splitlines() if name@strip@ in KNOWN]
            return found or "@default@"
        """,
        names=", ".join(f'"{name}"' for name in names),
        strip=r.choice((".strip()", "", ".strip()")),
        default=default,
        prompt=ask_prompt(r, "those that apply", "one per line", ", ".join(names)),
    )

    def draw(d: random.Random) -> str:
        lines = []
        some = d.random() < 0.6
        for _ in range(d.randint(1, 5)):
            name = d.choice(names)
            near = (
                "not " + name,
                "light " + name,
                name + "-ish",
                name + " or so",
                name * 2,
            )
            lines.append(name if some and d.random() < 0.6 else d.choice((*near, value(d))))
        return crlf(d, "\n".join(lines))

    return source, draw, (*names, default)


@template("dialogue", "dialogue lines")
def _(r: random.Random):
    one, two = r.sample(("Alice", "Bob", "Host", "Guest", "Dr. No", "User", "Assistant"), 2)
    source = fill(
        """
        SPEAKERS = ("@one@", "@two@")


        def handle():
            turns = []
            for line in ask(@prompt@).splitlines():
                who, _, said = line.partition(": ")
                if who in SPEAKERS:
                    turns.append([who, said])
                elif turns and line.strip():
                    turns[-1][1] += @joint@ + line.strip()
            return turns
        """,
        one=one,
        two=two,
        joint=repr(r.choice((" ", "\n"))),
        prompt=ask_prompt(r, f"a dialogue of {one} and {two}", f"{one}: ..."),
    )

    def draw(d: random.Random) -> str:
        lines = [f"*{sentence(d)}*"] if d.random() < 0.2 else []
        for at in range(many(d, 1, 7)):
            lines.append(f"{(one, two)[at % 2]}: {d.choice((value, sentence))(d)}")
            if d.random() < 0.2:
                lines.append(d.choice(("", sentence(d), "(laughs)", "Narrator: " + value(d))))
        return crlf(d, "\n".join(lines))

    return source, draw


@template("dedent-code", "code out of a fence, dedented")
def _(r: random.Random):
    source = fill(
        """
        import textwrap


        def handle():
            text = ask(@prompt@)
            if "```" in text:
                text = text.split("```")[1]
                text = text[text.find("\\n") + 1 :]
            return textwrap.dedent(text).strip("\\n")@ending@
        """,
        ending=r.choice(("", ".splitlines()", ".expandtabs(4)")),
        prompt=ask_prompt(r, "a function", "in a code block"),
    )
    codes = (
        "    def f(x):\n        return {'a': x}  # no\n\n    print(f(1))",
        'for i in range(3):\n\tprint(f"{i}: yes")',
        "SELECT *\nFROM t -- all\nWHERE a <> 'O''Brien';",
        "#!/bin/sh\necho \"$1\" | grep -v '^#'",
        '{\n  "a": [1, 2,],\n}',
        "<ul>\n  <li>no</li>\n</ul>",
        "- 1\n- 2",
    )

    def draw(d: random.Random) -> str:
        code = d.choice(codes)
        if d.random() < 0.35:
            return code + d.choice(("", "\n"))
        lead = prose(d, "`") + "\n" if d.random() < 0.4 else ""
        tail = "\n" + prose(d) if d.random() < 0.4 else ""
        return f"{lead}```{d.choice(('python', '', 'sh', 'py3'))}\n{code}\n```{tail}"

    return source, draw


@template("wrapped-paragraphs", "paragraphs, wrapped or joined")
def _(r: random.Random):
    source = fill(
        """
        import textwrap


        def handle():
            paragraphs = ask(@prompt@).split("\\n\\n")
            return [@ending@ for p in paragraphs if p.strip()]
        """,
        ending=r.choice(
            (
                "textwrap.fill(p, width=60)",
                '" ".join(p.split())',
                'textwrap.shorten(p, 80, placeholder="…")',
                "p",
            )
        ),
        prompt=ask_prompt(r, "a short essay", "Blank lines between paragraphs."),
    )

    def draw(d: random.Random) -> str:
        parts = [prose(d, blank=False) for _ in range(many(d, 1, 4, 12))]
        if d.random() < 0.2:
            parts.insert(0, "# " + value(d))
        if d.random() < 0.2:
            parts.append("- " + value(d) + "\n- " + value(d))
        return d.choice(("\n\n", "\n\n", "\n\n\n")).join(parts)

    return source, draw


ESCAPED = ["C%2B%2B", "C%23", "a+b", "-5", "1,000", "%C3%A9", "no.", "x%26y", "été", "5%25"]


@template("query-string", "query string")
def _(r: random.Random):
    one = keys(r, 1)[0]
    source = fill(
        """
        from urllib.parse import parse_qs, urlsplit


        def handle():
            url = ask(@prompt@).strip()
            query = parse_qs(urlsplit(url).query@options@)
            return query["@one@"], query.get("page", ["1"])[0]
        """,
        one=one,
        options=r.choice(("", ", keep_blank_values=True")),
        prompt=ask_prompt(r, "the search address", "Only the URL."),
    )

    def draw(d: random.Random) -> str:
        parts = [f"{one}={pick(d, ESCAPED)}"]
        if d.random() < 0.4:
            parts.append(f"{one}=again")
        if d.random() < 0.5:
            parts.append(f"page={d.choice(('2', '0042', '-1', 'last', 'N/A'))}")
        if d.random() < 0.4:
            parts.insert(0, d.choice(("x=1", "empty=", "utm=%7B%7D", "flag")))
        return pad(d, "https://example.org/find?" + "&".join(parts) + d.choice(("", "#top")))

    return source, draw


@template("subtitles", "subtitle blocks")
def _(r: random.Random):
    source = fill(
        """
        import re

        CUE = re.compile(
            r"(\\d+)\\r?\\n(\\S+) --> (\\S+)\\r?\\n(.+?)(?:\\r?\\n\\r?\\n|\\s*\\Z)", re.S
        )


        def handle():
            return [@ending@ for n, start, end, text in CUE.findall(ask(@prompt@))]
        """,
        ending=r.choice(
            (
                "(int(n), start, end, text)",
                "(start, text.splitlines())",
                '{"at": start, "say": text}',
            )
        ),
        prompt=ask_prompt(r, "the subtitles", "as SRT"),
    )

    def draw(d: random.Random) -> str:
        cues = []
        for n in range(1, many(d, 2, 5, 15)):
            lines = "\n".join(d.choice((value, sentence))(d) for _ in range(d.randint(1, 2)))
            cues.append(f"{n}\n00:00:{n:02},000 --> 00:00:{n + 1:02},500\n{lines}")
        return crlf(d, "\n\n".join(cues) + d.choice(("", "\n")))

    return source, draw


@template("ballot-lines", "labels by id, dispatch table and default")
def _(r: random.Random):
    one, two, three = r.sample(("keep", "drop", "merge", "split", "yes", "no"), 3)
    sep = r.choice((": ", " = ", " -> "))
    source = fill(
        """
        ACTIONS = {"@one@": 1, "@two@": 2, "@three@": 3}


        def vote(line):
            ident, _, label = line.partition(@sep@)
            return ident.strip(), ACTIONS.get(label.strip()@lower@, 0)


        def handle():
            return dict(vote(line) for line in ask(@prompt@).splitlines() if @sep@ in line)
        """,
        one=one,
        two=two,
        three=three,
        sep=repr(sep),
        lower=r.choice(("", ".lower()", ".casefold()")),
        prompt=ask_prompt(r, "a vote for each id", f"id{sep}{one}, {two} or {three}"),
    )

    def draw(d: random.Random) -> str:
        lines = [d.choice(("Votes", "Sure!", ""))] if d.random() < 0.3 else []
        for at in range(many(d, 1, 6)):
            name = d.choice((one, two, three))
            near = (
                "not " + name,
                name + "-man",
                "no" + name,
                name + " (?)",
                "maybe " + name,
            )
            label = d.choice((name, name, d.choice(near), value(d)))
            lines.append(
                f"{d.choice((str(at), f'A-{at}', f'#{at:04}', value(d, '=:>')))}{sep}{label}"
            )
        return crlf(d, "\n".join(lines))

    return source, draw, (one, two, three)


@template("lines-or-nothing", "records by regex, or the text")
def _(r: random.Random):
    word = r.choice(("RISK", "BUG", "WARN", "IDEA"))
    source = fill(
        """
        import re


        def handle():
            text = ask(@prompt@)
            hits = re.findall(r"^@word@(?:\\((\\w+)\\))?: (.*)$", text, re.M)
            if not hits:
                return [("@default@", text.strip())]
            return [(level or "@default@", what.strip()) for level, what in hits]
        """,
        word=word,
        default=r.choice(("none", "normal", "info")),
        prompt=ask_prompt(
            r, "your findings", f"Lines like '{word}(high): text'", "Or say that there are none."
        ),
    )

    def draw(d: random.Random) -> str:
        if d.random() < 0.35:
            return d.choice(
                (
                    "None.",
                    "No.",
                    "N/A",
                    prose(d),
                    value(d),
                    f"No {word.lower()} found.",
                    f"{word}S: none",
                )
            )
        lines = [sentence(d)] if d.random() < 0.3 else []
        for _ in range(many(d, 1, 6)):
            level = d.choice(("", "", "(high)", "(low)", "(P1)"))
            lines.append(f"{word}{level}: {d.choice((value, sentence))(d)}")
            if d.random() < 0.15:
                lines.append(d.choice(("", "  " + sentence(d), "(" + value(d) + ")")))
        return "\n".join(lines)

    return source, draw
