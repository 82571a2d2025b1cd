"""A JSON object whose opening brace was given to the model."""

import json
from datetime import date, timedelta

from knitbone_evals.adapt.apps.dev_structured.kit import replaced
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT

SPEC = AppSpec(
    name="job_ad", half="dev_structured", domain="task management", function="import_advert"
)


def expected(advert):
    day = date.fromisoformat(advert["closes"])
    return {
        "title": advert["title"],
        "company": advert["company"],
        "remote": "yes" if advert["remote"] else "no",
        "salary": {"currency": "EUR", **advert["salary"]},
        "closes": day.timetuple().tm_yday,
        "skills": advert.get("skills", []),
        "contact": advert.get("contact"),
        "span": advert["salary"]["high"] - advert["salary"]["low"],
    }


def draw(rng):
    low = rng.randint(30, 80) * 1000
    return {
        "title": rng.choice(("Baker", "Data engineer (m/f/d)", 'Head of "Ops"', "Night nurse")),
        "company": rng.choice(("Kern & Co", "Oak {labs}", "Müller GmbH")),
        "remote": rng.random() < 0.5,
        "salary": {
            "low": low,
            "high": low + rng.randint(2, 20) * 500,
            "currency": rng.choice(("EUR", "CHF", "USD")),
        },
        "closes": (date(2025, 1, 1) + timedelta(days=rng.randint(13, 360))).isoformat(),
        "skills": rng.sample(
            ("SQL", "patience", "Dutch", "forklift licence", "C++"), rng.randint(0, 3)
        ),
        "contact": rng.choice((None, "jobs@kern.example", "Mrs. Lund")),
    }


def of(advert, indent=None, note="", text=None):
    text = text or json.dumps(advert, indent=indent, ensure_ascii=False)[1:]
    return Base(
        inputs={"advert": "We are hiring!"}, outputs=(text,), expected=expected(advert), note=note
    )


def base(rng, _pool):
    return of(draw(rng), rng.choice((None, 2)))


def of_record(name, make, **more):
    """A fault of the record: ``make(record, rng)`` gives the new one, or ``None``."""

    def change(text, rng):
        try:
            record = json.loads("{" + text)
        except ValueError:
            return None
        new = make(record, rng)
        if new is None:
            return None
        indent = 2 if "\n" in text else None
        return json.dumps(new, indent=indent, ensure_ascii=False)[1:]

    return on_text(name, "template", change, layer=CONTENT, **more)


FAULTS = (
    on_text("brace repeated", "syntax", lambda text, _: "{" + text),
    on_text("fence although prefilled", "template", lambda text, _: "```json\n{" + text + "\n```"),
    on_text(
        "prose after",
        "template",
        lambda text, _: (
            text + "\n\nI've extracted all the fields from the advert. "
            "Let me know if you need anything else!"
        ),
    ),
    replaced("trailing comma", r"([\"\w\]}])(\s*}\s*)\Z", r"\1,\2", defect="syntax"),
    on_text("last brace lost", "syntax", lambda text, _: text.rstrip()[:-1].rstrip()),
    of_record(
        "salary as text",
        lambda advert, _rng: {
            **advert,
            "salary": {**advert["salary"], "low": str(advert["salary"]["low"])},
        },
    ),
    of_record(
        "salary with thousands",
        lambda advert, _rng: {
            **advert,
            "salary": {
                **advert["salary"],
                "low": f"{advert['salary']['low']:,}",
                "high": f"{advert['salary']['high']:,}",
            },
        },
    ),
    replaced("thousands not quoted", r'("low": )(\d+)(\d{3})', r"\1\2,\3", defect="syntax"),
    replaced("underscored number", r'("low": )(\d+)(\d{3})', r"\1\2_\3", defect="syntax"),
    of_record(
        "remote as text, false",
        lambda advert, rng: (
            {**advert, "remote": rng.choice(("false", "No"))} if not advert["remote"] else None
        ),
    ),
    of_record(
        "date in words",
        lambda advert, _rng: {
            **advert,
            "closes": f"{date.fromisoformat(advert['closes']):%d %B %Y}",
        },
    ),
    of_record(
        "date with a time",
        lambda advert, _rng: {**advert, "closes": advert["closes"] + "T00:00:00"},
    ),
    of_record(
        "date german",
        lambda advert, _rng: {
            **advert,
            "closes": f"{date.fromisoformat(advert['closes']):%d.%m.%Y}",
        },
    ),
    of_record(
        "date unclear", lambda advert, _rng: {**advert, "closes": "end of month"}, determined=False
    ),
    of_record("date null", lambda advert, _rng: {**advert, "closes": None}, determined=False),
    of_record(
        "capital keys",
        lambda advert, _rng: {key.capitalize(): item for key, item in advert.items()},
    ),
    of_record(
        "currency extra key",
        lambda advert, _rng: {**advert, "source": "advert"},
        determined=False,
        tolerated=True,
    ),
    of_record(
        "salary missing",
        lambda advert, _rng: {key: item for key, item in advert.items() if key != "salary"},
        determined=False,
    ),
    of_record(
        "key misspelt",
        lambda advert, _rng: {
            ("comapny" if key == "company" else key): item for key, item in advert.items()
        },
    ),
    of_record(
        "synonym key",
        lambda advert, _rng: {
            ("employer" if key == "company" else key): item for key, item in advert.items()
        },
        determined=False,
        tolerated=True,
    ),
    of_record(
        "salary a range text",
        lambda advert, _rng: {
            **advert,
            "salary": f"{advert['salary']['low']} - {advert['salary']['high']}",
        },
        determined=False,
    ),
)


def extra(rng):
    for note, change in (
        ("no skills", {"skills": []}),
        ("title with braces", {"title": "Dev {x} }"}),
        ("fence in the title", {"title": "```json```"}),
        ("contact is date", {"contact": "3 May 2025"}),
        ("company Yes", {"company": "Yes"}),
    ):
        yield case_of(SPEC, of(draw(rng) | change, note=note))
    advert = draw(rng)
    advert.pop("skills")
    advert.pop("contact")
    advert["salary"].pop("currency")
    yield case_of(SPEC, of(advert, note="optional left out"))
    advert = draw(rng)
    yield case_of(
        SPEC, of(advert, note="leading break", text="\n  " + json.dumps(advert)[1:] + "\n")
    )
