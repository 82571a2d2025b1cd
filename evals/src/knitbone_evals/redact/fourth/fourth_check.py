"""Checks of the fourth set; prints the counts by kind. Run: python3 fourth_check.py"""

from __future__ import annotations

import collections
import random

from fourth_harmless import harmless
from fourth_shapes import EXTRA, SHAPES, SPARE

# codes and PINs are as short as they are
_SHORT = {"bank-pin-note": 4, "otp-code-in-chat": 6, "totp-mail-subject": 6}
_SEEDS = 80


def check_shapes() -> None:
    every = SHAPES + SPARE + EXTRA
    names = collections.Counter(shape.name for shape in every)
    assert len(SHAPES) == 100, len(SHAPES)
    assert len(SPARE) == 100, len(SPARE)
    assert max(names.values()) == 1, names.most_common(3)
    for shape in every:
        secrets, texts = set(), set()
        for seed in range(_SEEDS):
            text, secret = shape.make(random.Random(seed))
            where = (shape.name, seed, secret)
            assert (text, secret) == shape.make(random.Random(seed)), where
            assert 1 <= text.count(secret) <= 2, where
            assert len(secret) >= _SHORT.get(shape.name, 8), where
            assert secret == secret.strip(), where
            assert len(text.strip()) > len(secret) + 10, where
            assert "<<S>>" not in text, where
            secrets.add(secret)
            texts.add(text)
        assert len(secrets) > _SEEDS * 0.9, (shape.name, len(secrets))
        assert len(texts) > _SEEDS * 0.95, (shape.name, len(texts))


def check_harmless() -> None:
    texts = harmless()
    assert texts == harmless()
    assert len(texts) == 600, len(texts)
    twice = [t for t, n in collections.Counter(text.text for text in texts).items() if n > 1]
    assert not twice, twice
    assert sum(text.kind.startswith("hand") for text in texts) >= 400
    assert all(text.text.strip() for text in texts)


def main() -> None:
    check_shapes()
    check_harmless()
    for title, group in (
        ("shapes", SHAPES),
        ("spare shapes", SPARE),
        ("extra shapes", EXTRA),
        ("harmless", harmless()),
    ):
        print(f"{title}: {len(group)}")
        for kind, count in sorted(collections.Counter(each.kind for each in group).items()):
            print(f"  {kind:<26} {count}")


if __name__ == "__main__":
    main()
