"""Four labelled fields, two of them with fixed values."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="ticket_triage", half="dev_positional", domain="task management", function="triage"
)
USES_SENTENCES = True
TITLES = (
    "No picture after update",
    "Red light blinks",
    "Slow in the evening",
    "Wi-Fi drops: every hour",
    "Remote does not pair",
    "Password lost",
    "Box stays cold - no power",
    "Cable too short",
    "Loud fan",
    "Wrong invoice address",
)
SLA = {"low": 72, "medium": 24, "high": 4}


def of(title, product, priority, summary, source="constructed", note=""):
    return Base(
        inputs={"ticket": "Hi, please help me with my device."},
        outputs=(f"Title: {title}\nProduct: {product}\nPriority: {priority}\nSummary: {summary}",),
        expected={"title": title, "product": product, "hours": SLA[priority], "summary": summary},
        source=source,
        note=note,
    )


def base(rng, pool):
    return of(
        rng.choice(TITLES),
        rng.choice(("Router", "Modem", "Television")),
        rng.choice(list(SLA)),
        pool.some(rng, 1)[0].strip(),
        pool.source,
    )


FAULTS = (
    replaced("bold labels colon inside", r"^(\w+):", r"**\1:**"),
    replaced("bold labels colon outside", r"^(\w+):", r"**\1**:"),
    replaced("full-width colon", r"^(\w+): ", "\\1\uff1a"),
    replaced("lower-case labels", r"^(\w+):", lambda match: match[0].lower()),
    replaced("blank before colon", r"^(\w+):", r"\1 :"),
    replaced("two-word priority", r"^Priority:", "Priority Level:"),
    replaced("heading per field", r"^(\w+): (.*)$", r"### \1\n\2\n"),
    replaced("italic labels", r"^(\w+):", r"*\1:*"),
    replaced(
        "priority capitalised", r"^(Priority: )(\w)", lambda match: match[1] + match[2].upper()
    ),
    replaced("table", r"^(\w+): (.*)$", r"| \1 | \2 |"),
    replaced_once("priority lost", r"^Priority: \w+\n", "", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            "Note: the box is hot",
            "Router",
            "high",
            "Priority: high, says the customer, and now.",
            note="label inside",
        ),
    )
    yield case_of(
        SPEC, of("A = B - C", "Modem", "low", "* all is said - no more *", note="marks inside")
    )
    yield case_of(
        SPEC,
        of("X", "Modem", "low", "Y", note="preamble"),
        outputs=(
            "Here is the triage\n\nTitle: X\nProduct: Modem\nPriority: low\nSummary: Y\n\nDone!",
        ),
    )
    yield case_of(
        SPEC,
        of("X", "Modem", "low", "Y", note="order"),
        outputs=("Summary:   Y  \nPriority:low\nProduct:\tModem\nTitle: X",),
    )
