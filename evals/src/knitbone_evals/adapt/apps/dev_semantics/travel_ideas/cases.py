"""Numbered ideas; an idea comes again, to the letter or in other words."""

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="travel_ideas", half="dev_semantics", domain="task management", function="cards"
)
IDEAS = {
    "Take a boat tour along the canals": ["Go on a canal boat tour", "Tour the canals by boat"],
    "Visit the national art gallery": [
        "Pay a visit to the national art gallery",
        "Go see the National Art Gallery",
    ],
    "Watch the sunset from the castle hill": [
        "Enjoy the sunset from the castle hill",
        "Climb the castle hill to watch the sunset",
    ],
    "Eat grilled sardines at the fish market": [
        "Try the grilled sardines at the fish market",
        "Have grilled sardines at the fish market",
    ],
    "Rent a bike and ride to the lighthouse": [
        "Hire a bike and cycle to the lighthouse",
        "Ride a rented bike to the lighthouse",
    ],
    "Join a free walking tour of the old town": [
        "Take part in a free walking tour through the old town",
        "Explore the old town on a free walking tour",
    ],
    "Browse the Sunday flea market": [
        "Stroll through the flea market on Sunday",
        "Check out the Sunday flea market",
    ],
    "Hear a concert in the cathedral": [
        "Attend a concert at the cathedral",
        "Listen to a concert in the cathedral",
    ],
    "Hike through the pine forest": [
        "Go hiking in the pine forest",
        "Go for a hike through the pine forest",
    ],
    "Swim in the harbour bath": [
        "Take a swim in the harbour bath",
        "Go for a swim at the harbour bath",
    ],
    "Learn to bake custard tarts in a cooking class": [
        "Take a cooking class and learn to bake custard tarts"
    ],
    "Ride the old tram number 28": [],
    "Picnic in the botanical garden": [
        "Have a picnic in the botanical garden",
        "Enjoy a picnic at the botanical garden",
    ],
    "Taste local wine in a cellar": [
        "Sample local wines in a cellar",
        "Try local wine at a cellar",
    ],
    "Book tickets for the puppet theatre": ["Get tickets to the puppet theatre"],
}
CITIES = ("Lisbon", "Utrecht", "Gdansk", "Porto")


def write(items):
    return ("\n".join(f"{n}. {each}" for n, each in enumerate(items, 1)),)


def result(items):
    return [{"rank": n, "text": each} for n, each in enumerate(items, 1)]


def of(city, items, note=""):
    return Base(
        inputs={"city": city},
        outputs=write(items),
        expected=result(items),
        note=note,
        slots={"items": items, "say": write, "result": result, "other": IDEAS},
    )


def base(rng, _pool):
    return of(rng.choice(CITIES), rng.sample(list(IDEAS), rng.randint(4, 8)))


FAULTS = (
    kit.again("idea twice", kit.exact_later),
    kit.again("idea in other words", kit.reworded),
    kit.again("idea in other words next", kit.reworded_next),
    kit.again("two ideas again", kit.two),
    kit.again("idea over and over", kit.run),
    kit.again("list twice, numbered on", kit.whole),
    kit.again("idea in other dress", kit.cosmetic),
)
TRAPS = (
    ["Visit the national art gallery", "Visit the modern art gallery", "Visit the maritime museum"],
    [
        "Take the ferry to the north shore",
        "Take the ferry to the south shore",
        "Take the tram back",
    ],
    ["Have breakfast at Café Rosa", "Have dinner at Café Rosa", "Walk home along the river"],
    ["Ride the tram to Belem", "Walk to Belem along the river", "Cycle to the lighthouse"],
    ["Day 1: explore the old town", "Day 2: explore the old town by night", "Day 3: leave"],
    ["Climb the castle hill at sunrise", "Climb the castle hill at sunset", "Sleep long"],
    ["Watch a film at the open air cinema", "Watch a play at the open air theatre", "Eat late"],
    ["Book tickets for the puppet theatre", "Book a table for two", "Book a guide"],
)


def extra(_rng):
    for items in TRAPS:
        yield case_of(SPEC, of("Lisbon", items, items[0]))
