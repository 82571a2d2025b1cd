"""City guide: answers travellers in their own language."""

from openai import OpenAI

client = OpenAI()

SYSTEM = (
    "You are a friendly local guide. Always reply in the same language the traveller used in their "
    "first message. Keep it short, two or three sentences, no markdown."
)


class Guide:
    def __init__(self, model="gpt-4o-mini"):
        self.model = model
        self.messages = [{"role": "system", "content": SYSTEM}]

    def ask(self, question: str) -> str:
        self.messages.append({"role": "user", "content": question})
        completion = client.chat.completions.create(model=self.model, messages=self.messages)
        answer = completion.choices[0].message.content or ""
        self.messages.append({"role": "assistant", "content": answer})
        return answer


def tour(questions):
    guide = Guide()
    return {"transcript": [(q, guide.ask(q)) for q in questions]}
