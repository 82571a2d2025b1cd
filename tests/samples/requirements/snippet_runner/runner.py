"""Lets Claude write a small program, runs it, and lets Claude mend it once if it fails."""

import ast
import re
import subprocess
import sys
import traceback

import anthropic

FENCE = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)
SYSTEM = "You write short Python programs. Answer with one fenced code block."


class Assistant:
    def __init__(self, model="claude-sonnet-4-5"):
        self.client = anthropic.Anthropic()
        self.model = model
        self.history = []

    def say(self, text):
        self.history.append({"role": "user", "content": text})
        message = self.client.messages.create(
            model=self.model, max_tokens=2048, system=SYSTEM, messages=self.history
        )
        answer = message.content[0].text
        self.history.append({"role": "assistant", "content": answer})
        return answer

    def stream(self, text):
        with self.client.messages.stream(
            model=self.model,
            max_tokens=2048,
            system=SYSTEM,
            messages=[{"role": "user", "content": text}],
        ) as stream:
            parts = []
            for piece in stream.text_stream:
                print(piece, end="", flush=True)
                parts.append(piece)
        return "".join(parts)


def extract(answer):
    match = FENCE.search(answer)
    if match is None:
        raise ValueError("no code block in the answer")
    return match.group(1)


def functions_of(code):
    tree = ast.parse(code)
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def run(assistant, task):
    code = extract(assistant.say(task))
    print("defines", functions_of(code))
    namespace = {"__name__": "__main__"}
    try:
        exec(code, namespace)
    except Exception:
        mended = extract(assistant.say("It fails:\n" + traceback.format_exc()))
        exec(mended, namespace)
    return namespace


def run_apart(assistant, task):
    """The same in a process of its own, with the answer shown while it comes."""
    text = assistant.stream(task)
    program = text.split("```python")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    return done.stdout.decode()


if __name__ == "__main__":
    helper = Assistant()
    wanted = " ".join(sys.argv[1:]) or input("What shall the program do? ")
    if wanted.startswith("apart:"):
        print(run_apart(helper, wanted.removeprefix("apart:")))
    else:
        run(helper, wanted)
