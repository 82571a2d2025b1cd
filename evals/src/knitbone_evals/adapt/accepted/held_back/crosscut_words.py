"""Programs that read one word: comparisons, match, dispatch, enums, lookups."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.held_back.crosscut_vocabulary import (
    TECH,
    Parts,
    beside,
    blanks,
    cased,
    fill,
    name,
    paragraph,
    prose,
    quoted,
    sentence,
    template,
    text_line,
    with_default,
)


@template("verdict-equals", "comparison with default")
def verdict_equals(random: Random) -> Parts:
    """One word or anything else."""
    yes = random.choice(("yes", "spam", "approve", "relevant", "duplicate"))
    source = fill(
        random,
        """
        def <<f>>(text):
            <<a>> = ask(f"Is this <<yes>>? Answer '<<yes>>' or '<<other>>'.\\n\\n{text}")
            return <<a>>.strip().lower() == "<<yes>>"


        def handle():
            return <<f>>("Congratulations, you have won a cruise!")
        """,
        yes=yes,
        other=random.choice(("no", "other", "not " + yes)),
        f=random.choice(("is_match", "check", "grade_document")),
    )
    return source, lambda random: with_default(random, (yes,)), (yes,)


@template("sentiment-chain", "comparison with default")
def sentiment_chain(random: Random) -> Parts:
    """An if chain that ends in an else."""
    words = random.choice(
        (("positive", "negative"), ("happy", "sad"), ("bullish", "bearish"), ("pro", "con"))
    )
    source = fill(
        random,
        """
        def handle():
            <<a>> = ask("Classify the review as <<one>>, <<two>> or neutral. One word.").strip()
            if <<a>>.lower() == "<<one>>":
                score = 1
            elif <<a>>.lower() == "<<two>>":
                score = -1
            else:
                score = 0
            return {"review_id": 17, "score": score<<more>>}
        """,
        one=words[0],
        two=words[1],
        more=random.choice(("", ', "label": ["negative", "neutral", "positive"][score + 1]')),
    )
    return source, lambda random: with_default(random, words), words


@template("intent-dispatch", "dispatch with default")
def intent_dispatch(random: Random) -> Parts:
    """A dictionary of functions with a fallback function."""
    words = tuple(random.sample(("billing", "refund", "shipping", "support", "cancel", "sales"), 3))
    source = fill(
        random,
        """
        def on_<<one>>(text): return ("<<one>>", len(text))
        def on_<<two>>(text): return ("<<two>>", text.upper())
        def on_<<three>>(text): return ("<<three>>", text[:10])
        def small_talk(text): return ("chat", text)

        HANDLERS = {"<<one>>": on_<<one>>, "<<two>>": on_<<two>>, "<<three>>": on_<<three>>}

        def route(message):
            intent = ask(f"Intent of: {message}\\nOptions: {', '.join(HANDLERS)}")
            return HANDLERS.get(intent.strip().lower(), small_talk)(message)

        def handle():
            return route("Where is my parcel?")
        """,
        one=words[0],
        two=words[1],
        three=words[2],
    )
    return source, lambda random: with_default(random, words), words


@template("match-alternatives", "match with default")
def match_alternatives(random: Random) -> Parts:
    """A match statement whose cases name several words."""
    verbs = random.choice((("accept", "ok"), ("buy", "long"), ("allow", "permit")))
    nays = random.choice((("reject", "deny"), ("sell", "short"), ("block", "forbid")))
    source = fill(
        random,
        """
        from dataclasses import dataclass

        @dataclass
        class Decision:
            action: str
            final: bool = True

        def decide(case: str) -> Decision:
            match ask(f"Decide: {case}. Reply with a single verb.").strip().lower():
                case "<<y1>>" | "<<y2>>":
                    return Decision("<<y1>>")
                case "<<n1>>" | "<<n2>>":
                    return Decision("<<n1>>")
                case <<other>>:
                    return Decision(<<result>>, final=False)

        def handle():
            return decide("request #4411")
        """,
        y1=verbs[0],
        y2=verbs[1],
        n1=nays[0],
        n2=nays[1],
        **random.choice(({"other": "_", "result": '"escalate"'}, {"other": "x", "result": "x"})),
    )
    words = (*verbs, *nays)
    return source, lambda random: with_default(random, words), words


@template("match-strict", "match without default")
def match_strict(random: Random) -> Parts:
    """A match statement that raises on anything else, with guards on the number."""
    source = fill(
        random,
        """
        import re

        def move(text: str):
            match text.split():
                case ["go", ("north" | "south" | "east" | "west") as way]:
                    return ("go", way)
                case ["take", *thing] if thing:
                    return ("take", " ".join(thing))
                case ["wait", turns]:
                    return ("wait", int(turns))
                case ["look"]:
                    return ("look",)
            raise ValueError(f"illegal move: {text!r}")

        def handle():
            <<a>> = ask("Your move: go <way>, take <thing>, wait <turns>, look")
            return move(<<a>><<lower>>)
        """,
        lower=random.choice(("", ".strip()")),
    )

    def draw(random: Random) -> str:
        thing = random.choice((*TECH[:8], "the rusty key", "7", "Dr. No's hat", "it, quickly!"))
        return blanks(
            random,
            random.choice(
                (
                    "go " + random.choice(("north", "south", "east", "west")),
                    f"take {thing}",
                    "take  " + thing,
                    f"wait {random.choice(('3', '+1', '007', '1_0', '-2'))}",
                    "look",
                )
            ),
        )

    return source, draw, ()


@template("enum-strict", "enum")
def enum_strict(random: Random) -> Parts:
    """An enum looked up by value."""
    words = random.choice(
        (("LOW", "MEDIUM", "HIGH"), ("BUG", "FEATURE", "QUESTION"), ("A", "A-", "B+", "B"))
    )
    members = "\n    ".join(f"{chr(75 + i)} = {quoted(w)}" for i, w in enumerate(words))
    source = fill(
        random,
        """
        import enum

        class Level(enum.Enum):
            <<members>>

        def classify(ticket: str) -> Level:
            <<a>> = ask(f"One of {[m.value for m in Level]}: {ticket}")
            return Level(<<a>>.strip()<<upper>>)

        def handle():
            return classify("App crashes at start").value
        """,
        members=members,
        upper=(upper := random.choice(("", ".upper()"))),
    )

    def draw(random: Random) -> str:
        word = random.choice(words)
        return blanks(random, cased(random, word) if upper else word)

    return source, draw, ()


@template("enum-missing", "enum with _missing_")
def enum_missing(random: Random) -> Parts:
    """An enum that has a member for everything else."""
    words = tuple(random.sample(("python", "rust", "go", "java", "c", "kotlin", "r", "c++"), 3))
    rows = "\n    ".join(f"{chr(75 + i)} = {quoted(w)}" for i, w in enumerate(words))
    source = fill(
        random,
        """
        from enum import Enum

        class Language(str, Enum):
            <<rows>>
            UNKNOWN = "unknown"

            @classmethod
            def _missing_(cls, value):
                value = value.strip().lower()
                for member in cls:
                    if member.value == value:
                        return member
                return cls.UNKNOWN

        def handle():
            return Language(ask("Which programming language is this snippet written in?")).name
        """,
        rows=rows,
    )

    def draw(random: Random) -> str:
        if random.random() < 0.4:
            return blanks(random, random.choice(("C#", "F#", "C--", ".NET", "R.java", "Go!Lang")))
        return with_default(random, words, 0.2)

    return source, draw, words


@template("literal-strict", "Literal")
def literal_strict(random: Random) -> Parts:
    """A Literal whose arguments are checked."""
    words = random.choice(
        (("bug", "chore", "feat", "fix"), ("1", "2", "3", "10"), ("en", "en-GB", "de", "zh-Hant"))
    )
    source = fill(
        random,
        """
        from typing import Literal, get_args

        Label = Literal[<<words>>]

        def label(text: str) -> Label:
            <<a>> = ask(f"Label the text with one of {get_args(Label)}.\\n{text}").strip()
            if <<a>> not in get_args(Label):
                raise ValueError(f"unexpected label {<<a>>!r}")
            return <<a>>

        def handle():
            return label("typo in the docs")
        """,
        words=", ".join(quoted(w) for w in words),
    )
    return source, lambda random: blanks(random, random.choice(words)), ()


@template("literal-default", "Literal with default")
def literal_default(random: Random) -> Parts:
    """A Literal with a default in a conditional expression."""
    words = tuple(random.sample(("sports", "politics", "tech", "arts", "science", "food"), 4))
    source = fill(
        random,
        """
        from typing import Literal, get_args

        Topic = Literal[<<words>>]
        TOPICS = get_args(Topic)


        def topic_of(headline: str) -> str:
            <<a>> = ask("Topic of this headline: " + headline).strip().<<fold>>()
            return <<a>> if <<a>> in TOPICS else "other"


        def handle():
            return [topic_of("Local team wins again")]
        """,
        words=", ".join(quoted(w) for w in words),
        fold=random.choice(("lower", "casefold")),
    )
    return source, lambda random: with_default(random, words), words


@template("starts-with", "comparison with default")
def starts_with(random: Random) -> Parts:
    """The beginning of the answer decides, the rest is kept."""
    word = random.choice(("yes", "correct", "pass", "true"))
    source = fill(
        random,
        """
        def grade(student: str, key: str):
            <<a>> = ask(
                f"Is '{student}' right, given the key '{key}'? Begin with <<word>> or no."
            )
            ok = <<a>>.lstrip().lower().startswith("<<word>>")
            return {"ok": ok, "feedback": <<a>>}

        def handle():
            return grade("the mitochondria", "mitochondrion")
        """,
        word=word,
    )

    def draw(random: Random) -> str:
        start = random.choice(
            (word.title(), word, word.upper(), "No", "Not quite", "Nobody would say so", "Almost")
        )
        return start + random.choice(
            (".", "!", ", because " + sentence(random), f" – {prose(random)}")
        )

    return source, draw, (word,)


@template("contains-order", "containment with default")
def contains_order(random: Random) -> Parts:
    """Words anywhere in the answer, in order of importance."""
    source = fill(
        random,
        """
        RULES = [("CRITICAL", 3), ("UNSAFE", 2), ("SAFE", 1)]

        def risk(answer: str) -> int:
            for word, level in RULES:
                if word in answer:
                    return level
            return 0

        def handle():
            return risk(ask("Moderate this message. Say SAFE, UNSAFE or CRITICAL<<why>>."))
        """,
        why=random.choice(("", " and why")),
    )

    def draw(random: Random) -> str:
        word = random.choice(
            ("SAFE", "UNSAFE", "CRITICAL", "safe-ish", "no verdict", "N/A", "Safe?")
        )
        return random.choice(("{w}", "{w}\n{p}", "{p} {w}", "**{w}**: {p}", "[{w}]")).format(
            w=word, p=paragraph(random)
        )

    return source, draw, ("CRITICAL", "UNSAFE", "SAFE")


@template("level-index", "lookup with except")
def level_index(random: Random) -> Parts:
    """The place in a list, with a default in the except branch."""
    levels = random.choice(
        (("novice", "adept", "expert"), ("xs", "s", "m", "l", "xl"), ("never", "rarely", "often"))
    )
    source = fill(
        random,
        """
        LEVELS = [<<levels>>]

        def level(text):
            try:
                return LEVELS.index(text.strip().lower())
            except ValueError:
                return -1

        def handle():
            return level(ask(f"Pick one of {'/'.join(LEVELS)} for this learner."))
        """,
        levels=", ".join(quoted(w) for w in levels),
    )
    return source, lambda random: with_default(random, levels), levels


@template("grade-points", "dictionary lookup")
def grade_points(random: Random) -> Parts:
    """School grades with signs, looked up in a dictionary."""
    grades = {"A+": 4.3, "A": 4.0, "A-": 3.7, "B+": 3.3, "B": 3.0, "B-": 2.7, "C": 2.0, "F": 0.0}
    source = fill(
        random,
        """
        POINTS = <<grades>>

        def handle():
            <<a>> = ask("Grade this essay with A+ to F. Letter only.")
            <<rest>>
        """,
        grades=repr(grades).replace("'", '"'),
        rest=random.choice(
            (
                "return POINTS[<<a>>.strip()]",
                "grade = <<a>>.strip()\n    return grade, POINTS[grade]",
            )
        ).replace("<<a>>", "grades_text"),
        a="grades_text",
    )
    return source, lambda random: blanks(random, random.choice(tuple(grades))), ()


@template("language-alias", "dictionary lookup with default")
def language_alias(random: Random) -> Parts:
    """Aliases of language names, the answer itself as default."""
    source = fill(
        random,
        """
        ALIASES = {"py": "python", "js": "javascript", "c++": "cpp", "c#": "csharp", "sh": "bash"}

        class Highlighter:
            def detect(self, code: str) -> str:
                name = ask("Language of this snippet?\\n" + code).strip()
                return ALIASES.get(name.lower(), <<default>>)

        def handle():
            return Highlighter().detect("int main() {}")
        """,
        default=random.choice(('"text"', "name", "name.lower()")),
    )

    def draw(random: Random) -> str:
        others = (
            "F#",
            "C",
            "Objective-C",
            ".NET",
            "R",
            "Python",
            "PL/SQL",
            "J#",
            "brainf***",
            "C--",
        )
        return blanks(random, random.choice(("py", "JS", "C++", "c#", "sh", *others)))

    return source, draw, ("py", "js", "c++", "c#", "sh")


@template("verdict-last-line", "last line")
def verdict_last_line(random: Random) -> Parts:
    """The last line decides after the reasoning."""
    words = random.choice((("PASS", "FAIL"), ("TRUE", "FALSE"), ("SUPPORTED", "REFUTED")))
    source = fill(
        random,
        """
        def judge(claim: str) -> bool:
            <<a>> = ask(f"Think about the claim {claim!r}. Last line: <<yes>> or <<no>>.")
            *thoughts, verdict = <<a>>.strip().splitlines()
            verdict = verdict.strip().upper()
            if verdict not in ("<<yes>>", "<<no>>"):
                raise ValueError(verdict)
            return verdict == "<<yes>>"

        def handle():
            return judge("Bats are blind")
        """,
        yes=words[0],
        no=words[1],
    )

    def draw(random: Random) -> str:
        lead = random.choice(("", prose(random) + "\n", f"At first it looks like {words[0]}.\n\n"))
        return lead + blanks(random, cased(random, random.choice(words)))

    return source, draw, ()


@template("guard-codes", "guard answer")
def guard_codes(random: Random) -> Parts:
    """A guard model's answer: safe, or unsafe with codes in the next line."""
    source = fill(
        random,
        """
        def moderate(message):
            first, _, rest = ask(f"[INST] Is this safe? {message} [/INST]").strip().partition("\\n")
            if first.strip() == "safe":
                return (True, [])
            return (False, [code.strip() for code in rest.split(",") if code.strip()])

        def handle():
            return moderate("how do I pick a lock")
        """,
    )

    def draw(random: Random) -> str:
        codes = random.sample(("S1", "S2", "S10", "O-3", "S1.5"), random.randint(1, 3))
        unsafe = "unsafe\n" + random.choice((", ", ",")).join(codes)
        return blanks(random, random.choice(("safe", unsafe, unsafe, "unsafe")))

    return source, draw, ("safe",)


@template("none-sentinel", "negated comparison")
def none_sentinel(random: Random) -> Parts:
    """Anything but one word is taken as it is."""
    word = random.choice(("NONE", "UNKNOWN", "SKIP", "NO_MATCH"))
    source = fill(
        random,
        """
        from dataclasses import dataclass, field

        @dataclass
        class Memory:
            facts: list = field(default_factory=list)
            skipped: int = 0

            def learn(self, chat: str) -> "Memory":
                <<a>> = ask(f"State one fact about the user, or <<word>>.\\n{chat}").strip()
                if <<a>> != "<<word>>":
                    self.facts.append(<<a>>)
                else:
                    self.skipped += 1
                return self

        def handle():
            return Memory().learn("I moved to Zürich.")
        """,
        word=word,
    )

    def draw(random: Random) -> str:
        if random.random() < 0.3:
            return blanks(random, word)
        fact = random.choice(
            (f"Nobody knows {name(random)}.", "None of her pets bite.", text_line(random))
        )
        return blanks(random, fact)

    return source, draw, (word,)


@template("yes-tuple", "membership")
def yes_tuple(random: Random) -> Parts:
    """A lambda with a tuple of words, shared by two callers."""
    words = random.choice((("y", "yes", "yep"), ("oui", "o"), ("ja", "j", "jawohl"), ("да", "ага")))
    source = fill(
        random,
        """
        YES = <<words>>
        confirm = lambda q: ask(q).strip().casefold() in YES

        def may_delete(path):
            return "deleted" if confirm(f"Delete {path}?") else "kept"

        def may_send(mail):
            return "sent" if confirm(f"Send {mail}?") else "draft"

        def handle():
            return <<call>>
        """,
        words="(" + ", ".join(quoted(w) for w in words) + ")",
        call=random.choice(('may_delete("~/old")', 'may_send("Dear all")')),
    )
    return source, lambda random: with_default(random, words), words


@template("emoji-mood", "dictionary lookup with default")
def emoji_mood(random: Random) -> Parts:
    """One emoji stands for a mood."""
    moods = {"😀": "glad", "😢": "sad", "😡": "angry", "👍": "fine"}
    source = fill(
        random,
        """
        MOODS = <<moods>>

        def handle():
            return MOODS.get(ask("React with one of 😀 😢 😡 👍").strip(), "<<default>>")
        """,
        moods=repr(moods).replace("'", '"'),
        default=random.choice(("neutral", "other", "n/a")),
    )

    def draw(random: Random) -> str:
        pool = (*moods, "🤷", ":-)", "👎", "no", "😀😢", beside(random, ("sad", "glad")))
        return blanks(random, random.choice(pool))

    return source, draw, tuple(moods)
