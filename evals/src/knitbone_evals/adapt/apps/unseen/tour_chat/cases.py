"""Text for the screen: spelling, language, markers, and nothing said twice."""

import html
import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault, repeated_sentence
from knitbone_evals.adapt.faults.wording import foreign_sentence
from knitbone_evals.adapt.pools import varied

SPEC = AppSpec(
    name="tour_chat", half="unseen", domain="conversation", function="show", compare="text"
)
USES_SENTENCES = True

QUESTIONS = (
    "What is your favo[u|]rite walk through the old town?",
    "I love colo[u|]rful houses. Where should I go?",
    "We are organi[s|z]ing a trip for our neighbo[u|]rs. What is worth a visit?",
    "I am a travel[l|]er with two free hours by the harbo[u|]r. What can I do?",
)
"""Every question has a word that tells British from American English."""

FACTS = (
    (
        "The harbo[u|]r cranes are lit in many colo[u|]rs at night",
        "At night, the cranes of the harbo[u|]r shine in many colo[u|]rs",
    ),
    ("A grey[|] seal lives under the long bridge", ""),
    (
        "The theat[re|er] shows puppet plays on Sundays",
        "On Sundays you can watch puppet plays at the theat[re|er]",
    ),
    ("Cent[red|ered] on the square stands a fountain with nine spouts", ""),
    (
        "The baker next to the gate sells plum cake by the met[re|er]",
        "Plum cake is sold by the met[re|er] at the baker's beside the gate",
    ),
    ("Old catalog[ue|]s are on display in the library's cellar", ""),
    (
        "The cat[|] of the lighthouse keeper greets every boat",
        "Every boat is greeted by the lighthouse keeper's cat",
    ),
    ("A jewel[l|]er repairs clocks in the smallest house of the town", ""),
    (
        "Visitors often reali[s|z]e too late that the tower has 300 steps",
        "That the tower has 300 steps is something visitors often reali[s|z]e too late",
    ),
    ("The bell was mo[u|]lded in 1610 from melted cannons", ""),
    ("Smoked herring is the flavo[u|]r of the region", "The region's flavo[u|]r is smoked herring"),
    ("The park is patrol[l|]ed by two white geese", ""),
    (
        "A tunnel links the castle to the brewery",
        "The castle and the brewery are linked by a tunnel",
    ),
    ("Every June the streets are covered with flower petals", ""),
    ("The organ has a pedal that imitates a nightingale", ""),
    ("You can rent rowing boats at the third pier", "Rowing boats can be hired at pier three"),
)
_GREY = re.compile(r"grey\[\|\]")


def spelt(text, variety):
    return varied(_GREY.sub("gr[e|a]y", text.replace("cat[|]", "cat")), variety)


def results(text):
    return "<p>" + html.escape(text, quote=False).replace("\n", "<br>") + "</p>"


def of_text(message, text, slots=None, source="constructed", note=""):
    return Base(
        inputs={"message": message},
        outputs=(text,),
        expected=results(text),
        slots=slots or {},
        source=source,
        note=note,
    )


def base(rng, pool):
    if pool.passages:
        passage = rng.choice(pool.passages)
        sentences = list(passage.sentences)
        return of_text(passage.prompt, " ".join(sentences), {"sentences": sentences}, "real")
    variety = rng.choice(("uk", "us"))
    question = spelt(rng.choice(QUESTIONS), variety)
    facts = rng.sample(FACTS, rng.randint(4, 6))
    shown = [spelt(fact, variety) for fact, _ in facts]
    slots = {"variety": variety, "facts": facts}
    if rng.random() < 0.4:
        marker = rng.choice(("- ", "* "))
        return of_text(
            question, "\n".join(marker + each for each in shown), slots | {"marker": marker}
        )
    sentences = [each + "." for each in shown]
    reworded = {spelt(f, variety) + ".": spelt(other, variety) + "." for f, other in facts if other}
    slots |= {"sentences": sentences, "reworded": reworded}
    return of_text(question, " ".join(sentences), slots)


@fault("a word in the other spelling", "lexical")
def other_spelling(base, rng):
    """One word of the text as the other country writes it."""
    if "variety" not in base.slots:
        return None
    variety = base.slots["variety"]
    other = "us" if variety == "uk" else "uk"
    places = [
        place
        for place, (fact, _) in enumerate(base.slots["facts"])
        if spelt(fact, variety) != spelt(fact, other)
    ]
    if not places:
        return None
    fact = base.slots["facts"][rng.choice(places)][0]
    text = base.outputs[0].replace(spelt(fact, variety), spelt(fact, other))
    return Injected(outputs=(text,))


@fault("another bullet in between", "lexical")
def other_bullet(base, rng):
    marker = base.slots.get("marker")
    lines = base.outputs[0].split("\n")
    if marker is None or len(lines) < 4:
        return None
    place = rng.randrange(1, len(lines))
    lines[place] = {"- ": "* ", "* ": "- "}[marker] + lines[place][2:]
    return Injected(outputs=("\n".join(lines),))


@fault("numbers and letters mixed", "lexical")
def other_numbering(base, rng):
    """A numbered list in which one number has a parenthesis; the clean list has full stops."""
    if "marker" not in base.slots:
        return None
    shown = [line[2:] for line in base.outputs[0].split("\n")]
    clean = [f"{number}. {line}" for number, line in enumerate(shown, 1)]
    faulty = list(clean)
    place = rng.randrange(1, len(faulty))
    faulty[place] = faulty[place].replace(". ", ") ", 1)
    return Injected(outputs=("\n".join(faulty),), accepted=(results("\n".join(clean)),))


@fault("answer in another language", "lexical", determined=False)
def whole_answer(_base, rng):
    texts = (
        "Gehen Sie am Abend zum Hafen. Dort gibt es am dritten Steg Boote.",
        "Vaya por la noche al puerto. Las grúas están iluminadas y hay barcas en el tercer muelle.",
        "Allez au port le soir. Des barques attendent au troisième quai.",
    )
    return Injected(outputs=(rng.choice(texts),), determined=False)


@fault("the question once more", "semantics", layer=0)
def echo(base, _rng):
    """The answer begins with the question, word by word."""
    if "sentences" not in base.slots:
        return None
    return Injected(outputs=(f"{base.inputs['message']} {base.outputs[0]}",))


FAULTS = (
    other_spelling,
    other_bullet,
    other_numbering,
    foreign_sentence(),
    whole_answer,
    repeated_sentence(results, reworded=False),
    repeated_sentence(results, reworded=True),
    echo,
)

TRAPS = (
    ("necessary repetition", "When do the gates close?", "Gate A closes at 9. Gate B closes at 7."),
    (
        "do and do not",
        "May I feed the geese?",
        "Feed the geese with lettuce. Do not feed the geese with bread.",
    ),
    ("alternatives", "How do I get there?", "Take bus 4 to the pier. Or take bus 7 to the pier."),
    (
        "quoted in the other spelling",
        "What colour is the sign?",
        "The sign says 'Town Center' in red. The colour is faded.",
    ),
    (
        "a name in the other spelling",
        "Is there a theatre?",
        "Yes, the Lincoln Center troupe plays at our theatre.",
    ),
    (
        "a link",
        "What is your favorite site?",
        "See https://example.org/colour-centre/ for the favorite ones.",
    ),
    (
        "asked for a translation",
        "What is 'thank you' in German?",
        "In German you say: Vielen Dank für Ihre Hilfe.",
    ),
    (
        "a foreign name",
        "Where do I eat?",
        "Try Zum Goldenen Hirschen or Chez l'ami Pierre on the square.",
    ),
    (
        "a German answer to a German question",
        "Wo kann ich essen?",
        "Im Goldenen Hirschen gibt es bis neun Uhr Suppe.",
    ),
    (
        "a poem with a refrain",
        "Sing me the town's song.",
        "O harbour, my harbour!\nThe boats come in.\nO harbour, my harbour!",
    ),
    (
        "prose that looks like a list",
        "Which trams?",
        "1. FC Town plays today - so trams 2 and 3 - and 5 - are full.",
    ),
    ("a nested list", "What is where?", "- Old town\n  * castle\n  * gate\n- New town\n  * pool"),
    (
        "steps and remarks",
        "How do I row?",
        "1. Pay at pier 3\n2. Choose a boat\n- life vests are free\n- dogs may come",
    ),
    ("a distance twice", "How far?", "To the castle it is 2 km. To the pool it is 2 km."),
    (
        "code",
        "How do I read the board?",
        "Lines are shown as `color=red` and `colour=rot`; both work.",
    ),
)


def extra(_rng):
    for note, message, text in TRAPS:
        yield case_of(SPEC, of_text(message, text, note=note))
    cut = "My favourite place is the pier. From there you can see the light"
    yield case_of(SPEC, of_text("What is your favourite place?", cut, note="cut off in a sentence"))
