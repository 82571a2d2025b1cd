"""Mails from a Jinja template that the model writes."""

from jinja2 import Environment, StrictUndefined
from openai import OpenAI

env = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
client = OpenAI()
INSTRUCTIONS = """Write a Jinja2 template for the mail the user describes.
Variables: customer (name, city), items (list of {title, price}), vip (bool).
Return the template text only."""


def draft(brief):
    out = client.chat.completions.create(
        model="gpt-4.1-mini",
        messages=[{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": brief}],
    )
    return out.choices[0].message.content


def mails(brief, recipients):
    template = env.from_string(draft(brief))
    return [template.render(**recipient) for recipient in recipients]
