"""Writing coach in a terminal: prints tokens as they come, keeps what was said."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import openai

PERSONA = "You are an encouraging writing coach. Mirror the user's spelling conventions."


@dataclass
class Coach:
    history: list[dict[str, str]] = field(
        default_factory=lambda: [{"role": "system", "content": PERSONA}]
    )
    api: openai.OpenAI = field(default_factory=openai.OpenAI)

    def stream(self, said: str) -> Iterator[str]:
        self.history.append({"role": "user", "content": said})
        whole = ""
        for chunk in self.api.chat.completions.create(
            model="gpt-4o", messages=self.history, stream=True
        ):
            if chunk.choices and chunk.choices[0].delta.content:
                piece = chunk.choices[0].delta.content
                whole += piece
                yield piece
        self.history.append({"role": "assistant", "content": whole})


def converse(lines):
    coach = Coach()
    shown = []
    for line in lines:
        screen = []
        for token in coach.stream(line):
            screen.append(token)
        shown.append("".join(screen))
    return shown
