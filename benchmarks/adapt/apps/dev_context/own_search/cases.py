"""A search index of the application's own."""

from benchmarks.adapt.apps.dev_context.common import kit


def results(spec, found):
    return {"answer": spec.reply, "ids": sorted(entry["source"] for entry in found)}


SPEC, base, FAULTS, extra = kit("own_search", "answer", results)
