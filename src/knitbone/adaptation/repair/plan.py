"""The plan of a site's checks: its requirements, compiled in the order in which they are applied.

Source: Comfrey §4.1: format, then syntax, then repetition; Table 2.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias, cast

from knitbone._forks import lazy, unforked
from knitbone._logging import get_logger, log
from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.repair.checks import Check, Defect, EntryCheck
from knitbone.adaptation.repair.missing import note_missing
from knitbone.adaptation.repair.scenarios import SCENARIOS, CheckFamily
from knitbone.adaptation.requirements import Requirement, Unknown
from knitbone.adaptation.requirements.applied_regexes import (
    AppliedExpression,
    follows,
    required_expressions,
)
from knitbone.adaptation.requirements.records import (
    ChunkSpec,
    FencedTemplate,
    ParserSyntax,
    PositionalTemplate,
    ScenarioRequirement,
    StructuredTemplate,
    plain_elements,
)
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.blocking_work import outside_loop
from knitbone.config import AdaptConfig
from knitbone.errors import MissingExtraError

__all__ = [
    "CheckPlan",
    "EntryRule",
    "Group",
    "TextRequirement",
    "TextRule",
    "family_of",
    "is_checked",
    "why_unenforced",
    "why_unreached",
]

_logger = get_logger(__name__)

TextRequirement: TypeAlias = (
    PositionalTemplate | StructuredTemplate | FencedTemplate | ParserSyntax | ScenarioRequirement
)
"""A requirement on one text; requirements on a list are ``ChunkSpec`` and ``ContextRule``."""


_TEMPLATE: Defect = "template discrepancy"
_FAMILIES: dict[type[Any], CheckFamily] = {
    PositionalTemplate: CheckFamily("positional", _TEMPLATE, 0),
    StructuredTemplate: CheckFamily("structured", _TEMPLATE, 0),
    FencedTemplate: CheckFamily("fenced", _TEMPLATE, 0),
    ParserSyntax: CheckFamily("syntax", "syntax-parser misalignment", 1),
}
_BY_MEANING = frozenset({"redundant semantics", "incorrect context construction"})


class TextRule(NamedTuple):
    """One requirement on a text, with its check."""

    requirement: TextRequirement
    defect: Defect
    check: Check
    mark: str = ""
    """The mark of a branch that is taken where a text holds it. Among alternatives, a text without
    it is none of this one's business, though nothing is wrong with it."""
    beside: tuple[TextRule, ...] = ()
    """For an alternative: the other demands of its branch."""

    def concerns(self, text: str) -> bool:
        """Return whether the verdict of an alternative counts for a text."""
        own = not self.mark or self.mark in text.casefold()
        return own and all(rule.concerns(text) for rule in self.beside)

    def takes(self, text: str) -> bool:
        """Return whether the consumer finds something in a text that does not violate its template.

        ``False`` only of a regular expression that is known not to match.
        """
        reader = _reader_of(self.requirement)
        if reader is None or reader.kind != "regex" or self.requirement.steps:
            return True
        try:
            return bool(reader.read(text))
        except TimeoutError:
            return True  # not known


class EntryRule(NamedTuple):
    """One requirement on a list, with its check."""

    requirement: Requirement
    defect: Defect
    check: EntryCheck
    family: CheckFamily


class Group(NamedTuple):
    """Alternatives, of which a text has to satisfy one."""

    stage: int
    rules: tuple[TextRule, ...]

    @property
    def from_scenario(self) -> bool:
        """True where the requirement comes from the way the answer is used, not from code."""
        return isinstance(self.rules[0].requirement, ScenarioRequirement)


class CheckPlan:
    """The checks of a site, compiled when the first value arrives.

    Raises:
        KnitboneError: never; a check that cannot be compiled leaves its requirement unchecked.
    """

    def __init__(
        self,
        site: Site,
        config: AdaptConfig,
        *,
        groups: tuple[Group, ...] | None = None,
        expressions: tuple[AppliedExpression, ...] = (),
    ) -> None:
        self._site = site
        self._config = config
        self._groups = groups
        required = (e for r in site.requirements for e in required_expressions(r))
        self.expressions = tuple(dict.fromkeys((*site.expressions, *required, *expressions)))
        """The regular expressions that run on what is delivered."""

    def beside(self, group: Group, patterns: Iterable[str]) -> CheckPlan:
        """Return the plan with one more demand, that of the call at hand, and the patterns in its
        schema."""
        groups = sorted((*self.groups, group), key=lambda one: one.stage)
        expressions = tuple(AppliedExpression(pattern=each, in_data=True) for each in patterns)
        return CheckPlan(self._site, self._config, groups=tuple(groups), expressions=expressions)

    @lazy
    def groups(self) -> tuple[Group, ...]:
        """The checks of a text, stage by stage."""
        if self._groups is not None:
            return self._groups
        return outside_loop(lambda: _groups(self._site, self._config))

    @lazy
    def unchecked(self) -> tuple[Requirement, ...]:
        """The demands on a text of which no check was made, or one that looks at a part of it only:
        whether the code reads an answer shows in a rehearsal."""
        if self._site.kind in ("retriever", "splitter"):
            return ()
        rules = [rule for group in self.groups for rule in group.rules]
        checked = [each.requirement for rule in rules for each in (rule, *rule.beside)]
        return tuple(
            each
            for each in self._site.acting(self._config)
            if isinstance(each, PositionalTemplate)
            and is_checked(each, self._site, self._config)
            and (
                _has_values(each)
                or (each.on_violation == "raises" and (each not in checked or _is_any_text(each)))
            )
        )

    @lazy
    def entries(self) -> tuple[EntryRule, ...]:
        """The checks of a list."""
        return outside_loop(lambda: _entry_rules(self._site, self._config))

    @lazy
    def streamed(self) -> tuple[Group, ...]:
        """The checks that a stream is held back for: what code demands, or else what the scenario
        asks for."""
        demanded = tuple(
            group for group in self.groups if not group.from_scenario and _demands(group)
        )
        return demanded or tuple(group for group in self.groups if group.from_scenario)

    def load(self) -> None:
        """Compile the checks, and load what they would load at their first value."""
        for first in (rule for group in self.groups for rule in group.rules):
            for rule in (first, *first.beside):
                _load(family_of(rule.requirement), rule.requirement)
        for entry in self.entries:
            _load(entry.family, entry.requirement)

    @property
    def compares_meaning(self) -> bool:
        """True where a sentence embedder may be asked."""
        rules = [rule for group in self.groups for rule in group.rules]
        return any(rule.defect in _BY_MEANING for rule in (*rules, *self.entries))

    @property
    def idle(self) -> bool:
        """True where there is nothing to check."""
        return not self.groups and not self.entries and not self.unchecked


def _demands(group: Group) -> bool:
    """Return whether code surely reads the text.

    For one word it may look only in passing, but code that takes several labelled lines out of a
    text has read all of it.
    """
    requirement = group.rules[0].requirement
    if requirement.confidence == "high":
        return True
    if not isinstance(requirement, PositionalTemplate) or not requirement.repeated:
        return False
    return sum(element.kind == "words" for element in requirement.elements) > 1


def _groups(site: Site, config: AdaptConfig) -> tuple[Group, ...]:
    """Compile the requirements on a text that act at a site, alternatives together, in order of
    their stage."""
    if site.kind in ("retriever", "splitter"):
        return ()
    marked: dict[tuple[int, str], list[TextRule]] = {}
    for index, requirement in enumerate(site.acting(config)):
        if not isinstance(requirement, TextRequirement):
            continue
        family = family_of(requirement)
        if family is None or family.subject != "text" or not is_checked(requirement, site, config):
            continue
        check = _prepare_text_check(family, requirement, site)
        if check is None:
            continue
        # What holds in one state of the program only is an alternative to what holds in another.
        together = requirement.alternative or ("when" * bool(requirement.when))
        key = (family.stage, together or f"\0{index}")
        mark = _mark(requirement)
        marked.setdefault(key, []).append(TextRule(requirement, family.defect, check, mark))
    groups = [
        Group(stage, each)
        for (stage, _), rules in marked.items()
        for each in _without_followers(rules)
    ]
    return tuple(sorted(groups, key=lambda group: group.stage))


def _without_followers(rules: list[TextRule]) -> list[tuple[TextRule, ...]]:
    """Split rules into alternatives, and demands of their own that go on from one of these.

    ``TOOLS[match[1]]`` is no alternative to the match: it is a demand on the texts in which there
    is one.
    """
    own = [
        rule
        for rule in rules
        if not any(follows(rule.requirement, other.requirement) for other in rules)
    ]
    return [_by_branch(own), *((rule,) for rule in rules if rule not in own)]


def _by_branch(rules: list[TextRule]) -> tuple[TextRule, ...]:
    """Return one rule for each alternative, with what its branch demands besides."""
    branches: dict[str, list[TextRule]] = {}
    for place, rule in enumerate(rules):
        branch = rule.requirement.branch or f"\0{place}"
        branches.setdefault(branch, []).append(rule)
    return tuple(first._replace(beside=tuple(rest)) for first, *rest in branches.values())


def _mark(requirement: Requirement) -> str:
    """Return the words of a template that only decides which way the code goes."""
    if not isinstance(requirement, PositionalTemplate) or requirement.confidence == "high":
        return ""
    words = [e.text for e in plain_elements(requirement.elements) if e.kind == "words"]
    return words[0].casefold() if words else ""


def _reader_of(requirement: TextRequirement) -> Reader | None:
    """Return the application's own reader, where the requirement has one."""
    has_one = isinstance(requirement, PositionalTemplate | FencedTemplate)
    return requirement.reader if has_one else None


def is_checked(requirement: Requirement, site: Site, config: AdaptConfig) -> bool:
    """Return whether a requirement that acts at a site is checked, as far as that is known without
    compiling."""
    family = family_of(requirement)
    is_list = site.kind in ("retriever", "splitter")
    return (
        family is not None
        and (family.subject == "entries") == is_list
        and family.package not in config.without
    )


def why_unreached(site: Site) -> str:
    """Return the reason why no answer of a site is adapted, whatever is required of it; empty where
    answers are reached."""
    if site.form != "object" or site.brings_call or site.validated:
        return ""
    return (
        f"{site.origin} makes an object of the answer, and validates it, before the code gets it; "
        "adapt does not reach it there"
    )


def why_unenforced(site: Site, config: AdaptConfig) -> tuple[str, ...]:
    """Return, for each requirement of a site, the reason why nothing enforces it; empty where a
    check does, and for what is unknown.

    The checks are compiled, so that the reason holds for this installation.
    """
    unreached = why_unreached(site)
    plan = CheckPlan(site, config)
    checked = [each for g in plan.groups for rule in g.rules for each in (rule, *rule.beside)]
    enforced = [rule.requirement for rule in (*checked, *plan.entries)]
    acting = site.acting(config)
    reasons: list[str] = []
    for requirement in site.requirements:
        if isinstance(requirement, Unknown) or (
            isinstance(requirement, ScenarioRequirement) and requirement not in acting
        ):
            reasons.append("")
        elif unreached or requirement not in enforced:
            reasons.append(unreached or _why_unchecked(requirement, site, config))
        else:
            reasons.append("")
    return tuple(reasons)


def _why_unchecked(requirement: Requirement, site: Site, config: AdaptConfig) -> str:
    """Return the reason why a plan has no check of a requirement."""
    entries = {"splitter": "intact_text", "retriever": "relevant_content"}
    if site.kind in entries:
        name = entries[site.kind]
        return f'only adapt.scenario = ["{name}"] looks at the entries of a {site.kind}'
    family = family_of(requirement)
    if family is not None and family.subject == "calls":
        return ""
    if family is None or family.subject == "entries":
        return "no check is made of this kind of requirement"
    if family.package in config.without:
        return f"adapt.without switches {family.package} off"
    try:
        family.load().prepare(requirement)
    except MissingExtraError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - said, and the requirement stays unchecked
        return f"the check cannot be made: {error!r}"
    return "the way in which it is read cannot be replayed, so that no repair could be proven"


def family_of(requirement: Requirement) -> CheckFamily | None:
    """Return the kind of requirement that one on a text, or of a scenario, is of."""
    if isinstance(requirement, ScenarioRequirement):
        return SCENARIOS.get(requirement.name)
    return _FAMILIES.get(type(requirement))


def _prepare_text_check(
    family: CheckFamily, requirement: TextRequirement, site: Site
) -> Check | None:
    """Compile the check of a text's requirement, behind the steps that the code takes before its
    consumer."""
    # Loaded when the first value arrives, or ahead of it; a decoration needs no check.
    from knitbone.adaptation.consumers.focus import after_reasoning, focus_check  # noqa: PLC0415
    from knitbone.adaptation.repair.within_words import within_words  # noqa: PLC0415

    called = isinstance(requirement, StructuredTemplate) and site.form == "arguments"
    settings = {"arguments": True} if called else {}
    check = cast("Check | None", _call_prepare(family, requirement, **settings))
    if check is None or isinstance(requirement, ScenarioRequirement):
        return check
    # Some checks go the steps before the consumer themselves.
    if _reader_of(requirement) is None and not check.reads_whole:
        check = focus_check(check, requirement.steps)
    if check is None:
        return None
    # Of an answer that the code cuts into lines elsewhere, this may be about each of them.
    alone = requirement.reader is None if isinstance(requirement, PositionalTemplate) else True
    searched = check if not alone and _cuts_lines(site) else within_words(check, requirement)
    return after_reasoning(searched)


def _has_values(requirement: PositionalTemplate) -> bool:
    """Return whether the code makes values of parts of a text."""
    typed = any(e.type in ("integer", "number", "date") for e in requirement.elements)
    return typed and (len(requirement.elements) > 1 or requirement.separator != "")


def _is_any_text(requirement: PositionalTemplate) -> bool:
    """Return whether a record is any texts with marks between them: what the code makes of each of
    them is demanded elsewhere."""
    kinds = {element.kind for element in requirement.elements}
    typed = any(element.type not in ("any", "string") for element in requirement.elements)
    return kinds <= {"slot", "delimiter", "space"} and not typed and requirement.reader is None


def _cuts_lines(site: Site) -> bool:
    """Return whether the code of a site cuts the answer into lines by a mark of its own."""
    return any(
        isinstance(each, PositionalTemplate) and each.separator == "\n"
        for each in site.requirements
    )


def _call_prepare(family: CheckFamily, requirement: Requirement, **settings: object) -> object:
    """Call ``prepare`` of the package that checks a requirement; ``None`` where it makes no
    check."""
    try:
        with unforked:
            return family.load().prepare(requirement, **settings)
    except MissingExtraError as error:
        note_missing(error)
    except Exception:  # noqa: BLE001 - fail open: the requirement stays unchecked
        log(_logger, logging.ERROR, "check not compiled", exc_info=True, defect=family.package)
    return None


def _load(family: CheckFamily | None, requirement: Requirement) -> None:
    if family is None:
        return
    load: Callable[[Requirement], None] | None = getattr(family.load(), "load", None)
    if load is not None:
        # What is missing is said when it is missed.
        with contextlib.suppress(MissingExtraError):
            load(requirement)


def _entry_rules(site: Site, config: AdaptConfig) -> tuple[EntryRule, ...]:
    """Compile the requirements on a list that act at a site."""
    rules: list[EntryRule] = []
    for scenario in site.acting(config):
        if not isinstance(scenario, ScenarioRequirement):
            continue
        family = SCENARIOS[scenario.name]
        if family.subject != "entries" or not is_checked(scenario, site, config):
            continue
        if scenario.name == "intact_text":
            asked = _chunk_spec(site, scenario)
            found = _call_prepare(family, asked, length=_length_function(asked, site))
        else:
            asked = scenario
            found = _call_prepare(family, asked)
        check = cast("EntryCheck | None", found)
        if check is not None:
            rules.append(EntryRule(asked, family.defect, check, family))
    return tuple(rules)


def _chunk_spec(site: Site, scenario: ScenarioRequirement) -> ChunkSpec:
    """Return how the text is cut; where the code leaves size and length to run time, as the
    scenario says."""
    for requirement in site.requirements:
        if isinstance(requirement, ChunkSpec):
            return requirement
    return ChunkSpec(splitter=site.origin, evidence=scenario.evidence)


def _length_function(spec: ChunkSpec, site: Site) -> Callable[[str], int] | None:
    """Return the application's own function that measures a chunk, where its module is loaded."""
    if not spec.length.isidentifier() or spec.length in ("characters", "tokens"):
        return None
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == site.file:
            found = getattr(module, spec.length, None)
            return cast("Callable[[str], int]", found) if callable(found) else None
    return None
