"""Catalogue of LangChain's retrievers, vector stores and text splitters.

Checked against langchain-core 1 (``retrievers``, ``vectorstores.base``), langchain-text-splitters
and langchain-community. The tables are explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.langchain_models import runnable
from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_DOCUMENTS = "langchain.document*"
_QUERY = ("0", "query")
_SEARCH = Call("langchain-retriever", _DOCUMENTS, _QUERY, "retriever", awaited=False)
_SPLIT = Call("langchain-splitter", "langchain.chunk*", (), "splitter", awaited=False)


def _plain_and_awaited(call: Call, *names: str) -> dict[str, str | Call]:
    """Return a call in its plain and its awaited form."""
    members: dict[str, str | Call] = {}
    for name in names:
        members[f"{name}()"] = call
        members[f"a{name}()"] = call._replace(awaited=True)
    return members


TYPES: dict[str, Type] = {
    "langchain.retriever": Type(
        {
            **runnable(
                "langchain.retriever",
                "langchain-retriever",
                _DOCUMENTS,
                _DOCUMENTS,
                kind="retriever",
            ),
            **_plain_and_awaited(_SEARCH, "get_relevant_documents"),
            "_get_relevant_documents()": _SEARCH,
            "_aget_relevant_documents()": _SEARCH._replace(awaited=True),
        },
        role="retriever",
    ),
    "langchain.vectorstore": Type(
        {
            **_plain_and_awaited(
                _SEARCH,
                "similarity_search",
                "similarity_search_by_vector",
                "max_marginal_relevance_search",
                "max_marginal_relevance_search_by_vector",
                "search",
                "hybrid_search",
            ),
            **_plain_and_awaited(
                _SEARCH._replace(shape="langchain.scored*"),
                "similarity_search_with_score",
                "similarity_search_with_relevance_scores",
                "similarity_search_by_vector_with_relevance_scores",
                "similarity_search_with_score_by_vector",
            ),
            "as_retriever()": "langchain.retriever",
        },
        role="vectorstore",
    ),
    "langchain.document": Type({"page_content": "entry-text"}, form="documents"),
    # A pair of an entry and its score.
    "langchain.scored": Type({"[]": "langchain.document"}, form="documents"),
    "langchain.splitter": Type(
        {
            "split_documents()": _SPLIT,
            "create_documents()": _SPLIT,
            **_plain_and_awaited(_SPLIT, "transform_documents"),
            "split_text()": _SPLIT._replace(shape="chunk-text*"),
        },
        role="splitter",
    ),
    # Splitters of headed texts bring documents also from ``split_text``.
    "langchain.header-splitter": Type(
        {
            "split_text()": _SPLIT,
            "split_text_from_file()": _SPLIT,
            "split_text_from_url()": _SPLIT,
            "aggregate_lines_to_chunks()": _SPLIT,
        },
        role="splitter",
        base="langchain.splitter",
    ),
    "langchain.json-splitter": Type(
        {"split_json()": _SPLIT._replace(shape="object*")},
        role="splitter",
        base="langchain.splitter",
    ),
    "langchain.chunk": Type({"page_content": "chunk-text"}, form="texts"),
}

ENTRIES: dict[str, ImportedName] = {
    "langchain_text_splitters.MarkdownHeaderTextSplitter": ImportedName(
        "langchain.header-splitter"
    ),
    "langchain_text_splitters.ExperimentalMarkdownSyntaxTextSplitter": ImportedName(
        "langchain.header-splitter"
    ),
    "langchain_text_splitters.HTMLHeaderTextSplitter": ImportedName("langchain.header-splitter"),
    "langchain_text_splitters.HTMLSectionSplitter": ImportedName("langchain.header-splitter"),
    "langchain_text_splitters.HTMLSemanticPreservingSplitter": ImportedName(
        "langchain.header-splitter"
    ),
    "langchain_text_splitters.RecursiveJsonSplitter": ImportedName("langchain.json-splitter"),
    "langchain_experimental.text_splitter.SemanticChunker": ImportedName("langchain.splitter"),
    "langchain_core.documents.Document": ImportedName("langchain.document"),
    "langchain_core.documents.base.Document": ImportedName("langchain.document"),
    "langchain.schema.Document": ImportedName("langchain.document"),
}

_PACKAGES = r"langchain(?:_[a-z0-9_]+)?(?:\.[a-z_]\w*)*"
_STORE_HOMES = r"langchain(?:_core|_community|_classic)?\.vectorstores(?:\.[a-z_]\w*)*"

RULES: tuple[Rule, ...] = (
    Rule(rf"{_PACKAGES}\.\w*Retriever", ImportedName("langchain.retriever")),
    Rule(
        rf"{_STORE_HOMES}\.(?!\w*(?:Settings|Strategy)$)[A-Z]\w*",
        ImportedName("langchain.vectorstore"),
    ),
    Rule(
        r"langchain_[a-z0-9_]+(?:\.[a-z_]\w*)*\.(?:Chroma|FAISS|Qdrant|Milvus|Zilliz|Pinecone"
        r"|PGVector|\w*VectorStore|\w*VectorSearch|\w*VectorDB|ElasticsearchStore|SingleStoreDB"
        r"|Neo4jVector|AmazonS3Vectors|DuckDB|TimescaleVector|Weaviate)",
        ImportedName("langchain.vectorstore"),
    ),
    Rule(
        r"langchain(?:_text_splitters|_classic|_community|_experimental)?(?:\.[a-z_]\w*)*"
        r"\.\w*(?:TextSplitter|SectionSplitter)",
        ImportedName("langchain.splitter"),
    ),
    Rule(r"semantic_text_splitter\.\w*Splitter", ImportedName("semantic-text-splitter")),
)

TYPES["semantic-text-splitter"] = Type(
    {
        "chunks()": Call("semantic-text-splitter", "chunk-text*", (), "splitter", awaited=False),
        "chunk_all()": Call("semantic-text-splitter", "chunk-text**", (), "splitter"),
    },
    role="splitter",
)
