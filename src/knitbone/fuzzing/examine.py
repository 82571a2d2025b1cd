"""What a finished campaign's findings mean: classify -> sanity check -> queries -> agent.

``examine`` takes a campaign and gives it back with the findings' classification and, where models
are configured for the roles, the queries that reproduce them through an agent. Without models the
findings stay at the level of the tool, which ``Campaign.tool_level`` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from knitbone.common.printable import printable
from knitbone.config import Config, FuzzConfig, ModelConfig, RecordConfig
from knitbone.errors import ModelAuthenticationError, ModelError
from knitbone.fuzzing.agents.dialogue import AgentStyle
from knitbone.fuzzing.agents.engine import run_agent_sync
from knitbone.fuzzing.agents.records import AgentResult
from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.classification.judge import classify, classify_with_model
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.model_questions import BudgetUsedUp, answer_schema, ask, call_material
from knitbone.fuzzing.records import AgentQuery, Campaign, Finding, ToolUnderTest, json_text
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sanity import check_sanity
from knitbone.fuzzing.trials import Trials
from knitbone.models.chat import ChatModel
from knitbone.models.factory import create_chat_model
from knitbone.record.events import Event, Message, ModelCall, ToolCall
from knitbone.record.redaction import Redactor
from knitbone.record.store import RunStore

__all__ = ["Roles", "examine", "roles_of"]


# User queries that carry a failing argument, kept where they reproduce the failure (§4.1).

_TASK = (
    "You write what users ask an assistant that has one tool. Write natural, self-contained "
    "requests, as people type them, that the tool is made for and that lead the assistant to "
    "call it with exactly the failing arguments. Carry every value in the request, texts letter "
    "by letter. Do not mention the tool, its arguments' names, JSON, tests or failures. Write "
    "{count} requests that differ in their wording."
)
_SCHEMA = answer_schema(queries={"type": "array", "items": {"type": "string"}})
_SAYABLE = 2_000
"""Characters of arguments beyond which nobody would say them to an assistant."""
_LONGEST_QUERY = 2 * _SAYABLE
_STEP = 200


class _Queries(msgspec.Struct, frozen=True):
    queries: list[str]


class QueryRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the agent on a query."""

    result: AgentResult
    reproduced: bool
    """Whether a call that the agent made is the finding's failure."""
    steps: tuple[str, ...]
    """What the agent did, a line a step."""


def is_sayable(finding: Finding) -> bool:
    """Whether a user could say the failing arguments."""
    return len(json_text(finding.arguments)) <= _SAYABLE


def write_queries(
    tool: ToolUnderTest, finding: Finding, model: ChatModel, *, count: int, budget: CampaignBudget
) -> tuple[str, ...]:
    """Have the writer put the failing arguments into a user's words.

    Raises:
        BudgetUsedUp: a hard budget is used up.
        ModelError: the model could not be asked, or wrote no queries.
    """
    task = _TASK.format(count=count)
    said = ask(model, task, call_material(tool, finding), _Queries, _SCHEMA, budget=budget)
    kept = dict.fromkeys(text.strip()[:_LONGEST_QUERY] for text in said.queries)
    return tuple(text for text in kept if text)[:count]


def try_query(
    query: str,
    finding: Finding,
    tool: SandboxedTool,
    model: ChatModel,
    *,
    style: AgentStyle,
    budget: CampaignBudget,
) -> QueryRun:
    """Run the agent on a query and see whether the tool fails as in the finding.

    Raises:
        ModelError: the agent's model could not be asked.
        SandboxError: the sandbox cannot be kept.
    """
    tool.forget()
    result = run_agent_sync(model, [tool], query, style=style, budget=budget)
    verdicts = [judge(outcome, arguments, roots=tool.roots) for arguments, outcome in tool.calls]
    return QueryRun(
        result=result,
        reproduced=any(found is not None and found.id == finding.id for found in verdicts),
        steps=_steps(result.run.events),
    )


def _steps(events: Sequence[Event]) -> tuple[str, ...]:
    lines: list[str] = []
    for event in events:
        if isinstance(event, Message):
            lines.append(f"user: {event.content}")
        elif isinstance(event, ModelCall) and event.output is not None and event.output.content:
            lines.append(f"agent: {event.output.content}")
        elif isinstance(event, ToolCall):
            lines.append(f"call: {event.name} {json_text(event.arguments)}")
            lines.append(f"tool: {event.result}")
    return tuple(printable(line, limit=_STEP) for line in lines)


_QUERIES = 3
"""Queries that are written for one finding (ours); the first that reproduces it is kept."""

_ROLES = ("writer", "checker", "agent")
_FAILURES = 3
"""Model calls that may fail before a campaign's model stages end."""


class Roles(msgspec.Struct, frozen=True, kw_only=True):
    """The models of the roles; ``None`` where none is configured."""

    writer: ChatModel | None = None
    """Writes user queries."""
    checker: ChatModel | None = None
    """Holds arguments against the documentation."""
    agent: ChatModel | None = None
    """Works on the queries with the tool under test."""


def roles_of(config: Config) -> Roles:
    """The models that are configured; nothing is sent yet.

    Raises:
        ConfigError: a role's model cannot be made, such as a cassette that is not named.
        ModelError: its key is missing.
    """
    made = {
        role: create_chat_model(model, role)
        for role in _ROLES
        if (model := _model_config(config, role)).name
    }
    return Roles(**made)


def examine(
    campaign: Campaign,
    roles: Roles,
    *,
    config: FuzzConfig,
    budget: CampaignBudget,
    sandbox: Callable[[], Sandbox],
    trials: Callable[[Finding], Trials],
    store: RunStore | None = None,
    record: RecordConfig | None = None,
) -> Campaign:
    """Classify a campaign's findings, and try to reproduce them through an agent.

    A model that fails does not lose the campaign: the findings keep what is known of them, and
    ``tool_level`` says what happened.

    Args:
        sandbox: opens a sandbox of this one tool, for the agent.
        trials: makes what calls the tool for one finding, for what the documentation gives as
            examples and for what is supposed to be lacking in it.
        store: where the agent's runs that reproduce a failure are recorded, without secrets.

    Raises:
        SandboxError: the sandbox cannot be started or kept.
    """
    if not campaign.findings:
        return campaign
    if budget.left_s <= 0:
        late = f"{config.time_s:g} s are over"
        return msgspec.structs.replace(classify(campaign), tool_level=late)
    missing = [role for role in _ROLES if getattr(roles, role) is None]
    campaign = classify(campaign, trials=trials)
    if len(missing) == len(_ROLES):
        return msgspec.structs.replace(campaign, tool_level="no model is configured")
    with sandbox() as opened:
        tool = SandboxedTool(opened, 0, timeout_s=config.call_timeout_s)
        redactor = Redactor((record or RecordConfig()).redact)
        examiner = _Examiner(campaign, roles, config, budget, store, redactor, tool)
        findings = tuple(examiner.examine(finding) for finding in campaign.findings)
    return msgspec.structs.replace(
        campaign,
        findings=findings,
        spent=budget.spent(),
        tool_level=examiner.explanation(missing, findings),
    )


class _Examiner:
    """The model stages of one campaign."""

    def __init__(
        self,
        campaign: Campaign,
        roles: Roles,
        config: FuzzConfig,
        budget: CampaignBudget,
        store: RunStore | None,
        redactor: Redactor,
        tool: SandboxedTool,
    ) -> None:
        self._campaign = campaign
        self._roles = roles
        self._config = config
        self._budget = budget
        self._store = store
        self._redactor = redactor
        self._reasons: Counter[str] = Counter()
        self._failed = 0
        self._ended: str | None = None
        self._tool = tool

    def explanation(self, missing: list[str], findings: tuple[Finding, ...]) -> str | None:
        """Why findings without a query have none."""
        if all(finding.query is not None for finding in findings):
            return None
        parts = [f"{count} {reason}" for reason, count in self._reasons.items()]
        if self._ended is not None:
            parts.append(f"ended early: {self._ended}")
        if missing:
            parts.append(f"no model is configured for {', '.join(missing)}")
        return "; ".join(parts)

    def examine(self, finding: Finding) -> Finding:
        """One finding through the stages; what was learned before a model failed is kept."""
        for stage in (self._classify, self._check, self._query):
            if self._ended is not None:
                break
            try:
                finding = stage(finding)
            except BudgetUsedUp as used:
                self._ended = str(used)
            except ModelAuthenticationError as error:
                self._ended = error.message
            except ModelError as error:
                self._failed += 1
                self._reasons[f"without an answer of the model ({error.message})"] += 1
                if self._failed >= _FAILURES:
                    self._ended = f"{self._failed} model calls failed"
                break
        return finding

    def _classify(self, finding: Finding) -> Finding:
        if self._roles.checker is None:
            return finding
        return classify_with_model(
            self._campaign.tool, finding, self._roles.checker, budget=self._budget
        )

    def _check(self, finding: Finding) -> Finding:
        if self._roles.checker is None:
            return finding
        verdict = check_sanity(
            self._campaign.tool, finding, self._roles.checker, budget=self._budget
        )
        return msgspec.structs.replace(finding, sanity=verdict)

    def _query(self, finding: Finding) -> Finding:
        writer, agent = self._roles.writer, self._roles.agent
        if writer is None or agent is None:
            return finding
        if finding.is_documented:
            self._reasons["announced by the documentation"] += 1
            return finding
        if finding.standing == "refused":
            self._reasons["refused on purpose"] += 1
            return finding
        if finding.sanity is not None and finding.sanity.refused:
            self._reasons["refused by the sanity check"] += 1
            return finding
        if not is_sayable(finding):
            self._reasons["with arguments too long to be said"] += 1
            return finding
        queries = write_queries(
            self._campaign.tool, finding, writer, count=_QUERIES, budget=self._budget
        )
        for text in queries:
            attempt = try_query(
                text,
                finding,
                self._tool,
                agent,
                style=self._config.agent,
                budget=self._budget,
            )
            if attempt.reproduced:
                # The identifier is ours and must survive whatever the patterns match.
                identifier = attempt.result.run.id
                run = msgspec.structs.replace(
                    self._redactor.record(attempt.result.run), id=identifier
                )
                if self._store is not None:
                    self._store.put(run)
                query = AgentQuery(
                    text=text,
                    reproduced=1,
                    agent=self._config.agent,
                    model=f"{agent.name} / {writer.name}",
                    steps=attempt.steps,
                    run=run.id if self._store is not None else None,
                )
                return msgspec.structs.replace(finding, query=query)
            if attempt.result.stopped == "budget":
                raise BudgetUsedUp(self._budget.refusal() or "the budget is used up")
        self._reasons["not reproduced by the agent"] += 1
        return finding


def _model_config(config: Config, role: str) -> ModelConfig:
    return getattr(config, role)
