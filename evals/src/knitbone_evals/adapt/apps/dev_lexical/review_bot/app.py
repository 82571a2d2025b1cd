"""Code review comments for pull requests; a US company."""

import anthropic


class ReviewBot:
    """Talks to Claude; keeps nothing."""

    SYSTEM = "You review Python code. Comment in American English, in Markdown."

    def __init__(self, client: anthropic.Anthropic | None = None):
        self.client = client or anthropic.Anthropic()

    def review(self, diff: str) -> str:
        with self.client.messages.stream(
            model="claude-haiku-4-5",
            max_tokens=1024,
            system=self.SYSTEM,
            messages=[{"role": "user", "content": "Review this diff:\n```diff\n" + diff + "\n```"}],
        ) as stream:
            return stream.get_final_text()


def comment(diff):
    body = ReviewBot().review(diff)
    return {"event": "COMMENT", "body": body}
