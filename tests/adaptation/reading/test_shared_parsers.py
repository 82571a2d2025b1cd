"""One parser for several callers: what is whose demand."""

from use_trees import tree

from knitbone.adaptation.reading.shared_parsers import separate_callers
from knitbone.adaptation.testing import describe, read_uses

PARSER = {"line": 5, "file": "parse.py"}


def at(line, file="app.py"):
    return {"line": line, "file": file}


def trees(*callers, own=()):
    return [tree([("json.loads", PARSER, [*own, *uses])]) for uses in callers]


def read(several):
    found = {}
    for one in separate_callers(several):
        for r in read_uses(one, confidence="high", kind="chat", scenario=frozenset()):
            place = f"{r.evidence.file}:{r.evidence.line}"
            found[place, describe(r), r.alternative] = None
    return sorted(found)


A = [("getitem", "a", at(10), [("int", at(10))])]
B = [(".get", "b", at(20), []), ("getitem", "c", at(21))]
MARK = "parse.py:5"


def test_the_only_caller_demands_what_the_parser_does():
    assert read(trees([*A, *B])) == [
        ("parse.py:5", "JSON: object {a: integer-like, b?, c}", ""),
    ]


def test_each_of_several_callers_has_a_demand_of_its_own_and_one_is_enough():
    assert read(trees(A, B)) == [
        ("app.py:10", "JSON: object {a: integer-like}", MARK),
        ("app.py:20", "JSON: object {b?, c}", MARK),
        ("parse.py:5", "JSON: any", ""),
    ]


def test_what_the_parsers_function_reads_holds_for_all():
    own = ("getitem", "status", at(6, "parse.py"))
    assert read(trees(A, B, own=[own])) == [
        ("app.py:10", "JSON: object {a: integer-like}", MARK),
        ("app.py:20", "JSON: object {b?, c}", MARK),
        ("parse.py:5", "JSON: object {status}", ""),
    ]


def test_what_all_callers_share_elsewhere_is_a_demand_at_its_place():
    common = ("getitem", "kind", at(3, "base.py"))
    assert read(trees([*A, common], [*B, common])) == [
        ("app.py:10", "JSON: object {a: integer-like}", MARK),
        ("app.py:20", "JSON: object {b?, c}", MARK),
        ("base.py:3", "JSON: object {kind}", ""),
        ("parse.py:5", "JSON: any", ""),
    ]


def test_a_caller_that_reads_no_key_demands_nothing_of_its_own():
    assert read(trees(A, [("iterate", at(30))])) == [
        ("app.py:10", "JSON: object {a: integer-like}", MARK),
        ("parse.py:5", "JSON: any", ""),
        ("parse.py:5", "JSON: array", ""),
    ]


def test_one_of_the_callers_of_an_object_is_enough():
    several = [
        tree([("getitem", "a", at(10))], form="object"),
        tree([("getitem", "b", at(20))], form="object"),
    ]
    assert read(several) == [
        ("app.py:10", "JSON: object {a}", "app.py:1"),
        ("app.py:20", "JSON: object {b}", "app.py:1"),
    ]


def test_the_entries_of_a_store_have_to_suit_all_callers():
    def entries(*reading):
        parse = ("json.loads", at(5, "parse.py"), list(reading))
        return tree(
            [("iterate", at(4), [("getattr", "page_content", at(4), [parse])])], form="documents"
        )

    asked = [("contains", "b", at(20)), ("getitem", "b", at(21)), ("getitem", "a", at(22))]
    joined = separate_callers([entries(("getitem", "a", at(10))), entries(*asked)])
    assert len(joined) == 1
    (found,) = read_uses(joined[0], confidence="high", kind="retriever", scenario=frozenset())
    assert describe(found) == "JSON: object {a, b?}"
    assert found.confidence == "medium"
