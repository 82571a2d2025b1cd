"""Versions of a pitch: each adds something, until the model only repeats it or rephrases it."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(name="pitch_polish", half="unseen", domain="task management", function="polish")
PITCHES = {
    "Loam turns kitchen waste into soil.": (
        (
            "Loam turns kitchen waste into garden soil within three weeks.",
            "Within three weeks, Loam makes garden soil out of kitchen waste.",
            "Kitchen waste becomes garden soil in three weeks with Loam.",
        ),
        (
            "The box fits under every sink and needs no electricity.",
            "No electricity is needed, and the box fits below any sink.",
            "It runs without power and fits underneath every sink.",
        ),
        (
            "{n} households in Ghent already use it.",
            "It is already in use in {n} households in Ghent.",
            "Already, {n} homes in Ghent are using it.",
        ),
        (
            "We ask for 200,000 euros to build the mould for series production.",
            "To build the mould for series production, we ask for 200,000 euros.",
            "We request 200,000 euros for building the series production mould.",
        ),
    ),
    "Ferryman books cargo space on river barges.": (
        (
            "Ferryman books free cargo space on river barges in one click.",
            "With one click, Ferryman books empty cargo space on river barges.",
            "Free space for cargo on river barges is booked by Ferryman in a click.",
        ),
        (
            "A barge carries as much as ninety trucks and burns a fifth of their fuel.",
            "One barge replaces ninety trucks while burning a fifth of the fuel.",
            "As much as ninety trucks fits on a barge, for a fifth of the fuel.",
        ),
        (
            "{n} shippers on the Danube signed up last winter.",
            "Last winter, {n} Danube shippers signed up.",
            "{n} shipping firms on the Danube joined last winter.",
        ),
        (
            "Our fee is two percent of the freight.",
            "We charge two percent of the freight as our fee.",
            "The fee we take is two percent of the freight.",
        ),
    ),
    "Quill teaches handwriting to adults.": (
        (
            "Quill teaches adults a legible handwriting with ten minutes a day.",
            "With ten minutes daily, Quill teaches adults to write legibly by hand.",
            "Adults learn legible handwriting from Quill in ten minutes a day.",
        ),
        (
            "A camera in the pen corrects every stroke at once.",
            "Every stroke is corrected immediately by a camera in the pen.",
            "The pen's camera corrects each stroke at once.",
        ),
        (
            "{n} doctors' offices are our first customers.",
            "Our first customers are {n} doctors' offices.",
            "We first sell to {n} doctors' offices.",
        ),
        (
            "The next version will learn Arabic and Devanagari.",
            "Arabic and Devanagari will be learnt by the next version.",
            "In its next version it will learn Devanagari and Arabic.",
        ),
    ),
}
ROUNDS = 4


def whole(sentences, wording=0):
    return " ".join(each[wording] for each in sentences)


def of_versions(start, sentences, versions, note=""):
    """Versions of growing length; with fewer than four rounds the last one is repeated."""
    texts = [whole(sentences[: count + 1]) for count in range(versions)]
    outputs = tuple(texts if versions == ROUNDS else [*texts, texts[-1]])
    return Base(
        inputs={"pitch": start},
        outputs=outputs,
        expected={"pitch": texts[-1], "rounds": versions},
        slots={"sentences": sentences[:versions], "versions": versions},
        note=note,
    )


def base(rng, _pool):
    start, sentences = rng.choice(list(PITCHES.items()))
    count = str(rng.randint(20, 900))
    drawn = [sentences[0], *rng.sample(sentences[1:], 3)]
    sentences = [tuple(text.replace("{n}", count) for text in each) for each in drawn]
    return of_versions(start, sentences, rng.randint(1, ROUNDS))


@fault("rephrased iteration", "semantics", determined=True)
def rephrased(base, _rng):
    """Instead of repeating the finished pitch the model says it in other words, again and again."""
    versions, sentences = base.slots["versions"], base.slots["sentences"]
    if versions in (1, ROUNDS):
        return None
    rounds = [whole(sentences, 1 + turn % 2) for turn in range(ROUNDS - versions)]
    return Injected(outputs=(*base.outputs[:versions], *rounds))


@fault("sentences only reordered", "semantics", determined=True)
def reordered(base, _rng):
    versions, sentences = base.slots["versions"], list(base.slots["sentences"])
    if versions in (1, ROUNDS):
        return None
    rounds = []
    for turn in range(ROUNDS - versions):
        turned = sentences[turn + 1 :] + sentences[: turn + 1]
        rounds.append(whole(turned if turned != sentences else sentences[::-1]))
    return Injected(outputs=(*base.outputs[:versions], *rounds))


FAULTS = (rephrased, reordered)


def extra(_rng):
    start, drawn = next(iter(PITCHES.items()))
    sentences = [tuple(text.replace("{n}", "400") for text in each) for each in drawn]
    finished = whole(sentences)
    amount = finished.replace("200,000", "250,000")
    changed = of_versions(start, sentences, ROUNDS, "only an amount changes: that is a change")
    yield case_of(
        SPEC,
        changed,
        outputs=(finished, amount, amount),
        expected={"pitch": amount, "rounds": 2},
    )
    negated = finished.replace("needs no electricity", "needs electricity")
    yield case_of(
        SPEC,
        changed,
        outputs=(finished, negated, negated),
        expected={"pitch": negated, "rounds": 2},
        note="only a negation changes",
    )
