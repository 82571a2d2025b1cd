"""The shop's own small workflow engine."""

import json


class Session:
    def __init__(self):
        self.steps = {"stocktaking": lambda: "done"}

    def invoke(self, step):
        return self.steps[step]()

    def stream(self, step):
        yield from self.invoke(step)


class Splitter:
    """Splits an order over several warehouses."""

    def split_text(self, order):
        return json.loads(order)["parts"]


def pipeline(name):
    def run(title):
        return [{"generated_text": f"{name},{title}"}]

    return run
