"""Small programs that serve a customer at a desk, recorded as they run: a real client, real tools
over real state, ``knitbone.trace``; only the model's answers are scripted. Whether a run succeeded
is read off the state at its end.

Each good program has something in it that looks like trouble and is none; each bad one has one
fault, put in at a known call. They were written by the author of the claims: they say whether the
mechanism holds, not how often agents do such things.
"""

from __future__ import annotations

import json
import random
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import openai

import knitbone
from knitbone.record.events import ModelCall, Run, ToolCallRequest
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply

GOOD = (
    "plain", "search again", "other slot after asking", "refusal told", "retry after timeout",
    "confirmed in other words", "asked twice", "argument supplied late", "two agents at once",
    "chain of prompts", "any slot will do",
)  # fmt: skip
BAD = (
    "crash on the answer", "tool raises", "same wrong call", "argument never supplied",
    "said to be done", "wrong record", "wrong slot", "other slot unasked", "nobody confirmed",
    "nothing done", "cut off", "stopped by a limit",
)  # fmt: skip

_TRADES = (
    ("boat", "book", "berth"), ("loan", "renew", "shelf"), ("parcel", "redirect", "depot"),
    ("bike", "reserve", "rack"), ("court", "book", "hour"), ("plot", "assign", "row"),
    ("locker", "reserve", "floor"), ("slide", "order", "tray"),
)  # fmt: skip
_NAMES = [
    "Amberley",
    "Brixham",
    "Corfe",
    "Dunster",
    "Evesham",
    "Fowey",
    "Goring",
    "Hexham",
    "Ilkley",
    "Kelso",
]
_YES = ("Yes, please.", "Yes, go ahead.", "That is right, do it.")


class Program(NamedTuple):
    """One recorded run, and where its fault was put."""

    kind: str
    run: Run
    good: bool
    label: int | None
    """The step of the fault, as the diagnosis counts; ``None`` where there is none."""


class _Cut(NamedTuple):
    """The text of an answer that ends at the greatest length."""

    text: str


class _Desk:
    """The state, its tools, and the conversation as it is scripted."""

    def __init__(self, choose: random.Random, half: int) -> None:
        self.thing, self.verb, self.place = choose.choice(_TRADES[half::2])
        self.names = choose.sample(_NAMES, 3)
        self.ids = [f"{self.thing[0].upper()}{choose.randint(1000, 9999)}" for _ in range(3)]
        self.slots = choose.sample(range(2, 30), 3)
        self.state: dict[str, int] = {}
        self.timeouts = 0
        self.taken = {self.slots[1]}
        self.find, self.write = f"find_{self.thing}", f"{self.verb}_{self.thing}"

    def run_tool(self, name: str, arguments: dict[str, Any]) -> str:
        if name == self.find:
            if arguments["name"] not in self.names:
                return f"Error: no {self.thing} of that name"
            at = self.names.index(arguments["name"])
            return json.dumps({"id": self.ids[at], "name": self.names[at], "free": self.slots[::2]})
        if self.timeouts:
            self.timeouts -= 1
            return "Error: the register did not answer in time"
        if self.place not in arguments:
            return f"TypeError: {name}() missing 1 required argument: '{self.place}'"
        if arguments[self.place] in self.taken:
            return f"Error: {self.place} {arguments[self.place]} is taken"
        self.state[arguments["id"]] = arguments[self.place]
        return json.dumps({"id": arguments["id"], self.place: arguments[self.place], "done": True})


_Turn = tuple[str, Any]


def programs(count: int, *, seed: int, half: int) -> Iterator[Program]:
    """Good and bad programs in turn, ``count`` of each.

    Args:
        half: 0 or 1: the trades (what is found and changed) of one half are not in the other.
    """
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.sqlite"
        for kinds, good in ((GOOD, True), (BAD, False)):
            for number in range(count):
                kind = kinds[number % len(kinds)]
                choose = random.Random(f"{seed} {half} {kind} {number}")
                yield _record(kind, _Desk(choose, half), choose, store, good=good)


def _record(kind: str, desk: _Desk, choose: random.Random, store: Path, *, good: bool) -> Program:
    turns, fault = _script(kind, desk, choose)
    wanted = _wanted(kind, desk)
    identifier = None
    try:
        with knitbone.trace(store=store) as traced:
            identifier = traced.id
            if kind == "two agents at once":
                agents = [threading.Thread(target=_play, args=(turns, desk)) for _ in range(2)]
                for agent in agents:
                    agent.start()
                for agent in agents:
                    agent.join()
            else:
                _play(turns, desk)
            traced.outcome(success=good)
    except (ValueError, RuntimeError):
        pass  # two kinds crash by design; the run says so
    if good and desk.state != wanted:
        raise AssertionError(f"{kind}: {desk.state}, wanted {wanted}")
    opened = SqliteStore(store)
    try:
        run = opened.get(identifier or "")
    finally:
        opened.close()
    calls = [k for k, event in enumerate(run.events) if isinstance(event, ModelCall)]
    return Program(kind, run, good, None if fault is None or good else calls[fault])


def _wanted(kind: str, desk: _Desk) -> dict[str, int]:
    """The state after a good program."""
    if kind in ("refusal told", "chain of prompts"):
        return {}
    other = kind in ("other slot after asking", "any slot will do")
    return {desk.ids[0]: desk.slots[2 if other else 0]}


def _script(kind: str, desk: _Desk, choose: random.Random) -> tuple[list[_Turn], int | None]:
    """The turns (``say``, ``call``, ``hear``) and the number of the faulty model call."""
    first, name = desk.slots[0], desk.names[0]
    ask = f"Please {desk.verb} the {desk.thing} {name} for me, {desk.place} {first}."
    offer = f"I found the {desk.thing} {name}. Shall I {desk.verb} it at {desk.place} {first}?"
    done = f"The {desk.thing} {name} is now yours at {desk.place} {first}. Have a good day."
    find = ("call", (desk.find, {"name": name}))

    def write(slot: int | None = first, record: int = 0) -> _Turn:
        arguments: dict[str, Any] = {"id": desk.ids[record]}
        return "call", (desk.write, arguments | ({} if slot is None else {desk.place: slot}))

    begin: list[_Turn] = [("hear", ask), find]
    agreed: list[_Turn] = [("say", offer), ("hear", choose.choice(_YES))]
    end: list[_Turn] = [("say", done), ("hear", "Thank you, bye.")]
    taken = desk.slots[1]
    told = f"I am sorry, {desk.place} {taken} is taken. {desk.place} {desk.slots[2]} is free."
    scripts: dict[str, tuple[list[_Turn], int | None]] = {
        "plain": ([*begin, *agreed, write(), *end], None),
        "search again": (
            [("hear", ask), ("call", (desk.find, {"name": name.lower()})), find, *agreed, write(),
             *end], None),
        "other slot after asking": (
            [*begin, *agreed, write(taken), ("say", told), ("hear", "Yes, that one is fine."),
             write(desk.slots[2]), ("say", f"It is at {desk.place} {desk.slots[2]} now.")], None),
        "refusal told": (
            [*begin, *agreed, write(taken),
             ("say", f"I could not {desk.verb} it, {desk.place} {taken} is taken today."),
             ("hear", "Never mind then.")], None),
        "retry after timeout": ([*begin, *agreed, write(), write(), *end], None),
        "confirmed in other words": (
            [*begin, ("say", offer),
             ("hear", f"{desk.verb.capitalize()} the {desk.thing} {name} at {desk.place} {first}."),
             write(), *end], None),
        "asked twice": (
            [*begin, ("say", offer), ("hear", "What a day, the rain will not stop."), *agreed,
             write(), *end], None),
        "argument supplied late": ([*begin, *agreed, write(None), write(), *end], None),
        "two agents at once": ([*begin, *agreed, write(), *end], None),
        "chain of prompts": ([("hear", "Plan a day out."), ("say", "First the mill, then the sea."),
                              ("hear", "First the mill, then the sea. Make it shorter."),
                              ("say", "Mill, then sea.")], None),
        "any slot will do": (
            [("hear", f"Please {desk.verb} {name}, any {desk.place} will do. Yes, go ahead."), find,
             write(taken), write(desk.slots[2]), ("say", "Done, it is yours.")], None),
        "crash on the answer": ([*begin, *agreed, write(), ("json", "Here it is: {")], 3),
        "tool raises": ([*begin, *agreed, ("raise", (desk.write, {"id": desk.ids[0]}))], 2),
        "same wrong call": (
            [*begin, *agreed, *[write(taken)] * 4, ("say", "I did not get through today.")], 2),
        "argument never supplied": (
            [*begin, *agreed, write(None), write(None), *end], 2),
        "said to be done": (
            [*begin, *agreed, write(taken),
             ("say", f"I have {_past(desk.verb)} the {desk.thing} for you.")], 2),
        "wrong record": ([*begin, *agreed, write(record=1), *end], 2),
        "wrong slot": ([*begin, *agreed, write(desk.slots[2]), *end], 2),
        "other slot unasked": ([*begin, *agreed, write(), write(desk.slots[2]), *end], 2),
        "nobody confirmed": (
            [("hear", f"What does the {desk.thing} {name} cost?"), find, write(), *end], 1),
        "nothing done": ([*begin, *agreed, *end], 2),
        "cut off": ([*begin, *agreed, ("say", _Cut("To begin with, the register shows that"))], 2),
        "stopped by a limit": (
            [*begin, *agreed, find, find, ("say", "Agent stopped due to iteration limit.")], 2),
    }  # fmt: skip
    if kind == "other slot unasked":
        desk.taken = {first}
    if kind == "retry after timeout":
        desk.timeouts = 1
    return scripts[kind]


def _past(verb: str) -> str:
    return verb + ("d" if verb.endswith("e") else "ed")


_POLICY = (
    "You serve customers at a desk. Before you {verb} anything, obtain the customer's explicit"
    " confirmation."
)


def _play(turns: list[_Turn], desk: _Desk) -> None:
    """One conversation, as an application with a loop of its own makes it."""
    replies = [_reply(turn, number) for number, turn in enumerate(turns) if turn[0] != "hear"]
    with (
        ModelServer(replies) as server,
        openai.OpenAI(base_url=server.base_url, api_key="unused-key", max_retries=0) as client,
    ):
        policy = _POLICY.format(verb=desk.verb)
        messages: list[Any] = [{"role": "system", "content": policy}]
        for action, content in turns:
            if action == "hear":
                messages.append({"role": "user", "content": content})
                continue
            choice = client.chat.completions.create(model="m", messages=messages).choices[0]
            messages.append(choice.message.model_dump(exclude_none=True))
            if action == "json":
                json.loads(choice.message.content or "")
            for call in choice.message.tool_calls or ():
                if action == "raise":
                    raise RuntimeError("the register is locked by another process")
                arguments = json.loads(call.function.arguments)
                result = desk.run_tool(call.function.name, arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def _reply(turn: _Turn, number: int) -> Reply:
    action, content = turn
    if action in ("call", "raise"):
        name, arguments = content
        request = ToolCallRequest(name=name, arguments=arguments, call_id=f"call_{number}")
        return Reply(tool_calls=(request,))
    if isinstance(content, _Cut):
        return Reply(text=content.text, finish_reason="length")
    return Reply(text=content)
