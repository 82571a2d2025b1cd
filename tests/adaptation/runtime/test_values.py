"""The texts of values of real SDK types, and the same values with other texts."""

import copy
import dataclasses
from enum import Enum
from types import SimpleNamespace

import pytest
from anthropic.types import Message
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult, Generation, LLMResult
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response
from pydantic import BaseModel

from knitbone.adaptation.runtime.values import find_texts, parts, replace_texts


class Name(str):
    pass


class Color(str, Enum):
    RED = "red"


class Answer(BaseModel):
    answer: str
    score: int = 1


@dataclasses.dataclass(frozen=True)
class PromptMessage:
    content: str
    tokens: int = 3


def completion(*texts):
    choices = [
        {"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        for i, text in enumerate(texts)
    ]
    return ChatCompletion.model_validate(
        {"id": "1", "created": 1, "model": "m", "object": "chat.completion", "choices": choices}
    )


def chunk(text, **fields):
    choice = {"index": 0, "finish_reason": None, "delta": {"content": text}, **fields}
    return ChatCompletionChunk.model_validate(
        {
            "id": "1",
            "created": 1,
            "model": "m",
            "object": "chat.completion.chunk",
            "choices": [choice],
        }
    )


def response():
    said = {"type": "output_text", "text": "a", "annotations": []}
    thought = {"id": "r", "type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}]}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
    return Response.model_validate(
        {
            "id": "1",
            "created_at": 1,
            "model": "m",
            "object": "response",
            "output": [thought, {**message, "content": [said]}],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
    )


def message():
    thought = {"type": "thinking", "thinking": "t", "signature": "s"}
    tool = {"type": "tool_use", "id": "1", "name": "f", "input": {"text": "x"}}
    return Message.model_validate(
        {
            "id": "1",
            "model": "m",
            "role": "assistant",
            "type": "message",
            "content": [thought, {"type": "text", "text": "a"}, tool],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )


def with_texts(value, texts):
    return replace_texts(value, find_texts(value), texts)


BLOCKS = [{"type": "text", "text": "a"}, {"type": "reasoning", "reasoning": "t"}, "b"]
VALUES = {
    "text": (lambda: "a", ["a"]),
    "subclass of str": (lambda: Name("a"), ["a"]),
    "LangChain text accessor": (lambda: AIMessage("a").text, ["a"]),
    "LangChain message": (lambda: AIMessage("a", id="7"), ["a"]),
    "LangChain chunk": (lambda: AIMessageChunk("a", id="7"), ["a"]),
    "LangChain blocks": (lambda: AIMessage(BLOCKS), ["a", "b"]),
    "LangChain generation": (lambda: Generation(text="a"), ["a"]),
    "LangChain chat generation": (lambda: ChatGeneration(message=AIMessage("a")), ["a"]),
    "LangChain chat result": (
        lambda: ChatResult(generations=[ChatGeneration(message=AIMessage("a"))]),
        ["a"],
    ),
    "LangChain result": (
        lambda: LLMResult(generations=[[Generation(text="a")], [Generation(text="b")]]),
        ["a", "b"],
    ),
    "documents": (
        lambda: [Document(page_content=t, id=t, metadata={"text": "no"}) for t in "ab"],
        ["a", "b"],
    ),
    "OpenAI completion": (lambda: completion("a", "b"), ["a", "b"]),
    "OpenAI choice": (lambda: completion("a").choices[0], ["a"]),
    "OpenAI message": (lambda: completion("a").choices[0].message, ["a"]),
    "OpenAI chunk": (lambda: chunk("a"), ["a"]),
    "OpenAI dictionary": (lambda: completion("a").model_dump(), ["a"]),
    "OpenAI response": (response, ["a"]),
    "Anthropic message": (message, ["a"]),
    "pydantic model": (lambda: Answer(answer="a"), ["a"]),
    "dataclass": (lambda: PromptMessage("a"), ["a"]),
    "namespace": (
        lambda: SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="a"))]),
        ["a"],
    ),
    "list of texts": (lambda: ["a", "b"], ["a", "b"]),
    "tuple": (lambda: ("a", {"langgraph_step": 1}), ["a"]),
    "agent state": (lambda: {"messages": [HumanMessage("q"), AIMessage("a")]}, ["a"]),
    "agent executor": (lambda: {"input": "q", "output": "a"}, ["a"]),
    "retrieval": (lambda: {"query": "q", "result": "a"}, ["a"]),
    "Bedrock": (lambda: {"output": {"message": {"content": [{"text": "a"}]}}}, ["a"]),
    "Gemini dictionary": (
        lambda: {
            "candidates": [{"content": {"parts": [{"text": "t", "thought": True}, {"text": "a"}]}}]
        },
        ["a"],
    ),
    "pipeline": (lambda: [{"generated_text": "a"}], ["a"]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_the_texts_are_found_and_an_unchanged_value_is_the_same_object(kind):
    make, texts = VALUES[kind]
    value = make()
    assert parts(value) == texts
    assert with_texts(value, list(texts)) is value


@pytest.mark.parametrize("kind", VALUES)
def test_other_texts_stand_in_a_value_of_the_same_type_and_the_original_stays(kind):
    make, texts = VALUES[kind]
    value = make()
    before = copy.deepcopy(value)
    other = [f"{text}, and more" for text in texts]
    changed = with_texts(value, other)
    assert type(changed) is type(value)
    assert parts(changed) == other
    assert value == before
    # Nothing else changed: with the old texts it is equal to what it was.
    assert with_texts(changed, texts) == before


def test_documents_keep_order_ids_and_metadata():
    value = [Document(page_content=t, id=t, metadata={"n": t}) for t in "ab"]
    changed = with_texts(value, ["a", "c"])
    assert changed[0] is value[0]
    assert (changed[1].id, changed[1].metadata, changed[1].page_content) == ("b", {"n": "b"}, "c")
    assert changed[1].metadata is value[1].metadata


@pytest.mark.parametrize("slots", [("mark",), "mark", ("__mark",), ("mark", "__dict__"), ()])
def test_a_subclass_of_str_keeps_its_slots(slots):
    class Slotted(str):
        __slots__ = slots

        def put(self, value):
            name = "_Slotted__mark" if slots == ("__mark",) else "mark"
            object.__setattr__(self, name, value)

    class Below(Slotted):
        __slots__ = ("_own",)

    value = Below("a")
    names = {slots: 1} if isinstance(slots, str) else dict.fromkeys(slots, 1)
    if names:
        value.put(3)
    value._own = 4
    made = with_texts(value, ["b"])
    assert (made, type(made), made._own) == ("b", Below, 4)
    if names:
        assert getattr(made, "_Slotted__mark" if slots == ("__mark",) else "mark") == 3
    made._own = 5
    assert value._own == 4
    if "__dict__" in names:
        made.further = 1
        assert not hasattr(value, "further")


def test_a_subclass_of_str_keeps_its_attributes():
    name = Name("a")
    name.source = "x"
    assert with_texts(name, ["b"]).source == "x"


@pytest.mark.parametrize(
    "value", [None, 3, object(), {}, [], {"a": 1}, b"x", HumanMessage, AIMessage([]), {1, 2}]
)
def test_values_of_other_types_have_no_texts(value):
    assert parts(value) == []
    assert with_texts(value, []) is value


def test_what_would_not_be_the_same_type_is_refused():
    with pytest.raises(TypeError, match="Color"):
        with_texts(Color.RED, ["green"])
    with pytest.raises(ValueError, match="2 texts, not 1"):
        with_texts(["a", "b"], ["a"])


def test_a_field_of_an_odd_type_is_no_error():
    assert parts({"content": [{"type": [], "text": "a"}]}) == []
    assert parts({"messages": [{"role": {}, "content": "a"}]}) == []


def test_properties_are_never_called():
    class Lazy(BaseModel):
        @property
        def text(self):
            raise AssertionError("read")

    assert parts(Lazy()) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "text", "message", "x", "type"]), inner)
    ),
    max_leaves=20,
)


@given(value=JSON)
def test_any_data_is_walked_and_rebuilt(value):
    texts = parts(value)
    assert with_texts(value, list(texts)) is value
    changed = with_texts(value, [text + "!" for text in texts])
    assert parts(changed) == [text + "!" for text in texts]
