"""Two or three replies with the same headings and marks."""

import re

from knitbone_evals.adapt.apps.dev_lexical.common import of_turn, one_bullet, replaced, spec
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = spec("travel_session", "conversation")
FIRST = (
    "Plan two days in Porto for us, please.",
    "We want to spend a weekend in Porto. Ideas?",
    "Porto with two kids, what can we do?",
)
SECOND = ("And a third day?", "What if it rains?", "Now one day for Braga.")
THIRD = ("And the evening?", "What do we pack?")
DAYS = (
    "Morning",
    "Afternoon",
    "Evening",
    "Food",
    "Getting around",
    "Rainy hours",
    "Costs",
    "Packing",
    "With children",
)
ITEMS = (
    "Cross the upper bridge on foot",
    "Take the tram to the sea",
    "Visit the market hall",
    "Taste port in a cellar",
    "Climb the tower of the clerics",
    "Have lunch by the river",
    "See the tiled station",
    "Rent bicycles at the beach",
    "Walk through the crystal gardens",
    "Book the bookshop online",
    "Buy a ticket for three zones",
    "Pack a light raincoat",
    "Ride the cable car",
    "Try the cod cakes",
    "Watch the sunset from the monastery",
    "Bring comfortable shoes",
    "Look at the fishing boats",
    "Listen to some fado",
)


def of(turns, replies, slots=None, note=""):
    return Base(
        inputs={"turns": list(turns)},
        outputs=tuple(replies),
        expected=[
            {"role": "assistant", "markdown": reply, "lines": reply.count("\n") + 1}
            for reply in replies
        ],
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    head = rng.choice(("## {}", "### {}", "**{}**", "**{}:**", None))
    mark = rng.choice(("- ", "* ", "n. ", "n) "))
    titles, items = rng.sample(DAYS, 6), rng.sample(ITEMS, 18)

    def reply(turn):
        out = []
        for part in range(2):
            mine = items[6 * turn + 3 * part : 6 * turn + 3 * part + 3]
            lines = "\n".join(
                (f"{number}{mark[1:]}" if mark[0] == "n" else mark) + item
                for number, item in enumerate(mine, 1)
            )
            if head:
                out.append(
                    head.format(titles[2 * turn + part])
                    + "\n"
                    + ("\n" if head.startswith("*") else "")
                    + lines
                )
            else:
                out.append(lines)
                break
        return "\n\n".join(out)

    count = rng.choice((2, 3))
    turns = [rng.choice(FIRST), rng.choice(SECOND), rng.choice(THIRD)][:count]
    return of(turns, [reply(turn) for turn in range(count)], {"head": head, "mark": mark})


def heads(form, only=("## {}", "### {}", "**{}**")):
    def change(text, base, _rng):
        head = base.slots["head"]
        if head not in only or head == form:
            return None
        pattern = "^" + re.escape(head).replace(r"\{\}", "(.+)") + "$"
        return re.sub(pattern, lambda match: form.format(match.group(1)), text, flags=re.MULTILINE)

    return change


def marks(new):
    def change(text, base, _rng):
        mark = base.slots["mark"]
        if mark == new:
            return None
        if mark[0] == "n":
            if new[0] != "n":
                return None
            return re.sub(
                r"^(\d)" + re.escape(mark[1:]),
                lambda match: match.group(1) + new[1:],
                text,
                flags=re.MULTILINE,
            )
        if new[0] == "n":
            return None
        return re.sub("^" + re.escape(mark), new, text, flags=re.MULTILINE)

    return change


def one_mark(new):
    def change(text, base, rng):
        mark = base.slots["mark"]
        return None if mark[0] == "n" else one_bullet(new, mark)(text, base, rng)

    return change


def one_head(form):
    def change(text, base, _rng):
        head = base.slots["head"]
        if head is None or head == form:
            return None
        pattern = "^" + re.escape(head).replace(r"\{\}", "(.+)") + "$"
        match = list(re.finditer(pattern, text, flags=re.MULTILINE))[-1]
        return text[: match.start()] + form.format(match.group(1)) + text[match.end() :]

    return change


def later(name, change):
    def inject(base, rng):
        turn = rng.randrange(1, len(base.outputs))
        outputs = replaced(base, turn, change(base.outputs[turn], base, rng))
        return None if outputs is None else Injected(outputs=outputs)

    return fault(name, "lexical")(inject)


FAULTS = (
    later("later headings bold", heads("**{}**", ("## {}", "### {}"))),
    later("later headings one deeper", heads("### {}", ("## {}",))),
    later("later headings hashed", heads("## {}", ("**{}**",))),
    of_turn(
        "one heading bold",
        0,
        lambda text, base, rng: (
            one_head("**{}**")(text, base, rng)
            if (base.slots["head"] or "").startswith("#")
            else None
        ),
    ),
    of_turn(
        "one heading deeper",
        0,
        lambda text, base, rng: (
            one_head("### {}")(text, base, rng) if base.slots["head"] == "## {}" else None
        ),
    ),
    later("later dots", marks("• ")),
    later("later stars or dashes", marks("* ")),
    later("later plus", marks("+ ")),
    later("later n) or n.", marks("n) ")),
    later("later n.", marks("n. ")),
    of_turn("one dot", None, one_mark("• ")),
    of_turn("one dash of another length", None, one_mark("\u2013 ")),
    of_turn("one star", None, one_mark("* ")),
    of_turn(
        "heading in Spanish and text",
        1,
        lambda text, _base, _rng: (
            text + "\n\nNo olvides reservar la mesa con antelación, sobre todo los fines de semana."
        ),
        determined=False,
    ),
)
TRAPS = (
    (
        "user wants numbers now",
        ["Ideas for Porto?", "Number them please."],
        ["- Cross the bridge\n- See the station", "1. Cross the bridge\n2. See the station"],
    ),
    (
        "user wants a table and stars",
        ["Ideas for Porto?", "Use * as bullets from now on."],
        ["- Cross the bridge\n- See the station", "* Taste port\n* Ride the tram"],
    ),
    (
        "steps in second",
        ["Ideas for Porto?", "How do I buy the ticket?"],
        ["- Cross the bridge\n- See the station", "1. Open the app\n2. Choose three zones\n3. Pay"],
    ),
    (
        "sub lists",
        ["Ideas for Porto?"],
        ["- Bridge\n    - upper\n    - lower\n- Station\n    - tiles"],
    ),
    (
        "dialogue dashes",
        ["Write a short scene in Porto"],
        ["\u2013 Where is the station?\n\u2013 Behind you.\n\nThey laughed."],
    ),
    (
        "level two and three",
        ["Ideas for Porto?"],
        [
            (
                "## Day 1\n"
                "### Morning\n"
                "- Bridge\n\n"
                "### Evening\n"
                "- Fado\n\n"
                "## Day 2\n"
                "### Morning\n"
                "- Braga"
            )
        ],
    ),
    (
        "only subheads later",
        ["Ideas for Porto?", "More on the evening"],
        [
            "## Day 1\n### Morning\n- Bridge\n### Evening\n- Fado",
            "### Evening\n- Fado at nine\n- Dinner at eleven",
        ],
    ),
)


def extra(_rng):
    for note, turns, replies in TRAPS:
        yield case_of(SPEC, of(turns, replies, note=note))
