# ruff: noqa: TID252
import sys
from pathlib import Path

from .llm import complete
from .orders import classify, first_quantity, load_prices, needs_signature, read_order


def main() -> None:
    mail = Path(sys.argv[1]).read_text(encoding="utf-8")
    prices = load_prices(Path("catalogue.json"))
    kind = classify(mail)
    match kind:
        case "order":
            order = read_order(mail)
            print(f"{order.customer}: {order.total(prices):.2f}")
            if first_quantity(mail) > 100:
                print("A large order: call back.")
            if needs_signature(mail) == "yes":
                print("Signature on delivery.")
        case "complaint":
            print("Forward to the manager.")
        case "question":
            print(complete("Answer the customer politely.", mail))
        case _:
            print(f"cannot handle: {kind}", file=sys.stderr)


if __name__ == "__main__":
    main()
