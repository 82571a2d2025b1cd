"""Paragraphs and bullets of a support answer; small models say them again."""

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="support_stream",
    half="dev_semantics",
    domain="conversation",
    function="answer",
    compare="text",
)
SAID = {
    "Unplug the router for thirty seconds and plug it in again.": [
        "For thirty seconds, unplug the router, then plug it back in.",
        "Unplug the router, wait thirty seconds, and plug it in again.",
    ],
    "The light on the front should turn green after about two minutes.": [
        "After about two minutes, the light on the front should be green.",
        "You should see the light on the front turn green after about two minutes.",
    ],
    "If the light stays red, check that the cable is firmly connected.": [
        "Check that the cable is firmly connected if the light stays red.",
        "Make sure the cable is firmly connected if the light stays red.",
    ],
    "You can change the name of your network in the app under Settings.": [
        "The name of your network can be changed in the app under Settings.",
        "In the app, under Settings, you can change your network's name.",
    ],
    "Place the router in an open spot, away from metal shelves.": [
        "Put the router in an open place, away from metal shelves.",
        "The router should be placed in an open spot, away from metal shelves.",
    ],
    "Updates are installed automatically at night.": [
        "At night, updates are installed automatically.",
        "The router installs updates automatically at night.",
    ],
    "Our technicians are available from Monday to Friday.": [
        "Our technicians can be reached from Monday to Friday.",
        "From Monday to Friday, our technicians are available.",
    ],
    "A slow connection is often caused by an old device on the network.": [
        "Often a slow connection is caused by an old device on the network.",
        "An old device on the network often causes a slow connection.",
    ],
    "Never open the case yourself.": [
        "Do not open the case yourself.",
        "You should never open the case yourself.",
    ],
}
ASKED = ("My internet is slow.", "The light is red, what now?", "Help with my Halden H3 please")


def writer(form):
    def say(items):
        if form == "prose":
            return (" ".join(items),)
        if form == "paragraphs":
            return ("\n\n".join(items),)
        if form == "bullets":
            return (
                "Here is what you can try:\n\n"
                + "\n".join(f"* {each}" for each in items)
                + "\n\nGood luck!",
            )
        return (
            "Please follow these steps:\n"
            + "\n".join(f"{n}. {each}" for n, each in enumerate(items, 1)),
        )

    return say


def base(rng, _pool):
    question = rng.choice(ASKED)
    items = rng.sample(list(SAID), rng.randint(3, 5))
    say = writer(rng.choice(("prose", "paragraphs", "bullets", "numbers")))

    def result(items):
        return {"question": question, "html": say(items)[0]}

    return Base(
        inputs={"question": question},
        outputs=say(items),
        expected=result(items),
        slots={"items": items, "say": say, "result": result, "other": SAID},
    )


FAULTS = (
    kit.again("said twice", kit.exact_later),
    kit.again("said in other words", kit.reworded),
    kit.again("said in other words next", kit.reworded_next),
    kit.again("over and over", kit.run),
    kit.again("whole answer twice", kit.whole),
    kit.again("in other dress", kit.cosmetic),
)
TRAPS = (
    "On Windows, open Settings and choose Network. On a Mac, open Settings and choose Network.",
    "1. Press the button.\n2. Wait until the light turns green.\n"
    "3. Press the button.\n4. Wait until the light turns blue.",
    "1. Turn the router off.\n2. Wait a minute.\n3. Turn the router on.\n4. Wait a minute.\n"
    "5. Try again.",
    "Do not open the case. Do not use water. Do not use spray.",
    "The H3 has two antennas. The H5 has four antennas.",
    "Run `ping 10.0.0.1`. If that fails, run `ping 10.0.0.2`.",
    "```\nping halden.local\nping halden.local\nreboot\n```\nSend us the output.",
    "- Green: connected\n- Red: not connected\n- Blinking green: connecting",
    "Use channel 1 for 2.4 GHz. Use channel 36 for 5 GHz.",
    "Q: Is it on?\nA: Yes.\nQ: Is it green?\nA: Yes.",
    "Thank you! The light is green, so the router is connected. Thank you for your patience.",
    "| Model | Light | Meaning |\n|---|---|---|\n| H3 | green | fine |\n| H5 | green | fine |",
    "Monday: 9 to 5\nTuesday: 9 to 5\nWednesday: 9 to 5\nThursday: closed",
    "If the light is green, everything works. If the light is red, nothing works.",
    'The manual says: "Never open the case yourself." That holds for the H3 too: never open it.',
)


def extra(_rng):
    for text in TRAPS:
        yield case_of(
            SPEC,
            Base(
                inputs={"question": "Help"},
                outputs=(text,),
                expected={"question": "Help", "html": text},
                note=text[:40],
            ),
        )
