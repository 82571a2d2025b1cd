"""Runs of several agents that answer a question from what they look up: a group chat of experts
with a code executor, and an orchestrator with workers. In Who&When's format.

One world serves both: things with numbers, on pages; a question that filters and reckons. What one
agent believes the others carry on, so that a wrong decision shows in the final answer. Reverses
that are made good (a page that does not load, code that fails and is mended, a needless scroll)
stand in most runs, before the fault and after it.
"""

from __future__ import annotations

import random
from statistics import mean
from typing import Any

from knitbone_evals.diagnose.localization.seeded.script import Script, name_of

__all__ = ["CHAT_FAULTS", "TEAM_FAULTS", "THEMES", "chat", "team"]

CHAT_FAULTS = (
    "misread request", "misread observation", "fabricated value", "dropped step",
    "wrong computation", "skipped verification", "premature end",
)  # fmt: skip
TEAM_FAULTS = (*CHAT_FAULTS, "wrong tool or query", "loop")

# noun, what is measured, unit, typical size, what dates it, where it is listed
THEMES = (
    ("lighthouse", "height", "m", 40, "built", "coast register"),
    ("reservoir", "capacity", "million litres", 800, "filled", "water board's list"),
    ("museum", "number of visitors", "visitors", 90_000, "founded", "tourist board's table"),
    ("railway bridge", "length", "m", 300, "opened", "bridge index"),
    ("choir", "number of members", "members", 60, "founded", "music yearbook"),
    ("telescope", "mirror diameter", "cm", 150, "opened", "astronomers' catalogue"),
    ("cable car", "length", "m", 1_400, "opened", "lift register"),
    ("sawmill", "yearly output", "cubic metres", 5_000, "founded", "trade directory"),
)
_RECKONING = {
    "total": ("sum(values)", sum),
    "average": ("sum(values) / len(values)", mean),
    "largest": ("max(values)", max),
    "smallest": ("min(values)", min),
}


class _Team:
    """A question, the truth, what the team believes so far, and how its members speak."""

    def __init__(self, script: Script, theme: tuple[Any, ...], size: int, *, named: bool) -> None:
        choose = script.choose
        self.script, self.named = script, named
        self.noun, self.what, self.unit, typical, self.dated, self.listing = theme
        self.region, self.after = name_of(choose), choose.randint(1890, 1975)
        self.how = self.reckoned = choose.choice(list(_RECKONING))
        names: dict[str, None] = {}
        while len(names) < size + 2:
            names[name_of(choose)] = None
        self.truth: dict[str, tuple[int, int]] = {}
        for place, name in enumerate(names):
            span = (1820, self.after) if place >= size else (self.after + 1, 2015)
            year = choose.randint(*span)
            self.truth[name] = (year, int(typical * choose.uniform(0.4, 2.2)))
        self.believed: dict[str, int] = {}
        self.bound = self.after
        self.result = "unknown"
        self.right = self._reckoned(self.how, [self.truth[name][1] for name in self.wanted])

    @property
    def question(self) -> str:
        return (
            f"What is the {self.how} {self.what} of the {self.noun}s in {self.region} that were"
            f" {self.dated} after {self.after}? Answer in {self.unit}."
        )

    @property
    def wanted(self) -> list[str]:
        """The things that the team thinks it is asked about."""
        return [name for name, (year, _) in sorted(self.truth.items()) if year > self.bound]

    @property
    def table(self) -> str:
        rows = [f"{name} | {year} | {value}" for name, (year, value) in sorted(self.truth.items())]
        return "\n".join([f"{self.noun} | {self.dated} | {self.what} ({self.unit})", *rows])

    def say(self, who: str, text: str, mode: str = "") -> None:
        """A message of an agent, in the way of one of the two kinds of logs."""
        if "FINAL ANSWER" not in text and "TERMINATE" not in text:
            text += self.script.aside()
        if self.named:
            message = {"content": text, "role": "assistant", "name": who}
        else:
            message = {"content": text, "role": f"{who} ({mode})" if mode else who}
        self.script.messages.append(message)

    def terminal(self, output: str, *, failed: bool = False) -> None:
        how = "1 (execution failed)" if failed else "0 (execution succeeded)"
        text = f"exitcode: {how}\nCode output: {output}"
        if self.named:
            message = {"content": text, "role": "user", "name": "Computer_terminal"}
        else:
            text = f"The script ran, then exited.\n{text}"
            message = {"content": text, "role": "ComputerTerminal"}
        self.script.messages.append(message)

    def misreads(self) -> None:
        """Somebody takes the request for another one."""
        if self.script.chance(0.5):
            self.reckoned = self.script.other(self.how, list(_RECKONING))
        else:
            years = sorted(year for year, _ in self.truth.values())
            self.bound = self.script.choose.choice([years[0] - 5, years[-2] - 1])

    def read(self, names: list[str]) -> dict[str, int]:
        """What an agent takes from the pages, with the fault where it is due."""
        script = self.script
        values = {name: self.truth[name][1] for name in names}
        if script.at_fault("misread observation"):
            script.seed()
            name = script.choose.choice(names)
            values[name] = script.slip(values[name])
        elif script.at_fault("dropped step") and len(names) > 1:
            script.seed()
            del values[script.choose.choice(names)]
        elif script.at_fault("fabricated value"):
            script.seed()
            values = {n: int(v * script.choose.uniform(0.6, 1.6)) for n, v in values.items()}
        return values

    def code(self, values: list[int], *, broken: bool = False) -> str:
        out = "print(round(reslt, 1))" if broken else "print(round(result, 1))"
        return f"```python\nvalues = {values}\nresult = {_RECKONING[self.reckoned][0]}\n{out}\n```"

    def reckon(self) -> str:
        return self._reckoned(self.reckoned, list(self.believed.values()))

    @staticmethod
    def _reckoned(how: str, values: list[int]) -> str:
        return f"{round(float(_RECKONING[how][1](values)), 1)}"

    def judge(self) -> None:
        """A fault that did not change the answer broke nothing: such a run is not labelled."""
        if self.result == self.right:
            self.script.label = None


def chat(choose: random.Random, fault: str, themes: tuple[tuple[Any, ...], ...]) -> Script:
    """A group chat of experts, some four to twelve steps."""
    script = Script(choose, fault)
    team = _Team(script, choose.choice(themes), choose.randint(3, 6), named=True)
    script.task = team.question
    expert = f"{team.noun.title().replace(' ', '')}_Expert"
    if script.at_fault("misread request") or script.chance(0.7):
        _plan(team, expert)
    if script.chance(0.4):
        team.say("Verification_Expert", script.one_of(
            "The plan looks sensible. Let us take the values from the listing first.",
            "Agreed. I will check the result once it is there.",
            f"Good. Please see to it that only {team.noun}s in {team.region} are counted.",
        ))  # fmt: skip
    _listing(team, expert)
    _extracted(team, "DataAnalysis_Expert")
    _computed(team, "DataAnalysis_Expert")
    _checked(team, "Verification_Expert")
    team.say(expert, script.one_of(
        f"The answer is {team.result} {team.unit}. TERMINATE",
        f"Everything is done. The {team.reckoned} {team.what} is {team.result}. TERMINATE",
    ))  # fmt: skip
    team.judge()
    return script


def _plan(team: _Team, who: str, mode: str = "") -> None:
    script = team.script
    if script.at_fault("misread request"):
        script.seed()
        team.misreads()
    team.say(who, _recalled(team) + script.one_of(
        f"To solve this we need (1) all {team.noun}s in {team.region}, (2) those that were"
        f" {team.dated} after {team.bound}, (3) their {team.what}, and then the {team.reckoned}"
        " of it.",
        f"Here is the plan:\n1. Look up the {team.noun}s of {team.region} in the {team.listing}.\n"
        f"2. Keep what was {team.dated} after {team.bound}.\n3. Take the {team.reckoned}"
        f" {team.what}.\n4. Check and report.",
        f"Let us first find the {team.noun}s of {team.region} ({team.dated} after {team.bound})"
        f" and then work out the {team.reckoned} {team.what} in {team.unit}.",
    ), mode)  # fmt: skip


def _recalled(team: _Team) -> str:
    """What the planner knows by heart, often right and carried on: no fault."""
    script = team.script
    if not script.chance(0.5):
        return ""
    known = script.choose.sample(sorted(team.truth), 2)
    typical = sorted(value for _, value in team.truth.values())
    guess = script.choose.randint(typical[0], typical[-1] + 9)
    return (
        f"Facts given: the {team.noun}s are in {team.region}. Facts to look up: their {team.what}."
        f" Educated guesses: {known[0]} and {known[1]} are among them, {known[0]} dates from about"
        f" {team.truth[known[0]][0]}; the {team.how} may be near {guess} {team.unit}.\n\n"
    )


def _page_text(team: _Team) -> str:
    """What else stands on a page: links, names and numbers that nobody needs."""
    choose = team.script.choose
    if not team.script.chance(0.4):
        return " ".join(f"See also {name_of(choose)}." for _ in range(choose.randint(0, 5)))
    lines = [
        f"{name_of(choose)} {choose.randint(1800, 2024)}: {choose.randint(10, 90_000)}"
        for _ in range(choose.randint(10, 60))
    ]
    return "The rest of the page reads: " + "; ".join(lines) + "."


def _listing(team: _Team, who: str) -> None:
    """The table is loaded; the first attempt may fail, and a page that is gone may be made up."""
    script = team.script
    page = team.listing.replace(" ", "_").replace("'", "")
    load = (
        f"```python\nimport pages\ntable = pages.load('{page}', region='{team.region}')\n"
        "print(table)\n```"
    )
    head = script.one_of(
        f"I load the {team.listing}.", f"Let me fetch the entries for {team.region}.",
        "First the data.",
    )  # fmt: skip
    if script.chance(0.4):
        wrong = load.replace("pages.load", "pages.lod")
        team.say(who, f"{head}\n{wrong}")
        team.terminal("AttributeError: module 'pages' has no attribute 'lod'", failed=True)
        head = script.one_of("A typing error. Once more.", "I correct the name of the function.")
    team.say(who, f"{head}\n{load}")
    if script.at_fault("fabricated value"):
        team.terminal("ConnectionError: the host does not answer", failed=True)
    else:
        team.terminal(team.table)


def _extracted(team: _Team, who: str) -> None:
    script = team.script
    names = team.wanted
    made_up = script.at_fault("fabricated value")
    team.believed = team.read(names)
    shown = script.one_of("\n- ", "; ").join(
        f"{n}: {v} {team.unit}" for n, v in team.believed.items()
    )
    lead = script.one_of(
        "From the table I take these values:", "The relevant entries are as follows.",
        f"{team.dated.title()} after {team.bound}:",
    )  # fmt: skip
    if made_up:
        lead = script.one_of(
            "The page cannot be reached, but these figures are well known:",
            "Based on general knowledge the values are:",
        )
    team.say(who, f"{lead} {shown}")


def _computed(team: _Team, who: str) -> None:
    """The code; code that fails is mended, unless nobody minds."""
    script = team.script
    if script.at_fault("premature end"):
        script.seed()
        team.believed = dict(list(team.believed.items())[:1])
        team.result = team.reckon()
        return
    values = list(team.believed.values())
    unminded = script.at_fault("skipped verification")
    wrong = script.at_fault("wrong computation")
    if not wrong and (unminded or script.chance(0.3)):
        team.say(who, f"{script.one_of('Now the reckoning.', 'I compute it.')}\n"
                 + team.code(values, broken=True))  # fmt: skip
        team.terminal("NameError: name 'reslt' is not defined", failed=True)
        if unminded:
            team.believed = {n: script.slip(v) for n, v in team.believed.items()}
            team.result = team.reckon()
            return
    if wrong:
        script.seed()
        if script.chance(0.5):
            team.reckoned = script.other(team.reckoned, list(_RECKONING))
        else:
            at = script.choose.randrange(len(values))
            values[at] = script.slip(values[at])
            team.believed = dict(zip(team.believed, values, strict=True))
    lead = script.one_of("Now the reckoning.", f"I compute the {team.how}.", "Here is the code.")
    team.say(who, f"{lead}\n{team.code(values)}")
    team.result = team.reckon()
    team.terminal(team.result)


def _checked(team: _Team, who: str) -> None:
    script = team.script
    if script.label == len(script.messages):
        return  # ended before
    careless = script.at_fault("skipped verification")
    if careless:
        script.seed()
    elif not script.chance(0.6):
        return
    if not careless and script.chance(0.4) and team.believed:
        first, *rest = team.believed.values()
        steps = f"{first}"
        for value in rest:
            first += value
            steps += f" + {value} = {first}; {first}"
        team.say(who, f"By hand: {steps}. In line with {team.result}.")
        return
    team.say(who, script.one_of(
        f"I have looked at it: {team.result} {team.unit} is plausible. We can finish.",
        f"The values and the code agree. The result is {team.result}.",
        f"Verified: {team.result} {team.unit}.",
    ))  # fmt: skip


def team(choose: random.Random, fault: str, themes: tuple[tuple[Any, ...], ...]) -> Script:
    """An orchestrator with a web surfer and a coder, some twelve to seventy steps."""
    script = Script(choose, fault)
    group = _Team(script, choose.choice(themes), choose.randint(2, 7), named=False)
    script.task = group.question
    script.messages.append({"content": group.question, "role": "human"})
    _plan(group, "Orchestrator", "thought")
    _ledger(group, "the listing")
    _searched(group)
    pages = group.wanted
    left_out = choose.choice(pages) if fault == "dropped step" and len(pages) > 1 else ""
    for number, name in enumerate(pages):
        if name == left_out:
            script.seed()  # what stands in its place is the fault
            continue
        _visited(group, name, last=number == len(pages) - 1)
        if script.at_fault("premature end") and number + 1 < len(pages) and script.chance(0.4):
            break
    _team_result(group)
    group.say("Orchestrator", f"FINAL ANSWER: {group.result}", "termination condition")
    group.judge()
    return script


def _ledger(team: _Team, subject: str) -> None:
    """What the orchestrator thinks before it delegates, not always written down."""
    if team.script.chance(0.5):
        team.say("Orchestrator", (
            "Updated Ledger:\n{\"is_request_satisfied\": {\"answer\": false, \"reason\": \"we"
            f" still need {subject}\"}}, \"is_in_loop\": {{\"answer\": false}},"
            " \"is_progress_being_made\": {\"answer\": true}, \"next_speaker\": \"WebSurfer\"}"
        ), "thought")  # fmt: skip


def _searched(team: _Team) -> None:
    """The list of names, asked for with the wrong words or in vain where that is the fault."""
    script = team.script
    region = team.region
    if script.at_fault("wrong tool or query") and script.chance(0.5):
        script.seed()
        region = name_of(script.choose)
    team.say("Orchestrator", script.one_of(
        f"Please search for the {team.noun}s in {region} and tell us their names.",
        f"Find out which {team.noun}s there are in {region}, with the year they were {team.dated}.",
    ), "-> WebSurfer")  # fmt: skip
    if script.at_fault("wrong tool or query"):
        script.seed()
        region = name_of(script.choose)
    if script.at_fault("loop") and script.chance(0.5):
        _in_vain(team, f"{team.noun}s in {region}")
        lost = team.wanted[1::2]  # what stood further down is never seen
        team.truth = {name: team.truth[name] for name in team.truth if name not in lost}
    query = script.one_of(f"{team.noun}s {region}", f"list of {team.noun}s in {region}")
    others = region != team.region
    if others:
        team.truth = {
            name_of(script.choose): (year, script.slip(value))
            for year, value in team.truth.values()
        }
    names = ", ".join(f"{name} ({year})" for name, (year, _) in sorted(team.truth.items()))
    team.say("WebSurfer", script.one_of(
        f"I typed '{query}' into the search bar. The page '{query} - Search' shows: {names}",
        f"I searched for '{query}'. The results list the following {team.noun}s: {names}.",
    ))  # fmt: skip
    if script.chance(0.4):
        team.say("WebSurfer", f"I scrolled down one page in the browser. {names}")


def _in_vain(team: _Team, subject: str) -> None:
    """The same useless step again and again, in other words."""
    script = team.script
    script.seed()
    for turn in range(script.choose.randint(3, 7)):
        team.say("WebSurfer", script.one_of(
            f"I clicked the control 'More'. The page on {subject} is unchanged.",
            f"I clicked 'More' once more. The browser still shows the same page about {subject}.",
            f"I tried the control 'More' again; nothing new on {subject} has appeared.",
            f"I clicked 'More' and waited. The page about {subject} looks as before.",
        ))  # fmt: skip
        if turn and script.chance(0.4):
            team.say("Orchestrator", script.one_of(
                f"Please go on looking for {subject}.", f"Please find {subject} on this page.",
            ), "-> WebSurfer")  # fmt: skip


def _visited(team: _Team, name: str, *, last: bool) -> None:
    """One thing's page is read, and its value noted."""
    script = team.script
    _ledger(team, f"the {team.what} of {name}")
    team.say("Orchestrator", script.one_of(
        f"Please open the page of {name} and report its {team.what}.",
        f"What is the {team.what} of {name}? Please look it up.",
    ), "-> WebSurfer")  # fmt: skip
    if script.at_fault("loop") and (last or script.chance(0.3)):
        _in_vain(team, name)
        return  # and its value is never found
    due = last or script.chance(0.3)
    made_up = due and script.at_fault("fabricated value")
    if made_up or script.chance(0.15):
        team.say(
            "WebSurfer", f"I tried to open the page of {name}. Error 404: the page was not found."
        )
        if not made_up:
            team.say("Orchestrator", f"Please try the {team.listing} for {name}.", "-> WebSurfer")
    year, value = team.truth[name]
    if made_up:
        script.seed()
        value = int(value * script.choose.uniform(0.6, 1.6))
        text = f"The {team.what} of {name} is about {value} {team.unit}, as is generally known."
    else:
        text = (
            f"I opened the page '{name}'. {name} is a {team.noun} in {team.region}. It was"
            f" {team.dated} in {year}. {team.what.capitalize()}: {value} {team.unit}. "
            + _page_text(team)
        )
    team.say("WebSurfer", text)
    if due and script.at_fault("misread observation"):
        script.seed()
        value = script.slip(value)
        team.say(
            "Orchestrator", f"Noted: {name} has a {team.what} of {value} {team.unit}.", "thought"
        )
    elif script.chance(0.35):
        team.say(
            "Orchestrator", f"Noted: {name} has a {team.what} of {value} {team.unit}.", "thought"
        )
    team.believed[name] = value


def _team_result(team: _Team) -> None:
    """The reckoning by the coder, or, where the run ends too early, none."""
    script = team.script
    if script.at_fault("premature end"):
        script.seed()
        team.result = team.reckon()
        team.say("Orchestrator", script.one_of(
            f"We have enough. The answer follows from what was found: {team.result}.",
            f"The request is satisfied: {team.result} {team.unit}.",
        ), "thought")  # fmt: skip
        return
    values = list(team.believed.values())
    shown = ", ".join(map(str, values))
    if script.at_fault("wrong computation") and script.chance(0.5):
        script.seed()
        team.reckoned = script.other(team.reckoned, list(_RECKONING))
    team.say("Orchestrator", f"Please compute the {team.reckoned} of {shown}.", "-> Coder")
    unminded = script.at_fault("skipped verification")
    if not script.at_fault("wrong computation") and (unminded or script.chance(0.3)):
        team.say("Coder", "Here is a script.\n" + team.code(values, broken=True))
        team.terminal("NameError: name 'reslt' is not defined", failed=True)
    if not unminded:
        if script.at_fault("wrong computation"):
            script.seed()
            values[-1] = script.slip(values[-1])
            team.believed = dict(zip(team.believed, values, strict=True))
        team.say(
            "Coder",
            script.one_of("Here is the script.", "This does it.") + "\n" + team.code(values),
        )
        team.terminal(team.reckon())
    else:
        script.seed()
        team.believed = {name: script.slip(value) for name, value in team.believed.items()}
    team.result = team.reckon()
    team.say("Orchestrator", script.one_of(
        f"The result is {team.result} {team.unit}; the request is satisfied.",
        f"All values were looked up, and the {team.how} is {team.result}.",
    ), "thought")  # fmt: skip
