"""Templates of programs that read a label as an enum or a literal type."""

from __future__ import annotations

from random import Random

from knitbone_evals.adapt.accepted.scalars.single_base import (
    Built,
    fill,
    member,
    pad,
    pad_cased,
    pick,
    template,
    tuple_of,
)
from knitbone_evals.adapt.accepted.scalars.single_words import DEFAULTS, TOPICS

ENUM = """
from enum import Enum


class Label(<<base>>):
<<members>>
"""


def enum_source(labels: tuple[str, ...], body: str, base: str = "Enum") -> str:
    """A program with an enum of these labels, followed by this body."""
    members = "\n".join(f'    {member(label)} = "{label}"' for label in labels)
    head = ENUM.replace("<<members>>", members).replace("<<base>>", base)
    return head + body


@template("enum without default")
def enum_by_value(random: Random) -> Built:
    """An enum member by its value."""
    topic = random.choice(TOPICS)
    base = random.choice(("Enum", "str, Enum"))
    body = random.choice(
        (
            "\n\ndef handle():\n    return Label(<<ask>>.strip().lower())\n",
            "\n\ndef handle() -> Label:\n    <<v>> = <<ask>>\n"
            "    return Label(<<v>>.lower().strip())\n",
        )
    )
    text = fill(random, topic.prompt, enum_source(topic.labels, body, base))
    return Built(text, pick(topic.labels, dress=pad_cased))


@template("enum without default")
def enum_by_name(random: Random) -> Built:
    """An enum member by its name."""
    topic = random.choice(TOPICS)
    body = "\n\ndef handle():\n    return Label[<<ask>>.strip().upper()]\n"
    text = fill(random, topic.prompt, enum_source(topic.labels, body))
    return Built(text, pick(topic.labels, dress=pad_cased))


@template("enum with default")
def enum_missing(random: Random) -> Built:
    """An enum whose `_missing_` knows more spellings and has a default."""
    topic = random.choice(TOPICS)
    body = random.choice(
        (
            """    OTHER = "other"

    @classmethod
    def _missing_(cls, value):
        value = str(value).strip().lower()
        for item in cls:
            if item.value == value:
                return item
        return cls.OTHER


def handle():
    return Label(<<ask>>)
""",
            """    OTHER = "other"

    @classmethod
    def _missing_(cls, value):
        return cls.OTHER


def handle():
    return Label(<<ask>>.strip().lower())
""",
        )
    )
    text = fill(random, topic.prompt, enum_source(topic.labels, body))
    return Built(text, pick(topic.labels, (*topic.others, "other"), pad_cased), topic.labels)


@template("enum with default")
def enum_or_except(random: Random) -> Built:
    """An enum member by value, with a default in the except branch."""
    topic = random.choice(TOPICS)
    body = """

DEFAULT = Label.<<last>>


def handle():
    try:
        return Label(<<ask>>.strip().lower())
    except ValueError:
        return DEFAULT
"""
    text = fill(
        random, topic.prompt, enum_source(topic.labels, body), last=member(topic.labels[-1])
    )
    return Built(text, pick(topic.labels, topic.others, pad_cased), topic.labels)


@template("enum with default")
def int_enum_levels(random: Random) -> Built:
    """An IntEnum by number or by name, else the middle level."""
    source = """
    from enum import IntEnum


    class Level(IntEnum):
        LOW = 1
        MEDIUM = 2
        HIGH = 3


    def handle():
        <<v>> = <<ask>>.strip().upper()
        if <<v>>.isdigit() and 1 <= int(<<v>>) <= 3:
            return Level(int(<<v>>))
        return Level.__members__.get(<<v>>, Level.MEDIUM)
    """
    words = ("LOW", "MEDIUM", "HIGH", "1", "2", "3", "03")
    others = ("not high", "0", "4", "-1", "1.5", "low to medium", "HIGHLANDS", "n/a", "1-2")
    text = fill(random, "Risk level? LOW, MEDIUM, HIGH or 1-3", source)
    return Built(text, pick((*words, "low", "High"), others, pad), words)


@template("literal type with default")
def literal_or_fallback(random: Random) -> Built:
    """`Literal` and `get_args` with a fallback."""
    topic = random.choice(TOPICS)
    source = """
    from typing import Literal, get_args

    Label = Literal[<<labels>>]


    def handle():
        <<v>> = <<ask>>.strip().lower()
        if <<v>> in get_args(Label):
            return <<v>>
        return <<=default>>
    """
    default = random.choice(DEFAULTS)
    text = fill(random, topic.prompt, source, labels=tuple_of(topic.labels), default=default)
    return Built(text, pick(topic.labels, topic.others, pad_cased), topic.labels)


@template("literal type without default")
def literal_or_raise(random: Random) -> Built:
    """`Literal` and `get_args`, or a pydantic adapter, that raises."""
    topic = random.choice(TOPICS)
    source = random.choice(
        (
            """
            from typing import Literal, get_args

            Label = Literal[<<labels>>]


            def handle():
                <<v>> = <<ask>>.strip()
                assert <<v>> in get_args(Label), f"bad label {<<v>>}"
                return <<v>>, get_args(Label).index(<<v>>)
            """,
            """
            from typing import Literal
            from pydantic import BaseModel


            class Verdict(BaseModel):
                label: Literal[<<labels>>]


            def handle():
                return Verdict(label=<<ask>>.strip())
            """,
        )
    )
    text = fill(random, topic.prompt, source, labels=tuple_of(topic.labels))
    return Built(text, pick(topic.labels, dress=pad))
