"""The cases of the adapt benchmark: an application, what its model says, and the right result.

A case is one call of one application. ``outputs`` is what adapt may change: the model's answers in
order, or, for retrievers and splitters, the entries that are found and the text that is cut.
``expected`` is what the application must give back, or ``"unchanged"`` where the answer alone does
not tell: there the right outcome is whatever the application does with the raw output.

An application is a folder ``apps/<half>/<name>`` with

- ``app.py``: the program, which knows nothing of this benchmark; its clients read address and key
  from ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``, ``ANTHROPIC_BASE_URL``, ``ANTHROPIC_API_KEY``;
- ``cases.py``: ``SPEC``, ``base(rng, pool)`` (a conforming answer of slots, with its result),
  ``FAULTS`` (what can happen to it), optionally ``extra(rng)`` (further cases: traps, where no
  change is right, and faults that need a base of their own) and ``USES_SENTENCES = True`` (its
  free text may come from real answers).

``bare.py`` runs a case without adapt. Expected results are built from the slots, never by running
the application: that both agree on clean outputs is tested.
"""

from __future__ import annotations

import importlib
import itertools
import random
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec

from knitbone_evals.adapt.pools import Pool, Source, constructed, real

__all__ = [
    "DEFECTS",
    "UNCHANGED",
    "AppSpec",
    "Base",
    "Case",
    "app_module",
    "case_of",
    "conforming",
    "generate",
    "specs",
]

APPS = Path(__file__).with_name("apps")
UNCHANGED = "unchanged"
DEFECTS = (
    "template",
    "segmentation",
    "context",
    "syntax",
    "lexical",
    "behaviour",
    "semantics",
)
"""Comfrey's Table 2, in its order."""
_SINGLES = {"behaviour": 12, "context": 16, "semantics": 8, "lexical": 9}
"""Cases of each fault, by kind; the kinds with few faults and few applications have more each."""
_SINGLE, _PAIRS, _CLEAN, _CONFORMING = 3, 6, 12, 155
"""Cases of each fault of another kind; for each application: of two faults at once, without any;
for harm alone."""

Domain = Literal["conversation", "task management", "program synthesis", "context QA"]
Kind = Literal["chat", "retriever", "splitter", "tools"]


class AppSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a runner must know of an application."""

    name: str
    half: Literal["seen", "unseen", "natural"]
    domain: Domain
    function: str
    """In the app's ``app.py``; called with the case's ``inputs`` as keywords."""
    kind: Kind = "chat"
    feeds: str | None = None
    """Keyword that takes the outputs where they are not the model's: a list of entries
    (retriever), the one text (splitter)."""
    reply: str = "Noted."
    """What the model says to every request where the outputs are not the model's."""
    compare: Literal["exact", "text"] = "exact"
    """``text``: every run of white space counts as one space, in every string of the result."""
    counted: tuple[str, ...] = ()
    """Functions of ``app.py`` (the tools) whose real executions are part of the result:
    ``{"value": ..., "calls": {name: how often}}``. Each case is one session: what a runner
    remembers of the calls of one case must not serve the next."""

    @property
    def folder(self) -> Path:
        """Where the application lies."""
        return APPS / self.half / self.name

    @property
    def module(self) -> str:
        """The application's module, importable from the repository's root."""
        return f"knitbone_evals.adapt.apps.{self.half}.{self.name}.app"

    @property
    def entry(self) -> str:
        """``module:function``."""
        return f"{self.module}:{self.function}"


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """A conforming call, before anything is done to it."""

    inputs: dict[str, Any]
    outputs: tuple[Any, ...]
    """A text; ``{"text": ..., "tool_calls": [{"name": ..., "arguments": "<JSON text>"}]}``; for a
    retriever ``{"text": ..., "source": ...}``."""
    expected: Any
    slots: dict[str, Any] = {}
    """Parts of the answer by name, for faults that must know them."""
    source: Source = "constructed"
    note: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One call of one application."""

    id: str
    app: str
    half: Literal["seen", "unseen", "natural"] = "unseen"
    domain: Domain
    defects: tuple[str, ...] = ()
    """Empty: the output conforms, and must arrive as it is."""
    faults: tuple[str, ...] = ()
    source: Source = "constructed"
    inputs: dict[str, Any]
    outputs: tuple[Any, ...]
    expected: Any
    accepted: tuple[Any, ...] = ()
    """Further right results (which of two duplicates goes is not for the benchmark to say)."""
    repairable: bool = False
    """The right result follows from the output (and the app's code) alone."""
    note: str = ""


def app_module(half: str, name: str, part: str = "cases") -> ModuleType:
    """A module beside an application: its ``cases`` or its ``oracle``."""
    return importlib.import_module(f"knitbone_evals.adapt.apps.{half}.{name}.{part}")


def specs(half: str = "unseen", app: str | None = None) -> list[AppSpec]:
    """The applications of a half, by name; or the one of this name."""
    return [
        app_module(half, folder.parent.name).SPEC
        for folder in sorted((APPS / half).glob("*/cases.py"))
        if app in (None, folder.parent.name)
    ]


def generate(
    data: Path | None, seed: int, half: str = "unseen", *, app: str | None = None
) -> Iterator[Case]:
    """The cases of a half, faulty and conforming, the same for the same seed.

    Args:
        data: folder of the public sets; without it the cases with real answers are left out.
        seed: of everything that is drawn.
        half: which applications.
        app: only this one.
    """
    found = None if data is None else real(data)
    for spec in specs(half, app):
        rng = _random(seed, spec.name)
        for number, case in enumerate(_unlike(_of_app(spec, rng, found))):
            yield msgspec.structs.replace(case, id=f"{half}/{spec.name}/{number:03d}")


def conforming(
    seed: int, half: str = "unseen", each: int = _CONFORMING, *, app: str | None = None
) -> Iterator[Case]:
    """Cases that conform by construction, for harm alone. Small applications
    draw some calls that ``generate`` draws too."""
    for spec in specs(half, app):
        rng = _random(seed, "conforming " + spec.name)
        make = app_module(half, spec.name).base
        drawn = (case_of(spec, make(rng, constructed())) for _ in range(20 * each))
        for number, case in enumerate(itertools.islice(_unlike(drawn), each)):
            name = f"{half}/{spec.name}/conforming/{number:04d}"
            yield msgspec.structs.replace(case, id=name)


def _unlike(cases: Iterable[Case]) -> Iterator[Case]:
    """Each call once: small applications draw the same one again now and then."""
    seen: set[bytes] = set()
    for case in cases:
        call = msgspec.json.encode((case.inputs, case.outputs))
        if call not in seen:
            seen.add(call)
            yield case


def _of_app(spec: AppSpec, rng: random.Random, found: Pool | None) -> Iterator[Case]:
    module = app_module(spec.half, spec.name)
    pools = [constructed()]
    if found is not None and getattr(module, "USES_SENTENCES", False):
        pools.append(found)
    drawn = [module.base(rng, pools[turn % len(pools)]) for turn in range(_CLEAN)]
    for base in drawn:
        yield case_of(spec, base)
    if hasattr(module, "extra"):
        yield from module.extra(rng)
    for fault in module.FAULTS:
        count = _SINGLES.get(fault.defect, _SINGLE)
        yield from _faulty(spec, module, (fault,), count, rng, pools)
    pairs = [
        (first, second)
        for first in module.FAULTS
        for second in module.FAULTS
        if first.combines_before(second)
    ]
    for pair in rng.sample(pairs, min(_PAIRS, len(pairs))):
        yield from _faulty(spec, module, pair, 1, rng, pools)


def _faulty(
    spec: AppSpec,
    module: ModuleType,
    faults: tuple[Any, ...],
    count: int,
    rng: random.Random,
    pools: list[Pool],
) -> Iterator[Case]:
    """Cases with these faults in a row; fewer where bases rarely have what they break."""
    made = 0
    for attempt in range(8 * count):
        if made == count:
            return
        base = module.base(rng, pools[attempt % len(pools)])
        now, accepted, determined = base, (), True
        for fault in faults:
            done = fault.inject(now, rng)
            if done is None:
                break
            now = msgspec.structs.replace(now, outputs=done.outputs)
            accepted += done.accepted
            determined = determined and done.determined
        else:
            made += 1
            yield case_of(
                spec,
                now,
                defects=tuple(dict.fromkeys(fault.defect for fault in faults)),
                faults=tuple(fault.name for fault in faults),
                expected=base.expected if determined else UNCHANGED,
                accepted=accepted,
                repairable=determined,
            )


def case_of(spec: AppSpec, base: Base, **more: Any) -> Case:
    """A case of an application's output; what is not said of it is a conforming one's."""
    fields: dict[str, Any] = {
        "id": "",
        "app": spec.name,
        "half": spec.half,
        "domain": spec.domain,
        "source": base.source,
        "inputs": base.inputs,
        "outputs": base.outputs,
        "expected": base.expected,
        "note": base.note,
    }
    return Case(**(fields | more))


def _random(seed: int, name: str) -> random.Random:
    # hash() of a text differs between processes; a checksum does not.
    return random.Random(seed * 2**32 + zlib.crc32(name.encode()))
