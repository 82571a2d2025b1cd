"""Itinerary mails of the travel desk -> legs with travel times."""
import functools
import re
import time
import xml.etree.ElementTree as ET

from anthropic import Anthropic, APIConnectionError, RateLimitError


def retry(times=3, pause=0.2):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except (APIConnectionError, RateLimitError):
                    if attempt == times - 1:
                        raise
                    time.sleep(pause * 2**attempt)

        return inner

    return wrap


class Itinerary:
    PROMPT = """Extract the train legs from the mail between the <mail> tags. Answer in this form, without anything before or after:
<legs>
  <leg><from>Station</from><to>Station</to><dep>HH:MM</dep><arr>HH:MM</arr></leg>
</legs>
Times are 24 hour. Keep the order of the mail.

<mail>
{mail}
</mail>"""

    def __init__(self, client=None):
        self.client = client or Anthropic()

    @retry()
    def _answer(self, mail):
        message = self.client.messages.create(
            model="claude-3-5-sonnet-latest",
            max_tokens=1024,
            messages=[{"role": "user", "content": self.PROMPT.format(mail=mail)}],
        )
        return "".join(block.text for block in message.content if block.type == "text")

    @staticmethod
    def _minutes(clock):
        hours, minutes = re.fullmatch(r"(\d\d):(\d\d)", clock).groups()
        return int(hours) * 60 + int(minutes)

    def legs(self, mail):
        root = ET.fromstring(self._answer(mail).strip())
        for leg in root.findall("leg"):
            dep, arr = self._minutes(leg.findtext("dep")), self._minutes(leg.findtext("arr"))
            yield {
                "route": f"{leg.findtext('from').strip()} > {leg.findtext('to').strip()}",
                "departs": leg.findtext("dep"),
                "minutes": (arr - dep) % 1440,
            }


def run(request: str):
    legs = list(Itinerary().legs(request))
    if not legs:
        raise LookupError("no legs")
    return {"legs": legs, "on_trains": sum(leg["minutes"] for leg in legs)}
