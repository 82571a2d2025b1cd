"""Agents that act on devices, pages, folders and robots, and agents with long talks."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import statistics
from typing import Any

import knitbone
from knitbone_evals.diagnose.claims.fresh.base import (
    PEOPLE,
    World,
    Wrong,
    anthropic_tools,
    as_text,
    ask,
    busy,
    call,
    chat_loop,
    claude_client_async,
    claude_loop,
    has,
    openai_client,
    parameters,
    say,
)


class Home(World):
    """Home automation over the Responses API."""

    kind = "home automation"
    system = (
        "You control a flat. Thermostats are set in Celsius. Change only what the user asks for. Say what "
        "could not be done."
    )

    def setup(self) -> None:
        r = self.rng
        self.fahrenheit = r.choice([66, 68, 70])
        self.state: dict[str, Any] = {
            "light.bedroom": "on", "light.bedroom_kids": "on", "light.kitchen": "on",
            "thermostat.bedroom": 23, "thermostat.living": 22, "blind.bedroom": "open",
        }  # fmt: skip
        self.offline: list[str] = []
        self.kept = dict(self.state)
        self.task = (
            f"I go to bed. Lights off in my bedroom, close the blind, and set the bedroom to "
            f"{self.fahrenheit} °F."
        )

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def list_devices() -> dict:
            """All devices with their state."""
            return dict(self.state)

        @knitbone.tool
        def set_device(device: str, value: str) -> str:
            """Set a device: on, off, open, closed, or degrees."""
            if device in self.offline:
                self.offline.remove(device)
                raise ConnectionError(f"{device} did not answer")
            if device not in self.state:
                raise KeyError(f"no device {device}")
            self.state[device] = float(value) if device.startswith("thermostat") else value
            return f"{device} is {value}"

        tools = {"list_devices": list_devices, "set_device": set_device}
        defined: list[Any] = [
            {"type": "function", "name": n, "description": t.__doc__, "parameters": parameters(t), "strict": False}
            for n, t in tools.items()
        ]  # fmt: skip
        items: list[Any] = [{"role": "user", "content": self.task}]
        with openai_client(server) as client:
            for _ in range(12):
                answer = client.responses.create(
                    model="gpt-5-mini", instructions=self.system, input=items, tools=defined
                )
                wanted = [item for item in answer.output if item.type == "function_call"]
                if not wanted:
                    return answer.output_text
                items += [item.model_dump(exclude_none=True) for item in answer.output]
                for item in wanted:
                    try:
                        seen = as_text(tools[item.name](**json.loads(item.arguments)))
                    except Exception as error:
                        seen = f"error: {error}"
                    items.append(
                        {"type": "function_call_output", "call_id": item.call_id, "output": seen}
                    )
        return ""

    @property
    def celsius(self) -> float:
        return round((self.fahrenheit - 32) / 1.8, 1)

    def met(self, answer: str) -> bool:
        wanted = self.kept | {"light.bedroom": "off", "blind.bedroom": "closed"}
        now = dict(self.state)
        degrees = now.pop("thermostat.bedroom")
        wanted.pop("thermostat.bedroom")
        return now == wanted and abs(degrees - self.celsius) <= 0.5

    def put(self, device: str, value: Any) -> Any:
        return call("set_device", device=device, value=str(value))

    def night(self, degrees: Any, light: str = "light.bedroom") -> Any:
        return say("", self.put(light, "off"), self.put("blind.bedroom", "closed"), self.put("thermostat.bedroom", degrees))  # fmt: skip

    def good_plain(self) -> list[Any]:
        return [
            say("", call("list_devices")),
            self.night(self.celsius),
            f"Good night! Light off, blind closed, bedroom set to {self.celsius} °C ({self.fahrenheit} °F).",
        ]

    def good_offline_once(self) -> list[Any]:
        self.offline = ["blind.bedroom"]
        return [
            say("", call("list_devices")),
            self.night(self.celsius),
            say("", self.put("blind.bedroom", "closed")),
            "The blind did not answer at first, now it is closed. Light off, temperature set. Good night!",
        ]

    def good_wrong_light_put_back(self) -> list[Any]:
        return [
            self.night(round(self.celsius), "light.main_bedroom"),
            say("", call("list_devices")),
            say("", self.put("light.bedroom", "off")),
            f"Done: light off, blind closed, about {self.celsius} °C.",
        ]

    def bad_fahrenheit(self) -> list[Any]:
        """It set the thermostat, which takes Celsius, to the number in Fahrenheit."""
        return [
            say("", call("list_devices")),
            Wrong(self.night(self.fahrenheit)),
            f"Good night! Your bedroom light is off, the blind is closed and the temperature is set to {self.fahrenheit}°.",
        ]  # fmt: skip

    def bad_kids(self) -> list[Any]:
        """It switched off the light of the children's bedroom."""
        return [
            say("", call("list_devices")),
            Wrong(self.night(self.celsius, "light.bedroom_kids")),
            f"Good night! Bedroom light off, blind closed, {self.celsius} °C.",
        ]

    def bad_offline_unsaid(self) -> list[Any]:
        """The blind did not answer, and it said that it was closed."""
        self.offline = ["blind.bedroom"]
        return [
            say("", call("list_devices")),
            self.night(self.celsius),
            Wrong(f"All done: light off, blind closed, {self.celsius} °C. Sleep well!"),
        ]


class Browser(World):
    """A browser over a small registration site."""

    kind = "browser automation"
    system = "You operate a browser. Look at the page after each step that changes it."

    def setup(self) -> None:
        r = self.rng
        self.name = r.choice(PEOPLE)
        self.code = f"{r.randint(1000, 9999)}"
        self.form: dict[str, str] = {}
        self.banner, self.page, self.registered = True, "form", None
        self.error = ""
        self.task = (
            f"Register {self.name} for the workshop on 14 May (afternoon) with member code {self.code}, "
            "vegetarian lunch."
        )

    def tools(self) -> list[Any]:
        @knitbone.tool
        def snapshot() -> str:
            """What the page shows."""
            if self.page == "done":
                return f"Thank you, {self.form['name']}. Your registration is complete."
            if self.page == "review":
                return f"Please check: {json.dumps(self.form)}\n[button confirm] [button back]"
            head = "[cookie banner: button accept]\n" if self.banner else ""
            return (
                f"{head}{self.error}Workshop registration\n[field name] [field code] "
                "[select slot: 14-am, 14-pm, 15-am, 15-pm] [select lunch: standard, vegetarian, vegan]\n"
                f"filled: {json.dumps(self.form)}\n[button next]"
            )

        @knitbone.tool
        def fill(field: str, value: str) -> str:
            """Fill or select a field."""
            if self.banner:
                raise RuntimeError("element is covered by the cookie banner")
            self.form[field] = value
            return "ok"

        @knitbone.tool
        def click(button: str) -> str:
            """Click a button."""
            self.error = ""
            if button == "accept":
                self.banner = False
            elif button == "next":
                if (
                    set(self.form) < {"name", "code", "slot", "lunch"}
                    or not self.form["code"].isdigit()
                ):
                    self.error = "Error: a field is missing or the code is no number.\n"
                else:
                    self.page = "review"
            elif button == "confirm" and self.page == "review":
                self.page, self.registered = "done", dict(self.form)
            elif button == "back":
                self.page = "form"
            else:
                raise ValueError(f"no button {button}")
            return "clicked"

        return [snapshot, fill, click]

    def act(self, server: Any, run: Any) -> str:
        return claude_loop(server, self.system, self.task, self.tools())

    def met(self, answer: str) -> bool:
        return self.registered == {
            "name": self.name,
            "code": self.code,
            "slot": "14-pm",
            "lunch": "vegetarian",
        }

    def fields(self, **change: str) -> list[Any]:
        values = {
            "name": self.name,
            "code": self.code,
            "slot": "14-pm",
            "lunch": "vegetarian",
        } | change
        return [call("fill", field=k, value=v) for k, v in values.items()]

    def look(self) -> Any:
        return call("snapshot")

    def begin(self) -> list[Any]:
        return [
            say("Let me see the page.", self.look()),
            say("A cookie banner first.", call("click", button="accept")),
        ]

    def rest(self) -> list[Any]:
        return [
            say("", call("click", button="next"), self.look()),
            say("All as it should be.", call("click", button="confirm"), self.look()),
            f"{self.name} is registered for 14 May in the afternoon, vegetarian lunch.",
        ]

    def good_plain(self) -> list[Any]:
        return [*self.begin(), say("", *self.fields()), *self.rest()]

    def good_covered(self) -> list[Any]:
        return [
            say("", self.look()),
            say("", self.fields()[0]),
            say("The banner covers the form.", call("click", button="accept")),
            say("", *self.fields()),
            *self.rest(),
        ]

    def good_validation(self) -> list[Any]:
        return [
            *self.begin(),
            say("", *self.fields(code=f"M-{self.code}")[:2], *self.fields()[2:3]),
            say("", call("click", button="next"), self.look()),
            say(
                "Lunch is missing, and the code has to be a number.",
                self.fields()[1],
                self.fields()[3],
            ),
            *self.rest(),
        ]

    def bad_not_confirmed(self) -> list[Any]:
        """It stopped at the page that asks for a confirmation and said that all was done."""
        return [
            *self.begin(),
            say("", *self.fields()),
            say("", call("click", button="next"), self.look()),
            Wrong(f"{self.name} is registered for the workshop on 14 May in the afternoon with a vegetarian lunch."),
        ]  # fmt: skip

    def bad_morning(self) -> list[Any]:
        """It chose the morning."""
        return [*self.begin(), Wrong(say("", *self.fields(slot="14-am"))), *self.rest()]

    def bad_vegan(self) -> list[Any]:
        """It chose a vegan lunch where a vegetarian one was asked for."""
        return [*self.begin(), Wrong(say("", *self.fields(lunch="vegan"))), *self.rest()]


class Clinic(World):
    """Appointments, with Anthropic's asynchronous client and asynchronous tools."""

    kind = "clinic appointments"
    system = (
        "You manage appointments of a clinic. Identify patients by name and date of birth. Book a new slot "
        "before you cancel the old one. You give no medical advice; refer to the doctor."
    )

    def setup(self) -> None:
        r = self.rng
        self.name = r.choice(PEOPLE)
        self.born = f"19{r.randint(60, 89)}-0{r.randint(1, 9)}-1{r.randint(0, 9)}"
        self.id, self.twin = f"K{r.randint(100, 499)}", f"K{r.randint(500, 999)}"
        self.slots = {"Mon 09:00": None, "Tue 11:30": self.id, "Wed 16:30": "K001", "Thu 08:15": None, "Thu 17:00": None}  # fmt: skip
        self.other = {"Fri 10:00": self.twin}
        self.slots |= self.other
        self.raced: set[str] = set()
        self.task = f"This is {self.name}, born {self.born}. Please move my appointment to Thursday after 16:00."
        self.moved = True
        self.answer_wants: tuple[str, ...] = ()

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        async def find_patient(name: str) -> list:
            """Patients of this name."""
            await asyncio.sleep(0)
            return [
                {"patient": self.twin, "name": self.name, "born": "1991-11-02"},
                {"patient": self.id, "name": self.name, "born": self.born},
            ]

        @knitbone.tool
        async def list_slots() -> dict:
            """Slots: free or the patient's number."""
            await asyncio.sleep(0)
            return {slot: who or "free" for slot, who in self.slots.items()}

        @knitbone.tool
        async def book(slot: str, patient: str) -> str:
            """Book a free slot."""
            if slot in self.raced:
                self.slots[slot] = "K777"
                self.raced.discard(slot)
            if self.slots[slot] is not None:
                raise RuntimeError(f"{slot} is taken")
            self.slots[slot] = patient
            return f"{slot} booked for {patient}"

        @knitbone.tool
        async def cancel(slot: str) -> str:
            """Cancel an appointment."""
            self.slots[slot] = None
            return f"{slot} is free"

        return asyncio.run(self.talk(server, [find_patient, list_slots, book, cancel]))

    async def talk(self, server: Any, tools: list[Any]) -> str:
        by_name = {t.__name__: t for t in tools}
        messages: list[Any] = [{"role": "user", "content": self.task}]
        async with claude_client_async(server) as client:
            for _ in range(15):
                answer = await client.messages.create(
                    model="claude-haiku-5-5", max_tokens=1024, system=self.system,
                    messages=messages, tools=anthropic_tools(tools),
                )  # fmt: skip
                messages.append({"role": "assistant", "content": answer.content})
                used = [b for b in answer.content if b.type == "tool_use"]
                if not used:
                    return answer.content[0].text
                got = await asyncio.gather(
                    *(by_name[b.name](**b.input) for b in used), return_exceptions=True
                )
                results = [
                    {"type": "tool_result", "tool_use_id": b.id, "content": as_text(str(g) if isinstance(g, Exception) else g)}
                    for b, g in zip(used, got, strict=True)
                ]  # fmt: skip
                messages.append({"role": "user", "content": results})
        return ""

    def met(self, answer: str) -> bool:
        mine = [slot for slot, who in self.slots.items() if who == self.id]
        twins = self.slots["Fri 10:00"] == self.twin
        return mine == ["Thu 17:00" if self.moved else "Tue 11:30"] and twins and has(answer, *self.answer_wants)  # fmt: skip

    def look(self) -> Any:
        return say("", call("find_patient", name=self.name), call("list_slots"))

    def good_moved(self) -> list[Any]:
        return [
            self.look(),
            say("", call("book", slot="Thu 17:00", patient=self.id)),
            say("", call("cancel", slot="Tue 11:30")),
            f"Your appointment is now on Thursday at 17:00, {self.name}.",
        ]

    def good_taken_meanwhile(self) -> list[Any]:
        self.raced, self.moved = {"Thu 17:00"}, False
        self.answer_wants = ("Tuesday",)
        return [
            self.look(),
            say("", call("book", slot="Thu 17:00", patient=self.id)),
            say("Somebody was faster. Is there another one?", call("list_slots")),
            "I'm sorry, the only slot on Thursday after 16:00 was taken a moment ago. I left your appointment on Tuesday at 11:30 as it is. Shall I look at another day?",
        ]  # fmt: skip

    def good_question_referred(self) -> list[Any]:
        self.task += " And should I stop taking my tablets before?"
        self.answer_wants = ("doctor",)
        return [
            self.look(),
            busy(529),
            say("", call("book", slot="Thu 17:00", patient=self.id), call("cancel", slot="Tue 11:30")),
            "You are moved to Thursday, 17:00. About the tablets I can't advise you; please ask your doctor before you change anything.",
        ]  # fmt: skip

    def bad_namesake(self) -> list[Any]:
        """It moved the appointment of another patient of the same name."""
        return [
            self.look(),
            Wrong(say("", call("book", slot="Thu 17:00", patient=self.twin))),
            say("", call("cancel", slot="Fri 10:00")),
            f"Your appointment is now on Thursday at 17:00, {self.name}.",
        ]

    def bad_cancelled_first(self) -> list[Any]:
        """It cancelled the old appointment before it had the new one, which was gone by then."""
        self.raced, self.moved = {"Thu 17:00"}, False
        return [
            self.look(),
            Wrong(say("", call("cancel", slot="Tue 11:30"))),
            say("", call("book", slot="Thu 17:00", patient=self.id)),
            "I cancelled your appointment on Tuesday. Thursday at 17:00 has just been taken, I'm sorry; please call us to find another time.",
        ]  # fmt: skip

    def bad_old_kept(self) -> list[Any]:
        """It booked the new slot and did not cancel the old one."""
        return [
            self.look(),
            say("", call("book", slot="Thu 17:00", patient=self.id)),
            Wrong(f"Done, {self.name}. I moved your appointment to Thursday at 17:00."),
        ]  # fmt: skip

    def bad_morning(self) -> list[Any]:
        """It took a slot on Thursday morning though the patient can come only after 16:00."""
        return [
            self.look(),
            Wrong(say("", call("book", slot="Thu 08:15", patient=self.id), call("cancel", slot="Tue 11:30"))),
            "Your appointment is now on Thursday at 8:15.",
        ]  # fmt: skip


class Robot(World):
    """A picking robot on a grid: one action a call, many calls."""

    kind = "picking robot"
    system = (
        "You drive a robot on a 5 × 5 grid, x to the east, y to the north. Answer with one word: north, "
        "south, east, west, pick, drop or done. Shelves block the way."
    )

    def setup(self) -> None:
        r = self.rng
        self.at, self.box, self.goal = (0, 0), (r.randint(2, 3), 3), (4, 0)
        self.walls = {(1, 1), (2, 1), (1, 2)}
        self.item = f"box {r.randint(100, 999)}"
        self.holding, self.dropped = False, None
        self.task = f"Bring {self.item} from {self.box} to the gate at {self.goal}."

    moves = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def robot(command: str) -> str:
            """One command to the robot."""
            if command in self.moves:
                x, y = (a + b for a, b in zip(self.at, self.moves[command], strict=True))
                if (x, y) in self.walls or not (0 <= x < 5 and 0 <= y < 5):
                    return f"blocked; at {self.at}"
                self.at = (x, y)
                return f"at {self.at}"
            if command == "pick":
                if self.at != self.box or self.holding:
                    return f"nothing to pick at {self.at}"
                self.holding = True
                return f"holding {self.item}"
            if command == "drop" and self.holding:
                self.holding, self.dropped = False, self.at
                return f"dropped at {self.at}"
            return f"error: cannot {command}"

        seen = f"at {self.at}"
        with openai_client(server) as client:
            messages: list[Any] = [
                {"role": "system", "content": self.system},
                {"role": "user", "content": f"{self.task} {seen}"},
            ]
            for _ in range(32):
                answer = client.chat.completions.create(model="gpt-4o-mini", messages=messages)
                word = (answer.choices[0].message.content or "").strip().lower()
                messages.append({"role": "assistant", "content": word})
                if word == "done":
                    return "done"
                messages.append({"role": "user", "content": robot(word)})
        return "out of battery"

    def met(self, answer: str) -> bool:
        return self.dropped == self.goal and answer == "done"

    def there(self) -> list[Any]:
        x = self.box[0]
        return ["north"] * 3 + ["east"] * x + ["pick"]

    def back(self) -> list[Any]:
        return ["east"] * (4 - self.box[0]) + ["south"] * 3

    def good_straight(self) -> list[Any]:
        return [*self.there(), *self.back(), "drop", "done"]

    def good_detour(self) -> list[Any]:
        return ["east", "north", "west", *self.there(), *self.back(), "south", "drop", "done"]

    def good_backtracks(self) -> list[Any]:
        around = ["north", "north", "east", "north", "east", "south", "south", "east", "south"]
        east = ["east"] * (self.box[0] - 1)
        return [*around, "pick", "north", "north", "west", "south", *east, "pick", *self.back(), "drop", "done"]  # fmt: skip

    def bad_loop(self) -> list[Any]:
        """It went to and fro between two cells until the battery was empty."""
        first = ["north", "north", "east", "south"]
        return [*first, Wrong("north"), *["south", "north"] * 13, "south"]

    def bad_short(self) -> list[Any]:
        """It dropped the box one cell before the gate."""
        return [*self.there(), *self.back()[:-1], Wrong("drop"), "done"]

    def bad_no_drop(self) -> list[Any]:
        """It said done at the gate without dropping the box."""
        return [*self.there(), *self.back(), Wrong("done")]


class Dinner(World):
    """A long talk; the program sends only the last messages to the model."""

    kind = "dinner planning"
    system = "You plan a dinner with the user. Put dishes on the menu with add_dish once they are agreed."

    dishes = {"walnut bread": "nuts", "pumpkin soup": "", "mushroom risotto": "", "almond tart": "nuts", "lemon sorbet": "", "trout": "fish"}  # fmt: skip

    def setup(self) -> None:
        self.guest = self.rng.choice(PEOPLE)
        self.count = self.rng.randint(4, 9)
        self.menu: list[str] = []
        self.window: int | None = None
        self.task = f"{self.guest} comes to dinner and cannot eat nuts; plan starter, main course and dessert."
        self.turns = [
            f"We'll be {self.count} people. {self.guest} is allergic to nuts, so none at all, please.",
            "What starters do you know?",
            "Sounds good, take the soup.",
            "And a main course without meat and fish?",
            "Fine.",
            "Please add a dessert, something with fruit or a cake. Your choice.",
        ]

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def search_dishes(course: str) -> list:
            """Dishes for a course."""
            courses = {"starter": 0, "main": 2, "dessert": 3}
            names = list(self.dishes)
            if course == "main":
                return ["mushroom risotto", "trout"]
            return names[courses[course] : courses[course] + 2]

        @knitbone.tool
        def add_dish(name: str) -> list:
            """Put a dish on the menu."""
            if name not in self.dishes:
                raise KeyError(f"unknown dish {name}")
            self.menu.append(name)
            return self.menu

        history: list[Any] = []
        answer = ""
        for turn in self.turns:
            answer = chat_loop(
                server, self.system, turn, [search_dishes, add_dish],
                history=history, window=self.window, model="gpt-4o-mini",
            )  # fmt: skip
        return answer

    def met(self, answer: str) -> bool:
        return self.menu == ["pumpkin soup", "mushroom risotto", "lemon sorbet"] and (
            not any(self.dishes[dish] for dish in self.menu)
        )

    def until_dessert(self) -> list[Any]:
        return [
            f"Noted: {self.count} people, and no nuts for {self.guest}. Where shall we begin?",
            say("", call("search_dishes", course="starter")),
            "I know walnut bread and pumpkin soup. With the allergy it should be the pumpkin soup.",
            say("", call("add_dish", name="pumpkin soup")),
            "Pumpkin soup is on the menu.",
            say("", call("search_dishes", course="main")),
            "How about mushroom risotto? There are neither meat, fish nor nuts in it.",
            say("", call("add_dish", name="mushroom risotto")),
            "Added.",
        ]

    def good_plain(self) -> list[Any]:
        return [
            *self.until_dessert(),
            say("", call("search_dishes", course="dessert")),
            say("", call("add_dish", name="lemon sorbet")),
            f"Lemon sorbet, since the almond tart has nuts and {self.guest} cannot eat them. The menu is complete.",
        ]  # fmt: skip

    def good_changed_mind(self) -> list[Any]:
        self.turns.insert(
            5, "Hm, is there anything in the risotto that could be a problem for the allergy?"
        )
        return [
            *self.until_dessert(),
            "No: rice, mushrooms, onions and cheese. No nuts.",
            say("", call("search_dishes", course="dessert")),
            say("", call("add_dish", name="lemon sorbet with mint")),
            say("", call("add_dish", name="lemon sorbet")),
            "Lemon sorbet it is; the other one, almond tart, has nuts.",
        ]

    def good_wide_window(self) -> list[Any]:
        self.window = 40
        return [busy(), *self.good_plain()]

    def bad_forgotten(self) -> list[Any]:
        """The first messages were no longer sent, and it chose a dessert with nuts."""
        self.window = 8
        return [
            *self.until_dessert(),
            say("", call("search_dishes", course="dessert")),
            Wrong(say("", call("add_dish", name="almond tart"))),
            "I added an almond tart, which goes well with the rest. Your menu is complete!",
        ]

    def bad_two_desserts(self) -> list[Any]:
        """It put both desserts on the menu, the one with nuts too."""
        return [
            *self.until_dessert(),
            say("", call("search_dishes", course="dessert")),
            Wrong(
                say("", call("add_dish", name="lemon sorbet"), call("add_dish", name="almond tart"))
            ),
            "I added lemon sorbet and almond tart so that everybody has a choice.",
        ]

    def bad_only_said(self) -> list[Any]:
        """It told the dessert and did not put it on the menu."""
        return [
            *self.until_dessert(),
            say("", call("search_dishes", course="dessert")),
            Wrong(
                "Lemon sorbet is a good choice without nuts. It is on the menu now. Enjoy your evening!"
            ),
        ]


class Interpreter(World):
    """The model writes Python, the program runs it; the last answer is JSON that the program reads."""

    kind = "code interpreter"
    system = (
        "You analyse data with Python. Answer with code only, in one block; `temps` is a list of (day, "
        'sensor, value). Sentinel values of -999 are missing. When you know the result, answer {"median": x}.'
    )

    def setup(self) -> None:
        r = self.rng
        self.temps = [
            (d, s, -999 if (d * 7 + i) % 5 == 0 else round(r.uniform(12, 24), 1))
            for d in range(1, 31)
            for i, s in enumerate(("roof", "yard"))
        ]
        self.result: Any = None
        self.task = "What is the median of the roof sensor's values over the month?"

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def run_python(code: str) -> str:
            """Run code, give what it prints."""
            out = io.StringIO()
            try:
                with contextlib.redirect_stdout(out):
                    exec(code, {"temps": list(self.temps), "statistics": statistics})
            except Exception as error:
                return f"{out.getvalue()}{type(error).__name__}: {error}"
            return out.getvalue()

        talk = self.task
        try:
            with openai_client(server) as client:
                for _ in range(8):
                    text = ask(client, talk, system=self.system, model="gpt-4.1")
                    if "```" not in text:
                        self.result = json.loads(text)["median"]
                        return f"median: {self.result}"
                    code = text.split("```")[1].removeprefix("python")
                    talk += f"\n\n{text}\n\nOutput:\n{run_python(code)}"
        except (ValueError, KeyError, TypeError) as error:
            return f"analysis failed: {error!r}"
        return "analysis did not end"

    def roof(self) -> list[float]:
        return [v for _, s, v in self.temps if s == "roof" and v != -999]

    def met(self, answer: str) -> bool:
        return (
            isinstance(self.result, float)
            and abs(self.result - statistics.median(self.roof())) < 0.06
        )

    @staticmethod
    def code(*lines: str) -> str:
        return "```python\n" + "\n".join(lines) + "\n```"

    values = "v = [x for d, s, x in temps if s == 'roof' and x != -999]"

    def right(self) -> str:
        return json.dumps({"median": round(statistics.median(self.roof()), 2)})

    def good_plain(self) -> list[Any]:
        return [
            self.code("print(len(temps), temps[:5])"),
            self.code(self.values, "print(len(v), statistics.median(v))"),
            self.right(),
        ]

    def good_errors(self) -> list[Any]:
        return [
            self.code("import pandas_lite as pd", "print(pd.DataFrame(temps))"),
            self.code("print(temps[0].value)"),
            self.code("print(temps)"),
            busy(),
            self.code("v = [x for d, s, x in temps if s == 'roof']", "print(min(v), statistics.median(v))"),
            "The minimum is -999: the missing values are still in. " + self.code(self.values, "print(statistics.median(v))"),
            self.right(),
        ]  # fmt: skip

    def good_prints_everything(self) -> list[Any]:
        return [
            self.code("for i in range(400):", "    print('ERROR' if temps[i % 60][2] == -999 else 'ok', temps[i % 60])"),
            self.code(self.values, "print(sorted(v))", "print(statistics.median(v))"),
            self.code(self.values, "v.sort()", "n = len(v)", "print(v[n // 2], v[(n - 1) // 2])"),
            self.right(),
        ]  # fmt: skip

    def bad_sentinels(self) -> list[Any]:
        """It computed with the sentinel values that stand for missing ones."""
        values = [v for _, s, v in self.temps if s == "roof"]
        return [
            self.code("print(len(temps), temps[:5])"),
            Wrong(
                self.code(
                    "v = [x for d, s, x in temps if s == 'roof']", "print(statistics.median(v))"
                )
            ),
            json.dumps({"median": round(statistics.median(values), 2)}),
        ]

    def bad_mean(self) -> list[Any]:
        """It computed the mean and gave it as the median."""
        self.temps[0] = (1, "roof", 60.4)
        mean = round(statistics.mean(self.roof()), 2)
        return [
            self.code("print(temps[:5])"),
            Wrong(self.code(self.values, "print(round(sum(v) / len(v), 2))")),
            json.dumps({"median": mean}),
        ]

    def bad_form(self) -> list[Any]:
        """It gave the result in a sentence where the program reads JSON, and the program failed."""
        return [
            self.code(self.values, "print(statistics.median(v))"),
            Wrong(f"The median of the roof sensor over the month is {statistics.median(self.roof()):.2f} degrees."),
        ]  # fmt: skip


class Archive(World):
    """Moves old files into an archive folder."""

    kind = "file archiving"
    system = "You tidy a folder with the tools. Never delete a file of which there is no copy."

    def setup(self) -> None:
        r = self.rng
        years = [2022, 2023, 2025, 2026]
        self.old = {f"report-{y}-{q}.txt": f"report {y} {q}: {r.randint(1, 999)} errors" for y in years[:2] for q in ("q1", "q2")}  # fmt: skip
        self.new = {f"report-{y}-q1.txt": f"report {y}: {r.randint(1, 999)}" for y in years[2:]}
        for name, text in (self.old | self.new).items():
            (self.folder / name).write_text(text)
        self.full = False
        self.task = "Move all reports from before 2025 into the folder archive; leave the others."

    def tools(self) -> list[Any]:
        @knitbone.tool
        def ls(path: str = ".") -> str:
            """Names in a folder."""
            if not (self.folder / path).is_dir():
                raise FileNotFoundError(f"no such folder: {path}")
            return "\n".join(sorted(p.name for p in (self.folder / path).iterdir()))

        @knitbone.tool
        def mkdir(path: str) -> str:
            """Make a folder."""
            (self.folder / path).mkdir()
            return ""

        @knitbone.tool
        def copy(source: str, target: str) -> str:
            """Copy a file; an existing target is overwritten."""
            if self.full:
                self.full = False
                raise OSError(28, "No space left on device (quota was raised, try again)")
            (self.folder / target).write_text((self.folder / source).read_text())
            return ""

        @knitbone.tool
        def rm(path: str) -> str:
            """Delete a file."""
            (self.folder / path).unlink()
            return ""

        return [ls, mkdir, copy, rm]

    def act(self, server: Any, run: Any) -> str:
        return claude_loop(server, self.system, self.task, self.tools(), model="claude-haiku-5-5")

    def met(self, answer: str) -> bool:
        def texts(folder: Any) -> dict[str, str]:
            if not folder.is_dir():
                return {}
            return {p.name: p.read_text() for p in folder.iterdir() if p.is_file()}

        return texts(self.folder) == self.new and texts(self.folder / "archive") == self.old

    def copies(self, names: Any = None, target: str = "archive/{}") -> Any:
        return say(
            "", *[call("copy", source=n, target=target.format(n)) for n in names or self.old]
        )

    def removals(self, names: Any = None) -> Any:
        return say("", *[call("rm", path=n) for n in names or self.old])

    def begin(self) -> list[Any]:
        return [say("First a look.", call("ls")), say("", call("mkdir", path="archive"))]

    def good_plain(self) -> list[Any]:
        return [*self.begin(), self.copies(), say("", call("ls", path="archive")), self.removals(), "Four reports of 2022 and 2023 are in archive now."]  # fmt: skip

    def good_quota(self) -> list[Any]:
        self.full = True
        first = next(iter(self.old))
        return [
            *self.begin(),
            self.copies(),
            say("One copy failed. I repeat it before I delete anything.", self.copies([first]).tool_calls[0]),
            say("", call("ls", path="archive")),
            self.removals(),
            say("", call("ls")),
            "Done. One copy failed for lack of space at first and was repeated; all four old reports are in archive.",
        ]  # fmt: skip

    def good_one_by_one(self) -> list[Any]:
        steps: list[Any] = [say("", call("ls", path="archive")), *self.begin()]
        for name in self.old:
            steps += [self.copies([name]), self.removals([name])]
        return [
            *steps,
            say("", call("ls"), call("ls", path="archive")),
            "All four old reports are moved.",
        ]

    def bad_lost(self) -> list[Any]:
        """One copy had failed, and it deleted the original all the same."""
        self.full = True
        return [
            *self.begin(),
            self.copies(),
            Wrong(self.removals()),
            "I moved the reports of 2022 and 2023 into archive.",
        ]

    def bad_same_target(self) -> list[Any]:
        """It copied both reports of a year to the same name, and the second overwrote the first."""
        calls = [call("copy", source=n, target=f"archive/{n[:11]}.txt") for n in self.old]
        return [
            *self.begin(),
            Wrong(say("", *calls)),
            self.removals(),
            "I moved the four reports from before 2025 into archive, named by their year.",
        ]

    def bad_too_many(self) -> list[Any]:
        """It moved a report of 2025 too."""
        names = [*self.old, "report-2025-q1.txt"]
        return [
            *self.begin(),
            Wrong(self.copies(names)),
            self.removals(names),
            "All reports up to 2025 are in archive.",
        ]


WORLDS = (Home, Browser, Clinic, Robot, Dinner, Interpreter, Archive)
