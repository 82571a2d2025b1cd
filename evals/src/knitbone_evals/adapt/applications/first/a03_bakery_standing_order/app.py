"""Reads the cafe's standing order (free text) and makes the baker's sheet out of it."""
from dataclasses import asdict, dataclass

import anthropic

INSTRUCTIONS = (
    "Turn the order into a markdown table with the columns Item, Quantity and Unit price (a plain number). "
    "Use the item names as written in the order, in lower case. Give the table only."
)


@dataclass
class Line:
    item: str
    quantity: int
    price: float

    @property
    def amount(self) -> float:
        return round(self.quantity * self.price, 2)


class TableReader:
    def __init__(self, columns: int):
        self.columns = columns

    def rows(self, text: str):
        lines = text.strip().split("\n")
        for line in lines[2:]:
            cells = [c.strip() for c in line.split("|")[1:-1]]
            if len(cells) != self.columns:
                raise ValueError(f"bad row: {line!r}")
            yield cells


class Bakery:
    def __init__(self, model: str = "claude-3-5-haiku-latest"):
        self.client = anthropic.Anthropic()
        self.model = model
        self.reader = TableReader(3)

    def ask(self, order: str) -> str:
        message = self.client.messages.create(
            model=self.model,
            max_tokens=800,
            system=INSTRUCTIONS,
            messages=[{"role": "user", "content": order}],
        )
        return message.content[0].text

    def sheet(self, order: str) -> list[Line]:
        return [Line(item, int(qty), float(price)) for item, qty, price in self.reader.rows(self.ask(order))]


def run(request: str):
    lines = Bakery().sheet(request)
    return {
        "lines": [asdict(line) for line in lines],
        "total": round(sum(line.amount for line in lines), 2),
    }


if __name__ == "__main__":
    print(run("Tomorrow 12 rye loaves at 4.20 and 30 poppy rolls at 0.85."))
