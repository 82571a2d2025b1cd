"""Bullets of minutes: said twice in a section, or in other words."""

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(name="minutes", half="dev_semantics", domain="context QA", function="mail")
OWN = {
    "The team agreed to postpone the release until the security review is done.": [
        "It was agreed to postpone the release until the security review is done.",
        "The release will be postponed until the security review is done.",
    ],
    "Priya will contact the hosting provider about the outage.": [
        "The hosting provider will be contacted by Priya about the outage.",
        "Priya is going to contact the hosting provider about the outage.",
    ],
    "The budget of 40,000 euros was approved.": [
        "A budget of 40,000 euros was approved.",
        "The team approved the budget of 40,000 euros.",
    ],
    "Several people complained about the noise in the open office.": [
        "Noise in the open office was a complaint of several people.",
        "There were complaints by several people about the noise in the open office.",
    ],
    "Customers ask for a dark mode more and more often.": [
        "More and more often, customers ask for a dark mode.",
        "Customers are asking for a dark mode more and more often.",
    ],
    "The onboarding guide is out of date.": [
        "The onboarding guide is outdated.",
        "The guide for onboarding is out of date.",
    ],
    "Nobody knows who maintains the mailing list.": [
        "It is not known who maintains the mailing list."
    ],
    "Should we hire a second designer?": ["Do we need to hire a second designer?"],
    "The demo went well despite a broken projector.": [
        "Despite a broken projector, the demo went well."
    ],
    "Sales wants the price list by Friday.": [
        "By Friday, sales wants the price list.",
        "The price list is wanted by sales by Friday.",
    ],
    "All invoices are moved to the new system in July.": [
        "In July, all invoices will be moved to the new system.",
        "Move all invoices to the new system in July.",
    ],
    "The coffee machine is replaced.": [],
}
HEADS = ("Decisions", "Discussion", "Open questions")


def base(rng, _pool):
    drawn = rng.sample(list(OWN), 8)
    parts = [drawn[:3], drawn[3:6], drawn[6:]]
    turn = rng.randrange(3)

    def result(items):
        return {head: list(items if i == turn else parts[i]) for i, head in enumerate(HEADS)}

    def say(items):
        return (
            "\n\n".join(
                f"### {head}\n" + "\n".join(f"- {point}" for point in points)
                for head, points in result(items).items()
            ),
        )

    return Base(
        inputs={"transcript": "Recording of the meeting."},
        outputs=say(parts[turn]),
        expected=result(parts[turn]),
        slots={"items": parts[turn], "say": say, "result": result, "other": OWN},
    )


FAULTS = (
    kit.again("point twice", kit.exact_later),
    kit.again("point in other words", kit.reworded),
    kit.again("point in other words, next", kit.reworded_next),
    kit.again("point in other dress", kit.cosmetic),
    kit.again("point over and over", kit.run),
)
TRAPS = (
    {
        "Decisions": ["Hire a designer.", "Do not hire a second designer."],
        "Discussion": ["None."],
        "Open questions": ["None."],
    },
    {
        "Decisions": ["Priya calls the host.", "Tom calls the host's lawyer."],
        "Discussion": ["Tom liked the plan.", "Ana liked the plan."],
        "Open questions": ["Who pays?"],
    },
    {
        "Decisions": ["Budget for 2024: 40,000 euros.", "Budget for 2025: 45,000 euros."],
        "Discussion": ["Costs rise.", "Prices rise."],
        "Open questions": ["When?"],
    },
    {
        "Decisions": ["Approved: item A", "Approved: item B", "Rejected: item C"],
        "Discussion": ["No comments."],
        "Open questions": ["No questions."],
    },
    {
        "Decisions": [
            "The release is on Monday if the tests pass.",
            "The release is on Tuesday if the tests fail.",
        ],
        "Discussion": ["n/a"],
        "Open questions": ["n/a"],
    },
    {
        "Decisions": ["Move the old invoices in July.", "Move the new invoices in August."],
        "Discussion": ["Customers want a dark mode.", "Customers want an offline mode."],
        "Open questions": ["Should we hire?", "Should we rent?"],
    },
)


def extra(_rng):
    for parts in TRAPS:
        text = "\n\n".join(
            f"### {head}\n" + "\n".join(f"- {point}" for point in points)
            for head, points in parts.items()
        )
        yield case_of(
            SPEC,
            Base(
                inputs={"transcript": "x"},
                outputs=(text,),
                expected=parts,
                note=parts["Decisions"][0],
            ),
        )
