"""Check the corpus itself: `python check.py` prints its counts, or fails where it is at fault."""

from __future__ import annotations

import argparse
import random
from collections import Counter

from carriers import CARRIERS
from harmless import harmless
from shapes import SHAPES, Shape

LEAST_SHAPES = 120
LEAST_TEXTS = 3000
LEAST_KINDS = 40


def check_shapes(seeds: int) -> None:
    """Each shape gives a text that holds its secret, the same one for the same seed."""
    assert len(SHAPES) >= LEAST_SHAPES
    assert max(Counter(shape.name for shape in SHAPES).values()) == 1
    for shape in SHAPES:
        pairs = [shape.make(random.Random(seed)) for seed in range(seeds)]
        assert pairs == [shape.make(random.Random(seed)) for seed in range(seeds)], shape.name
        assert len({secret for _, secret in pairs}) > seeds * 0.9, shape.name
        for text, secret in pairs:
            assert len(secret) >= 7, (shape.name, text)
            assert secret in text, (shape.name, text)
            assert secret not in text.replace(secret, "[removed]"), (shape.name, text)


def check_carriers(seeds: int) -> None:
    """Each carrier reveals a secret that it holds, and none that was removed beforehand."""
    assert max(Counter(carrier.name for carrier in CARRIERS).values()) == 1
    for shape in SHAPES:
        for seed in range(seeds):
            check_pair(shape, seed)


def check_pair(shape: Shape, seed: int) -> None:
    """The secret of one text can be read in every carrier, and cannot once it is removed."""
    text, secret = shape.make(random.Random(seed))
    removed = text.replace(secret, "[removed]")
    for carrier in CARRIERS:
        fault = (shape.name, carrier.name, text)
        assert carrier.reveals(carrier.wrap(text), secret), fault
        if seed < 3:  # reading everything takes time
            assert not carrier.reveals(carrier.wrap(removed), secret), fault


def check_texts() -> Counter[str]:
    """The harmless texts are many, of many kinds, and all different."""
    texts = harmless()
    kinds = Counter(text.kind for text in texts)
    repeated = [text for text, times in Counter(item.text for item in texts).items() if times > 1]
    assert not repeated, repeated[:10]
    assert all(item.text.strip() for item in texts)
    assert len(texts) >= LEAST_TEXTS, len(texts)
    assert len(kinds) >= LEAST_KINDS
    return kinds


def main() -> None:
    """Check everything and print the counts by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    seeds = parser.parse_args().seeds
    check_shapes(seeds)
    check_carriers(seeds)
    kinds = check_texts()
    print(f"{len(SHAPES)} shapes:", dict(Counter(shape.kind for shape in SHAPES)))
    print(f"{len(CARRIERS)} carriers")
    print(f"{sum(kinds.values())} harmless texts of {len(kinds)} kinds:", dict(kinds))


if __name__ == "__main__":
    main()
