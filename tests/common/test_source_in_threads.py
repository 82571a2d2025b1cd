"""Reading source while other threads do, at the moment that Python 3.11 cannot bear."""

import ast
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import knitbone
from knitbone.common.source import evaluate_literal, parse_source

SOURCE = "\n".join(f"def f{n}(a, b={n}):\n    return [a + b, (a, b)]" for n in range(40))


@contextmanager
def another_thread_parses_within_each_collection(times: int) -> Iterator[None]:
    """What a finalizer allows: the collector runs Python code, and another thread gets its turn."""
    left, within = [times], [False]

    def parse_elsewhere(phase: str, _: dict[str, Any]) -> None:
        if phase == "start" and left[0] and not within[0]:
            left[0] -= 1
            within[0] = True
            other = threading.Thread(target=ast.parse, args=("f(x)",))
            other.start()
            other.join()
            within[0] = False

    thresholds = gc.get_threshold()
    gc.callbacks.append(parse_elsewhere)
    gc.set_threshold(50)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(parse_elsewhere)


@pytest.mark.parametrize(
    ("read", "text"),
    [(parse_source, SOURCE), (evaluate_literal, repr([{"key": [n, (n,)]} for n in range(200)]))],
)
def test_another_thread_that_parses_meanwhile_does_no_harm(
    read: Callable[[str], object], text: str
) -> None:
    with another_thread_parses_within_each_collection(times=3):
        found = read(text)
    expected = read(text)
    if isinstance(expected, ast.AST):
        assert ast.dump(found) == ast.dump(expected)
    else:
        assert found == expected


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the defect of one version")
def test_the_parser_itself_still_fails_there() -> None:
    with (
        another_thread_parses_within_each_collection(times=3),
        pytest.raises(SystemError, match="recursion depth mismatch"),
    ):
        ast.parse(SOURCE)


def test_source_that_is_wrong_is_refused_as_ast_refuses_it() -> None:
    for wrong, error in [("a b", SyntaxError), ("a\0", (SyntaxError, ValueError))]:
        with pytest.raises(error):
            parse_source(wrong)
    for wrong in ["f()", "a", "1 +"]:
        with pytest.raises((ValueError, SyntaxError)):
            evaluate_literal(wrong)
    assert evaluate_literal(" \t[1]") == ast.literal_eval(" \t[1]") == [1]


def test_nothing_of_ours_parses_in_another_way() -> None:
    root = Path(knitbone.__file__).parent
    parsing = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if (source := path.read_bytes()) and (b"ast.parse" in source or b"ONLY_AST" in source)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr in {"parse", "PyCF_ONLY_AST"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "ast"
    }
    assert parsing == {"common/source.py"}
