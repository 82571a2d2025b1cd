"""Runs of an agent that serves customers through tools and has a policy to keep, in τ-bench's
format: identify, read, propose, have it confirmed, change, tell.

A small world answers the calls, so that a wrong argument meets what it would meet: another record
is changed, or the tool refuses. Half of the tools check what the policy demands, as in real ones.
"""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple

from knitbone_evals.diagnose.localization.seeded.script import Script, name_of

__all__ = ["DOMAINS", "SERVICE_FAULTS", "Domain", "service"]

SERVICE_FAULTS = (
    "misread request", "wrong tool or query", "wrong argument", "misread observation",
    "fabricated value", "ignored policy", "dropped step", "skipped verification", "loop",
    "premature end",
)  # fmt: skip


class Domain(NamedTuple):
    """A trade, in the words of its tools."""

    person: str
    thing: str
    kinds: tuple[str, ...]
    option: str
    cancel: str
    change: str
    refund: str
    open_status: str
    closed_status: str


DOMAINS = (
    Domain("member", "loan", ("atlas", "novel", "score", "film"), "branch",
           "cancel_loan", "move_loan", "refund_fee", "reserved", "lent"),
    Domain("guest", "booking", ("single room", "double room", "suite", "parking space"), "date",
           "cancel_booking", "change_booking", "refund_deposit", "confirmed", "checked in"),
    Domain("subscriber", "line", ("mobile line", "land line", "data line", "fax line"), "tariff",
           "close_line", "switch_tariff", "credit_line", "active", "suspended"),
    Domain("sender", "parcel", ("letter box", "small parcel", "large parcel", "crate"), "depot",
           "cancel_parcel", "redirect_parcel", "refund_postage", "registered", "in transit"),
    Domain("patient", "appointment", ("check-up", "vaccination", "eye test", "blood test"), "slot",
           "cancel_appointment", "move_appointment", "refund_charge", "planned", "done"),
    Domain("tenant", "repair", ("heating", "window", "lift", "tap"), "visit",
           "withdraw_repair", "reschedule_repair", "reimburse_repair", "open", "billed"),
)  # fmt: skip


class _Desk:
    """The records, and the conversation about them."""

    def __init__(self, script: Script, domain: Domain) -> None:
        self.script, self.domain = script, domain
        choose = script.choose
        self.name = f"{name_of(choose)} {name_of(choose)}"
        self.code = str(choose.randint(10_000, 99_999))
        self.person = f"{self.name.lower().replace(' ', '_')}_{choose.randint(100, 999)}"
        self.things = {
            f"{domain.thing[:3].upper()}{choose.randint(1_000, 9_999)}": {
                "kind": kind, "status": domain.open_status,
                "amount": choose.randint(11, 480) + 0.5 * choose.randint(0, 1),
                domain.option: f"{domain.option[:2]}-{choose.randint(100, 999)}",
            }
            for kind in domain.kinds
        }  # fmt: skip
        self.options = [f"{domain.option[:2]}-{choose.randint(100, 999)}" for _ in range(5)]
        self.strict = script.chance(0.5)
        self.calls = 0

    def user(self, text: str) -> None:
        self.script.messages.append({"role": "user", "content": text})

    def tell(self, text: str) -> None:
        text += self.script.aside()
        self.script.messages.append({"role": "assistant", "content": text})

    def call(self, tool: str, **arguments: Any) -> Any:
        """The call, and the world's answer."""
        self.calls += 1
        call = {"id": f"call_{self.calls}", "type": "function",
                "function": {"name": tool, "arguments": json.dumps(arguments)}}  # fmt: skip
        self.script.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        answer = self._answer(tool, arguments)
        text = answer if isinstance(answer, str) else json.dumps(answer)
        self.script.messages.append(
            {"role": "tool", "tool_call_id": f"call_{self.calls}", "name": tool, "content": text}
        )
        return answer

    def _answer(self, tool: str, given: dict[str, Any]) -> Any:
        domain = self.domain
        if tool == f"find_{domain.person}":
            if given["code"] != self.code:
                return f"Error: no {domain.person} with this name and code"
            return {f"{domain.person}_id": self.person, "name": self.name,
                    f"{domain.thing}s": list(self.things)}  # fmt: skip
        if tool == f"list_{domain.option}s":
            return {"kind": given["kind"], f"{domain.option}s": self.options}
        thing = self.things.get(given.get(f"{domain.thing}_id", ""))
        if tool == f"send_{domain.person}_note":
            return {"sent": True}
        if tool == "transfer_to_human_agents":
            return "Transfer successful"
        if thing is None:
            return f"Error: {domain.thing} not found"
        if self.strict and tool.startswith(domain.refund) and given["amount"] > thing["amount"]:
            return "Error: the amount is higher than what was paid"
        if self.strict and given.get(domain.option) not in (None, *self.options):
            return f"Error: {domain.option} not available"
        if tool == domain.cancel:
            thing["status"] = "cancelled"
        elif tool == domain.change:
            thing[domain.option] = given[domain.option]
        elif tool == domain.refund:
            thing["refunded"] = given["amount"]
        return {f"{domain.thing}_id": given[f"{domain.thing}_id"], **thing}


def _policy(domain: Domain) -> str:
    return (
        f"You serve the {domain.person}s. At the beginning you have to authenticate the"
        f" {domain.person} by finding the {domain.person} by name and code. Before you change,"
        f" cancel or refund anything, list what you will do and obtain the {domain.person}'s"
        f" explicit confirmation (yes). A {domain.thing} can only be cancelled, changed or refunded"
        f" if its status is '{domain.open_status}'. Read a record before you change it. Do not make"
        " up information. Transfer to a human agent only if the request cannot be handled with"
        " your tools."
    )


def service(choose: random.Random, fault: str, domains: tuple[Domain, ...]) -> Script:
    """A customer with one to three wishes, some eight to forty messages."""
    script = Script(choose, fault)
    domain = choose.choice(domains)
    desk = _Desk(script, domain)
    script.messages.append({"role": "system", "content": _policy(domain)})
    wishes = _wishes(desk)
    if fault in ("dropped step", "premature end") and len(wishes) < 2:
        wishes = _wishes(desk, least=2)
    script.task = "; ".join(text for text, _, _ in wishes)
    together = fault == "dropped step" or script.chance(0.5)
    desk.user("Hello. " + (". ".join(t for t, _, _ in wishes) if together else wishes[0][0]) + ".")
    _identified(desk)
    for number, (text, how, thing) in enumerate(wishes):
        if number and not together:
            desk.user(f"Thanks. And then: {text}.")
        last = number == len(wishes) - 1
        if not last and script.chance(0.6):
            _fulfilled(desk, how, thing, due=False)
            continue
        if script.at_fault("dropped step"):
            script.seed()
            continue  # what stands in its place is the fault
        if script.at_fault("premature end"):
            _given_up(desk)
            return script
        _fulfilled(desk, how, thing, due=True)
    if script.chance(0.4):
        desk.call(f"send_{domain.person}_note", **{f"{domain.person}_id": desk.person,
                  "topic": f"your {domain.thing}s"})  # fmt: skip
    desk.tell(script.one_of(
        "Everything is done as you asked. Is there anything else?",
        f"That is done. Your {domain.thing}s are up to date.",
        "All changes are made. Have a good day.",
    ))  # fmt: skip
    desk.user(script.one_of("No, thank you.", "Thanks, bye.", "That is all."))
    return script


def _wishes(desk: _Desk, least: int = 1) -> list[tuple[str, str, str]]:
    """What the customer wants: in words, the kind of change, and the record that it is about."""
    choose, domain = desk.script.choose, desk.domain
    chosen = choose.sample(list(desk.things), choose.randint(least, 3))
    wishes: list[tuple[str, str, str]] = []
    for thing in chosen:
        kind = desk.things[thing]["kind"]
        how = choose.choice(("cancel", "change", "refund"))
        text = {
            "cancel": f"please cancel the {domain.thing} for the {kind}",
            "change": f"I need another {domain.option} for the {kind}",
            "refund": f"I would like my money back for the {kind}",
        }[how]
        wishes.append((text, how, thing))
    return wishes


def _identified(desk: _Desk) -> None:
    script, domain = desk.script, desk.domain
    if script.at_fault("skipped verification"):
        desk.tell(f"Gladly. What is your {domain.person} number?")
        desk.user(f"It is {desk.person}, and it is about {', '.join(desk.things)}.")
        return
    desk.tell(script.one_of("Your name and code, please?", "May I have your name and code?"))
    if script.chance(0.25):
        desk.user(f"{desk.name}, code {desk.code[:-1]}")
        desk.call(f"find_{domain.person}", name=desk.name, code=desk.code[:-1])
        desk.tell("I cannot find you under that code. Could you check it?")
        desk.user(f"Sorry: {desk.code}.")
    else:
        desk.user(f"I am {desk.name}, code {desk.code}.")
    desk.call(f"find_{domain.person}", name=desk.name, code=desk.code)


def _given_up(desk: _Desk) -> None:
    script = desk.script
    script.seed()
    if script.chance(0.5):
        desk.call("transfer_to_human_agents", summary=script.one_of(
            "The customer wants a change.", "The request needs a colleague."))  # fmt: skip
    else:
        desk.tell("I am afraid that cannot be done. Have a good day.")
        desk.user("Oh. Well, bye.")


def _fulfilled(desk: _Desk, how: str, thing: str, *, due: bool) -> None:
    """One wish: read, propose, confirm, change. With ``due`` a fault that fits happens here."""
    script, domain = desk.script, desk.domain
    key = f"{domain.thing}_id"
    if due and script.at_fault("misread request"):
        script.seed()
        thing = script.other(thing, list(desk.things))
    if script.at_fault("skipped verification"):
        script.seed()
    unread = due and script.at_fault("ignored policy") and script.chance(0.5)
    if unread:
        desk.things[thing]["status"] = domain.closed_status
    record = desk.call(f"get_{domain.thing}", **{key: thing})
    if script.chance(0.3):
        desk.call(f"get_{domain.thing}", **{key: script.other(thing, list(desk.things))})
    value: Any = record["amount"]
    made_up = due and how == "change" and script.at_fault("fabricated value")
    if how == "change" and not made_up:
        desk.call(f"list_{domain.option}s", kind=record["kind"])
        value = script.choose.choice(desk.options)
    arguments = {key: thing} | _details(desk, how, value)
    if due and script.at_fault("fabricated value"):
        if how == "change":
            arguments[domain.option] = f"{domain.option[:2]}-{script.choose.randint(100, 999)}"
        else:
            arguments[key] = f"{domain.thing[:3].upper()}{script.choose.randint(1_000, 9_999)}"
    elif due and script.at_fault("misread observation"):
        script.seed()
        if how == "refund":
            arguments["amount"] = float(script.slip(int(value)))
        elif how == "change":
            arguments[domain.option] = script.other(value, desk.options)
        else:
            arguments[key] = script.other(thing, list(desk.things))
    shown = ", ".join(f"{name} {value}" for name, value in arguments.items())
    if not (due and script.at_fault("ignored policy") and not unread):
        desk.tell(script.one_of(
            f"I will {how} the {domain.thing} ({shown}). Shall I go ahead?",
            f"To confirm: {how} {domain.thing}, {shown}. Is that right?",
        ))  # fmt: skip
        desk.user(script.one_of("Yes, please.", "Yes, go ahead.", "Yes, that is right."))
    _changed(desk, how, arguments, due=due)


def _details(desk: _Desk, how: str, value: Any) -> dict[str, Any]:
    if how == "cancel":
        return {"reason": desk.script.one_of("no longer needed", "ordered by mistake")}
    return {"amount": value} if how == "refund" else {desk.domain.option: value}


def _changed(desk: _Desk, how: str, arguments: dict[str, Any], *, due: bool) -> None:
    script, domain = desk.script, desk.domain
    tools = {"cancel": domain.cancel, "change": domain.change, "refund": domain.refund}
    tool, key = tools[how], f"{domain.thing}_id"
    if due and script.at_fault("fabricated value", "ignored policy"):
        script.seed()
    if due and script.at_fault("wrong argument"):
        script.seed()
        if how == "refund" and script.chance(0.5):
            arguments["amount"] = arguments["amount"] * 10
        else:
            arguments[key] = script.other(arguments[key], list(desk.things))
    if due and script.at_fault("wrong tool or query"):
        script.seed()
        how = script.other(how, list(tools))
        tool = tools[how]
        arguments = {key: arguments[key]} | _details(
            desk, how, script.choose.choice(desk.options) if how == "change" else 25.0
        )
    if due and script.at_fault("loop"):
        script.seed()
        arguments[key] = arguments[key].lower()
        for turn in range(script.choose.randint(3, 5)):
            again = dict(arguments)
            if "reason" in again:
                again["reason"] += f", asked {turn + 1} times"
            desk.call(tool, **again)
        return
    answer = desk.call(tool, **arguments)
    if not isinstance(answer, str) and script.chance(0.3):
        desk.call(f"get_{domain.thing}", **{key: arguments[key]})
    if script.chance(0.3):
        desk.tell("Done.")
        desk.user("Good.")
