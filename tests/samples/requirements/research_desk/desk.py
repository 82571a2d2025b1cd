"""Plans research in steps, works them off and writes up what came out."""

import json
import re
import time
from functools import wraps

from openai import OpenAI, RateLimitError

STEP = re.compile(r"^Step (\d+): (.+)$", re.MULTILINE)
client = OpenAI()


def retry(times):
    def decorate(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return function(*args, **kwargs)
                except RateLimitError:
                    time.sleep(2**attempt)
            return function(*args, **kwargs)

        return wrapper

    return decorate


@retry(3)
def ask(prompt):
    response = client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": prompt}]
    )
    return response.choices[0].message.content


class Desk:
    def __init__(self, topic):
        self.topic = topic
        self.plan = None
        self.answers = {}

    def make_plan(self):
        self.plan = ask(f"Plan research on {self.topic}, each line 'Step <n>: <what>'.")

    @property
    def steps(self):
        return [match.group(2) for match in STEP.finditer(self.plan)]

    def work(self):
        self.answers = {step: ask(f"{step} (verdict - reason)") for step in self.steps}

    def verdicts(self):
        for step, answer in self.answers.items():
            verdict, _, reason = answer.partition(" - ")
            yield step, verdict, reason

    def report(self):
        text = ask(f"A report on {self.topic} as JSON with title and sources. {self.answers}")
        start, end = text.find("{"), text.rfind("}")
        report = json.loads(text[start : end + 1])
        return report["title"], [source["url"] for source in report["sources"]]

    def quote(self):
        text = ask(f"One sentence on {self.topic}, in <quote> tags, after some thought.")
        begin = text.index("<quote>") + len("<quote>")
        return text[begin : text.index("</quote>")]


def decide(question, choices):
    """Calls the choice that the model names."""
    choice = ask(f"{question} One of: {', '.join(choices)}. That word only.")
    return choices[choice.strip()]()


def facts(subjects, on_fact):
    for subject in subjects:
        on_fact(subject, ask(f"A fact on {subject} as 'key=value'."))


class Notebook:
    def __init__(self):
        self.entries = {}

    def write(self, subject, fact):
        key, value = fact.split("=", 1)
        self.entries[subject, key.strip()] = value.strip()


if __name__ == "__main__":
    desk = Desk(input("topic: "))
    desk.make_plan()
    desk.work()
    for line in desk.verdicts():
        print(*line)
    book = Notebook()
    facts(desk.steps, book.write)
    print(book.entries, desk.quote())
    decide("Publish?", {"publish": lambda: print(desk.report()), "wait": desk.work})
