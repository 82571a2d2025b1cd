"""A search in a vector store."""

from knitbone_evals.adapt.apps.dev_context.common import kit


def results(spec, found):
    return {"text": spec.reply, "cited": sorted(entry["source"] for entry in found)}


SPEC, base, FAULTS, extra = kit("store_search", "reply_to", results)
