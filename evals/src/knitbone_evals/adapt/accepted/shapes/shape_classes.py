"""Programs whose readers sit behind classes, inheritance and strategy objects."""

from __future__ import annotations

import json

from knitbone_evals.adapt.accepted.shapes.shape_base import (
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
    pad,
    some,
    template,
)
from knitbone_evals.adapt.accepted.shapes.shape_passages import prose, single_line


@template
def abstract_base(r: Random) -> Consumer:
    sep = r.choice((" - ", " | ", ": ", " -> "))
    source = fill(
        r"""
        from abc import ABC, abstractmethod
        from dataclasses import dataclass


        @dataclass(frozen=True)
        class Entry:
            name: str
            note: str


        class Parser(ABC):
            hint = ""

            def run(self, prompt):
                return self.parse(self.clean(ask(f"{prompt} {self.hint}")))

            def clean(self, text):
                return text.strip()

            @abstractmethod
            def parse(self, text): ...


        class EntryParser(Parser):
            hint = "One per line: name@sep@note"

            def parse(self, text):
                return [Entry(*line.split("@sep@", 1)) for line in text.splitlines() if line]


        class StrictEntryParser(EntryParser):
            def parse(self, text):
                entries = super().parse(text)
                if any(not e.note.isalpha() for e in entries):
                    raise ValueError("letters only")
                return entries


        class @final@(EntryParser):
            def clean(self, text):
                return text.strip().rstrip("@strip@")


        def handle():
            return @final@().run("@prompt@")
        """,
        sep=sep,
        final=r.choice(("GuestParser", "CrewParser")),
        strip=r.choice((";", "=")),
        prompt=r.choice(("Who is coming?", "List the crew with a remark.")),
    )

    def draw(r: Random) -> str:
        lines = [
            f"{r.choice((r.choice(NAMES), mixed(r)))}{sep}{mixed(r)}"
            for _ in range(r.randint(1, 7))
        ]
        lines = [line for line in lines if line.count(sep) == 1] or [f"Bo{sep}no."]
        return pad(r, join_lines(r, lines, 0.1))

    return consumer("abstract_base", "abstract base, subclass overrides", source, draw)


@template
def template_method(r: Random) -> Consumer:
    source = fill(
        r'''
        class Reader:
            """Base: subclasses say what a record is."""

            separator = "\n\n"

            def records(self, text):
                return [self.record(r) for r in text.split(self.separator) if r.strip()]

            def record(self, chunk):
                raise NotImplementedError


        class CardReader(Reader):
            separator = "@sep@"

            def record(self, chunk):
                first, *rest = chunk.strip().splitlines()
                return {"front": first, "back": [line for line in rest if line.strip()]}


        class NumberReader(Reader):
            def record(self, chunk):
                return float(chunk)


        def handle():
            return CardReader().records(ask("Make flash cards, separate them with @shown@."))
        ''',
        sep=(sep := r.choice(("---", "***", "\\n\\n", "==="))),
        shown="an empty line" if sep == "\\n\\n" else sep,
    )
    between = "\n\n" if sep == "\\n\\n" else f"\n{sep}\n"

    def draw(r: Random) -> str:
        cards = []
        for _ in range(r.randint(1, 5)):
            front = r.choice((mixed(r), "Q: " + r.choice(SENTENCES), "# " + r.choice(PLACES)))
            back = [
                r.choice((mixed(r), "A: " + mixed(r), "1. a", "- b"))
                for _ in range(r.randint(0, 3))
            ]
            cards.append("\n".join([front, *back]))
        return pad(r, between.join(cards))

    return consumer("template_method", "template method", source, draw)


@template
def strategy_object(r: Random) -> Consumer:
    sep = r.choice((";", "|", "//"))
    source = fill(
        r"""
        from collections.abc import Callable
        from dataclasses import dataclass


        @dataclass
        class Strategy:
            name: str
            split: Callable[[str], list[str]]
            convert: Callable[[str], object] = str.strip
            keep: Callable[[str], bool] = bool

            def __call__(self, text):
                return [self.convert(p) for p in self.split(text) if self.keep(p.strip())]


        NUMBERS = Strategy("numbers", str.split, float)
        NAMES = Strategy("names", lambda s: s.split("@sep@"), keep=lambda s: @keep@)


        def extract(text, strategy=NAMES):
            return strategy.name, strategy(text)


        def handle():
            return extract(ask("Names in the story, separated by @sep@"))
        """,
        sep=sep,
        keep=r.choice(("len(s) > 0", "s != ''", "not s.startswith('#')")),
    )

    def draw(r: Random) -> str:
        words = [w for w in [*NAMES, *TRICKY, *PLACES] if sep not in w and w[0] != "#"]
        return pad(r, r.choice((sep, sep + " ", f" {sep} ", sep + "\n")).join(some(r, words, 1, 8)))

    return consumer("strategy_object", "strategy object", source, draw)


@template
def mixin_super(r: Random) -> Consumer:
    source = fill(
        r"""
        class Text:
            def read(self, text):
                return text


        class Stripped(Text):
            def read(self, text):
                return super().read(text).strip()


        class Unquoted(Text):
            def read(self, text):
                text = super().read(text)
                if len(text) > 1 and text[0] == text[-1] == '"':
                    return text[1:-1]
                return text


        class FirstLine(Text):
            def read(self, text):
                return super().read(text).split("\n")[0]


        class @cls@(@bases@):
            pass


        def handle():
            return @cls@().read(ask("@prompt@"))
        """,
        cls=r.choice(("Slogan", "TitleReader", "Motto")),
        bases=r.choice(
            ("Unquoted, Stripped", "FirstLine, Stripped", "Unquoted, FirstLine, Stripped")
        ),
        prompt=r.choice(("A slogan for O'Brien's bakery.", "Title for the talk?")),
    )

    def draw(r: Random) -> str:
        text = r.choice((mixed(r), r.choice(SENTENCES), single_line(r)))
        if r.random() < 0.4:
            text = r.choice(
                (f'"{text}"', f"'{text}'", f"“{text}”", f'"{text}', f"**{text}**", f"`{text}`")
            )
        if r.random() < 0.2:
            text += "\n" + r.choice(SENTENCES)
        return pad(r, text)

    return consumer("mixin_super", "mixins that call super", source, draw)


@template
def callable_parser(r: Random) -> Consumer:
    source = fill(
        r"""
        from typing import NamedTuple, Protocol


        class Parser(Protocol):
            def __call__(self, text: str) -> object: ...


        class Pair(NamedTuple):
            term: str
            meaning: str


        class Glossary:
            def __init__(self, arrow):
                self.arrow = arrow

            def __call__(self, text):
                pairs = []
                for line in text.splitlines():
                    term, arrow, meaning = line.partition(self.arrow)
                    if arrow:
                        pairs.append(Pair(term.strip(@chars@), meaning.strip()))
                return pairs


        def request(prompt: str, parser: Parser):
            return parser(ask(prompt))


        def handle():
            return request("Glossary, one 'term @arrow@ meaning' per line", Glossary("@arrow@"))
        """,
        arrow=(arrow := r.choice(("=>", "->", "=", "::"))),
        chars=r.choice(("", '" *-"')),
    )

    def draw(r: Random) -> str:
        lines = []
        for _ in range(r.randint(1, 7)):
            term = r.choice(("", "- ", "* ", "**")) + mixed(r).replace(arrow, "~")
            lines.append(
                f"{term}{r.choice((' ', ' ', ''))}{arrow} {r.choice((mixed(r), single_line(r)))}"
            )
            if r.random() < 0.2:
                lines.append(r.choice(("", "Terms:", "(more on request)")))
        return join_lines(r, lines)

    return consumer("callable_parser", "parser object with __call__", source, draw)


@template
def pydantic_union(r: Random) -> Consumer:
    source = fill(
        r"""
        import json
        from pydantic import BaseModel, ValidationError


        class Hit(BaseModel):
            title: str
            score: float = 0.0


        class Hits(BaseModel):
            hits: list[Hit]
            note: str | None = None


        def parse(text):
            for model in (Hits, Hit):
                try:
                    return model.model_validate_json(text)
                except ValidationError:
                    @skip@
            return text.strip()


        def handle():
            return parse(ask("Search the @what@: JSON with hits, or say that there's nothing."))
        """,
        skip=r.choice(("continue", "pass")),
        what=r.choice(("archive", "catalogue")),
    )

    def draw(r: Random) -> str:
        def hit() -> dict[str, object]:
            data: dict[str, object] = {"title": mixed(r)}
            if r.random() < 0.6:
                data["score"] = r.choice((-5, 0.5, "0.7", "1e3", 1000, "+3"))
            if r.random() < 0.4:
                data[r.choice(("id", "Title", "lang"))] = r.choice((None, mixed(r), {"x": []}))
            return data

        choice = r.random()
        if choice < 0.4:
            value = {"hits": [hit() for _ in range(r.randint(0, 4))]}
            if r.random() < 0.5:
                value["note"] = r.choice((None, mixed(r)))
            return pad(r, json.dumps(value, ensure_ascii=False, indent=r.choice((None, 2))))
        if choice < 0.65:
            return json.dumps(hit(), ensure_ascii=False)
        return r.choice(
            ("Nothing found.", "No hits: 0", '{"hits": "none"}', "[]", "null", prose(r))
        )

    return consumer("pydantic_union", "one model, else another, else text", source, draw)
