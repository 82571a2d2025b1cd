from openai import OpenAI

_client = OpenAI(timeout=30)


def complete(instructions: str, text: str) -> str:
    response = _client.responses.create(
        model="gpt-4.1-mini", instructions=instructions, input=text, temperature=0
    )
    return response.output_text
