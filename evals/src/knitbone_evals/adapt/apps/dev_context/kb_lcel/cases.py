"""Staff help: a chain with a retriever of its own."""

from knitbone_evals.adapt.apps.dev_context.common import kit


def results(spec, found):
    return {"answer": spec.reply, "sources": [entry["source"] for entry in found]}


SPEC, base, FAULTS, extra = kit("kb_lcel", "ask", results)
