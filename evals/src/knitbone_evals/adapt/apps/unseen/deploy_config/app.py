"""Writes the deployment file of a small service from its description."""

import yaml
from openai import OpenAI

client = OpenAI()

PROMPT = """Write the deployment of this service as YAML with the keys
name, image, replicas (number), ports (list of numbers), env (mapping of texts), command (text).
Plain YAML, no explanation.

{description}"""


def propose(description):
    response = client.chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "user", "content": PROMPT.format(description=description)}],
    )
    return response.choices[0].message.content


def deployment(description):
    config = yaml.safe_load(propose(description))
    container = {
        "image": config["image"],
        "args": config["command"].split(),
        "ports": [{"containerPort": int(port)} for port in config["ports"]],
        "env": [{"name": key, "value": value} for key, value in config["env"].items()],
    }
    return {
        "kind": "Deployment",
        "metadata": {"name": config["name"].lower()},
        "spec": {"replicas": int(config["replicas"]), "containers": [container]},
    }
