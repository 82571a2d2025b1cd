"""Checks of the third set; prints the counts by kind. Run: python3 third_check.py"""

from __future__ import annotations

import collections
import random

from third_harmless import harmless
from third_shapes import SHAPES, SPARE

_SHORT = {"alarm-code-note", "sms-one-time-code"}
_SEEDS = 60


def check_shapes() -> None:
    assert len(SHAPES) == 110, len(SHAPES)
    names = [shape.name for shape in SHAPES + SPARE]
    assert len(set(names)) == len(names), [
        n for n, c in collections.Counter(names).items() if c > 1
    ]
    for shape in SHAPES + SPARE:
        secrets, texts = set(), set()
        for seed in range(_SEEDS):
            text, secret = shape.make(random.Random(seed))
            assert (text, secret) == shape.make(random.Random(seed)), (
                f"{shape.name}: differs for seed {seed}"
            )
            assert 1 <= text.count(secret) <= 2, (shape.name, seed, text.count(secret))
            assert len(secret) >= (6 if shape.name in _SHORT else 8), (shape.name, secret)
            assert secret == secret.strip() and text.strip(), shape.name
            assert text != secret, f"{shape.name}: nothing but the secret"
            secrets.add(secret)
            texts.add(text)
        assert len(secrets) > _SEEDS * 0.8, (shape.name, len(secrets))
        assert len(texts) > _SEEDS * 0.9, (shape.name, len(texts))


def check_harmless() -> None:
    texts = harmless()
    assert texts == harmless()
    assert len(texts) == 600, len(texts)
    twice = [
        t for t, count in collections.Counter(text.text for text in texts).items() if count > 1
    ]
    assert not twice, twice
    assert sum(text.kind.startswith("hand") for text in texts) >= 350
    assert all(text.text.strip() for text in texts)


def main() -> None:
    check_shapes()
    check_harmless()
    for title, kinds in (
        ("shapes", [s.kind for s in SHAPES]),
        ("spare shapes", [s.kind for s in SPARE]),
        ("harmless", [t.kind for t in harmless()]),
    ):
        print(f"{title}: {len(kinds)}")
        for kind, count in sorted(collections.Counter(kinds).items()):
            print(f"  {kind:<26} {count}")


if __name__ == "__main__":
    main()
