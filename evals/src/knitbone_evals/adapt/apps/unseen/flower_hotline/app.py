"""The flower shop's telephone assistant: thinks, looks things up, answers the customer."""

import re

from anthropic import Anthropic

client = Anthropic()

PRICES = {"rose": 2.5, "tulip": 1.2, "lily": 3.8, "daisy": 0.9, "orchid": 12.0}
STOCK = {"rose": 140, "tulip": 60, "lily": 0, "daisy": 300, "orchid": 7}

SYSTEM = """You answer customers of a flower shop. Tools: price (of one stem), stock (stems left).
Answer either with

Thought: what to do next
Action: the tool
Action Input: the flower

or, once you know enough, with

Thought: I know enough
Final Answer: what you say to the customer"""

STEP = re.compile(r"^Thought: (.+)\nAction: (\w+)\nAction Input: (.+)$", re.MULTILINE)


def price(flower):
    return f"{PRICES[flower]:.2f} euros"


def stock(flower):
    return str(STOCK[flower])


TOOLS = {"price": price, "stock": stock}


def call_model(messages):
    message = client.messages.create(
        model="claude-haiku-4-5", max_tokens=500, system=SYSTEM, messages=messages
    )
    return message.content[0].text


def answer(question, max_steps=6):
    messages = [{"role": "user", "content": question}]
    for _ in range(max_steps):
        text = call_model(messages)
        messages.append({"role": "assistant", "content": text})
        if "Final Answer:" in text:
            return text.split("Final Answer:")[-1].strip()
        step = STEP.search(text)
        if step is None:
            return "Sorry, I could not find that out."
        _, tool, flower = step.groups()
        observation = TOOLS[tool](flower.strip())
        messages.append({"role": "user", "content": f"Observation: {observation}"})
    return "Sorry, that took too long."
