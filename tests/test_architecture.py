"""The order of the layers, the public surface, and how light the package is to import."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import io
import pkgutil
import re
import subprocess
import sys
import tokenize
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import networkx as nx
import pytest

import knitbone
from knitbone.errors import MissingExtraError

SOURCE = Path(knitbone.__file__).parent

SHARED = {"common", "loading", "parsing", "record", "wire"}
BASE = {"_version", "_forks", "_logging", "_switch", "errors", "config"}
# What a part may import, besides itself. A part that is not listed here fails the test: decide.
ALLOWED = {
    **dict.fromkeys(BASE, BASE),
    "common": BASE,
    "loading": BASE,
    "parsing": BASE | {"common"},
    "wire": BASE | {"common", "record"},
    "record": BASE | {"common"},
    "models": BASE | SHARED,
    "testing": BASE | SHARED | {"models"},
    "adaptation": BASE | SHARED | {"models"},
    "fuzzing": BASE | SHARED | {"models"},
    "tethering": BASE | SHARED | {"models"},
    "joins": BASE | SHARED | {"models", "adaptation", "fuzzing", "tethering"},
    "report": BASE | SHARED | {"models", "adaptation", "fuzzing", "tethering", "joins"},
    # The samples are written as users write: they see the public names only.
    "samples": {"<public>", "testing"},
    "cli": BASE
    | SHARED
    | {"models", "adaptation", "fuzzing", "tethering", "joins", "report", "samples"}
    | {"testing", "<public>"},
    "__main__": {"cli"},
}  # fmt: skip


MODULES: dict[str, list[Path]] = {}
"""The modules of each part, relative to the source."""
for _path in sorted(SOURCE.rglob("*.py")):
    _relative = _path.relative_to(SOURCE)
    MODULES.setdefault(_relative.parts[0].removesuffix(".py"), []).append(_relative)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse((SOURCE / path).read_text(encoding="utf-8"))


def imported_parts(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = (
                [f"knitbone.{alias.name}" for alias in node.names]
                if node.module == "knitbone"
                else [node.module or ""]
            )
        else:
            continue
        for name in names:
            head, _, rest = name.partition(".")
            if head == "knitbone":
                part = rest.partition(".")[0]
                yield node.lineno, part if part in MODULES else "<public>"


@pytest.mark.parametrize("part", sorted(set(MODULES) - {"__init__"}))  # it re-exports everything
def test_imports_point_downwards_only(part):
    assert part in ALLOWED, "a part whose place in the layers is not decided"
    wrong = [
        f"{path}:{line} imports {target}"
        for path in MODULES[part]
        for line, target in imported_parts(tree_of(path))
        if target != part and target not in ALLOWED[part]
    ]
    assert wrong == []


def test_the_layer_test_sees_a_forbidden_import():
    tree = ast.parse("def f():\n    from knitbone.fuzzing.engine import fuzz\n")
    assert list(imported_parts(tree)) == [(2, "fuzzing")]


def imported_modules(tree: ast.AST, package: str, known: set[str]) -> set[str]:
    """The modules that a file of a package imports: those inside functions and those for type
    checkers only among them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level]
            base = ".".join([*(above if node.level else ()), *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in known else base)
    return found & known


def import_circles(trees: dict[str, tuple[str, ast.AST]]) -> set[frozenset[str]]:
    """Modules that import each other, directly or by others.

    Args:
        trees: module name -> its package and its syntax tree.
    """
    graph = nx.DiGraph()
    for name, (package, tree) in trees.items():
        targets = imported_modules(tree, package, set(trees)) - {name}
        graph.add_edges_from((name, target) for target in targets)
    return {
        frozenset(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1
    }


def test_no_modules_import_each_other_in_a_circle():
    trees: dict[str, tuple[str, ast.AST]] = {}
    for path in chain.from_iterable(MODULES.values()):
        parts = ["knitbone", *path.with_suffix("").parts]
        package = ".".join(parts[:-1])
        name = package if parts[-1] == "__init__" else ".".join(parts)
        trees[name] = (package, tree_of(path))
    assert sorted(sorted(circle) for circle in import_circles(trees)) == []


@pytest.mark.parametrize(
    "back",
    [
        "from knitbone.rooms.a import f",
        "import knitbone.rooms.a",
        "from . import a",
        "from .a import f",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from knitbone.rooms import a",
        "def g():\n    from knitbone.rooms.a import f",
    ],
)
def test_the_circle_test_sees_an_import_of_any_form(back):
    sources = {
        "knitbone.rooms": ("knitbone.rooms", ""),
        "knitbone.rooms.a": ("knitbone.rooms", "from knitbone.rooms.b import g"),
        "knitbone.rooms.b": ("knitbone.rooms", "from knitbone.rooms import c"),
        "knitbone.rooms.c": ("knitbone.rooms", back),
    }
    trees = {name: (package, ast.parse(source)) for name, (package, source) in sources.items()}
    expected = {f"knitbone.rooms.{letter}" for letter in "abc"}
    assert import_circles(trees) == {frozenset(expected)}


def loaded_modules(name: str, package: str, tree: ast.Module, known: set[str]) -> set[str]:
    """The modules that have to be loaded before a module: those that its own statements import, and
    the packages that they stand in."""
    at_load = [
        node
        for node in tree.body
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    ]
    found = imported_modules(ast.Module(at_load, []), package, known)
    above = {one.rpartition(".")[0] for one in found}
    while new := {one.rpartition(".")[0] for one in above} - above:
        above |= new
    return {one for one in found | (above & known) if one != name and not package.startswith(one)}


def test_every_module_can_be_loaded_first():
    """A package's ``__init__`` runs before its modules: a circle through it depends on who came
    first."""
    trees: dict[str, tuple[str, ast.Module]] = {}
    for path in chain.from_iterable(MODULES.values()):
        parts = ["knitbone", *path.with_suffix("").parts]
        package = ".".join(parts[:-1])
        trees[package if parts[-1] == "__init__" else ".".join(parts)] = (package, tree_of(path))
    graph = nx.DiGraph()
    for name, (package, tree) in trees.items():
        targets = loaded_modules(name, package, tree, set(trees))
        graph.add_edges_from((name, target) for target in targets)
    circles = [sorted(each) for each in nx.strongly_connected_components(graph) if len(each) > 1]
    assert circles == []


def test_every_name_in_an_all_exists():
    for module in pkgutil.walk_packages(knitbone.__path__, "knitbone."):
        if module.name.endswith("__main__"):
            continue
        try:
            loaded = importlib.import_module(module.name)
        except MissingExtraError:
            continue  # training, whose gigabytes are not in the development group
        for name in getattr(loaded, "__all__", []):
            assert hasattr(loaded, name), f"{module.name}.{name}"


def test_every_module_that_a_table_names_exists():
    """Hooks and validators are loaded by name, with the first library that they are for."""
    named: set[str] = set()
    for path in chain.from_iterable(MODULES.values()):
        source = (SOURCE / path).read_text(encoding="utf-8")
        for home in re.findall(r'^_HOME = "([\w.]+)"', source, re.MULTILINE):
            named |= {f"{home}.{name}" for name in re.findall(r'f"\{_HOME\}\.(\w+)"', source)}
    assert len(named) > 8
    assert [name for name in sorted(named) if importlib.util.find_spec(name) is None] == []


def test_the_public_names_are_sorted_load_and_are_documented():
    assert knitbone.__all__ == sorted(knitbone.__all__)
    assert dir(knitbone) == knitbone.__all__
    for name in knitbone.__all__:
        assert getattr(knitbone, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = knitbone.nonsense


HEAVY = {
    "numpy", "sklearn", "networkx", "onnxruntime", "tokenizers", "openai", "anthropic", "httpx",
    "langchain_core", "pydantic", "rich", "click", "jinja2", "msgspec", "sqlite3",
}  # fmt: skip


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sorted(m.partition('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_knitbone_loads_nothing_heavy():
    assert loaded_by("import knitbone") & HEAVY == set()


def test_the_command_starts_without_any_optional_library():
    optional = HEAVY - {"rich", "click", "msgspec", "sqlite3", "jinja2"}
    assert loaded_by("import knitbone.cli.app") & optional == set()


@pytest.mark.parametrize(
    "engine",
    [
        "knitbone.adaptation.repair.engine",
        "knitbone.fuzzing.engine",
        "knitbone.tethering.diagnosis.engine",
    ],
)
def test_an_engine_loads_its_heavy_libraries_on_first_use_only(engine):
    optional = HEAVY - {"rich", "click", "msgspec", "sqlite3", "jinja2"}
    assert loaded_by(f"import {engine}") & optional == set()


def test_every_file_that_the_architecture_names_exists():
    text = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = {f"/{path.relative_to(SOURCE).as_posix()}" for path in SOURCE.rglob("*.py")}
    named = set(re.findall(r"`([\w/]+\.py)`", text))
    missing = [
        name
        for name in named
        if not any(path.endswith(f"/{name}") for path in paths)
        and not (SOURCE.parents[1] / name).is_file()
    ]
    assert len(named) > 100
    assert sorted(missing) == []


def prose_of(source: str):
    """Yield the comments and the docstrings of a module, those of variables among them."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


@cache
def every_ending() -> set[str]:
    """Return ``a/b/c.py``, ``b/c.py`` and ``c.py`` for each Python file of the repository."""
    folders = [SOURCE.parents[1] / name for name in ("src", "tests", "evals", "benchmarks")]
    files = (file.parts for folder in folders for file in folder.rglob("*.py"))
    return {"/".join(parts[n:]) for parts in files for n in range(1, len(parts))}


def dangling_references(source: str) -> list[str]:
    """Return the Python files that comments and docstrings name and that do not exist."""
    named = re.findall(r"``([a-z_][a-z0-9_/]*\.py)``", "\n".join(prose_of(source)))
    return [name for name in named if name != PLACEHOLDER and name not in every_ending()]


PLACEHOLDER = "path/to/file.py"


def test_every_file_that_a_comment_or_docstring_names_exists():
    wrong = {
        path.as_posix(): missing
        for path in chain.from_iterable(MODULES.values())
        if (missing := dangling_references((SOURCE / path).read_text(encoding="utf-8")))
    }
    assert wrong == {}


def test_the_reference_test_sees_comments_and_docstrings():
    source = '"""See ``errors.py``, ``fuzzing/gone.py``."""\nA = 1  # ``gone.py``\n"""``b/c.py``"""'
    assert sorted(dangling_references(source)) == ["b/c.py", "fuzzing/gone.py", "gone.py"]


def test_a_walk_names_a_file_once():
    text = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    walks = text.partition("## Four walks")[2].partition("\n## ")[0].split("\n\n")
    for walk in walks:
        files = re.findall(r"`([\w/]+\.py)`", walk)
        assert len(files) == len(set(files)), walk[:60]


def test_a_class_name_means_one_thing():
    """A sample, which users write, has names of its own: ``Step``, ``Scenario``."""
    places: dict[str, list[str]] = {}
    for path in chain.from_iterable(MODULES.values()):
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.as_posix())
    several = {name: found for name, found in places.items() if len(found) > 1}
    assert set(several) == {"Scenario", "Step"}, several


def test_the_files_of_long_tests_exist():
    tests = Path(__file__).parent
    text = (tests / "conftest.py").read_text(encoding="utf-8").partition("LONG = ")[2]
    named = re.findall(r'"([\w/]+\.py)"', text)
    assert named
    assert [name for name in named if not (tests / name).is_file()] == []


def test_no_two_test_files_have_one_name() -> None:
    """Without packages around them, pytest could import only one of the two."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def _imports(folder: Path, names: str) -> list[str]:
    found = re.compile(rf"^\s*(?:from|import) (?:{names})\b", re.MULTILINE)
    return [str(path) for path in folder.rglob("*.py") if found.search(path.read_text("utf-8"))]


def test_the_product_never_imports_its_evaluation():
    assert _imports(SOURCE, "knitbone_evals|benchmarks") == []


def test_nothing_in_the_tests_imports_the_evaluation():
    assert _imports(Path(__file__).parent, "knitbone_evals") == []


FACADE = "knitbone.adaptation.testing"
ADAPTATION = {
    ".".join(("knitbone", *path.with_suffix("").parts)).removesuffix(".__init__")
    for path in MODULES["adaptation"]
}
INNER_IMPORTS: dict[str, str] = {
    "evals/src/knitbone_evals/damage/readers.py": "requirements.file requirements.findings",
    "evals/tests/adapt/test_accepted.py": (
        "consumers.rehearsal consumers.rehearsal.continuation consumers.rehearsal.sources"
    ),
    "evals/tests/adapt/test_golden.py": "repair.engine",
    "tests/adaptation/analysis/test_analysis_budget.py": (
        "runtime.instrument.cache runtime.instrument.transform"
    ),
    "tests/adaptation/analysis/test_exclusive_branches.py": "analysis.engine",
    "tests/adaptation/analysis/test_values_after_steps.py": "requirements.file",
    "tests/adaptation/consumers/test_costly_expressions.py": (
        "consumers.step_replay requirements.applied_regexes"
    ),
    "tests/adaptation/learning/test_learn_trees.py": (
        "learning.comparison learning.observations learning.observed_trees "
        "learning.output_tainting learning.taint runtime.active_site"
    ),
    "tests/adaptation/positional_templates.py": ("reading.library_parsers repair.within_words"),
    "tests/adaptation/reading/test_reading_positional.py": "requirements.file",
    "tests/adaptation/repair/test_conversions.py": "repair.acceptance",
    "tests/adaptation/repair/test_defect_literals.py": (
        "repair.structured.python_literal repair.structured.toml"
    ),
    "tests/adaptation/repair/test_defect_structured_typed_output.py": "runtime.validators.answers",
    "tests/adaptation/repair/test_defect_xml_plain.py": "repair.structured.xml_shape",
    "tests/adaptation/repair/test_missing.py": "scenario.lexical.features",
    "tests/adaptation/repair/test_objections.py": "consumers.rehearsal",
    "tests/adaptation/repair/test_within_words.py": "text.wrappers.spans",
    "tests/adaptation/requirements/test_requirements_file.py": "requirements.merge",
    "tests/adaptation/runtime/test_delivery_ranked_lists.py": (
        "runtime.values.entries scenario.context.relevance"
    ),
    "tests/adaptation/runtime/test_never_silent.py": "runtime.decorated_functions",
    "tests/adaptation/runtime/test_streamed_answer.py": (
        "repair.positional.list_lines runtime.delivery"
    ),
    "tests/adaptation/runtime/test_tool_arguments_schema.py": (
        "requirements.schema_simplification runtime.messages"
    ),
    "tests/adaptation/runtime/test_transparency.py": (
        "runtime.instrument.importer runtime.instrument.launch"
    ),
    "tests/adaptation/scenario/test_defect_behaviour.py": "runtime.tools",
    "tests/adaptation/scenario/test_defect_semantics_contracts.py": (
        "scenario.facts scenario.paraphrase"
    ),
    "tests/adaptation/scenario/test_paraphrase.py": "scenario.facts",
    "tests/common/test_structured_formats.py": "repair.structured.tree_formats",
    "tests/quality/test_adapt_hostile.py": (
        "repair.engine runtime.streamed_answer runtime.values.streams"
    ),
    "tests/quality/test_syntax_repairs.py": "repair.syntax.tree_parser",
}
"""What test files import besides, below ``knitbone.adaptation``. It only gets shorter: what a
test needs stands in the façade, or the test stands beside the module that it is about."""
MOST_INNER_IMPORTS = 48


def mirrors(file: Path, module: str) -> bool:
    """Return whether ``adaptation/<part>/test_<words>.py`` is about a module: one of its part that
    has its name among the words, or stands in a package that has."""
    part, *below = module.split(".")[2:]
    words = f"_{file.stem}_"
    return file.parent.parts[-2:] == ("adaptation", part) and any(
        f"_{name}_" in words for name in below or [part]
    )


def inner_imports(file: Path, tree: ast.AST) -> set[str]:
    """The modules of ``knitbone.adaptation`` that a file of the tests or the evaluation imports
    past the public names, the façade, and the module that it is about."""
    found = imported_modules(tree, "", ADAPTATION) - {"knitbone.adaptation", FACADE}
    return {
        module.removeprefix("knitbone.adaptation.") for module in found if not mirrors(file, module)
    }


def test_tests_and_evaluation_see_the_facade_of_adaptation_only():
    root = Path(__file__).parents[1]
    found = {
        file.relative_to(root).as_posix(): " ".join(sorted(inner))
        for folder in ("tests", "evals")
        for file in (root / folder).rglob("*.py")
        if (inner := inner_imports(file, ast.parse(file.read_text(encoding="utf-8"))))
    }
    assert found == INNER_IMPORTS
    assert sum(len(each.split()) for each in INNER_IMPORTS.values()) <= MOST_INNER_IMPORTS


def test_the_product_never_imports_the_facade_of_its_tests():
    for path in chain.from_iterable(MODULES.values()):
        package = ".".join(("knitbone", *path.parent.parts))
        assert not imported_modules(tree_of(path), package, {FACADE}), path


@pytest.mark.parametrize(
    ("file", "source", "inner"),
    [
        ("repair/test_x.py", "from knitbone.adaptation.testing import judge", ""),
        ("repair/test_x.py", "from knitbone.adaptation import report", ""),
        ("repair/test_x.py", "from knitbone.adaptation import repair", "repair"),
        ("repair/test_x.py", "from knitbone.adaptation.repair import checks", "repair.checks"),
        ("repair/test_x.py", "def f():\n    import knitbone.adaptation.cells", "cells"),
        ("repair/test_x_checks.py", "from knitbone.adaptation.repair.checks import Check", ""),
        ("repair/test_checked.py", "import knitbone.adaptation.repair.checks", "repair.checks"),
        ("runtime/test_checks.py", "import knitbone.adaptation.repair.checks", "repair.checks"),
        ("repair/test_defect_xml.py", "import knitbone.adaptation.repair.structured.xml", ""),
        ("reading/test_reading_x.py", "from knitbone.adaptation.reading import f", ""),
        ("reading/test_reading.py", "import knitbone.adaptation.reading.lines", "reading.lines"),
    ],
)
def test_the_facade_test_sees_an_import_of_any_form(file, source, inner):
    found = inner_imports(Path("tests/adaptation", file), ast.parse(source))
    assert " ".join(found) == inner
