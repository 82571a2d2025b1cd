"""JavaScript in a fence or bare."""

import re

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    at_first,
    at_last,
    replaced,
    syntax,
    template,
    undetermined,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(name="js_widgets", half="dev_syntax", domain="program synthesis", function="widget")
WIDGETS = [
    (
        (
            "function greet(name) {\n"
            "  const text = `Hello ${name}`;\n"
            '  if (name.length > {k}) {\n    return text + "!";\n  }\n'
            "  return text;\n"
            "}"
        ),
        ["function greet(name)"],
        7,
    ),
    (
        (
            "const state = { count: {k}, step: 1 };\n\n"
            "function up() {\n  state.count += state.step;\n  render();\n}\n\n"
            'function render() {\n  document.querySelector("#n").textContent = state.count;\n}\n\n'
            'document.querySelector("#up").addEventListener("click", () => {\n  up();\n});'
        ),
        ["function up()", "function render()"],
        14,
    ),
    (
        (
            "async function load(url) {\n"
            "  const res = await fetch(url);\n"
            "  if (!res.ok) throw new Error('failed: ' + res.status);\n"
            "  const items = await res.json();\n"
            "  return items.filter((i) => i.n >= {k}).map((i) => ({ ...i, seen: false }));\n"
            "}"
        ),
        ["async function load(url)"],
        6,
    ),
]


def of(code, functions, lines, fence=True, note=""):
    return Base(
        inputs={"description": "a small counter"},
        outputs=(f"```js\n{code}\n```" if fence else code,),
        expected={"functions": functions, "lines": lines},
        note=note,
    )


def base(rng, _pool):
    code, functions, lines = rng.choice(WIDGETS)
    return of(code.replace("{k}", str(rng.randint(1, 30))), functions, lines, rng.random() < 0.7)


FAULTS = (
    template("jsx tag", replaced("```js", "```jsx")),
    template("fence open", lambda text, _: text.removesuffix("\n```") if "```" in text else None),
    template("javascript capital", replaced("```js", "```JavaScript")),
    template(
        "prose bare", lambda text, _: "Here's the widget:\n\n" + text if "```" not in text else None
    ),
    template(
        "prose after bare",
        lambda text, _: (
            text + "\n\nThis keeps the count in one object." if "```" not in text else None
        ),
    ),
    syntax("last brace lost", at_last(r"\n\}(?=\n```|\Z)", "")),
    syntax("inner paren lost", at_first(r"(name\.length > \d+)\)", r"\1")),
    syntax("smart", lambda text, _: re.sub(r'"([^"\n]*)"', "“\\1”", text)),
    syntax(
        "brace too many",
        lambda text, _: text.replace("\n```", "\n}\n```") if "```" in text else text + "\n}",
    ),
    syntax("arrow paren lost", replaced("\n});", "\n};")),
    syntax("string open", replaced('"!";', '"!;')),
    syntax("python and", replaced("!res.ok", "not res.ok")),
    syntax(
        "python comment", replaced("  return text;", "  # done\n  return text;"), determined=False
    ),
    undetermined("cut", lambda text, _: text[: text.index("{") + 20]),
)


def extra(_rng):
    yield case_of(SPEC, of("// it's (fine\nfunction a() { return /[)}]/g; }", ["function a()"], 2))
    yield case_of(SPEC, of("function q() { return '“”' }", ["function q()"], 1, False))
