"""Songs say things again on purpose."""

from knitbone_evals.adapt.cases import AppSpec, Base
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(
    name="lesson_song", half="dev_semantics", domain="conversation", function="song", compare="text"
)
VERSES = (
    "The dog goes out to run and play,\nhe barks at every car today.",
    "The cat is sleeping in the sun,\nshe does not want to jump or run.",
    "The duck is swimming in the lake,\nits feet are wide, its feathers shake.",
    "The horse eats apples, hay and grass,\nand waves its tail when people pass.",
)
REFRAINS = (
    "Hello, hello, how are you?\nHello, hello, I am fine too!",
    "Clap your hands and turn around,\nclap your hands and touch the ground.",
    "La la la, sing along,\nla la la, it's our song.",
)


def base(rng, _pool):
    topic = rng.choice(("animals", "a farm", "pets"))
    verses, refrain = rng.sample(VERSES, rng.randint(2, 3)), rng.choice(REFRAINS)
    style = rng.choice(("plain", "labelled"))
    parts = []
    for n, verse in enumerate(verses, 1):
        parts += (
            [verse, refrain] if style == "plain" else [f"Verse {n}\n{verse}", f"Chorus\n{refrain}"]
        )
    sheet = "\n\n".join(parts)
    return Base(
        inputs={"topic": topic},
        outputs=(sheet,),
        expected={"topic": topic, "sheet": sheet},
        slots={"sheet": sheet},
    )


@fault("closing remark twice", "semantics")
def remark(base, _rng):
    return Injected(
        outputs=(
            base.slots["sheet"] + "\n\nI hope your class enjoys it! I hope your class enjoys it!",
        ),
        accepted=(
            {**base.expected, "sheet": base.slots["sheet"] + "\n\nI hope your class enjoys it!"},
        ),
    )


FAULTS = (remark,)
