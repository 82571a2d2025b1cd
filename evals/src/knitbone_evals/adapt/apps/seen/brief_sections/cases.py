"""Sections under Markdown headings; their titles are known."""

import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault, on_text
from knitbone_evals.adapt.faults.base import CONTENT, WRAPPER
from knitbone_evals.adapt.faults.markup import fenced, introduced
from knitbone_evals.adapt.pools import POINTS

SPEC = AppSpec(
    name="brief_sections", half="seen", domain="context QA", function="pages", compare="text"
)
TITLES = ("Summary", "Findings", "Risks", "Next steps")
TOPICS = ("the move", "the new archive", "the summer sale")


def write(bodies):
    return "\n\n".join(f"## {title}\n{body}" for title, body in zip(TITLES, bodies, strict=True))


def results(topic, bodies):
    return {"topic": topic, "pages": dict(zip(TITLES, bodies, strict=True))}


def of_bodies(topic, bodies, slots=None, note=""):
    return Base(
        inputs={"topic": topic},
        outputs=(write(bodies),),
        expected=results(topic, bodies),
        slots={"bodies": bodies} | (slots or {}),
        note=note,
    )


def base(rng, _pool):
    drawn = rng.sample(POINTS, 8)
    pairs = [drawn[place : place + 2] for place in range(0, 8, 2)]
    bodies = [f"{one[0]}. {other[0]}." for one, other in pairs]
    return of_bodies(rng.choice(TOPICS), bodies, {"pairs": pairs})


def _heads(form):
    return lambda text, _rng: re.sub(
        r"^## (.+)$", lambda m: form(m.group(1)), text, flags=re.MULTILINE
    )


def _said_twice(reworded):
    def inject(base, rng):
        places = [
            i for i, ((_, other), _) in enumerate(base.slots["pairs"]) if other or not reworded
        ]
        if not places:
            return None
        place = rng.choice(places)
        (first, other), (second, _) = base.slots["pairs"][place]
        again = other if reworded else first
        bodies = list(base.slots["bodies"])
        bodies[place] = f"{second}. {again}."
        accepted = results(base.inputs["topic"], bodies)
        bodies[place] = f"{first}. {second}. {again}."
        return Injected(outputs=(write(bodies),), accepted=(accepted,))

    return inject


FAULTS = (
    on_text("headings one deeper", "template", _heads(lambda title: f"### {title}")),
    on_text("headings one higher", "template", _heads(lambda title: f"# {title}")),
    on_text("headings in bold", "template", _heads(lambda title: f"**{title}**")),
    on_text("bold inside of headings", "template", _heads(lambda title: f"## **{title}**")),
    on_text("colon after headings", "template", _heads(lambda title: f"## {title}:")),
    on_text("headings numbered", "template", lambda text, _: _numbered(text)),
    on_text("headings without a space", "template", _heads(lambda title: f"##{title}")),
    on_text("headings in capitals", "template", _heads(lambda title: f"## {title.upper()}")),
    on_text("headings indented", "template", _heads(lambda title: f"  ## {title}"), layer=CONTENT),
    on_text("heading misspelt", "template",
            lambda text, _: text.replace("## Findings", "## Fidnings"), layer=CONTENT),
    on_text("brief in a fence", "template", fenced("markdown"), layer=WRAPPER),
    on_text("section missing", "template",
            lambda text, _: re.sub(r"## Risks\n.*\n\n", "", text), determined=False),
    fault("sentence of a section twice", "semantics", layer=CONTENT)(_said_twice(False)),
    fault("sentence of a section in other words", "semantics", layer=CONTENT)(_said_twice(True)),
)  # fmt: skip


def _numbered(text):
    for number, title in enumerate(TITLES, 1):
        text = text.replace(f"## {title}", f"## {number}. {title}")
    return text


def extra(_rng):
    bodies = ["Uses #tags.", "See ## 3 in the plan, and 'Risks'.", "- fire\n- water", "None"]
    yield case_of(SPEC, of_bodies(TOPICS[0], bodies, note="marks of headings in the text"))
    spoken = of_bodies(TOPICS[1], ["a.", "b.", "c.", "d."], note="a title and prose before")
    text = introduced("# Brief\nHere it is.")(spoken.outputs[0], None)
    yield case_of(SPEC, spoken, outputs=(text,))
    same = ["Rent: 900 euros.", "Rent was 800 euros.", "Rent could be 990 euros.", "Pay the rent."]
    yield case_of(SPEC, of_bodies(TOPICS[2], same, note="numbers differ between sections"))
    deeper = ["a", "### Numbers\n12", "### Numbers\n13", "b"]
    yield case_of(SPEC, of_bodies(TOPICS[0], deeper, note="headings below the sections"))
