"""The four fields, each as the answer tells it, and told in one way only."""

import re


def passes(result, answer):
    for key in ("customer", "item", "quantity", "due"):
        said = set(re.findall(rf'"{key}"\s*:\s*("[^"]*"|[^,}}\s]+)', answer))
        if len(said) != 1:
            return False
        if key == "quantity" and str(result[key]) != said.pop().strip('"'):
            return False
    return bool(result["customer"]) and bool(result["item"])


def slots(result):
    return [str(value) for value in result.values() if value is not None]
