"""A Python function that is executed against tests."""

import re

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    at_last,
    replaced,
    syntax,
    template,
    undetermined,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.markup import once

SPEC = AppSpec(name="solve_runner", half="dev_syntax", domain="program synthesis", function="grade")
PROGRAMS = [
    (
        (
            "def solve(numbers):\n"
            "    total = 0\n"
            "    for n in numbers:\n"
            "        if n % 2 == 0 and n > {k}:\n"
            "            total += n\n"
            "        else:\n"
            "            total -= 1\n"
            "    return total\n"
        ),
        lambda k: [
            ([[k + 2, 1, 4]], sum((n if n % 2 == 0 and n > k else -1) for n in [k + 2, 1, 4]))
        ],
    ),
    (
        (
            "def solve(word):\n"
            '    """Count vowels and add {k}."""\n'
            '    vowels = set("aeiou")\n'
            "    return sum(1 for c in word.lower() if c in vowels) + {k}\n"
        ),
        lambda k: [(["Banana"], 3 + k), (["xyz"], k)],
    ),
    (
        (
            "from collections import Counter\n\n\n"
            "def solve(items):\n"
            "    counts = Counter(items)\n"
            "    result = {\n"
            '        "top": counts.most_common(1)[0][0],\n'
            '        "limit": {k},\n'
            "    }\n"
            '    return [result["top"], result["limit"]]\n'
        ),
        lambda k: [([["a", "b", "a"]], ["a", k])],
    ),
    (
        (
            "def solve(a, b):\n"
            "    try:\n"
            "        return round(a / b, {k})\n"
            "    except ZeroDivisionError:\n"
            "        return None\n"
        ),
        lambda k: [([1, 3], round(1 / 3, k)), ([1, 0], None)],
    ),
    (
        (
            "def solve(grid):\n"
            "    best = None\n"
            "    for row in grid:\n"
            "        value = max(row) + len([x for x in row if x != {k}])\n"
            "        if best is None or value > best:\n"
            "            best = value\n"
            "    return best\n"
        ),
        lambda k: [
            (
                [[[1, k], [3, 2]]],
                max(max(1, k) + sum(x != k for x in [1, k]), 3 + sum(x != k for x in [3, 2])),
            )
        ],
    ),
    (
        (
            "import re\n\n"
            "def solve(text):\n"
            '    words = re.findall(r"[A-Za-z\']+", text)\n'
            "    words.sort(key=lambda w: (-len(w), w))\n"
            "    return words[:{k}]\n"
        ),
        lambda k: [(["it's a long day"], ["it's", "long", "day", "a"][:k])],
    ),
]


def of(code, tests, note=""):
    return Base(
        inputs={"task": "Solve it in Python.", "tests": tests},
        outputs=(code,),
        expected={"passed": len(tests), "failed": 0},
        note=note,
    )


def base(rng, _pool):
    code, tests = rng.choice(PROGRAMS)
    k = rng.randint(1, 9)
    code = code.replace("{k}", str(k))
    if rng.random() < 0.6:
        code = f"```python\n{code}```"
    return of(code, tests(k))


FAULTS = (
    template(
        "prose before bare",
        lambda text, _: "Here is the solution:\n\n" + text if "```" not in text else None,
    ),
    template(
        "prose after bare",
        lambda text, _: (
            text + "\nThis function walks over the input once." if "```" not in text else None
        ),
    ),
    template("tag Python", replaced("```python", "```Python3")),
    syntax(
        "repl prompts",
        lambda text, _: (
            ">>> " + text.strip().replace("\n", "\n... ") if text.startswith("def") else None
        ),
    ),
    syntax("colon lost", once(r"(?<=[\w\)\]]):$", "")),
    syntax(
        "else if",
        replaced("        else:\n", "        else if n <= 100000:\n"),
        determined=False,
        tolerated=True,
    ),
    syntax(
        "double amp",
        lambda text, _: (
            text.replace(" and ", " && ").replace(" or ", " || ")
            if " and n" in text or " or v" in text
            else None
        ),
    ),
    syntax("null", replaced("None", "null"), determined=False),
    syntax(
        "smart quotes",
        lambda text, _: re.sub(r'"([^"\n]*)"', "“\\1”", text) if '"""' not in text else None,
    ),
    syntax("last bracket lost", at_last(r"[)\]](?=\n)", "")),
    syntax("brace lost", replaced("\n    }\n", "\n")),
    syntax("docstring not closed on line", replaced('."""', '."')),
    syntax(
        "end keyword",
        lambda text, _: text.rstrip() + "\nend\n" if "```" not in text else None,
        determined=False,
    ),
    syntax("increment", replaced("total -= 1", "total--")),
    syntax("strict not equal", replaced("x != ", "x !== ")),
    syntax(
        "exclamation", replaced("best is None or", "!best or"), determined=False, tolerated=True
    ),
    undetermined("cut", lambda text, _: text[: text.index("return") + 7] + "("),
)


def extra(_rng):
    yield case_of(SPEC, of("solve = lambda a, b: a + b", [([1, 2], 3)], "lambda"))
    yield case_of(
        SPEC,
        of(
            "    def solve(a, b):\n        return a + b",
            [([1, 2], 3)],
            "all indented, dedented by the app",
        ),
    )
    yield case_of(
        SPEC,
        of(
            "# >>> solve(1)\ndef solve(a):\n  return (a\n   + 1)", [([1], 2)], "prompt in a comment"
        ),
    )
