"""The public test cases of json-repair and jsonrepair, and what knitbone makes of them: ``python -m
knitbone_evals.documents.peer_cases --data DIR``.

DIR holds clones of github.com/mangiucugna/json_repair and github.com/josdejong/jsonrepair. Their
files are read where they are; nothing of them is kept here. Where knitbone's outcome is not what
the peer's test expects, ``peer_cases.txt`` holds a verdict on knitbone's outcome, read by hand:
*right*, *defensible* (either may be meant, or a value would have to be invented), or *wrong*. It
names the input and the outcome by hashes.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, cast

from knitbone.errors import KnitboneError
from knitbone_evals.documents.forms import same
from knitbone_evals.documents.peers import Read, RefusedError, readers
from knitbone_evals.paths import RESULTS, write_result

__all__ = ["REFUSED", "Case", "judged", "python_cases", "typescript_cases"]

VERDICTS = Path(__file__).with_name("peer_cases.txt")
COLUMNS = ("same", "right", "defensible", "wrong value", "wrong refusal", "unread")
REFUSED = "<refused>"
"""Stands for no value."""


class Case(NamedTuple):
    """A text, and what a peer's test expects of it: any of these values."""

    peer: str
    text: str
    schema: Any
    expected: list[Any]


# json-repair: assertions in Python


class _Call(NamedTuple):
    text: str
    options: dict[str, Any]


_CONSTANTS = (
    ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.Name, ast.Load, ast.BinOp, ast.Add, ast.Mult,
    ast.UnaryOp, ast.USub,
)  # fmt: skip
_FUNCTIONS = {"repair_json": False, "loads": True, "repair_with_schema": True}
"""What the tests call, and whether it gives values in place of JSON."""
_TWO_TEXTS = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in "ab"},
    "required": ["a", "b"],
}
_ASSERTIONS = {"_assert_object_repairs": None, "_assert_two_string_schema_repairs": _TWO_TEXTS}
"""The tests' own assertions of a text and a value, and their schemas."""


def python_cases(source: str) -> list[Case]:
    """The cases of one of json-repair's test files: calls with constants, compared with one."""
    tree = ast.parse(source)
    found: list[tuple[_Call, Any]] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for names in _parameters(node):
                _follow(node.body, names, found)
    return [_case(*each) for each in found if not _contradict(each[0].options)]


def _contradict(options: dict[str, Any]) -> bool:
    """Whether a test is one of the arguments, which no text can satisfy."""
    guided = "schema" in options
    return guided if options.get("strict") else not guided and "schema_repair_mode" in options


def _parameters(node: ast.FunctionDef) -> list[dict[str, Any]]:
    for mark in node.decorator_list:
        if isinstance(mark, ast.Call):
            try:
                keys, rows = map(ast.literal_eval, mark.args)
            except ValueError:
                return []
            if isinstance(keys, str):
                return [{keys: each} for each in rows]
            return [dict(zip(keys, each, strict=True)) for each in rows]
    return [{}]


def _follow(body: list[ast.stmt], names: dict[str, Any], found: list[tuple[_Call, Any]]) -> None:
    for node in body:
        try:
            _step(node, names, found)
        except (ValueError, NameError, TypeError):
            for each in ast.walk(node):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    names.pop(each.id, None)


def _step(node: ast.stmt, names: dict[str, Any], found: list[tuple[_Call, Any]]) -> None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            names[name] = _call(node.value, names) or _constant(node.value, names)
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), _])]):
            names[name] = _call(node.value, names)
        case ast.For(target=target, iter=each_of):
            keys = ast.unparse(target).strip("()").split(", ")
            for each in _constant(each_of, names):
                values = each if isinstance(target, ast.Tuple) else (each,)
                _follow(node.body, names | dict(zip(keys, values, strict=True)), found)
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            if (call := _call(left, names)) is not None:
                found.append((call, _constant(right, names)))
        case ast.With(body=[ast.Expr(value=value)]):
            if (call := _call(value, names)) is not None:
                found.append((call, REFUSED))
        case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[text, value])):
            if name in _ASSERTIONS:
                options = {"schema": _ASSERTIONS[name], "return_objects": True}
                found.append((_Call(_constant(text, names), options), _constant(value, names)))
        case _:
            pass


def _call(node: ast.expr, names: dict[str, Any]) -> _Call | None:
    if isinstance(node, ast.Name) and isinstance(names.get(node.id), _Call):
        return names[node.id]
    if not isinstance(node, ast.Call):
        return None
    function = ast.unparse(node.func)
    if function == "cast":
        return _call(node.args[1], names)
    if function not in _FUNCTIONS:
        return None
    options = {str(each.arg): _constant(each.value, names) for each in node.keywords}
    text, *more = (_constant(each, names) for each in node.args)
    values = _FUNCTIONS[function] or options.get("logging")
    return _Call(
        text, {"return_objects": values, **dict(zip(["schema"], more, strict=False)), **options}
    )


def _constant(node: ast.expr, names: dict[str, Any]) -> Any:
    if not all(isinstance(each, _CONSTANTS) for each in ast.walk(node)):
        raise ValueError(f"no constant: {ast.unparse(node)}")
    return eval(compile(ast.Expression(node), "test", "eval"), {"__builtins__": {}}, names)


def _case(call: _Call, expected: Any) -> Case:
    options = call.options
    if isinstance(expected, tuple):  # the log is behind the value
        expected = cast("tuple[Any, ...]", expected)[0]
    if (
        not options["return_objects"]
        and isinstance(expected, str)
        and expected not in ("", REFUSED)
    ):
        expected = json.loads(expected)
    mode = " strict" if options.get("strict") else " schema" if options.get("schema") else ""
    if options.get("schema_repair_mode") == "salvage":
        mode = " salvage"
    # The peer gives "" where it finds nothing.
    both: list[Any] = [expected, REFUSED] if expected == "" else [expected]
    return Case(f"json-repair{mode}", call.text, options.get("schema"), both)


# jsonrepair: assertions in TypeScript

_TEXT = r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
_VALUE = rf"({_TEXT}(?:\s*\+\s*{_TEXT})*|\w+)"
_CHECKS = re.compile(
    rf"expect\(\s*jsonrepair\(\s*{_VALUE}\s*\)\s*\)\s*\.to\w+\(\s*{_VALUE}\s*\)"
    rf"|\bassertRepair\(\s*{_VALUE}\s*\)"
    rf"|jsonrepair\(\s*{_VALUE}\s*\)[\s}})]*\.toThrow"
    rf"|const (\w+) = jsonrepair\({_VALUE}\)\s+expect\(\5\)\.to\w+\({_VALUE}\)"
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|(.))", re.IGNORECASE | re.DOTALL)
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def typescript_cases(source: str) -> list[Case]:
    """The cases of jsonrepair's test file."""
    found: list[Case] = []
    tests = source.partition("function assertRepair")[0]
    for match in _CHECKS.finditer(tests):
        before = tests[: match.start()]
        text, expected, kept, thrown, _, named, named_expected = match.groups()
        given = _text(text or kept or thrown or named, before)
        wanted = _text(expected or kept or named_expected, before) if not thrown else None
        if given is not None:
            value = REFUSED if wanted is None else json.loads(wanted)
            found.append(Case("jsonrepair", given, None, [value]))
    return found


def _text(written: str, before: str) -> str | None:
    if re.fullmatch(r"\w+", written):
        named = re.findall(rf"const {written} =\s*({_TEXT}(?:\s*\+\s*{_TEXT})*)", before)
        return _text(named[-1], "") if named else None
    parts = (each[1:-1] for each in re.findall(_TEXT, written))
    text = "".join(_ESCAPE.sub(_sign, each) for each in parts)
    return text.encode("utf-16", "surrogatepass").decode("utf-16")


def _sign(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _SIGNS.get(match[3], match[3])


# outcomes


def judged(case: Case, value: Any, verdicts: dict[tuple[str, str], str]) -> tuple[str, str]:
    """The column of an outcome, and the reason."""
    if any(same(value, each) for each in case.expected):
        return "same", ""
    verdict, _, reason = verdicts.get(named(case, value), "unread").partition(" ")
    if verdict == "wrong":
        verdict = "wrong refusal" if value == REFUSED else "wrong value"
    return verdict, reason


def named(case: Case, value: Any) -> tuple[str, str]:
    """What names an outcome in the file of verdicts."""
    return _digest([case.text, case.schema]), _digest(value)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def _outcome(read: Read, case: Case) -> Any:
    try:
        return read(case.text, case.schema)
    except (RefusedError, KnitboneError):
        return REFUSED
    except Exception as error:  # noqa: BLE001 - what is looked for
        print(f"crash: {type(error).__name__} {str(error)[:80]!r} ({_digest(case[1:3])})")
        return REFUSED


def _merged(cases: Iterable[Case]) -> list[Case]:
    merged: dict[str, Case] = {}
    for case in cases:
        first = merged.setdefault(json.dumps(case[:3]), case._replace(expected=[]))
        first.expected.extend(case.expected)
    return list(merged.values())


def main(arguments: list[str] | None = None) -> int:
    """Read the tests, run the readers, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the two clones")
    parser.add_argument("--verbose", default="", help="cases printed, such as 'wrong value,unread'")
    parser.add_argument("--write", action="store_true", help="the result goes to results/")
    chosen = parser.parse_args(arguments)
    files = sorted((chosen.data / "json_repair" / "tests").glob("test_*.py"))
    found = [case for path in files for case in python_cases(path.read_text(encoding="utf-8"))]
    script = chosen.data / "jsonrepair" / "src" / "index.test.ts"
    cases = _merged(found + typescript_cases(script.read_text(encoding="utf-8")))
    lines = VERDICTS.read_text(encoding="utf-8").splitlines()
    parts = (line.split(" ", 2) for line in lines)
    verdicts = {(text, outcome): verdict for text, outcome, verdict in parts}
    loaded = {reader.name: (number, read) for reader, number, read in readers([], {})}
    table: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[str, Counter[str]] = {column: Counter() for column in COLUMNS[1:]}
    for case in cases:
        value = _outcome(loaded["knitbone"][1], case)
        column, reason = judged(case, value, verdicts)
        if column != "same":
            reasons[column][reason] += 1
        if column in chosen.verbose.split(","):
            print(json.dumps([*named(case, value), column, *case, value], ensure_ascii=False))
        theirs = _outcome(loaded[case.peer if case.peer in loaded else "json-repair"][1], case)
        agrees = any(same(theirs, each) for each in case.expected)
        other = "refused" if theirs == REFUSED else "other value"
        table[case.peer].update(["cases", column, f"json-repair: {'same' if agrees else other}"])
    print(
        _written(
            ("peer", *_COLUMNS), [(peer, *map(row.get, _COLUMNS)) for peer, row in table.items()]
        )
    )
    rows = [
        (column, reason, count)
        for column in COLUMNS[1:]
        for reason, count in reasons[column].most_common()
    ]
    print(_written(("outcome", "reason", "cases"), rows))
    if chosen.write:
        versions = {
            name: number
            for name, (number, _) in loaded.items()
            if name in ("knitbone", "json-repair")
        }
        result = {"versions": versions, "peers": table, "reasons": reasons}
        write_result(RESULTS / "documents_peer_cases.json", result)
    return 0


_COLUMNS = (
    "cases",
    *COLUMNS,
    "json-repair: same",
    "json-repair: refused",
    "json-repair: other value",
)


def _written(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    lines = [list(names), ["---" for _ in names], *rows]
    return "\n".join(f"| {' | '.join(str(each or 0) for each in row)} |" for row in lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
