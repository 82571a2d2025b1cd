"""Programs whose flow is unusual: generators, partials, closures, loops, validators, negation."""

from __future__ import annotations

import json

from knitbone_evals.adapt.accepted.shapes.shape_base import (
    ITEMS,
    NAMES,
    PLACES,
    SENTENCES,
    TRICKY,
    Consumer,
    Random,
    consumer,
    fill,
    join_lines,
    mixed,
    number,
    pad,
    some,
    template,
)
from knitbone_evals.adapt.accepted.shapes.shape_passages import passage, prose, single_line


@template
def generator_records(r: Random) -> Consumer:
    a, b = r.choice((("Name", "Role"), ("Term", "Definition"), ("Q", "A")))
    source = fill(
        r"""
        def records(lines):
            current = {}
            for line in lines:
                if not line.strip():
                    if current:
                        yield current
                        current = {}
                    continue
                key, sep, value = line.partition(":")
                if sep and key in ("@a@", "@b@"):
                    current[key.lower()] = value.strip()
            if current:
                yield current


        def handle():
            answer = ask("@prompt@ Blocks of '@a@:' and '@b@:', empty line between.")
            return list(records(answer.splitlines()))
        """,
        a=a,
        b=b,
        prompt=r.choice(("Fill in the cards.", "Make the list.")),
    )

    def draw(r: Random) -> str:
        blocks = []
        for _ in range(r.randint(1, 5)):
            lines = [f"{a}: {r.choice((mixed(r), r.choice(NAMES)))}", f"{b}: {mixed(r)}"]
            if r.random() < 0.3:
                lines.insert(
                    r.randint(0, 2), r.choice((f"{a}s: 2", f"{b.lower()}: x", "# note", "Id: 0042"))
                )
            blocks.append(lines)
        text = [line for block in blocks for line in [*block, *[""] * r.choice((1, 1, 2))]]
        return r.choice(("", "Cards\n\n", "\n")) + join_lines(r, text)

    return consumer("generator_records", "generator of records", source, draw)


@template
def partial_split(r: Random) -> Consumer:
    sep = r.choice((",", ";", " / ", "\t"))
    source = fill(
        r"""
        from functools import partial


        def split(text, sep, strip=True, limit=-1):
            parts = text.split(sep, limit)
            return [p.strip() for p in parts] if strip else parts


        by_line = partial(split, sep="\n")
        by_word = partial(split, sep=" ", limit=1)
        fields = partial(split, sep=@sep@@more@)


        def handle():
            return fields(ask("@prompt@"))
        """,
        sep=repr(sep),
        more=r.choice(("", ", strip=False", ", limit=2")),
        prompt=r.choice(("Colours, sep = " + repr(sep)[1:-1], "Alternatives for 'nice'?")),
    )

    def draw(r: Random) -> str:
        return sep.join(some(r, [*ITEMS, *TRICKY, *NAMES], 1, 7))

    return consumer("partial_split", "functools.partial", source, draw)


@template
def lambda_pipeline(r: Random) -> Consumer:
    source = fill(
        r"""
        from functools import reduce

        STEPS = [
            lambda s: s.strip(),
            lambda s: s.replace("\r\n", "\n"),
            lambda s: s.split("\n"),
            lambda ls: [x for x in ls if @test@],
            lambda ls: @last@,
        ]


        def handle():
            return reduce(lambda value, step: step(value), STEPS, ask("Words that rhyme with 'no'"))
        """,
        test=r.choice(("x", "x.strip()", "not x.isspace()")),
        last=r.choice(("tuple(ls)", "dict(enumerate(ls, 1))", "ls[::-1]", "sorted(ls)")),
    )

    def draw(r: Random) -> str:
        words = ["no", "know", "Joe", "no.", "so-so", "no no", "  slow", "bow\t", "«oh»", "no", "5"]
        return pad(r, join_lines(r, some(r, [*words, *TRICKY, *ITEMS], 1, 9), 0.15))

    return consumer("lambda_pipeline", "lambdas and reduce", source, draw)


@template
def closure_parser(r: Random) -> Consumer:
    key = r.choice(("Verdict", "Reason", "Title"))
    source = fill(
        r"""
        def field(label):
            seen = []

            def find(text):
                for line in text.splitlines():
                    if line.startswith(label + ":"):
                        seen.append(line[len(label) + 1:].strip())
                return seen[-1] if seen else "@default@"

            return find


        def handle():
            get_field = field("@key@")
            return get_field(ask("@prompt@ Include a line '@key@: ...'"))
        """,
        key=key,
        default=r.choice(("n/a", "unknown", "-")),
        prompt=r.choice(("Judge the poem.", "Look at the form.")),
    )

    def draw(r: Random) -> str:
        around = [r.choice(SENTENCES), passage(r, "summary", "quotation"), "", f"{key}s: many"]
        if r.random() < 0.35:
            near = (
                f"No {key.lower()} given",
                f"{key}s are many",
                f"{key}-less",
                f"Un{key}: y",
                f"My {key}: z",
            )
            return "\n".join([*some(r, around, 0, 2), r.choice((*near, "none"))])
        lines = [*some(r, around, 0, 2), f"{key}: {mixed(r)}", *some(r, around, 0, 2)]
        return join_lines(r, lines)

    return consumer("closure_parser", "closure, with default", source, draw, (f"{key}:",))


@template
def reduce_counts(r: Random) -> Consumer:
    source = fill(
        r"""
        from collections import Counter
        from functools import reduce


        def merge(total, line):
            word, _, n = line.rpartition(" ")
            total[word] += int(n.strip("()x×"))
            return total


        def handle():
            lines = ask("@prompt@ One 'thing count' per line").strip().splitlines()
            return dict(reduce(merge, lines, Counter()))
        """,
        prompt=r.choice(("Count what's in the cupboard.", "Tally the votes.")),
    )

    def draw(r: Random) -> str:
        counts = ["3", "(2)", "x4", "×12", "-5", "+3", "0042", "1_000", "5x", "0"]
        things = [*ITEMS, *NAMES, "10", "no", "- tea", "A-", "C++"]
        lines = [f"{r.choice(things)} {r.choice(counts)}" for _ in range(r.randint(1, 8))]
        return pad(r, join_lines(r, lines + lines[: r.randint(0, 2)]))

    return consumer("reduce_counts", "reduce to counts", source, draw)


@template
def take_until_rule(r: Random) -> Consumer:
    rule = r.choice(("---", "END", "==="))
    source = fill(
        r"""
        from itertools import dropwhile, takewhile


        def body(lines):
            lines = dropwhile(lambda l: not l.strip()@skip@, lines)
            return list(takewhile(lambda l: l.rstrip() != "@rule@", lines))


        def handle():
            return "\n".join(body(ask("Write the note. Finish with a line '@rule@'.").split("\n")))
        """,
        rule=rule,
        skip=r.choice(("", ' or l.startswith(("Sure", "Here is"))')),
    )

    def draw(r: Random) -> str:
        kinds = ("poem", "recipe", "minutes", "lyrics", "legal", "sql code")
        text = passage(r, *kinds).replace("\n---\n", "\n")
        lead = r.choice(("", "", "\n", "\n \n"))
        tail = r.choice(
            ("", f"\n{rule}", f"\n{rule}\n", f"\n{rule} \nHope it helps!", f"\n{rule}ING")
        )
        return f"{lead}{text}{tail}"

    return consumer("take_until_rule", "takewhile up to an end mark", source, draw)


@template
def context_manager(r: Random) -> Consumer:
    source = fill(
        r"""
        import contextlib
        import io


        @contextlib.contextmanager
        def reading(text):
            stream = io.StringIO(text)
            try:
                yield stream
            finally:
                stream.close()


        def handle():
            with reading(ask("@prompt@")) as stream:
                head = stream.readline().rstrip("\n")
                rest = stream.read()
            return {"head": head, "rest": rest@strip@}
        """,
        prompt=r.choice(("First line: the subject. Then the mail.", "A title, then the story.")),
        strip=r.choice(("", ".strip()", ".splitlines()")),
    )

    def draw(r: Random) -> str:
        head = r.choice((mixed(r), "Subject: " + mixed(r), "# " + r.choice(PLACES)))
        return head + r.choice(("\n", "\n\n")) + prose(r)

    return consumer("context_manager", "context manager over a stream", source, draw)


@template
def walrus_stream(r: Random) -> Consumer:
    size = r.choice((8, 16, 40))
    source = fill(
        r"""
        import io


        def chunks(text, size=@size@):
            stream = io.StringIO(text, newline="")
            while chunk := stream.read(size):
                yield chunk


        def handle():
            return list(chunks(ask("@prompt@")))
        """,
        size=size,
        prompt=r.choice(("Tell a story for the ticker.", "Text for the LED panel:")),
    )
    return consumer("walrus_stream", "chunks of a stream", source, lambda r: prose(r))


@template
def retry_first_valid(r: Random) -> Consumer:
    low, high = r.choice(((1, 5), (0, 100), (-10, 10)))
    source = fill(
        r"""
        class BadAnswer(Exception):
            pass


        def parse(text):
            value = float(text.strip())
            if not @low@ <= value <= @high@:
                raise BadAnswer(text)
            return value


        def handle(attempts=3):
            prompt = "@question@ A number from @low@ to @high@."
            for n in range(attempts):
                try:
                    return parse(ask(prompt))
                except (ValueError, BadAnswer) as e:
                    prompt += f"\nThat was not valid: {e}"
            raise RuntimeError("no valid answer")
        """,
        low=low,
        high=high,
        question=r.choice(("How spicy is it?", "Rate the mood.")),
    )

    def draw(r: Random) -> str:
        n = r.randint(low, high)
        sign = "" if n < 0 else r.choice(("", "+"))
        spelling = r.choice(
            (f"{n}", f"{n}.0", f"{n}.", f"{sign}{n}", f"{n}e0", f"{sign}00{abs(n)}")
        )
        if n < 0 and "00" in spelling:
            spelling = f"-00{abs(n)}"
        return pad(r, spelling)

    return consumer("retry_first_valid", "retry loop, first answer valid", source, draw)


@template
def validator_reason(r: Random) -> Consumer:
    limit = r.choice((40, 80, 140))
    source = fill(
        r"""
        def validate(text):
            if not text.strip():
                return False, "empty"
            if len(text) > @limit@:
                return False, f"too long: {len(text)}"
            if "\n" in text.strip():
                return False, "one line only"
            @extra@return True, ""


        def handle():
            note, history = "", []
            while True:
                draft = ask("A @kind@, max @limit@ characters. " + note)
                ok, note = validate(draft)
                history.append((draft, ok))
                if ok or len(history) > 4:
                    return history
        """,
        limit=limit,
        kind=r.choice(("tweet", "headline", "push message")),
        extra=r.choice(
            ("", 'if text.lower().startswith("as an ai"):\n        return False, "no"\n    ')
        ),
    )

    def draw(r: Random) -> str:
        text = r.choice(
            (mixed(r), f"{mixed(r)} {mixed(r)}", f'"{mixed(r)}"', single_line(r)[: limit - 4])
        )
        return r.choice(("", "", " ", "\n")) + text + r.choice(("", "", "\n", " "))

    return consumer("validator_reason", "validator with (ok, reason)", source, draw)


@template
def negated_prefix(r: Random) -> Consumer:
    marks = r.choice((("#",), ("#", "//"), ("Note:", "Sure"), ("-", "*")))
    source = fill(
        r"""
        SKIP = @marks@


        def handle():
            kept = []
            for line in ask("@prompt@").splitlines():
                if not line.startswith(SKIP)@more@:
                    kept.append(line@end@)
            return kept
        """,
        marks=repr(marks),
        more=r.choice(("", " and line.strip()", ' and not line.endswith(":")')),
        end=r.choice(("", ".strip()", ".rstrip()")),
        prompt=r.choice(("Plain lines, comments start with " + marks[0], "Write the host list.")),
    )

    def draw(r: Random) -> str:
        lines = []
        for text in some(r, [*TRICKY, *ITEMS, *SENTENCES, *NAMES, *PLACES], 1, 8):
            if not text.startswith(marks):
                lines.append(text)
            if r.random() < 0.3:
                lines.append(f"{r.choice(marks)} {mixed(r)}")
        return join_lines(r, [*lines, "last line"], 0.15)

    return consumer("negated_prefix", "negated filter on lines", source, draw)


@template
def negated_word(r: Random) -> Consumer:
    word = r.choice(("ERROR", "NONE", "no issues", "UNSAFE"))
    source = fill(
        r"""
        def handle():
            report = ask("Check the file. Say '@word@' if @when@.")
            if "@word@" not in report:
                return {"flag": False, "report": report}
            @note@return {"flag": True, "report": report@tail@}
        """,
        word=word,
        when=r.choice(("it applies", "that's the case")),
        note=r.choice(("", 'print("flagged")\n    ')),
        tail=r.choice(("", f'.replace("{word}", "").strip()', '.split("\\n")')),
    )

    def draw(r: Random) -> str:
        if r.random() < 0.45:
            return r.choice(
                (
                    word,
                    f"{word}: {mixed(r)}",
                    f"{prose(r, 'summary')}\n{word}",
                    f"{word}S",
                    f"({word})",
                )
            )
        near = [
            word.swapcase(),
            word[:-1],
            word.replace(" ", "-") + "?" if " " in word else word[0] + ".",
        ]
        return r.choice((*near, "All good.", "nothing", "Err... no", prose(r), mixed(r)))

    return consumer("negated_word", "word not in the text", source, draw, (word,))


@template
def refusal_check(r: Random) -> Consumer:
    source = fill(
        r"""
        REFUSALS = ("i cannot help with", "as an ai", "i can't assist")


        def refused(text):
            return any(phrase in text.lower() for phrase in REFUSALS)


        def handle():
            text = ask("@prompt@")
            if not refused(text):
                return text@strip@
            return "@default@"
        """,
        prompt=r.choice(("Write a letter to the neighbours.", "Reply to Tom.")),
        strip=r.choice(("", ".strip()")),
        default=r.choice(("(no answer)", "Please try again.")),
    )

    def draw(r: Random) -> str:
        if r.random() < 0.35:
            phrase = r.choice(("I cannot help with", "As an AI", "I can't assist"))
            return f"{r.choice(('Sorry, ', '', 'Well. '))}{phrase} {r.choice(ITEMS)}."
        return prose(r, "letter", "letter", "quotation", "poem", "chat")

    return consumer(
        "refusal_check", "phrases of refusal", source, draw, ("i cannot help with", "as an ai")
    )


@template
def negated_match(r: Random) -> Consumer:
    pattern, good = r.choice(
        (
            (r"[a-z]+(-[a-z]+)*", ["snow", "yes-man", "non", "no", "x-y-z", "nobody"]),
            (r"[A-Z]{2,4}-\d{2,5}", ["AB-0042", "XYZ-12", "NO-007", "EUR-1000"]),
            (r"v?\d+(\.\d+)*\.?", ["v2.0.", "1.0", "0042", "3.", "v10.0.1"]),
        )
    )
    source = fill(
        r"""
        import re

        VALID = re.compile(r"@pattern@")


        def handle():
            answer = ask("@prompt@").strip()
            if not VALID.fullmatch(answer):
                return ("invalid", answer)
            return ("ok", answer)
        """,
        pattern=pattern,
        prompt=r.choice(("Just the code.", "Suggest a slug", "Which version/id?")),
    )

    def draw(r: Random) -> str:
        near = [g + r.choice(("!", " (new)", " or so", "-", "/x", "?")) for g in good]
        near += [
            f"{good[0]} or {good[1]}",
            f"{good[1]}, {good[0]}",
            f"not {good[0]}",
            "n/a?",
            "No.",
        ]
        return pad(r, r.choice(good) if r.random() < 0.55 else r.choice((*near, mixed(r))))

    return consumer("negated_match", "pattern not matched", source, draw)


@template
def filter_and_count(r: Random) -> Consumer:
    source = fill(
        r"""
        from collections import Counter


        def is_content(line):
            return line and not line.isspace() and "@mark@" not in line


        def handle():
            lines = filter(is_content, ask("@prompt@").splitlines())
            counts = Counter(map(str.strip, lines))
            return counts.most_common()
        """,
        mark=r.choice(("```", "TODO", "=====")),
        prompt=r.choice(
            ("Simulate 10 draws from the urn, one per line.", "The log lines, verbatim.")
        ),
    )

    def draw(r: Random) -> str:
        pool = some(
            r,
            ["red", "blue", "Red", "red.", "no", "-5", "A-", "blue-ish", "", "TODO x", "```"],
            2,
            5,
        )
        lines = ["red", *[r.choice(pool) for _ in range(r.randint(2, 14))]]
        return passage(r, "log") if r.random() < 0.2 else join_lines(r, lines)

    return consumer("filter_and_count", "filter and count repeats", source, draw)


@template
def memo_and_state(r: Random) -> Consumer:
    source = fill(
        r"""
        class Session:
            def __init__(self):
                self.state = {}

            def __getitem__(self, key):
                if key not in self.state:
                    self.state[key] = ask(f"Value of {key}?")
                return self.state[key]


        def handle():
            session = Session()
            first = session["@key@"]
            again = session["@key@"]
            return [first, again, first == again]
        """,
        key=r.choice(("motto", "price", "address")),
    )

    def draw(r: Random) -> str:
        return r.choice((mixed(r), number(r), single_line(r), prose(r)))

    return consumer("memo_and_state", "cached answer", source, draw)


@template
def zip_questions(r: Random) -> Consumer:
    n = r.randint(2, 5)
    questions = r.sample(("Age?", "City?", "Grade?", "Price?", "Motto?", "Code?"), n)
    source = fill(
        r"""
        QUESTIONS = @questions@


        def handle():
            prompt = "Answer each on its own line, in order, no numbering:\n" + "\n".join(QUESTIONS)
            answers = [a for a in ask(prompt).split("\n") if a.strip()]
            assert len(answers) == len(QUESTIONS), answers
            return dict(zip(QUESTIONS, map(str.strip, answers)@strict@))
        """,
        questions=json.dumps(questions),
        strict=r.choice(("", ", strict=True")),
    )

    def draw(r: Random) -> str:
        answers = [
            r.choice((mixed(r), number(r), r.choice(SENTENCES), single_line(r))) for _ in range(n)
        ]
        return pad(r, r.choice(("\n", "\n\n", "\r\n")).join(answers))

    return consumer("zip_questions", "as many lines as questions", source, draw)
