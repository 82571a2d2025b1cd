"""Consumers of CSV, tables, delimited lines and markdown lists."""

from __future__ import annotations

import random

from knitbone_evals.adapt.accepted.structures.structured_base import (
    AMOUNTS,
    FIRMS,
    LEADS,
    PEOPLE,
    SHORT,
    TAILS,
    TECH,
    WORDS,
    ask_prompt,
    crlf,
    fill,
    keys,
    many,
    pad,
    pick,
    sentence,
    template,
    to_json,
    value,
    wrapped,
)


def cell(r: random.Random, delimiter: str = ",", always: bool = False, lines: bool = True) -> str:
    """A CSV cell, quoted where it must be and now and then where it need not be."""
    text = value(r)
    if r.random() < 0.1:
        text = to_json(r, {"a": value(r), "b": [1, None]}, one_line=True)
    if lines and r.random() < 0.06:
        text += "\n" + value(r)
    if r.random() < 0.06:
        text = ""
    must = any(mark in text for mark in (delimiter, '"', "\n", "\r")) or text[:1] in (" ", "\t")
    if must or always or r.random() < 0.15:
        return '"' + text.replace('"', '""') + '"'
    return text


@template("csv-rows", "csv.reader")
def _(r: random.Random):
    header = r.random() < 0.5
    body = r.choice(
        (
            "rows = list(csv.reader(io.StringIO(text)))",
            "rows = [row for row in csv.reader(text.splitlines()) if row]",
            'rows = list(csv.reader(text.strip().split("\\n")))',
        )
    )
    source = fill(
        """
        import csv
        import io


        def handle():
            text = ask(@prompt@)
            @body@
            return @ending@
        """,
        prompt=ask_prompt(r, "the table", "as CSV", "CSV, quoted where needed"),
        body=body,
        ending='{"head": rows[0], "rows": rows[1:]}' if header else "[tuple(row) for row in rows]",
    )
    whole = "StringIO" in body

    def draw(d: random.Random) -> str:
        wide = d.randint(2, 5)
        rows = [",".join(keys(d, wide))] if header else []
        always = d.random() < 0.2
        for _ in range(many(d, 1, 6)):
            rows.append(",".join(cell(d, always=always, lines=whole) for _ in range(wide)))
        text = "\n".join(rows) + d.choice(("", "\n"))
        return text.replace("\n", "\r\n") if whole and d.random() < 0.1 else text

    return source, draw


@template("csv-dicts", "csv.DictReader")
def _(r: random.Random):
    one, two, three = keys(r, 3)
    source = fill(
        """
        import csv
        from io import StringIO


        def handle():
            reader = csv.DictReader(StringIO(ask(@prompt@).strip()@newline@), @options@)
            return [(row["@one@"], row["@two@"], row.get("@three@")) for row in reader]
        """,
        one=one,
        two=two,
        three=three,
        newline=r.choice(("", ', newline=""')),
        options=r.choice(('restval=""', 'restkey="more"', "skipinitialspace=True")),
        prompt=ask_prompt(r, f"{one}, {two}, {three}", "as CSV with a header"),
    )

    def draw(d: random.Random) -> str:
        head = [one, two] + ([three] if d.random() < 0.7 else [])
        if d.random() < 0.3:
            head.insert(d.randint(0, 2), "id")
        rows = [",".join(head)]
        for number in range(many(d, 1, 6)):
            rows.append(",".join(str(number) if h == "id" else cell(d) for h in head))
        return "\n".join(rows) + d.choice(("", "\n", "\n\n"))

    return source, draw


DIALECTS = (
    (";", 'delimiter=";"', '"'),
    ("\t", 'delimiter="\\t"', '"'),
    ("|", 'delimiter="|", quoting=csv.QUOTE_NONE', ""),
    (";", 'delimiter=";", quotechar="\'"', "'"),
    ("\t", 'dialect="excel-tab"', '"'),
    (",", "quoting=csv.QUOTE_ALL, skipinitialspace=True", '"'),
    ("~", 'delimiter="~", quoting=csv.QUOTE_NONE, escapechar="\\\\"', ""),
)


@template("csv-dialects", "csv with another dialect")
def _(r: random.Random):
    mark, options, quote = r.choice(DIALECTS)
    source = fill(
        """
        import csv


        def handle():
            lines = ask(@prompt@).splitlines()
            rows = []
            for row in csv.reader(lines, @options@):
                if not row:
                    continue
                first, *rest = row
                rows.append((first.strip(), rest))
            return rows
        """,
        options=options,
        prompt=ask_prompt(r, "the table", f"Separate the columns with {mark!r}."),
    )

    def field(d: random.Random) -> str:
        text = value(d, mark + "\\" if not quote else "")
        if quote and (mark in text or quote in text or "ALL" in options or d.random() < 0.15):
            return quote + text.replace(quote, quote * 2) + quote
        return text

    def draw(d: random.Random) -> str:
        wide = d.randint(2, 5)
        blank = " " if "skip" in options and d.random() < 0.6 else ""
        rows = []
        for _ in range(many(d, 1, 6)):
            fields = [field(d), *(d.choice((field(d), field(d), "")) for _ in range(wide - 1))]
            rows.append((mark + blank).join(fields))
            if d.random() < 0.1:
                rows.append("")
        return crlf(d, "\n".join(rows))

    return source, draw


@template("csv-ragged", "csv with ragged rows")
def _(r: random.Random):
    wide = r.randint(3, 4)
    source = fill(
        """
        import csv

        WIDTH = @wide@


        def normal(row):
            row = [field.strip() for field in row]
            if len(row) < WIDTH:
                return row + [""] * (WIDTH - len(row))
            return row[: WIDTH - 1] + [", ".join(row[WIDTH - 1 :])]


        def handle():
            text = ask(@prompt@)
            reader = csv.reader(text.splitlines(), skipinitialspace=True)
            return [normal(row) for row in reader@filter@]
        """,
        wide=wide,
        filter=r.choice((" if row", ' if row and not row[0].startswith("#")')),
        prompt=ask_prompt(r, "the list as CSV"),
    )

    def draw(d: random.Random) -> str:
        rows = []
        for _ in range(many(d, 1, 6)):
            while (first := cell(d, lines=False)).lstrip('"')[:1] == "#":
                pass
            rows.append(
                d.choice((", ", ",")).join(
                    [first] + [cell(d, lines=False) for _ in range(d.randint(0, wide + 2))]
                )
            )
            if not first and "," not in rows[-1]:
                rows[-1] = "x"
            if d.random() < 0.1:
                rows.append("")
        return crlf(d, "\n".join(rows))

    return source, draw


@template("csv-after-lead", "CSV after a lead-in or in a fence")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        import csv
        import re


        def table(text):
            if m := re.search(r"```(?:csv)?\\s*\\n(.*?)```", text, re.S):
                text = m[1]
            lines = text.strip().splitlines()
            start = next(i for i, line in enumerate(lines) if line.startswith("@one@,"))
            return list(csv.DictReader(lines[start:]))


        def handle():
            rows = table(ask(@prompt@))
            return [{k: v for k, v in row.items() if k in ("@one@", "@two@")} for row in rows]
        """,
        one=one,
        two=two,
        prompt=ask_prompt(r, "the table", "A CSV block."),
    )

    def draw(d: random.Random) -> str:
        def field() -> str:
            while "`" in (text := cell(d, lines=False)):
                pass
            return text

        rows = [f"{one},{two},note"] + [
            f"{field()},{field()},{field()}" for _ in range(many(d, 1, 6, 20))
        ]
        text = "\n".join(rows)
        if d.random() < 0.4:
            return wrapped(d, f"```{d.choice(('csv', ''))}\n{text}\n```")
        return (d.choice(LEADS) + "\n\n" if d.random() < 0.5 else "") + text

    return source, draw


@template("markdown-table", "markdown table")
def _(r: random.Random):
    one, two, three = keys(r, 3)
    body = r.choice(
        (
            'lines = [ln.strip() for ln in text.splitlines() if ln.strip().startswith("|")]\n'
            '    head, _, *rows = [[c.strip() for c in ln.strip("|").split("|")] for ln in lines]\n'
            "    return [dict(zip(head, row)) for row in rows]",
            'rows = re.findall(r"^\\|(.+)\\|\\s*$", text, re.M)\n'
            '    cells = [[c.strip() for c in row.split("|")] for row in rows]\n'
            "    return cells[2:]",
            "out = []\n    for line in text.splitlines():\n"
            '        if "|" not in line or set(line) <= set("|-: "):\n            continue\n'
            "        out.append(tuple(c.strip() for c in "
            'line.strip().strip("|").split("|")))\n    return out',
        )
    )
    source = fill(
        """
        import re


        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, f"{one}, {two}, {three}", "as a markdown table"),
        body=body,
    )

    def draw(d: random.Random) -> str:
        rows = [[one, two, three]]
        rows.append([d.choice(("---", ":--", "--:", ":-:", "-----")) for _ in range(3)])
        for _ in range(many(d, 1, 6)):
            rows.append(
                [value(d, "|"), d.choice((value(d, "|"), "", "**b**", "`x`")), value(d, "|")]
            )
        if d.random() < 0.4:
            text = "\n".join("|" + "|".join(row) + "|" for row in rows)
        elif d.random() < 0.5:
            wide = [max(len(row[i]) for row in rows) for i in range(3)]
            text = "\n".join(
                "| " + " | ".join(c.ljust(w) for c, w in zip(row, wide)) + " |" for row in rows
            )
        else:
            text = "\n".join("| " + " | ".join(row) + " |" for row in rows)
        return wrapped(d, text)

    return source, draw


BULLETS = ("- ", "* ", "• ")


@template("bullet-list", "bullet list")
def _(r: random.Random):
    mark = r.choice(BULLETS)
    body = r.choice(
        (
            f"return [line[{len(mark)}:].strip() for line in text.splitlines() if "
            f'line.startswith("{mark}")]',
            f'return [ln.strip().removeprefix("{mark}") for ln in text.split("\\n'
            f'") if ln.strip()[:{len(mark)}] == "{mark}"]',
            f"out = []\n    for line in text.splitlines():\n"
            f'        if not line.startswith("{mark}"):\n'
            f'            continue\n        out.append(line.partition("{mark}")[2])\n'
            f"    return out",
        )
    )
    source = fill(
        """
        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "the points", f"Start every line with '{mark}'."),
        body=body,
    )

    def draw(d: random.Random) -> str:
        lines = [d.choice(LEADS), ""] if d.random() < 0.4 else []
        for _ in range(many(d, 1, 7)):
            lines.append(mark + d.choice((value, sentence))(d))
            if d.random() < 0.1:
                lines.append(d.choice(("", "## " + value(d), d.choice(TAILS))))
        if d.random() < 0.3:
            lines += ["", d.choice(TAILS)]
        return crlf(d, "\n".join(lines)) if "split(" not in body else "\n".join(lines)

    return source, draw


@template("bullet-any", "bullets of any mark by regex")
def _(r: random.Random):
    source = fill(
        """
        import re

        ITEM = re.compile(r"^[ \\t]*[-*•+]\\s+(.+?)\\s*$", re.MULTILINE)


        def handle():
            found = ITEM.findall(ask(@prompt@))
            return @ending@
        """,
        prompt=ask_prompt(r, "some points", "as bullets"),
        ending=r.choice(("found", "tuple(found)", "dict(enumerate(found, 1))")),
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 7)):
            lines.append(
                d.choice(("", "", "  ", "\t"))
                + d.choice("-*•+")
                + d.choice((" ", "   "))
                + value(d)
            )
            if d.random() < 0.15:
                lines.append(d.choice(("", "plain line", d.choice(LEADS))))
        return "\n".join(lines)

    return source, draw


@template("bullet-nested", "nested bullets")
def _(r: random.Random):
    source = fill(
        """
        def handle():
            tree, current = {}, None
            for line in ask(@prompt@).splitlines():
                body = line.strip()
                if not body.startswith("- "):
                    continue
                if line.startswith("- "):
                    current = tree.setdefault(body[2:]@strip@, [])
                elif current is not None:
                    current.append(body[2:])
            return tree
        """,
        strip=r.choice(("", '.rstrip(":")', ".strip()")),
        prompt=ask_prompt(r, "topics with subtopics", "as a nested list"),
    )

    def draw(d: random.Random) -> str:
        lines = [d.choice(LEADS)] if d.random() < 0.3 else []
        deep = d.choice(("  ", "    ", "\t"))
        for _ in range(many(d, 1, 4, 12)):
            lines.append("- " + value(d) + d.choice(("", ":")))
            lines += [f"{deep * d.randint(1, 2)}- {value(d)}" for _ in range(d.randint(0, 3))]
        return crlf(d, "\n".join(lines))

    return source, draw


@template("numbered-list", "numbered list")
def _(r: random.Random):
    body = r.choice(
        (
            'return [m.group(2) for m in re.finditer(r"^(\\d+)[.)]\\s+(.*\\S)", text, re.M)]',
            'return {int(n): t.strip() for n, t in re.findall(r"^\\s*(\\d+)\\. (.+)$", '
            "text, re.M)}",
            "out = []\n    for line in text.splitlines():\n        if line[:1].isdigit():\n"
            '            out.append(line.split(". ", 1)[-1])\n    return out',
            'return [re.sub(r"^\\d+\\.\\s*", "", ln) for ln in text.splitlines() if ln.strip()]',
        )
    )
    source = fill(
        """
        import re


        def handle():
            text = ask(@prompt@)
            @body@
        """,
        prompt=ask_prompt(r, "the steps", "as a numbered list"),
        body=body,
    )
    keeps_all = "re.sub" in body

    def draw(d: random.Random) -> str:
        first = d.choice((1, 1, 1, 0, 7, 99))
        numbers = list(range(first, first + many(d, 1, 7, 15)))
        if d.random() < 0.2:
            d.shuffle(numbers)
        if d.random() < 0.1:
            numbers = [1] * len(numbers) if "int(n)" not in body else numbers
        lines = [d.choice(LEADS), ""] if not keeps_all and d.random() < 0.4 else []
        dot = ") " if "[.)]" in body and d.random() < 0.3 else ". "
        for n in numbers:
            lines.append(f"{n}{dot}{d.choice((value, sentence))(d)}")
            if d.random() < 0.1:
                lines.append("")
            if not keeps_all and d.random() < 0.1:
                lines.append("   - " + sentence(d))
        if not keeps_all and d.random() < 0.3:
            lines.append(d.choice(TAILS))
        return "\n".join(lines)

    return source, draw


@template("check-list", "check list")
def _(r: random.Random):
    source = fill(
        """
        import re
        from typing import NamedTuple


        class Todo(NamedTuple):
            done: bool
            text: str


        BOX = re.compile(r"^\\s*[-*] \\[(?P<mark>[ xX])\\] (?P<text>.+)$")


        def handle():
            todos = []
            for line in ask(@prompt@).splitlines():
                if m := BOX.match(line):
                    todos.append(Todo(m["mark"]@test@, m["text"].strip()))
            return todos
        """,
        test=r.choice(('.lower() == "x"', ' in "xX"', ' != " "')),
        prompt=ask_prompt(r, "a check list", "- [ ] open, - [x] done"),
    )

    def draw(d: random.Random) -> str:
        lines = ["## " + value(d)] if d.random() < 0.4 else []
        for _ in range(many(d, 1, 6)):
            box = f"[{d.choice(' xX')}] "
            lines.append(
                d.choice(("", "", "  "))
                + d.choice("-*")
                + " "
                + box
                + d.choice((value, sentence))(d)
            )
            if d.random() < 0.15:
                lines.append(d.choice(("", "### Later", "---", d.choice(TAILS))))
        return crlf(d, "\n".join(lines))

    return source, draw


@template("pipe-lines", "lines with pipes")
def _(r: random.Random):
    sep = r.choice((" | ", "|", " || ", " ; ", ";", " => ", " -> ", " :: "))
    wide = r.randint(2, 4)
    names = keys(r, wide)
    source = fill(
        """
        def handle():
            records = []
            for line in ask(@prompt@).strip().splitlines():
                if not line.strip():
                    continue
                @names@ = (part.strip() for part in line.split(@sep@@split@))
                records.append({@pairs@})
            return records
        """,
        prompt=ask_prompt(r, "the lines", "Format: " + sep.join(names), "One per line."),
        names=", ".join(names),
        sep=repr(sep),
        split=(split := r.choice(("", f", {wide - 1}", f", maxsplit={wide - 1}"))),
        pairs=", ".join(f'"{name}": {name}' for name in names),
    )
    mark = sep.strip()

    def part(d: random.Random, last: bool) -> str:
        while True:
            text = d.choice((value(d), pick(d, AMOUNTS), pick(d, SHORT)))
            if mark not in text or (last and split):
                return text

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 6)):
            parts = [part(d, at == wide - 1) for at in range(wide)]
            if d.random() < 0.15:
                if sep == mark:
                    parts[d.randrange(wide)] = ""
                elif wide > 2:
                    parts[d.randrange(1, wide - 1)] = ""
            lines.append(sep.join(parts))
            if d.random() < 0.1:
                lines.append("")
        while not lines[-1]:
            lines.pop()
        return crlf(d, pad(d, "\n".join(lines)))

    return source, draw


@template("tab-lines", "lines with tabs")
def _(r: random.Random):
    wide = r.randint(2, 4)
    source = fill(
        """
        from collections import namedtuple

        Row = namedtuple("Row", "@names@")


        def handle():
            text = ask(@prompt@).strip("\\n")
            return [Row(*line.split("\\t")@ending@) for line in text.split("\\n") if "\\t" in line]
        """,
        names=" ".join(keys(r, wide)),
        ending=r.choice(("", f"[:{wide}]")),
        prompt=ask_prompt(r, "the rows", "Use tabs between the columns."),
    )
    more = "[:" in source

    def draw(d: random.Random) -> str:
        lines = [d.choice(LEADS)] if d.random() < 0.3 else []
        for _ in range(many(d, 1, 6)):
            parts = [d.choice((value(d), value(d), "", " x ")) for _ in range(wide)]
            if more and d.random() < 0.3:
                parts.append(value(d))
            lines.append("\t".join(parts))
        return "\n".join(lines) + d.choice(("", "\n"))

    return source, draw


@template("pipe-filter", "lines with a separator among prose")
def _(r: random.Random):
    sep = r.choice(("|", "::", "=>", "\t"))
    source = fill(
        """
        SEP = @sep@


        def parse_line(line):
            left, right = line.split(SEP, 1)
            return left.strip(), right.strip()


        def handle():
            lines = ask(@prompt@).splitlines()
            return @open@parse_line(line) for line in lines if SEP in line@close@
        """,
        sep=repr(sep),
        open=(opening := r.choice(("[", "dict("))),
        close={"[": "]", "dict(": ")"}[opening],
        prompt=ask_prompt(r, "term and translation", f"Separated by {sep!r}"),
    )

    def part(d: random.Random, maker=value) -> str:
        while sep in (text := maker(d)):
            pass
        return text

    def draw(d: random.Random) -> str:
        lines = [part(d, sentence)] if d.random() < 0.4 else []
        blank = d.choice((" ", "", "  ")) if sep != "\t" else ""
        for _ in range(many(d, 1, 6)):
            right = value(d) if d.random() < 0.8 else value(d) + sep + value(d)
            lines.append(part(d) + blank + sep + blank + right)
            if d.random() < 0.15:
                lines.append(d.choice(("", part(d, sentence))))
        return crlf(d, "\n".join(lines))

    return source, draw


@template("comma-list", "one line, split by a mark")
def _(r: random.Random):
    sep = r.choice((",", ";", "/", "|"))
    body = r.choice(
        (
            f'return [part.strip() for part in answer.split("{sep}")]',
            f'return [p for p in map(str.strip, answer.split("{sep}")) if p]',
            f'return sorted({{part.strip().lower() for part in answer.split("{sep}")}})',
            f'first, *rest = answer.split("{sep}")\n'
            f"    return first.strip(), len(rest), [x.strip() for x in rest]",
        )
    )
    source = fill(
        """
        def handle():
            answer = ask(@prompt@).strip()
            @body@
        """,
        prompt=ask_prompt(r, "some tags", f"Separate them with {sep}", "On one line."),
        body=body,
    )

    def draw(d: random.Random) -> str:
        parts = [value(d, sep) for _ in range(many(d, 1, 7))]
        if d.random() < 0.2:
            parts.append(parts[0])
        text = (sep + d.choice((" ", "", "\n"))).join(parts)
        return pad(d, text)

    return source, draw


@template("trailing-number", "name and number by rsplit")
def _(r: random.Random):
    sep = r.choice((": ", " - ", " – ", " "))
    kind = r.choice(("float", "str", "int"))
    source = fill(
        """
        def handle():
            ranking = []
            for line in filter(None, map(str.strip, ask(@prompt@).splitlines())):
                name, score = line.rsplit(@sep@, 1)
                ranking.append((name.strip(), @kind@(score)))
            @sort@return ranking
        """,
        sep=repr(sep),
        kind=kind,
        sort=r.choice(("", "ranking.sort(key=lambda pair: pair[1])\n    ")),
        prompt=ask_prompt(r, "a ranking", f"name{sep}score"),
    )
    scores = {
        "float": ["0.5", "-5", "+3", "1e3", "0042", "7.", ".5", "-0.0", "1_000"],
        "int": ["7", "-5", "+3", "0042", "1_000", "0"],
        "str": [text for text in AMOUNTS if sep not in text],
    }[kind]

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 6)):
            lines.append(
                d.choice((value(d), pick(d, TECH), pick(d, FIRMS), pick(d, PEOPLE)))
                + sep
                + d.choice(scores)
            )
            if d.random() < 0.1:
                lines.append("")
        return crlf(d, "\n".join(lines))

    return source, draw


@template("fixed-width", "words by split")
def _(r: random.Random):
    source = fill(
        """
        def handle():
            lines = ask(@prompt@).splitlines()
            table = [line.split(None, 2) for line in lines if len(line.split()) >= 3]
            return [(code, amount, text) for code, amount, text in table]
        """,
        prompt=ask_prompt(r, "code, amount, text", "separated by blanks"),
    )

    def draw(d: random.Random) -> str:
        lines = ["Code  Amount  Text"] if d.random() < 0.4 else []
        for _ in range(many(d, 1, 6)):
            first = d.choice(WORDS + ["0042", "A-", "#7", "C++", "--", "1."])
            second = pick(d, AMOUNTS, " ")
            lines.append(d.choice(("  ", "\t", " ")).join((first, second, value(d))))
            if d.random() < 0.15:
                lines.append(d.choice(("", "----", "(none)", "=" * 20)))
        return crlf(d, "\n".join(lines))

    return source, draw
