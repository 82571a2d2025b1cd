"""Comments on a pupil's essay, and answers one question about the comment."""

from anthropic import Anthropic

client = Anthropic()
SYSTEM = (
    "You comment on essays, in two to five plain sentences, in the English that the pupil writes."
)


class Coach:
    def __init__(self):
        self.turns = []

    def say(self, text):
        self.turns.append({"role": "user", "content": text})
        with client.messages.stream(
            model="claude-haiku-4-5", max_tokens=400, system=SYSTEM, messages=self.turns
        ) as stream:
            reply = "".join(stream.text_stream)
        self.turns.append({"role": "assistant", "content": reply})
        return reply


def lesson(essay, question):
    coach = Coach()
    comment = coach.say("My essay:\n\n" + essay)
    answer = coach.say(question)
    return {"comment": comment.strip(), "answer": answer.strip(), "words": len(essay.split())}
