"""JSON lines, streamed."""

import json

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT, THINKING, WRAPPER
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced

SPEC = AppSpec(name="event_feed", half="seen", domain="context QA", function="calendar")
TITLES = (
    "Flea market",
    "Organ concert",
    "Boat parade",
    "Reading: 'The Tin Drum'",
    "Chess & tea",
    "Star gazing",
    "Repair café",
    "Harvest fair",
)


def write(events):
    return "\n".join(json.dumps(event, ensure_ascii=False) for event in events)


def results(events):
    days = {}
    for event in events:
        days.setdefault(event["day"], []).append([event["title"], event["seats"]])
    return days


def of_events(events, note=""):
    return Base(
        inputs={"newsletter": "This month in our town ..."},
        outputs=(write(events),),
        expected=results(events),
        slots={"events": events},
        note=note,
    )


def draw(rng, count):
    return [
        {
            "day": f"2025-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
            "seats": rng.randint(8, 400),
            "title": title,
        }
        for title in rng.sample(TITLES, count)
    ]


def base(rng, _pool):
    return of_events(draw(rng, rng.randint(2, 5)))


def _values(text):
    try:
        return [json.loads(line) for line in text.split("\n")]
    except ValueError:
        return None


def _array(indent):
    def change(text, _rng):
        values = _values(text)
        return values and json.dumps(values, indent=indent, ensure_ascii=False)

    return change


def _spread(text, _rng):
    values = _values(text) or []
    return "\n".join(json.dumps(value, indent=2, ensure_ascii=False) for value in values) or None


def _one_line(change):
    def changed(text, rng):
        lines = text.split("\n")
        place = rng.randrange(len(lines))
        lines[place] = change(lines[place])
        return "\n".join(lines)

    return changed


FAULTS = (
    THINKING,
    on_text("lines in a fence", "template", fenced("jsonl"), layer=WRAPPER),
    on_text("prose before lines", "template", introduced("These are the events:"), layer=WRAPPER),
    on_text("prose after lines", "template", concluded("I hope that helps."), layer=WRAPPER),
    on_text("array for lines", "template", _array(None)),
    on_text("array on several lines", "template", _array(2)),
    on_text("objects on several lines", "template", _spread),
    on_text("comma after each line", "syntax", lambda text, _: text.replace("}\n", "},\n")),
    on_text("objects on one line", "template", lambda text, _: text.replace("\n", " ")),
    on_text(
        "trailing comma in one line", "syntax",
        _one_line(lambda line: line.replace("}", ",}")), layer=CONTENT,
    ),
    on_text(
        "bare keys in one line", "syntax",
        _one_line(lambda line: line.replace('"day"', "day").replace('"seats"', "seats")),
        layer=CONTENT,
    ),
    on_text(
        "bracket lost in one line", "syntax", _one_line(lambda line: line.removesuffix("}")),
        layer=CONTENT,
    ),
    on_text("numbered lines", "template", lambda text, _: "\n".join(
        f"{number}. {line}" for number, line in enumerate(text.split("\n"), 1))),
    on_text(
        "last line cut off", "syntax", lambda text, _: text[: text.rindex('"title"') + 13],
        determined=False,
    ),
    on_text(
        "a title without quotes", "syntax",
        _one_line(lambda line: line.replace('"title": "', '"title": ').replace('"}', "}")),
        determined=False, tolerated=True,
    ),
)  # fmt: skip


def extra(rng):
    same = draw(rng, 1)[0]
    yield case_of(SPEC, of_events([same, same | {"seats": same["seats"] + 1}], "seats differ"))
    odd = of_events(draw(rng, 3), "blank lines between, which the code passes over")
    yield case_of(SPEC, odd, outputs=("\n\n" + odd.outputs[0].replace("\n", "\n\n") + "\n",))
    texts = draw(rng, 1)[0] | {"seats": "25"}
    built = of_events([texts | {"seats": 25}], "a number as text, which int() reads")
    yield case_of(SPEC, built, outputs=(write([texts]),))
    braces = draw(rng, 1)[0] | {"title": 'Play "{a}, [b],}" live'}
    yield case_of(SPEC, of_events([braces], "brackets and commas in a text"))
