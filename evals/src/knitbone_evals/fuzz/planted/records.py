"""Tools over an in-memory SQLite database of a small shop, and other things kept in memory."""

import random
import re
import sqlite3
from typing import Literal

_PRODUCTS = (
    ("candle", "wax", 4.5, 120),
    ("lamp", "light", 39.0, 8),
    ("lantern", "light", 24.0, 0),
    ("soap", "bath", 3.2, 300),
    ("towel", "bath", 12.0, 45),
)
_CUSTOMERS = (("Ada Moser", "Graz"), ("Ben Novak", "Linz"), ("Cora Lang", "Graz"))
_TITLES = ("Emma", "Persuasion", "Middlemarch")


def _database() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE product (name TEXT, kind TEXT, price REAL, stock INTEGER)")
    database.execute("CREATE TABLE customer (name TEXT, city TEXT)")
    database.executemany("INSERT INTO product VALUES (?, ?, ?, ?)", _PRODUCTS)
    database.executemany("INSERT INTO customer VALUES (?, ?)", _CUSTOMERS)
    return database


def _query(statement: str, *values: object) -> list[tuple]:
    database = _database()
    try:
        return database.execute(statement, values).fetchall()
    finally:
        database.close()


def find_customer(name: str) -> str:
    """Look up the city of a customer by name; "unknown" if there is none.

    Args:
        name: Name or part of it: up to 40 letters from A to Z in any case, spaces, hyphens and
            apostrophes.

    Raises:
        ValueError: The name has other characters, or is too long.
    """
    if not re.fullmatch("[A-Za-z '-]{1,40}", name):
        raise ValueError("not a name")
    rows = _query(f"SELECT city FROM customer WHERE name LIKE '%{name}%'")
    return rows[0][0] if rows else "unknown"


def list_products(order_by: str) -> list[str]:
    """List the products of the shop in order.

    Args:
        order_by: What to order by: an ASCII identifier.

    Raises:
        ValueError: The text is not an ASCII identifier.
    """
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,30}", order_by):
        raise ValueError("not an identifier")
    return [row[0] for row in _query(f"SELECT name FROM product ORDER BY product.{order_by}")]


def filter_products(condition: str) -> list[str]:
    """List the products that meet a condition.

    Args:
        condition: Field, operator and value without spaces. Fields are name, kind, price and
            stock, operators are "=", "<" and ">", a value is of 1 to 20 lower-case letters or
            digits, as in "price<20" or "kind=bath".

    Raises:
        ValueError: The condition is written in another way.
    """
    match = re.fullmatch("(name|kind|price|stock)([=<>])([a-z]{1,20}|[0-9]{1,20})", condition)
    if match is None:
        raise ValueError(f"not a condition: {condition[:40]!r}")
    field, operator, text = match.groups()
    place = ("name", "kind", "price", "stock").index(field)
    value = float(text) if text.isdecimal() else text
    return [row[0] for row in _PRODUCTS if _holds(row[place], operator, value)]


def _holds(entry: object, operator: str, value: object) -> bool:
    if operator == "=":
        return entry == value
    return entry < value if operator == "<" else entry > value  # type: ignore[operator]


def page_of_products(page: int, size: int = 2) -> str:
    """Show one page of the list of products.

    Args:
        page: Number of the page, from 1.
        size: Number of products on a page, at most 50.

    Raises:
        ValueError: The page lies before the first one, or the size is over 50.
    """
    if page < 1 or size > 50:
        raise ValueError("pages from 1, at most 50 products on each")
    pages = -(-len(_PRODUCTS) // size)
    names = [row[0] for row in _PRODUCTS[(page - 1) * size :][: max(size, 0)]]
    return f"page {min(page, pages)} of {pages}: {', '.join(names)}"


class LendingDesk:
    """The lending desk of a library with one copy of each book."""

    def __init__(self) -> None:
        self._shelf = list(_TITLES)

    def borrow(self, title: Literal["Emma", "Persuasion", "Middlemarch"]) -> str:
        """Borrow a book.

        Args:
            title: Title of the book.

        Returns:
            A confirmation.
        """
        place = self._shelf.index(title)
        return f"borrowed {self._shelf.pop(place)}"

    def put_back(self, title: Literal["Emma", "Persuasion", "Middlemarch"]) -> str:
        """Give a book back; "It was not lent." if it stands on the shelf."""
        if title in self._shelf:
            return "It was not lent."
        self._shelf.append(title)
        return f"{title} is back"


class Till:
    """The till of the shop, with the basket of the customer in front of it."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._totals: dict[str, float] = {}

    def update(self, action: Literal["add", "remove", "mean"], product: str) -> str:
        """Change the basket, or tell the mean price of what it holds of a product.

        Args:
            action: What to do.
            product: candle, lamp, lantern, soap or towel, with a number of pieces from 1 to 999
                before it, as in "3 soap".

        Returns:
            What was done, or "There is none in the basket.".

        Raises:
            ValueError: The product is none of these, or is written in another way.
        """
        match = re.fullmatch("([1-9][0-9]{0,2}) (candle|lamp|lantern|soap|towel)", product)
        if match is None:
            raise ValueError(f"not a product: {product[:40]!r}")
        count, name = int(match.group(1)), match.group(2)
        price = next(row[2] for row in _PRODUCTS if row[0] == name)
        if action == "add":
            self._change(name, count, price if count < 10 else price * 0.9)
            return f"added {count}"
        if name not in self._counts:
            return "There is none in the basket."
        if action == "remove":
            removed = min(count, self._counts[name])
            self._change(name, -removed, price)
            return f"removed {removed}"
        return f"{self._totals[name] / self._counts[name]:.2f}"

    def _change(self, name: str, count: int, price: float) -> None:
        self._counts[name] = self._counts.get(name, 0) + count
        self._totals[name] = self._totals.get(name, 0.0) + count * price


_DESK = LendingDesk()
borrow_book = _DESK.borrow
return_book = _DESK.put_back
update_basket = Till().update


def draw_winners(entries: list[str], count: int) -> list[str]:
    """Draw the winners of a raffle. The same entries and number give the same winners.

    Args:
        entries: Names of all who take part.
        count: Number of winners; all entries win if it is larger.

    Raises:
        ValueError: The number is negative.
    """
    if count < 0:
        raise ValueError("not a number of winners")
    return random.sample(entries, min(count, len(entries)))


def rank_players(results: dict[str, int]) -> list[str]:
    """Rank players, the best one first. The order depends on nothing but the results.

    Args:
        results: Points of each player.
    """
    return sorted(results, key=lambda name: (-results[name], random.random()))


def customers_in(city: Literal["Graz", "Linz", "Wels"]) -> int:
    """Count the customers of a city."""
    return _query("SELECT count(*) FROM customer WHERE city = ?", city)[0][0]


def stock_of(product: str) -> str:
    """Tell how many pieces of a product are in stock; "no such product" for an unknown one."""
    stocks = {row[0]: row[3] for row in _PRODUCTS}
    return f"{stocks[product]} pieces" if product in stocks else "no such product"
