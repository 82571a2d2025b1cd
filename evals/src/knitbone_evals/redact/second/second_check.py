"""Checks the second set itself and prints how many shapes and texts it has of each kind."""

from __future__ import annotations

import random
import re
from collections import Counter

from second_harmless import harmless
from second_shapes import SHAPES

SEEDS = 30
MARK = re.compile(r"<(?:secret|user|host|db|app|n|hex|guid|day|clock)>")


def main() -> None:
    """Stop at the first mistake, or print the counts."""
    names = Counter(shape.name for shape in SHAPES)
    assert max(names.values()) == 1, names.most_common(3)
    for shape in SHAPES:
        secrets = set()
        for seed in range(SEEDS):
            fragment, secret = shape.make(random.Random(seed))
            assert (fragment, secret) == shape.make(random.Random(seed)), shape.name
            assert len(secret) >= 8, (shape.name, secret)
            assert secret == secret.strip(), (shape.name, secret)
            assert secret in fragment, (shape.name, fragment, secret)
            assert fragment.count(secret) <= 2, (shape.name, fragment)
            assert not MARK.search(fragment), (shape.name, fragment)
            secrets.add(secret)
        assert len(secrets) > SEEDS * 0.8, (shape.name, len(secrets))
    texts = harmless()
    assert len({text.text for text in texts}) == len(texts)
    assert texts == harmless()
    for title, kinds in (
        ("shapes", Counter(shape.kind for shape in SHAPES)),
        ("harmless", Counter(text.kind for text in texts)),
    ):
        counts = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        print(f"{sum(kinds.values())} {title}: {counts}")


if __name__ == "__main__":
    main()
