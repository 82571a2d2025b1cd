"""Secrets that are left and harmless texts that are touched: ``python -m knitbone_evals.redact``.

Shapes of secrets in carriers, and harmless texts, by an author who read no rule
(``corpus/README.md``). A shape is *in clear* if in any of its carriers, with any seed, its secret
can still be read after all encodings are undone. A harmless text is *touched* if one character of
it differs. ``--tool`` names what cleans; the others need their own packages.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).with_name("sets.zip")
"""The sets' modules, as their authors wrote them (``knitbone_evals.archives``)."""
sys.path[:0] = [str(PROGRAMS / name) for name in ("corpus", "second", "third", "fourth")]

from carriers import CARRIERS  # noqa: E402  # pyright: ignore[reportMissingImports]
from fourth_harmless import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    harmless as fourth_harmless,
)
from fourth_shapes import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    EXTRA as FOURTH_EXTRA,
)
from fourth_shapes import SHAPES as FOURTH_SHAPES  # noqa: E402
from fourth_shapes import SPARE as FOURTH_SPARE  # noqa: E402
from harmless import answers, harmless  # noqa: E402  # pyright: ignore[reportMissingImports]
from second_harmless import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    harmless as second_harmless,
)
from second_shapes import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    SHAPES as SECOND_SHAPES,
)
from shapes import SHAPES  # noqa: E402  # pyright: ignore[reportMissingImports]
from third_harmless import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    harmless as third_harmless,
)
from third_shapes import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    SHAPES as THIRD_SHAPES,
)
from third_shapes import SPARE  # noqa: E402  # pyright: ignore[reportMissingImports]

from knitbone_evals.paths import RESULTS, write_result  # noqa: E402, write_result
from knitbone_evals.redact.peers import CLEANERS, Cleaner  # noqa: E402

SETS: dict[str, tuple[Any, Any]] = {
    "first": (SHAPES, harmless),
    "second": (SECOND_SHAPES, second_harmless),
    "third": (THIRD_SHAPES, third_harmless),
    "spare": (SPARE, third_harmless),
    "fourth": (FOURTH_SHAPES, fourth_harmless),
    "fourth_spare": (FOURTH_SPARE, fourth_harmless),
    "fourth_extra": (FOURTH_EXTRA, fourth_harmless),
}
"""Shapes and harmless texts, by four authors who read no rule; ``spare`` is of the third."""


def leaks(clean: Cleaner, seeds: int, kinds: Any) -> tuple[Counter[str], Counter[str], list[str]]:
    """How often each shape and each carrier revealed its secret, and which pairs did."""
    shapes: Counter[str] = Counter()
    carriers: Counter[str] = Counter()
    pairs: list[str] = []
    for shape in kinds:
        for seed in range(seeds):
            text, secret = shape.make(random.Random(f"{shape.name}{seed}"))
            for carrier in CARRIERS:
                kept = clean(carrier.wrap(text))
                if carrier.reveals(kept, secret):
                    shapes[shape.name] += 1
                    carriers[carrier.name] += 1
                    pairs.append(
                        f"{shape.name} in {carrier.name}: {secret!r} of {text!r}: {kept!r}"
                    )
    return shapes, carriers, pairs


def touched(clean: Cleaner, texts: list[Any]) -> tuple[int, Counter[str], list[str]]:
    """How many harmless texts there are, how many of each kind are touched, and which."""
    kinds: Counter[str] = Counter()
    shown: list[str] = []
    for text in texts:
        kept = clean(text.text)
        if kept != text.text:
            kinds[text.kind] += 1
            shown.append(f"{text.kind}: {text.text!r}: {kept!r}")
    return len(texts), kinds, shown


def measure(
    name: str, chosen: str, seeds: int, data: Path | None, verbose: Path | None
) -> dict[str, Any]:
    """The figures of one tool on one set."""
    clean = CLEANERS[name]()
    shapes_of_set, harmless_of_set = SETS[chosen]
    began = time.perf_counter()
    shapes, carriers, pairs = leaks(clean, seeds, shapes_of_set)
    count, kinds, shown = touched(clean, harmless_of_set() + (answers(data) if data else []))
    if verbose is not None:
        verbose.write_text("\n".join([*pairs, "", *shown]), encoding="utf-8")
    tried = len(shapes_of_set) * len(CARRIERS) * seeds
    return {
        "tool": name,
        "set": chosen,
        "seeds": seeds,
        "shapes": len(shapes_of_set),
        "carriers": len(CARRIERS),
        "shapes_in_clear": len(shapes),
        "shapes_in_clear_in_half_of_the_carriers": sum(
            times * 2 >= len(CARRIERS) * seeds for times in shapes.values()
        ),
        "values": tried,
        "values_in_clear": sum(shapes.values()),
        "by_shape": dict(shapes.most_common()),
        "by_carrier": dict(carriers.most_common()),
        "harmless": count,
        "harmless_touched": sum(kinds.values()),
        "by_kind": dict(kinds.most_common()),
        "seconds": round(time.perf_counter() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", choices=list(CLEANERS), default="knitbone")
    parser.add_argument("--set", choices=list(SETS), default="first")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="folder of answers, one *.jsonl a model")
    parser.add_argument("--verbose", type=Path, help="file for every leak and every touched text")
    parser.add_argument("--write", help="name of the result among evals/results")
    options = parser.parse_args()
    result = measure(options.tool, options.set, options.seeds, options.data, options.verbose)
    if options.write:
        path = RESULTS / f"{options.write}.json"
        write_result(path, result)
    for name in ("by_shape", "by_carrier", "by_kind"):
        result[name] = dict(list(result[name].items())[:40])
    print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
