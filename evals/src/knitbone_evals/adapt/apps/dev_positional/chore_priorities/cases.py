"""Numbered tasks with a priority in parentheses, read by one expression."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.pools import TASKS

SPEC = AppSpec(
    name="chore_priorities",
    half="dev_positional",
    domain="task management",
    function="urgent_first",
)
ORDER = {"high": 0, "medium": 1, "low": 2}


def of(tasks, note=""):
    rows = [
        {"number": number, "title": title, "priority": priority}
        for number, (title, priority) in enumerate(tasks, 1)
    ]
    return Base(
        inputs={"goal": "Run the summer party"},
        outputs=(
            "\n".join(
                f"{number}. {title} ({priority})"
                for number, (title, priority) in enumerate(tasks, 1)
            ),
        ),
        expected=sorted(rows, key=lambda row: (ORDER[row["priority"]], row["number"])),
        note=note,
    )


def base(rng, _pool):
    return of(
        [(title, rng.choice(list(ORDER))) for title, _ in rng.sample(TASKS, rng.randint(3, 6))]
    )


FAULTS = (
    replaced("square brackets", r"\((low|medium|high)\)$", r"[\1]"),
    replaced("dash then priority", r" \((low|medium|high)\)$", r" - \1"),
    replaced("colon then priority", r" \((low|medium|high)\)$", r": \1"),
    replaced("priority capitalised", r"\(([lmh])", lambda match: "(" + match[1].upper()),
    replaced("priority in capitals", r"\((low|medium|high)\)$", lambda match: match[0].upper()),
    replaced("priority bold", r"\((low|medium|high)\)$", r"(**\1**)"),
    replaced("priority with its name", r"\((low|medium|high)\)$", r"(Priority: \1)"),
    replaced("full stop after", r"\)$", ")."),
    replaced("no blank before", r" \((low|medium|high)\)$", r"(\1)"),
    replaced("parenthesis number", r"^(\d+)\.", r"\1)"),
    replaced("bold number", r"^(\d+)\. ", r"**\1.** "),
    replaced("trailing blanks", r"\)$", ")  "),
    replaced("bullets for numbers", r"^\d+\. ", "- "),
    replaced_once("one square bracket", r"\((low|medium|high)\)$", r"[\1]"),
    replaced_once("one priority lost", r" \((low|medium|high)\)$", "", determined=False),
    replaced_once("one priority unknown", r"\((low|medium|high)\)$", "(someday)", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            [
                ("Buy bread (two loaves)", "low"),
                ("Call Ada - today", "high"),
                ("Fix 2. floor: lamp", "medium"),
            ],
            note="marks",
        ),
    )
    yield case_of(
        SPEC,
        of([("**Now** act", "high")], note="around"),
        outputs=("The plan (high level):\n\n1.  **Now** act   (high)\n\nDo it!",),
    )
