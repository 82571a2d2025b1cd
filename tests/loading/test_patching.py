import itertools
import sys
import types

import pytest

from knitbone.loading.patching import HookTable, Patch


@pytest.fixture
def library(monkeypatch):
    """A library with one function, and two sets of hooks that say when they were passed."""
    library = types.ModuleType("patched_library")
    library.answer = lambda: ["library"]
    monkeypatch.setitem(sys.modules, "patched_library", library)
    for name in ("inner", "outer"):
        monkeypatch.setitem(sys.modules, f"{name}_hooks", hooks(name))
    return library


def hooks(name):
    module = types.ModuleType(f"{name}_hooks")
    module.patches = lambda library: [Patch(library, "answer", saying(name))]
    return module


def saying(name):
    def make(original):
        return lambda: [name, *original()]

    return make


def tables():
    return {
        "inner": HookTable({"patched_library": "inner_hooks"}, rank=0),
        "outer": HookTable({"patched_library": "outer_hooks"}, rank=1),
    }


MOVES = [
    moves
    for moves in itertools.permutations([("inner", 1), ("outer", 1), ("inner", 0), ("outer", 0)])
    if all(moves.index((name, 1)) < moves.index((name, 0)) for name in ("inner", "outer"))
]


@pytest.mark.parametrize("moves", MOVES)
def test_the_order_of_two_tables_is_that_of_their_ranks(library, moves):
    original, both, inside = library.answer, tables(), set()
    for name, comes in moves:
        if comes:
            both[name].install()
            inside.add(name)
        else:
            both[name].uninstall()
            inside.discard(name)
        expected = [name for name in ("outer", "inner") if name in inside]
        assert library.answer() == [*expected, "library"]
    assert library.answer is original


def test_what_somebody_else_put_on_top_is_left_alone(library):
    both = tables()
    both["inner"].install()
    foreign = library.answer = saying("foreign")(library.answer)
    both["outer"].install()
    assert library.answer() == ["outer", "foreign", "inner", "library"]
    both["inner"].uninstall()
    both["outer"].uninstall()
    assert library.answer is foreign


def test_an_inherited_attribute_is_inherited_again(monkeypatch):
    class Base:
        def answer(self):
            return ["base"]

    class Child(Base):
        pass

    module = types.ModuleType("inherited_library")
    monkeypatch.setitem(sys.modules, "inherited_library", module)
    for name in ("inner", "outer"):
        made = types.ModuleType(f"{name}_class_hooks")
        made.patches = lambda _, name=name: [
            Patch(Child, "answer", lambda original: lambda self: [name, *original(self)])
        ]
        monkeypatch.setitem(sys.modules, f"{name}_class_hooks", made)
    inner = HookTable({"inherited_library": "inner_class_hooks"}, rank=0)
    outer = HookTable({"inherited_library": "outer_class_hooks"}, rank=1)
    outer.install()
    inner.install()
    assert Child().answer() == ["outer", "inner", "base"]
    outer.uninstall()
    inner.uninstall()
    assert "answer" not in vars(Child)
    assert Child().answer() == ["base"]
