"""A JSON object between tags, with the model's analysis before it."""

import json
import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT

SPEC = AppSpec(name="flat_tags", half="dev_structured", domain="context QA", function="rank")


def draw(rng):
    return {
        "rooms": rng.choice((1, 2, 2.5, 3.5)),
        "rent": rng.randint(400, 2400),
        "balcony": rng.random() < 0.5,
        "district": rng.choice(("Südstadt", "Harbor", "Old Town")),
        "pros": rng.sample(
            ("quiet", "near the tram", "new floor", "big windows"), rng.randint(0, 3)
        ),
        "verdict": rng.choice(("visit", "maybe", "skip")),
    }


def of(
    flat, indent=None, note="", body=None, text=None, think="The rent seems fair for the district."
):
    body = body or json.dumps(flat, indent=indent, ensure_ascii=False)
    text = text or f"<analysis>\n{think}\n</analysis>\n\n<result>\n{body}\n</result>"
    return Base(
        inputs={"adverts": ["2 rooms"]},
        outputs=(text,),
        expected=[
            {
                "where": flat["district"],
                "per_room": round(flat["rent"] / flat["rooms"], 2),
                "stars": {"visit": 2, "maybe": 1, "skip": 0}[flat["verdict"]]
                + bool(flat["balcony"]),
                "pros": len(flat["pros"]),
            }
        ],
        note=note,
    )


def base(rng, _pool):
    return of(draw(rng), rng.choice((None, 2)))


def in_result(name, make, defect="template", **more):
    """A fault of what stands between the tags."""

    def change(text, rng):
        match = re.search(r"<result>\n(.*)\n</result>", text, re.DOTALL)
        if not match:
            return None
        new = make(match[1], rng)
        if new is None or new == match[1]:
            return None
        return text[: match.start(1)] + new + text[match.end(1) :]

    return on_text(name, defect, change, layer=CONTENT, **more)


def of_field(name, key, make, **more):
    """A fault of one field of the result."""

    def change(text, rng):
        flat = json.loads(text)
        new = make(flat[key], rng)
        if new is None:
            return None
        indent = 2 if "\n" in text else None
        return json.dumps({**flat, key: new}, indent=indent, ensure_ascii=False)

    return in_result(name, change, **more)


FAULTS = (
    on_text("result not closed", "template", lambda text, _: text.replace("\n</result>", "")),
    on_text(
        "result capital",
        "template",
        lambda text, _: text.replace("<result>", "<Result>").replace("</result>", "</Result>"),
    ),
    on_text(
        "result tag misspelt close",
        "template",
        lambda text, _: text.replace("</result>", "<result>"),
    ),
    on_text("no result tags", "template", lambda text, _: re.sub(r"</?result>\n?", "", text)),
    on_text(
        "no tags at all",
        "template",
        lambda text, _: re.search(r"<result>\n(.*)\n</result>", text, re.DOTALL)[1],
    ),
    on_text(
        "fence instead of result",
        "template",
        lambda text, _: text.replace("<result>", "```json").replace("</result>", "```"),
    ),
    on_text(
        "html escaped tags",
        "template",
        lambda text, _: text.replace("<result>", "&lt;result&gt;").replace(
            "</result>", "&lt;/result&gt;"
        ),
    ),
    on_text(
        "spaces in tag",
        "template",
        lambda text, _: text.replace("<result>", "< result >").replace("</result>", "</ result >"),
    ),
    on_text("other tag", "template", lambda text, _: text.replace("result>", "output>")),
    on_text(
        "analysis mentions the tag",
        "template",
        lambda text, _: text.replace(
            "The rent", "I will put the JSON into <result></result>. The rent"
        ),
    ),
    in_result("fence inside", lambda text, _rng: f"```json\n{text}\n```"),
    in_result("prose inside", lambda text, _rng: f"Here is the JSON:\n{text}"),
    in_result("trailing comma", lambda text, _rng: re.sub(r"(\s*)\}\Z", r",\1}", text), "syntax"),
    in_result("single quotes", lambda text, _rng: text.replace('"', "'"), "syntax"),
    in_result("brace lost", lambda text, _rng: text[:-1].rstrip(), "syntax"),
    of_field("rent with currency", "rent", lambda value, _rng: f"{value} €"),
    of_field("rent with currency word", "rent", lambda value, _rng: f"€{value:,}"),
    of_field("rent as text", "rent", lambda value, _rng: str(value)),
    in_result(
        "rent with bare currency",
        lambda text, _rng: re.sub(r'("rent": )(\d+)', r"\1€\2", text),
        "syntax",
    ),
    of_field(
        "rooms as fraction",
        "rooms",
        lambda value, _rng: "2½" if value == 2.5 else None,
        determined=False,
        tolerated=True,
    ),
    of_field("verdict capital", "verdict", lambda value, _rng: value.upper()),
    of_field("verdict with a dot", "verdict", lambda value, _rng: value + "."),
    of_field(
        "verdict with a reason",
        "verdict",
        lambda value, _rng: value + " - good value",
        determined=False,
        tolerated=True,
    ),
    of_field("verdict unknown", "verdict", lambda _value, _rng: "buy", determined=False),
    of_field("balcony word", "balcony", lambda value, _rng: "no" if not value else None),
    of_field("balcony false text", "balcony", lambda value, _rng: "false" if not value else None),
    of_field(
        "pros as text",
        "pros",
        lambda value, _rng: ", ".join(value) if len(value) > 1 else None,
        determined=False,
        tolerated=True,
    ),
    in_result(
        "two results",
        lambda text, _rng: text + "\n</result>\n<result>\n" + text.replace('"rent": ', '"rent": 1'),
        determined=False,
    ),
)


def extra(rng):
    flat = draw(rng)
    yield case_of(SPEC, of(flat, note="no analysis", text=f"<result>{json.dumps(flat)}</result>"))
    flat = draw(rng)
    yield case_of(
        SPEC,
        of(flat, note="text around", text=f"Hello.\n<result>{json.dumps(flat)}</result>\nBye."),
    )
    flat = draw(rng)
    yield case_of(
        SPEC, of(flat, note="JSON in the analysis", think='A draft: {"rent": 5} and "Visit".')
    )
    flat = draw(rng)
    yield case_of(
        SPEC,
        of(
            flat,
            note="analysis not closed",
            text=f"<analysis>Hm.\n<result>{json.dumps(flat)}</result>",
        ),
    )
    flat = draw(rng)
    flat["district"] = "</b> & <i>"
    yield case_of(SPEC, of(flat, note="markup in a text"))
    flat = draw(rng)
    yield case_of(SPEC, of(flat, note="further key", body=json.dumps({**flat, "floor": 3})))
    flat = draw(rng)
    flat["pros"] = ["Visit", "skip", "3"]
    yield case_of(SPEC, of(flat, note="words in a list"))
