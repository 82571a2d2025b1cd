"""Property office: read the terms of a lease summary into a typed record."""
import datetime as dt
import os

from pydantic import BaseModel, Field
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


class Lease(BaseModel):
    """Terms of one residential lease."""

    tenant: str = Field(description="full name of the tenant")
    monthly_rent: float = Field(description="rent per month in euros, number only")
    start: dt.date = Field(description="first day of the lease, YYYY-MM-DD")
    months: int = Field(description="length of the lease in months")
    pets: bool = Field(description="whether pets are allowed")

    def last_day(self) -> dt.date:
        years, month0 = divmod(self.start.month - 1 + self.months, 12)
        return dt.date(self.start.year + years, month0 + 1, self.start.day) - dt.timedelta(days=1)

    def volume(self) -> float:
        return round(self.months * self.monthly_rent, 2)


def make_agent() -> Agent:
    provider = OpenAIProvider(
        base_url=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "x"),
    )
    return Agent(
        OpenAIChatModel("gpt-4.1-mini", provider=provider),
        output_type=Lease,
        retries=0,
        instructions="You read lease summaries of a property office and report their terms.",
    )


def run(request: str):
    lease = make_agent().run_sync(request).output
    return {
        "tenant": lease.tenant,
        "rent": lease.monthly_rent,
        "from": lease.start.isoformat(),
        "to": lease.last_day().isoformat(),
        "volume": lease.volume(),
        "pets": lease.pets,
    }


if __name__ == "__main__":
    import json
    import sys

    print(json.dumps(run(sys.stdin.read()), indent=2))
