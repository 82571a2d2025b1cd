"""A review whose last line is the verdict."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, rewritten
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="code_verdict", half="dev_positional", domain="program synthesis", function="decide"
)
USES_SENTENCES = True
LABELS = {
    "APPROVE": (True, "approved"),
    "REJECT": (False, "changes requested"),
    "COMMENT": (False, "commented"),
}


def of(review, verdict, source="constructed", note=""):
    merge, label = LABELS[verdict]
    return Base(
        inputs={"diff": "+ x = 1"},
        outputs=(f"{review}\n\nVERDICT: {verdict}",),
        expected={"merge": merge, "label": label},
        source=source,
        note=note,
    )


def base(rng, pool):
    return of("\n".join(pool.some(rng, rng.randint(1, 3))), rng.choice(list(LABELS)), pool.source)


FAULTS = (
    replaced("bold line", r"^(VERDICT: \w+)$", r"**\1**"),
    replaced("bold label", r"^VERDICT: (\w+)$", r"**VERDICT:** \1"),
    replaced("title case label", r"^VERDICT: ", "Verdict: "),
    replaced("title case all", r"^(VERDICT: \w+)$", lambda match: match[0].title()),
    replaced("full stop", r"^(VERDICT: \w+)$", r"\1."),
    replaced("dash", r"^VERDICT: ", "VERDICT - "),
    replaced("no blank", r"^VERDICT: ", "VERDICT:"),
    replaced("heading", r"^(VERDICT: \w+)$", r"## \1"),
    replaced("backticks", r"^(VERDICT: \w+)$", r"`\1`"),
    replaced(
        "past tense",
        r"^VERDICT: (APPROVE|REJECT)$",
        lambda match: match[0] + ("D" if match[1] == "APPROVE" else "ED"),
    ),
    rewritten("words after", lambda answer: answer + "\n\nLet me know if you have any questions."),
    rewritten("fence after", lambda answer: answer.replace("VERDICT", "```\nVERDICT") + "\n```"),
    replaced("final verdict", r"^VERDICT: ", "FINAL VERDICT: "),
    replaced("two verdicts", r"^VERDICT: \w+$", "VERDICT: APPROVE or REJECT", determined=False),
    replaced("verdict lost", r"\n\nVERDICT: \w+$", "", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            "VERDICT: REJECT was my first thought.\n- fine\n## good", "APPROVE", note="two in prose"
        ),
    )
    yield case_of(SPEC, of("x", "REJECT", note="the word alone"), outputs=("Not yet.\nREJECT",))
