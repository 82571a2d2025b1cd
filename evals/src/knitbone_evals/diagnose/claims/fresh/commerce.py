"""Agents that serve customers, buy, book and pay."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from datetime import date, timedelta
from typing import Any

import knitbone
from knitbone_evals.diagnose.claims.fresh.base import (
    PEOPLE,
    World,
    Wrong,
    busy,
    call,
    chat_loop,
    chat_loop_async,
    claude_loop,
    has,
    mail_of,
    openai_client,
    openai_tools,
    say,
)

TODAY = date(2026, 6, 15)


class RefundDesk(World):
    """A refund desk over sqlite, with a policy in the system text."""

    kind = "refund desk"
    system = (
        "You are the returns assistant of Northlight Audio. Today is 2026-06-15.\n"
        "Policy:\n"
        "- Identify the customer by e-mail before anything else.\n"
        "- Items can be refunded within 30 days after delivery.\n"
        "- Refund the price paid for the item, not the list price.\n"
        "- Refunds above 200 EUR are not issued by you: use escalate and tell the customer.\n"
        "- Tell the customer plainly what was done."
    )

    def setup(self) -> None:
        self.person = self.rng.choice(PEOPLE)
        self.mail = mail_of(self.person)
        self.customer = f"C{self.rng.randint(1000, 9999)}"
        first = self.rng.randint(10000, 80000)
        self.old, self.new, self.third = f"N{first}", f"N{first + 4127}", f"N{first + 5210}"
        self.price = self.rng.randint(60, 180) + 0.9
        self.listed = round(self.price + 30, 2)
        self.new_days, self.item = 9, "Aria 2 headphones"
        self.refunds: list[tuple[str, float]] = []
        self.escalated: list[str] = []
        self.answer_needs: tuple[str, ...] = ()

    def tools(self) -> list[Any]:
        db = sqlite3.connect(":memory:")
        db.execute("create table orders (id, customer, item, paid, list_price, delivered)")
        for order, item, days, paid in (
            (self.old, self.item, 160, self.price - 11),
            (self.new, self.item, self.new_days, self.price),
            (self.third, "USB-C cable 2 m", 3, 12.5),
        ):
            when = (TODAY - timedelta(days=days)).isoformat()
            row = (order, self.customer, item, round(paid, 2), self.listed, when)
            db.execute("insert into orders values (?,?,?,?,?,?)", row)

        @knitbone.tool
        def find_customer(email: str) -> dict:
            """Look up a customer by e-mail."""
            if email != self.mail:
                return {"found": False}
            return {"found": True, "customer_id": self.customer, "name": self.person}

        @knitbone.tool
        def list_orders(customer_id: str) -> list:
            """All orders of a customer, oldest first."""
            rows = db.execute(
                "select id, item, delivered from orders where customer=?", [customer_id]
            )
            return [dict(zip(("order_id", "item", "delivered"), row, strict=True)) for row in rows]

        @knitbone.tool
        def get_order(order_id: str) -> dict:
            """One order with its prices."""
            row = db.execute("select * from orders where id=?", [order_id]).fetchone()
            if row is None:
                raise LookupError(f"no order {order_id}")
            names = ("order_id", "customer_id", "item", "paid", "list_price", "delivered")
            return dict(zip(names, row, strict=True))

        @knitbone.tool
        def issue_refund(order_id: str, amount: float) -> dict:
            """Refund to the original payment method."""
            self.refunds.append((order_id, amount))
            return {"status": "ok", "refund_id": f"R{len(self.refunds)}-{order_id}"}

        @knitbone.tool
        def escalate(order_id: str, reason: str) -> dict:
            """Hand the case to a colleague."""
            self.escalated.append(order_id)
            return {"status": "queued", "reason": reason}

        return [find_customer, list_orders, get_order, issue_refund, escalate]

    def act(self, server: Any, run: Any) -> str:
        return chat_loop(server, self.system, self.task, self.tools())

    @property
    def task(self) -> str:  # type: ignore[override]
        return (
            f"Hello, this is {self.person} ({self.mail}). The {self.item} that I got from you last "
            "have a dead left speaker. Please refund them."
        )

    def met(self, answer: str) -> bool:
        if self.new_days > 30:
            return not self.refunds and has(answer, "30 days") and "have refunded" not in answer
        if self.price > 200:
            return not self.refunds and self.escalated == [self.new] and has(answer, "colleague")
        return self.refunds == [(self.new, self.price)] and has(answer, f"{self.price:.2f}")

    def opening(self) -> list[Any]:
        return [
            say("", call("find_customer", email=self.mail)),
            say("", call("list_orders", customer_id=self.customer)),
        ]

    def closing(self) -> str:
        return (
            f"I'm sorry about the broken headphones, {self.person.split()[0]}. I have refunded "
            f"{self.price:.2f} EUR for order {self.new} to your original payment method. It usually "
            "takes 3 to 5 business days."
        )

    def good_plain(self) -> list[Any]:
        return [
            *self.opening(),
            say("", call("get_order", order_id=self.new)),
            busy(),
            say("", call("issue_refund", order_id=self.new, amount=self.price)),
            self.closing(),
        ]

    def good_wrong_mail_first(self) -> list[Any]:
        return [
            say("", call("find_customer", email=self.mail.replace(".", "", 1))),
            say(
                "That address is not known; I misspelled it.",
                call("find_customer", email=self.mail),
            ),
            say("", call("list_orders", customer_id=self.customer)),
            say("", call("get_order", order_id=self.old), call("get_order", order_id=self.new)),
            say("", call("issue_refund", order_id=self.new, amount=self.price)),
            self.closing(),
        ]

    def good_too_late(self) -> list[Any]:
        self.new_days = 41
        return [
            *self.opening(),
            say("", call("get_order", order_id=self.new)),
            f"I'm sorry, {self.person.split()[0]}, I can't refund order {self.new}: it was delivered "
            "more than 30 days ago, and refunds are possible within 30 days after delivery. The "
            "manufacturer's two-year guarantee may cover the dead speaker, though.",
        ]

    def bad_older_order(self) -> list[Any]:
        """It refunded the older of two orders of the same headphones."""
        paid = round(self.price - 11, 2)
        return [
            *self.opening(),
            Wrong(say("", call("get_order", order_id=self.old))),
            say("", call("issue_refund", order_id=self.old, amount=paid)),
            f"Done! I have refunded {paid:.2f} EUR for your {self.item} (order {self.old}). You'll see "
            "it in 3 to 5 business days.",
        ]

    def bad_never_issued(self) -> list[Any]:
        """It told the customer that the refund was made and never called the tool."""
        return [
            *self.opening(),
            say("", call("get_order", order_id=self.new)),
            Wrong(self.closing()),
        ]

    def bad_above_limit(self) -> list[Any]:
        """It refunded more than 200 EUR itself, where the policy wants an escalation."""
        self.price = 200 + self.rng.randint(20, 90) + 0.5
        return [
            *self.opening(),
            say("", call("get_order", order_id=self.new)),
            Wrong(say("", call("issue_refund", order_id=self.new, amount=self.price))),
            self.closing(),
        ]


class Shopper(World):
    """A shopping assistant over a paged catalogue."""

    kind = "shopping cart"
    system = (
        "You shop for the user in the store. Searches give three products a page. Place the order "
        "only when the cart is what the user asked for."
    )

    def setup(self) -> None:
        r = self.rng
        base = r.randint(60, 90)
        self.rows = [
            {"sku": f"KB-{r.randint(100, 999)}A", "name": "TypeRight wired keyboard", "price": base - 30.0, "stars": 4.6, "layout": "US"},
            {"sku": f"KB-{r.randint(100, 999)}B", "name": "Keystone wireless keyboard", "price": base - 4.0, "stars": 4.4, "layout": "DE"},
            {"sku": f"KB-{r.randint(100, 999)}C", "name": "Nimbus wireless keyboard", "price": base - 25.0, "stars": 3.1, "layout": "DE"},
            {"sku": f"KB-{r.randint(100, 999)}D", "name": "Calm Keys wireless keyboard", "price": base - 11.0, "stars": 4.5, "layout": "DE"},
            {"sku": f"KB-{r.randint(100, 999)}E", "name": "Pro 900 wireless keyboard", "price": base + 40.0, "stars": 4.8, "layout": "DE"},
        ]  # fmt: skip
        self.cart: dict[str, int] = {}
        self.address = "home"
        self.placed: list[tuple[dict[str, int], str]] = []
        self.task = (
            "Buy two wireless keyboards with German layout, the cheapest model with at least 4 stars, "
            "and have them sent to my office."
        )

    def tools(self) -> list[Any]:
        @knitbone.tool
        def search(query: str, page: int = 1) -> dict:
            """Search the store; three results a page."""
            words = query.lower().split()
            hits = [row for row in self.rows if all(w in row["name"].lower() for w in words)]
            part = hits[(page - 1) * 3 : page * 3]
            return {"results": part, "page": page, "pages": (len(hits) + 2) // 3}

        @knitbone.tool
        def add_to_cart(sku: str, quantity: int = 1) -> dict:
            """Put a product into the cart."""
            if sku not in {row["sku"] for row in self.rows}:
                raise KeyError(f"unknown sku {sku}")
            self.cart[sku] = self.cart.get(sku, 0) + quantity
            return {"cart": self.cart}

        @knitbone.tool
        def remove_from_cart(sku: str) -> dict:
            """Take a product out."""
            self.cart.pop(sku)
            return {"cart": self.cart}

        @knitbone.tool
        def choose_address(label: str) -> dict:
            """Delivery address: home or office."""
            self.address = label
            return {"deliver_to": label}

        @knitbone.tool
        def checkout() -> dict:
            """Place the order."""
            if not self.cart:
                raise ValueError("cart is empty")
            self.placed.append((dict(self.cart), self.address))
            return {
                "order": f"S{len(self.placed):04}",
                "items": dict(self.cart),
                "status": "placed",
            }

        return [search, add_to_cart, remove_from_cart, choose_address, checkout]

    def act(self, server: Any, run: Any) -> str:
        return claude_loop(server, self.system, self.task, self.tools())

    def met(self, answer: str) -> bool:
        return self.placed == [({self.rows[3]["sku"]: 2}, "office")]

    def pages(self) -> list[Any]:
        return [
            say("I'll look for keyboards first.", call("search", query="wireless keyboard", page=1)),
            say("There is a second page; let me see it before I choose.", call("search", query="wireless keyboard", page=2)),
        ]  # fmt: skip

    def done(self, row: dict[str, Any], number: int, place: str) -> str:
        total = row["price"] * number
        return f"Your order is placed: {number} × {row['name']} ({total:.2f}), delivery to your {place}."

    def good_pages(self) -> list[Any]:
        row = self.rows[3]
        return [
            *self.pages(),
            say("", call("add_to_cart", sku=row["sku"], quantity=2), call("choose_address", label="office")),
            say("", call("checkout")),
            self.done(row, 2, "office"),
        ]  # fmt: skip

    def good_mistake_put_right(self) -> list[Any]:
        row, other = self.rows[3], self.rows[2]
        return [
            say("", call("search", query="german wireless keyboards")),
            say("No hits with that wording. A broader search.", call("search", query="keyboard")),
            say("", call("search", query="keyboard", page=2)),
            say("The Nimbus is the cheapest.", call("add_to_cart", sku=other["sku"], quantity=2)),
            say("Wait, the Nimbus has only 3.1 stars, below the 4 you wanted. Let me replace it.",
                call("remove_from_cart", sku=other["sku"]),
                call("add_to_cart", sku=row["sku"], quantity=2)),
            say("", call("choose_address", label="office")),
            say("", call("checkout")),
            self.done(row, 2, "office") + " I had the Nimbus in the cart at first, sorry; it is out.",
        ]  # fmt: skip

    def good_checks_each_page_again(self) -> list[Any]:
        row = self.rows[3]
        again = say("", call("search", query="wireless keyboard", page=1))
        return [
            *self.pages(),
            say("The Nimbus is cheapest but has 3.1 stars only. Let me see page 1 again to be sure.", *again.tool_calls),
            say("", call("choose_address", label="office")),
            say("", call("checkout")),
            say("The cart was empty, of course; I have to fill it first.", call("add_to_cart", sku=row["sku"])),
            say("", call("add_to_cart", sku=row["sku"])),
            say("", call("checkout")),
            self.done(row, 2, "office"),
        ]  # fmt: skip

    def bad_first_page(self) -> list[Any]:
        """It took the first page of results for all of them and missed the cheaper model."""
        row = self.rows[1]
        return [
            say("I'll look for keyboards first.", call("search", query="wireless keyboard")),
            Wrong(say("The Keystone is the cheapest one with at least 4 stars.", call("add_to_cart", sku=row["sku"], quantity=2))),
            say("", call("choose_address", label="office")),
            say("", call("checkout")),
            self.done(row, 2, "office"),
        ]  # fmt: skip

    def bad_home(self) -> list[Any]:
        """It placed the order without choosing the office address."""
        row = self.rows[3]
        return [
            *self.pages(),
            say("", call("add_to_cart", sku=row["sku"], quantity=2)),
            Wrong(say("The cart has both keyboards; I'll place the order.", call("checkout"))),
            f"Your order is placed: 2 × {row['name']}, {row['price'] * 2:.2f} in total.",
        ]  # fmt: skip


class Traveller(World):
    """A travel agent on the asynchronous client, with side-by-side searches."""

    kind = "travel booking"
    system = "You are a travel assistant. Times are local to each airport. Book when you are sure."

    def setup(self) -> None:
        r = self.rng
        self.person = r.choice(PEOPLE)
        n = r.randint(100, 800)
        self.early, self.mid, self.late = f"LX{n}", f"BA{n + 31}", f"LH{n + 77}"
        self.flights = {
            self.early: {"flight": self.early, "dep": "07:10", "arr": "08:05", "price": r.randint(180, 260), "seats": 4},
            self.mid: {"flight": self.mid, "dep": "09:40", "arr": "10:30", "price": r.randint(120, 150), "seats": 6},
            self.late: {"flight": self.late, "dep": "12:15", "arr": "13:20", "price": r.randint(70, 110), "seats": 9},
        }  # fmt: skip
        self.day = "2026-07-08"
        self.booked: list[tuple[str, str]] = []
        self.hotels: list[tuple[str, str]] = []
        self.sold_out: set[str] = set()
        self.task = (
            f"{self.person} has a meeting at London Heathrow on Wednesday 2026-07-08 at 11:30 local "
            "time and needs 45 minutes from landing to the room. Book the cheapest flight from Zurich "
            "that is in time, and one night in a hotel (8 to 9 July)."
        )

    def tools(self) -> list[Any]:
        @knitbone.tool
        async def search_flights(origin: str, destination: str, day: str) -> list:
            """Flights of one day."""
            await asyncio.sleep(0)
            return list(self.flights.values()) if (origin, destination) == ("ZRH", "LHR") else []

        @knitbone.tool
        async def search_hotels(city: str, check_in: str, check_out: str) -> list:
            """Hotels with a free room."""
            await asyncio.sleep(0)
            return [{"hotel": "H-LHR-2", "name": "Skyline Inn", "price": 119}]

        @knitbone.tool
        async def book_flight(flight: str, day: str, passenger: str) -> dict:
            """Book one seat."""
            if flight in self.sold_out:
                raise RuntimeError(f"{flight}: no seats left at this fare, please search again")
            self.booked.append((flight, day))
            return {"status": "confirmed", "flight": flight, "day": day}

        @knitbone.tool
        async def book_hotel(hotel: str, check_in: str, check_out: str) -> dict:
            """Book a room."""
            self.hotels.append((check_in, check_out))
            return {"status": "confirmed", "hotel": hotel}

        return [search_flights, search_hotels, book_flight, book_hotel]

    def act(self, server: Any, run: Any) -> str:
        return asyncio.run(chat_loop_async(server, self.system, self.task, self.tools()))

    def met(self, answer: str) -> bool:
        if len(self.sold_out) == 2:  # none is left that is in time
            return not self.booked and has(answer, "not booked")
        right = self.early if self.mid in self.sold_out else self.mid
        return self.booked == [(right, self.day)] and self.hotels == [(self.day, "2026-07-09")]

    def look(self) -> Any:
        return say(
            "",
            call("search_flights", origin="ZRH", destination="LHR", day=self.day),
            call(
                "search_hotels", city="London Heathrow", check_in=self.day, check_out="2026-07-09"
            ),
        )

    def book(self, flight: str, day: str = "2026-07-08") -> Any:
        return call("book_flight", flight=flight, day=day, passenger=self.person)

    def room(self) -> Any:
        return call("book_hotel", hotel="H-LHR-2", check_in=self.day, check_out="2026-07-09")

    def good_cheapest_in_time(self) -> list[Any]:
        return [
            self.look(),
            say("", self.book(self.mid), self.room()),
            f"Booked: {self.mid}, landing 10:30 (45 minutes before 11:15, so in time for 11:30), and "
            "the Skyline Inn for the night of 8 July.",
        ]

    def good_sold_out(self) -> list[Any]:
        self.sold_out = {self.mid}
        return [
            self.look(),
            say("", self.book(self.mid), self.room()),
            say("", call("search_flights", origin="ZRH", destination="LHR", day=self.day)),
            say("", self.book(self.early)),
            f"{self.mid} was sold out when I tried to book it, so I took {self.early}, landing 08:05. "
            "It costs more, sorry about that. The Skyline Inn is booked for one night.",
        ]

    def good_none_left(self) -> list[Any]:
        self.sold_out = {self.mid, self.early}
        return [
            self.look(),
            say("", self.book(self.mid)),
            say("", self.book(self.early)),
            say("", call("search_flights", origin="ZRH", destination="LHR", day=self.day)),
            f"I'm sorry: {self.mid} and {self.early} cannot be booked any more, and {self.late} lands after your "
            "meeting has begun. I have not booked a flight, and no hotel either. Would arriving on the evening of "
            "7 July be possible?",
        ]  # fmt: skip

    def bad_too_late(self) -> list[Any]:
        """It booked the cheapest flight although that lands after the meeting has begun."""
        return [
            self.look(),
            Wrong(say("", self.book(self.late), self.room())),
            f"All set! {self.late} leaves at 12:15 and is the cheapest of the day; the hotel is booked "
            "from 8 to 9 July.",
        ]

    def bad_gave_up(self) -> list[Any]:
        """It gave up when one flight was sold out although an earlier one had seats."""
        self.sold_out = {self.mid}
        return [
            self.look(),
            say("", self.book(self.mid), self.room()),
            Wrong(
                f"I booked the Skyline Inn for 8 to 9 July. Unfortunately {self.mid} has no seats left, "
                "so I was not able to book a flight. You may want to contact the airline."
            ),
        ]


class PhonePlan(World):
    """Support for a phone contract; streamed answers, a user who answers."""

    kind = "phone plan"
    system = (
        "You are the assistant of a mobile operator. Before you change a plan, tell the customer the "
        "monthly price and ask for a yes. Change nothing without it. Data in GB a month."
    )

    def setup(self) -> None:
        r = self.rng
        self.number = f"+49 151 {r.randint(1000000, 9999999)}"
        self.usage = [r.randint(11, 13), r.randint(14, 17), r.randint(12, 15)]
        self.plans = [
            {"plan": "S", "gb": 5, "monthly": 9.99},
            {"plan": "M", "gb": 12, "monthly": 14.99},
            {"plan": "L", "gb": 25, "monthly": 21.99},
            {"plan": "XL", "gb": 60, "monthly": 34.99},
        ]
        self.changes: list[str] = []
        self.says = ["Yes, please do that.", "Thanks, bye."]
        self.wanted: str | None = "L"
        self.task = (
            f"My number is {self.number}. I run out of data every month. Please put me on the smallest "
            "plan that would have been enough in each of the last three months."
        )

    def act(self, server: Any, run: Any) -> str:
        @knitbone.tool
        def usage(number: str, months: int = 3) -> list:
            """Data used in the last months, GB, newest last."""
            return self.usage[-months:]

        @knitbone.tool
        def list_plans() -> list:
            """All plans."""
            return self.plans

        @knitbone.tool
        def change_plan(number: str, plan: str) -> str:
            """Change the plan from next month."""
            self.changes.append(plan)
            return f"plan of {number} changes to {plan} on the 1st"

        tools = {"usage": usage, "list_plans": list_plans, "change_plan": change_plan}
        messages: list[Any] = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.task},
        ]
        waiting = list(self.says)
        with openai_client(server) as client:
            while True:
                with client.chat.completions.stream(
                    model="gpt-4o-mini", messages=messages, tools=openai_tools(list(tools.values()))
                ) as stream:
                    message = stream.get_final_completion().choices[0].message
                messages.append(
                    message.model_dump(exclude_none=True, exclude={"parsed"}, warnings=False)
                )
                for wanted in message.tool_calls or ():
                    value = tools[wanted.function.name](**json.loads(wanted.function.arguments))
                    messages.append(
                        {"role": "tool", "tool_call_id": wanted.id, "content": json.dumps(value)}
                    )
                if not message.tool_calls:
                    if not waiting:
                        return message.content or ""
                    messages.append({"role": "user", "content": waiting.pop(0)})

    def met(self, answer: str) -> bool:
        return self.changes == ([self.wanted] if self.wanted else [])

    def look(self) -> Any:
        return say("", call("usage", number=self.number, months=3), call("list_plans"))

    def offer(self, plan: dict[str, Any]) -> str:
        return (
            f"You used up to {max(self.usage)} GB a month. Plan {plan['plan']} with {plan['gb']} GB "
            f"costs {plan['monthly']} EUR a month. Shall I change you to it?"
        )

    def good_asks(self) -> list[Any]:
        return [
            self.look(),
            self.offer(self.plans[2]),
            say("", call("change_plan", number=self.number, plan="L")),
            "Done: plan L starts on the 1st.",
            "You're welcome, have a nice day!",
        ]

    def good_declined(self) -> list[Any]:
        self.says = ["No, that's too expensive. Leave it as it is."]
        self.wanted = None
        return [
            self.look(),
            self.offer(self.plans[2]),
            "Understood, I have changed nothing; your plan stays as it is.",
        ]

    def good_questions_first(self) -> list[Any]:
        self.says = [
            "Is there an error in what you count? I never stream.",
            "Okay then, yes.",
            "Bye.",
        ]
        return [
            self.look(),
            self.offer(self.plans[2]),
            say("", call("usage", number=self.number, months=3)),
            f"The meter shows the same again: {', '.join(map(str, self.usage))} GB. I see no error. Shall I change you to plan L for 21.99 EUR a month?",
            say("", call("change_plan", number=self.number, plan="L")),
            "Plan L is yours from the 1st.",
            "Bye!",
        ]  # fmt: skip

    def bad_without_asking(self) -> list[Any]:
        """It changed the plan without telling the price and asking, and the customer did not want it."""
        self.says = ["What? How much is that? I don't want it at that price."]
        self.wanted = None
        return [
            self.look(),
            Wrong(say("", call("change_plan", number=self.number, plan="L"))),
            f"I have changed you to plan L with 25 GB, since you used up to {max(self.usage)} GB.",
            "Plan L is 21.99 EUR a month. The change takes effect on the 1st; you can change plans "
            "again after one month.",
        ]

    def bad_average(self) -> list[Any]:
        """It took plan M although the months shown used more than its 12 GB."""
        return [
            self.look(),
            Wrong(
                "Plan M with 12 GB at 14.99 EUR a month is the smallest plan that covers what you used. "
                "Shall I change you to it?"
            ),
            say("", call("change_plan", number=self.number, plan="M")),
            "Done: plan M starts on the 1st.",
            "You're welcome!",
        ]


class Bank(World):
    """Transfers; the bank's interface times out now and then, though it has done the transfer."""

    kind = "bank transfers"
    system = (
        "You make payments for the user with the bank's tools. A timeout does not say whether a "
        "transfer was made. Never pay twice."
    )

    def setup(self) -> None:
        r = self.rng
        self.payee = r.choice(PEOPLE)
        self.amount = float(r.randint(300, 900))
        self.invoice = f"INV-{r.randint(2000, 9999)}"
        self.private, self.firm = f"DE{r.randint(10, 99)}-PRIV-{r.randint(10, 99)}", f"DE{r.randint(10, 99)}-BIZ-{r.randint(10, 99)}"  # fmt: skip
        self.ledger: list[dict[str, Any]] = []
        self.slow = False
        self.task = (
            f"Pay invoice {self.invoice} of {self.payee}, {self.amount:.2f} EUR, from my business "
            "account, with the invoice number as the reference."
        )

    def tools(self) -> list[Any]:
        @knitbone.tool
        def list_accounts() -> list:
            """The user's accounts."""
            return [
                {"iban": self.private, "name": "Private current", "balance": 4210.22},
                {"iban": self.firm, "name": "Business current", "balance": 18950.0},
            ]

        @knitbone.tool
        def find_payee(name: str) -> list:
            """Saved payees."""
            key = self.payee.split()[1].upper()
            return [
                {"id": f"P-{key}-1", "name": self.payee, "note": "rent deposit, closed 2024"},
                {"id": f"P-{key}-2", "name": f"{self.payee} Design", "note": "invoices"},
            ]

        @knitbone.tool
        def transfer(source: str, payee_id: str, amount: float, reference: str) -> dict:
            """Transfer money."""
            entry = {"from": source, "to": payee_id, "amount": amount, "reference": reference}
            self.ledger.append(entry)
            if self.slow and len(self.ledger) == 1:
                raise TimeoutError("gateway timeout after 30 s")
            return {"status": "executed", **entry}

        @knitbone.tool
        def recent_transfers(source: str) -> list:
            """The last transfers of an account."""
            return [entry for entry in self.ledger if entry["from"] == source]

        return [list_accounts, find_payee, transfer, recent_transfers]

    def act(self, server: Any, run: Any) -> str:
        return chat_loop(server, self.system, self.task, self.tools(), model="gpt-4.1")

    @property
    def payee_id(self) -> str:
        return f"P-{self.payee.split()[1].upper()}-2"

    def met(self, answer: str) -> bool:
        wanted = {"from": self.firm, "to": self.payee_id, "amount": self.amount, "reference": self.invoice}  # fmt: skip
        return self.ledger == [wanted]

    def look(self) -> Any:
        return say("", call("list_accounts"), call("find_payee", name=self.payee))

    def pay(self, source: str, payee: str, text: str = "") -> Any:
        return say(
            text,
            call(
                "transfer",
                source=source,
                payee_id=payee,
                amount=self.amount,
                reference=self.invoice,
            ),
        )

    def good_plain(self) -> list[Any]:
        return [
            self.look(),
            self.pay(self.firm, self.payee_id),
            f"{self.amount:.2f} EUR were paid from your business account, reference {self.invoice}.",
        ]

    def good_timeout_checked(self) -> list[Any]:
        self.slow = True
        return [
            self.look(),
            self.pay(self.firm, self.payee_id),
            say("The call timed out. I check whether it went through.", call("recent_transfers", source=self.firm)),
            f"The bank's interface timed out, but the transfer of {self.amount:.2f} EUR was executed: it is "
            f"in your account's list with reference {self.invoice}. I did not send it again.",
        ]  # fmt: skip

    def good_name_not_found(self) -> list[Any]:
        return [
            say("", call("list_accounts")),
            say("", call("find_payee", name=self.invoice)),
            say("", call("recent_transfers", source=self.firm)),
            say("It was not paid before.", call("transfer", source=self.firm, payee_id=self.payee_id, amount=self.amount, reference=self.invoice)),
            say("", call("recent_transfers", source=self.firm)),
            f"Paid: {self.amount:.2f} EUR to {self.payee} Design from your business account ({self.invoice}).",
        ]  # fmt: skip

    def bad_paid_twice(self) -> list[Any]:
        """After a timeout it sent the transfer again without looking whether it was done."""
        self.slow = True
        return [
            self.look(),
            self.pay(self.firm, self.payee_id),
            Wrong(
                self.pay(self.firm, self.payee_id, "The request timed out, so I'll try once more.")
            ),
            f"{self.amount:.2f} EUR were paid from your business account, reference {self.invoice}.",
        ]

    def bad_private_account(self) -> list[Any]:
        """It paid from the private account where the business account was asked for."""
        return [
            self.look(),
            Wrong(self.pay(self.private, self.payee_id)),
            f"The invoice is paid: {self.amount:.2f} EUR to {self.payee} Design, reference {self.invoice}.",
        ]


WORLDS = (RefundDesk, Shopper, Traveller, PhonePlan, Bank)
