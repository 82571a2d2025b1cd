"""Four labelled lines of a contact, split at the first colon."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once, rewritten
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.pools import NAMES

SPEC = AppSpec(
    name="card_reader", half="dev_positional", domain="task management", function="contact"
)
COMPANIES = (
    "Nordlicht GmbH",
    "Weber & Sons",
    "Open Hands: the charity",
    "Atelier 12 - Lyon",
    "-",
    "Blue Whale Ltd.",
)


def of(name, company, email, phone, note=""):
    return Base(
        inputs={"signature": "Best regards"},
        outputs=(f"Name: {name}\nCompany: {company}\nEmail: {email}\nPhone: {phone}",),
        expected={"name": name, "company": company, "email": email, "phone": phone},
        note=note,
    )


def base(rng, _pool):
    name = rng.choice(NAMES)
    return of(
        name,
        rng.choice(COMPANIES),
        rng.choice((f"{name.split()[0].lower()}@example.org", "-")),
        rng.choice(
            (f"+49 30 {rng.randint(10000, 99999)}", "-", f"0171/{rng.randint(100000, 999999)}")
        ),
    )


FAULTS = (
    replaced("no space", r"^(\w+): ", r"\1:"),
    replaced("blank before", r"^(\w+): ", r"\1 : "),
    replaced("bullets", r"^", "- "),
    replaced("bold", r"^(\w+): ", r"**\1:** "),
    replaced("bold outside", r"^(\w+): ", r"**\1**: "),
    replaced("blank lines between", r"\n", "\n\n", flags=0),
    rewritten("preamble", lambda answer: "Here is the extracted contact information:\n\n" + answer),
    rewritten("closing", lambda answer: answer + "\n\nLet me know if you need anything else!"),
    rewritten("fence", lambda answer: f"```\n{answer}\n```"),
    replaced("e-mail", r"^Email:", "E-mail:"),
    replaced("phone number", r"^Phone:", "Phone Number:"),
    replaced("full name", r"^Name:", "Full Name:"),
    replaced("equals", r"^(\w+): ", r"\1 = "),
    replaced("tab", r"^(\w+): ", r"\1:\t"),
    rewritten("on one line", lambda answer: answer.replace("\n", ", ")),
    replaced_once("email lost", r"^Email: .*\n", "", determined=False),
)


def extra(_rng):
    yield case_of(SPEC, of("Dr. A: B", "* none *", "Email: a@b.c", "1. floor", note="marks"))
    yield case_of(
        SPEC,
        of("A", "B", "C", "D", note="order"),
        outputs=("\nphone: D\nEMAIL: C\nName:   A\nCompany: B  \n",),
    )
