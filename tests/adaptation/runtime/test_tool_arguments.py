"""Arguments of tool calls against the tools that the call told its model, as applications run."""

import asyncio
import importlib
import json
import sys
import traceback
from pathlib import Path

import pytest
from test_launcher import environment, launched, plainly, write

from knitbone.adaptation import report
from knitbone.adaptation.runtime.arguments import adapt_object
from knitbone.errors import RequirementViolation
from knitbone.record.events import ToolCallRequest
from knitbone.testing import ModelServer, Reply

__all__ = ["environment"]  # a fixture

SCHEMA = """
WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city", "days"],
}
NONE = {"type": "object", "properties": {}}
FUNCTIONS = [
    {"name": name, "description": "It does it.", "parameters": schema}
    for name, schema in (("weather", WEATHER), ("clock", NONE))
]
TOOLS = [{"type": "function", "function": each} for each in FUNCTIONS]
CALLED = []


def run(name, arguments):
    CALLED.append((name, arguments))
    return name


def make(**values):
    return values


"""
OPENAI = "import json, openai, knitbone\n" + SCHEMA
OPENAI += "client = openai.OpenAI(base_url='{url}', api_key='x', max_retries=0)\n"
DRIFTED = '{"City": "Ulm", "days": "3", "unit": "Celsius"}'
MEANT = {"city": "Ulm", "days": 3, "unit": "celsius"}
UNTOUCHED = json.loads(DRIFTED)
GOOD = json.dumps(MEANT)

WAYS = {
    "attributes": """
    @knitbone.adapt
    def plan(goal):
        message = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=TOOLS
        ).choices[0].message
        for call in message.tool_calls:
            run(call.function.name, json.loads(call.function.arguments))
    """,
    "an alias, and the tools positional in a helper": """
    def ask(goal, tools):
        return client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=tools
        )

    @knitbone.adapt
    def plan(goal):
        for call in ask(goal, TOOLS).choices[0].message.tool_calls:
            function = call.function
            arguments = json.loads(function.arguments)
            run(function.name, arguments)
    """,
    "dictionaries": """
    @knitbone.adapt
    def plan(goal):
        said = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=TOOLS
        ).model_dump()
        for call in said["choices"][0]["message"]["tool_calls"]:
            run(call["function"]["name"], json.loads(call["function"]["arguments"]))
    """,
    "settings that are spread": """
    @knitbone.adapt
    def plan(goal):
        settings = dict(model="m", messages=[{"role": "user", "content": goal}])
        settings["tools"] = TOOLS
        for call in client.chat.completions.create(**settings).choices[0].message.tool_calls:
            run(call.function.name, json.loads(call.function.arguments))
    """,
    "the name is not beside the arguments": """
    def read(call):
        return call.function.arguments

    @knitbone.adapt
    def plan(goal):
        said = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=TOOLS[:1]
        )
        for call in said.choices[0].message.tool_calls:
            run(call.function.name, json.loads(read(call)))
    """,
    "a comprehension": """
    @knitbone.adapt
    def plan(goal):
        calls = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=[*TOOLS]
        ).choices[0].message.tool_calls
        for name, given in [(c.function.name, json.loads(c.function.arguments)) for c in calls]:
            run(name, given)
    """,
    "tools made from a class": """
    import pydantic
    from typing import Literal, Optional

    class weather(pydantic.BaseModel):
        city: str
        days: int
        unit: Optional[Literal["celsius", "fahrenheit"]] = None

    @knitbone.adapt
    def plan(goal):
        said = client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": goal}],
            tools=[openai.pydantic_function_tool(weather)],
        )
        for call in said.choices[0].message.tool_calls:
            run(call.function.name, json.loads(call.function.arguments))
    """,
    "a generator": """
    def calls(goal):
        said = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=TOOLS
        )
        for call in said.choices[0].message.tool_calls:
            yield call.function.name, json.loads(call.function.arguments)

    @knitbone.adapt
    def plan(goal):
        for name, given in calls(goal):
            run(name, given)
    """,
}


def called(name="weather", arguments=DRIFTED, *more):
    asked = [(name, arguments), *more]
    return Reply(tool_calls=tuple(ToolCallRequest(name=n, arguments=a) for n, a in asked))


@pytest.fixture
def app_of(load):
    """An application whose model answers as told; its calls are in ``CALLED``."""
    servers = []
    clients = []

    def made(source, *replies, header=OPENAI):
        server = ModelServer(list(replies)).__enter__()
        servers.append(server)
        url = server.base_url if header is OPENAI else server.url
        app = load(header.replace("{url}", url) + dedented(source))
        clients.append(app.client)
        return app

    yield made
    for client in clients:
        client.close()
    for server in servers:
        server.__exit__(None, None, None)


def dedented(source):
    return "\n".join(line.removeprefix("    ") for line in source.splitlines()) + "\n"


def actions():
    return [(each.action, each.defect) for each in report().adaptations]


@pytest.mark.parametrize("way", WAYS)
def test_drifted_arguments_arrive_as_the_schema_wants_them(app_of, way):
    app = app_of(WAYS[way], called())
    app.plan("What will it be?")
    assert app.CALLED == [("weather", MEANT)]
    assert actions() == [("repaired", "template discrepancy")]


@pytest.mark.parametrize("way", WAYS)
def test_conforming_arguments_pass(app_of, way):
    app = app_of(WAYS[way], called(arguments=GOOD))
    app.plan("What will it be?")
    assert app.CALLED == [("weather", MEANT)]
    assert actions() == []
    assert [site.conforming for site in report().sites] == [1]


def test_the_report_names_the_line_that_tells_the_model_its_tools(app_of):
    app = app_of(WAYS["attributes"], called())
    app.plan("x")
    [event] = report().adaptations
    lines = Path(app.__file__).read_text(encoding="utf-8").splitlines()
    line = 1 + next(number for number, text in enumerate(lines) if "tools=TOOLS" in text)
    assert event.evidence == f"{app.__file__}:{line}  the schema of the tool weather"
    assert set(event.rules) == {'key "City" -> "city"', '"Celsius" -> "celsius"', "text -> number"}


def test_several_calls_of_one_answer_have_a_schema_each(app_of):
    app = app_of(WAYS["attributes"], called("weather", DRIFTED, ("clock", ""), ("weather", GOOD)))
    app.plan("x")
    assert app.CALLED == [("weather", MEANT), ("clock", {}), ("weather", MEANT)]


def test_a_tool_that_was_not_offered_is_none_of_ours(app_of):
    app = app_of(WAYS["attributes"], called("get_weather", DRIFTED))
    app.plan("x")
    assert app.CALLED == [("get_weather", UNTOUCHED)]
    assert actions() == []


def test_a_missing_argument_is_reported_and_never_made_up(app_of):
    app = app_of(WAYS["attributes"], called("weather", '{"city": "Ulm"}'))
    app.plan("x")
    assert app.CALLED == [("weather", {"city": "Ulm"})]
    [event] = report().adaptations
    assert (event.action, event.reason) == ("refused", 'the value: the key "days" is missing')


def test_what_the_code_reads_holds_too(app_of):
    source = """
    @knitbone.adapt
    def plan(goal):
        said = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=TOOLS
        )
        for call in said.choices[0].message.tool_calls:
            given = json.loads(call.function.arguments)
            run(given["city"], given["unit"])
    """
    # The schema would have the unit left out, the code cannot do without.
    unclear = '{"city": "Ulm", "days": 3, "unit": null}'
    app = app_of(source, called(arguments=unclear), called())
    app.plan("x")
    app.plan("x")
    assert app.CALLED == [("Ulm", None), ("Ulm", "celsius")]


def test_the_tools_of_one_call_are_not_those_of_the_next(app_of):
    source = """
    @knitbone.adapt
    def plan(goal, **settings):
        said = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], **settings
        )
        for call in said.choices[0].message.tool_calls:
            run(call.function.name, json.loads(call.function.arguments))
    """
    app = app_of(source, called(), called())
    app.plan("x", tools=app.TOOLS)
    app.plan("x")
    assert app.CALLED == [("weather", MEANT), ("weather", UNTOUCHED)]


def test_tools_may_change_between_calls(app_of):
    app = app_of(WAYS["attributes"], called(), called())
    app.plan("x")
    app.WEATHER["properties"]["days"] = {"type": "string"}
    app.plan("x")
    assert [given["days"] for _, given in app.CALLED] == [3, "3"]


@pytest.mark.parametrize(
    "tools",
    [
        None,
        "TOOLS",
        [],
        [None, 1, "x", {}],
        [{"name": "weather"}],
        [{"name": "weather", "parameters": 3}],
        [{"name": "weather", "parameters": {"properties": object()}}],
        [{"name": "weather", "parameters": {"type": object()}}],
        [{"name": "weather", "parameters": {(1, 2): 2}}],
        [{"function": {"name": "weather", "parameters": True}}],
        [{"name": ["weather"], "parameters": {"required": ["x"]}}],
        iter([{"name": "weather", "parameters": {"required": ["x"]}}]),
        object(),
    ],
)
def test_tools_that_cannot_be_read_demand_nothing(app_of, tools):
    app = app_of(WAYS["attributes"], called())
    create = app.client.chat.completions.create
    # The client could not send such tools.
    app.client.chat.completions.create = lambda tools, **settings: create(**settings)
    app.TOOLS = tools
    app.plan("x")
    assert app.CALLED == [("weather", UNTOUCHED)]
    assert actions() == []


def test_a_schema_that_contains_itself(app_of):
    app = app_of(WAYS["attributes"], called(arguments='{"node": {"Name": "a", "next": {}}}'))
    app.WEATHER.clear()
    node = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}},
        "required": ["name"],
    }
    app.WEATHER |= {
        "type": "object",
        "properties": {"node": {"$ref": "#/$defs/node"}},
        "required": ["node"],
        "$defs": {"node": node},
    }
    app.plan("x")
    assert app.CALLED == [("weather", {"node": {"name": "a", "next": {}}})]


def test_concurrent_tasks_keep_their_tools_apart(app_of):
    source = """
    import asyncio
    later = openai.AsyncOpenAI(base_url=str(client.base_url), api_key="x", max_retries=0)

    async def one(goal, kind):
        tools = [{"type": "function", "function": {"name": "weather", "parameters": {
            "type": "object", "properties": {"days": {"type": kind}}, "required": ["days"],
        }}}]
        said = await later.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=tools
        )
        await asyncio.sleep(0.01)
        calls = said.choices[0].message.tool_calls
        return [json.loads(call.function.arguments)["days"] for call in calls]

    @knitbone.adapt
    async def plan(goal):
        kinds = ("integer", "string", "any") * 5
        try:
            return await asyncio.gather(*(one(goal, kind) for kind in kinds))
        finally:
            await later.close()
    """
    app = app_of(source, *[called(arguments='{"days": "3"}')] * 15)
    assert asyncio.run(app.plan("x")) == [[3], ["3"], ["3"]] * 5


def test_arguments_in_pieces_pass_as_they_come(app_of):
    source = """
    @knitbone.adapt
    def plan(goal):
        pieces = []
        for chunk in client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=TOOLS, stream=True
        ):
            for choice in chunk.choices:
                for call in choice.delta.tool_calls or ():
                    pieces.append(call.function.arguments or "")
        run("weather", json.loads("".join(pieces)))
    """
    app = app_of(source, called())
    app.plan("x")
    assert app.CALLED == [("weather", UNTOUCHED)]


ANSWERED = "import httpx\n" + OPENAI.replace(
    "max_retries=0", "http_client=httpx.Client(transport=httpx.MockTransport(answer))"
).replace(
    "client =", "def answer(request):\n    return httpx.Response(200, json={body})\nclient ="
).replace("{url}", "http://test/v1")


def test_functions_of_the_older_protocol(load):
    source = """
    @knitbone.adapt
    def plan(goal):
        message = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], functions=FUNCTIONS
        ).choices[0].message
        run(message.function_call.name, json.loads(message.function_call.arguments))
    """
    said = {"role": "assistant", "content": None}
    said["function_call"] = {"name": "weather", "arguments": DRIFTED}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    body["choices"] = [{"index": 0, "finish_reason": "function_call", "message": said}]
    app = load(ANSWERED.replace("{body}", repr(body)) + dedented(source))
    app.plan("x")
    assert app.CALLED == [("weather", MEANT)]


def test_the_responses_protocol(load):
    source = """
    @knitbone.adapt
    def plan(goal):
        for item in client.responses.create(model="m", input=goal, tools=FUNCTIONS).output:
            if item.type == "function_call":
                run(item.name, json.loads(item.arguments))
    """
    item = {"type": "function_call", "id": "f", "call_id": "c", "status": "completed"}
    item |= {"name": "weather", "arguments": DRIFTED}
    body = {"id": "1", "object": "response", "created_at": 1, "model": "m", "output": [item]}
    body |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    app = load(ANSWERED.replace("{body}", repr(body)) + dedented(source))
    app.plan("x")
    assert app.CALLED == [("weather", MEANT)]


ANTHROPIC = "import anthropic, knitbone\n" + SCHEMA
ANTHROPIC += "TOOLS = [{'name': f['name'], 'input_schema': f['parameters']} for f in FUNCTIONS]\n"
ANTHROPIC += "client = anthropic.Anthropic(base_url='{url}', api_key='x', max_retries=0)\n"
BLOCKS = """
    @knitbone.adapt
    def plan(goal):
        said = client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": goal}], tools=TOOLS
        )
        for block in said.content:
            if block.type == "tool_use":
                run(block.name, block.input)
        return said
"""


def test_anthropic_gives_an_object(app_of):
    app = app_of(BLOCKS, called(arguments=json.loads(DRIFTED)), header=ANTHROPIC)
    said = app.plan("x")
    assert app.CALLED == [("weather", MEANT)]
    assert said.content[-1].input == json.loads(DRIFTED)  # what the model said stays as it was
    assert actions() == [("repaired", "template discrepancy")]


def test_a_conforming_object_is_the_same_object(app_of):
    app = app_of(BLOCKS, called(arguments=MEANT), header=ANTHROPIC)
    said = app.plan("x")
    assert app.CALLED[0][1] is said.content[-1].input
    assert actions() == []


def test_an_object_with_an_argument_called_text_is_no_answer(app_of):
    app = app_of(BLOCKS, called("clock", {"text": "1) a", "content": "b"}), header=ANTHROPIC)
    app.plan("x")
    assert app.CALLED == [("clock", {"text": "1) a", "content": "b"})]
    assert actions() == []


@pytest.mark.parametrize("mode", ["observe", "strict"])
def test_modes(app_of, mode):
    source = WAYS["attributes"].replace("knitbone.adapt", f"knitbone.adapt(mode={mode!r})")
    app = app_of(source, called(), called(arguments=GOOD))
    if mode == "strict":
        with pytest.raises(RequirementViolation, match="City"):
            app.plan("x")
        assert app.CALLED == []
    else:
        app.plan("x")
        assert app.CALLED == [("weather", UNTOUCHED)]
        assert actions() == [("observed", "template discrepancy")]
    app.plan("x")
    assert app.CALLED[-1] == ("weather", MEANT)


@pytest.mark.parametrize("without", ["structured", "structured.types"])
def test_it_can_be_switched_off(app_of, without, monkeypatch):
    monkeypatch.setenv("KNITBONE_ADAPT_WITHOUT", without)
    app = app_of(WAYS["attributes"], called())
    app.plan("x")
    assert app.CALLED == [("weather", UNTOUCHED)]


def test_evaluation_keeps_its_order_and_its_number(app_of):
    source = """
    SEEN = []

    def note(name, value):
        SEEN.append(name)
        return value

    def first(calls):
        SEEN.append("first")
        return calls[0]

    @knitbone.adapt
    def plan(goal):
        said = client.chat.completions.create(
            model=note("model", "m"),
            tools=note("tools", TOOLS[:1]),
            messages=note("messages", [{"role": "user", "content": goal}]),
            **note("settings", {}),
        )
        given = json.loads(first(said.choices[0].message.tool_calls).function.arguments)
        run("weather", given)
    """
    app = app_of(source, called())
    app.plan("x")
    assert app.SEEN == ["model", "tools", "messages", "settings", "first"]
    assert app.CALLED == [("weather", MEANT)]


def test_an_object_without_a_name_raises_nothing(app_of):
    source = """
    from types import SimpleNamespace

    @knitbone.adapt
    def plan(goal):
        message = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": goal}], tools=TOOLS[:1]
        ).choices[0].message
        for call in message.tool_calls:
            call.function = SimpleNamespace(arguments=call.function.arguments)
            run("weather", json.loads(call.function.arguments))
    """
    app = app_of(source, called())
    app.plan("x")
    assert app.CALLED == [("weather", MEANT)]


MODULES = {
    "llm": """
        import httpx, openai
        def answer(request):
            call = {"id": "1", "type": "function"}
            call["function"] = {"name": "weather", "arguments": '{"City": "Ulm", "days": "3"}'}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
            body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
            return httpx.Response(200, json={**body, "choices": [choice]})
        http = httpx.Client(transport=httpx.MockTransport(answer))
        client = openai.OpenAI(base_url="http://test/v1", api_key="x", http_client=http)
        def chat(messages, tools):
            return client.chat.completions.create(model="m", messages=messages, tools=tools)
    """,
    "tools": """
        TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city", "days"],
        }}}]
        def weather(city, days):
            return f"{city}: {days + 1}"
    """,
    "agent": """
        import json
        from llm import chat
        from tools import TOOLS, weather
        def plan(goal):
            message = chat([{"role": "user", "content": goal}], TOOLS).choices[0].message
            return [
                {"weather": weather}[call.function.name](**json.loads(call.function.arguments))
                for call in message.tool_calls
            ]
        if __name__ == "__main__":
            print(plan("x"))
    """,
}


def test_the_call_stands_in_another_module(tmp_path, environment):
    write(tmp_path, **MODULES)
    plain = plainly(tmp_path, environment, sys.executable, "agent.py")
    assert "TypeError" in plain.stderr
    done, _ = launched(tmp_path, environment, sys.executable, "agent.py")
    assert done.stdout.splitlines()[:1] == ["['Ulm: 4']"], done.stderr


def test_the_call_stands_in_another_module_of_a_decorated_function(tmp_path, monkeypatch):
    agent = MODULES["agent"].replace("def plan", "@knitbone.adapt\n        def plan")
    agent = agent.replace("import json\n", "import json, knitbone\n")
    agent = agent.replace("from llm", "from tool_llm").replace("from tools", "from tool_tools")
    write(tmp_path, tool_llm=MODULES["llm"], tool_tools=MODULES["tools"], tool_agent=agent)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        assert importlib.import_module("tool_agent").plan("x") == ["Ulm: 4"]
    finally:
        for name in ("tool_agent", "tool_llm", "tool_tools"):
            sys.modules.pop(name, None)


TRACED = """
    @knitbone.adapt
    def plan(goal):
        message = client.chat.completions.create(
            model="m",
            tools=[
                *TOOLS,
            ],
            messages=[{"role": "user", "content": goal}],
            **dict(
                temperature=1,
            ),
        ).choices[0].message
        for call in message.tool_calls:
            given = json.loads(
                call.function.arguments
            )
            run(call.function.name, given["city"])
        return json.loads(message.tool_calls[-1].function.arguments)["nowhere"]
"""


def lines_of(app):
    seen = []

    def trace(frame, event, _):
        if frame.f_code.co_filename != app.__file__:
            return None
        seen.append((event, frame.f_code.co_name, frame.f_lineno))
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(KeyError) as caught:
            app.plan("x")
    finally:
        sys.settrace(previous)
    frames = traceback.extract_tb(caught.tb)[1:]
    return seen, [(frame.lineno, frame.name, frame.line) for frame in frames]


def test_tracers_and_tracebacks_see_the_same_lines(app_of):
    plain = app_of(TRACED.replace("@knitbone.adapt", "@(lambda f: f)"), called(arguments=GOOD))
    app = app_of(TRACED, called(arguments=GOOD), called(arguments=GOOD))
    with pytest.raises(KeyError):
        app.plan("x")
    assert lines_of(app) == lines_of(plain)
    assert app.plan.__code__.co_varnames == plain.plan.__code__.co_varnames


def test_calls_of_which_nothing_is_known_are_counted(app_of):
    source = BLOCKS.replace(", tools=TOOLS", ", extra_body={'tools': TOOLS}")
    app = app_of(source, called(arguments=json.loads(DRIFTED)), header=ANTHROPIC)
    said = app.plan("x")
    assert app.CALLED[0][1] is said.content[-1].input
    assert [(site.answers, site.unchecked) for site in report().sites] == [(1, 1)]


@pytest.mark.parametrize(
    "given", [{1: "3", "days": "3"}, {"days": "3", "at": {1}}, {"days": "3", "at": (1,)}]
)
def test_an_object_that_is_no_json_passes_as_it_is(given):
    def adapt(_):
        raise AssertionError

    assert adapt_object(given, adapt) is given


def test_an_object_that_contains_itself_passes_as_it_is():
    given = {"days": "3"}
    given["all"] = given
    assert adapt_object(given, str.upper) is given
