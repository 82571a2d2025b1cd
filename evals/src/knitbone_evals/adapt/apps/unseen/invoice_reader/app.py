"""Reads invoices that came as plain text, and books their positions."""

import xml.etree.ElementTree as ET
from decimal import Decimal

from openai import OpenAI

client = OpenAI()

PROMPT = """Turn the invoice into XML of this form, without anything around it:
<invoice number="..."><seller>...</seller><positions><position><text>...</text><net>12.50</net>
</position></positions><remark>...</remark></invoice>

{invoice}"""


def stream(prompt):
    chunks = client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": prompt}], stream=True
    )
    for chunk in chunks:
        if chunk.choices and chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content


def book(invoice):
    root = ET.fromstring("".join(stream(PROMPT.format(invoice=invoice))))
    positions = []
    total = Decimal(0)
    for position in root.find("positions").iter("position"):
        net = Decimal(position.find("net").text)
        positions.append([position.find("text").text.strip(), str(net)])
        total += net
    return {
        "number": root.attrib["number"],
        "seller": root.find("seller").text.strip(),
        "positions": positions,
        "total": str(total),
        "remark": root.findtext("remark"),
    }
