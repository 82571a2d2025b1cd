"""Records of the catalogue: how the tables describe the types of a library.

A library is a set of *types*. A type has *members*: what one finds behind an attribute, an index,
a key or a call. Clients, resources and responses are all types, so that one table serves to
recognise ``client.chat.completions.create()`` and to walk ``response.choices[0].message.content``.

Each module of a provider or framework has three tables: ``TYPES`` by name, ``ENTRIES`` (imported
names that lead to a type) and ``RULES`` (the same for patterns of names).

Members are written
    ``name``    an attribute, or the same key of a mapping (``.name``, ``["name"]``)
    ``name()``  a call of a method
    ``()``      a call of the object itself
    ``[]``      any item: an index, a loop, ``next``
    ``*``       any other attribute or key
    ``str()``   what ``str`` makes of it
    ``with``    what a ``with`` statement binds (by default the object itself)
and point to the name of a type; ``type*`` is a series of it; ``a|b`` is one of the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from knitbone.adaptation.requirements.records import Confidence
from knitbone.adaptation.requirements.sites import SiteKind
from knitbone.adaptation.requirements.uses import Form

__all__ = [
    "Call",
    "ChainPart",
    "ChainResult",
    "Followed",
    "ImportedName",
    "ParserUse",
    "Produced",
    "Role",
    "Rule",
    "Setting",
    "Type",
]

Role = Literal[
    "agent",
    "chain",
    "client",
    "embedder",
    "engine",
    "graph",
    "model",
    "parser",
    "prompt",
    "retriever",
    "runnable",
    "splitter",
    "toolcaller",
    "vectorstore",
]
"""The purpose of an object of a library. ``engine``: a query or chat engine of LlamaIndex;
``toolcaller``: a model that tools are bound to; ``runnable``: a piece of a chain that only routes
(``RunnablePassthrough``)."""


class Call(NamedTuple):
    """A call that brings an output."""

    provider: str
    shape: str
    """The type of what the call returns."""
    prompt: tuple[str, ...] = ()
    """Arguments that carry the prompt: keywords, or positions as "0", "1"."""
    kind: SiteKind = "chat"
    confidence: Confidence = "high"
    streamed: bool = False
    awaited: bool | None = None
    """``None``: as the client is."""
    stream: str = ""
    """The type that is returned instead with ``stream=True``."""
    schema: tuple[str, ...] = ()
    """Arguments that declare the structure of the output."""
    declared: tuple[str, ...] = ()
    """The same among the settings of the receiver."""
    switch: tuple[tuple[str, Any, str], ...] = ()
    """``(argument, constant, shape)``: with this argument the call returns another type."""

    typed: tuple[tuple[str, str], ...] = ()
    """``(argument or setting, shape)``: where it is given, the call returns that type."""


class Setting(NamedTuple):
    """Settings that an object must have been made with to be of its type."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    """Accepted constants; one that ends in ``*`` accepts what begins so."""
    required: bool = False
    """True if an absent or computed value tells against it; else it only lowers the confidence."""


class Type(NamedTuple):
    """One type of a library."""

    members: Mapping[str, str | Call] = {}
    role: Role | None = None
    form: Form = "response"
    """``response``: to be walked further; any other: an output in the hands of the code."""
    piece: bool = False
    """A part of a stream: a text is whole only when all pieces are joined."""
    setting: Setting | None = None
    base: str = ""
    """A type whose members this one has too."""


class ImportedName(NamedTuple):
    """A name that code imports."""

    target: str
    """A class makes objects of this type (also by ``from_...`` methods); other names are one."""
    is_class: bool = True
    awaited: bool = False
    """True if the methods are coroutines."""


class Rule(NamedTuple):
    """A pattern of imported names that lead to one type."""

    pattern: str
    """Regular expression of the whole dotted name."""
    entry: ImportedName


class Produced(NamedTuple):
    """An output, as a call returns it."""

    kind: SiteKind
    provider: str
    """``openai-chat``, ``langchain-message``, ..."""
    confidence: Confidence
    form: Form
    """Of the value that the call returns (once awaited)."""
    shape: str
    """Where ``follow`` starts."""
    streamed: bool
    awaited: bool
    """True if the call must be awaited (not: iterated with ``async for``)."""
    prompt: tuple[str, ...]
    """The given arguments that carry the prompt: keywords, or positions as "0"."""
    schema: Any = None
    """The declared structure of the output, as the code gave it (a class, a JSON Schema)."""
    parser: Any = None
    """An output parser among the settings that has been applied to the output already."""


class Followed(NamedTuple):
    """The type behind one access of a response."""

    shape: str
    form: Form
    """``response`` where it must be walked further."""
    piece: bool = False


class ChainPart(NamedTuple):
    """One part of a chain: the path of its object and what that was made with."""

    path: str
    settings: Mapping[str, Any] = {}


class ParserUse(NamedTuple):
    """An output parser in a chain."""

    part: int
    operation: str
    """Its canonical name."""
    settings: Mapping[str, Any]


class ChainResult(NamedTuple):
    """The parts of a chain that make its output."""

    source: int
    """Which part brings the output: the last model, or the last retriever without a model."""
    kind: SiteKind
    provider: str
    confidence: Confidence
    parsers: tuple[ParserUse, ...]
    """The parsers behind it, in order."""
    rest: tuple[int, ...]
    """Parts behind it that are functions or objects of the application: called in turn."""
    shape: str
    """The type that ``.invoke()`` returns; the input of the first of ``rest`` if any."""
    piece: str
    """The type of an item of ``.stream()``."""
    form: Form
    prompts: tuple[int, ...]
    """The prompt templates among the parts."""
    schema: Any = None
