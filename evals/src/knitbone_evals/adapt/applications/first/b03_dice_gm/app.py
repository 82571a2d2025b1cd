"""Referee for our play-by-post table: the players write prose, the sheet wants numbers."""
from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from dataclasses import dataclass, asdict
from enum import Enum

import anthropic


class Outcome(Enum):
    HIT = "hit"
    MISS = "miss"
    CRITICAL = "critical"
    FUMBLE = "fumble"


@dataclass(frozen=True)
class Turn:
    actor: str
    target: str
    outcome: Outcome
    damage: int
    conditions: tuple[str, ...]

    def to_json(self):
        d = asdict(self)
        d["outcome"] = self.outcome.value
        d["conditions"] = list(self.conditions)
        return d


SYSTEM = """You are the scribe of a role-playing game. You read what happened in a turn and write it down as XML:

<turn>
  <actor>who acted</actor>
  <target>who was attacked</target>
  <outcome>hit, miss, critical or fumble</outcome>
  <damage>points of damage dealt, 0 if none</damage>
  <condition>a condition the target now has</condition>
</turn>

Repeat <condition> for each condition, leave it out if there is none. The conditions are:
prone, poisoned, stunned, blinded, grappled. Output only the XML."""


class Scribe:
    def __init__(self, model: str = "claude-3-5-haiku-latest"):
        self._client = anthropic.Anthropic(
            base_url=os.environ.get("ANTHROPIC_BASE_URL"),
            api_key=os.environ.get("ANTHROPIC_API_KEY", "x"),
        )
        self._model = model

    def __call__(self, story: str) -> Turn:
        msg = self._client.messages.create(
            model=self._model,
            max_tokens=400,
            system=SYSTEM,
            messages=[{"role": "user", "content": f"<story>{story}</story>"}],
        )
        return self.decode(msg.content[0].text)

    @staticmethod
    def decode(xml: str) -> Turn:
        root = ET.fromstring(xml)
        if root.tag != "turn":
            raise ValueError(f"expected <turn>, got <{root.tag}>")
        return Turn(
            actor=root.find("actor").text.strip(),
            target=root.find("target").text.strip(),
            outcome=Outcome(root.find("outcome").text.strip()),
            damage=int(root.find("damage").text),
            conditions=tuple(sorted(c.text.strip() for c in root.findall("condition"))),
        )


def run(request: str):
    return Scribe()(request).to_json()
