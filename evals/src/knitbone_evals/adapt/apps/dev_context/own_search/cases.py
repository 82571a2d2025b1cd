"""A search index of the application's own."""

from knitbone_evals.adapt.apps.dev_context.common import kit


def results(spec, found):
    return {"answer": spec.reply, "ids": sorted(entry["source"] for entry in found)}


SPEC, base, FAULTS, extra = kit("own_search", "answer", results)
