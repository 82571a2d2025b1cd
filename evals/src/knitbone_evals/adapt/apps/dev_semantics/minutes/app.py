"""Minutes of a meeting: bullets under three headings, mailed section by section."""

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from openai import OpenAI

client = OpenAI()


def complete(value):
    roles = {"system": "system", "human": "user"}
    sent = [
        {"role": roles[message.type], "content": message.content} for message in value.to_messages()
    ]
    return (
        client.chat.completions.create(model="gpt-4o-mini", messages=sent)
        .choices[0]
        .message.content
    )


prompt = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "Write minutes in Markdown: '### Decisions', '### Discussion', '### Open questions', "
            "each with '- ' bullets.",
        ),
        ("user", "{transcript}"),
    ]
)
chain = prompt | RunnableLambda(complete) | StrOutputParser()


def sections(text):
    current, found = None, {}
    for line in map(str.rstrip, text.splitlines()):
        if line.startswith("### "):
            current = line.removeprefix("### ")
            found[current] = []
        elif current and line.startswith("- "):
            found[current].append(line[2:])
    return found


def mail(transcript):
    return sections(chain.invoke({"transcript": transcript}))
