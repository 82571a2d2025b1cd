import asyncio
import json
import os

from openai import AsyncOpenAI

PROMPT = """
Extract the meter reading as a JSON object.

keys:
  meter    string
  start    number, reading at the beginning
  end      number, reading at the end
  price    number, price per kWh in euro
  estimated  true if the end reading is an estimate, else false
  solar_pct  number, share of own solar power in percent (0 to 100)

Output the raw JSON object only.
"""


async def stream_text(client, text):
    stream = await client.chat.completions.create(
        model="gpt-4o-mini",
        stream=True,
        messages=[
            {"role": "system", "content": PROMPT.strip()},
            {"role": "user", "content": text},
        ],
    )
    async for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content


async def collect(agen):
    buf = []
    async for piece in agen:
        buf.append(piece)
    return "".join(buf)


async def run(request: str):
    async with AsyncOpenAI(
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
    ) as client:
        data = json.loads(await asyncio.wait_for(collect(stream_text(client, request)), 300))

    used = data["end"] - data["start"]
    if used < 0:
        raise ValueError("meter %s runs backwards" % data["meter"])
    bought = used * (100 - data["solar_pct"]) / 100
    return {
        "meter": data["meter"],
        "used_kwh": round(used, 1),
        "bought_kwh": round(bought, 1),
        "cost_eur": round(bought * data["price"], 2),
        "send_reader": data["estimated"] is True,
    }


if __name__ == "__main__":
    import sys
    print(asyncio.run(run(sys.stdin.read())))
