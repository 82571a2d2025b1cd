"""The part of the SARIF 2.1.0 schema that our logs use, and what a log violates of it."""

# Of the public schema (sarif-schema-2.1.0.json): property -> type; "!" marks required ones.
SCHEMA = {
    "log": {"$schema": str, "version!": str, "runs!": ["run"]},
    "run": {"tool!": "tool", "results": ["result"], "originalUriBaseIds": dict},
    "tool": {"driver!": "component"},
    "component": {"name!": str, "semanticVersion": str, "rules": ["rule"]},
    "rule": {
        "id!": str, "name": str, "shortDescription": "text", "fullDescription": "text",
        "help": "text", "defaultConfiguration": "configuration",
    },
    "configuration": {"level": str},
    "text": {"text!": str},
    "result": {
        "ruleId": str, "ruleIndex": int, "kind": str, "level": str, "message!": "text",
        "rank": float,
        "locations": ["location"], "relatedLocations": ["location"],
        "partialFingerprints": dict, "suppressions": ["suppression"],
    },
    "suppression": {"kind!": str, "status": str, "justification": str},
    "location": {"physicalLocation": "physical", "message": "text"},
    "physical": {"artifactLocation": "artifact", "region": "region"},
    "artifact": {"uri": str, "uriBaseId": str},
    "region": {"startLine": int},
}  # fmt: skip


def problems(value, kind, path="$"):
    if isinstance(kind, list):
        if not isinstance(value, list):
            return [f"{path} is no list"]
        return [p for i, item in enumerate(value) for p in problems(item, kind[0], f"{path}[{i}]")]
    if isinstance(kind, type):
        return [] if isinstance(value, kind) else [f"{path} is not {kind.__name__}"]
    known = {name.rstrip("!"): each for name, each in SCHEMA[kind].items()}
    required = {name[:-1] for name in SCHEMA[kind] if name.endswith("!")}
    found = [f"{path}.{name} is missing" for name in required - set(value)]
    for name, inner in value.items():
        if name not in known:
            found.append(f"{path}.{name} is unknown")
        else:
            found += problems(inner, known[name], f"{path}.{name}")
    return found
