"""A JSON object validated by a model with an enum, a date, a pattern and limits."""

import json
from datetime import date, timedelta

import msgspec

from knitbone_evals.adapt.apps.dev_structured.kit import field, named, on_value
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import json_faults

SPEC = AppSpec(
    name="claim_model", half="dev_structured", domain="task management", function="intake"
)
DESKS = {"fire": "FIRE", "water damage": "WATER", "theft": "THEFT", "storm": "STORM"}


def draw(rng):
    return {
        "policy": f"{rng.choice(('AB', 'KX'))}-{rng.randint(10000, 99999)}",
        "peril": rng.choice(list(DESKS)),
        "happened": (date(2025, 1, 13) + timedelta(days=rng.randint(0, 300))).isoformat(),
        "items": [
            {"label": label, "value": rng.choice((120.5, 80, 2300))}
            for label in rng.sample(("sofa", 'TV 55"', "carpet", "bike"), rng.randint(1, 3))
        ],
        "reported_by": rng.choice(("holder", "broker", "police")),
        "injured": rng.random() < 0.4,
        "contact_phone": rng.choice((None, "+49 171 5550")),
    }


def expected(claim):
    return {
        "state": "auto",
        "desk": DESKS[claim["peril"]],
        "month": int(claim["happened"][5:7]),
        "sum": sum(float(each["value"]) for each in claim["items"]),
        "by": claim["reported_by"],
        "hurt": claim["injured"],
        "phone": claim.get("contact_phone"),
        "policy": claim["policy"],
    }


def of(claim, indent=None, note="", text=None):
    answer = text or json.dumps(claim, indent=indent, ensure_ascii=False)
    # The model is asked again after an error: the second answer is the same.
    return Base(
        inputs={"letter": "My sofa burnt"},
        outputs=(answer, answer),
        expected=expected(claim),
        note=note,
    )


def base(rng, _pool):
    return of(draw(rng), rng.choice((None, 2)))


def both(fault):
    """The fault in the first answer and in the second, which says the same."""

    def inject(built, rng):
        done = fault.inject(msgspec.structs.replace(built, outputs=built.outputs[:1]), rng)
        return None if done is None else msgspec.structs.replace(done, outputs=done.outputs * 2)

    return msgspec.structs.replace(fault, inject=inject)


FAULTS = tuple(
    both(fault)
    for fault in (
        *named(
            json_faults(),
            "json fence",
            "prose and fence",
            "trailing comma",
            "comment",
            "closing brackets lost",
            "inside of an object",
            "inside of a list",
            "cut off in a value",
            "key misspelt",
        ),
        field("peril capital", "peril", lambda value, _rng: value.capitalize()),
        field("peril enum name", "peril", lambda value, _rng: DESKS[value]),
        field(
            "peril underscore",
            "peril",
            lambda value, _rng: value.replace(" ", "_") if " " in value else None,
        ),
        field(
            "peril qualified",
            "peril",
            lambda value, _rng: "Peril." + DESKS[value],
            determined=False,
            tolerated=True,
        ),
        field("peril unknown", "peril", lambda _value, _rng: "hail", determined=False),
        field("reporter capital", "reported_by", lambda value, _rng: value.upper()),
        field(
            "reporter with article",
            "reported_by",
            lambda value, _rng: "the " + value,
            determined=False,
            tolerated=True,
        ),
        field(
            "date in words",
            "happened",
            lambda value, _rng: f"{date.fromisoformat(value):%B %d, %Y}",
        ),
        field(
            "date ambiguous",
            "happened",
            lambda value, _rng: (
                f"{date.fromisoformat(value):%m/%d/%Y}" if int(value[8:]) < 13 else None
            ),
            determined=False,
        ),
        field(
            "date american, day over 12",
            "happened",
            lambda value, _rng: (
                f"{date.fromisoformat(value):%m/%d/%Y}" if int(value[8:]) > 12 else None
            ),
        ),
        field(
            "value with currency",
            "items",
            lambda value, _rng: [{**each, "value": f"${each['value']}"} for each in value],
        ),
        field(
            "value with code",
            "items",
            lambda value, _rng: [{**each, "value": f"{each['value']} EUR"} for each in value],
        ),
        field(
            "value negative",
            "items",
            lambda value, _rng: [{**each, "value": -3} for each in value],
            determined=False,
        ),
        field(
            "items as object", "items", lambda value, _rng: value[0] if len(value) == 1 else None
        ),
        field("items empty", "items", lambda _value, _rng: [], determined=False),
        field(
            "policy spaced",
            "policy",
            lambda value, _rng: value.replace("-", " "),
            determined=False,
            tolerated=True,
        ),
        field(
            "policy lower",
            "policy",
            lambda value, _rng: value.lower(),
            determined=False,
            tolerated=True,
        ),
        field("policy short", "policy", lambda value, _rng: value[:-1], determined=False),
        field(
            "injured word", "injured", lambda _value, _rng: "none", determined=False, tolerated=True
        ),
        field(
            "phone as number",
            "contact_phone",
            lambda value, _rng: None if value is None else 491715550,
            determined=False,
        ),
        on_value(
            "camel keys",
            lambda value, _rng: {
                {"reported_by": "reportedBy", "contact_phone": "contactPhone"}.get(key, key): item
                for key, item in value.items()
            },
        ),
        on_value(
            "extra forbidden key",
            lambda value, _rng: {**value, "notes": "see letter"},
            determined=False,
            tolerated=True,
        ),
        on_value(
            "schema around",
            lambda value, _rng: {"properties": value, "type": "object"},
            determined=False,
            tolerated=True,
        ),
        on_value(
            "label missing",
            lambda value, _rng: {
                **value,
                "items": [{"value": each["value"]} for each in value["items"]],
            },
            determined=False,
        ),
    )
)


def extra(rng):
    def one(claim, note, text=None):
        built = of(claim, note=note, text=text)
        return case_of(SPEC, built, outputs=built.outputs[:1])

    claim = draw(rng)
    claim.pop("contact_phone")
    yield one(claim, "no phone")
    claim = draw(rng)
    yield one(
        claim,
        "lax numbers",
        json.dumps(
            {**claim, "items": [{**each, "value": str(each["value"])} for each in claim["items"]]}
        ),
    )
    claim = draw(rng)
    yield one({**claim, "injured": True}, "lax flag", json.dumps({**claim, "injured": "yes"}))
    claim = draw(rng)
    claim["items"][0]["label"] = "FIRE {x} ```"
    yield one(claim, "odd label")
    claim = draw(rng)
    yield one({**claim, "injured": False}, "lax flag 0", json.dumps({**claim, "injured": 0}))
    claim = draw(rng)
    yield one(claim, "white space", "\n\n " + json.dumps(claim, indent=8) + "\n")
    claim = draw(rng)
    yield one(
        claim,
        "date as timestamp of midnight",
        json.dumps({**claim, "happened": claim["happened"] + "T00:00:00"}),
    )
