"""Everything on this laptop: a small model from transformers, larger ones from Ollama."""

import ast
import json

import ollama
from transformers import pipeline

generator = pipeline("text-generation", model="Qwen/Qwen2.5-0.5B-Instruct")


def complete(prompt):
    outputs = generator(prompt, max_new_tokens=80, do_sample=False)
    return outputs[0]["generated_text"]


def capital(country):
    text = complete(f"Question: What is the capital of {country}?\nAnswer:")
    return text.split("Answer:")[1].strip()


def person(text):
    response = ollama.chat(
        model="llama3.2",
        messages=[{"role": "user", "content": f"Name, age and town as JSON:\n{text}"}],
        format="json",
    )
    record = json.loads(response["message"]["content"])
    return record["name"], int(record["age"]), record.get("town")


def coordinates(place):
    answer = ollama.generate(
        model="llama3.2", prompt=f"Coordinates of {place} as a Python tuple, nothing else."
    )["response"]
    latitude, longitude = ast.literal_eval(answer.strip())
    return latitude, longitude


def todo(topic):
    text = ""
    for part in ollama.chat(
        model="mistral",
        messages=[{"role": "user", "content": f"A todo list for {topic}, each line '- item'."}],
        stream=True,
    ):
        piece = part["message"]["content"]
        print(piece, end="")
        text += piece
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]


def chat():
    """A conversation for a person: nothing reads the answers."""
    client = ollama.Client(host="http://localhost:11434")
    messages = []
    while (line := input("> ")) != "quit":
        messages.append({"role": "user", "content": line})
        reply = client.chat(model="llama3.2", messages=messages)
        messages.append({"role": "assistant", "content": reply.message.content})
        print(reply.message.content)


if __name__ == "__main__":
    print(capital("Peru"))
    print(person("Ann, 41, moved from Leeds to York."))
    print(coordinates("York Minster"))
    for item in todo("moving house"):
        if "urgent" in input(f"{item}? "):
            print("!", item)
    chat()
