"""Polishes a pitch until nothing changes any more, four rounds at most."""

from openai import OpenAI

client = OpenAI()
ROUNDS = 4


def improve(pitch):
    response = client.chat.completions.create(
        model="gpt-4o",
        messages=[
            {
                "role": "system",
                "content": "Improve the pitch: add what is missing. If nothing is, repeat it.",
            },
            {"role": "user", "content": pitch},
        ],
    )
    return response.choices[0].message.content.strip()


def polish(pitch):
    versions = [pitch]
    for _ in range(ROUNDS):
        better = improve(versions[-1])
        if better == versions[-1]:
            break
        versions.append(better)
    return {"pitch": versions[-1], "rounds": len(versions) - 1}
