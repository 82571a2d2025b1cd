"""One word of two."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import THINKING, WRAPPER

SPEC = AppSpec(name="policy_gate", half="seen", domain="conversation", function="publish")
USES_SENTENCES = True
STATES = {"yes": "published", "no": "held"}


def of_word(comment, word, source="constructed", note=""):
    return Base(
        inputs={"comment": comment},
        outputs=(word,),
        expected={"state": STATES[word], "comment": comment},
        source=source,
        note=note,
    )


def base(rng, pool):
    return of_word(
        " ".join(pool.some(rng, rng.randint(1, 3))), rng.choice(("yes", "no")), pool.source
    )


def _form(form):
    return lambda text, _rng: form.format(text)


FAULTS = (
    THINKING,
    on_text("full stop after the word", "template", _form("{0}.")),
    on_text("word with a capital", "template", lambda text, _: text.capitalize()),
    on_text("word in capitals", "template", lambda text, _: text.upper()),
    on_text("word in quotes", "template", _form('"{0}"')),
    on_text("word in bold", "template", _form("**{0}**")),
    on_text("word as code", "template", _form("`{0}`")),
    on_text("word after a label", "template", _form("Answer: {0}"), layer=WRAPPER),
    on_text("word with an exclamation mark", "template", _form("{0}!")),
    on_text("word in a fence", "template", _form("```\n{0}\n```"), layer=WRAPPER),
    on_text("capital and full stop", "template", lambda text, _: text.capitalize() + "."),
    on_text("both words", "template", lambda _text, _: "yes and no", determined=False),
    on_text("another word", "template", lambda _text, _: "maybe", determined=False),
    on_text("negated word", "template", lambda _text, _: "not yes", determined=False),
    on_text(
        "asks for more", "template", lambda _text, _: "I have no access to the rules.",
        determined=False,
    ),
)  # fmt: skip


def extra(_rng):
    for text in ("yes\n", " no ", "\n\nyes"):
        built = of_word("Fine work.", text.strip(), note="white space, which strip() takes off")
        yield case_of(SPEC, built, outputs=(text,))
