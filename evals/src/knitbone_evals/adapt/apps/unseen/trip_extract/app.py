"""A travel agent's inbox: what the customer asks for, as a booking request."""

import os
from typing import Any, Literal

import httpx
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import PydanticOutputParser
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel, ConfigDict, Field

ROLES = {"human": "user", "ai": "assistant", "system": "system"}


class GatewayChat(SimpleChatModel):
    """Our gateway; it speaks the chat completions protocol."""

    model: str = "gpt-4o-mini"

    @property
    def _llm_type(self) -> str:
        return "gateway"

    def _call(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> str:
        sent = [{"role": ROLES[each.type], "content": each.content} for each in messages]
        response = httpx.post(
            os.environ["OPENAI_BASE_URL"] + "/chat/completions",
            headers={"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
            json={"model": self.model, "messages": sent},
            timeout=60,
        )
        return response.json()["choices"][0]["message"]["content"]


class Leg(BaseModel):
    model_config = ConfigDict(extra="forbid")

    start: str
    end: str
    mode: Literal["train", "bus", "ferry"]


class Trip(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    traveller: str
    people: int = Field(ge=1)
    budget: float
    flexible: bool
    legs: list[Leg]
    wishes: str | None = None


parser = PydanticOutputParser(pydantic_object=Trip)
prompt = ChatPromptTemplate.from_messages(
    [
        ("system", "Extract the trip. {format}"),
        ("human", "{request}"),
    ]
).partial(format=parser.get_format_instructions())
chain = prompt | GatewayChat() | parser


def extract(request):
    trip = chain.invoke({"request": request})
    route = [trip.legs[0].start] + [leg.end for leg in trip.legs]
    return {
        "traveller": trip.traveller,
        "per_head": round(trip.budget / trip.people, 2),
        "route": " - ".join(route),
        "modes": [leg.mode for leg in trip.legs],
        "flexible": trip.flexible,
        "wishes": trip.wishes,
    }
