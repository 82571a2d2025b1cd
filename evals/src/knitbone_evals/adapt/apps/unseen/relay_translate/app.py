"""Translates messages between colleagues and shows both texts side by side."""

from openai import OpenAI

client = OpenAI()
PROMPT = (
    "Translate the message into {language}. Answer with the translation first, then a line with "
    "'---', then the message as it was."
)


def relay(message, language):
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": PROMPT.format(language=language)},
            {"role": "user", "content": message},
        ],
    )
    translated, _, original = response.choices[0].message.content.partition("\n---\n")
    return {"translation": translated.strip(), "original": original.strip()}
