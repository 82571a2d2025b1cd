from dataclasses import dataclass, field


@dataclass
class Line:
    sku: str
    qty: int
    note: str = ""


@dataclass
class Order:
    customer: str
    lines: list[Line] = field(default_factory=list)
    express: bool = False

    def total(self, prices: dict[str, float]) -> float:
        return sum(prices[line.sku] * line.qty for line in self.lines)
