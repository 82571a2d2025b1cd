"""Templates of programs that compare an answer with words they know."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from knitbone_evals.adapt.accepted.scalars.single_base import (
    PHRASES,
    Built,
    cased,
    either,
    fill,
    pad,
    pad_cased,
    pick,
    prose,
    template,
    tuple_of,
)


class Topic(NamedTuple):
    """A question, its labels, and answers that are none of them."""

    prompt: str
    labels: tuple[str, ...]
    others: tuple[str, ...]


TOPICS = (
    Topic(
        "Which queue does this ticket belong to? Answer billing, technical, shipping or account.",
        ("billing", "technical", "shipping", "account"),
        (
            "not billing",
            "non-technical",
            "billing and technical",
            "accounting",
            "no account",
            "returns",
            "HR",
            "none of these",
            "It is neither a billing nor a shipping matter.",
        ),
    ),
    Topic(
        "Sentiment? (positive, negative, neutral)",
        ("positive", "negative", "neutral"),
        (
            "not positive",
            "non-negative",
            "mixed",
            "slightly negative",
            "neither positive nor negative",
            "positive/negative",
            "I can't tell from one sentence.",
            "N/A",
            "+",
        ),
    ),
    Topic(
        "Is this mail spam or ham?",
        ("spam", "ham"),
        ("not spam", "anti-spam notice", "Birmingham", "unsure", "spam or ham?", "shambles", "?"),
    ),
    Topic(
        "Rate the priority of the bug: critical, high, medium, low.",
        ("critical", "high", "medium", "low"),
        ("not critical", "uncritical", "medium-high", "below low", "P3", "highway", "none", "-"),
    ),
    Topic(
        "Decide: approve, reject or escalate the expense.",
        ("approve", "reject", "escalate"),
        (
            "do not approve",
            "don't reject",
            "approve or reject",
            "needs a receipt",
            "de-escalate",
            "wait",
            "Cannot approve this without a signature",
        ),
    ),
    Topic(
        "In which language is this snippet written?",
        ("java", "c", "python", "go"),
        ("javascript", "C++", "C#", "F#", "not python", "c/c++", "Objective-C", ".NET", "Django"),
    ),
    Topic(
        "What should happen to the record? create, update or delete?",
        ("create", "update", "delete"),
        ("do not delete", "undelete", "recreate", "never update", "noop", "n/a", "nothing"),
    ),
    Topic(
        "Colour of the traffic light?",
        ("red", "green", "amber"),
        ("infrared", "blue-green", "not red", "red and amber", "off", "evergreen", "no light"),
    ),
    Topic(
        "Stimmung der Kundin? gut, neutral, schlecht",
        ("gut", "neutral", "schlecht"),
        ("nicht gut", "nicht schlecht", "unklar", "gutmütig", "weder gut noch schlecht", "übel"),
    ),
)
DEFAULTS = ("other", "unknown", "fallback", "human_review", "unclear")


@template("comparison with default")
def equal_or_else(random: Random) -> Built:
    """Two ways, the second for everything that is not the word."""
    topic = random.choice(TOPICS)
    word = random.choice(topic.labels)
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>
                return "yes, <<word>>" if <<v>> == <<=word>> else "anything else"
            """,
            """
            def handle() -> str:
                if <<ask>> == <<=word>>:
                    return "branch:<<word>>"
                return "branch:default"
            """,
            """
            def is_match(<<v>>):
                return <<v>> == <<=word>>


            def handle():
                return is_match(<<ask>>)
            """,
            """
            WANTED = <<=word>>


            def handle():
                if (<<v>> := <<ask>>) != WANTED:
                    return {"matched": False, "seen": len(<<v>>) > 0}
                return {"matched": True, "seen": True}
            """,
        )
    )
    rest = tuple(label for label in topic.labels if label != word)
    draw = pick((word,), topic.others + rest, share=0.6)
    return Built(fill(random, topic.prompt, source, word=word), draw, (word,))


@template("comparison with default")
def equal_stripped_or_else(random: Random) -> Built:
    """A chain of comparisons after strip() and lower() with an else."""
    topic = random.choice(TOPICS)
    first, second = random.sample(topic.labels, 2)
    default = random.choice(DEFAULTS)
    source = random.choice(
        (
            """
            def <<f>>(item):
                <<v>> = item.strip().lower()
                if <<v>> == <<=first>>:
                    return "to-<<first>>"
                elif <<v>> == <<=second>>:
                    return "to-<<second>>"
                else:
                    return <<=default>>


            def handle():
                return <<f>>(<<ask>>)
            """,
            """
            def handle() -> tuple[str, int]:
                <<v>> = <<ask>>.lower().strip()
                if <<v>> == <<=first>>:
                    return (<<=first>>, 1)
                if <<v>> == <<=second>>:
                    return (<<=second>>, 2)
                return (<<=default>>, 0)
            """,
        )
    )
    text = fill(random, topic.prompt, source, first=first, second=second, default=default)
    rest = tuple(label for label in topic.labels if label not in (first, second))
    draw = pick((first, second), topic.others + rest, pad_cased)
    return Built(text, draw, (first, second))


@template("comparison without default")
def equal_or_raise(random: Random) -> Built:
    """A chain of comparisons that raises at its end."""
    topic = random.choice(TOPICS)
    source = """
    LABELS = [<<labels>>]


    def check(<<v>>):
        for position, label in enumerate(LABELS):
            if <<v>> == label:
                return position, label
        raise ValueError(f"unexpected label: {<<v>>!r}")


    def handle():
        return check(<<ask>><<strip>>)
    """
    strip, dress = random.choice((("", None), (".strip()", pad), (".strip().lower()", pad_cased)))
    text = fill(random, topic.prompt, source, labels=tuple_of(topic.labels), strip=strip)
    return Built(text, pick(topic.labels, dress=dress or (lambda _, word: word)))


@template("comparison with default")
def member_of_tuple(random: Random) -> Built:
    """`in` a tuple of words that mean the same."""
    words = random.choice((("yes", "y", "true"), ("ok", "okay", "fine"), ("ja", "j", "jawohl")))
    source = random.choice(
        (
            """
            def handle() -> bool:
                return <<ask>>.strip().lower() in (<<words>>)
            """,
            """
            ACCEPTED = (<<words>>)


            def accepted(<<v>>: str) -> bool:
                return <<v>>.strip().lower() in ACCEPTED


            def handle():
                return "continue" if accepted(<<ask>>) else "halt"
            """,
        )
    )
    others = (
        "no",
        "n",
        "nein",
        "non",
        "nobody",
        "not okay",
        "not true",
        "yes-man",
        "maybe not",
        "I would not say yes",
        "jain",
        "fine, but not today" if "fine" not in words else "maybe later",
        "unknown",
        "yesterday",
        "-",
    )
    text = fill(
        random,
        ("Shall we continue?", "Is this correct? Yes or no."),
        source,
        words=tuple_of(words),
    )
    return Built(text, pick(words, others, pad_cased, 0.55), words)


@template("comparison with default")
def not_allowed_becomes_default(random: Random) -> Built:
    """An unlisted answer is replaced by a default."""
    topic = random.choice(TOPICS)
    default = random.choice(DEFAULTS)
    source = random.choice(
        (
            """
            ALLOWED = {<<labels>>}


            def handle():
                <<v>> = <<ask>>.strip()
                if <<v>> not in ALLOWED:
                    <<v>> = <<=default>>
                return <<v>>
            """,
            """
            ALLOWED = frozenset((<<labels>>))


            class Classifier:
                default = <<=default>>

                def clean(self, <<v>>):
                    <<v>> = <<v>>.strip()
                    return <<v>> if <<v>> in ALLOWED else self.default

                def run(self):
                    return self.clean(<<ask>>)


            def handle():
                return Classifier().run()
            """,
        )
    )
    text = fill(random, topic.prompt, source, labels=tuple_of(topic.labels), default=default)
    return Built(text, pick(topic.labels, topic.others, pad), topic.labels)


@template("prefix with default")
def starts_with_yes(random: Random) -> Built:
    """`startswith` a word, everything else is the other way."""
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>.strip().lower()
                return <<v>>.startswith("yes")
            """,
            """
            def handle():
                if <<ask>>.lower().lstrip().startswith("yes"):
                    return "publish"
                return "hold"
            """,
        )
    )
    prompts = ("Is the text fit to print? Start with yes or no.", "Yes or no: is it safe?")
    yes = ("Yes", "yes.", "YES!", "Yes, because the contract says so.", "yes - see 4.2", "Yes\n\n")
    others = (
        "No",
        "no.",
        "No, not yes: the second page is missing.",
        "Nobody knows.",
        "Maybe.",
        "Probably yes, but I am not sure",
        "I'd rather say no.",
        "Non.",
        "N/A",
        "Not yet",
        "It depends: yes for adults, no for children.",
        "**Caution**: two answers are possible.",
    )
    return Built(fill(random, prompts, source), pick(yes, others, pad, 0.5), ("yes",))


@template("prefix with default")
def starts_with_one_of(random: Random) -> Built:
    """`startswith` with tuples of prefixes, and a default at the end."""
    source = """
    GOOD = ("approve", "accept")
    BAD = ("reject", "decline", "deny")


    def <<f>>(<<v>>: str) -> int:
        <<v>> = <<v>>.strip().lower()
        if <<v>>.startswith(GOOD):
            return 1
        if <<v>>.startswith(BAD):
            return -1
        return 0


    def handle():
        return {"vote": <<f>>(<<ask>>)}
    """
    words = ("approve", "accept", "reject", "decline", "deny")
    good = (
        "Approved.",
        "accept",
        "Rejected: no receipt",
        "decline, politely",
        "DENY",
        "Approve (with remarks: 1. date, 2. sum)",
    )
    others = (
        "Disapproved of by two, liked by three",
        "un-accepted as yet",
        "neither approve nor reject",
        "I abstain.",
        "Non liquet",
        "?",
        "Not rejected, not accepted",
        "0",
    )
    prompt = "Approve or reject the proposal. Abstain if you are not sure."
    return Built(fill(random, prompt, source), pick(good, others, pad), words)


@template("suffix with default")
def ends_with_verdict(random: Random) -> Built:
    """The verdict is the last word of a longer answer."""
    good, bad = random.choice((("PASS", "FAIL"), ("SAFE", "UNSAFE"), ("MATCH", "DIFFERENT")))
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>.strip()
                if <<v>>.endswith(<<=good>>) and not <<v>>.endswith("UN<<good>>"):
                    return <<=good>>
                return "not <<good>>"
            """,
            """
            def ok(<<v>>):
                return <<v>>.rstrip().endswith((" <<good>>", "\\n<<good>>"))


            def handle() -> bool:
                return ok(<<ask>>)
            """,
        )
    )

    def positive(random: Random) -> str:
        return prose(random) + random.choice((" ", "\n", "\n\n", "\r\n\n")) + good

    def negative(random: Random) -> str:
        end = random.choice((bad, f"not {good.lower()}", "I cannot decide", f"no {good} here", "?"))
        return prose(random) + random.choice((" ", "\n", "\n\n")) + end

    prompt = f"Compare the two, then end with {good} or {bad}."
    draw = either(positive, negative, 0.5, pad)
    return Built(fill(random, prompt, source, good=good), draw, (good,))


@template("containment with default")
def contains_word(random: Random) -> Built:
    """`"x" in text` decides."""
    word, others = random.choice(
        (
            ("urgent", ("Can wait until Monday.", "no hurry", "not pressing", "low")),
            ("refund", ("They want their parcel.", "exchange", "money is not mentioned", "-")),
            ("phishing", ("harmless newsletter", "Nothing fishy: a bank letter.", "clean")),
        )
    )
    source = random.choice(
        (
            """
            def handle():
                <<v>> = <<ask>>
                return "escalate" if <<=word>> in <<v>>.lower() else "queue"
            """,
            """
            KEYWORD = <<=word>>


            def handle():
                return KEYWORD in <<ask>>.casefold()
            """,
        )
    )

    def with_word(random: Random) -> str:
        around = random.choice(("{}", "{}!", "I'd call this {}.", "Verdict: {} (90%)", "[{}]"))
        return prose(random, 3) + "\n" + around.format(cased(random, word))

    def without(random: Random) -> str:
        return random.choice((random.choice(others), prose(random)))

    prompt = f"Tag the mail. Use the tag {word} if it fits."
    draw = either(with_word, without, 0.5, pad)
    return Built(fill(random, prompt, source, word=word), draw, (word,))


@template("containment with default")
def first_keyword(random: Random) -> Built:
    """The first listed keyword that occurs in the answer, else a default."""
    source = random.choice(
        (
            """
            KEYS = ["tomato", "potato", "onion", "garlic"]


            def handle():
                <<v>> = <<ask>>.lower()
                return next((key for key in KEYS if key in <<v>>), <<=default>>)
            """,
            """
            KEYS = ["tomato", "potato", "onion", "garlic"]


            def find(<<v>>):
                for key in KEYS:
                    if key in <<v>>:
                        return key
                return <<=default>>


            def handle():
                return find(<<ask>>.lower())
            """,
        )
    )
    keys = ("tomato", "potato", "onion", "garlic")
    sentences = (
        "Tomatoes, 3 kg.",
        "A sweet-potato mash",
        "onion",
        "- garlic\n- salt",
        "I'd use Potato (not tomato).",
    )
    others = ("leek", "no vegetable", "tomahawk", "union", "1/2 cup of rice", "Ø", "pot a to")
    text = fill(random, "Main vegetable?", source, default=random.choice(DEFAULTS))
    return Built(text, pick(sentences + keys, others, pad_cased), keys)


@template("comparison with default")
def upper_verbs(random: Random) -> Built:
    """Words in capitals after upper(), with a conditional expression."""
    buy, sell = random.choice((("BUY", "SELL"), ("UP", "DOWN"), ("LEFT", "RIGHT")))
    source = """
    def handle():
        <<v>> = <<ask>>.strip().upper()
        return 1 if <<v>> == <<=buy>> else -1 if <<v>> == <<=sell>> else 0
    """
    others = (
        "hold",
        f"don't {buy.lower()}",
        f"{buy} or {sell}",
        f"{buy}-{sell}",
        "neither",
        f"no {sell}",
        "0",
        "+1",
    )
    prompt = f"{buy}, {sell} or nothing?"
    text = fill(random, prompt, source, buy=buy, sell=sell)
    return Built(text, pick((buy, sell, buy.lower()), others, pad), (buy, sell))


@template("match statement with default")
def match_or_default(random: Random) -> Built:
    """A match statement with `case _`."""
    topic = random.choice(TOPICS)
    first, second = random.sample(topic.labels, 2)
    source = random.choice(
        (
            """
            def handle():
                match <<ask>>.strip().lower():
                    case <<=first>>:
                        return "A", 1
                    case <<=second>>:
                        return "B", 2
                    case _:
                        return <<=default>>, 0
            """,
            """
            def <<f>>(<<v>>: str) -> str:
                match <<v>>.lower().strip():
                    case <<=first>> | <<=second>>:
                        return "handled"
                    case _:
                        return <<=default>>


            def handle():
                return <<f>>(<<ask>>)
            """,
            """
            def handle():
                match <<ask>>.strip().lower():
                    case <<=first>>:
                        return {"label": <<=first>>}
                    case <<=second>>:
                        return {"label": <<=second>>}
                    case other:
                        return {"label": <<=default>>, "said": other}
            """,
        )
    )
    default = random.choice(DEFAULTS)
    text = fill(random, topic.prompt, source, first=first, second=second, default=default)
    rest = tuple(label for label in topic.labels if label not in (first, second))
    draw = pick((first, second), topic.others + rest, pad_cased)
    return Built(text, draw, (first, second))


@template("match statement without default")
def match_or_raise(random: Random) -> Built:
    """A match statement that covers only its words."""
    source = """
    def <<f>>(<<v>>):
        match <<v>>:
            case "north" | "n":
                return (0, 1)
            case "south" | "s":
                return (0, -1)
            case "east" | "e":
                return (1, 0)
            case "west" | "w":
                return (-1, 0)
        raise ValueError(<<v>>)


    def handle():
        return <<f>>(<<ask>>.strip().lower())
    """
    words = ("north", "n", "south", "s", "east", "e", "west", "w")
    return Built(fill(random, "Which way? n, s, e or w", source), pick(words, dress=pad_cased))


@template("match statement with default")
def match_words_of_command(random: Random) -> Built:
    """A match statement over the words of a command."""
    source = """
    def handle():
        match <<ask>>.split():
            case ["move", direction]:
                return ("move", direction)
            case ["take", *things]:
                return ("take", " ".join(things))
            case ["stop" | "quit"]:
                return ("stop", "")
            case _:
                return ("look", "around")
    """
    good = (
        "move north",
        "move -1",
        "move  'up'\n",
        "take the (rusty) key",
        "take 3 kg of C# sheets",
        "take O'Brien's no. 5",
        "stop",
        "  quit\n",
        "take\tall",
        'take "the" hat.',
    )
    others = (
        "move to the north",
        "don't move",
        "do not stop",
        "stop it",
        "Look!",
        "inspect {lamp}",
        "unstop",
        "wait 5 minutes",
        "- nothing -",
    )
    prompt = "You are in a cave. Next command? move <dir>, take <thing>, stop"
    return Built(fill(random, prompt, source), pick(good, others), ("move", "take", "stop", "quit"))


@template("match statement with default")
def match_with_guard(random: Random) -> Built:
    """Cases with guards, then literal ones, then a default."""
    source = """
    def handle():
        match <<ask>>.strip():
            case <<v>> if <<v>>.isdigit():
                return ("number", int(<<v>>))
            case <<v>> if <<v>>.startswith("#"):
                return ("tag", <<v>>[1:])
            case "skip" | "SKIP":
                return ("skip", None)
            case <<v>>:
                return ("text", <<v>>)
    """
    good = ("42", "0042", "#python", "#C#", "#-5", "skip", "SKIP", "7\n", "#", "# heading")
    prompt = "A line number, a #tag, skip, or free text."
    others = ("-5", "+3", "1,000", "do not skip", "skip 2", "1.", "“#”", *PHRASES)
    return Built(fill(random, prompt, source), pick(good, others, pad), ("skip", "SKIP"))


@template("dictionary without default")
def dictionary_index(random: Random) -> Built:
    """`TABLE[answer]`."""
    topic = random.choice(TOPICS)
    pairs = ", ".join(f'"{label}": {10 * (n + 1)}' for n, label in enumerate(topic.labels))
    source = random.choice(
        (
            """
            CODES = {<<pairs>>}


            def handle():
                return CODES[<<ask>>.strip().lower()]
            """,
            """
            from dataclasses import dataclass


            @dataclass
            class Result:
                label: str
                code: int


            CODES = {<<pairs>>}


            def handle():
                <<v>> = <<ask>>.strip().lower()
                return Result(label=<<v>>, code=CODES[<<v>>])
            """,
        )
    )
    return Built(
        fill(random, topic.prompt, source, pairs=pairs), pick(topic.labels, dress=pad_cased)
    )


@template("dictionary with default")
def dictionary_get(random: Random) -> Built:
    """`TABLE.get(answer, default)`."""
    topic = random.choice(TOPICS)
    pairs = ", ".join(f'"{label}": {n + 1}' for n, label in enumerate(topic.labels))
    source = random.choice(
        (
            """
            WEIGHTS = {<<pairs>>}


            def handle():
                return WEIGHTS.get(<<ask>><<strip>>, 0)
            """,
            """
            WEIGHTS = {<<pairs>>}


            def weight(<<v>>):
                return WEIGHTS.get(<<v>><<strip>>) or -1


            def handle():
                return {"weight": weight(<<ask>>)}
            """,
            """
            from collections import defaultdict

            WEIGHTS = defaultdict(lambda: 99, {<<pairs>>})


            def handle():
                return WEIGHTS[<<ask>><<strip>>]
            """,
        )
    )
    strip, dress = random.choice(((".strip()", pad), (".strip().lower()", pad_cased)))
    text = fill(random, topic.prompt, source, pairs=pairs, strip=strip)
    return Built(text, pick(topic.labels, topic.others, dress), topic.labels)


@template("dictionary of functions with default")
def dispatch_functions(random: Random) -> Built:
    """A dispatch table of functions with a fallback."""
    source = """
    def greet():
        return "hello"


    def search():
        return ["hit 1", "hit 2"]


    def leave():
        return "bye"


    def fallback():
        return <<=default>>


    ACTIONS = {"greet": greet, "search": search, "leave": leave}


    def handle():
        <<v>> = <<ask>>.strip().lower()
        return ACTIONS.get(<<v>>, fallback)()
    """
    others = (
        "do not leave",
        "research",
        "greetings",
        "leave or search",
        "dance",
        "no action",
        "✋",
    )
    text = fill(
        random, "Pick an action: greet, search, leave", source, default=random.choice(DEFAULTS)
    )
    return Built(
        text,
        pick(("greet", "search", "leave"), others, pad_cased),
        (
            "greet",
            "search",
            "leave",
        ),
    )


@template("dictionary of classes")
def dispatch_classes(random: Random) -> Built:
    """A table of dataclasses, one is built."""
    with_default = random.random() < 0.5
    source = """
    from dataclasses import dataclass


    @dataclass
    class Email:
        retries: int = 3


    @dataclass
    class Sms:
        retries: int = 1


    @dataclass
    class Letter:
        stamp: bool = True


    CHANNELS = {"email": Email, "sms": Sms, "letter": Letter}


    def handle():
        cls = CHANNELS<<lookup>>
        return cls()
    """
    words = ("email", "sms", "letter")
    lookup = "[<<ask>>.strip().lower()]"
    others: tuple[str, ...] = ()
    if with_default:
        lookup = ".get(<<ask>>.strip().lower(), Letter)"
        others = ("e-mail", "not sms", "no letter", "newsletter", "phone", "fax", "email + sms")
    text = fill(random, "Channel: email, sms or letter?", source.replace("<<lookup>>", lookup))
    return Built(text, pick(words, others, pad_cased), words if with_default else ())


@template("method dispatch with default")
def dispatch_getattr(random: Random) -> Built:
    """`getattr(self, "on_" + answer, self.fallback)`."""
    source = """
    class Agent:
        def on_read(self):
            return "reading"

        def on_write(self):
            return "writing"

        def on_sleep(self):
            return "sleeping"

        def fallback(self):
            return <<=default>>

        def step(self):
            <<v>> = <<ask>>.strip().lower()
            return getattr(self, f"on_{<<v>>}", self.fallback)()


    def handle():
        return Agent().step()
    """
    words = ("read", "write", "sleep")
    others = ("reread", "do not write", "asleep", "read/write", "write-protect", "think", "(none)")
    text = fill(random, "read, write or sleep?", source, default=random.choice(DEFAULTS))
    return Built(text, pick(words, others, pad_cased), words)
