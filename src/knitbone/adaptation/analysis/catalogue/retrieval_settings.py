"""Settings of retrievers and text splitters, as far as they are constants of the code.

``as_retriever(search_kwargs={"k": 3})`` gives ``{"k": 3}``. Where the code sets nothing, the
defaults that the libraries document are taken; they are listed under ``defaults``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from knitbone.adaptation.analysis.catalogue.chains import parser_operation
from knitbone.adaptation.analysis.catalogue.lookup import reach

__all__ = ["chunking_of", "context_of"]

_K_SETTINGS = (
    "k",
    "top_k",
    "similarity_top_k",
    "n_results",
    "limit",
    "top_n",
    "numberOfResults",
    "topK",
)
_THRESHOLD_SETTINGS = (
    "score_threshold",
    "similarity_threshold",
    "similarity_cutoff",
    "min_score",
    "distance_threshold",
    "threshold",
)
_NESTED_SETTINGS = ("search_kwargs", "retriever_kwargs", "vectorStoreConfig", "retrieval_config")
_DEFAULT_K = {
    "langchain.vectorstore": 4,
    "langchain.retriever": 4,
    "llama-index.index-retriever": 2,
    "llama-index.index-engine": 2,
    "chroma.collection": 10,
}
"""By the type of the receiver: ``similarity_search(k=4)`` of langchain-core, ``similarity_top_k=2``
of LlamaIndex, ``n_results=10`` of Chroma."""


def context_of(
    path: str, settings: Mapping[str, Any], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """Return ``k`` and ``threshold`` of a retrieval, as far as they are constants.

    ``path`` is that of the call (``...as_retriever().invoke``), ``settings`` belong to its
    receiver, ``keywords`` to the call (positional arguments under "0", "1").
    """
    found: dict[str, Any] = {}
    given = [*_pairs(keywords), *_pairs(settings)]
    at = reach(path.rpartition(".")[0])
    kind = at.type if at else ""
    if kind == "langchain.vectorstore" and "1" in keywords:
        # ``similarity_search(query, 4)``
        given.insert(0, ("k", keywords["1"]))
    for key, names, types in (
        ("k", _K_SETTINGS, int),
        ("threshold", _THRESHOLD_SETTINGS, (int, float)),
    ):
        value = next((value for name, value in given if name in names), None)
        if isinstance(value, types) and not isinstance(value, bool):
            found[key] = value
        elif key == "k" and value is None and _has_default_k(path, kind):
            found[key] = _DEFAULT_K[kind]
            found["defaults"] = ("k",)
    return found


def _has_default_k(path: str, kind: str) -> bool:
    """Return whether the number of entries has a documented default."""
    # Other retrievers of LangChain have defaults of their own.
    return kind in _DEFAULT_K and (kind != "langchain.retriever" or "as_retriever()" in path)


def _pairs(values: Any) -> Iterator[tuple[str, Any]]:
    """Find all keys and values, also those of nested settings."""
    mapping = isinstance(values, Mapping)
    items = list(cast("Mapping[Any, Any]", values).items()) if mapping else list(values)
    for item in items:
        if not isinstance(item, tuple):
            continue
        pair = cast("tuple[Any, ...]", item)
        if len(pair) != 2:
            continue
        name, value = pair
        yield str(name), value
        if name in _NESTED_SETTINGS and isinstance(value, (Mapping, tuple)):
            yield from _pairs(cast("Any", value))


class _SplitterDefaults(NamedTuple):
    """The defaults of a splitter, and how its settings are called."""

    size: int | None
    overlap: int | None
    length: str = "characters"
    separators: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = (
        ("size", "chunk_size"),
        ("overlap", "chunk_overlap"),
    )
    places: tuple[str, ...] = ()
    """Where the same stand among the positional arguments."""


_RECURSIVE_SEPARATORS = ("\n\n", "\n", " ", "")
_LANGCHAIN = "langchain_text_splitters."
_LLAMA_INDEX = "llama_index.core."
_SPLITTERS: dict[str, _SplitterDefaults] = {
    f"{_LANGCHAIN}RecursiveCharacterTextSplitter": _SplitterDefaults(
        4000, 200, separators=_RECURSIVE_SEPARATORS
    ),
    f"{_LANGCHAIN}CharacterTextSplitter": _SplitterDefaults(4000, 200, separators=("\n\n",)),
    f"{_LANGCHAIN}TokenTextSplitter": _SplitterDefaults(4000, 200, "tokens"),
    f"{_LANGCHAIN}NLTKTextSplitter": _SplitterDefaults(4000, 200, separators=("\n\n",)),
    f"{_LANGCHAIN}SpacyTextSplitter": _SplitterDefaults(4000, 200, separators=("\n\n",)),
    f"{_LANGCHAIN}MarkdownTextSplitter": _SplitterDefaults(4000, 200),
    f"{_LANGCHAIN}LatexTextSplitter": _SplitterDefaults(4000, 200),
    f"{_LANGCHAIN}PythonCodeTextSplitter": _SplitterDefaults(4000, 200),
    f"{_LANGCHAIN}SentenceTransformersTokenTextSplitter": _SplitterDefaults(
        None, 50, "tokens", names=(("size", "tokens_per_chunk"), ("overlap", "chunk_overlap"))
    ),
    f"{_LANGCHAIN}TextSplitter": _SplitterDefaults(4000, 200, places=("0", "1")),
    f"{_LANGCHAIN}RecursiveJsonSplitter": _SplitterDefaults(
        2000, None, names=(("size", "max_chunk_size"),), places=("0",)
    ),
    f"{_LLAMA_INDEX}SentenceSplitter": _SplitterDefaults(1024, 200, "tokens", places=("1", "2")),
    f"{_LLAMA_INDEX}TokenTextSplitter": _SplitterDefaults(
        1024, 20, "tokens", (" ",), places=("0", "1")
    ),
    "haystack.DocumentSplitter": _SplitterDefaults(
        200, 0, "words", names=(("size", "split_length"), ("overlap", "split_overlap"))
    ),
    f"{_LLAMA_INDEX}SimpleNodeParser": _SplitterDefaults(1024, 200, "tokens"),
}
"""``langchain_text_splitters.base.TextSplitter`` and its subclasses; ``llama_index.core``'s
``node_parser`` and ``constants``."""


def chunking_of(path: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``size``, ``overlap``, ``separators``, ``length`` and ``keeps_blanks`` of a splitter.

    ``path`` is that of the object or of a method of it, ``settings`` what it was made with. A
    value that the code computes is left out; what the library sets stands in ``defaults``.
    """
    operation = parser_operation(path, settings) or ""
    haystack = operation.startswith("haystack") and operation.endswith(".DocumentSplitter")
    known = _SPLITTERS.get("haystack.DocumentSplitter" if haystack else operation)
    names = known.names if known else (("size", "chunk_size"), ("overlap", "chunk_overlap"))
    found: dict[str, Any] = {}
    defaults: list[str] = []
    places = known.places if known else ()
    for index, (key, name) in enumerate(names):
        place = places[index] if index < len(places) else ""
        value = settings.get(name, settings.get(place))
        default = getattr(known, key) if known else None
        if isinstance(value, int) and not isinstance(value, bool):
            found[key] = value
        elif value is None and default is not None:
            found[key] = default
            defaults.append(key)
    _enter_separators(found, defaults, settings, known)
    _enter_length(found, path, settings, known)
    if settings.get("strip_whitespace") is False:
        found["keeps_blanks"] = True
    if defaults:
        found["defaults"] = tuple(defaults)
    return found


def _enter_separators(
    found: dict[str, Any],
    defaults: list[str],
    settings: Mapping[str, Any],
    known: _SplitterDefaults | None,
) -> None:
    """Enter the separators of a splitter."""
    value = settings.get("separators", settings.get("separator"))
    if isinstance(value, str):
        found["separators"] = (value,)
    elif isinstance(value, (tuple, list)):
        texts = tuple(cast("Sequence[Any]", value))
        if all(isinstance(text, str) for text in texts):
            found["separators"] = texts
    elif value is None and known and known.separators:
        found["separators"] = known.separators
        defaults.append("separators")


def _enter_length(
    found: dict[str, Any], path: str, settings: Mapping[str, Any], known: _SplitterDefaults | None
) -> None:
    """Enter the unit in which a splitter measures: characters, tokens or words."""
    if ".from_tiktoken_encoder" in path or ".from_huggingface_tokenizer" in path:
        found["length"] = "tokens"
        return
    if "split_by" in settings or (known and known.length == "words"):
        unit = settings.get("split_by", "word")
        found["length"] = f"{unit}s" if isinstance(unit, str) else str(unit)
        return
    function = settings.get("length_function", settings.get("tokenizer"))
    if function is None:
        found["length"] = known.length if known else "characters"
        return
    written = getattr(function, "expression", function)
    found["length"] = "characters" if written == "len" else str(written)
