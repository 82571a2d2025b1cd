"""Patient leaflets of a practice, in the spelling of its country."""

from anthropic import Anthropic

VARIANTS = {
    "AU": "Write in Australian English.",
    "CA": "Write in Canadian English.",
    "IN": "Write in Indian English.",
    "US": "Write in American English.",
}


class LeafletWriter:
    def __init__(self, country: str):
        self.rule = VARIANTS[country]
        self.client = Anthropic()

    def __call__(self, topic: str) -> str:
        reply = self.client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=800,
            messages=[
                {
                    "role": "user",
                    "content": f"{self.rule} Write a leaflet for patients about: {topic}",
                }
            ],
        )
        return reply.content[0].text.strip()


def leaflet(country, topic):
    text = LeafletWriter(country)(topic)
    title, _, body = text.partition("\n")
    return {"title": title.lstrip("# "), "body": body.strip(), "country": country}
