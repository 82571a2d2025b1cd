"""The catalogue of libraries: which calls bring an output of a model, retriever or splitter.

Tables of types (a module for each provider or framework, ``records.py`` explains them), and
functions over the tables. A value of a library is described by a *path*: the imported name followed
by attributes and calls, such as ``openai.OpenAI().chat.completions.create`` or
``langchain_chroma.Chroma.from_documents().as_retriever().invoke``. ``role`` says what stands at a
path, ``produces`` what a call of it brings, ``follow`` where a response holds its output.
"""

from knitbone.adaptation.analysis.catalogue.call_shapes import produces_by_shape
from knitbone.adaptation.analysis.catalogue.canonical_names import canonical
from knitbone.adaptation.analysis.catalogue.chains import chain, parser_operation, run_chain
from knitbone.adaptation.analysis.catalogue.outputs import follow, produces, returns_itself, role
from knitbone.adaptation.analysis.catalogue.records import (
    ChainPart,
    ChainResult,
    Followed,
    ParserUse,
    Produced,
    Role,
)
from knitbone.adaptation.analysis.catalogue.retrieval_settings import chunking_of, context_of

__all__ = [
    "ChainPart",
    "ChainResult",
    "Followed",
    "ParserUse",
    "Produced",
    "Role",
    "canonical",
    "chain",
    "chunking_of",
    "context_of",
    "follow",
    "parser_operation",
    "produces",
    "produces_by_shape",
    "returns_itself",
    "role",
    "run_chain",
]
