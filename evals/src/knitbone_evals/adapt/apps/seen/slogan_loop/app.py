"""Works on a text for a poster until the model has nothing left to add."""

from anthropic import Anthropic

client = Anthropic()


def refine(draft, brief):
    message = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=400,
        messages=[
            {
                "role": "user",
                "content": f"Brief: {brief}\n\nDraft: {draft}\n\nAdd what the draft lacks.",
            }
        ],
    )
    return message.content[0].text


def poster(brief):
    text = ""
    turns = 0
    while turns < 5:
        new = refine(text, brief)
        if new == text:
            break
        text = new
        turns += 1
    return {"text": text, "turns": turns}
