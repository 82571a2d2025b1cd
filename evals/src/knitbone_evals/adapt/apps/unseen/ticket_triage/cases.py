"""One JSON object with numbers, flags, an inner object and a list."""

import json

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import json_faults
from knitbone_evals.adapt.pools import constructed

SPEC = AppSpec(name="ticket_triage", half="unseen", domain="task management", function="triage")
USES_SENTENCES = True

SUBJECTS = (
    "Login fails after update",
    "Broken lid on arrival",
    "Screen stays black",
    "Wrong address",
    "App closes with photos",
    "Battery empty too soon",
    "Discount code refused",
    "Odd smell",
)
PRODUCTS = ("Lumo", "Kestrel 3", "Pad & Pen", "Wave", "O'Hara kettle")
TAGS = ("Hardware", "shipping", "Account", "mobile", "payment", "warranty", "Sound")


def results(ticket):
    product = ticket["product"]
    return {
        "queue": "billing" if ticket["refund"] else "technical",
        "urgent": ticket["priority"] >= 4,
        "hours": 48 // ticket["priority"],
        "subject": ticket["subject"],
        "product": product["name"] + " " + (product["version"] or "(any)"),
        "tags": sorted(tag.lower() for tag in ticket["tags"]),
        "summary": ticket["summary"],
    }


def of_ticket(ticket, indent=None, source="constructed", note=""):
    return Base(
        inputs={"mail": "Dear all, " + ticket["subject"].lower() + "."},
        outputs=(json.dumps(ticket, indent=indent, ensure_ascii=False),),
        expected=results(ticket),
        source=source,
        note=note,
    )


def draw(rng, pool):
    return {
        "subject": rng.choice(SUBJECTS),
        "priority": rng.randint(1, 5),
        "product": {
            "name": rng.choice(PRODUCTS),
            "version": rng.choice((None, "2.1", "2024", "7")),
        },
        "tags": rng.sample(TAGS, rng.randint(1, 3)),
        "refund": rng.random() < 0.5,
        "summary": "\n".join(pool.some(rng, rng.choice((1, 1, 1, 2)))),
    }


def base(rng, pool):
    return of_ticket(draw(rng, pool), rng.choice((None, 2)), pool.source)


FAULTS = json_faults()

TRAPS = (
    ("escapes and other scripts", {"summary": 'He said "no" \\ then left.\nKöln, 東京 \u2013 ok'}),
    ("looks like a fence", {"summary": "He typed ```json {} ``` into the form."}),
    (
        "a comma before a bracket, in a text",
        {"summary": "The list [1, 2,] was refused, and {a: 1,} too."},
    ),
    ("a comment in a text", {"summary": "See https://example.com/a//b # top"}),
    (
        "words of Python in a text",
        {"subject": "None of the True settings", "summary": "It is False, not None."},
    ),
    ("a number that is a text", {"product": {"name": "0042", "version": "1e5"}}),
    ("no tags at all", {"tags": []}),
    ("one tag twice on purpose: both are counted", {"tags": ["sound", "Sound"]}),
    ("two spellings quoted", {"summary": "The labels say 'colour' and 'color'."}),
    ("a sentence said twice, quoted", {"summary": "Stop. Stop. He wrote it twice."}),
)


def extra(rng):
    for note, changes in TRAPS:
        ticket = draw(rng, constructed()) | changes
        yield case_of(SPEC, of_ticket(ticket, note=note))
    ticket = draw(rng, constructed())
    odd = of_ticket(ticket, note="white space, order of keys, a further key")
    text = json.dumps({"language": "en", **dict(reversed(ticket.items()))}, indent="\t")
    yield case_of(SPEC, odd, outputs=(f"\n\n  {text}\n",))
    yield case_of(SPEC, of_ticket(ticket, note="all escaped"), outputs=(json.dumps(ticket),))
