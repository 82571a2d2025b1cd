"""A question put to a vector database."""

from knitbone_evals.adapt.apps.dev_context.common import kit


def results(spec, found):
    return {"said": spec.reply, "used": sorted(entry["text"] for entry in found)}


SPEC, base, FAULTS, extra = kit("chroma_like", "ask", results)
