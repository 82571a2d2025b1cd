# %% [markdown]
# # Bed plan 2026
# Paste what Marit says about the beds, get a table of sowings.

# %%
import csv
import io
import os
from collections import Counter
from datetime import date

from openai import OpenAI

# %%
client = OpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ.get("OPENAI_API_KEY", "-"))
COLS = ["bed", "crop", "sow_date", "rows", "spacing_cm"]

# %%
prompt = """Turn the notes below into CSV with the header

bed,crop,sow_date,rows,spacing_cm

one line per bed, in the order of the notes, dates as YYYY-MM-DD, no quotes, no text before or after. crop is a single lower-case word.

NOTES:
{notes}"""


# %%
def get_csv(notes):
    r = client.chat.completions.create(
        model="llama-3.1-8b-instruct",
        messages=[{"role": "user", "content": prompt.format(notes=notes)}],
        temperature=0,
        max_tokens=500,
    )
    return r.choices[0].message.content


# %%
def to_frame(text):
    reader = csv.DictReader(io.StringIO(text))
    frame = []
    for rec in reader:
        frame.append(
            {
                "bed": rec["bed"],
                "crop": rec["crop"],
                "sow_date": date.fromisoformat(rec["sow_date"]),
                "rows": int(rec["rows"]),
                "spacing_cm": float(rec["spacing_cm"]),
            }
        )
    assert frame, "empty plan"
    return frame


# %%
def summary(frame):
    per_crop = Counter()
    for rec in frame:
        per_crop[rec["crop"]] += rec["rows"]
    return dict(per_crop)


# %%
def run(request: str):
    frame = to_frame(get_csv(request))
    return {
        "plan": [[r["bed"], r["crop"], r["sow_date"].isoformat(), r["rows"], r["spacing_cm"]] for r in frame],
        "rows_per_crop": summary(frame),
    }

# %%
# run("Bed A1 gets carrots on 12 March 2026, 4 rows at 5 cm. Bed A2 gets beetroot ...")
