"""Cards that are found and stay in a state; one may be of something else."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.found import base_of, entries_of, irrelevant_faults

SPEC = AppSpec(
    name="archive_desk",
    half="seen",
    domain="context QA",
    function="answer",
    kind="retriever",
    feeds="cards",
)
TOPICS = {
    "What do you know about the flood of 1784?": (
        "Minutes of the council on the flood of 1784: the mill bridge is lost.",
        "Letter of the miller on the damage that the flood did in February 1784.",
        "List of families who lost their houses to the water in 1784.",
        "Mark on the church wall: how high the flood stood on 27 February 1784.",
    ),
    "Who built the old theatre?": (
        "Contract with the architect Johann Maurer for the building of the theatre, 1871.",
        "Plans of the theatre's stage and boxes, drawn by Maurer's office.",
        "Bill of the carpenters for the roof of the theatre.",
        "Programme of the opening night of the theatre, 4 October 1873.",
    ),
    "Do you have papers on the salt trade?": (
        "Customs book: salt that came up the river by barge, 1602 to 1640.",
        "Privilege of the salt merchants, confirmed by the duke in 1588.",
        "Quarrel of two merchants about the weight of a load of salt.",
        "Prices of salt and fish at the autumn market, a list of nine years.",
    ),
}
OTHER = (
    "Photographs of the football club's trip to the mountains, 1956.",
    "Recipe for plum cake in the handwriting of Mrs. Kern.",
    "Manual of the coffee machine in the reading room.",
    "School reports of the girls' class 7b, 1931.",
    "Bus timetable, winter 1968.",
)
EVERYTHING = [text for texts in TOPICS.values() for text in texts] + list(OTHER)


def results(entries):
    return {
        "text": SPEC.reply,
        "slip": [each["source"] for each in entries],
        "ranks": list(range(len(entries))),
    }


def results_of_case(entries, found):
    """Ranks are those of the search, with the irrelevant entry counted."""
    return results(entries) | {"ranks": [found.index(each) for each in entries]}


base = base_of(TOPICS, OTHER, "letter", results)


def _with_ranks(each):
    """An entry in front shifts the ranks of those behind it."""

    def inject(clean, rng):
        done = each.inject(clean, rng)
        found = list(done.outputs)
        right = results_of_case(list(clean.outputs), found)
        return type(done)(outputs=done.outputs, accepted=(right,))

    return type(each)(name=each.name, defect=each.defect, inject=inject)


FAULTS = tuple(map(_with_ranks, irrelevant_faults(TOPICS, OTHER, "letter")))


def extra(_rng):
    def of_texts(letter, texts, note):
        entries = entries_of(texts, EVERYTHING)
        return Base(
            inputs={"letter": letter},
            outputs=tuple(entries),
            expected=results(entries),
            note=note,
        )

    flood, theatre = (list(TOPICS[letter]) for letter in list(TOPICS)[:2])
    yield case_of(
        SPEC, of_texts("Who lost a home by the river?", [flood[2], flood[3]], "no common words")
    )
    both = of_texts(
        "Compare the flood of 1784 with the building of the theatre.",
        [flood[0], theatre[0]],
        "two subjects asked for",
    )
    yield case_of(SPEC, both)
    yield case_of(SPEC, of_texts("Hello, is anybody there?", [OTHER[4]], "one entry is left alone"))
