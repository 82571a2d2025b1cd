"""A chat in which a second question leans on the first."""

from knitbone_evals.adapt.apps.dev_context.common import FOLLOW, kit


def results(spec, found):
    return [[spec.reply, sorted(entry["source"] for entry in found)]] * 2


SPEC, base, FAULTS, extra = kit(
    "followups", "chat", results, lambda topic: {"follow": FOLLOW.get(topic, "And else?")}
)
