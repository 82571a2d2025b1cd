"""Songs for the language class, printed on a sheet."""

from openai import OpenAI

llm = OpenAI()


def song(topic: str) -> dict:
    reply = llm.chat.completions.create(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": "You write simple songs for children who learn English."},
            {"role": "user", "content": f"A song about {topic}, please."},
        ],
    )
    return {"topic": topic, "sheet": reply.choices[0].message.content.strip()}
