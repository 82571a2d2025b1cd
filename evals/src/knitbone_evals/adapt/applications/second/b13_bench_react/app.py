"""A bench calculator that thinks aloud.  States: THINK -> ACT -> THINK -> ... -> DONE."""
import os
import re

from openai import OpenAI

SYSTEM = """You solve small laboratory calculations. You work in steps. In each step write

Thought: what you want to do
Action: tool(number, number, ...)

and stop. You will be told the result as "Observation: ...". When you know the result, write

Thought: I know it
Answer: the number

The tools:
dilute(c1, v1, v2)      concentration after diluting volume v1 of concentration c1 to the volume v2
molarity(grams, molar_mass, litres)
rcf(radius_cm, rpm)     relative centrifugal force

Answer holds the number only, in the same unit as the tool's result, as the tool gave it."""

TOOLS = {
    "dilute": lambda c1, v1, v2: c1 * v1 / v2,
    "molarity": lambda grams, mm, litres: grams / mm / litres,
    "rcf": lambda radius, rpm: 1.118e-5 * radius * rpm * rpm,
}

ACTION = re.compile(r"^Action: (\w+)\((.*)\)$", re.M)
ANSWER = re.compile(r"^Answer: (.+)$", re.M)


class Machine:
    def __init__(self, question, limit=4):
        self.client = OpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ.get("OPENAI_API_KEY", "-"))
        self.history = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
        self.limit = limit
        self.used = []
        self.answer = None
        self.pending = None

    def think(self):
        if self.limit == 0:
            raise RuntimeError("too many steps")
        self.limit -= 1
        reply = self.client.chat.completions.create(model="gpt-4o-mini", temperature=0, messages=self.history)
        text = reply.choices[0].message.content
        self.history.append({"role": "assistant", "content": text})
        done = ANSWER.search(text)
        if done:
            self.answer = float(done.group(1))
            return "done"
        act = ACTION.search(text)
        if not act:
            raise ValueError("neither action nor answer in %r" % text)
        self.pending = act.group(1), [float(x) for x in act.group(2).split(",")]
        return "act"

    def act(self):
        name, numbers = self.pending
        value = round(TOOLS[name](*numbers), 4)
        self.used.append([name, numbers])
        self.history.append({"role": "user", "content": "Observation: %s" % value})
        return "think"

    def go(self):
        state = "think"
        while state != "done":
            state = getattr(self, state)()
        return {"answer": self.answer, "used": self.used}


def run(request: str):
    return Machine(request).go()
