"""``@knitbone.adapt(on_repair=f)``: ``f`` sees each repair, the application nothing of ``f``."""

import asyncio
import contextlib
import multiprocessing
import os
import threading

import pytest

import knitbone
from knitbone.adaptation.runtime import listeners
from knitbone.errors import ConfigError
from knitbone.testing import ModelServer, Reply

APP = """
import asyncio, json
import knitbone
import openai
TOLD = []
@knitbone.source
def ask(text):
    return text
CLIENT = openai.OpenAI(api_key="x", max_retries=0)
@knitbone.source
async def ask_later(text):
    await asyncio.sleep(0)
    return text
def listen(repair):
    TOLD.append(repair)
def read(text):
    return json.loads(ask(text))["age"]
def stream(text):
    answer = ""
    messages = [{"role": "user", "content": text}]
    for piece in CLIENT.chat.completions.create(model="m", messages=messages, stream=True):
        answer += piece.choices[0].delta.content or ""
    return json.loads(answer)["age"]
async def later(text):
    return json.loads(await ask_later(text))["age"]
"""
DRIFTED = '{"Age": 36}'
REPAIRED = '{"age": 36}'


@pytest.fixture(autouse=True)
def _server(monkeypatch):
    """A model that answers with what it is asked."""

    def answer(body):
        return Reply(text=body["messages"][-1]["content"])

    with ModelServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield


@pytest.fixture
def app(load):
    """The functions of the application, decorated with a listener."""

    def make(listener="listen", settings=""):
        source = APP.replace("def listen", f"{listener_source}\ndef listen")
        for name in ("def read", "def stream", "async def later"):
            decorator = f"@knitbone.adapt(on_repair={listener}, budget_ms=60_000{settings})\n"
            source = source.replace(name, decorator + name)
        return load(source)

    listener_source = "\n".join(f"def {name}(repair):\n{body}" for name, body in FAULTS.items())
    return make


FAULTS = {
    "raises": "    TOLD.append(repair)\n    raise ValueError('mine')\n",
    "exits": "    TOLD.append(repair)\n    raise SystemExit(3)\n",
    "cancels": "    TOLD.append(repair)\n    raise asyncio.CancelledError\n",
    "again": "    TOLD.append(repair)\n    assert read('{\"Age\": 1}') == 1\n",
    "answers": "    TOLD.append(repair)\n    return 'nobody reads this'\n",
}


def run(module, way):
    if way == "later":
        return asyncio.run(module.later(DRIFTED))
    return getattr(module, way)(DRIFTED)


@pytest.mark.parametrize("way", ["read", "stream", "later"])
def test_a_listener_gets_the_record_of_each_repair(app, way):
    module = app()
    assert run(module, way) == 36
    (repair,) = module.TOLD
    assert isinstance(repair, knitbone.Repair)
    assert (repair.rule, repair.rules) == ('key "Age" -> "age"', ('key "Age" -> "age"',))
    assert (repair.before, repair.after, repair.delivered) == (DRIFTED, REPAIRED, True)
    assert repair.site.startswith(f"{module.__file__}:")
    assert "json.loads" in repair.evidence


@pytest.mark.parametrize("way", ["read", "stream", "later"])
def test_nothing_that_fits_or_is_refused_is_told(app, way):
    module = app()
    for text in (REPAIRED, '{"age": "old"}', "no"):
        with contextlib.suppress(ValueError):
            asyncio.run(module.later(text)) if way == "later" else getattr(module, way)(text)
    assert module.TOLD == []


@pytest.mark.parametrize("way", ["read", "stream", "later"])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_listener_does_never_reaches_the_application(app, way, fault, caplog):
    module = app(fault)
    with caplog.at_level("ERROR", logger="knitbone"):
        assert run(module, way) == 36
        assert run(module, way) == 36
    assert len(module.TOLD) == 2
    failed = [record for record in caplog.records if "on_repair failed at" in record.message]
    assert len(failed) == (0 if fault in ("again", "answers") else 2)


def test_a_repair_that_a_listener_makes_is_counted_and_not_told(app):
    module = app("again")
    module.read(DRIFTED)
    assert len(module.TOLD) == 1
    assert sum(counts.repaired for counts in knitbone.summary().sites) == 2


def test_an_interrupt_from_the_keyboard_stays_one(app, monkeypatch):
    module = app("raises")
    with monkeypatch.context() as patched:
        patched.setattr(module, "ValueError", lambda _: KeyboardInterrupt(), raising=False)
        with pytest.raises(KeyboardInterrupt):
            module.read(DRIFTED)
    module.TOLD.clear()
    assert module.read(DRIFTED) == 36
    assert len(module.TOLD) == 1


ASYNC = """
import asyncio, json
import knitbone
TOLD, ENDED = [], []
@knitbone.source
def ask(text):
    return text
async def listen(repair):
    TOLD.append(repair)
    await asyncio.sleep(0.01)
    ENDED.append(repair)
    raise ValueError("mine")
@knitbone.adapt(on_repair=listen, budget_ms=60_000)
def read(text):
    return json.loads(ask(text))["age"]
async def main(text):
    age = read(text)
    before = list(TOLD)
    await asyncio.sleep(0.1)
    return age, before
"""


def test_an_asynchronous_listener_is_a_task_of_the_running_loop(load, caplog):
    module = load(ASYNC)
    assert asyncio.run(module.main(DRIFTED)) == (36, [])  # the application does not wait for it
    assert len(module.TOLD) == len(module.ENDED) == 1
    assert "on_repair failed at" in caplog.text


def test_an_asynchronous_listener_is_run_to_its_end_where_no_loop_runs(load, caplog):
    module = load(ASYNC)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        assert module.read(DRIFTED) == 36
        assert asyncio.get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()
    assert len(module.ENDED) == 1
    assert "on_repair failed at" in caplog.text


def test_observe_tells_what_would_be_done(app):
    module = app(settings=', mode="observe"')
    with pytest.raises(KeyError):
        module.read(DRIFTED)
    (repair,) = module.TOLD
    assert (repair.before, repair.after, repair.delivered) == (DRIFTED, REPAIRED, False)


def test_strict_raises_and_tells_nothing(app):
    module = app(settings=', mode="strict"')
    for _ in range(2):
        with pytest.raises(knitbone.RequirementViolation):
            module.read(DRIFTED)
    assert module.TOLD == []


def test_threads_are_told_of_their_own_repairs_in_their_own_thread(load):
    source = APP.replace("def read", "@knitbone.adapt(on_repair=listen)\ndef read")
    source = source.replace(
        "TOLD.append(repair)", "TOLD.append((threading.get_ident(), repair.before))"
    ).replace("import asyncio,", "import threading, asyncio,")
    module = load(source)
    module.read(DRIFTED)
    module.TOLD.clear()
    done = []

    def work(number):
        text = f'{{"Age": {number}}}'
        for _ in range(20):
            module.read(text)
        done.append((threading.get_ident(), text))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(module.TOLD) == sorted(done * 20)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_tells_its_own(app):
    module = app()
    module.read(DRIFTED)
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def work():
        module.read(DRIFTED)
        sender.send(len(module.TOLD))

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(60)
    assert (receiver.poll(1), receiver.recv(), len(module.TOLD)) == (True, 2, 1)


def test_without_a_listener_nothing_is_noted(load, monkeypatch):
    module = load(APP.replace("def read", "@knitbone.adapt(budget_ms=60_000)\ndef read"))
    monkeypatch.setattr(listeners, "Repair", None)
    assert module.read(DRIFTED) == 36
    assert listeners._noted.repairs == []


@pytest.mark.parametrize("listener", [1, "print", ()])
def test_what_cannot_be_called_is_refused_at_decoration(listener):
    with pytest.raises(ConfigError, match=r"on_repair is .* cannot be called"):
        knitbone.adapt(on_repair=listener)


def test_the_log_names_site_and_rule(app, caplog):
    module = app()
    with caplog.at_level("INFO", logger="knitbone.adaptation.engine"):
        module.read(DRIFTED)
        with pytest.raises(ValueError, match="invalid literal"):
            int(module.read('{"age": "old"}'))
    said = [record.getMessage() for record in caplog.records]
    assert said == [f'output repaired at {module.TOLD[0].site}: key "Age" -> "age"']
