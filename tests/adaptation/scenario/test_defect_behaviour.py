"""Tools that are called again with what they were called with (Comfrey §4.5.1)."""

import asyncio
import json
import math
import os
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import knitbone
from knitbone.adaptation import report
from knitbone.adaptation.runtime.tools import watch_tool
from knitbone.adaptation.scenario.behaviour import Tools, purity_of
from knitbone.adaptation.scenario.behaviour.tool_history import (
    MOST_REMEMBERED,
    PastCall,
    ToolHistory,
    key_of,
)
from knitbone.config import AdaptConfig
from knitbone.errors import KnitboneError

RATES = {"EUR": 1.0, "USD": 1.1}
STOCK = {"bolt": 3}
COUNT = 0


def add(a, b):
    return a + b


def convert(amount, unit="EUR"):
    found = []
    for part in str(amount).split(","):
        found.append(float(part) * RATES[unit])
    return sum(found)


def words(text):
    table = {}
    for word in text.lower().split():
        table[word] = table.get(word, 0) + 1
    return dict(sorted(table.items()))


def root(x):
    return round(math.sqrt(add(x, 0)), 2)


def stock(item):
    return STOCK[item]


def take(item):
    STOCK[item] -= 1
    return STOCK[item]


def clock(zone):
    return time.time()


def dice(sides):
    return random.randint(1, sides)


def counted(x):
    global COUNT  # noqa: PLW0603 - what is tested
    COUNT += 1
    return x


def reads(path):
    return open(path).read()


def remembers(x, seen=[]):  # noqa: B006 - what is tested
    seen.append(x)
    return len(seen)


def prints(x):
    print(x)
    return x


def alters(items):
    items.sort()
    return items


def counts_so_far(x):
    return x + COUNT


def prints_each(items):
    return list(map(print, items))


def reads_each(paths):
    return sorted(paths, key=os.path.getsize)


def asks_the_environment(name):
    return os.environ[name]


def aliases(items):
    same = items
    same.append(1)
    return same


def calls_its_argument(action, x):
    return action(x)


async def later(x):
    return x


def yields(x):
    yield x


@pytest.mark.parametrize("function", [add, words, root, math.sqrt, len])
def test_what_only_computes_is_pure(function):
    assert purity_of(function) == "pure"


def test_what_looks_up_a_table_that_nothing_changes_is_stable():
    assert purity_of(convert) == "stable"


@pytest.mark.parametrize(
    "function",
    [
        *(stock, take, clock, dice, counted, reads, remembers, prints, alters, aliases, time.time),
        *(counts_so_far, prints_each, reads_each, asks_the_environment),
        *(calls_its_argument, later, yields, print, open, lambda x: x, print.__call__, 3, "text"),
    ],
)
def test_nothing_else_is(function):
    assert purity_of(function) == "unknown"


def watching(**settings):
    history, repeated = ToolHistory(), []
    return Tools(lambda: history, report=repeated.append, **settings), repeated


def test_a_repeated_call_gives_a_copy_of_what_the_first_gave():
    tools, repeated = watching()
    first = tools.watch(words)("b a b")
    first["b"] = 99
    second = tools.watch(words)("b a b")
    assert second == {"a": 1, "b": 2}
    assert [one.tool.rpartition(":")[2] for one in repeated] == ["words"]


def test_other_arguments_are_another_call():
    tools, repeated = watching()
    watched = tools.watch(add)
    assert [watched(1, 2), watched(1.0, 2), watched(True, 2), watched(1, b=2)] == [3, 3.0, 3, 3]
    assert repeated == []


def test_a_tool_of_which_nothing_is_known_runs_every_time_as_itself():
    tools, repeated = watching()
    assert tools.watch(counted) is counted
    assert repeated == []


def test_what_another_tool_may_have_changed_is_looked_up_again_and_what_is_pure_is_not():
    tools, repeated = watching()
    assert tools.watch(convert)("1") == 1.0
    assert tools.watch(add)(1, 1) == 2
    tools.watch(take)
    tools.watch(convert)("1")
    tools.watch(add)(1, 1)
    assert [one.tool.rpartition(":")[2] for one in repeated] == ["add"]


def test_an_error_is_never_remembered():
    tools, repeated = watching()
    for _ in range(2):
        with pytest.raises(KeyError):
            tools.watch(convert)("1", unit="XYZ")
    assert repeated == []


def test_observing_lets_the_tool_run():
    tools, repeated = watching(bypasses=False)
    assert [tools.watch(add)(1, 2), tools.watch(add)(1, 2)] == [3, 3]
    assert len(repeated) == 1


def test_the_history_forgets_the_oldest():
    history = ToolHistory()
    for number in range(MOST_REMEMBERED + 1):
        history.remember(PastCall("t", str(number), number, stable=True))
    assert history.find("t", "0") is None
    assert history.find("t", "1").output == 1


@pytest.mark.parametrize("value", [object(), [object()], {"a": {1: {2, 3}}}, "x" * 30_000])
def test_arguments_that_are_no_plain_data_are_never_the_same(value):
    assert key_of([value], {}) is None


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(first=plain, second=plain)
def test_equal_keys_mean_equal_arguments_of_equal_types(first, second):
    if key_of([first], {}) == key_of([second], {}):
        assert first == second
        assert repr(first) == repr(second)
    assert key_of([first], {"a": second}) == key_of([first], {"a": second})


APP = """
    import knitbone

    RATES = {"EUR": 1.0, "USD": 1.1}
    RUNS = []

    @knitbone.source
    def model(prompt):
        return ANSWERS.pop(0)

    def convert(amount, unit):
        return amount * RATES[unit]

    def note(text):
        RUNS.append(text)
        return len(RUNS)

    TOOLS = {"convert": convert, "note": note}

    @knitbone.adapt
    def agent(task):
        seen = []
        while True:
            name, _, argument = model(task).partition(" ")
            if name == "done":
                return seen
            tool = TOOLS[name]
            seen.append(tool(2, argument) if name == "convert" else TOOLS[name](argument))
"""


def test_an_agents_loop_does_not_run_a_stateless_tool_twice(load, every_scenario):
    app = load(APP)
    app.ANSWERS = ["convert USD", "convert USD", "note a", "note a", "convert USD", "done x"]
    assert app.agent("go") == [2.2, 2.2, 1, 2, 2.2]
    assert app.RUNS == ["a", "a"]
    events = [e for e in report().adaptations if e.defect == "redundant behaviour"]
    assert [event.rules[0].rpartition(":")[2] for event in events] == [
        "convert answered from the history"
    ]


@pytest.mark.parametrize(("stateless", "answered"), [("", 0), ("convert", 1)])
def test_by_default_only_declared_tools_are_answered(load, monkeypatch, stateless, answered):
    monkeypatch.setenv("KNITBONE_ADAPT_STATELESS", stateless)
    app = load(APP)
    app.ANSWERS = ["convert USD", "convert USD", "done x"]
    assert app.agent("go") == [2.2, 2.2]
    events = [e for e in report().adaptations if e.defect == "redundant behaviour"]
    assert len(events) == answered


def test_a_place_follows_the_settings_that_hold_there_last():
    looked_at = AdaptConfig(scenario=("all",))
    assert watch_tool(add, "app.py:1", looked_at) is not add
    assert watch_tool(add, "app.py:1", AdaptConfig()) is add
    assert watch_tool(add, "app.py:1", looked_at) is not add


BRANCHES = """
    import json
    import knitbone

    RATES = {"EUR": 1.0, "USD": 1.1}
    RUNS = []

    @knitbone.source
    def model(prompt):
        return ANSWERS.pop(0)

    def convert(amount, unit):
        return amount * RATES[unit]

    def double(amount):
        return 2 * amount

    def note(text):
        RUNS.append(text)
        return len(RUNS)

    @knitbone.adapt
    def agent(task):
        seen = []
        while ANSWERS:
            call = json.loads(model(task))
            name, arguments = call["name"], call["arguments"]
            if name == "convert":
                seen.append(convert(**arguments))
            elif name == "double":
                seen.append(double(arguments["amount"]))
            else:
                seen.append(note(**arguments))
        return seen
"""


def test_tools_that_branches_call_by_their_name(load, every_scenario):
    app = load(BRANCHES)
    calls = [("convert", {"amount": 2, "unit": "USD"}), ("double", {"amount": 3})] * 2
    calls += [("note", {"text": "a"})] * 2
    app.ANSWERS = [json.dumps({"name": name, "arguments": given}) for name, given in calls]
    assert app.agent("go") == [2.2, 6, 2.2, 6, 1, 2]
    events = [e for e in report().adaptations if e.defect == "redundant behaviour"]
    assert [event.rules[0].split()[0].rpartition(":")[2] for event in events] == [
        "convert",
        "double",
    ]


def test_without_the_heuristic_nothing_is_looked_up(load, monkeypatch, every_scenario):
    monkeypatch.setenv("KNITBONE_ADAPT_WITHOUT", "behaviour.bypass")
    app = load(APP)
    app.ANSWERS = ["convert USD", "convert USD", "done x"]
    assert app.agent("go") == [2.2, 2.2]
    assert [e for e in report().adaptations if e.defect == "redundant behaviour"] == []


def test_a_declared_tool_answers_from_the_history_of_its_session():
    runs = []

    @knitbone.tool(stateless=True)
    def look_up(name):
        """The capital."""
        runs.append(name)
        return {"name": name}

    @knitbone.tool
    def store(name):
        return None

    with knitbone.session():
        first = look_up("France")
        assert look_up("France") == first
        assert look_up("France") is not first
        with knitbone.session():
            look_up("France")  # another conversation knows nothing of it
        store("x")
        look_up("France")  # a tool that changes things ran in between
    assert runs == ["France"] * 3
    assert (look_up.__name__, look_up.__doc__) == ("look_up", "The capital.")


def test_a_declared_coroutine_stays_one_and_tasks_keep_their_histories_apart():
    runs = []

    @knitbone.tool(stateless=True)
    async def look_up(name):
        runs.append(name)
        await asyncio.sleep(0)
        return name

    async def job():
        async with knitbone.session():
            return [await look_up("a"), await look_up("a")]

    async def both():
        return await asyncio.gather(job(), job())

    assert asyncio.run(both()) == [["a", "a"], ["a", "a"]]
    assert runs == ["a", "a"]


def test_switched_off_means_the_tool_itself(monkeypatch):
    runs = []

    @knitbone.tool(stateless=True)
    def look_up(name):
        runs.append(name)
        return name

    monkeypatch.setenv("KNITBONE_DISABLED", "1")
    look_up("a"), look_up("a")
    assert runs == ["a", "a"]


@pytest.mark.parametrize("given", ["look_up", 3, classmethod(len)])
def test_what_cannot_be_called_is_no_tool(given):
    with pytest.raises(KnitboneError, match=r"knitbone\.tool was given .* which is no function"):
        knitbone.tool(given)
