"""YAML with a list, a mapping and texts that hold colons."""

import json

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import YAML

SPEC = AppSpec(
    name="deploy_config", half="unseen", domain="program synthesis", function="deployment"
)
NAMES = ("Orders", "invoices", "Mailer", "search", "thumbnails")
ENV = {"MODE": "production", "REGION": "eu-west-1", "LEVEL": "info", "CACHE": "redis://cache:6379"}


def write(config):
    ports = "".join(f"\n  - {port}" for port in config["ports"])
    env = "".join(f'\n  {key}: "{value}"' for key, value in config["env"].items())
    return (
        f"name: {config['name']}\nimage: {config['image']}\nreplicas: {config['replicas']}\n"
        f"ports:{ports}\nenv:{env}\ncommand: {config['command']}"
    )


def results(config):
    container = {
        "image": config["image"],
        "args": config["command"].split(),
        "ports": [{"containerPort": port} for port in config["ports"]],
        "env": [{"name": key, "value": value} for key, value in config["env"].items()],
    }
    return {
        "kind": "Deployment",
        "metadata": {"name": config["name"].lower()},
        "spec": {"replicas": config["replicas"], "containers": [container]},
    }


def of_config(config, note=""):
    return Base(
        inputs={"description": f"The service {config['name']}, please."},
        outputs=(write(config),),
        expected=results(config),
        note=note,
    )


def draw(rng):
    name = rng.choice(NAMES)
    return {
        "name": name,
        "image": f"registry.example.com/{name.lower()}:{rng.randint(1, 4)}.{rng.randint(0, 9)}",
        "replicas": rng.randint(1, 6),
        "ports": rng.sample((80, 8080, 9090, 5000), rng.randint(1, 3)),
        "env": dict(rng.sample(list(ENV.items()), rng.randint(1, 3))),
        "command": f"serve --workers {rng.randint(1, 8)} --quiet",
    }


def base(rng, _pool):
    return of_config(draw(rng))


FAULTS = YAML


def extra(rng):
    config = draw(rng) | {"ports": [80, 9090], "env": {"MODE": "production"}}
    flow = of_config(config, "flow style, comments, a document's start")
    text = write(config).replace("ports:\n  - 80\n  - 9090", "ports: [80, 9090,]  # both open")
    yield case_of(SPEC, flow, outputs=(f"---\n# proposed\n{text}\n",))
    quoted = of_config(config, "quotes of both kinds")
    text = write(config).replace('"production"', "'production'")
    yield case_of(SPEC, quoted, outputs=(text,))
    folded = of_config(config, "a folded text")
    command = config["command"]
    text = write(config).replace(f"command: {command}", f"command: >\n  {command}\n")
    yield case_of(SPEC, folded, outputs=(text,))
    level = of_config(config, "a list on the level of its key")
    text = write(config).replace("\n  - ", "\n- ")
    yield case_of(SPEC, level, outputs=(text,))
    json_like = of_config(config, "JSON, which is YAML too")
    yield case_of(SPEC, json_like, outputs=(json.dumps(config),))
