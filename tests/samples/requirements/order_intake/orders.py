# ruff: noqa: TID252
import json
from pathlib import Path

from .llm import complete
from .models import Line, Order

EXTRACT = """Extract the order as JSON:
{"customer": "...", "express": true, "items": [{"sku": "...", "qty": 1, "note": "..."}]}
Return only the JSON."""
CLASSIFY = "Classify the mail as order, question or complaint. Answer with that one word."


def classify(mail: str) -> str:
    return complete(CLASSIFY, mail).strip().lower()


def read_order(mail: str) -> Order:
    data = json.loads(complete(EXTRACT, mail))
    lines = [Line(**item) for item in data["items"]]
    return Order(customer=data["customer"], lines=lines, express=data.get("express", False))


def first_quantity(mail: str) -> int:
    s = complete(EXTRACT, mail)
    return int(json.loads(s)["items"][0]["qty"])


def needs_signature(mail: str) -> str:
    answer = complete("Does the customer ask for a signature on delivery? yes or no", mail)
    answer = answer.strip().lower()
    if answer not in ("yes", "no"):
        raise ValueError(f"neither yes nor no: {answer!r}")
    return answer


def load_prices(path: Path) -> dict[str, float]:
    catalogue = json.loads(path.read_text(encoding="utf-8"))
    return {entry["sku"]: float(entry["price"]) for entry in catalogue["entries"]}
