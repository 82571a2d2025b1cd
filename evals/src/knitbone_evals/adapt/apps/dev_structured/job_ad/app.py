"""Turns a job advert into a record, with a prefilled answer so that the model starts in JSON."""

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime

import anthropic


@dataclass
class Salary:
    low: int
    high: int
    currency: str = "EUR"


@dataclass
class JobAd:
    title: str
    company: str
    remote: bool
    salary: Salary
    closes: datetime
    skills: list[str] = field(default_factory=list)
    contact: str | None = None

    @classmethod
    def from_json(cls, raw: str) -> "JobAd":
        data = json.loads(raw)
        data["salary"] = Salary(**data["salary"])
        data["closes"] = datetime.strptime(data["closes"], "%Y-%m-%d")  # noqa: DTZ007
        return cls(**data)


PROMPT = """<advert>
{advert}
</advert>

Extract the job advert as JSON with exactly these keys: title, company, remote (boolean),
salary (object with low, high as integers and currency), closes (YYYY-MM-DD), skills (list of
strings), contact (string or null)."""


def parse_advert(advert: str) -> JobAd:
    client = anthropic.Anthropic()
    msg = client.messages.create(
        model="claude-3-5-haiku-latest",
        max_tokens=1024,
        messages=[
            {"role": "user", "content": PROMPT.format(advert=advert)},
            {"role": "assistant", "content": "{"},
        ],
    )
    return JobAd.from_json("{" + msg.content[0].text)


def import_advert(advert):
    ad = parse_advert(advert)
    row = asdict(ad)
    row["closes"] = ad.closes.timetuple().tm_yday
    row["span"] = ad.salary.high - ad.salary.low
    row["remote"] = "yes" if ad.remote else "no"
    return row
