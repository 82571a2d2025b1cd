import asyncio
import json
from datetime import date

import requests
from transport import chat, chat_async, chat_stream


def questions(topic):
    text = chat(f"Five quiz questions on {topic}, one JSON object a line: question, answer.")
    quiz = []
    for line in text.splitlines():
        if line.strip():
            entry = json.loads(line)
            quiz.append((entry["question"], entry["answer"]))
    return quiz


async def judge(question, expected, given):
    verdict = await chat_async(
        f"{question}\nExpected: {expected}\nGiven: {given}\nAnswer True if it is right, else False."
    )
    return verdict.strip() == "True"


def day_of(event):
    """The day of an event, as the model knows it."""
    text = chat(f"On which day was {event}? ISO date only.").strip()
    return date.fromisoformat(text)


async def hint(question):
    text = "".join([piece async for piece in chat_stream(f"A hint for: {question} End with ##.")])
    start = text.find("Hint:")
    end = text.find("##")
    return text[start + len("Hint:") : end]


def post_result(name, points):
    answer = requests.post(
        "https://scores.example.org/api/results", json={"name": name, "points": points}, timeout=10
    )
    return answer.json()["rank"]


async def main():
    topic = input("Topic: ")
    points = 0
    for question, expected in questions(topic):
        given = input(f"{question} ")
        if given.startswith("?"):
            print(await hint(question))
            given = input("> ")
        points += await judge(question, expected, given)
    print(f"{points} points, rank {post_result('me', points)}, {day_of(topic)}")


if __name__ == "__main__":
    asyncio.run(main())
