"""Where responses hold their output, walked access by access."""

from __future__ import annotations

import re

import pytest

from knitbone.adaptation.analysis.catalogue import follow
from knitbone.adaptation.analysis.catalogue.records import Followed

_ACCESS = re.compile(
    r"json\.loads\(\)|str\(\)|\[[^\]]*\]|\.\w+\((?:[^)]*)\)|\.\w+|\bwith\b|\bawait\b"
)


def walk(shape: str, path: str) -> Followed | None:
    found = None
    for access in _ACCESS.findall(path):
        found = follow(shape, access)
        if found is None:
            return None
        shape = found.shape
    return found


_PATHS = [
    ("openai.chat", ".choices[0].message.content", "text"),
    ("openai.chat", '["choices"][0]["message"]["content"]', "text"),
    ("openai.chat", '.model_dump()["choices"][0]["message"].get("content")', "text"),
    ("openai.chat", ".choices[0].message", "message"),
    ("openai.chat", ".choices[0].message.tool_calls[0].function.arguments", "arguments"),
    ("openai.chat", ".choices[0].message.function_call.arguments", "arguments"),
    ("openai.chat", ".choices[0].message.parsed", "object"),
    ("openai.completion", ".choices[0].text", "text"),
    ("openai.response", ".output_text", "text"),
    ("openai.response", ".output[0].content[0].text", "text"),
    ("openai.response", ".output[0].arguments", "arguments"),
    ("openai.response", ".output_parsed", "object"),
    ("raw:openai.chat", '.json()["choices"][0]["message"]["content"]', "text"),
    ("raw:openai.chat", '.text json.loads()["choices"][0]["message"]["content"]', "text"),
    ("raw:openai.chat", ".parse().choices[0].message.content", "text"),
    ("raw:ollama.response", 'await .json()["message"]["content"]', "text"),
    ("anthropic.message", ".content[0].text", "text"),
    ("anthropic.message", ".content[0].input", "object"),
    ("gemini.response", ".text", "text"),
    ("gemini.response", ".candidates[0].content.parts[0].text", "text"),
    ("gemini.response", ".candidates[0].content.parts[0].function_call.args", "object"),
    ("bedrock.converse", '["output"]["message"]["content"][0]["text"]', "text"),
    ("bedrock.converse", '["output"]["message"]["content"][0]["toolUse"]["input"]', "object"),
    ("bedrock.invoked", '["body"].read() json.loads()["content"][0]["text"]', "text"),
    ("bedrock.invoked", '.get("body").read().decode() json.loads()["generation"]', "text"),
    ("langchain.message", ".content", "text"),
    ("langchain.message", '.tool_calls[0]["args"]', "object"),
    ("langchain.message", '.additional_kwargs["function_call"]["arguments"]', "arguments"),
    ("langchain.message", ".text()", "text"),
    ("langchain.result", ".generations[0][0].text", "text"),
    ("langchain.retrieval-qa-result", '["source_documents"][0].page_content', "text"),
    ("langchain.rag-result", '["answer"]', "text"),
    ("langgraph.state", '["messages"][-1].content', "text"),
    ("langchain.document*", "[0]", "documents"),
    ("langchain.document*", "[0].page_content", "text"),
    ("langchain.scored*", "[0][0].page_content", "text"),
    ("langchain.chunk*", "[0].page_content", "text"),
    ("ollama.response", '["message"]["content"]', "text"),
    ("ollama.response", ".message.tool_calls[0].function.arguments", "object"),
    ("ollama.response", '["response"]', "text"),
    ("hf.generated*", '[0]["generated_text"]', "text"),
    ("hf.generated*", '[0]["generated_text"][-1]["content"]', "text"),
    ("hf.tokens", "[0].decode()", "text"),
    ("llama-index.response", ".response", "text"),
    ("llama-index.response", "str()", "text"),
    ("llama-index.response", ".source_nodes[0].node.get_content()", "text"),
    ("llama-index.chat", ".message.content", "text"),
    ("cohere.chat", ".message.content[0].text", "text"),
    ("haystack.replies", '["replies"][0]', "text"),
    ("dspy.prediction", ".answer", "text"),
    ("chroma.result", '["documents"][0][0]', "text"),
    ("vllm.output*", "[0].outputs[0].text", "text"),
]


@pytest.mark.parametrize(("shape", "path", "form"), _PATHS)
def test_a_response_is_walked_to_its_output(shape, path, form):
    found = walk(shape, path)
    assert found is not None
    assert found.form == form
    assert not found.piece


@pytest.mark.parametrize(
    ("shape", "path", "form"),
    [
        ("openai.chat-chunk*", "[].choices[0].delta.content", "text"),
        ("openai.chat-chunk*", "[].choices[0].delta.tool_calls[0].function.arguments", "arguments"),
        ("openai.event*", "[].delta", "text"),
        ("anthropic.stream", "with .text_stream[]", "text"),
        ("anthropic.event*", "[].delta.text", "text"),
        ("gemini.piece*", "[].text", "text"),
        ("langchain.message-piece*", "[].content", "text"),
        ("ollama.piece*", '[]["message"]["content"]', "text"),
        ("bedrock.converse-stream", '["stream"][]["contentBlockDelta"]["delta"]["text"]', "text"),
        (
            "raw:openai.chat-chunk",
            ".iter_lines()[].decode('utf-8')[6:].strip() json.loads()"
            '["choices"][0]["delta"]["content"]',
            "text",
        ),
        ("mistral.event*", "[].data.choices[0].delta.content", "text"),
        ("llama-index.stream", ".response_gen[]", "text"),
    ],
)
def test_a_stream_brings_pieces(shape, path, form):
    found = walk(shape, path)
    assert found is not None
    assert (found.form, found.piece) == (form, True)


def test_a_finished_stream_brings_the_whole():
    message = walk("anthropic.stream", "with .get_final_message().content[0].text")
    completion = walk(
        "openai.chat-stream", "with .get_final_completion().choices[0].message.content"
    )
    assert message == completion == Followed("text", "text", False)


@pytest.mark.parametrize(
    ("shape", "path"),
    [
        ("openai.chat", ".usage.total_tokens"),
        ("openai.chat", ".id"),
        ("openai.chat", ".choices[0].finish_reason"),
        ("anthropic.message", ".stop_reason"),
        ("langchain.message", ".response_metadata"),
        ("langchain.document*", "[0].metadata"),
        ("text", ".strip()"),
        ("raw:openai.chat", ".status_code"),
        ("raw:openai.chat", ".headers"),
    ],
)
def test_what_is_no_output_is_not_followed(shape, path):
    assert walk(shape, path) is None


def test_one_of_two_shapes_is_followed_in_both():
    assert walk("openai.chat|openai.chat-chunk*", "[].choices[0].delta.content") == Followed(
        "piece", "text", True
    )
    assert walk("openai.chat|openai.chat-chunk*", ".choices[0].message.content") == Followed(
        "text", "text", False
    )
