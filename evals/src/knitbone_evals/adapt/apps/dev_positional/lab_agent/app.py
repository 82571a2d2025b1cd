"""A ReAct agent with two tools."""

import re

from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from openai import OpenAI

client = OpenAI()

PROMPT = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "Answer the question as best you can. You have these tools: convert, lookup.\n"
            "Use this format:\n\n"
            "Thought: what you think\n"
            "Action: the tool, one of [convert, lookup]\n"
            "Action Input: the input of the tool\n"
            "Observation: the result of the tool\n"
            "... (Thought/Action/Action Input/Observation can repeat)\n"
            "Thought: I now know the final answer\n"
            "Final Answer: the answer",
        ),
        ("human", "{question}\n{scratchpad}"),
    ]
)

STOCK = {"ethanol": "4 bottles", "acetone": "none", "sodium chloride": "2 kg"}


def convert(query):
    number, unit = query.split(" ", 1)
    return f"{float(number) * 1000:g} {'mg' if unit == 'g' else 'ml'}"


def lookup(query):
    return STOCK.get(query.lower(), "not listed")


TOOLS = {"convert": convert, "lookup": lookup}


def call(prompt):
    messages = [
        {"role": {"human": "user"}.get(message.type, message.type), "content": message.content}
        for message in prompt.to_messages()
    ]
    reply = client.chat.completions.create(
        model="gpt-4o", messages=messages, stop=["\nObservation:"]
    )
    return reply.choices[0].message.content


class StepParser:
    pattern = re.compile(r"Action:\s*(.*?)\nAction Input:\s*(.*)", re.DOTALL)

    def __call__(self, text):
        if "Final Answer:" in text:
            return {"final": text.split("Final Answer:")[-1].strip()}
        match = self.pattern.search(text)
        if not match:
            raise ValueError(f"Could not parse: {text!r}")
        return {"tool": match.group(1).strip(), "input": match.group(2).strip().strip('"')}


chain = PROMPT | RunnableLambda(call) | RunnableLambda(StepParser())


def ask(question):
    scratchpad, trace = "", []
    for _ in range(4):
        step = chain.invoke({"question": question, "scratchpad": scratchpad})
        if "final" in step:
            return {"answer": step["final"], "trace": trace}
        result = TOOLS[step["tool"]](step["input"])
        trace.append([step["tool"], step["input"], result])
        scratchpad += f"\nAction: {step['tool']}\nObservation: {result}"
    return {"answer": None, "trace": trace}
