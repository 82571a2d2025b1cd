"""A reply in British spelling."""

from knitbone_evals.adapt.apps.dev_lexical.common import (
    MARK,
    flip_all,
    flip_one,
    of_marked,
    of_turn,
    spec,
)
from knitbone_evals.adapt.cases import Base, case_of
from knitbone_evals.adapt.pools import varied

SPEC = spec("mail_desk", "answer_mail", "task management")
MAILS = (
    "Hi, my order 5512 has not arrived yet. Jo",
    "Hello, the jacket is too small. Can I swap it? Regards, Tim",
    "The lamp I bought from you flickers. What now?",
    "I want to cancel my order of last week please.",
)
DECISIONS = ("refund", "send a new one", "ask for a photo", "cancel")
SENTENCES = (
    "Thank you for getting in touch. We apologi[s|z]e for the inconvenience this has caused.",
    "We have cancel[l|]ed the order as requested, and nothing will be charged to your account.",
    "A replacement in the same colo[u|]r will leave our warehouse tomorrow.",
    (
        "Our distribution cent[re|er] is open from eight to six, should you wish to "
        "collect the parcel."
    ),
    "The refund was authori[s|z]ed this morning and will reach you within five days.",
    "You will find the item on page twelve of the new catalog[ue|].",
    "Please keep the label[l|]ed box until our driver has called.",
    "We would like to hono[u|]r the discount you were promised by our colleague.",
    "Our team will analy[s|z]e the photo and let you know what we find.",
    "To personali[s|z]e the jacket, reply with the initials that you would like.",
    "We do not want to make a judgement before we have seen the lamp.",
    "As a goodwill gesture, we have added a small voucher to your invoice.",
    "The driver is travel[l|]ing along the coast this week and passes you on Friday.",
    "Your favo[u|]rite size is back in stock, which I thought you might like to know.",
    "We value our neighbo[u|]rs in the valley and deliver there at no charge.",
    "The jewel[lery|ry] box was packed with additional fib[re|er] padding.",
)
CLOSE = ("Kind regards,\nThe Hartley team", "Yours sincerely,\nMaggie Hartley")


def of(mail, decision, text, slots=None, note=""):
    paragraphs = [each.strip() for each in text.split("\n\n") if each.strip()]
    return Base(
        inputs={"mail": mail, "decision": decision},
        outputs=(text,),
        expected={
            "paragraphs": paragraphs,
            "length": sum(len(each.split()) for each in paragraphs),
        },
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    drawn = rng.sample(SENTENCES, 5)
    marked = "\n\n".join(
        ["Dear customer,", " ".join(drawn[:3]), " ".join(drawn[3:]), rng.choice(CLOSE)]
    )
    return of(
        rng.choice(MAILS),
        rng.choice(DECISIONS),
        varied(marked, "uk"),
        {"marked": [marked], "variety": "uk"},
    )


def half(marked, variety, _rng):
    cut = max(len(marked) // 2, marked.find("\n\n", len(marked) // 2))
    head, tail = marked[:cut], marked[cut:]
    return varied(head, variety) + varied(tail, "us") if MARK.search(tail) else None


FAULTS = (
    of_marked("one american word", 0, flip_one),
    of_marked("all american", 0, flip_all),
    of_marked("second half american", 0, half),
    of_turn(
        "closing paragraph with American words",
        0,
        lambda text, _base, _rng: text.replace("colour", "color"),
    ),
    of_turn(
        "capital american word", 0, lambda text, _base, _rng: text.replace("apologise", "apologize")
    ),
    of_turn(
        "foreign paragraph",
        0,
        lambda text, _base, rng: text.replace(
            "\n\n",
            "\n\n"
            + rng.choice(
                (
                    "Nous vous remercions de votre patience et restons à votre disposition.",
                    "Vielen Dank für Ihre Geduld, wir melden uns in den nächsten Tagen.",
                    "感谢您的耐心等待\uff0c我们会尽快处理。",
                )
            )
            + "\n\n",
            1,
        ),
        determined=False,
    ),
    of_turn(
        "foreign sign-off",
        0,
        lambda text, _base, rng: (
            text.rsplit("\n\n", 1)[0]
            + "\n\n"
            + rng.choice(
                (
                    "Mit freundlichen Grüßen,\nDas Hartley-Team",
                    "Cordialement,\nL'équipe Hartley",
                    "Saludos cordiales,\nEl equipo de Hartley",
                )
            )
        ),
        determined=False,
    ),
)
TRAPS = (
    (
        "names",
        (
            "Dear Mr Gray,\n\n"
            "The Rockefeller Center branch and the World Health Organization both confirmed "
            "the Labor Day delivery.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
    (
        "quote of customer",
        (
            "Dear Tim,\n\n"
            'You wrote: "The color is wrong, I want to cancel it, and I never authorized this." '
            "We understand.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
    (
        "link",
        (
            "Dear Jo,\n\n"
            "Please see https://www.hartley.example/catalog/color-center for the form or write "
            "to color@hartley.example.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
    (
        "brand",
        (
            "Dear Jo,\n\n"
            "The ColorMax 300 and the Pearl Harbor edition from Honor Electronics are back.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
    (
        "oxford spelling is british too",
        (
            "Dear Jo,\n\n"
            "We have sorted the colour proof and know that it is late.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
    (
        "practice and practise",
        (
            "Dear Jo,\n\n"
            "It is our practice to meter each parcel. Please practise with the lock; the licence "
            "is enclosed and the software program will license itself.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
    (
        "words common to both",
        (
            "Dear Jo,\n\n"
            "The size, the prize and the capsize warning are right; we advertise a surprise "
            "exercise and revise it.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
    (
        "german customer",
        (
            "Dear Jo,\n\n"
            "The colleague in Köln (Herr Groß) will send the Lieferschein.\n\n"
            "Kind regards,\n"
            "Maggie"
        ),
    ),
)


def extra(_rng):
    for note, text in TRAPS:
        yield case_of(SPEC, of(MAILS[0], "refund", text, note=note))
