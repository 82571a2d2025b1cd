"""Shell commands, one a line."""

import re
import shlex

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    at_first,
    replaced,
    syntax,
    template,
    undetermined,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import concluded, every, fenced, introduced

SPEC = AppSpec(name="shell_plan", half="dev_syntax", domain="program synthesis", function="deploy")
COMMANDS = [
    'mkdir --parents "/srv/my app/{n}"',
    "cp --recursive build/ '/srv/my app/{n}'",
    'git commit --message "Release {n}: it\'s done"',
    "tar --create --file backup-{n}.tar data",
    "echo 'version={n}' | tee version.txt",
    "systemctl restart shop@{n}.service",
    "curl --silent --header 'Accept: application/json' https://example.org/health",
    "sed --in-place 's/old/new {n}/g' config.ini",
]


def of(text, note=""):
    return Base(
        inputs={"goal": "deploy it"},
        outputs=(text,),
        expected=[
            shlex.split(line.strip(), comments=True)
            for line in text.splitlines()
            if line.strip() and not line.strip().startswith("#")
        ],
        note=note,
    )


def base(rng, _pool):
    return of(
        "\n".join(
            line.replace("{n}", str(rng.randint(1, 99)))
            for line in rng.sample(COMMANDS, rng.randint(2, 5))
        )
    )


FAULTS = (
    THINKING,
    template("fence", fenced("bash")),
    template("sh fence", fenced("sh")),
    template("prompts", every(r"^", "$ ")),
    template(
        "numbered",
        lambda text, _: "\n".join(
            f"{number}. {line}" for number, line in enumerate(text.split("\n"), 1)
        ),
    ),
    template("bullets", lambda text, _: "\n".join(f"- `{line}`" for line in text.split("\n"))),
    template("prose", introduced("Run these commands:")),
    template("after", concluded("This will deploy the new release.")),
    syntax(
        "smart double",
        lambda text, _: (
            re.sub(r'"([^"\n]*)"', "“\\1”", text) if '"' in text and "it's" not in text else None
        ),
    ),
    syntax(
        "smart single",
        lambda text, _: (
            re.sub(r"'([^'\n]*)'", "\u2018\\1\u2019", text)
            if '"' not in text and "'" in text
            else None
        ),
    ),
    syntax("closing quote lost", at_first(r"[\"']$", "")),
    syntax("dash", replaced("--", "—")),
    undetermined("inner quote", replaced("'s/old/new", "s/old/new", 1)),
)


def extra(_rng):
    yield case_of(SPEC, of("# step one\nls -la # it's here\n\necho a\\ b\n"))
    yield case_of(SPEC, of("grep --count '“x”' notes.txt\nprintf '$ %s' done"))
