"""Lets a comment pass, or holds it back, by what the model says in one word."""

from openai import OpenAI

client = OpenAI()
POLICY = "Answer with one word: yes if the comment keeps to our rules, no if it does not."


def verdict(comment):
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "system", "content": POLICY}, {"role": "user", "content": comment}],
        max_tokens=5,
    )
    return response.choices[0].message.content.strip()


def publish(comment):
    word = verdict(comment)
    if word == "yes":
        return {"state": "published", "comment": comment}
    if word == "no":
        return {"state": "held", "comment": comment}
    raise ValueError(f"not a verdict: {word}")
