"""Agents that retrieve, research, extract and translate."""

from __future__ import annotations

import json
import re
from typing import Any

import knitbone
from knitbone_evals.diagnose.claims.fresh.base import (  # fmt: skip
    PEOPLE,
    World,
    Wrong,
    ask,
    busy,
    call,
    claude_client,
    claude_loop,
    has,
    openai_client,
    say,
)

NOT_FOUND = "I could not find this in the handbook."


class Handbook(World):
    """Answers with retrieval: passages go into the prompt, the model answers from them alone."""

    kind = "retrieval answers"

    def setup(self) -> None:
        r = self.rng
        self.days, self.old_days = r.randint(26, 30), r.randint(22, 25)
        self.rate, self.remote = r.randint(30, 45), r.randint(2, 3)
        self.docs = {
            "leave-2026": f"Leave policy (valid from January 2026). Full-time employees have {self.days} days of paid vacation a year. Up to 5 days may be carried over until 31 March.",
            "leave-2023": f"Leave policy (2023, replaced). Full-time employees have {self.old_days} days of paid vacation a year. Days cannot be carried over.",
            "travel": f"Travel expenses. The daily allowance abroad is {self.rate} EUR. Receipts are due within 30 days. Errors in reports are sent back.",
            "remote": f"Remote work. Employees may work from home {self.remote} days a week, interns 1 day a week.",
            "it": "IT. Report a lost laptop within 24 hours. Passwords expire every 180 days.",
        }  # fmt: skip
        self.task = "How many days of vacation do I have as a full-time employee, and can I carry days over?"
        self.wants: tuple[str, ...] = (str(self.days), "5", "31 March")

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def retrieve(question: str, top: int = 3) -> list:
            """Passages by shared words."""
            words = set(re.findall(r"\w{4,}", question.lower()))
            rank = sorted(
                self.docs,
                key=lambda d: -len(words & set(re.findall(r"\w{4,}", self.docs[d].lower()))),
            )
            return [{"id": d, "text": self.docs[d]} for d in rank[:top]]

        passages = retrieve(self.task)
        context = "\n\n".join(f"[{p['id']}] {p['text']}" for p in passages)
        with openai_client(server) as client:
            return ask(
                client,
                f"Passages:\n{context}\n\nQuestion: {self.task}",
                system="Answer from the passages only and name the passage in brackets. Newer policies "
                f"replace older ones. If the passages do not answer, say exactly: {NOT_FOUND}",
                model="gpt-4o",
                temperature=0.1,
            )

    def met(self, answer: str) -> bool:
        return has(answer, *self.wants) and (NOT_FOUND in self.wants or NOT_FOUND not in answer)

    def good_newest(self) -> list[Any]:
        return [
            f"You have {self.days} days of paid vacation a year [leave-2026]. You may carry over up to "
            "5 days, which have to be taken by 31 March [leave-2026]."
        ]

    def good_not_there(self) -> list[Any]:
        self.task = "Does the company pay for a gym membership of employees?"
        self.wants = (NOT_FOUND,)
        return [busy(), NOT_FOUND]

    def good_interns(self) -> list[Any]:
        self.task = "As an intern, how many days a week may I work from home?"
        self.wants = ("1 day", "[remote]")
        return ["Interns may work from home 1 day a week [remote]."]

    def bad_replaced_policy(self) -> list[Any]:
        """It answered from the replaced policy of 2023."""
        return [
            Wrong(f"Full-time employees have {self.old_days} days of paid vacation a year, and days cannot be carried over [leave-2023].")
        ]  # fmt: skip

    def bad_made_up(self) -> list[Any]:
        """It made up an answer that stands in no passage."""
        self.task = "Does the company pay for a gym membership of employees?"
        self.wants = (NOT_FOUND,)
        return [
            Wrong("Yes. Employees can claim up to 25 EUR a month for a gym membership with their expense report [travel].")
        ]  # fmt: skip

    def bad_gave_up(self) -> list[Any]:
        """It said that the answer is not there although a passage gives it."""
        self.task = "As an intern, how many days a week may I work from home?"
        self.wants = ("1 day",)
        return [Wrong(NOT_FOUND)]

    def bad_employees(self) -> list[Any]:
        """It gave the rule for employees to an intern."""
        self.task = "As an intern, how many days a week may I work from home?"
        self.wants = ("1 day",)
        return [Wrong(f"You may work from home {self.remote} days a week [remote].")]


class Researcher(World):
    """Web research over a small web of pages."""

    kind = "web research"
    system = (
        "You research on the web with search and open_page. Give the figure that was asked for, its year "
        "and the address of the page that you read it on."
    )

    def setup(self) -> None:
        r = self.rng
        self.town = r.choice(["Altenried", "Port Maren", "Kellbrook"])
        self.now, self.before = r.randint(41000, 48000), r.randint(36000, 40000)
        self.spots = r.randint(800, 1900)
        slug = self.town.lower().replace(" ", "-")
        self.home, self.stat, self.fan = f"https://{slug}.example/figures", f"https://stats.example/{slug}/2025", f"https://travel.example/{slug}"  # fmt: skip
        filler = " ".join(f"Section {i}: parks, schools and roads of the town." for i in range(60))
        self.pages = {
            self.fan: [f"{self.town} is a charming town of about {self.before} people (2021). Error-free walking tours daily."],
            self.stat: [f"{self.town}, report 2025, page 1 of 2. {filler} Population 2024: {self.now - 700}. See the next page for 2025.",
                        f"{self.town}, report 2025, page 2 of 2. Population on 31 December 2025: {self.now}. Parking spaces: {self.spots}."],
        }  # fmt: skip
        self.task = f"What was the population of {self.town} at the end of 2025? Give the source."

    def tools(self) -> list[Any]:
        @knitbone.tool
        def search(query: str) -> list:
            """Search the web."""
            if self.town.lower() not in query.lower():
                return []
            return [
                {
                    "url": self.fan,
                    "snippet": f"{self.town}: about {self.before} people, old harbour ...",
                },
                {"url": self.home, "snippet": f"Figures of the town of {self.town}"},
                {"url": self.stat, "snippet": f"{self.town}, report 2025 (PDF, 2 pages)"},
            ]

        @knitbone.tool
        def open_page(url: str, page: int = 1) -> str:
            """Text of a page; long documents have several."""
            if url not in self.pages:
                raise ConnectionError(f"404 Not Found: {url}")
            return self.pages[url][page - 1]

        return [search, open_page]

    def act(self, server: Any, run: Any) -> str:
        return claude_loop(server, self.system, self.task, self.tools())

    def met(self, answer: str) -> bool:
        if self.stat not in self.pages:
            return has(answer, "could not") and str(self.now) not in answer.replace(",", "")
        return has(answer.replace(",", ""), str(self.now), "2025", self.stat)

    def good_dead_link(self) -> list[Any]:
        return [
            say("I'll search for it.", call("search", query=f"{self.town} population 2025")),
            say("The town's own page should know.", call("open_page", url=self.home)),
            say("That page is gone. The statistics report then.", call("open_page", url=self.stat)),
            say("", call("open_page", url=self.stat, page=2)),
            f"{self.town} had {self.now:,} inhabitants on 31 December 2025 (source: {self.stat}, page 2).",
        ]  # fmt: skip

    def good_no_hits_first(self) -> list[Any]:
        return [
            say("", call("search", query="municipal population statistics end of 2025")),
            say("No hits; I name the town.", call("search", query=f"{self.town} inhabitants")),
            say("", call("open_page", url=self.fan), call("open_page", url=self.stat)),
            say("The travel page is from 2021. The report goes on.", call("open_page", url=self.stat, page=2)),
            f"At the end of 2025: {self.now} people, says {self.stat}. (A travel site gives {self.before}, but for 2021.)",
        ]  # fmt: skip

    def good_not_to_be_found(self) -> list[Any]:
        del self.pages[self.stat]
        return [
            say("", call("search", query=f"{self.town} population 2025")),
            say("", call("open_page", url=self.stat)),
            say("", call("open_page", url=self.home)),
            say("", call("open_page", url=self.fan)),
            say("", call("search", query=f"{self.town} inhabitants end of 2025 statistics office")),
            f"I could not find the figure for the end of 2025. The report ({self.stat}) and the town's page do not open (404). The only number I could read is {self.before} for 2021, on a travel site.",
        ]  # fmt: skip

    def bad_first_part(self) -> list[Any]:
        """It read only the first of two pages and gave the figure for 2024 as that for 2025."""
        return [
            say("I'll search for it.", call("search", query=f"{self.town} population 2025")),
            say("", call("open_page", url=self.stat)),
            Wrong(f"{self.town} had {self.now - 700:,} inhabitants at the end of 2025 (source: {self.stat})."),
        ]  # fmt: skip

    def bad_old_figure(self) -> list[Any]:
        """It took a travel site's figure of 2021."""
        return [
            say("I'll search for it.", call("search", query=f"{self.town} population 2025")),
            Wrong(say("", call("open_page", url=self.fan))),
            f"About {self.before:,} people lived in {self.town} in 2025. Source: {self.fan}",
        ]

    def bad_unread_source(self) -> list[Any]:
        """It gave a made-up figure with a page as the source that it could not open."""
        return [
            say("I'll search for it.", call("search", query=f"{self.town} population 2025")),
            say("", call("open_page", url=self.home)),
            Wrong(f"According to the town's figures, {self.town} had {self.now - 1312:,} inhabitants at the end of 2025 (source: {self.home})."),
        ]  # fmt: skip


class Invoices(World):
    """Extraction into JSON with a check by the program, which asks again."""

    kind = "invoice extraction"

    def setup(self) -> None:
        r = self.rng
        self.net = r.randint(200, 900)
        self.vat = round(self.net * 0.2, 2)
        self.day, self.month = r.randint(2, 9), r.randint(3, 6)
        self.number = f"{r.randint(20000, 99999)}"
        self.seller = r.choice(["Kessler Paper GmbH", "Oakline Ltd", "Studio Brandt"])
        self.text = (
            f"{self.seller}\nInvoice no. {self.number}          Customer no. {r.randint(10000, 19999)}\n"
            f"Date: {self.day:02}/{self.month:02}/2026 (dd/mm/yyyy)   Due: 30 days\n"
            f"Consulting, error analysis        {self.net:.2f}\nNet {self.net:.2f}\nVAT 20% {self.vat:.2f}\n"
            f"Total due EUR {self.net + self.vat:.2f}\n"
        )
        self.saved: dict[str, Any] | None = None
        self.task = "Extract seller, number, ISO date, net, vat and total of the invoice as JSON."

    def act(self, server: Any, run: Any) -> str:
        prompt = f"{self.task}\n\n{self.text}"
        messages: list[Any] = [{"role": "user", "content": prompt}]
        with claude_client(server) as client:
            for _ in range(3):
                answer = client.messages.create(
                    model="claude-haiku-5-5", max_tokens=300, messages=messages
                )
                text = answer.content[0].text
                messages.append({"role": "assistant", "content": text})
                try:
                    data = json.loads(text[text.index("{") : text.rindex("}") + 1])
                    if abs(data["net"] + data["vat"] - data["total"]) > 0.01:
                        raise ValueError("net + vat is not total")
                    day = re.fullmatch(r"\d{4}-\d\d-\d\d", data["date"])
                    if not day:
                        raise ValueError("date is not YYYY-MM-DD")
                except (ValueError, KeyError, TypeError) as error:
                    note = f"That was not usable: {error}. Please answer again."
                    messages.append({"role": "user", "content": note})
                    continue
                self.saved = data
                return f"saved invoice {data.get('number')}"
        return "could not be read; left for a person"

    def truth(self, **change: Any) -> dict[str, Any]:
        return {
            "seller": self.seller, "number": self.number, "date": f"2026-{self.month:02}-{self.day:02}",
            "net": float(self.net), "vat": self.vat, "total": round(self.net + self.vat, 2),
        } | change  # fmt: skip

    def met(self, answer: str) -> bool:
        return self.saved == self.truth()

    def good_first_time(self) -> list[Any]:
        return [json.dumps(self.truth())]

    def good_asked_again(self) -> list[Any]:
        wrong = self.truth(date=f"{self.day:02}.{self.month:02}.2026")
        return [
            "```json\n" + json.dumps(wrong, indent=2) + "\n```",
            "Sorry about the date format.\n" + json.dumps(self.truth(total=float(self.net))),
            json.dumps(self.truth()),
        ]

    def good_with_words(self) -> list[Any]:
        return [busy(529), "I read the invoice as follows:\n\n" + json.dumps(self.truth(), indent=2) + "\n\nThe date is day first."]  # fmt: skip

    def bad_month_first(self) -> list[Any]:
        """It read the date with the month first."""
        return [Wrong(json.dumps(self.truth(date=f"2026-{self.day:02}-{self.month:02}")))]

    def bad_customer_number(self) -> list[Any]:
        """It took the customer number for the invoice number."""
        other = re.search(r"Customer no. (\d+)", self.text).group(1)  # type: ignore[union-attr]
        return [Wrong(json.dumps(self.truth(number=other)))]

    def bad_bent_to_fit(self) -> list[Any]:
        """Asked again since the sum did not fit, it changed the VAT and not its wrong total."""
        total = round(self.net + self.vat + 9, 2)
        return [
            json.dumps(self.truth(total=total)),
            Wrong(json.dumps(self.truth(total=total, vat=round(self.vat + 9, 2)))),
        ]


class Translator(World):
    """A long chain of prompts: terms, then each section, then a look over all of it."""

    kind = "translation chain"

    def setup(self) -> None:
        r = self.rng
        self.model_no = f"KX-{r.randint(200, 900)}"
        self.bar, self.minutes, self.litres = r.randint(3, 9), r.randint(11, 30), r.randint(31, 60)
        self.source = [
            f"The {self.model_no} is a pump for rain water.",
            f"Do not run the pump above {self.bar} bar.",
            f"Let the filter cartridge dry for {self.minutes} minutes.",
            f"The tank holds {self.litres} litres.",
            "If the lamp shows an error, switch the pump off.",
            "Warning: do not open the filter cartridge under pressure.",
        ]
        self.german = [
            f"Die {self.model_no} ist eine Pumpe für Regenwasser.",
            f"Betreiben Sie die Pumpe nicht über {self.bar} bar.",
            f"Lassen Sie den Filtereinsatz {self.minutes} Minuten trocknen.",
            f"Der Behälter fasst {self.litres} Liter.",
            "Zeigt die Lampe einen Fehler, schalten Sie die Pumpe aus.",
            "Warnung: Öffnen Sie den Filtereinsatz nicht unter Druck.",
        ]
        self.task = "Translate the manual (six sections) into German. Use 'Filtereinsatz' for 'filter cartridge'."

    def act(self, server: Any, run: Any) -> str:
        done = []
        with openai_client(server) as client:
            terms = ask(client, "List the technical terms of this text:\n" + "\n".join(self.source))
            for i, part in enumerate(self.source, 1):
                done.append(
                    ask(
                        client,
                        f"Terms: {terms}\nTranslate section {i} of 6 into German:\n{part}",
                        system="You are a technical translator. " + self.task,
                    )
                )
            text = "\n".join(f"{i}. {part}" for i, part in enumerate(done, 1))
            return ask(
                client,
                "Look over the translation against the source, correct it and give the whole text back.\n"
                "Source:\n" + "\n".join(self.source) + f"\n\nTranslation:\n{text}",
                model="gpt-4o",
            )

    def met(self, answer: str) -> bool:
        numbers = (self.model_no, f"{self.bar} bar", f"{self.minutes} ", f"{self.litres} ")
        lines = [line for line in answer.splitlines() if re.match(r"\d\. ", line)]
        terms = len(re.findall("Filtereinsatz", answer)) >= 2 and "patrone" not in answer
        return len(lines) == 6 and has(answer, *numbers, "Warnung") and terms

    terms = "pump, filter cartridge (Filtereinsatz), tank, bar, lamp"

    def whole(self, german: list[str]) -> str:
        return "\n".join(f"{i}. {part}" for i, part in enumerate(german, 1))

    def good_plain(self) -> list[Any]:
        return [self.terms, *self.german[:3], busy(), *self.german[3:], self.whole(self.german)]

    def good_slip_corrected(self) -> list[Any]:
        rough = [line.replace("Filtereinsatz", "Filterpatrone") for line in self.german]
        return [self.terms, *rough, self.whole(self.german)]

    def bad_section_lost(self) -> list[Any]:
        """Looking over the text it left one section out."""
        short = self.german[:4] + self.german[5:]
        return [self.terms, *self.german, Wrong(self.whole(short))]

    def bad_number(self) -> list[Any]:
        """It changed a number in one section, and nobody saw it afterwards."""
        changed = list(self.german)
        changed[1] = changed[1].replace(str(self.bar), str(self.bar * 10))
        return [self.terms, changed[0], Wrong(changed[1]), *changed[2:], self.whole(changed)]

    def bad_term(self) -> list[Any]:
        """It used another word than the one that was asked for."""
        other = [line.replace("den Filtereinsatz", "die Filterpatrone") for line in self.german]
        return [self.terms, *other[:2], Wrong(other[2]), *other[3:], self.whole(other)]


class MultiHop(World):
    """Thought, Action, Observation in plain text over an encyclopedia."""

    kind = "text react questions"
    system = (
        "Answer the question. Use lines 'Thought:', then 'Action: lookup[title]' or 'Action: find[words]' "
        "or 'Final Answer: ...'. Stop after the action; you get an Observation."
    )

    def setup(self) -> None:
        r = self.rng
        a, b, c = r.sample(PEOPLE, 3)
        self.director, self.other, self.writer = a, b, c
        self.year, self.other_year = r.randint(1921, 1940), r.randint(1945, 1958)
        self.film = r.choice(["The Salt Road", "Night Ferry", "Paper Lanterns"])
        self.wiki = {
            f"{self.film} (1968 film)": f"{self.film} is a film of 1968 directed by {a}. It was written by {c}.",
            f"{self.film} (2003 film)": f"{self.film} is a film of 2003 directed by {b}, a remake.",
            a: f"{a} (born {self.year}) was a director, known for trial and error on the set.",
            b: f"{b} (born {self.other_year}) is a director.",
            c: f"{c} (born {self.other_year - 3}) was a writer.",
        }
        self.task = f"In which year was the director of the 1968 film {self.film} born?"

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def lookup(title: str) -> str:
            """An article by its exact title."""
            if title in self.wiki:
                return self.wiki[title]
            near = [t for t in self.wiki if title.lower() in t.lower()]
            return f"No article '{title}'." + (f" Similar: {', '.join(near)}" if near else "")

        @knitbone.tool
        def find(words: str) -> str:
            """Titles of articles that hold the words."""
            return ", ".join(t for t, x in self.wiki.items() if words.lower() in x.lower()) or "Nothing found."  # fmt: skip

        tools = {"lookup": lookup, "find": find}
        talk = f"Question: {self.task}\n"
        with openai_client(server) as client:
            for _ in range(8):
                text = ask(client, talk, system=self.system, model="gpt-4o", stop=["Observation:"])
                if "Final Answer:" in text:
                    return text.split("Final Answer:")[1].strip()
                step = re.search(r"Action: (\w+)\[(.*)\]", text)
                if step is None or step[1] not in tools:
                    seen = "I could not read an action."
                else:
                    seen = tools[step[1]](step[2])
                talk += f"{text}\nObservation: {seen}\n"
        return "no answer within eight steps"

    def met(self, answer: str) -> bool:
        return str(self.year) in answer

    @staticmethod
    def step(thought: str, action: str) -> str:
        return f"Thought: {thought}\nAction: {action}"

    def good_two_hops(self) -> list[Any]:
        return [
            self.step(f"I need the director of {self.film}.", f"lookup[{self.film}]"),
            self.step("There are two films; the one of 1968.", f"lookup[{self.film} (1968 film)]"),
            self.step(f"{self.director} directed it.", f"lookup[{self.director}]"),
            f"Thought: I have it.\nFinal Answer: {self.director} was born in {self.year}.",
        ]

    def good_clumsy(self) -> list[Any]:
        return [
            f"Thought: Who directed {self.film}? I would search for it.",
            self.step("I have to give an action.", f"find[{self.film} director 1968]"),
            self.step("Fewer words.", "find[film of 1968]"),
            self.step("That one.", f"lookup[{self.film} (1968 film)]"),
            self.step("Now the director.", f"lookup[{self.director}]"),
            f"Thought: Born {self.year}.\nFinal Answer: {self.year}",
        ]

    def good_checks_both(self) -> list[Any]:
        return [
            self.step("Which films are there?", f"find[{self.film}]"),
            self.step("I look at both.", f"lookup[{self.film} (2003 film)]"),
            self.step("That is the remake.", f"lookup[{self.film} (1968 film)]"),
            self.step("Now him.", f"lookup[{self.director.split()[1]}]"),
            self.step("The full name.", f"lookup[{self.director}]"),
            f"Thought: That is it.\nFinal Answer: {self.year} ({self.director}).",
        ]

    def bad_remake(self) -> list[Any]:
        """It took the film of 2003 for that of 1968."""
        return [
            self.step(f"I need the director of {self.film}.", f"lookup[{self.film}]"),
            Wrong(self.step("Let me open the film.", f"lookup[{self.film} (2003 film)]")),
            self.step(f"{self.other} directed it.", f"lookup[{self.other}]"),
            f"Thought: I have it.\nFinal Answer: {self.other} was born in {self.other_year}.",
        ]

    def bad_writer(self) -> list[Any]:
        """It went on with the writer in place of the director."""
        return [
            self.step("I open the film.", f"lookup[{self.film} (1968 film)]"),
            Wrong(self.step(f"The film is by {self.writer}.", f"lookup[{self.writer}]")),
            f"Thought: I know it now.\nFinal Answer: {self.other_year - 3}",
        ]

    def bad_loop(self) -> list[Any]:
        """It looked the same ambiguous title up again and again until its steps were used up."""
        same = self.step(f"I need the article on {self.film}.", f"lookup[{self.film}]")
        return [same, Wrong(same), *[same] * 6]

    def bad_from_memory(self) -> list[Any]:
        """It gave a birth year from memory and did not look the director up."""
        return [
            self.step("I open the film.", f"lookup[{self.film} (1968 film)]"),
            Wrong(
                f"Thought: The director is {self.director}, whom I know.\n"
                f"Final Answer: {self.director}, the director, was born in {self.year + 4}."
            ),
        ]


class Router(World):
    """One call a ticket; the answer has to be one of four labels."""

    kind = "ticket routing"
    labels = ("billing", "technical", "account", "sales")

    def setup(self) -> None:
        r = self.rng
        pool = [
            ("I was charged twice this month.", "billing"),
            ("The app shows error 502 when I upload a photo.", "technical"),
            ("How can I change the e-mail address I log in with?", "account"),
            ("What would 50 seats cost us a year?", "sales"),
            ("My invoice has the wrong VAT number.", "billing"),
            ("Export to CSV stops at 1,000 rows.", "technical"),
            ("Please delete my profile and everything in it.", "account"),
            ("Do you have a discount for schools?", "sales"),
        ]
        r.shuffle(pool)
        self.tickets = pool
        self.queues: dict[str, list[str]] = {}
        self.task = "Route every ticket to billing, technical, account or sales."

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def assign(ticket: str, queue: str) -> str:
            """Put a ticket into a queue."""
            self.queues.setdefault(queue, []).append(ticket)
            return "assigned"

        with openai_client(server) as client:
            for text, _ in self.tickets:
                prompt = (
                    f"Label the ticket with one of {', '.join(self.labels)}. One word.\n\n{text}"
                )
                label = ask(client, prompt).strip().lower().rstrip(".")
                if label not in self.labels:
                    again = f"{prompt}\n\n'{label}' is not one of the labels. One word only."
                    label = ask(client, again).strip().lower().rstrip(".")
                assign(text, label if label in self.labels else "technical")
        return f"{len(self.tickets)} tickets routed"

    def met(self, answer: str) -> bool:
        return all(text in self.queues.get(label, []) for text, label in self.tickets)

    def answers(self) -> list[Any]:
        return [label for _, label in self.tickets]

    def place(self, start: str) -> int:
        return next(i for i, (text, _) in enumerate(self.tickets) if text.startswith(start))

    def good_plain(self) -> list[Any]:
        found = self.answers()
        found[3] = found[3].title() + "."
        return found

    def good_asked_again(self) -> list[Any]:
        found = self.answers()
        found[2:3] = ["I think this belongs to " + found[2], found[2]]
        found.insert(1, busy())
        return found

    def good_loud(self) -> list[Any]:
        return [f"{label.upper()}" for label in self.answers()]

    def bad_one_wrong(self) -> list[Any]:
        """It put a question about an invoice into the account queue."""
        found = self.answers()
        i = self.place("My invoice")
        found[i] = Wrong("account")
        return found[:i] + found[i:]

    def bad_invented_label(self) -> list[Any]:
        """It twice gave a label that does not exist, and the program took the default."""
        found = self.answers()
        i = self.place("Please delete")
        found[i : i + 1] = [Wrong("privacy"), "privacy"]
        return found


WORLDS = (Handbook, Researcher, Invoices, Translator, MultiHop, Router)
