"""A score out of ten and a text after a label, each found by its own function."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="essay_grader",
    half="dev_positional",
    domain="context QA",
    function="grade",
    compare="text",
)
USES_SENTENCES = True


def of(score, feedback, source="constructed", note=""):
    return Base(
        inputs={"essay": "My summer was long and hot. I swam."},
        outputs=(f"Score: {score}/10\n\nFeedback:\n{feedback}",),
        expected={"score": score, "passed": score >= 5, "feedback": feedback.strip()},
        source=source,
        note=note,
    )


def base(rng, pool):
    return of(rng.randint(1, 10), "\n".join(pool.some(rng, rng.randint(1, 3))), pool.source)


FAULTS = (
    replaced("score bold label", r"^Score: ", "**Score:** "),
    replaced("score bold value", r"^Score: (\d+/10)", r"Score: **\1**"),
    replaced("score out of", r"/10", " out of 10", count=1),
    replaced("score blanks at slash", r"/10", " / 10", count=1),
    replaced("score dash", r"^Score: ", "Score - "),
    replaced("score small", r"^Score: ", "score: "),
    replaced("score in heading", r"^Score: (\d+/10)", r"## Score\n\1"),
    replaced("score bracket", r"^Score: (\d+/10)", r"Score: [\1]"),
    replaced("score in braces of latex", r"^Score: (\d+/10)", r"Score: $\1$"),
    replaced("feedback bold", r"^Feedback:", "**Feedback**:"),
    replaced("feedback heading", r"^Feedback:", "### Feedback"),
    replaced("score no colon", r"^Score: ", "Score "),
    replaced("score of half points", r"^Score: (\d+)/10", r"Score: \1.5/10", determined=False),
    replaced("score lost", r"^Score: \d+/10\n\n", "", determined=False),
    replaced(
        "scale of a hundred",
        r"^Score: (\d+)/10",
        r"Score: \g<1>0/100",
        determined=False,
        tolerated=True,
    ),
)


def extra(_rng):
    yield case_of(SPEC, of(3, "A score - 7/10 - is out of reach.", note="second score"))
    yield case_of(SPEC, of(9, "**Bold**: yes.\n1. Score: fine\n2. feedback: none", note="marks"))
    yield case_of(
        SPEC,
        of(6, "Good.", note="around"),
        outputs=("# Evaluation\nFinal Score:6/10 (fair)\nFeedback: Good.",),
    )
