"""Stops of a walk as XML."""

from xml.sax.saxutils import escape, quoteattr

from knitbone_evals.adapt.apps.dev_structured.kit import replaced, wrapped
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import THINKING

SPEC = AppSpec(name="tour_xml", half="dev_structured", domain="conversation", function="tour")


def draw(rng):
    return {
        "city": rng.choice(("Lyon", "Bath", "Köln")),
        "stops": [
            {
                "kind": rng.choice(("museum", "park", "food", "view")),
                "name": name,
                "lat": round(rng.uniform(40, 55), 4),
                "lon": round(rng.uniform(-4, 9), 4),
                "minutes": rng.randint(10, 90),
            }
            for name in rng.sample(
                ("Old Bridge", "Smith & Sons Bakery", "Musée d'Art", "Hill View", "Fish < Chips"),
                rng.randint(1, 4),
            )
        ],
    }


def write_stop(stop):
    return (
        f'  <stop kind="{stop["kind"]}">\n'
        f"    <name>{escape(stop['name'])}</name>\n"
        f"    <lat>{stop['lat']}</lat>\n"
        f"    <lon>{stop['lon']}</lon>\n"
        f"    <minutes>{stop['minutes']}</minutes>\n"
        "  </stop>\n"
    )


def write(walk):
    stops = "".join(map(write_stop, walk["stops"]))
    return f"<tour city={quoteattr(walk['city'])}>\n{stops}</tour>"


def of(walk, note="", text=None):
    return Base(
        inputs={"city": walk["city"], "hours": 3},
        outputs=(text or write(walk),),
        expected={
            "city": walk["city"],
            "north": max((stop["lat"] for stop in walk["stops"]), default=None),
            "stops": [[stop["name"], stop["kind"], stop["lon"]] for stop in walk["stops"]],
            "total": sum(stop["minutes"] for stop in walk["stops"]),
        },
        note=note,
    )


def base(rng, _pool):
    return of(draw(rng))


FAULTS = (
    THINKING,
    wrapped("fence", "```xml\n", "\n```"),
    wrapped("intro fence outro", "Here is your walk:\n\n```xml\n", "\n```\n\nEnjoy the city!"),
    wrapped("intro", "Here's a lovely walk for you:\n"),
    wrapped("outro", "", "\n\nDon't forget good shoes & water!"),
    replaced("ampersand", r"&amp;", "&", defect="syntax", count=0),
    replaced("less than", r"&lt;", "<", defect="syntax", count=0, determined=False, tolerated=True),
    replaced(
        "kind capital",
        r'kind="(\w)(\w+)"',
        lambda match: f'kind="{match[1].upper()}{match[2]}"',
        count=0,
    ),
    replaced("kind unknown", r'kind="\w+"', 'kind="market"', determined=False),
    replaced("kind joined", r'kind="\w+"', 'kind="museum|park"', determined=False),
    replaced("minutes with unit", r"<minutes>(\d+)<", r"<minutes>\1 min<"),
    replaced("minutes with unit all", r"<minutes>(\d+)<", r"<minutes>\1 minutes<", count=0),
    replaced("degree", r"<lat>([\d.]+)<", r"<lat>\1°<"),
    replaced("degree north", r"<lat>([\d.]+)<", r"<lat>\1° N<", determined=False, tolerated=True),
    replaced(
        "tags capital",
        r"(</?)(name|lat|lon|minutes)>",
        lambda match: match[1] + match[2].capitalize() + ">",
        count=0,
    ),
    replaced("tag not closed", r"</lat>", "", defect="syntax"),
    replaced("closed with another", r"</name>", "</nam>", defect="syntax"),
    replaced("stop not closed", r"\n  </stop>(?=\n  <stop|\n</tour>)", "", defect="syntax"),
    replaced("root lost", r"\n</tour>\Z", "", defect="syntax"),
    replaced("attribute single lost", r'kind="(\w+)"', r"kind=\1", defect="syntax", count=0),
    replaced(
        "kind as element",
        r'<stop kind="(\w+)">',
        r"<stop><kind>\1</kind>",
        determined=False,
        tolerated=True,
    ),
    replaced("lat missing", r" *<lat>.*</lat>\n", "", determined=False),
    replaced(
        "cut off",
        r"(?s)<minutes>\d(?!.*<minutes>).*",
        "<minutes>",
        defect="syntax",
        determined=False,
    ),
    replaced("tag misspelt", r"<minutes>(\d+)</minutes>", r"<minuts>\1</minuts>"),
    on_text("wrapped in answer", "template", lambda text, _: f"<answer>\n{text}\n</answer>"),
)


def extra(rng):
    walk = draw(rng)
    yield case_of(SPEC, of(walk, "declaration", text='<?xml version="1.0"?>\n' + write(walk)))
    walk = draw(rng)
    yield case_of(
        SPEC, of(walk, "comment", text=write(walk).replace("<stop", "<!-- a stop --><stop", 1))
    )
    walk = draw(rng)
    walk["stops"][0]["minutes"] = 30
    yield case_of(
        SPEC,
        of(
            walk, "minutes left out", text=write(walk).replace("    <minutes>30</minutes>\n", "", 1)
        ),
    )
    walk = draw(rng)
    walk["stops"][0]["name"] = "The Museum, 30 min, Park"
    yield case_of(SPEC, of(walk, "words of values in the name"))
    walk = draw(rng)
    walk["stops"] = []
    yield case_of(SPEC, of(walk, "no stops"))
    walk = draw(rng)
    yield case_of(
        SPEC,
        of(
            walk,
            "cdata",
            text=write(walk).replace(
                "<name>" + escape(walk["stops"][0]["name"]),
                "<name><![CDATA[" + walk["stops"][0]["name"] + "]]>",
            ),
        ),
    )
    walk = draw(rng)
    yield case_of(
        SPEC,
        of(
            walk,
            "further elements",
            text=write(walk).replace("</stop>", "<tip>Closed on Mondays</tip></stop>"),
        ),
    )
    walk = draw(rng)
    yield case_of(
        SPEC,
        of(
            walk,
            "white space",
            text=write(walk).replace("<lat>", "<lat> ").replace("</lon>", "\n</lon>"),
        ),
    )
