"""Who plays writer, agent and oracle in the tests of the search for misleading documentation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from knitbone.config import FuzzConfig
from knitbone.fuzzing.agents.records import AgentResult
from knitbone.fuzzing.documentation.engine import DocumentationSearch, fuzz_documentation
from knitbone.fuzzing.documentation.records import (
    DocumentationCampaign,
    DocumentationFinished,
    Expectation,
    FilledPrompt,
    PromptSet,
    PromptTemplate,
    Rating,
)
from knitbone.models.chat import Completion
from knitbone.record.events import ChatMessage, ModelCall, Run, ToolCall, Usage

TOOLS = Path(__file__).parent / "documentation_tools.py"


class RuleChat:
    """A chat model that answers the material of a task by a rule.

    Args:
        rules: from the task's name to a function of the material, or to a text.
    """

    name = "rules"

    def __init__(self, **rules: Any) -> None:
        self.rules = rules
        self.asked: list[str] = []

    async def complete(self, messages: Any, *, tools: Any = None, schema: Any = None) -> Completion:
        material = json.loads(messages[-1].content)
        self.asked.append(material["task"])
        rule = self.rules[material["task"]]
        said = rule(material) if callable(rule) else rule
        text = said if isinstance(said, str) else json.dumps(said)
        return Completion(
            message=ChatMessage(role="assistant", content=text),
            finish_reason="stop",
            usage=Usage(input_tokens=20, output_tokens=10, cost_usd=0.001),
            model=self.name,
            parsed=json.loads(text),
        )


class ScriptedAgent:
    """An agent that makes of a query the calls that a function says, and answers with the last
    result."""

    name = "scripted / none"

    def __init__(
        self, calls: Callable[[str], Sequence[dict[str, Any]]], *, tokens: int = 0
    ) -> None:
        self.calls = calls
        self.tokens = tokens
        self.queries: list[str] = []

    def work(self, query: str, tools: Any, *, budget: Any = None) -> AgentResult:
        self.queries.append(query)
        events: list[Any] = []
        answer = "I do not know."
        if self.tokens:
            usage = Usage(input_tokens=self.tokens, output_tokens=0)
            events.append(ModelCall(id="m", model="none", usage=usage))
        for number, arguments in enumerate(self.calls(query)):
            reply = tools[0].call(arguments)
            events.append(
                ToolCall(
                    id=f"c{number}",
                    name=tools[0].spec.name,
                    arguments=arguments,
                    result=reply.text,
                    error=reply.error,
                )
            )
            answer = reply.text
        run = Run(id="r", name="scripted", task=query, events=tuple(events))
        return AgentResult(run=run, answer=answer, stopped="answered")


class SureOracle:
    """An oracle that expects one thing, and holds everything that fails for wrong."""

    name = "sure"

    def __init__(self, *, wrong: Callable[[str], bool] = lambda answer: "rror" in answer) -> None:
        self.wrong = wrong
        self.rated: list[str] = []

    def expect(self, tool: Any, questions: Sequence[str], *, budget: Any) -> Expectation:
        return Expectation(text="a sensible answer", answers=tuple(questions))

    def rate(
        self, tool: Any, question: str, expectation: Any, answer: str, *, rated: Any, budget: Any
    ) -> Rating:
        self.rated.append(answer)
        score = 2 if self.wrong(answer) else 9
        return Rating(score=score, reason="by rule", judge=self.name)


def set_of(template: str, **infills: Sequence[str]) -> PromptSet:
    """A set as a writer would have made it."""
    count = max(len(values) for values in infills.values())
    prompts: list[FilledPrompt] = []
    for place in range(count):
        chosen = {mask: values[place % len(values)] for mask, values in infills.items()}
        text = template
        for mask, value in chosen.items():
            text = text.replace(f"[{mask}]", value)
        prompts.append(FilledPrompt(text=text, infills=chosen))
    return PromptSet(
        id=template,
        template=PromptTemplate(text=template, masks=tuple(infills)),
        prompts=tuple(prompts),
    )


def searched(
    name: str,
    sets: Sequence[PromptSet],
    calls: Callable[[str], Sequence[dict[str, Any]]],
    *,
    oracle: Any = None,
    **settings: Any,
) -> DocumentationCampaign:
    """The campaign of one tool with given sets and a scripted agent."""
    config = settings.pop("config", FuzzConfig())
    search = DocumentationSearch(config=config, prompt_sets={name: tuple(sets)}, **settings)
    events = list(
        fuzz_documentation(
            f"{TOOLS}:{name}",
            agent=ScriptedAgent(calls),
            writer=RuleChat(),
            oracle=oracle or SureOracle(),
            search=search,
        )
    )
    finished = events[-1]
    assert isinstance(finished, DocumentationFinished)
    return finished.campaign
