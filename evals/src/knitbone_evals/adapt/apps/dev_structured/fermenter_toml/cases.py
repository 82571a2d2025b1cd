"""A TOML document with an array of tables."""

import json

from knitbone_evals.adapt.apps.dev_structured.kit import replaced, wrapped
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING

SPEC = AppSpec(
    name="fermenter_toml", half="dev_structured", domain="program synthesis", function="schedule"
)


def draw(rng):
    return {
        "beer": rng.choice(("Old Ale", "Kölsch", 'Gose "Sour"', "Pale # 4")),
        "gravity": rng.choice((1.048, 1.052, 1.07)),
        "open_fermentation": rng.random() < 0.6,
        "phase": [
            {
                "name": name,
                "hours": rng.randint(12, 200),
                "celsius": rng.choice((12.5, 18.0, 20.5, 4.0)),
            }
            for name in rng.sample(
                ("primary", "diacetyl rest", "cold crash", "lagering"), rng.randint(1, 3)
            )
        ],
    }


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def write(profile):
    lines = [
        f"beer = {quoted(profile['beer'])}",
        f"gravity = {profile['gravity']}",
        f"open_fermentation = {str(profile['open_fermentation']).lower()}",
    ]
    for phase in profile["phase"]:
        lines += [
            "",
            "[[phase]]",
            f"name = {quoted(phase['name'])}",
            f"hours = {phase['hours']}",
            f"celsius = {phase['celsius']}",
        ]
    return "\n".join(lines) + "\n"


def expected(profile):
    clock, plan = 0, []
    for phase in profile["phase"]:
        plan.append([clock, phase["name"], round(phase["celsius"] * 9 / 5 + 32, 1)])
        clock += phase["hours"]
    return {
        "label": profile["beer"].upper(),
        "plato": round(profile.get("gravity", 1.0) * 1000 - 1000),
        "lid": "off" if profile.get("open_fermentation") is True else "on",
        "plan": plan,
        "days": clock / 24,
    }


def inline(profile):
    phases = ", ".join(
        f"{{name = {json.dumps(phase['name'])}, hours = {phase['hours']}, "
        f"celsius = {phase['celsius']}}}"
        for phase in profile["phase"]
    )
    return "\n".join(
        (
            f"beer = {quoted(profile['beer'])}",
            f"gravity = {profile['gravity']}",
            f"open_fermentation={str(profile['open_fermentation']).lower()}",
            f"phase = [{phases},]",
        )
    )


def of(profile, note="", text=None):
    return Base(
        inputs={"beer": "an ale"},
        outputs=(text or write(profile),),
        expected=expected(profile),
        note=note,
    )


def base(rng, _pool):
    return of(draw(rng))


FAULTS = (
    THINKING,
    wrapped("fence", "```toml\n", "\n```"),
    wrapped(
        "intro fence outro",
        "Here's a fermentation profile:\n\n```toml\n",
        "\n```\n\nAdjust temperatures to your yeast.",
    ),
    wrapped("outro", "", "\n\nThis profile keeps esters low."),
    wrapped("intro", "Sure, here it is:\n\n"),
    replaced("python boolean", r"= true$", "= True", defect="syntax"),
    replaced("python boolean false", r"= false$", "= False", defect="syntax"),
    replaced("text without quotes", r'^name = "(\w+)"$', r"name = \1", defect="syntax"),
    replaced("colon for equals", r"^hours = ", "hours: ", defect="syntax"),
    replaced("all colons", r"^(\w+) = ", r"\1: ", defect="syntax", count=0),
    replaced("trailing comma", r"^(hours = \d+)$", r"\1,", defect="syntax", count=0),
    replaced("hours as text", r"^hours = (\d+)$", r'hours = "\1"'),
    replaced("flag as text", r"= true$", '= "true"'),
    replaced("celsius with degree", r"^celsius = ([\d.]+)$", r'celsius = "\1 °C"'),
    replaced(
        "celsius with degree bare", r"^celsius = ([\d.]+)$", r"celsius = \1°C", defect="syntax"
    ),
    replaced(
        "single table", r"\[\[phase\]\]", "[phase]", count=0, determined=False, tolerated=True
    ),
    replaced("plural table", r"\[\[phase\]\]", "[[phases]]", count=0),
    replaced("capital table", r"\[\[phase\]\]", "[[Phase]]", count=0),
    replaced("comment slashes", r"^(hours = \d+)$", r"\1 // about a week", defect="syntax"),
    replaced("hours missing", r"^hours = .*\n", "", determined=False),
    replaced("value missing", r"^hours = \d+$", "hours =", determined=False, defect="syntax"),
    replaced("typographic quotes", r'"([^"\\\n]*)"', "“\\1”", defect="syntax", count=0),
    replaced("single closing bracket", r"\[\[phase\]\]", "[[phase]", defect="syntax"),
    replaced(
        "further key",
        r"^(hours = \d+)$",
        r'\1\nnotes = "watch it"',
        determined=False,
        tolerated=True,
    ),
)


def extra(rng):
    profile = draw(rng)
    yield case_of(SPEC, of(profile, "comments", text="# profile\n" + write(profile)))
    profile = draw(rng)
    text = write(profile).replace('"Old Ale"', "'Old Ale'")
    single = of(profile, "single quotes are legal", text)
    yield case_of(SPEC, single if profile["beer"] == "Old Ale" else of(profile))
    profile = draw(rng) | {"open_fermentation": False}
    yield case_of(
        SPEC,
        of(profile, "left out", text=write(profile).replace("open_fermentation = false\n", "")),
    )
    profile = draw(rng) | {"beer": "```toml"}
    yield case_of(SPEC, of(profile, "fence as name"))
    profile = draw(rng) | {"beer": "true = True, hours: 3"}
    yield case_of(SPEC, of(profile, "syntax in a text"))
    profile = draw(rng)
    yield case_of(SPEC, of(profile, "inline tables", text=inline(profile)))
