"""Consumers with pydantic models."""

from __future__ import annotations

import random

from knitbone_evals.adapt.accepted.structures.structured_base import (
    AMOUNTS,
    PEOPLE,
    ask_prompt,
    extras,
    fenced,
    fill,
    keys,
    many,
    number,
    odd,
    pad,
    pick,
    prose,
    template,
    text_value,
    to_json,
    value,
    wrapped,
)

HINTS = ("Return JSON.", "Follow the schema.", "JSON only!")


def full(r: random.Random) -> str:
    """A text value that is not empty."""
    return text_value(r) or "x"


@template("model-plain", "pydantic model")
def _(r: random.Random):
    one, two = keys(r, 2)
    read = r.choice(
        ("model_validate_json(text)", "model_validate(json.loads(text))", "(**json.loads(text))")
    )
    source = fill(
        """
        import json

        from pydantic import BaseModel


        class Result(BaseModel):
            @one@: str
            @two@: str
            count: int
            ratio: float = 0.5


        def handle() -> Result:
            text = ask(@prompt@)
            return Result@read@
        """,
        one=one,
        two=two,
        read=read if read.startswith("(") else "." + read,
        prompt=ask_prompt(r, "the result", *HINTS),
    )

    def draw(d: random.Random) -> str:
        data = {
            one: full(d),
            two: text_value(d),
            "count": d.choice((3, -5, "7", " 12 ", "+3", "1_000", 2.0, "0042")),
        }
        if d.random() < 0.5:
            data["ratio"] = d.choice((number(d), "1e3", "-5", ".5", 1, "5.", True))
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("model-alias", "pydantic aliases")
def _(r: random.Random):
    by_name = r.random() < 0.5
    camel = r.random() < 0.5
    first, second = ("fullName", "birthPlace") if camel else ("Full Name", "Place of Birth")
    source = fill(
        """
        from pydantic import BaseModel, ConfigDict, Field


        class Person(BaseModel):
            @config@full_name: str = Field(alias="@first@")
            birth_place: str = Field("unknown", alias="@second@")


        class People(BaseModel):
            people: list[Person]


        def handle():
            return People.model_validate_json(ask(@prompt@)).people
        """,
        config="model_config = ConfigDict(populate_by_name=True)\n\n    " if by_name else "",
        first=first,
        second=second,
        prompt=ask_prompt(r, "the people", *HINTS),
    )

    def draw(d: random.Random) -> str:
        rows = []
        for _ in range(many(d, 1, 4, 20)):
            row = {
                "full_name" if by_name and d.random() < 0.4 else first: d.choice(
                    (pick(d, PEOPLE), full(d))
                )
            }
            if d.random() < 0.5:
                row[second] = value(d)
            elif not by_name and d.random() < 0.5:
                row["birth_place"] = value(d)
            rows.append(extras(d, row, 0.2))
        return pad(d, to_json(d, {"people": rows}))

    return source, draw


@template("model-literal-enum", "pydantic Literal and enum")
def _(r: random.Random):
    moods = r.sample(("happy", "sad", "N/A", "so-so", "A-", "C++", "not happy"), 3)
    colours = r.sample(("red", "green", "blue", "Red", "rot"), 3)
    source = fill(
        """
        from enum import Enum
        from typing import Literal

        from pydantic import BaseModel


        class Colour(str, Enum):
            A = "@a@"
            B = "@b@"
            C = "@c@"


        class Item(BaseModel):
            mood: Literal[@moods@]
            colour: Colour
            note: str = ""


        def handle():
            return Item.model_validate_json(ask(@prompt@))
        """,
        a=colours[0],
        b=colours[1],
        c=colours[2],
        moods=", ".join(f'"{mood}"' for mood in moods),
        prompt=ask_prompt(r, "mood and colour", *HINTS),
    )

    def draw(d: random.Random) -> str:
        data = {"mood": d.choice(moods), "colour": d.choice(colours)}
        if d.random() < 0.7:
            data["note"] = full(d)
        return pad(d, to_json(d, extras(d, data)))

    return source, draw, (*moods, *colours)


@template("model-optional", "pydantic Optional fields")
def _(r: random.Random):
    one, two, three = keys(r, 3)
    source = fill(
        """
        from typing import Optional

        from pydantic import BaseModel


        class Inner(BaseModel):
            @three@: @kind@ = None


        class Outer(BaseModel):
            @one@: str
            @two@: @kind@ = None
            inner: Optional[Inner] = None


        def handle():
            return Outer.model_validate_json(ask(@prompt@).strip())@ending@
        """,
        one=one,
        two=two,
        three=three,
        kind=r.choice(("Optional[str]", "str | None")),
        ending=r.choice(("", ".model_dump()", ".model_dump(exclude_none=True)")),
        prompt=ask_prompt(r, "what you know; null if unknown", *HINTS),
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {one: full(d)}
        if d.random() < 0.6:
            data[two] = d.choice((None, "", "null", "None", "N/A", full(d)))
        if d.random() < 0.6:
            data["inner"] = d.choice((None, {}, extras(d, {three: full(d)}), {three: None}))
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("model-extra", "pydantic extra keys")
def _(r: random.Random):
    extra = r.choice(("allow", "ignore", "forbid"))
    one, two = keys(r, 2)
    source = fill(
        """
        from pydantic import BaseModel, ConfigDict


        class Strict(BaseModel):
            model_config = ConfigDict(extra="@extra@"@more@)

            @one@: str
            @two@: list[str] = []


        def handle():
            return Strict.model_validate_json(ask(@prompt@))
        """,
        extra=extra,
        more=r.choice(("", ", frozen=True", ", strict=True", ", str_strip_whitespace=True")),
        one=one,
        two=two,
        prompt=ask_prompt(r, "the entry", *HINTS),
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {one: full(d)}
        if d.random() < 0.6:
            data[two] = [text_value(d) for _ in range(d.randint(0, 4))]
        if extra != "forbid":
            for _ in range(d.randint(0, 3)):
                data[d.choice(("notes", "x-y", "key 2", "Ünïcode", "0"))] = odd(d)
        return pad(d, to_json(d, data))

    return source, draw


@template("model-union", "pydantic Union, told apart by a field")
def _(r: random.Random):
    field = r.choice(("type", "kind", "action"))
    source = fill(
        """
        from typing import Annotated, Literal, Union

        from pydantic import BaseModel, Field, TypeAdapter


        class Say(BaseModel):
            @field@: Literal["say"]
            text: str


        class Move(BaseModel):
            @field@: Literal["move"]
            x: float
            y: float = 0


        Step = Annotated[Union[Say, Move], Field(discriminator="@field@")]


        def handle():
            return TypeAdapter(list[Step]).validate_json(ask(@prompt@))
        """,
        field=field,
        prompt=ask_prompt(r, "the plan as a list of steps", *HINTS),
    )

    def draw(d: random.Random) -> str:
        steps = []
        for _ in range(many(d, 1, 5)):
            say = {field: "say", "text": full(d)}
            move: dict[str, object] = {field: "move", "x": d.choice((number(d), "-5", "1e3"))}
            if d.random() < 0.5:
                move["y"] = number(d)
            steps.append(extras(d, d.choice((say, move)), 0.2))
        return pad(d, to_json(d, steps))

    return source, draw


@template("model-union-loose", "pydantic Union of plain types")
def _(r: random.Random):
    key = keys(r, 1)[0]
    source = fill(
        """
        from pydantic import BaseModel


        class Answer(BaseModel):
            @key@: @union@


        def handle():
            return Answer.model_validate_json(ask(@prompt@)).model_dump()
        """,
        key=key,
        union=r.choice(
            ("int | float | str | list[str] | None", "bool | int | str | list[str] | float | None")
        ),
        prompt=ask_prompt(r, "the value in its natural type", *HINTS),
    )

    def draw(d: random.Random) -> str:
        val = d.choice(
            (full(d), pick(d, AMOUNTS), number(d), [full(d)], None, True, "true", "5", [])
        )
        return pad(d, to_json(d, extras(d, {key: val})))

    return source, draw


@template("model-validator-before", "pydantic validator before")
def _(r: random.Random):
    sep = r.choice((",", ";", "|", "\\n"))
    source = fill(
        """
        from pydantic import BaseModel, field_validator


        class Recipe(BaseModel):
            title: str
            steps: list[str]
            minutes: int = 0

            @field_validator("steps", mode="before")
            @classmethod
            def split(cls, value):
                if isinstance(value, str):
                    return [part.strip() for part in value.split("@sep@") if part.strip()]
                return value

            @field_validator("minutes", mode="before")
            @classmethod
            def digits(cls, value):
                text = "".join(mark for mark in str(value) if mark.isdecimal())
                return int(text or 0)


        def handle():
            return Recipe.model_validate_json(ask(@prompt@))
        """,
        sep=sep,
        prompt=ask_prompt(r, "a recipe", *HINTS),
    )
    joint = "\n" if sep == "\\n" else sep + " "

    def draw(d: random.Random) -> str:
        steps = [full(d) for _ in range(many(d, 1, 5, 15))]
        data: dict[str, object] = {"title": full(d), "steps": d.choice((steps, joint.join(steps)))}
        if d.random() < 0.7:
            data["minutes"] = d.choice(
                ("30 min", "~10", 15, "1,000", "", None, "5-10", "about an hour")
            )
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("model-validator-after", "pydantic model validator")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        from pydantic import BaseModel, Field, model_validator


        class Pair(BaseModel):
            @one@: str = Field(min_length=1)
            @two@: str = ""
            low: int = Field(0, ge=-10)
            high: int = Field(10, le=1000)

            @model_validator(mode="after")
            def order(self):
                if self.low > self.high:
                    self.low, self.high = self.high, self.low
                @more@
                return self


        def handle():
            pair = Pair.model_validate_json(ask(@prompt@))
            return pair
        """,
        one=one,
        two=two,
        more=r.choice(
            (f"self.{two} = self.{two} or self.{one}", f"self.{two} = self.{two}.casefold()")
        ),
        prompt=ask_prompt(r, "a pair with bounds", *HINTS),
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {one: full(d)}
        if d.random() < 0.6:
            data[two] = text_value(d)
        if d.random() < 0.6:
            data["low"] = d.choice((-5, "+3", 999, "-10", 0))
        if d.random() < 0.6:
            data["high"] = d.choice((-5, "1_000", 999, "7", 3.0))
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("model-fallback", "pydantic with a default on failure")
def _(r: random.Random):
    labels = r.sample(("bug", "feature", "question", "chore", "docs"), 3)
    source = fill(
        """
        from typing import Literal

        from pydantic import BaseModel, ValidationError


        class Triage(BaseModel):
            label: Literal[@labels@, "other"] = "other"
            summary: str


        def handle() -> Triage:
            reply = ask(@prompt@)
            try:
                return Triage.model_validate_json(reply)
            except ValidationError:
                return Triage(summary=reply.strip()@cut@)
        """,
        labels=", ".join(f'"{label}"' for label in labels),
        cut=r.choice(("", "[:200]")),
        prompt=ask_prompt(r, "label and summary of the issue", *HINTS),
    )

    def draw(d: random.Random) -> str:
        if d.random() < 0.45:
            return d.choice(
                (prose(d), value(d), value(d), wrapped(d, to_json(d, [full(d)])), d.choice(labels))
            )
        label = d.choice((d.choice(labels), d.choice(labels), "other"))
        data = {"label": label, "summary": full(d)}
        if d.random() < 0.2:
            del data["label"]
        return pad(d, to_json(d, extras(d, data)))

    return source, draw, (*labels, "other")


@template("model-mapping", "pydantic mapping of models")
def _(r: random.Random):
    one = keys(r, 1)[0]
    source = fill(
        """
        from pydantic import BaseModel, TypeAdapter


        class Entry(BaseModel):
            @one@: str
            tags: set[str] = set()


        Glossary = TypeAdapter(dict[str, Entry])


        def handle():
            glossary = Glossary.validate_json(ask(@prompt@))
            return {term: (e.@one@, sorted(e.tags)) for term, e in glossary.items()}
        """,
        one=one,
        prompt=ask_prompt(r, "a glossary", *HINTS),
    )

    def draw(d: random.Random) -> str:
        data = {}
        for _ in range(many(d, 1, 4, 20)):
            entry: dict[str, object] = {one: full(d)}
            if d.random() < 0.6:
                entry["tags"] = [value(d) for _ in range(d.randint(0, 4))]
            data[value(d)] = extras(d, entry, 0.2)
        return pad(d, to_json(d, data))

    return source, draw


@template("model-from-fence", "pydantic model out of a fence")
def _(r: random.Random):
    one = keys(r, 1)[0]
    source = fill(
        """
        import re

        from pydantic import BaseModel


        class Output(BaseModel):
            @one@: str
            score: float | None = None


        def parse(text: str, model: type[BaseModel] = Output):
            fence = re.search(r"```(?:json)?\\n(.+)\\n```", text, re.DOTALL)
            return model.model_validate_json(fence[1] if fence else text)


        def handle():
            return parse(ask(@prompt@))
        """,
        one=one,
        prompt=ask_prompt(r, "the output", "You may explain first, then a ```json block."),
    )

    def draw(d: random.Random) -> str:
        while "```" in (text := full(d)):
            pass
        data: dict[str, object] = {one: text}
        if d.random() < 0.6:
            data["score"] = d.choice((number(d), None, "-5", "1e3"))
        made = to_json(d, data)
        return pad(d, made) if d.random() < 0.4 else wrapped(d, fenced(d, made))

    return source, draw


@template("model-inherited", "pydantic nested models")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        from datetime import date
        from decimal import Decimal

        from pydantic import BaseModel, Field


        class Base(BaseModel):
            @one@: str


        class Line(Base):
            amount: Decimal
            when: date | None = None


        class Invoice(Base):
            lines: list[Line] = Field(default_factory=list@more@)
            @two@: dict[str, str] = {}

            @property
            def total(self):
                return sum(line.amount for line in self.lines)


        def handle():
            invoice = Invoice.model_validate_json(ask(@prompt@))
            return invoice, invoice.total
        """,
        one=one,
        two=two,
        more=r.choice(("", ", max_length=50", ', description="as on paper"')),
        prompt=ask_prompt(r, "the invoice", *HINTS),
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(d.randint(0, 4)):
            line: dict[str, object] = {
                one: full(d),
                "amount": d.choice(("1e3", "-5", "12.50", number(d), "+3")),
            }
            if d.random() < 0.5:
                line["when"] = d.choice(("2024-01-05", None, "1999-12-31"))
            lines.append(extras(d, line, 0.1))
        data: dict[str, object] = {one: full(d), "lines": lines}
        if d.random() < 0.5:
            data[two] = {value(d): text_value(d) for _ in range(d.randint(0, 3))}
        return pad(d, to_json(d, extras(d, data)))

    return source, draw
