"""Three sections with headings, two of them of bullets."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, rewritten
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="meeting_sections", half="dev_positional", domain="conversation", function="minutes"
)
NAMES = ("Ada", "Bruno", "Carla", "Dmitri", "Esra", "Femi")
TASKS = (
    "send the slides",
    "book the room in Lyon",
    "call the printer",
    "draft the contract",
    "update the plan: phase two",
    "ask legal",
)
DECISIONS = (
    "The launch moves to May.",
    "We keep the old logo",
    "Travel is cut by 10%",
    "The beta ends on Friday",
    "No release before the audit - agreed by all",
)
SUMMARIES = (
    "The team spoke about the launch.",
    "A short meeting. Nobody was late.",
    "Budget and travel were the topics: both shrink.",
)


def of(summary, decisions, actions, note=""):
    body = (
        f"## Summary\n{summary}\n\n## Decisions\n"
        + "\n".join(f"- {decision}" for decision in decisions)
        + "\n\n## Action Items\n"
        + "\n".join(f"- {owner}: {task}" for owner, task in actions)
    )
    return Base(
        inputs={"transcript": "Ada: hello. Bruno: hello."},
        outputs=(body,),
        expected={
            "summary": summary,
            "decisions": list(decisions),
            "actions": [{"owner": owner, "task": task} for owner, task in actions],
        },
        note=note,
    )


def base(rng, _pool):
    n = rng.randint(1, 3)
    return of(
        rng.choice(SUMMARIES),
        rng.sample(DECISIONS, rng.randint(1, 3)),
        list(zip(rng.sample(NAMES, n), rng.sample(TASKS, n), strict=True)),
    )


FAULTS = (
    replaced("deeper headings", r"^## ", "### "),
    replaced("top headings", r"^## ", "# "),
    replaced("bold for headings", r"^## (.*)$", r"**\1**"),
    replaced("bold headings", r"^## (.*)$", r"## **\1**"),
    replaced("headings with colon", r"^## (.*)$", r"## \1:"),
    replaced("plain with colon", r"^## (.*)$", r"\1:"),
    replaced("headings in capitals", r"^## (.*)$", lambda match: match[0].upper()),
    replaced("headings in small", r"^## Action Items", "## Action items"),
    replaced("no space after hashes", r"^## ", "##"),
    replaced(
        "underlined headings", r"^## (.*)$", lambda match: f"{match[1]}\n{'-' * len(match[1])}"
    ),
    rewritten(
        "numbered headings",
        lambda answer: (
            answer.replace("## S", "## 1. S").replace("## D", "## 2. D").replace("## A", "## 3. A")
        ),
    ),
    replaced("stars for bullets", r"^- ", "* "),
    replaced("dots for bullets", r"^- ", "• "),
    replaced("owner in bold", r"^- (\w+): ", r"- **\1:** "),
    replaced("numbers for bullets", r"^- ", "1. "),
    replaced("section lost", r"^## Decisions\n(- .*\n)+", "", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            "A heading begins with ## here: - yes.",
            ["Summary: none", "**Decisions** are final"],
            [("Ada", "write - and print - **two** copies")],
            note="marks inside",
        ),
    )
    yield case_of(
        SPEC,
        of("a", ["b"], [("c", "d")], note="title and rules"),
        outputs=(
            "# Minutes\n\n## Action Items\n\n- c: d\n\n## Notes\n- none: here\n"
            "## Summary\n\na\n## Decisions\nthese:\n- b\n",
        ),
    )
