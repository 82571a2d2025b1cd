# %% [markdown]
# # Garden plan
# Notes from the allotment book -> YAML -> sowing calendar.

# %%
import datetime
import os

import yaml
from openai import OpenAI

MODEL = "gpt-4o-mini"
client = OpenAI(base_url=os.environ.get("OPENAI_BASE_URL"), api_key=os.environ.get("OPENAI_API_KEY", "x"))

# %%
prompt = """
Convert the garden note to YAML in this form. Only YAML please, no explanations.

bed: 2
crop: carrots
sow: 2026-04-03
spacing_cm: 5
depth_cm: 1.5
organic: true
"""

example_note = "Bed 4: beetroot (organic seed), sow 2026-04-20, spacing 8 cm, depth 2 cm"


# %%
def to_yaml(note):
    r = client.chat.completions.create(
        model=MODEL,
        temperature=0.0,
        messages=[
            {"role": "system", "content": prompt},
            {"role": "user", "content": note},
        ],
    )
    return r.choices[0].message.content


# %%
BED_WIDTH = 120  # cm


def plan(text):
    d = yaml.safe_load(text)
    sow = d["sow"]
    assert isinstance(sow, datetime.date), sow
    assert isinstance(d["organic"], bool), d["organic"]
    return {
        "bed": d["bed"] + 0,
        "crop": d["crop"].lower(),
        "week": sow.isocalendar().week,
        "rows": BED_WIDTH // d["spacing_cm"],
        "depth_mm": round(d["depth_cm"] * 10),
        "organic": d["organic"],
    }


# %%
def run(request: str):
    return plan(to_yaml(request))


# %%
if __name__ == "__main__":
    print(run(example_note))
