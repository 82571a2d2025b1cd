import os
from datetime import time
from typing import Literal

from pydantic import BaseModel, Field
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


class TriageSlip(BaseModel):
    """The slip that is printed at the reception desk."""

    urgency: Literal["routine", "soon", "urgent", "emergency"]
    department: Literal["cardiology", "orthopaedics", "dermatology", "paediatrics", "radiology"]
    pain: int = Field(ge=0, le=10, description="pain on the scale of 0 to 10")
    fasting: bool = Field(description="whether the patient must come fasting")
    arrive_at: time = Field(description="time of arrival, HH:MM, 24 hours")


INSTRUCTIONS = """\
You read what the practice nurse dictated after a phone call and fill in the triage slip.
Use only what is in the dictation."""

_agent = None


def agent() -> Agent:
    global _agent
    if _agent is None:
        model = OpenAIChatModel(
            "gpt-4.1-mini",
            provider=OpenAIProvider(
                base_url=os.environ["OPENAI_BASE_URL"],
                api_key=os.environ.get("OPENAI_API_KEY", "none"),
            ),
        )
        _agent = Agent(model, output_type=TriageSlip, instructions=INSTRUCTIONS, retries=0)
    return _agent


ROOMS = {"cardiology": 12, "orthopaedics": 4, "dermatology": 7, "paediatrics": 1, "radiology": 20}


async def run(request: str):
    slip = (await agent().run(request)).output
    return {
        "urgency": slip.urgency,
        "room": ROOMS[slip.department],
        "pain": slip.pain,
        "fasting": slip.fasting,
        "arrive_at": slip.arrive_at.strftime("%H:%M"),
    }
