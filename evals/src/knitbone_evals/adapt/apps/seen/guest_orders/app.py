"""A hotel's kitchen: room orders from the chat become tickets. Several orders at a time."""

import asyncio

from openai import AsyncOpenAI
from pydantic import BaseModel, Field


class Dish(BaseModel):
    name: str
    count: int = Field(ge=1)
    without: list[str] = []


class Order(BaseModel):
    room: int
    guest: str
    dishes: list[Dish]
    breakfast: bool
    tip: float = 0.0
    remark: str | None = None


async def order_of(client, message):
    response = await client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": "Write the order as JSON, as the schema says."},
            {"role": "user", "content": message},
        ],
    )
    return Order.model_validate_json(response.choices[0].message.content)


async def kitchen(messages):
    async with AsyncOpenAI() as client:
        orders = [await order_of(client, message) for message in messages]
    return [
        {
            "room": order.room,
            "guest": order.guest,
            "lines": [[dish.count, dish.name, sorted(dish.without)] for dish in order.dishes],
            "morning": order.breakfast,
            "tip": order.tip,
            "remark": order.remark,
        }
        for order in orders
    ]


def tickets(messages):
    return asyncio.run(kitchen(messages))
