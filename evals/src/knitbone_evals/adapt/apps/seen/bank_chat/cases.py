"""Two turns; the member's first text sets the spelling, the first list the bullets."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault
from knitbone_evals.adapt.faults.wording import foreign_sentence
from knitbone_evals.adapt.pools import varied

SPEC = AppSpec(
    name="bank_chat", half="seen", domain="conversation", function="talk", compare="text"
)
FIRST = (
    "My new card has the wrong colo[u|]r. What do I do?",
    "I do not recogni[s|z]e a payment at the theat[re|er]. Can you help?",
    "We are travel[l|]ing next week and want to organi[s|z]e our cards.",
    "The machine at the harbo[u|]r did not hono[u|]r my card.",
)
SECOND = ("And if I lose it?", "How long does it take?", "What does it cost?")
REMARKS = (
    (
        "Block the card in the app before you call us.",
        "Before calling us, block the card in the app.",
    ),
    ("A new card in your favo[u|]rite colo[u|]r arrives within five days.", ""),
    ("We apologi[s|z]e for the trouble at the machine.", ""),
    ("Your local cent[re|er] can print a letter for you.", ""),
    (
        "Payments above 200 euros are authori[s|z]ed in the app.",
        "In the app you authori[s|z]e payments above 200 euros.",
    ),
    ("Keep the receipt for three months.", "For three months, keep the receipt."),
    ("The night desk answers until two in the morning.", ""),
    ("Travel[l|]ers pay no fee in the euro zone.", "In the euro zone, travel[l|]ers pay no fee."),
    ("We analy[s|z]e odd payments by hand.", ""),
    ("Cash can be drawn at any post office.", "At any post office you can draw cash."),
)


def of_turns(texts, replies, slots=None, note=""):
    return Base(
        inputs={"texts": list(texts)},
        outputs=tuple(replies),
        expected=[reply.strip() for reply in replies],
        slots=slots or {},
        note=note,
    )


def base(rng, _pool):
    variety = rng.choice(("uk", "us"))
    texts = (varied(rng.choice(FIRST), variety), rng.choice(SECOND))
    drawn = rng.sample(REMARKS, 6)
    turns = (drawn[:3], drawn[3:])
    marker = rng.choice(("", "", "- ", "* "))
    replies = [write([varied(said, variety) for said, _ in turn], marker) for turn in turns]
    return of_turns(texts, replies, {"variety": variety, "turns": turns, "marker": marker})


def write(sentences, marker):
    return "\n".join(marker + each for each in sentences) if marker else " ".join(sentences)


def _said(base, turn):
    return [varied(said, base.slots["variety"]) for said, _ in base.slots["turns"][turn]]


def _with(base, turn, reply):
    outputs = list(base.outputs)
    outputs[turn] = reply
    return tuple(outputs)


def _other_spelling(turn):
    def inject(base, rng):
        variety = base.slots["variety"]
        other = "us" if variety == "uk" else "uk"
        remarks = [said for said, _ in base.slots["turns"][turn]]
        places = [i for i, each in enumerate(remarks) if varied(each, "uk") != varied(each, "us")]
        if not places:
            return None
        place = rng.choice(places)
        said = [varied(each, other if i == place else variety) for i, each in enumerate(remarks)]
        return Injected(outputs=_with(base, turn, write(said, base.slots["marker"])))

    return inject


@fault("other bullets in the second turn", "lexical")
def other_bullets(base, _rng):
    marker = base.slots["marker"]
    if not marker:
        return None
    other = {"- ": "* ", "* ": "- "}[marker]
    return Injected(outputs=_with(base, 1, write(_said(base, 1), other)))


@fault("one bullet drifts", "lexical")
def one_bullet(base, rng):
    marker = base.slots["marker"]
    if not marker:
        return None
    turn = rng.randrange(2)
    lines = base.outputs[turn].split("\n")
    place = rng.randrange(1, len(lines))
    lines[place] = "• " + lines[place][2:]
    return Injected(outputs=_with(base, turn, "\n".join(lines)))


def _twice(reworded):
    def inject(base, rng):
        variety, marker = base.slots["variety"], base.slots["marker"]
        turn = rng.randrange(2)
        pairs = base.slots["turns"][turn]
        places = [i for i, (_, other) in enumerate(pairs) if other or not reworded]
        if not places:
            return None
        place = rng.choice(places)
        said = _said(base, turn)
        again = varied(pairs[place][1], variety) if reworded else said[place]
        faulty = [*said, again]
        without = [*said[:place], *said[place + 1 :], again]
        accepted = list(base.expected)
        accepted[turn] = write(without, marker)
        return Injected(outputs=_with(base, turn, write(faulty, marker)), accepted=(accepted,))

    return inject


@fault("reply of the first turn once more", "semantics", determined=False)
def once_more(base, _rng):
    """The second question is answered with the first answer: nothing tells the right one."""
    return Injected(outputs=(base.outputs[0], base.outputs[0]), determined=False)


FAULTS = (
    fault("first reply in the other spelling", "lexical")(_other_spelling(0)),
    fault("second reply in the other spelling", "lexical")(_other_spelling(1)),
    foreign_sentence(),
    other_bullets,
    one_bullet,
    fault("remark twice", "semantics", layer=0)(_twice(False)),
    fault("remark in other words", "semantics", layer=0)(_twice(True)),
    once_more,
)

TRAPS = (
    ("limits that look alike", "What are the limits?",
     "With a blue card you draw 200 euros a day. With a black card you draw 900 euros a day."),
    ("do and do not", "What with my PIN?", "Write the PIN nowhere. Do not tell us the PIN."),
    ("a name in the other spelling", "Where is your office in colourful Leeds?",
     "We are in the Rockefeller Center Plaza, next to the colourful bridge."),
    ("an address of the other spelling", "Where do I authorise it?",
     "Authorise it at https://bank.example/authorize/color?center=1, please."),
    ("asked for in German", "Wie sperre ich meine Karte?",
     "Sperren Sie die Karte in der App. Rufen Sie uns danach an."),
    ("a word to translate", "What does 'Konto' mean in English?",
     "'Konto' is an account; 'Mein Konto ist leer' means that nothing is left."),
    ("steps, then remarks", "How do I get a loan?",
     "1. Send the form\n2. Wait for our call\n\n- no fee\n- no guarantee"),
    ("code and prose", "Which file?",
     "Upload `colour.csv`. The field `color` is our programme's own."),
    ("the same amount twice", "What did I pay?", "Rent: 900 euros. Garage: 900 euros."),
)  # fmt: skip


def extra(_rng):
    for note, asked, reply in TRAPS:
        yield case_of(SPEC, of_turns([asked], [reply], note=note))
