"""Models inside LangChain chains, with real LangChain classes."""

import asyncio
import copy
import pickle
import re

import pytest
from langchain_core.language_models import BaseChatModel, FakeListLLM
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from positional_templates import NUMBERED

from knitbone.adaptation.runtime.delivery import wrap_model
from knitbone.adaptation.testing import Site, number_site, process_counts
from knitbone.config import AdaptConfig

DRIFTED, REPAIRED = "1) a\n2) b", "1. a\n2. b"
PROMPT = ChatPromptTemplate.from_template("List {topic}")


def site(line, **fields):
    place = {"column": 0, "end_line": line, "end_column": 5}
    origin = {"origin": "model", "origin_file": "chain.py", "origin_line": 1, "origin_end_line": 1}
    return Site(
        file="chain.py",
        line=line,
        function="f",
        expression="model",
        confidence="high",
        **place,
        **origin,
        **{"requirements": (NUMBERED,), "chained": True, **fields},
    )


@pytest.fixture
def number():
    return number_site(site(1), AdaptConfig())


def chat(*answers):
    return GenericFakeChatModel(messages=iter([AIMessage(answer) for answer in answers]))


RUNS = {
    "invoke": lambda chain: chain.invoke({"topic": "x"}),
    "ainvoke": lambda chain: asyncio.run(chain.ainvoke({"topic": "x"})),
    "batch": lambda chain: chain.batch([{"topic": "x"}])[0],
    "abatch": lambda chain: asyncio.run(chain.abatch([{"topic": "x"}]))[0],
    "stream": lambda chain: "".join(chain.stream({"topic": "x"})),
    "astream": lambda chain: asyncio.run(joined(chain)),
    "batch as completed": lambda chain: next(chain.batch_as_completed([{"topic": "x"}]))[1],
}


async def joined(chain):
    return "".join([piece async for piece in chain.astream({"topic": "x"})])


@pytest.mark.parametrize("way", RUNS)
@pytest.mark.parametrize("kind", ["chat model", "text model", "bound", "configured", "sequence"])
def test_what_a_model_in_a_chain_says_is_adapted(number, way, kind):
    model = {
        "chat model": lambda: chat(DRIFTED),
        "text model": lambda: FakeListLLM(responses=[DRIFTED]),
        "bound": lambda: chat(DRIFTED).bind(stop=["x"]),
        "configured": lambda: chat(DRIFTED).with_config(tags=["x"]),
        "sequence": lambda: chat(DRIFTED) | StrOutputParser(),
    }[kind]()
    assert RUNS[way](PROMPT | wrap_model(model, number) | StrOutputParser()) == REPAIRED


@pytest.mark.parametrize("way", RUNS)
def test_a_conforming_answer_goes_through_a_chain_as_it_is(number, way):
    plain = PROMPT | chat(REPAIRED) | StrOutputParser()
    wrapped = PROMPT | wrap_model(chat(REPAIRED), number) | StrOutputParser()
    assert RUNS[way](wrapped) == RUNS[way](plain) == REPAIRED


def test_a_chain_of_functions_is_adapted(number):
    def ask(prompt):
        return DRIFTED

    async def ask_later(prompt):
        return DRIFTED

    for function in (ask, ask_later):
        chain = PROMPT | wrap_model(function, number) | StrOutputParser()
        assert asyncio.run(chain.ainvoke({"topic": "x"})) == REPAIRED


def test_the_wrapped_model_is_what_it_was(number):
    model = chat(DRIFTED)
    wrapped = wrap_model(model, number)
    assert isinstance(wrapped, BaseChatModel)
    assert isinstance(wrapped, GenericFakeChatModel)
    assert type(wrapped).__name__ == "GenericFakeChatModel"
    assert wrapped.get_name() == model.get_name()
    assert wrapped._llm_type == model._llm_type
    assert wrapped.model_dump().keys() == model.model_dump().keys()
    assert wrap_model(wrapped, number) is wrapped
    assert type(model) is GenericFakeChatModel
    assert model.invoke("x").content == DRIFTED


def test_names_of_runs_and_steps_stay_the_same(number):
    model = FakeListLLM(responses=["x"])
    plain, wrapped = PROMPT | model, PROMPT | wrap_model(model, number)
    assert wrapped.get_graph().draw_mermaid() == plain.get_graph().draw_mermaid()
    assert str(wrapped.to_json()) == str(plain.to_json())


def test_a_wrapped_model_is_bound_copied_and_pickled(number):
    wrapped = wrap_model(FakeListLLM(responses=[DRIFTED]), number)
    assert wrapped.bind(stop=["x"]).invoke("x") == REPAIRED
    assert copy.copy(wrapped).invoke("x") == REPAIRED
    assert pickle.loads(pickle.dumps(wrapped)).invoke("x") == REPAIRED


def test_errors_in_a_batch_stay_errors(number):
    class Failing(FakeListLLM):
        def _call(self, *_, **__):
            raise OSError("no network")

    (error,) = wrap_model(Failing(responses=["x"]), number).batch(["x"], return_exceptions=True)
    assert isinstance(error, OSError)


def test_chunks_keep_their_type_and_each_run_is_counted(number):
    chunks = list(wrap_model(chat(DRIFTED), number).stream("x"))
    assert {type(chunk) for chunk in chunks} == {AIMessageChunk}
    (counts,) = [counts for counts in process_counts() if counts.site == "chain.py:1"]
    assert (counts.answers, counts.repaired) == (1, 1)


def test_what_is_no_model_is_left_alone(number):
    for value in (None, {"a": 1}, re.compile("x")):
        assert wrap_model(value, number) is value


def counted(text):
    return text, len(text.splitlines())


def numbered(text):
    return [(int(line.split(". ")[0]), line) for line in text.splitlines()]


def test_the_steps_behind_a_model_say_whether_its_answer_is_read(number):
    """An answer of which the next function makes something passes as it is."""

    def result(function):
        wrapped = wrap_model(chat(DRIFTED), number)
        chain = PROMPT | wrapped | StrOutputParser() | RunnableLambda(function)
        return chain.invoke({"topic": "x"})

    assert result(counted) == (DRIFTED, 2)
    assert result(numbered) == [(1, "1. a"), (2, "2. b")]
    assert result(lambda text: exec("") or text) == REPAIRED  # not followed
