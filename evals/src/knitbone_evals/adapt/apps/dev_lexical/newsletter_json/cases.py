"""British spelling inside of JSON."""

import json

from knitbone_evals.adapt.apps.dev_lexical.common import flip_one, replaced, spec
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.faults import Injected, fault
from knitbone_evals.adapt.pools import varied

SPEC = spec("newsletter_json", "newsletter", "task management")
SENTENCES = (
    "Four hundred visitors came to the opening.",
    "The artist prefers gr[e|a]y tones and bold colo[u|]rs.",
    "We have organi[s|z]ed a talk on Friday.",
    "Children will find a room of their own.",
    "The harbo[u|]r scenes were painted in winter.",
    "Our favo[u|]rite piece hangs next to the stairs.",
    "The catalog[ue|] can be bought at the desk.",
    "Critics have recogni[s|z]ed the show as a turning point.",
    "A sculpture of bronze greets you at the door.",
    "The theat[re|er] next door lends us its stage.",
    "Bring a friend and pay for one.",
    "Paintings once label[l|]ed as copies turned out to be real.",
)
SUBJECTS = ("Colo[u|]r comes to town", "The new season", "Winter light", "An evening in gr[e|a]y")


def of(topic, text, slots=None, note=""):
    said = json.loads(text)
    shown = {"subject": said["subject"], "body": said["body"], "style": {"color": said["color"]}}
    return Base(
        inputs={"topic": topic},
        outputs=(text,),
        expected=None if said["status"] == "canceled" else shown,
        slots=slots or {},
        note=note,
    )


def written(subject, body, status="draft"):
    said = {"subject": subject, "body": body, "color": "#aa3311", "status": status}
    return json.dumps(said, indent=2, ensure_ascii=False)


def base(rng, _pool):
    body = " ".join(rng.sample(SENTENCES, 5))
    subject = rng.choice(SUBJECTS)
    return of(
        rng.choice(("winter", "bronze", "harbour")),
        written(
            varied(subject, "uk"), varied(body, "uk"), "draft" if rng.random() < 0.9 else "canceled"
        ),
        {"body": body, "subject": subject},
    )


def in_text(name, change, determined=True):
    def inject(base, rng):
        said = json.loads(base.outputs[0])
        if said["status"] == "canceled":
            return None
        said.update(change(base, said, rng))
        outputs = replaced(base, 0, json.dumps(said, indent=2, ensure_ascii=False))
        return None if outputs is None else Injected(outputs=outputs, determined=determined)

    return fault(name, "lexical", determined=determined)(inject)


def _one_american(base, _said, rng):
    body = flip_one(base.slots["body"], "uk", rng)
    return {} if body is None else {"body": body}


FAULTS = (
    in_text("one American word", _one_american),
    in_text(
        "all American",
        lambda base, _data, _rng: {
            "body": varied(base.slots["body"], "us"),
            "subject": varied(base.slots["subject"], "us"),
        },
    ),
    in_text(
        "American subject",
        lambda base, _data, _rng: {"subject": varied(base.slots["subject"], "us")},
    ),
    in_text(
        "foreign sentence in body",
        lambda _base, data, rng: {
            "body": data["body"]
            + " "
            + rng.choice(
                (
                    "Der Eintritt ist am ersten Sonntag frei.",
                    "L'entrée est gratuite le premier dimanche du mois.",
                    "入场免费\uff0c欢迎光临。",
                )
            )
        },
        determined=False,
    ),
    in_text(
        "body in another language",
        lambda _base, _data, rng: {
            "body": rng.choice(
                (
                    (
                        "Vierhundert Besucher kamen zur Eröffnung. Am Freitag gibt es einen "
                        "Vortrag über die Bilder."
                    ),
                    (
                        "Quatre cents visiteurs sont venus au vernissage. Vendredi, il y aura une "
                        "conférence sur les tableaux."
                    ),
                )
            )
        },
        determined=False,
    ),
    in_text(
        "a word of another script",
        lambda _base, data, rng: {
            "body": data["body"].replace(" ", rng.choice((" 非常 ", " очень ")), 2)
        },
        determined=False,
    ),
)
TRAPS = (
    (
        "canceled is what the code asks for",
        written("No show", "The colour show is off.", status="canceled"),
    ),
    (
        "names of works",
        written(
            "The Color Field",
            (
                "“Gray Harbor (Color Study No. 4)” by Ellsworth Kelly comes from the Center "
                "for the Arts."
            ),
        ),
    ),
    ("link", written("News", "Read more at https://gallery.example/color/catalog?center=1.")),
    (
        "title of a painting",
        written(
            "News",
            "“La liberté guidant le peuple” and “Das Mädchen mit dem Perlenohrring” are on loan.",
        ),
    ),
    ("artist", written("News", "Spencer Gray and Laura Harbor speak on Friday.")),
)


def extra(_rng):
    for note, text in TRAPS:
        yield case_of(SPEC, of("winter", text, note=note))
