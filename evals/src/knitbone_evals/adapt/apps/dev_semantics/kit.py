"""Faults that the applications with repetitions share: items said again."""

from knitbone_evals.adapt.faults import Injected, fault


def again(name, change):
    """A fault that says an item once more.

    ``change(items, other, rng)`` gives the faulty items and the lists of items that are as right
    as the clean one, or ``None``. The slots of the base are ``items``; ``say(items)``, the
    outputs; ``result(items)``, what is expected; and, where items have them, ``other``: the same
    in other words, by item.
    """

    def inject(base, rng):
        made = change(list(base.slots["items"]), base.slots.get("other", {}), rng)
        if made is None:
            return None
        faulty, alternatives = made
        accepted = tuple(base.slots["result"](each) for each in alternatives)
        return Injected(outputs=base.slots["say"](faulty), accepted=accepted)

    return fault(name, "semantics", layer=0)(inject)


def _with(items, place, said, where):
    """The items with ``said`` put in at ``where``; right is also to keep it for the one at
    ``place``."""
    faulty = [*items[:where], said, *items[where:]]
    without = [*items[:place], *items[place + 1 : where], said, *items[where:]]
    return faulty, [without]


def _drawn(items, other, rng):
    """The place of an item that has other words, and these; or ``None``."""
    places = [place for place, each in enumerate(items) if other.get(each)]
    if not places:
        return None
    place = rng.choice(places)
    return place, rng.choice(other[items[place]])


def exact_later(items, _other, rng):
    """An item again at the end."""
    place = rng.randrange(len(items) - 1)
    return _with(items, place, items[place], len(items))


def exact_next(items, _other, rng):
    """An item twice in a row."""
    place = rng.randrange(len(items))
    return _with(items, place, items[place], place + 1)


def reworded(items, other, rng):
    """An item again in other words, anywhere behind it."""
    drawn = _drawn(items, other, rng)
    if drawn is None:
        return None
    place, said = drawn
    return _with(items, place, said, rng.randrange(place + 1, len(items) + 1))


def reworded_next(items, other, rng):
    """An item again in other words, right behind it."""
    drawn = _drawn(items, other, rng)
    if drawn is None:
        return None
    place, said = drawn
    return _with(items, place, said, place + 1)


def led(*leads):
    """An item again at the end, in other words behind a lead-in."""

    def change(items, other, rng):
        drawn = _drawn(items, other, rng)
        if drawn is None:
            return None
        place, said = drawn
        said = f"{rng.choice(leads)} {said[0].lower()}{said[1:]}"
        return _with(items, place, said, len(items))

    return change


def run(items, _other, rng):
    """An item three to six times in a row."""
    place = rng.randrange(len(items))
    return [*items[:place], *[items[place]] * rng.randint(3, 6), *items[place + 1 :]], []


def two(items, other, rng):
    """Two items again: one to the letter, one in other words."""
    places = [place for place, each in enumerate(items) if other.get(each)]
    if not places:
        return None
    place = rng.choice(places)
    second = rng.choice([i for i in range(len(items)) if i != place])
    said = rng.choice(other[items[place]])

    def without(*dropped):
        return [each for i, each in enumerate(items) if i not in dropped]

    return [*items, items[second], said], [
        [*without(place, second), items[second], said],
        [*without(place), said],
        [*without(second), items[second]],
    ]


def whole(items, _other, _rng):
    """All items twice."""
    return [*items, *items], []


def cosmetic(items, _other, rng):
    """An item again at the end in another dress: letters, marks."""
    place = rng.randrange(len(items) - 1)
    said = items[place]
    plain = said.rstrip(".")
    said = rng.choice((plain.lower(), said.upper(), plain + "!", "**" + said + "**"))
    return _with(items, place, said, len(items))
