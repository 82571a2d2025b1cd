"""Sites: the places in an application where a model's answer becomes available to its consumers."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

import msgspec

from knitbone.adaptation.requirements import Requirement, ScenarioRequirement, Unknown
from knitbone.adaptation.requirements.applied_regexes import AppliedExpression
from knitbone.adaptation.requirements.records import (
    TEXT_SCENARIOS,
    Confidence,
    FencedTemplate,
    ParserSyntax,
    ScenarioName,
    StructuredTemplate,
)
from knitbone.adaptation.requirements.uses import Form
from knitbone.config import AdaptConfig

__all__ = ["ARGUMENTS", "Form", "Prompt", "Site", "SiteKind"]

ARGUMENTS = ("arguments", "input", "args")
"""Fields of a tool call that hold its arguments, beside its ``name``."""
_VALIDATING = frozenset({"openai-agents", "pydantic-ai"})
"""Libraries that validate an answer against its type before the application gets it."""
_ARGUMENTS_ACCESS = re.compile(rf"(?:\.|\[['\"])(?:{'|'.join(ARGUMENTS)})(?:['\"]\])?$")
"""An expression that ends in such a field."""

SiteKind = Literal["chat", "retriever", "splitter", "source"]
"""The producer of the output: a model (chat, completion, agent, chain), something that retrieves
entries, something that cuts texts, or a function that the user marked."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A text that the call sends to the model, as far as the code holds it."""

    text: str
    """Parts that are computed at run time stand as ``{expression}``."""
    file: str
    line: int
    role: str = ""
    """``system``, ``user``, ... where the code says so."""


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """Where a value is produced, and what the code behind it expects."""

    file: str
    line: int
    """1-based, as all positions here."""
    column: int
    end_line: int
    end_column: int
    function: str
    """Qualified name of the function that holds the expression; ``<module>`` at top level."""
    expression: str
    """Source text of the expression, on one line."""
    origin: str
    """The call that produced the value, such as ``client.chat.completions.create``."""
    origin_file: str
    origin_line: int
    """First and last line of the call that produced the value."""
    origin_end_line: int
    other_origins: tuple[tuple[str, int, int], ...] = ()
    """File, first and last line of further calls whose outputs arrive at this expression."""
    kind: SiteKind = "chat"
    provider: str = ""
    """The SDK or framework, such as ``openai-chat``."""
    form: Form = "text"
    """The form of the value at the expression."""
    streamed: bool = False
    """True if it comes in pieces."""
    chained: bool = False
    """True if the expression is a model inside a chain (``prompt | model | parser``): the value
    appears when the chain runs, not when the expression does."""
    confidence: Confidence
    """That this is a model's answer at all."""
    requirements: tuple[Requirement, ...] = ()
    declared: tuple[ScenarioName, ...] = ()
    """The scenario requirements that a person wrote or edited in the requirements file."""
    prompts: tuple[Prompt, ...] = ()
    expressions: tuple[AppliedExpression, ...] = ()
    """The regular expressions that the code applies to the value or a part of it."""
    queries: tuple[tuple[str, ...], ...] = ()
    """Of a list that the application ranks itself: the parameters, and the local variables, of
    which one may hold the text that it is ranked by."""

    def acting(self, config: AdaptConfig) -> tuple[Requirement, ...]:
        """Return the requirements that hold under a configuration: those from the scenario only
        where it names them, or a person declared them for this site."""
        names = self._named(config)
        return tuple(
            requirement
            for requirement in self.requirements
            if not isinstance(requirement, Unknown)
            and (
                not isinstance(requirement, ScenarioRequirement)
                or (requirement.name in names and self._concerns(requirement))
            )
        )

    def left_out(self, config: AdaptConfig) -> tuple[ScenarioName, ...]:
        """Return the scenario requirements that would hold here, and that a configuration leaves
        out."""
        names = self._named(config)
        return tuple(
            requirement.name
            for requirement in self.requirements
            if isinstance(requirement, ScenarioRequirement)
            and requirement.name not in names
            and self._concerns(requirement)
        )

    def _named(self, config: AdaptConfig) -> set[str]:
        """Return the scenario requirements that a configuration names."""
        return {*config.scenario, *(self.declared if "declared" in config.scenario else ())}

    def _concerns(self, requirement: ScenarioRequirement) -> bool:
        """Return whether it says anything of this output: the wording of what a parser reads is not
        read by people."""
        if requirement.name not in TEXT_SCENARIOS:
            return True
        parsers = (StructuredTemplate, ParserSyntax, FencedTemplate)
        parsed = any(isinstance(each, parsers) for each in self.requirements)
        return self.form != "arguments" and not parsed

    @property
    def brings_call(self) -> bool:
        """Return whether the arguments of a tool call stand here, whole: as a text, or as an
        object."""
        if self.streamed or self.chained:
            return False
        taken = self.form == "object" and _ARGUMENTS_ACCESS.search(self.expression) is not None
        return taken or self.form == "arguments"

    @property
    def validated(self) -> bool:
        """Return whether the library may have validated the answer that arrives here: then it is
        repaired on its way to the validator (``runtime/validators``)."""
        return self.provider in _VALIDATING

    @property
    def origins(self) -> tuple[tuple[str, int, int], ...]:
        """Return file, first and last line of every call whose outputs arrive here."""
        return ((self.origin_file, self.origin_line, self.origin_end_line), *self.other_origins)

    @property
    def number(self) -> int:
        """Return a number that is the same in every process, so that code may travel
        between them."""
        key = f"{self.file}\0{self.line}\0{self.column}\0{self.end_line}\0{self.end_column}"
        return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest(), "big")

    @property
    def location(self) -> str:
        """Return ``file:line``."""
        return f"{self.file}:{self.line}"

    @property
    def place(self) -> str:
        """Return ``file:line:column``, which two sites never share."""
        return f"{self.location}:{self.column + 1}"

    def __str__(self) -> str:
        return self.location
