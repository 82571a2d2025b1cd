"""Books appointments: the model reads the start, the code works out the end."""

from datetime import datetime, timedelta

import anthropic

FORMAT = "%Y-%m-%d %H:%M"


class Clerk:
    client = anthropic.Anthropic()

    def when(self, request):
        reply = self.client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=40,
            system=(
                "Extract the appointment's start. "
                f"Answer with the date and time in the format {FORMAT} only."
            ),
            messages=[{"role": "user", "content": request}],
        )
        return datetime.strptime(reply.content[0].text.strip(), FORMAT)  # noqa: DTZ007


def book(request, minutes):
    start = Clerk().when(request)
    end = start + timedelta(minutes=minutes)
    return [start.isoformat(), end.isoformat(), start.strftime("%A")]
