"""A canteen asks for nutrition facts and prints the menu board from a Markdown table."""

import asyncio

from anthropic import AsyncAnthropic

ASK = (
    "For each dish give the nutrition facts in a Markdown table with the columns "
    "Dish | Calories | Protein (g) | Vegan. Calories and protein are plain numbers, Vegan is "
    "yes or no. Answer with the table only.\n\nDishes: {dishes}"
)


def split_row(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read_table(markdown):
    lines = [line for line in markdown.splitlines() if line.strip().startswith("|")]
    header = split_row(lines[0])
    return [dict(zip(header, split_row(line), strict=False)) for line in lines[2:]]


async def facts(dishes):
    async with AsyncAnthropic() as client:
        reply = await client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=2000,
            messages=[{"role": "user", "content": ASK.format(dishes=", ".join(dishes))}],
        )
    return read_table(reply.content[0].text)


def board(dishes):
    rows = asyncio.run(facts(dishes))
    return {
        "lines": [f"{row['Dish']} - {int(row['Calories'])} kcal" for row in rows],
        "protein": sum(float(row["Protein (g)"]) for row in rows),
        "vegan": [row["Dish"] for row in rows if row["Vegan"] == "yes"],
        "not": [row["Dish"] for row in rows if row["Vegan"] == "no"],
    }
