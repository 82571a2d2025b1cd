"""Three labelled lines."""

import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import fault, on_text
from knitbone_evals.adapt.faults.base import CONTENT, WRAPPER, Injected

SPEC = AppSpec(name="mail_labels", half="seen", domain="conversation", function="sort")
USES_SENTENCES = True
DESKS = {"billing": "desk 2", "delivery": "desk 5", "product": "desk 7"}


def of_labels(category, urgency, reply, source="constructed", note=""):
    return Base(
        inputs={"mail": "Hello, it is about my last order. Yours, A. Smith"},
        outputs=(f"Category: {category}\nUrgency: {urgency}\nReply: {reply}",),
        expected={"desk": DESKS[category], "urgent": urgency > 3, "reply": reply},
        slots={"category": category, "urgency": urgency, "reply": reply},
        source=source,
        note=note,
    )


def base(rng, pool):
    # Urgency 3 is what the application takes anyway: a lost line would not be seen.
    urgency = rng.choice((4, 5))
    reply = pool.some(rng, 1)[0]
    return of_labels(rng.choice(list(DESKS)), urgency, reply, pool.source)


def _labels(form):
    def change(text, _rng):
        return re.sub(
            r"^(\w+): ", lambda match: form.format(match.group(1)), text, flags=re.MULTILINE
        )

    return change


def _one(old, *new):
    return lambda text, rng: text.replace(old, rng.choice(new), 1)


@fault("reply on the next line", "template")
def below(base, _rng):
    return Injected(outputs=(base.outputs[0].replace("Reply: ", "Reply:\n"),))


FAULTS = (
    on_text("labels in small letters", "template", lambda text, _: re.sub(
        r"^\w+:", lambda match: match.group().lower(), text, flags=re.MULTILINE)),
    on_text("labels in capitals", "template", lambda text, _: re.sub(
        r"^\w+:", lambda match: match.group().upper(), text, flags=re.MULTILINE)),
    on_text("labels in bold", "template", _labels("**{0}:** ")),
    on_text("labels as bullets", "template", _labels("- {0}: "), layer=WRAPPER),
    on_text("labels with a dash", "template", _labels("{0} - ")),
    on_text("labels with equals", "template", _labels("{0} = ")),
    on_text("blank before the colon", "template", _labels("{0} : ")),
    on_text("labels numbered", "template", lambda text, _: "\n".join(
        f"{number}. {line}" for number, line in enumerate(text.split("\n"), 1)), layer=WRAPPER),
    on_text("labels on one line", "template", lambda text, _: text.replace("\n", " ")),
    on_text("label misspelt", "template", _one("Category:", "Catgory:", "Categroy:"),
            layer=CONTENT),
    on_text("other label misspelt", "template", _one("Reply:", "Repy:", "Relpy:"), layer=CONTENT),
    on_text("labels indented", "template", _labels("  {0}: "), layer=WRAPPER),
    on_text("labels quoted", "template", _labels("> {0}: "), layer=WRAPPER),
    below,
    on_text("line of the reply missing", "template",
            lambda text, _: text.rpartition("\n")[0], determined=False),
    on_text("two categories", "template",
            lambda text, _: re.sub(r"Category: \w+", "Category: billing or product", text),
            determined=False),
)  # fmt: skip


def extra(_rng):
    yield case_of(
        SPEC, of_labels("billing", 5, "Category: that is what we look up.", note="a label inside")
    )
    yield case_of(SPEC, of_labels("product", 1, "-", note="a dash for a reply"))
    yield case_of(SPEC, of_labels("product", 4, "Thank you - we call at 9:30.", note="marks"))
    turned = of_labels("delivery", 5, "It is on its way.", note="other order, and a line more")
    text = "Urgency: 5\nReply: It is on its way.\nMood: fine\nCategory: delivery"
    yield case_of(SPEC, turned, outputs=(text,))
