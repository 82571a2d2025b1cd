"""A regular expression."""

import re

import msgspec

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    replaced,
    syntax,
    template,
    undetermined,
    without_end,
    wrapped,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced

SPEC = AppSpec(name="regex_maker", half="dev_syntax", domain="program synthesis", function="find")
LINES = [
    "2024-03-15 ERROR [auth] user=ada id=42",
    "call +47 555 01 234 now",
    "mail bob.stone@example.org, please",
    "v1.20.3 (beta)",
    "nothing",
]
PATTERNS = [
    r"^(?P<day>\d{4}-\d{2}-\d{2}) (?P<level>[A-Z]+)",
    r"\+\d{2}(?: \d{2,3}){1,{k}}",
    r"(?P<user>[\w.]+)@(?P<host>[\w-]+\.[a-z]{{k},4})",
    r"v\d+\.\d+\.\d{1,{k}}(?: \((?P<tag>alpha|beta)\))?",
    r"(?P<key>\w+)=(?P<value>\w{1,{k}})",
    r"\[(?P<area>[^\]]+)\]",
]


def of(pattern, note=""):
    found = [re.search(pattern.strip(), line, re.MULTILINE) for line in LINES]
    want = [match and [match.group(0), match.groupdict()] for match in found]
    return Base(
        inputs={"wish": "find the thing", "lines": LINES},
        outputs=(pattern,),
        expected=want,
        note=note,
    )


def base(rng, _pool):
    return of(rng.choice(PATTERNS).replace("{k}", str(rng.randint(2, 4))))


def _where_found(fault):
    """Not of a pattern that finds nothing: what is wrong with it would not be seen."""

    def inject(base, rng):
        return fault.inject(base, rng) if any(base.expected) else None

    return msgspec.structs.replace(fault, inject=inject)


_ALL = (
    THINKING,
    template("backticks", wrapped("`{}`")),
    template("fence", fenced("regex")),
    template("plain fence", fenced("")),
    template("raw string", wrapped('r"{}"')),
    template("slashes", wrapped("/{}/")),
    template("slashes and g", wrapped("/{}/g")),
    template("prose", introduced("You can use the following pattern:")),
    template(
        "explained", concluded("Explanation:\n- `\\d` matches a digit\n- the rest is literal")
    ),
    syntax("js group names", replaced("(?P<", "(?<")),
    syntax("paren lost", without_end(")")),
    syntax("paren too many", wrapped("{})")),
    syntax("bracket lost", replaced("[A-Z]+)", "[A-Z+)"), determined=False),
    undetermined("cut", lambda text, _: text[: text.index("(") + 4]),
    undetermined("unknown class", replaced("\\w", "\\p{L}")),
)
FAULTS = tuple(_where_found(each) for each in _ALL)


def extra(_rng):
    yield case_of(SPEC, of(r"/\w+/"))
    yield case_of(SPEC, of(r"`.*`|\[auth\]"))
    yield case_of(SPEC, of(r"nothing|something else here"))
    yield case_of(SPEC, of(r"“[^”]*”|\d+"))
