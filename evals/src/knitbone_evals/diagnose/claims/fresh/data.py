"""Agents over tables, records and numbers."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import knitbone
from knitbone_evals.diagnose.claims.fresh.base import (  # fmt: skip
    PEOPLE,
    World,
    Wrong,
    ask,
    busy,
    call,
    chat_loop,
    claude_loop,
    has,
    mail_of,
    openai_client,
    say,
)


class Analyst(World):
    """Questions over a database; amounts are in cents, orders may be cancelled."""

    kind = "sql analyst"
    system = (
        "You answer questions over the shop's SQLite database with run_sql. Cancelled orders are never "
        "revenue. Answer amounts in euros."
    )

    def setup(self) -> None:
        r = self.rng
        db = self.db = sqlite3.connect(":memory:")
        db.executescript(
            "create table customers (id integer, name text, country text);"
            "create table orders (id integer, customer_id integer, amount_cents integer,"
            " status text, placed_at text);"
        )
        for i in range(1, 21):
            country = "AT" if i % 3 == 0 else "DE"
            db.execute("insert into customers values (?,?,?)", (i, f"Customer {i:02}", country))
        for i in range(1, 121):
            status = "cancelled" if i % 7 == 0 else "paid"
            day = f"{2025 if i % 4 == 0 else 2026}-{r.randint(1, 6):02}-{r.randint(1, 28):02}"
            row = (i, r.randint(1, 20), r.randint(1000, 90000), status, day)
            db.execute("insert into orders values (?,?,?,?,?)", row)
        self.task = (
            "How much revenue did we make with Austrian customers in the first half of 2026?"
        )

    def tool(self) -> Any:
        @knitbone.tool
        def run_sql(query: str) -> str:
            """Run one SELECT; at most 50 rows come back."""
            rows = self.db.execute(query).fetchmany(50)
            return json.dumps(rows)

        return run_sql

    def act(self, server: Any, run: Any) -> str:
        return chat_loop(server, self.system, self.task, [self.tool()])

    def sql(self, more: str = "and o.status <> 'cancelled' ", year: str = "2026") -> str:
        when = f"and o.placed_at >= '{year}-01-01' and o.placed_at < '{year}-07-01'" if year else ""
        return (
            "select sum(o.amount_cents) from orders o join customers c on c.id = o.customer_id "
            f"where c.country = 'AT' {more}{when}"
        )

    def value(self, query: str) -> int:
        return self.db.execute(query).fetchone()[0]

    def met(self, answer: str) -> bool:
        return has(answer.replace(",", ""), f"{(self.value(self.sql()) or 0) / 100:.2f}")

    schema = "select name, sql from sqlite_master"

    def good_wrong_column(self) -> list[Any]:
        return [
            say("", call("run_sql", query="select sum(amount) from orders where country = 'AT'")),
            say("No such column; I look at the schema.", call("run_sql", query=self.schema)),
            say("", call("run_sql", query="select distinct status from orders")),
            say("", call("run_sql", query=self.sql())),
            f"Revenue with Austrian customers in the first half of 2026 was {self.value(self.sql()) / 100:,.2f} EUR, cancelled orders left out.",
        ]  # fmt: skip

    def good_cross_check(self) -> list[Any]:
        parts = self.sql().replace(
            "sum(o.amount_cents)", "substr(o.placed_at,1,7), sum(o.amount_cents)"
        )
        return [
            say("", call("run_sql", query=self.schema)),
            say("", call("run_sql", query="select status, count(*) from orders group by status"), call("run_sql", query="select country, count(*) from customers group by country")),
            say("", call("run_sql", query=self.sql())),
            say("I check it by month.", call("run_sql", query=parts + " group by 1")),
            f"{self.value(self.sql()) / 100:.2f} EUR from January to June 2026 (paid orders only; the months add up to the same).",
        ]  # fmt: skip

    def good_nothing_there(self) -> list[Any]:
        self.db.execute("update customers set country = 'DE' where country = 'AT'")
        return [
            say("", call("run_sql", query=self.schema)),
            say("", call("run_sql", query=self.sql())),
            say("NULL: no such rows. Are there Austrian customers?", call("run_sql", query="select country, count(*) from customers group by country")),
            say("", call("run_sql", query="select distinct country from customers")),
            "0.00 EUR: there are no Austrian customers in the database (all 20 are marked DE). If that surprises you, the countries may have been entered wrongly.",
        ]  # fmt: skip

    def bad_cancelled(self) -> list[Any]:
        """It counted cancelled orders as revenue."""
        query = self.sql(more="")
        return [
            say("", call("run_sql", query=self.schema)),
            Wrong(say("", call("run_sql", query=query))),
            f"Revenue with Austrian customers in the first half of 2026 was {self.value(query) / 100:,.2f} EUR.",
        ]  # fmt: skip

    def bad_cents(self) -> list[Any]:
        """It gave cents as euros."""
        return [
            say("", call("run_sql", query=self.schema)),
            say("", call("run_sql", query=self.sql())),
            Wrong(f"Revenue with Austrian customers in the first half of 2026 was {self.value(self.sql()):,} EUR (cancelled orders left out)."),
        ]  # fmt: skip

    def bad_all_years(self) -> list[Any]:
        """Its query had no condition on the year."""
        query = self.sql(year="") + "and substr(o.placed_at, 6, 2) <= '06'"
        return [
            say("", call("run_sql", query=self.schema)),
            Wrong(say("", call("run_sql", query=query))),
            f"{self.value(query) / 100:.2f} EUR, cancelled orders left out.",
        ]


class Sheet(World):
    """A spreadsheet with cells and formulas."""

    kind = "spreadsheet"
    system = "You edit the sheet 'Budget'. Columns: A item, B planned, C actual. Row 1 is the head."

    def setup(self) -> None:
        r = self.rng
        names = [
            "Rent",
            "Travel",
            "Licences",
            "Travel insurance",
            "Hardware",
            "Training",
            "Catering",
        ]
        self.rows = [["Item", "Planned", "Actual"]]
        self.rows += [[n, r.randint(5, 90) * 10, r.randint(5, 90) * 10] for n in names]
        self.last = len(self.rows)
        self.extra = r.randint(11, 40) * 10 + 5
        self.want_travel = self.rows[2][2] + self.extra
        self.others = [list(row) for i, row in enumerate(self.rows) if i != 2]
        self.task = (
            f"Add {self.extra} to the actual cost of Travel, and write the sums of planned and actual "
            f"into B{self.last + 1} and C{self.last + 1}."
        )

    def tools(self) -> list[Any]:
        @knitbone.tool
        def read_range(first: int, last: int) -> list:
            """Rows first to last, both included, from row 1."""
            return [[i, *self.rows[i - 1]] for i in range(first, min(last, len(self.rows)) + 1)]

        @knitbone.tool
        def write_cell(cell: str, value: float) -> str:
            """Write a number into a cell such as C4."""
            column, row = "ABC".index(cell[0]), int(cell[1:])
            while len(self.rows) < row:
                self.rows.append(["", "", ""])
            self.rows[row - 1][column] = value
            return f"{cell} = {value}"

        @knitbone.tool
        def sum_range(column: str, first: int, last: int) -> float:
            """Sum of a column's cells, both ends included."""
            values = [row["ABC".index(column)] for row in self.rows[first - 1 : last]]
            return sum(values)

        return [read_range, write_cell, sum_range]

    def act(self, server: Any, run: Any) -> str:
        return claude_loop(server, self.system, self.task, self.tools())

    def met(self, answer: str) -> bool:
        body = self.rows[1 : self.last]
        sums = [sum(row[1] for row in body), sum(row[2] for row in body)]
        kept = [row for i, row in enumerate(self.rows[: self.last]) if i != 2] == self.others
        return body[1][2] == self.want_travel and kept and self.rows[self.last][1:] == sums

    def total(self, column: int, first: int = 1) -> int:
        extra = self.extra if column == 2 else 0
        return sum(row[column] for row in self.rows[first : self.last]) + extra

    def sums(self, first: int = 2) -> Any:
        return say(
            "",
            call("sum_range", column="B", first=first, last=self.last),
            call("sum_range", column="C", first=first, last=self.last),
        )

    def put(self, b: float, c: float) -> Any:
        row = self.last + 1
        return say(
            "",
            call("write_cell", cell=f"B{row}", value=b),
            call("write_cell", cell=f"C{row}", value=c),
        )

    def good_plain(self) -> list[Any]:
        b, c = self.total(1), self.total(2)
        return [
            say("", call("read_range", first=1, last=50)),
            say("", call("write_cell", cell="C3", value=self.want_travel)),
            self.sums(),
            self.put(b, c),
            f"Travel's actual cost is now {self.want_travel}; the sums are {b} and {c}.",
        ]

    def good_head_in_sum(self) -> list[Any]:
        b, c = self.total(1), self.total(2)
        old = self.rows[4][2]
        return [
            say("", call("read_range", first=1, last=50)),
            say("", call("write_cell", cell="C5", value=self.want_travel)),
            say("C5 is Travel insurance, not Travel. I put it back and write C3.", call("write_cell", cell="C5", value=old), call("write_cell", cell="C3", value=self.want_travel)),
            self.sums(first=1),
            self.sums(),
            self.put(b, c),
            say("", call("read_range", first=1, last=50)),
            f"Done. Travel: {self.want_travel}. Sums: {b} planned, {c} actual.",
        ]  # fmt: skip

    def good_reads_in_parts(self) -> list[Any]:
        b, c = self.total(1), self.total(2)
        return [
            *[say("", call("read_range", first=i, last=i + 1)) for i in range(1, self.last + 1, 2)],
            say("", call("write_cell", cell="D3", value=self.want_travel)),
            say(
                "There is no column D; actual is C.",
                call("write_cell", cell="C3", value=self.want_travel),
            ),
            self.sums(),
            self.put(b, c),
            f"C3 is {self.want_travel} now, and row {self.last + 1} holds the sums {b} and {c}.",
        ]

    def bad_wrong_row(self) -> list[Any]:
        """It wrote the new cost into the row of Travel insurance."""
        value = self.rows[4][2] + self.extra
        b, c = self.total(1), self.total(2)
        return [
            say("", call("read_range", first=1, last=50)),
            Wrong(say("", call("write_cell", cell="C5", value=value))),
            self.sums(),
            self.put(b, c),
            f"I added {self.extra} to Travel (now {value}) and wrote the sums {b} and {c}.",
        ]

    def bad_off_by_one(self) -> list[Any]:
        """It summed from row 3 on and left out the first item."""
        b, c = self.total(1, 2), self.total(2, 2)
        return [
            say("", call("read_range", first=1, last=50)),
            say("", call("write_cell", cell="C3", value=self.want_travel)),
            Wrong(self.sums(first=3)),
            self.put(b, c),
            f"Travel's actual cost is now {self.want_travel}; the sums are {b} and {c}.",
        ]

    def bad_replaced(self) -> list[Any]:
        """It replaced Travel's cost by the amount that was to be added."""
        b, c = self.total(1), self.total(2) - self.rows[2][2]
        return [
            say("", call("read_range", first=1, last=50)),
            Wrong(say("", call("write_cell", cell="C3", value=self.extra))),
            self.sums(),
            self.put(b, c),
            f"I updated Travel and wrote the sums {b} and {c} into row {self.last + 1}.",
        ]


class Cleaner(World):
    """A pipeline without tools: addresses in batches become JSON, and the program stores them."""

    kind = "address cleaning"

    def setup(self) -> None:
        r = self.rng
        cities = [
            ("Graz", "8010"),
            ("Linz", "4020"),
            ("Wien", "1070"),
            ("Bern", "3011"),
            ("Ulm", "89073"),
        ]
        self.truth = []
        for i in range(9):
            city, code = cities[i % 5]
            self.truth.append({"id": i + 1, "street": f"{r.choice(['Hauptstr.', 'Ringweg', 'Am Markt'])} {r.randint(1, 120)}", "postcode": code, "city": city})  # fmt: skip
        self.raw = [
            f"{t['id']}; {t['street'].upper() if t['id'] % 2 else t['street']} / {t['postcode']} {t['city']}"
            for t in self.truth
        ]
        self.stored: list[Any] = []
        self.task = "Clean all addresses of the list into id, street, postcode and city."

    def act(self, server: Any, run: Any) -> str:
        with openai_client(server) as client:
            for start in range(0, 9, 3):
                part = "\n".join(self.raw[start : start + 3])
                prompt = (
                    "Turn each line into an object with id, street, postcode, city. Answer with a "
                    f"JSON array and nothing else.\n\n{part}"
                )
                for _ in range(2):
                    text = ask(client, prompt, max_tokens=400)
                    text = text.strip().removeprefix("```json").removesuffix("```")
                    try:
                        self.stored.extend(json.loads(text))
                    except json.JSONDecodeError:
                        continue
                    break
        return f"{len(self.stored)} addresses stored"

    def met(self, answer: str) -> bool:
        def key(entry: dict[str, Any]) -> Any:
            return [str(entry[k]).lower() for k in ("id", "street", "postcode", "city")]

        return sorted(map(key, self.stored)) == sorted(map(key, self.truth))

    def batch(self, number: int, change: dict[int, dict[str, Any]] | None = None) -> str:
        entries = [
            t | (change or {}).get(t["id"], {}) for t in self.truth[number * 3 : number * 3 + 3]
        ]
        return json.dumps([e for e in entries if e["id"] is not None], indent=1)

    def good_plain(self) -> list[Any]:
        return [self.batch(0), "```json\n" + self.batch(1) + "\n```", busy(), self.batch(2)]

    def good_second_try(self) -> list[Any]:
        return [self.batch(0), "Here is the array:\n" + self.batch(1), self.batch(1), self.batch(2)]

    def good_busy_server(self) -> list[Any]:
        return [
            busy(503),
            self.batch(0),
            busy(),
            "```json" + self.batch(1) + "```",
            "[]]",
            self.batch(2),
        ]

    def bad_dropped(self) -> list[Any]:
        """It left one of the three lines of a batch out."""
        return [self.batch(0), Wrong(self.batch(1, {5: {"id": None}})), self.batch(2)]

    def bad_cut(self) -> list[Any]:
        """Its answer was cut at the token limit, twice, and the batch was lost."""
        cut = say(self.batch(2)[:-45], finish="length")
        return [self.batch(0), self.batch(1), Wrong(cut), cut]

    def bad_postcode(self) -> list[Any]:
        """It wrote a postcode that does not stand in the line."""
        return [Wrong(self.batch(0, {2: {"postcode": "4030"}})), self.batch(1), self.batch(2)]


class Contacts(World):
    """Merges duplicates in an address book."""

    kind = "contact merging"
    system = (
        "You clean an address book. Two entries are the same person only if the e-mail or the phone "
        "number agrees. When you merge, the newer entry's phone number is kept."
    )

    def setup(self) -> None:
        r = self.rng
        a, b = r.sample(PEOPLE, 2)

        def phone() -> str:
            return f"+43 660 {r.randint(100000, 999999)}"

        self.book: dict[int, dict[str, Any]] = {
            1: {"name": a, "email": mail_of(a), "phone": phone(), "updated": "2023-02-01"},
            2: {"name": a.upper(), "email": mail_of(a), "phone": phone(), "updated": "2026-01-20"},
            3: {"name": b, "email": mail_of(b), "phone": phone(), "updated": "2025-07-11"},
            4: {"name": b, "email": mail_of(b).replace("@", "@studio."), "phone": phone(), "updated": "2025-09-30"},
        }  # fmt: skip
        self.newest = self.book[2]["phone"]
        self.task = "Please merge the duplicates in my address book."

    def tools(self) -> list[Any]:
        @knitbone.tool
        def list_contacts() -> list:
            """All entries."""
            return [{"id": i, **entry} for i, entry in self.book.items()]

        @knitbone.tool
        def update_contact(contact_id: int, field: str, value: str) -> dict:
            """Change one field."""
            self.book[contact_id][field] = value
            return self.book[contact_id]

        @knitbone.tool
        def delete_contact(contact_id: int) -> str:
            """Delete an entry."""
            del self.book[contact_id]
            return "deleted"

        return [list_contacts, update_contact, delete_contact]

    def act(self, server: Any, run: Any) -> str:
        return chat_loop(server, self.system, self.task, self.tools(), model="gpt-4o-mini")

    def met(self, answer: str) -> bool:
        ours = [e for i, e in self.book.items() if i in (1, 2)]
        return len(self.book) == 3 and len(ours) == 1 and ours[0]["phone"] == self.newest

    def good_keep_newer(self) -> list[Any]:
        return [
            say("", call("list_contacts")),
            say("", call("update_contact", contact_id=2, field="name", value=self.book[1]["name"]), call("delete_contact", contact_id=1)),
            f"I merged entries 1 and 2 (same e-mail) and kept the newer phone number. The two entries of {self.book[3]['name']} share neither e-mail nor phone, so they stay.",
        ]  # fmt: skip

    def good_deleted_twice(self) -> list[Any]:
        return [
            say("", call("list_contacts")),
            say("", call("update_contact", contact_id=1, field="phone", value=self.newest)),
            say("", call("delete_contact", contact_id=2)),
            say("", call("delete_contact", contact_id=2)),
            say("It was gone already. Let me look at the result.", call("list_contacts")),
            "Entries 1 and 2 were the same person and are one now, with the newer number. Nothing else was merged.",
        ]  # fmt: skip

    def good_nothing_to_merge(self) -> list[Any]:
        del self.book[1]
        return [
            say("", call("list_contacts")),
            "There is nothing to merge: the only entries that look alike share neither an e-mail nor a phone number. I left the address book as it is.",
        ]  # fmt: skip

    def bad_same_name(self) -> list[Any]:
        """It merged two entries that share only the name."""
        return [
            say("", call("list_contacts")),
            say("", call("update_contact", contact_id=2, field="name", value=self.book[1]["name"]), call("delete_contact", contact_id=1)),
            Wrong(say("", call("delete_contact", contact_id=3))),
            "I merged two pairs of duplicates; your address book has two entries now.",
        ]  # fmt: skip

    def bad_older_phone(self) -> list[Any]:
        """It kept the older entry with the older phone number."""
        return [
            say("", call("list_contacts")),
            Wrong(say("", call("delete_contact", contact_id=2))),
            "Entries 1 and 2 had the same e-mail, so I merged them into one. Nothing else was a duplicate.",
        ]


class Dosage(World):
    """Computes and records a dose by weight; weights may be in pounds."""

    kind = "dose calculation"
    system = (
        "You prepare dose records for a vet, who signs them. Dose = weight in kg × mg per kg, rounded "
        "to whole mg, never above the daily maximum of the medicine. 1 lb = 0.4536 kg."
    )

    def setup(self) -> None:
        r = self.rng
        self.animal = r.choice(["Bella", "Rocky", "Momo", "Zeus"])
        self.pounds = r.randint(40, 75)
        self.per_kg, self.cap = r.choice([4, 5]), 500
        self.records: list[tuple[str, int]] = []
        self.task = f"Record today's dose of Carprovet for {self.animal}."

    def tools(self) -> list[Any]:
        @knitbone.tool
        def get_patient(name: str) -> dict:
            """A patient's card."""
            return {"name": name, "species": "dog", "weight": self.pounds, "weight_unit": "lb"}

        @knitbone.tool
        def get_medicine(name: str) -> dict:
            """A medicine's sheet."""
            return {"name": name, "mg_per_kg": self.per_kg, "max_mg_per_day": self.cap}

        @knitbone.tool
        def multiply(a: float, b: float) -> float:
            """a × b."""
            return round(a * b, 4)

        @knitbone.tool
        def record_dose(patient: str, mg: int) -> str:
            """Record the dose."""
            self.records.append((patient, mg))
            return "recorded, waiting for signature"

        return [get_patient, get_medicine, multiply, record_dose]

    def act(self, server: Any, run: Any) -> str:
        return claude_loop(server, self.system, self.task, self.tools())

    @property
    def dose(self) -> int:
        return min(round(self.pounds * 0.4536 * self.per_kg), self.cap)

    def met(self, answer: str) -> bool:
        return self.records == [(self.animal, self.dose)] and has(answer, str(self.dose))

    def steps(self) -> list[Any]:
        kilos = round(self.pounds * 0.4536, 4)
        return [
            say("", call("get_patient", name=self.animal), call("get_medicine", name="Carprovet")),
            say("The weight is in pounds.", call("multiply", a=self.pounds, b=0.4536)),
            say("", call("multiply", a=kilos, b=self.per_kg)),
        ]

    def record(self, mg: int) -> list[Any]:
        return [
            say("", call("record_dose", patient=self.animal, mg=mg)),
            f"I recorded {mg} mg of Carprovet for {self.animal}; it waits for your signature.",
        ]

    def good_plain(self) -> list[Any]:
        return [*self.steps(), *self.record(self.dose)]

    def good_capped(self) -> list[Any]:
        self.pounds, self.per_kg = self.rng.randint(240, 260), 5
        first, last = self.record(self.dose)
        return [
            *self.steps(),
            first,
            f"{last} By weight it would be more, but 500 mg is the maximum.",
        ]

    def good_slip_in_sum(self) -> list[Any]:
        first, second, third = self.steps()
        return [
            first,
            say("", call("multiply", a=self.pounds, b=self.per_kg)),
            say("That was with pounds; I have to convert first.", *second.tool_calls),
            third,
            *self.record(self.dose),
        ]

    def bad_pounds(self) -> list[Any]:
        """It took the weight in pounds for kilograms."""
        mg = min(self.pounds * self.per_kg, 500)
        return [
            self.steps()[0],
            Wrong(say("", call("multiply", a=self.pounds, b=self.per_kg))),
            *self.record(mg),
        ]

    def bad_no_cap(self) -> list[Any]:
        """It recorded more than the daily maximum."""
        self.pounds, self.per_kg = self.rng.randint(240, 260), 5
        first, last = self.record(round(self.pounds * 0.4536 * self.per_kg))
        return [*self.steps(), Wrong(first), last]


class Reorder(World):
    """Stock that runs low is ordered, in packs, with regard to what is on its way."""

    kind = "stock reordering"
    system = (
        "You reorder parts. Order what brings stock plus what is already on order up to the target, "
        "in whole packs, rounded up. Order nothing that is enough."
    )

    def setup(self) -> None:
        r = self.rng
        self.parts = {}
        for i in range(7):
            target, pack = r.choice([60, 80, 100]), r.choice([8, 12, 15])
            stock = target + 5 if i % 3 == 2 else r.randint(4, 20)
            self.parts[f"P-{200 + i * 7}"] = {
                "stock": stock,
                "on_order": 0,
                "target": target,
                "pack": pack,
            }
        self.covered = "P-207"
        self.parts[self.covered].update(on_order=self.parts[self.covered]["target"])
        self.orders: dict[str, int] = {}
        self.task = "Please do this week's reordering."

    def tools(self) -> list[Any]:
        names = list(self.parts)

        @knitbone.tool
        def list_parts(cursor: int = 0) -> dict:
            """Four parts at a time with stock; next is null at the end."""
            part = [{"part": n, "stock": self.parts[n]["stock"], "target": self.parts[n]["target"]} for n in names[cursor : cursor + 4]]  # fmt: skip
            return {"parts": part, "next": cursor + 4 if cursor + 4 < len(names) else None}

        @knitbone.tool
        def part_details(part: str) -> dict:
            """One part with its pack size and what is on order."""
            return {"part": part, **self.parts[part]}

        @knitbone.tool
        def order(part: str, packs: int) -> str:
            """Order packs."""
            self.orders[part] = self.orders.get(part, 0) + packs
            return f"ordered {packs} × {self.parts[part]['pack']} of {part}"

        return [list_parts, part_details, order]

    def act(self, server: Any, run: Any) -> str:
        return chat_loop(
            server, self.system, self.task, self.tools(), model="gpt-4.1-mini", limit=40
        )

    def needed(self) -> dict[str, int]:
        found = {}
        for name, p in self.parts.items():
            lack = p["target"] - p["stock"] - p["on_order"]
            if lack > 0:
                found[name] = -(-lack // p["pack"])
        return found

    def met(self, answer: str) -> bool:
        return self.orders == self.needed()

    def low(self) -> list[str]:
        return [n for n, p in self.parts.items() if p["stock"] < p["target"]]

    def finish(self, packs: dict[str, int]) -> str:
        return "Ordered: " + ", ".join(f"{n} packs of {part}" for part, n in packs.items()) + "."

    def good_one_by_one(self) -> list[Any]:
        steps: list[Any] = [say("", call("list_parts")), say("", call("list_parts", cursor=4))]
        for name in self.low():
            steps.append(say("", call("part_details", part=name)))
            if name in self.needed():
                steps.append(say("", call("order", part=name, packs=self.needed()[name])))
        return [
            *steps,
            self.finish(self.needed()) + f" {self.covered} is low, but enough is on order.",
        ]

    def good_together(self) -> list[Any]:
        return [
            say("", call("list_parts")),
            say("", call("list_parts", cursor=4)),
            say("", *[call("part_details", part=n) for n in self.low()]),
            busy(503),
            say("", *[call("order", part=n, packs=k) for n, k in self.needed().items()]),
            self.finish(self.needed()),
        ]

    def bad_first_page(self) -> list[Any]:
        """It stopped after the first page of the parts though the answer named a next one."""
        first = {n: k for n, k in self.needed().items() if n in list(self.parts)[:4]}
        return [
            say("", call("list_parts")),
            Wrong(say("", *[call("part_details", part=n) for n in self.low() if n in list(self.parts)[:4]])),
            say("", *[call("order", part=n, packs=k) for n, k in first.items()]),
            self.finish(first) + " Everything else is above its target.",
        ]  # fmt: skip

    def bad_on_order(self) -> list[Any]:
        """It ordered a part again of which enough was on order."""
        p = self.parts[self.covered]
        packs = self.needed() | {self.covered: -(-(p["target"] - p["stock"]) // p["pack"])}
        return [
            say("", call("list_parts")),
            say("", call("list_parts", cursor=4)),
            say("", *[call("part_details", part=n) for n in self.low()]),
            Wrong(say("", *[call("order", part=n, packs=k) for n, k in sorted(packs.items())])),
            self.finish(packs),
        ]

    def bad_pieces(self) -> list[Any]:
        """It ordered as many packs as pieces were lacking."""
        packs = {n: self.parts[n]["target"] - self.parts[n]["stock"] for n in self.needed()}
        return [
            say("", call("list_parts")),
            say("", call("list_parts", cursor=4)),
            say("", *[call("part_details", part=n) for n in self.low()]),
            Wrong(say("", *[call("order", part=n, packs=k) for n, k in packs.items()])),
            "The week's orders are placed: "
            + ", ".join(f"{n} of {p}" for p, n in packs.items())
            + ".",
        ]


WORLDS = (Analyst, Sheet, Cleaner, Contacts, Dosage, Reorder)
