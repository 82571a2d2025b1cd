"""A JSON list of rules in a fenced block, with an explanation before it."""

import json
import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT

SPEC = AppSpec(
    name="config_fence", half="dev_structured", domain="program synthesis", function="alerts"
)
OPS = {">": "above", "<": "below", ">=": "at least", "<=": "at most"}


def draw(rng):
    rules = []
    for metric in rng.sample(
        ("cpu_load", "free_disk", "queue_length", "p99_latency"), rng.randint(1, 3)
    ):
        rule = {
            "metric": metric,
            "op": rng.choice(list(OPS)),
            "threshold": rng.choice((0.9, 5, 80, 2.5)),
            "for_minutes": rng.randint(1, 30),
        }
        if rng.random() < 0.5:
            rule["labels"] = {"team": rng.choice(("core", "web")), "severity": "page"}
        rules.append(rule)
    return rules


def described(rule):
    limit = f"{rule['metric']} {OPS[rule['op']]} {float(rule['threshold']):g}"
    labels = sorted((rule.get("labels") or {}).items())
    return f"{limit} for {rule['for_minutes'] * 60}s" + "".join(
        f" {key}={value}" for key, value in labels
    )


SAID = (
    "These rules watch the load.",
    "I would start with the following.\n\n- they are cheap\n- they are few",
    "Use `cpu_load` here.",
)


def of(rules, said="Rules:", note="", body=None, text=None):
    return Base(
        inputs={"wish": "watch it"},
        outputs=(text or f"{said}\n\n```json\n{body or json.dumps(rules, indent=2)}\n```\n",),
        expected=[described(rule) for rule in rules],
        note=note,
    )


def base(rng, _pool):
    return of(draw(rng), rng.choice(SAID))


def in_block(name, make, defect="template", **more):
    """A fault of what stands in the block."""

    def change(text, rng):
        match = re.search(r"```json\n(.*)\n```", text, re.DOTALL)
        if not match:
            return None
        new = make(match[1], rng)
        if new is None or new == match[1]:
            return None
        return text[: match.start(1)] + new + text[match.end(1) :]

    return on_text(name, defect, change, layer=CONTENT, **more)


def of_rules(name, make, **more):
    """A fault of the list of rules."""

    def change(text, rng):
        value = make(json.loads(text), rng)
        return None if value is None else json.dumps(value, indent=2)

    return in_block(name, change, **more)


def each(key, change):
    """Changes one field of every rule."""
    return lambda rules, rng: [{**rule, key: change(rule[key], rng)} for rule in rules]


def on_one_line(text, _rng):
    match = re.search(r"```json\n(.*)\n```", text, re.DOTALL)
    try:
        rules = json.loads(match[1])
    except ValueError:
        return None  # another fault came first
    return f"{text[: match.start()]}```json {json.dumps(rules)} ```{text[match.end() :]}"


FAULTS = (
    on_text("no fence", "template", lambda text, _: re.sub(r"```(?:json)?\n?", "", text)),
    on_text(
        "no fence, only data",
        "template",
        lambda text, _: re.search(r"```json\n(.*)\n```", text, re.DOTALL)[1],
    ),
    on_text("fence not closed", "template", lambda text, _: text.rstrip()[:-3].rstrip()),
    on_text(
        "tildes",
        "template",
        lambda text, _: text.replace("```json", "~~~json").replace("```", "~~~"),
    ),
    on_text("capital JSON", "template", lambda text, _: text.replace("```json", "```JSON")),
    on_text("jsonc", "template", lambda text, _: text.replace("```json", "```json5")),
    on_text(
        "plain block after",
        "template",
        lambda text, _: text + "\nApply with:\n\n```\npromtool check rules.json\n```\n",
    ),
    on_text(
        "block on one line",
        "template",
        on_one_line,
    ),
    in_block("trailing comma", lambda text, _rng: re.sub(r"\n\]\Z", ",\n]", text), "syntax"),
    in_block(
        "comments",
        lambda text, _rng: re.sub(r'("threshold": [\d.]+,)', r"\1  // tune this", text),
        "syntax",
    ),
    in_block(
        "several objects without list",
        lambda text, _rng: (
            "\n".join(json.dumps(rule) for rule in json.loads(text))
            if text.count("metric") > 1
            else None
        ),
    ),
    of_rules("single object", lambda rules, _rng: rules[0] if len(rules) == 1 else None),
    of_rules("under rules", lambda rules, _rng: {"rules": rules}),
    of_rules(
        "op as words",
        each("op", lambda old, _rng: {">": "gt", "<": "lt", ">=": "gte", "<=": "lte"}[old]),
        determined=False,
        tolerated=True,
    ),
    of_rules("op with spaces", each("op", lambda old, _rng: f" {old} ")),
    of_rules("op unknown", each("op", lambda _old, _rng: "=="), determined=False),
    of_rules(
        "threshold percent",
        each("threshold", lambda old, _rng: f"{old}%"),
        determined=False,
        tolerated=True,
    ),
    of_rules("minutes as text", each("for_minutes", lambda old, _rng: str(old))),
    of_rules("minutes short form", each("for_minutes", lambda old, _rng: f"{old}m")),
    of_rules(
        "minutes as float",
        each("for_minutes", lambda old, _rng: float(old)),
        determined=False,
        tolerated=True,
    ),
    of_rules(
        "camel keys",
        lambda rules, _rng: [
            {("forMinutes" if key == "for_minutes" else key): item for key, item in rule.items()}
            for rule in rules
        ],
    ),
    of_rules(
        "hyphen keys",
        lambda rules, _rng: [
            {("for-minutes" if key == "for_minutes" else key): item for key, item in rule.items()}
            for rule in rules
        ],
    ),
    of_rules(
        "key missing",
        lambda rules, _rng: [
            {key: item for key, item in rule.items() if key != "for_minutes"} for rule in rules
        ],
        determined=False,
    ),
    in_block(
        "cut off",
        lambda text, _rng: text[: text.rindex('"for_minutes"') + 8],
        "syntax",
        determined=False,
    ),
)


def extra(rng):
    rules = draw(rng)
    yield case_of(SPEC, of(rules, "plain fence", text=f"Like so:\n```\n{json.dumps(rules)}\n```"))
    rules = draw(rng)
    yield case_of(
        SPEC,
        of(
            rules,
            "draft first, then the last block",
            text="First draft:\n```json\n[]\n```\n"
            f"Better:\n```json\n{json.dumps(rules)}\n```\nDone.",
        ),
    )
    rules = draw(rng)
    yield case_of(
        SPEC, of(rules, "only the fence", text=f"```json\n{json.dumps(rules, indent=4)}\n```")
    )
    rules = draw(rng)
    rules[0]["labels"] = None
    yield case_of(SPEC, of(rules, note="null labels"))
    rules = draw(rng)
    rules[0]["labels"] = {"op": "gt", "Metric": "x"}
    yield case_of(SPEC, of(rules, note="labels like keys"))
    rules = draw(rng)
    rules[0]["metric"] = "a // b /* c */"
    yield case_of(SPEC, of(rules, note="comment in a text"))
    yield case_of(SPEC, of([], note="no rules"))
    rules = draw(rng)[:1]
    yield case_of(
        SPEC,
        of(
            rules,
            note="threshold text is read by float",
            body=json.dumps([{**rules[0], "threshold": str(rules[0]["threshold"])}]),
        ),
    )
