"""A query engine over scored nodes."""

from knitbone_evals.adapt.apps.dev_context.common import kit


def results(spec, found):
    return {"response": spec.reply, "files": [entry["source"] for entry in found][:5]}


SPEC, base, FAULTS, extra = kit("llama_like", "run", results)
