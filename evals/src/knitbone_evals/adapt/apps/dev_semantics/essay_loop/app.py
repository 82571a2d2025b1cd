"""Self-critique: the writer revises until the critic is content or the rounds are spent."""

from openai import OpenAI

client = OpenAI()
MAX_ROUNDS = 4


def llm(prompt: str) -> str:
    out = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": prompt}]
    )
    return out.choices[0].message.content.strip()


def revise(draft: str, goal: str) -> str:
    return llm(
        f"Goal: {goal}\n\nCurrent draft:\n{draft}\n\n"
        "Improve the draft. Answer with the new draft only."
    )


def write(goal: str) -> dict:
    draft = llm(f"Write a short paragraph. Goal: {goal}")
    versions = [draft]
    for _ in range(MAX_ROUNDS):
        better = revise(draft, goal)
        if better == draft:
            break
        draft = better
        versions.append(draft)
    return {"final": draft, "versions": len(versions)}
