"""The import hook: order, nesting, threads, what stays as it is, and what comes back."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from importlib.machinery import BuiltinImporter, ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location

import pytest

from knitbone.loading.hook import ImportHook, call_after, compile_with


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """A folder of modules and packages, found by import, and what imports there are undone."""
    (tmp_path / "plainly.py").write_text("VALUE = 1\n", encoding="utf-8")
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "__init__.py").write_text("VALUE = 1\n", encoding="utf-8")
    (tmp_path / "packed" / "inner.py").write_text("from . import VALUE\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield tmp_path
    for name in ("plainly", "packed", "packed.inner"):
        sys.modules.pop(name, None)


def two(path):
    return compile("VALUE = 2", path, "exec")


def test_a_hook_is_asked_for_its_names_only_and_once_in_the_row(modules):
    seen = []
    hook = ImportHook(lambda spec: seen.append(spec.name), names={"packed.inner"})
    before = list(sys.meta_path)
    hook.install()
    hook.install()
    assert sys.meta_path == [hook, *before]
    importlib.import_module("packed.inner")
    assert seen == ["packed.inner"]
    hook.remove()
    hook.remove()
    assert sys.meta_path == before


def test_the_compiler_of_the_hook_that_was_there_first_stays(modules):
    said = []
    ImportHook(lambda spec: said.append(compile_with(spec, two))).install()
    ImportHook(lambda spec: said.append(compile_with(spec, two))).install()
    assert importlib.import_module("plainly").VALUE == 2
    assert said == [True, False]


def test_all_that_a_spec_says_of_a_package_stays(modules):
    importlib.import_module("packed")
    plain = sys.modules.pop("packed").__spec__
    ImportHook(lambda spec: compile_with(spec, two)).install()
    module = importlib.import_module("packed")
    spec = module.__spec__
    assert module.VALUE == 2
    for name in ("name", "origin", "cached", "submodule_search_locations", "has_location"):
        assert getattr(spec, name) == getattr(plain, name), name
    assert isinstance(spec.loader, SourceFileLoader)
    assert spec.loader.get_source("packed") == "VALUE = 1\n"
    assert importlib.import_module("packed.inner").VALUE == 2


def test_a_compiled_file_is_read_only_where_the_compiler_gives_nothing(modules, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    hook = ImportHook(lambda spec: compile_with(spec, two))
    hook.install()
    importlib.import_module("plainly")
    assert not list(modules.glob("__pycache__/plainly*"))
    hook.remove()
    sys.modules.pop("plainly")
    ImportHook(lambda spec: compile_with(spec, lambda _: None)).install()
    assert importlib.import_module("plainly").VALUE == 1
    assert list(modules.glob("__pycache__/plainly*"))


def test_a_loader_of_another_kind_keeps_its_module(modules):
    class Own(SourceFileLoader):
        """Somebody's own."""

    spec = spec_from_file_location("plainly", loader=Own("plainly", str(modules / "plainly.py")))
    assert not compile_with(spec, two)
    assert type(spec.loader) is Own


def test_a_finder_that_asks_for_the_same_module_again_gets_an_answer(modules):
    class Asking:
        def find_spec(self, name, path=None, target=None):
            if name != "plainly" or getattr(self, "asked", False):
                return None
            self.asked = True
            return find_spec(name)

    sys.meta_path.insert(0, Asking())
    seen = []
    hook = ImportHook(lambda spec: seen.append(spec.name))
    hook.install()
    assert importlib.import_module("plainly").VALUE == 1
    assert seen == ["plainly"]


def test_threads_that_ask_past_the_import_lock_search_side_by_side(modules):
    both = threading.Barrier(2, timeout=20)
    hook = ImportHook(lambda spec: both.wait(), names={"plainly"})
    hook.install()
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(hook.find_spec("plainly"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [spec.name for spec in found] == ["plainly", "plainly"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_child_searches_on_while_its_parent_was_in_a_search(modules):
    children = []

    def found(spec):
        if spec.name == "plainly":
            child = os.fork()
            if child == 0:
                done = importlib.import_module("packed").VALUE == 2
                os._exit(0 if done else 1)
            children.append(os.waitpid(child, 0)[1])
        if spec.name == "packed":
            compile_with(spec, two)

    ImportHook(found).install()
    importlib.import_module("plainly")
    assert children == [0]


def test_a_callback_comes_after_the_module_and_once(modules):
    seen = []
    ImportHook(
        lambda spec: call_after(spec, lambda module: seen.append(module.VALUE)), names={"plainly"}
    ).install()
    module = importlib.import_module("plainly")
    assert seen == [1]
    importlib.reload(module)
    assert seen == [1, 1]
    module.__spec__.loader.exec_module(module)
    assert seen == [1, 1]


def test_a_callback_and_a_compiler_serve_one_module(modules):
    seen = []
    ImportHook(lambda spec: compile_with(spec, two)).install()
    ImportHook(
        lambda spec: call_after(spec, lambda module: seen.append(module.VALUE)), names={"plainly"}
    ).install()
    importlib.import_module("plainly")
    assert seen == [2]


def test_a_loader_of_many_modules_is_not_followed():
    with pytest.raises(AttributeError, match="many modules"):
        call_after(ModuleSpec("errno", BuiltinImporter), print)
    assert BuiltinImporter.exec_module.__name__ == "exec_module"
