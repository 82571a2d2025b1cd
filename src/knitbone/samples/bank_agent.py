"""A small bank, its tools, and a *simulated* agent that uses them: no model is involved.

The tools work on real in-memory state and fail as real tools do. The agent follows a plan for
each request; in some runs one step of the plan is spoilt on purpose (an argument left out, the
wrong account, a step taken too early, ...). Whether a run succeeded is not scripted: the bank's
state at the end is compared with the state after the unspoilt plan.

``python -m knitbone.samples.bank_agent FILE`` writes the recorded runs to FILE; the copy in
``samples/runs`` was made this way. ``faults`` says where the fault was put in each.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

__all__ = ["SCENARIOS", "Bank", "Scenario", "Step", "faults", "play", "record_all", "write"]

POLICY = """You work at the counter of a small bank. Identify the customer before anything else. \
Read a record before you change it. Ask the customer to confirm before money moves or an account \
is closed. An account can be closed only at a balance of zero, with all its checks posted."""


Record = dict[str, Any]
_Records = dict[str, Record]


@dataclass
class Bank:
    """The state. Every public method is a tool; a wrong request raises."""

    customers: _Records = field(default_factory=_Records)
    accounts: _Records = field(default_factory=_Records)
    checks: _Records = field(default_factory=_Records)
    cards: _Records = field(default_factory=_Records)
    letters: list[str] = field(default_factory=list[str])

    def find_customer(self, name: str, birth_date: str) -> Record:
        for customer_id, customer in self.customers.items():
            if (customer["name"], customer["birth_date"]) == (name, birth_date):
                return {"customer_id": customer_id, **customer}
        raise LookupError(f"no customer {name} born on {birth_date}")

    def list_accounts(self, customer_id: str) -> list[Record]:
        self._customer(customer_id)
        return [
            {"account_id": account_id, **account}
            for account_id, account in self.accounts.items()
            if account["customer_id"] == customer_id
        ]

    def get_account(self, account_id: str) -> Record:
        return {"account_id": account_id, **self._account(account_id)}

    def list_checks(self, customer_id: str) -> list[Record]:
        self._customer(customer_id)
        return [
            {"check_id": check_id, **check}
            for check_id, check in self.checks.items()
            if check["customer_id"] == customer_id
        ]

    def deposit_check(self, account_id: str, check_id: str, check_amount: float) -> Record:
        account = self._account(account_id)
        check = self.checks.get(check_id)
        if check is None:
            raise LookupError(f"check {check_id} not found")
        if check["posted"]:
            raise ValueError(f"check {check_id} is posted already")
        if check_amount != check["check_amount"]:
            raise ValueError("check_amount does not match the check")
        check["posted"] = True
        account["balance"] += check_amount
        return {"account_id": account_id, "balance": account["balance"]}

    def transfer_funds(self, source_account: str, target_account: str, amount: float) -> Record:
        source, target = self._account(source_account), self._account(target_account)
        if amount <= 0 or amount > source["balance"]:
            raise ValueError(f"{source_account} cannot pay {amount}")
        source["balance"] -= amount
        target["balance"] += amount
        return {"source_balance": source["balance"], "target_balance": target["balance"]}

    def close_account(self, account_id: str) -> Record:
        account = self._account(account_id)
        if account["balance"] != 0:
            raise ValueError(f"{account_id} still holds {account['balance']}")
        account["open"] = False
        return {"account_id": account_id, "open": False}

    def update_address(self, customer_id: str, address: str) -> Record:
        self._customer(customer_id)["address"] = address
        return {"customer_id": customer_id, "address": address}

    def list_cards(self, customer_id: str) -> list[Record]:
        self._customer(customer_id)
        return [
            {"card_id": card_id, **card}
            for card_id, card in self.cards.items()
            if card["customer_id"] == customer_id
        ]

    def block_card(self, card_id: str) -> Record:
        if card_id not in self.cards:
            raise LookupError(f"card {card_id} not found")
        self.cards[card_id]["blocked"] = True
        return {"card_id": card_id, "blocked": True}

    def send_letter(self, customer_id: str, topic: str) -> Record:
        customer = self._customer(customer_id)
        self.letters.append(f"{topic} to {customer['address']}")
        return {"sent_to": customer["address"], "topic": topic}

    def _customer(self, customer_id: str) -> Record:
        if customer_id not in self.customers:
            raise LookupError(f"customer {customer_id} not found")
        return self.customers[customer_id]

    def _account(self, account_id: str) -> Record:
        account = self.accounts.get(account_id)
        if account is None or not account["open"]:
            raise LookupError(f"account {account_id} not found or closed")
        return account


def open_bank() -> Bank:
    """The bank as every run finds it."""
    people = [
        ("ines_okafor_41", "Ines Okafor", "1988-02-11", "4 Quay Street, Brackwater"),
        ("tomas_reyes_57", "Tomas Reyes", "1975-09-30", "81 Mill Lane, Oxley"),
        ("lena_fischer_63", "Lena Fischer", "1991-06-17", "12 Harbour Road, Stowe"),
    ]
    bank = Bank()
    for number, (customer_id, name, birth_date, address) in enumerate(people):
        bank.customers[customer_id] = {"name": name, "birth_date": birth_date, "address": address}
        for colour, balance in (("Green", 0.0), ("Blue", 420.5 + number), ("Silver", 1310.0)):
            bank.accounts[f"ACC{7100 + 37 * number + len(bank.accounts)}"] = {
                "customer_id": customer_id,
                "kind": colour,
                "balance": balance,
                "open": True,
            }
        bank.checks[f"CHK{930 + 11 * number}"] = {
            "customer_id": customer_id,
            "check_amount": 25.0 + 15 * number,
            "posted": False,
        }
        for kind in ("debit", "credit"):
            bank.cards[f"CARD{550 + 13 * number + len(bank.cards)}"] = {
                "customer_id": customer_id,
                "kind": kind,
                "blocked": False,
            }
    return bank


Known = dict[str, Any]
"""What the agent has read so far, by the name of the plan's step."""

Arguments = Callable[[Known], Record]


@dataclass(frozen=True)
class Step:
    """One step of a plan: words to the customer and their reply, or a tool call."""

    name: str
    say: str = ""
    reply: str = ""
    tool: str = ""
    arguments: Callable[[Known], Record] = lambda _: {}
    faulty: bool = False


Plan = tuple[Step, ...]
Spoiler = Callable[[Plan], Plan]


@dataclass(frozen=True)
class Scenario:
    """A request, the plan that fulfils it, and what is spoilt in this run."""

    request: str
    plan: Plan
    fault: str = ""
    spoil: Spoiler = lambda plan: plan


def _of_kind(rows: list[Record], kind: str, key: str) -> str:
    return next(row[key] for row in rows if row["kind"] == kind)


def _account(kind: str) -> Callable[[Known], str]:
    return lambda known: _of_kind(known["accounts"], kind, "account_id")


def _customer(known: Known) -> str:
    return str(known["customer"]["customer_id"])


def _credit_card(known: Known) -> str:
    return _of_kind(known["cards"], "credit", "card_id")


def _identify(name: str, birth_date: str) -> Plan:
    return (
        Step("greet", say="I can help with that. May I have your full name and date of birth?",
             reply=f"{name}, born on {birth_date}."),
        Step("customer", tool="find_customer",
             arguments=lambda _: {"name": name, "birth_date": birth_date}),
        Step("accounts", tool="list_accounts", arguments=lambda k: {"customer_id": _customer(k)}),
    )  # fmt: skip


def close_green(name: str, birth_date: str) -> Plan:
    """Post the check to Green, move the money to Blue, close Green."""
    green, blue = _account("Green"), _account("Blue")
    return (
        *_identify(name, birth_date),
        Step("checks", tool="list_checks", arguments=lambda k: {"customer_id": _customer(k)}),
        Step("confirm", say="I will post your open check to Green, move the money to Blue and then"
             " close Green. Shall I go ahead?", reply="Yes, please do."),
        Step("deposit", tool="deposit_check", arguments=lambda k: {
            "account_id": green(k), "check_id": k["checks"][0]["check_id"],
            "check_amount": k["checks"][0]["check_amount"]}),
        Step("green", tool="get_account", arguments=lambda k: {"account_id": green(k)}),
        Step("move", tool="transfer_funds", arguments=lambda k: {
            "source_account": green(k), "target_account": blue(k),
            "amount": k["green"]["balance"]}),
        Step("close", tool="close_account", arguments=lambda k: {"account_id": green(k)}),
        Step("letter", tool="send_letter", arguments=lambda k: {
            "customer_id": _customer(k), "topic": "account closed"}),
        Step("done", say="The check is posted, the money is on Blue and Green is closed. You will"
             " get a letter about it.", reply="Thank you, that is all."),
    )  # fmt: skip


def save_money(name: str, birth_date: str, amount: float) -> Plan:
    """Move an amount from Silver to Blue and confirm it by letter."""
    silver, blue = _account("Silver"), _account("Blue")
    return (
        *_identify(name, birth_date),
        Step("silver", tool="get_account", arguments=lambda k: {"account_id": silver(k)}),
        Step("confirm", say=f"I will move {amount} from Silver to Blue. Is that right?",
             reply="Yes, that is right."),
        Step("move", tool="transfer_funds", arguments=lambda k: {
            "source_account": silver(k), "target_account": blue(k), "amount": amount}),
        Step("blue", tool="get_account", arguments=lambda k: {"account_id": blue(k)}),
        Step("letter", tool="send_letter", arguments=lambda k: {
            "customer_id": _customer(k), "topic": "transfer"}),
        Step("done", say=f"{amount} is on its way to Blue, and a letter to you.",
             reply="Great, goodbye."),
    )  # fmt: skip


def lost_card(name: str, birth_date: str, address: str) -> Plan:
    """Block the debit card, change the address, then send the letter to the new address."""
    return (
        *_identify(name, birth_date),
        Step("cards", tool="list_cards", arguments=lambda k: {"customer_id": _customer(k)}),
        Step("confirm", say="I will block your debit card, change your address and send the form"
             " for a new card there. Agreed?", reply=f"Agreed. The new address is {address}."),
        Step("block", tool="block_card", arguments=lambda k: {
            "card_id": _of_kind(k["cards"], "debit", "card_id")}),
        Step("address", tool="update_address", arguments=lambda k: {
            "customer_id": _customer(k), "address": address}),
        Step("letter", tool="send_letter", arguments=lambda k: {
            "customer_id": _customer(k), "topic": "new card"}),
        Step("done", say="Your debit card is blocked, and the form is on its way to your new"
             " address.", reply="Perfect, thanks."),
    )  # fmt: skip


def without_argument(step_name: str, argument: str, times: int) -> Spoiler:
    """The call lacks an argument, and is made several times in a row."""

    def spoil(plan: Plan) -> Plan:
        spoilt: list[Step] = []
        for step in plan:
            if step.name == step_name:
                lacking = replace(step, arguments=_dropping(step.arguments, argument))
                spoilt += [replace(lacking, faulty=True), *[lacking] * (times - 1)]
            else:
                spoilt.append(step)
        return tuple(spoilt)

    return spoil


def _dropping(full: Arguments, argument: str) -> Arguments:
    return lambda known: {key: value for key, value in full(known).items() if key != argument}


def other_argument(step_name: str, argument: str, value: Callable[[Known], Any]) -> Spoiler:
    """The call carries another value than it should."""

    def changed(step: Step) -> Step:
        def arguments(known: Known) -> Record:
            return {**step.arguments(known), argument: value(known)}

        return replace(step, arguments=arguments, faulty=True)

    return lambda plan: tuple(changed(step) if step.name == step_name else step for step in plan)


def brought_forward(step_name: str, before: str) -> Spoiler:
    """The step is taken too early."""

    def spoil(plan: Plan) -> Plan:
        early = replace(next(step for step in plan if step.name == step_name), faulty=True)
        rest = [step for step in plan if step.name != step_name]
        place = next(n for n, step in enumerate(rest) if step.name == before)
        return (*rest[:place], early, *rest[place:])

    return spoil


def broken_off(after: str) -> Spoiler:
    """The agent says it is done before it is."""

    def spoil(plan: Plan) -> Plan:
        place = next(n for n, step in enumerate(plan) if step.name == after) + 1
        return (*plan[:place], replace(plan[-1], faulty=True))

    return spoil


_INES = ("Ines Okafor", "1988-02-11")
_TOMAS = ("Tomas Reyes", "1975-09-30")
_LENA = ("Lena Fischer", "1991-06-17")
_CLOSE = "Please post my open check and then close my Green account."
_SAVE = "I would like to move money from Silver to Blue: {} please."
_LOST = "I lost my debit card, and I have moved. I need a new card."

_HOURS = Step(
    "hours",
    say="Before we start: yes, the counter is open until five today. What can I do for you?",
    reply="Good to know. It is about what I just said.",
)

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(_CLOSE, close_green(*_INES), "missing argument, repeated",
             without_argument("deposit", "check_amount", 4)),
    Scenario(_CLOSE, close_green(*_TOMAS)),
    Scenario(_CLOSE, close_green(*_LENA), "wrong account",
             other_argument("move", "target_account", _account("Silver"))),
    Scenario(_CLOSE, (_HOURS, *close_green(*_TOMAS)), "premature close",
             brought_forward("close", "deposit")),
    Scenario(_SAVE.format(250.0), save_money(*_INES, 250.0), "wrong amount",
             other_argument("move", "amount", lambda _: 2500.0)),
    Scenario(_SAVE.format(310.0), (_HOURS, *save_money(*_TOMAS, 310.0))),
    Scenario(_SAVE.format(90.0), (_HOURS, *save_money(*_LENA, 90.0)), "direction reversed",
             other_argument("move", "source_account", _account("Blue"))),
    Scenario(_SAVE.format(75.0), save_money(*_TOMAS, 75.0), "wrong birth date",
             other_argument("customer", "birth_date", lambda _: "1957-09-30")),
    Scenario(_LOST, (_HOURS, *lost_card(*_INES, "9 Hill Close, Oxley")), "wrong card",
             other_argument("block", "card_id", _credit_card)),
    Scenario(_LOST, lost_card(*_LENA, "3 Elm Court, Brackwater")),
    Scenario(_LOST, lost_card(*_TOMAS, "27 Rope Walk, Stowe"), "letter before the address",
             brought_forward("letter", "block")),
    Scenario(_LOST, (_HOURS, *lost_card(*_LENA, "5 Dock Row, Oxley")), "ended too early",
             broken_off("block")),
)  # fmt: skip


def play(scenario: Scenario) -> tuple[list[Record], Bank, int | None]:
    """The messages of one run, the bank after it, and the position of the faulty step."""
    bank = open_bank()
    known: Known = {}
    messages: list[Record] = [
        {"role": "system", "content": POLICY},
        {"role": "user", "content": scenario.request},
    ]
    fault: int | None = None
    for number, step in enumerate(scenario.spoil(scenario.plan)):
        if step.faulty and fault is None:
            fault = len(messages)
        if not step.tool:
            messages.append({"role": "assistant", "content": step.say})
            messages.append({"role": "user", "content": step.reply})
            continue
        try:
            arguments = step.arguments(known)
        except (KeyError, TypeError):
            continue  # what the step needs was never read: the agent passes over it
        call_id = f"call_{number}"
        function = {"name": step.tool, "arguments": json.dumps(arguments)}
        messages.append({
            "role": "assistant", "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        })  # fmt: skip
        try:
            result = getattr(bank, step.tool)(**arguments)
            known[step.name] = result
            content = json.dumps(result)
        except Exception as error:  # noqa: BLE001 - a tool's failure is an answer to the agent
            content = f"Error: {type(error).__name__}: {error}"
        messages.append({
            "role": "tool", "tool_call_id": call_id, "name": step.tool, "content": content,
        })  # fmt: skip
    return messages, bank, fault


def record_all() -> list[Record]:
    """All runs, each a list of chat messages with its verdict."""
    runs: list[Record] = []
    for number, scenario in enumerate(SCENARIOS):
        messages, bank, _ = play(scenario)
        _, wanted, _ = play(Scenario(scenario.request, scenario.plan))
        reward = 1.0 if asdict(bank) == asdict(wanted) else 0.0
        runs.append({
            "task_id": number, "trial": 0, "task": scenario.request, "reward": reward,
            "messages": messages,
        })  # fmt: skip
    return runs


def faults() -> dict[int, int]:
    """By the number of a spoilt run, the message in which its fault is."""
    played = (play(scenario)[2] for scenario in SCENARIOS)
    return {number: fault for number, fault in enumerate(played) if fault is not None}


def write(file: Path) -> None:
    """The runs, as the copy in ``samples/runs`` was made."""
    text = json.dumps(record_all(), indent=1, ensure_ascii=False) + "\n"
    file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
