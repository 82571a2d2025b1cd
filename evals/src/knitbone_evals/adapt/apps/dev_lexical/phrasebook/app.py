"""Phrasebook maker: translates phrases and explains them, for printing."""

from anthropic import Anthropic


def explain(phrases, language):
    message = Anthropic().messages.create(
        model="claude-haiku-4-5",
        max_tokens=900,
        system=(
            f"Translate every phrase into {language} and explain in English when one says it. "
            "One bullet a phrase."
        ),
        messages=[{"role": "user", "content": "\n".join(phrases)}],
    )
    return message.content[0].text


def page(phrases, language):
    lines = explain(phrases, language).strip().splitlines()
    return {"language": language, "lines": lines}
