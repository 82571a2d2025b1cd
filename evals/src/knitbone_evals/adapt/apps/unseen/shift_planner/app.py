"""Plans a volunteer's shift: a numbered list with minutes becomes the schedule.

python app.py "Street festival, Saturday morning"
"""

import re
import sys

from openai import OpenAI

client = OpenAI()
TASK = re.compile(r"^(\d+)\. (.+) \((\d+) min\)$", re.MULTILINE)

PROMPT = """Plan the shift of one volunteer for this event: {event}

Answer with a numbered list, one task a line, in this form:
1. Put up the tables (20 min)"""


def ask(prompt):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": prompt}], temperature=0.4
    )
    return response.choices[0].message.content


def schedule(event):
    text = ask(PROMPT.format(event=event))
    rows = []
    clock = 0
    for number, task, minutes in TASK.findall(text):
        rows.append({"no": int(number), "task": task, "start": clock})
        clock += int(minutes)
    return {"rows": rows, "total": clock}


if __name__ == "__main__":
    plan = schedule(" ".join(sys.argv[1:]))
    for row in plan["rows"]:
        print(f"{row['start']:>4} min  {row['no']}. {row['task']}")
    print(f"{plan['total']} minutes in all")
