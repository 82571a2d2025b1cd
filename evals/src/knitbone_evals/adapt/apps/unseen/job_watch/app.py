"""Watches a build until it is done: the model decides when to look again."""

import json

from openai import OpenAI

client = OpenAI()
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {"job": {"type": "string"}},
                "required": ["job"],
            },
        },
    }
    for name, description in (
        ("status", "How far a build job is, at this moment."),
        ("restart", "Restarts a failed build job."),
    )
]


class BuildServer:
    """Stands for the build server: a job gets a step further whenever somebody looks."""

    def __init__(self, states):
        self.states = list(states)

    def look(self):
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


def status(server, job):
    return f"{job}: {server.look()}"


def restart(server, job):
    server.states = ["running", "passed"]
    return f"{job}: restarted"


ACTIONS = {"status": status, "restart": restart}


def watch(job, states):
    server = BuildServer(states)
    seen = []
    messages = [{"role": "user", "content": f"Tell me when build {job} is done."}]
    for _ in range(10):
        response = client.chat.completions.create(
            model="gpt-4o-mini", messages=messages, tools=TOOLS
        )
        message = response.choices[0].message
        if not message.tool_calls:
            return {"seen": seen, "told": message.content}
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            action = ACTIONS[call.function.name]
            observed = action(server, **json.loads(call.function.arguments))
            seen.append(observed)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": observed})
    return {"seen": seen, "told": ""}
