import os

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)

LEDGER: list[dict] = []
ROUTES = {"oral": "PO", "subcutaneous": "SC", "intravenous": "IV", "intramuscular": "IM"}


@function_tool
def record_dose(animal: str, drug: str, mg: float, times_per_day: int, days: int, route: str) -> str:
    """Write a prescription into the ledger.

    Args:
        animal: the name of the animal
        drug: the drug, lower case
        mg: milligrams of a single dose
        times_per_day: how many doses a day
        days: for how many days
        route: oral, subcutaneous, intravenous or intramuscular
    """
    LEDGER.append(
        {
            "animal": animal,
            "drug": drug,
            "mg": mg,
            "per_day": times_per_day,
            "days": days,
            "route": ROUTES[route],
            "total_mg": round(mg * times_per_day * days, 2),
        }
    )
    return "recorded"


def prescriber() -> Agent:
    client = AsyncOpenAI(
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        max_retries=0,
    )
    return Agent(
        name="prescriber",
        instructions="You listen to the veterinarian and record the prescription with the tool record_dose. Call it exactly once.",
        model=OpenAIChatCompletionsModel(model="gpt-4o-mini", openai_client=client),
        tools=[record_dose],
        tool_use_behavior="stop_on_first_tool",
    )


async def run(request: str):
    LEDGER.clear()
    await Runner.run(prescriber(), request, max_turns=2)
    if not LEDGER:
        raise RuntimeError("nothing was recorded")
    return dict(LEDGER[-1])
