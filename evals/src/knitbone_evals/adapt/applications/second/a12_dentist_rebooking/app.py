"""Rebooking line of a dental practice on the OpenAI Agents SDK."""
import asyncio
import os
import re
from datetime import datetime, timedelta

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)

CHAIR_TIME = {
    "cleaning": timedelta(minutes=45),
    "filling": timedelta(minutes=60),
    "crown": timedelta(minutes=90),
    "check-up": timedelta(minutes=20),
}

INSTRUCTIONS = """You read messages of patients who want to move an appointment.
Reply with one line of three fields separated by " | ":
patient number (P-####) | new date and time (YYYY-MM-DD HH:MM) | treatment (cleaning, filling, crown or check-up)
Example: P-0007 | 2026-01-31 15:00 | filling"""


def clerk() -> Agent:
    client = AsyncOpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ.get("OPENAI_API_KEY", "x"))
    return Agent(
        name="clerk",
        instructions=INSTRUCTIONS,
        model=OpenAIChatCompletionsModel(model="gpt-4o-mini", openai_client=client),
        model_settings=ModelSettings(temperature=0),
    )


def read_slot(line: str) -> dict:
    patient, when, treatment = [part.strip() for part in line.split("|")]
    if not re.fullmatch(r"P-\d{4}", patient):
        raise ValueError(f"no patient number: {patient}")
    start = datetime.strptime(when, "%Y-%m-%d %H:%M")
    end = start + CHAIR_TIME[treatment]
    return {
        "patient": patient,
        "start": start.isoformat(timespec="minutes"),
        "end": end.isoformat(timespec="minutes"),
        "treatment": treatment,
    }


async def run(request: str):
    result = await Runner.run(clerk(), request, max_turns=2)
    return read_slot(result.final_output)


if __name__ == "__main__":
    print(asyncio.run(run("P-1042 here, could my filling be on 2026-05-12 at 09:30 instead?")))
