"""Plans a goal; the board shows the tasks by their number."""

from openai import OpenAI

client = OpenAI()
PROMPT = (
    "List the tasks for the goal. Each line starts with Task, its number, a dot and a space, such "
    "as 'Task 1. '. Goal: "
)


def plan(goal):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + goal}]
    )
    tasks = {}
    for line in response.choices[0].message.content.splitlines():
        if line.startswith("Task "):
            number, _, text = line.removeprefix("Task ").partition(". ")
            tasks[int(number)] = text.strip()
    return [[number, tasks[number]] for number in sorted(tasks)]
