"""A JSON object between the outermost braces, with fixed values and a number."""

import json

from knitbone_evals.adapt.apps.dev_structured.kit import field, named, on_value, wrapped
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import json_faults
from knitbone_evals.adapt.pools import constructed

SPEC = AppSpec(
    name="ticket_triage", half="dev_structured", domain="task management", function="triage"
)
PRODUCTS = ("Relay", "Vault", "Beacon", "Harbor Sync", "Quill")
LEVELS = ["low", "medium", "high", "critical"]


def expected(ticket):
    category = ticket["category"]
    routed = {
        "billing": {"queue": "finance", "sla": 48},
        "outage": {"queue": "oncall", "sla": 1 if ticket["severity"] == "critical" else 4},
        "how_to": {"queue": "docs", "sla": 72},
        "account": {"queue": "identity", "sla": 24},
    }[category].copy()
    level = LEVELS.index(ticket["severity"])
    if ticket.get("needs_human") is True:
        routed["page"] = level >= 2
    return {
        **routed,
        "level": level,
        "slots": ticket["minutes"] // 15 + 1,
        "tags": sorted(product.lower() for product in ticket.get("products", [])),
        "note": ticket["summary"].strip(),
    }


def draw(rng, pool):
    return {
        "category": rng.choice(("billing", "outage", "how_to", "account")),
        "severity": rng.choice(LEVELS),
        "minutes": rng.randint(5, 180),
        "needs_human": rng.random() < 0.6,
        "products": rng.sample(PRODUCTS, rng.randint(0, 3)),
        "summary": pool.some(rng, 1)[0],
    }


def of(ticket, indent=None, note="", text=None):
    return Base(
        inputs={"mail": "Hi, it does not work"},
        outputs=(text or json.dumps(ticket, indent=indent, ensure_ascii=False),),
        expected=expected(ticket),
        note=note,
    )


def base(rng, pool):
    return of(draw(rng, pool), rng.choice((None, 2)))


FAULTS = (
    *named(
        json_faults(),
        "trailing comma",
        "single quotes",
        "python literals",
        "comment",
        "comma lost",
        "closing brackets lost",
        "two objects",
        "cut off in a value",
    ),
    field("category in title case", "category", lambda value, _rng: value.title()),
    field(
        "category with a space or hyphen",
        "category",
        lambda value, rng: {"how_to": rng.choice(("how to", "how-to", "How-To"))}.get(value),
    ),
    field("category upper", "category", lambda value, _rng: value.upper()),
    field(
        "severity upper",
        "severity",
        lambda value, rng: rng.choice((value.upper(), value.capitalize())),
    ),
    field("severity with a dot and space", "severity", lambda value, _rng: value + " "),
    field(
        "severity unknown",
        "severity",
        lambda _value, rng: rng.choice(("urgent", "moderate", "P1")),
        determined=False,
    ),
    field(
        "category unknown",
        "category",
        lambda _value, rng: rng.choice(("shipping", "other")),
        determined=False,
    ),
    field("minutes with unit", "minutes", lambda value, _rng: f"{value} minutes"),
    field(
        "minutes as a range",
        "minutes",
        lambda value, _rng: f"{value}-{value + 15}",
        determined=False,
    ),
    field(
        "needs_human as text",
        "needs_human",
        lambda value, rng: rng.choice(("true", "True", "yes")) if value else None,
    ),
    field(
        "products as one text",
        "products",
        lambda value, _rng: ", ".join(value) if len(value) > 1 else None,
        determined=False,
        tolerated=True,
    ),
    field(
        "products a single text",
        "products",
        lambda value, _rng: value[0] if len(value) == 1 else None,
        determined=False,
        tolerated=True,
    ),
    field(
        "products null",
        "products",
        lambda value, _rng: None if value else "",
        determined=False,
        tolerated=True,
    ),
    on_value(
        "wrapped", lambda value, rng: {rng.choice(("ticket", "classification", "result")): value}
    ),
    wrapped(
        "braces in prose after", "", "\n\nThe {category} was chosen because of the subject line."
    ),
    wrapped("braces in prose before", "Filled the template {category, severity}:\n"),
    wrapped("template echoed", '{"category": one of "billing", "outage"}\n\n', ""),
)


def extra(rng):
    pool = constructed()
    for note, change in (
        ("braces in the summary", {"summary": "He wrote {x} and }{."}),
        ("a summary that names another level", {"summary": "Critical! HIGH load, outage?"}),
        ("number as text is read by int", {}),
        ("no human", {"needs_human": False}),
        ("products in upper case", {"products": ["RELAY", "Vault"]}),
    ):
        ticket = draw(rng, pool) | change
        built = of(ticket, note=note)
        if note.startswith("number"):
            built = of(
                ticket, note=note, text=json.dumps({**ticket, "minutes": str(ticket["minutes"])})
            )
        yield case_of(SPEC, built)
    ticket = draw(rng, pool)
    yield case_of(
        SPEC,
        of(
            ticket,
            note="prose around, as the code allows",
            text="Sure:\n```json\n" + json.dumps(ticket) + "\n```\nDone.",
        ),
    )
    ticket = draw(rng, pool)
    del ticket["products"]
    del ticket["needs_human"]
    yield case_of(SPEC, of(ticket, note="optional left out"))
    ticket = draw(rng, pool)
    yield case_of(
        SPEC,
        of(
            ticket,
            note="further key",
            text=json.dumps({**ticket, "confidence": 0.8, "Severity": "n/a"}),
        ),
    )
    ticket = draw(rng, pool)
    yield case_of(
        SPEC,
        of(
            {**ticket, "needs_human": False},
            note="null flag",
            text=json.dumps({**ticket, "needs_human": None}),
        ),
    )
