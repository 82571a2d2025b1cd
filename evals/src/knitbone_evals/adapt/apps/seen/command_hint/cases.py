"""A command line that shlex reads."""

import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import THINKING, WRAPPER
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced

SPEC = AppSpec(name="command_hint", half="seen", domain="program synthesis", function="preview")
COMMANDS = (
    ("tar", ["-czf"], ["backup {n}.tgz", "photos"]),
    ("grep", ["-rn"], ["error code {n}", "logs"]),
    ("find", ["-name"], [".", "*.txt", "{n}"]),
    ("cp", ["-r"], ["plan {n}", "archive"]),
    ("sort", ["-u", "-k2"], ["list {n}.csv"]),
    ("du", ["-sh"], ["My Files {n}"]),
)


def quoted(word):
    return f'"{word}"' if re.search(r"[ *]", word) else word


def of_command(program, options, arguments, note=""):
    return Base(
        inputs={"task": "What do I type?"},
        outputs=(" ".join([program, *options, *map(quoted, arguments)]),),
        expected={
            "program": program,
            "known": True,
            "options": options,
            "arguments": arguments,
        },
        note=note,
    )


def base(rng, _pool):
    program, options, arguments = rng.choice(COMMANDS)
    number = str(rng.randint(1, 500))
    return of_command(program, options, [each.replace("{n}", number) for each in arguments])


FAULTS = (
    THINKING,
    on_text("command in a fence", "template", fenced("bash"), layer=WRAPPER),
    on_text("command in a plain fence", "template", fenced(""), layer=WRAPPER),
    on_text("command as code", "template", lambda text, _: f"`{text}`", layer=WRAPPER),
    on_text("prompt before command", "template", lambda text, _: f"$ {text}", layer=WRAPPER),
    on_text("prose before command", "template", introduced("You can use this:"), layer=WRAPPER),
    on_text("prose after command", "template", concluded("It takes a moment."), layer=WRAPPER),
    on_text(
        "typographic quotes in command", "syntax",
        lambda text, _: re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text),
    ),
    on_text(
        "closing quote lost", "syntax",
        lambda text, _: text.removesuffix('"') if text.endswith('"') else None,
    ),
    on_text(
        "inner quote lost", "syntax",
        lambda text, _: text.replace('" ', " ", 1) if '" ' in text else None, determined=False,
    ),
)  # fmt: skip


def extra(_rng):
    single = of_command("grep", ["-c"], ["it is", "a b"], "single quotes, and a blank escaped")
    yield case_of(SPEC, single, outputs=("grep -c 'it is' a\\ b",))
    spaced = of_command("du", ["-s"], ["x"], "line break at the end")
    yield case_of(SPEC, spaced, outputs=("  du -s x\n",))
