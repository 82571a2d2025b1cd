"""A helper for people on call: from plain words to commands, patterns and tickets."""

import json
import re
import subprocess
import sys

import jsonschema
from langchain.chat_models import init_chat_model
from langchain_core.output_parsers import PydanticOutputParser
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel

ALERT_SCHEMA = {
    "type": "object",
    "properties": {
        "service": {"type": "string"},
        "severity": {"type": "integer", "minimum": 1, "maximum": 5},
        "muted": {"type": "boolean"},
    },
    "required": ["service", "severity"],
}


class Contact(BaseModel):
    team: str
    phone: str | None = None


class Ticket(BaseModel):
    title: str
    hours: float
    contact: Contact


model = init_chat_model("gpt-4o-mini", model_provider="openai", temperature=0)
parser = PydanticOutputParser(pydantic_object=Ticket)
prompt = ChatPromptTemplate.from_messages(
    [("system", "Write a ticket. {format_instructions}"), ("human", "{report}")]
).partial(format_instructions=parser.get_format_instructions())
ticket_chain = prompt | model | parser


def ticket(report):
    filed = ticket_chain.invoke({"report": report})
    return f"[{filed.contact.team}] {filed.title} ({filed.hours:.1f} h)"


def alert(text):
    answer = model.invoke(f"As JSON with service, severity 1-5 and muted:\n{text}")
    found = json.loads(answer.content)
    jsonschema.validate(found, ALERT_SCHEMA)
    return found


def command(wish):
    answer = model.invoke([("system", "One POSIX shell command, no fence."), ("human", wish)])
    line = answer.content.strip()
    if input(f"Run {line!r}? ") != "y":
        return 1
    return subprocess.run(line, shell=True, check=False).returncode


def grep(wish, lines):
    text = model.invoke("A Python regular expression, nothing else, for: " + wish).content
    pattern = re.compile(text.strip())
    return [line for line in lines if pattern.search(line)]


def explain(lines):
    """Streams an explanation, and tells whether a person has to get up."""
    text = ""
    for chunk in model.stream("Explain these, end with PAGE or SLEEP:\n" + "\n".join(lines)):
        print(chunk.content, end="")
        text += chunk.content
    return text.rstrip().endswith("PAGE")


def hosts(lines):
    answers = model.batch([f"Which host and port, as host:port?\n{line}" for line in lines])
    pairs = [answer.content.split(":") for answer in answers]
    return [(host, int(port)) for host, port in pairs]


if __name__ == "__main__":
    log = sys.stdin.read().splitlines()
    errors = [line for line in log if re.match(r"^\S+ (ERROR|FATAL)", line)]
    print(ticket("\n".join(errors)), alert(errors[-1])["service"], hosts(errors))
    if explain(errors):
        command("page whoever is on call")
    print(grep("time-outs", log))
