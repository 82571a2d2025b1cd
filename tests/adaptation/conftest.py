"""Small applications, written to a file as users write them, and loaded from there."""

import importlib.util
import itertools
import sys
import textwrap

import pytest

from knitbone.adaptation.testing import forget_counts

_numbers = itertools.count()


@pytest.fixture
def load(tmp_path):
    """Write an application, import it, and forget it afterwards."""
    loaded = []

    def write(source: str, name: str | None = None):
        name = name or f"app_under_test_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        loaded.append(name)
        spec.loader.exec_module(module)
        return module

    yield write
    for name in loaded:
        sys.modules.pop(name, None)


@pytest.fixture
def every_scenario(monkeypatch):
    """All requirements that come from the use and not from code, which are off by default."""
    monkeypatch.setenv("KNITBONE_ADAPT_SCENARIO", "all")


@pytest.fixture(autouse=True)
def _fresh_summary(monkeypatch):
    monkeypatch.delenv("KNITBONE_DISABLED", raising=False)
    monkeypatch.delenv("KNITBONE_ADAPT_MODE", raising=False)
    forget_counts()
    yield
    forget_counts()
