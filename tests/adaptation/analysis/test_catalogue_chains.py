"""Chains of parts, and what the settings of retrievers and splitters say."""

from __future__ import annotations

import pytest

from knitbone.adaptation.analysis.catalogue import (
    ChainPart,
    chain,
    chunking_of,
    context_of,
    parser_operation,
    run_chain,
)
from knitbone.adaptation.testing import Computed

_PROMPT = ChainPart("langchain_core.prompts.ChatPromptTemplate.from_template()")
_MODEL = ChainPart("langchain_openai.ChatOpenAI()")
_TEXT = ChainPart("langchain_core.output_parsers.StrOutputParser()")
_JSON = ChainPart(
    "langchain_core.output_parsers.json.JsonOutputParser()", {"pydantic_object": "Answer"}
)
_OWN = ChainPart("")


def test_the_parser_of_a_chain_is_named_with_its_settings():
    made = chain([_PROMPT, _MODEL, _JSON])
    assert made is not None
    assert (made.source, made.kind, made.provider) == (1, "chat", "langchain-message")
    assert (made.form, made.prompts, made.rest) == ("object", (0,), ())
    (parser,) = made.parsers
    assert parser.operation == "langchain_core.output_parsers.JsonOutputParser"
    assert parser.settings == {"pydantic_object": "Answer"}


@pytest.mark.parametrize(
    ("parts", "source", "form", "rest"),
    [
        ([_PROMPT, _MODEL], 1, "message", ()),
        ([_PROMPT, _MODEL, _TEXT], 1, "text", ()),
        ([_PROMPT, _MODEL, _OWN], 1, "message", (2,)),
        ([_PROMPT, _MODEL, _TEXT, _OWN, _TEXT], 1, "text", (3, 4)),
        ([_PROMPT, _MODEL, _TEXT, _PROMPT, _MODEL, _TEXT], 4, "text", ()),
        ([ChainPart("langchain_openai.ChatOpenAI().bind_tools()"), _OWN], 0, "message", (1,)),
        ([ChainPart("langchain_chroma.Chroma().as_retriever()"), _OWN], 0, "documents", (1,)),
    ],
)
def test_the_last_model_is_the_source(parts, source, form, rest):
    made = chain(parts)
    assert made is not None
    assert (made.source, made.form, made.rest) == (source, form, rest)


def test_a_chain_without_a_source_is_none():
    assert chain([_PROMPT, _OWN]) is None
    assert chain([]) is None


def test_how_a_chain_is_run_decides_what_it_brings():
    made = chain([_PROMPT, _MODEL, _TEXT])
    assert made is not None
    whole, later = run_chain(made, "invoke"), run_chain(made, "ainvoke")
    pieces, many = run_chain(made, "astream"), run_chain(made, "batch")
    assert None not in (whole, later, pieces, many)
    assert (whole.form, whole.awaited, later.awaited) == ("text", False, True)
    assert (pieces.shape, pieces.streamed, many.shape) == ("piece*", True, "text*")
    assert run_chain(made, "get_graph") is None


def test_a_structured_model_declares_its_schema():
    made = chain(
        [_PROMPT, ChainPart("langchain_openai.ChatOpenAI().with_structured_output()", {"0": "A"})]
    )
    assert made is not None
    assert (made.form, made.schema) == ("object", "A")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "langchain.output_parsers.StructuredOutputParser.from_response_schemas().parse",
            "langchain.output_parsers.StructuredOutputParser",
        ),
        (
            "langchain_core.output_parsers.StrOutputParser",
            "langchain_core.output_parsers.StrOutputParser",
        ),
        (
            "langchain.text_splitter.CharacterTextSplitter().split_text",
            "langchain_text_splitters.CharacterTextSplitter",
        ),
        (
            "langchain_community.retrievers.bm25.BM25Retriever.from_texts().invoke",
            "langchain_community.retrievers.bm25.BM25Retriever",
        ),
        # A base: the application's own ``parse`` says what is read.
        ("langchain_core.output_parsers.BaseOutputParser().parse", None),
        ("langchain.schema.BaseOutputParser().parse", None),
        ("langchain_openai.ChatOpenAI().invoke", None),
        ("json.loads", None),
    ],
)
def test_canonical_names_of_parsers_and_splitters(path, expected):
    assert parser_operation(path, {}) == expected


_STORE = "langchain_chroma.Chroma()"


@pytest.mark.parametrize(
    ("path", "settings", "keywords", "expected"),
    [
        (
            f"{_STORE}.as_retriever().invoke",
            {"search_kwargs": {"k": 4, "score_threshold": 0.5}},
            {},
            {"k": 4, "threshold": 0.5},
        ),
        (f"{_STORE}.as_retriever().invoke", {"search_kwargs": (("k", 6),)}, {}, {"k": 6}),
        (f"{_STORE}.similarity_search", {}, {"0": "q", "k": 3}, {"k": 3}),
        (f"{_STORE}.similarity_search", {}, {"0": "q", "1": 5}, {"k": 5}),
        (f"{_STORE}.similarity_search", {}, {"0": "q"}, {"k": 4, "defaults": ("k",)}),
        (f"{_STORE}.similarity_search", {}, {"k": Computed("n")}, {}),
        (
            "llama_index.core.VectorStoreIndex().as_query_engine().query",
            {"similarity_top_k": 8},
            {},
            {"k": 8},
        ),
        ("chromadb.Client().get_collection().query", {}, {"n_results": 2}, {"k": 2}),
        ("langchain_community.retrievers.BM25Retriever().invoke", {}, {}, {}),
        ("x.y", {"k": True}, {}, {}),
    ],
)
def test_settings_of_a_retrieval(path, settings, keywords, expected):
    assert context_of(path, settings, keywords) == expected


_SPLIT = "langchain.text_splitter.RecursiveCharacterTextSplitter"


@pytest.mark.parametrize(
    ("path", "settings", "expected"),
    [
        (
            f"{_SPLIT}()",
            {"chunk_size": 1000, "chunk_overlap": 0, "separators": ("\n",)},
            {"size": 1000, "overlap": 0, "separators": ("\n",), "length": "characters"},
        ),
        (
            f"{_SPLIT}()",
            {"chunk_size": 500},
            {
                "size": 500,
                "overlap": 200,
                "separators": ("\n\n", "\n", " ", ""),
                "length": "characters",
                "defaults": ("overlap", "separators"),
            },
        ),
        (
            f"{_SPLIT}.from_tiktoken_encoder().split_text",
            {"chunk_size": 5, "chunk_overlap": 1, "separators": ("a",)},
            {"size": 5, "overlap": 1, "separators": ("a",), "length": "tokens"},
        ),
        (
            f"{_SPLIT}()",
            {
                "chunk_size": Computed("n"),
                "chunk_overlap": 1,
                "separators": ("a",),
                "length_function": Computed("count"),
            },
            {"overlap": 1, "separators": ("a",), "length": "count"},
        ),
        (
            "langchain_text_splitters.CharacterTextSplitter()",
            {
                "separator": "\n",
                "chunk_size": 9,
                "chunk_overlap": 2,
                "length_function": Computed("len"),
            },
            {"size": 9, "overlap": 2, "separators": ("\n",), "length": "characters"},
        ),
        (
            "llama_index.core.node_parser.SentenceSplitter()",
            {"1": 256, "2": 20},
            {"size": 256, "overlap": 20, "length": "tokens"},
        ),
        (
            "llama_index.core.node_parser.SentenceSplitter()",
            {},
            {"size": 1024, "overlap": 200, "length": "tokens", "defaults": ("size", "overlap")},
        ),
    ],
)
def test_settings_of_a_splitter(path, settings, expected):
    assert chunking_of(path, settings) == expected
