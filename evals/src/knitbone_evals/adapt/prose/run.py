"""Texts through the consumers, plain and adapted, and where the two differ."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import knitbone
from knitbone.adaptation.testing import (
    SUMMARY,
    forget_counts,
    number_site,
    plan_of_unit,
    run_instrumented,
)
from knitbone.config import AdaptConfig
from knitbone_evals.adapt.prose.corpus import Text

__all__ = ["CONSUMERS", "Change", "changes"]

_FILE = Path(__file__).with_name("consumers.py")
_QUESTION = "What do you say?"
_PIECE = 40
"""Characters of one chunk of a stream."""


class Change(NamedTuple):
    """A text of which a consumer made something else with adapt than without."""

    text: Text
    consumer: str
    plain: Any
    adapted: Any
    rules: tuple[str, ...]


def changes(
    texts: Iterable[Text], config: AdaptConfig, consumers: Iterable[str]
) -> Iterator[Change]:
    """Run every text through every consumer, each in a session of its own."""
    plain, adapted = _loaded(None), _loaded(config)
    for text in texts:
        for name in consumers:
            forget_counts()
            before = _said(plain, name, text.text)
            with knitbone.session():
                after = _said(adapted, name, text.text)
            if before != after:
                rules = tuple(rule for event in SUMMARY.adaptations for rule in event.rules)
                yield Change(text, name, before, after, rules)


def _said(module: ModuleType, name: str, text: str) -> Any:
    module.client = _client(text)  # type: ignore[attr-defined]
    return getattr(module, name)(_QUESTION)


def _client(text: str) -> Any:
    """A client whose model gives this one answer."""

    def create(*, stream: bool = False, **_: Any) -> Any:
        if not stream:
            return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=text))])
        pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
        return (
            SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(content=piece))])
            for piece in pieces
        )

    completions = SimpleNamespace(create=create)
    return SimpleNamespace(chat=SimpleNamespace(completions=completions))


def _loaded(config: AdaptConfig | None) -> ModuleType:
    """The consumers, as they are or as ``knitbone run`` loads them."""
    name = f"knitbone_evals.adapt.prose.consumers_{'plain' if config is None else 'adapted'}"
    found = importlib.util.spec_from_file_location(name, _FILE)
    assert found is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    source = _FILE.read_text(encoding="utf-8")
    if config is None:
        exec(compile(source, str(_FILE), "exec"), module.__dict__)
        return module
    sites = plan_of_unit([_FILE]).sites
    for site in sites:
        number_site(site, config)
    run_instrumented(source, _FILE, sites, module.__dict__)
    return module


def _names() -> tuple[str, ...]:
    module = _loaded(None)
    functions = inspect.getmembers(module, inspect.isfunction)
    own = {name for name, function in functions if function.__module__ == module.__name__}
    return tuple(name for name in vars(module) if name in own - {"ask"})


CONSUMERS = _names()
"""All consumers, in the order of the source."""
