"""Programs as models write them, and the faults that are seeded into them.

A fault is a function from an intact program to its broken forms. What comes back must be the same
program as the intact one, or the broken text itself.
"""

import re
import textwrap

PYTHON = [
    """\
    import json

    def load(path):
        with open(path) as handle:
            return json.load(handle)

    items = load("items.json")
    print(len(items))
    """,
    """\
    def mean(values):
        if not values:
            return 0
        return sum(values) / len(values)

    print("Mean:", mean([1, 2, 3]))
    """,
    """\
    class Account:
        def __init__(self, owner, balance=0):
            self.owner = owner
            self.balance = balance

        def deposit(self, amount):
            if amount <= 0 or amount == self.balance:
                raise ValueError("wrong amount")
            self.balance += amount
            return self.balance

    account = Account("Ann", 10)
    account.deposit(5)
    """,
    """\
    counts = {"a": 1, "b": 2, "c": 3}
    for name, count in sorted(counts.items()):
        if count > 1 and name != "a":
            print(f"{name}: {count}")
        else:
            print("none")
    """,
    """\
    numbers = [4, 8, 15, 16, 23, 42]
    evens = [n for n in numbers if n % 2 == 0]
    total = 0
    for n in evens:
        total = total + n
    print("Total", total)
    """,
    """\
    import re

    pattern = re.compile("[a-z]+")
    words = pattern.findall("one two three")
    longest = max(words, key=len)
    print(longest.upper())
    """,
    """\
    def fizzbuzz(n):
        result = []
        for i in range(1, n + 1):
            if i % 15 == 0:
                result.append("FizzBuzz")
            elif i % 3 == 0:
                result.append("Fizz")
            else:
                result.append(str(i))
        return result

    print(fizzbuzz(15))
    """,
    """\
    settings = {
        "name": "demo",
        "sizes": [1, 2, 3],
        "nested": {"on": True, "level": 2},
    }
    print(settings["nested"]["level"])
    """,
]

SQL = [
    "SELECT name, age FROM users WHERE age > 30 ORDER BY name;",
    "SELECT COUNT(*) FROM orders WHERE status = 'open';",
    "SELECT city, AVG(price) AS mean FROM houses GROUP BY city HAVING AVG(price) > 100;",
    "INSERT INTO users (name, age) VALUES ('Ann', 31);",
    "UPDATE users SET age = 32, city = 'Oslo' WHERE name = 'Ann';",
    "SELECT u.name, o.total\nFROM users u\nJOIN orders o ON o.user_id = u.id\n"
    "WHERE o.total >= 10\nLIMIT 5;",
    "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL);",
    "SELECT id FROM users WHERE name = 'O''Neil';",
    "SELECT name FROM users WHERE id IN (SELECT user_id FROM orders WHERE total > 9);",
]

JAVASCRIPT = [
    """\
    function add(a, b) {
      return a + b;
    }
    console.log(add(1, 2));
    """,
    """\
    const items = [1, 2, 3];
    for (const item of items) {
      if (item > 1) {
        console.log("item", item);
      }
    }
    """,
    """\
    const user = { name: "Ann", tags: ["x", "y"] };
    console.log(user.name.toUpperCase());
    """,
    """\
    async function load(url) {
      const answer = await fetch(url);
      return answer.json();
    }
    """,
]


def dedented(programs):
    return [textwrap.dedent(program) for program in programs]


def without_each(marks):
    """One character removed, in every place where it stands outside of strings."""

    def broken(program):
        plain = re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", lambda m: "\0" * len(m.group()), program)
        for place, character in enumerate(plain):
            if character in marks:
                yield program[:place] + program[place + 1 :]

    return broken


def doubled(marks):
    def broken(program):
        for place, character in enumerate(program):
            if character in marks:
                yield program[: place + 1] + program[place:]

    return broken


def replaced(pattern, new, *, all_at_once=False):
    def broken(program):
        if all_at_once:
            changed = re.sub(pattern, new, program)
            if changed != program:
                yield changed
            return
        for match in re.finditer(pattern, program):
            yield program[: match.start()] + match.expand(new) + program[match.end() :]

    return broken


def around(before, after):
    def broken(program):
        yield before + program + after

    return broken


def line_numbers(program):
    yield "\n".join(f"{n}: {line}" for n, line in enumerate(program.rstrip().split("\n"), 1)) + "\n"


def prompted(program):
    yield "".join(f">>> {line}\n" for line in program.rstrip().split("\n"))


def indented(program):
    yield textwrap.indent(program, "    ")


def first_line_stripped(program):
    yield textwrap.indent(program, "  ").lstrip()


def escaped(program):
    yield (
        program.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )


def shifted(program):
    """One line of a block one blank too deep."""
    lines = program.split("\n")
    for index, line in enumerate(lines):
        if line.startswith("    ") and not line.rstrip().endswith((":", ",")):
            yield "\n".join([*lines[:index], " " + line, *lines[index + 1 :]])


def tabbed(program):
    """One line of a block with a tab where the others have blanks."""
    lines = program.split("\n")
    for index, line in enumerate(lines):
        if line.startswith("    ") and not line.startswith("     "):
            yield "\n".join([*lines[:index], "\t" + line[4:], *lines[index + 1 :]])


PROSE = "Here is the code you asked for:\n\n"
AFTER = "\nThis code does what you need. Let me know if you have questions!\n"

PYTHON_FAULTS = {
    "fence": around("```python\n", "```\n"),
    "fence and prose": around(PROSE + "```python\n", "```\n" + AFTER),
    "fence that never closes": around("```python\n", ""),
    "prose": around(PROSE, AFTER),
    "bracket missing": without_each(")]}"),
    "bracket doubled": doubled(")]}"),
    "opening bracket missing": without_each("([{"),
    "bracket mismatched": replaced(r"\)(?=[\n:])", "]"),
    "colon missing": replaced(r":(?=\n)", ""),
    "comma missing": without_each(","),
    "comma doubled": doubled(","),
    "closing quote missing": replaced(r"(\"[^\"\n]*)\"", r"\1"),
    "typographic quotes": replaced(r"\"([^\"\n]*)\"", "\u201c\\1\u201d", all_at_once=True),
    "special spaces": replaced(r"(?<=[\w,]) (?=[=(+\w])(?=[^\"\n]*$)", "\u00a0"),
    "and as &&": replaced(r"\band\b", "&&"),
    "or as ||": replaced(r"\bor\b", "||"),
    "not as !": replaced(r"\bnot ", "!"),
    "== as ===": replaced(r"==", "==="),
    "!= as <>": replaced(r"!=", "<>"),
    "print statement": replaced(r"print\((.*)\)\n", r"print \1\n"),
    "elif as else if": replaced(r"elif", "else if"),
    "== as = in a condition": replaced(r"(if .*?)==(.*:\n)", r"\1=\2"),
    "all indented": indented,
    "first line stripped": first_line_stripped,
    "line shifted": shifted,
    "tab": tabbed,
    "line numbers": line_numbers,
    "prompts": prompted,
    "escaped for HTML": escaped,
}

SQL_FAULTS = {
    "fence": around("```sql\n", "\n```"),
    "fence and prose": around(
        "Here is the query:\n```sql\n", "\n```\nIt lists what you asked for."
    ),
    "label": around("SQLQuery: ", ""),
    "prose before": around("Here is the query you need:\n\n", ""),
    "prose after": around("", "\n\nThis query returns the rows that you asked for."),
    "semicolon doubled": replaced(r";$", ";;"),
    "trailing comma": replaced(r"(?<=\w)(?=\s+FROM|\))", ","),
    "comma doubled": doubled(","),
    "bracket missing": without_each(")"),
    "bracket doubled": doubled(")"),
    "closing quote missing": replaced(r"('[^']*)'", r"\1"),
    "typographic quotes": replaced(r"'([^']*)'", "\u2018\\1\u2019", all_at_once=True),
    "apostrophe not doubled": replaced(r"''", "'"),
    "special spaces": replaced(r" (?=[^']*$)", "\u00a0", all_at_once=True),
}

JAVASCRIPT_FAULTS = {
    "fence": around("```javascript\n", "```\n"),
    "fence and prose": around(PROSE + "```js\n", "```\n" + AFTER),
    "prose": around(PROSE, AFTER),
    "bracket missing": without_each(")]"),
    "brace missing": without_each("}"),
    "bracket doubled": doubled(")]"),
    "brace doubled": doubled("}"),
    "closing quote missing": replaced(r"(\"[^\"\n]*)\"", r"\1"),
    "typographic quotes": replaced(r"\"([^\"\n]*)\"", "\u201c\\1\u201d", all_at_once=True),
}
