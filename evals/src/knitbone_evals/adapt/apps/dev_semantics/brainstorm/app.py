"""Collects names of topics for a podcast, one call an idea."""

import anthropic

client = anthropic.Anthropic()


def next_topic(theme, known):
    listed = "\n".join(f"- {each}" for each in known) or "(none yet)"
    reply = client.messages.create(
        model="claude-3-5-haiku-latest",
        max_tokens=100,
        messages=[
            {
                "role": "user",
                "content": f"Theme: {theme}\nTopics so far:\n{listed}\n\n"
                "One more topic, as one sentence.",
            }
        ],
    )
    return reply.content[0].text.strip()


def collect(theme, rounds=5):
    known = []
    for _ in range(rounds):
        topic = next_topic(theme, known)
        if topic in known:
            break
        known.append(topic)
    return known
