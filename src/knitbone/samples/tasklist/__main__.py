"""``python -m knitbone.samples.tasklist OBJECTIVE``: print the plan, or work it off."""

from __future__ import annotations

import argparse
import sys

from openai import OpenAI, OpenAIError

from knitbone.samples.tasklist.app import plan, run


def main() -> int:
    """Read the arguments, ask the model, print."""
    parser = argparse.ArgumentParser(
        prog="python -m knitbone.samples.tasklist", description=__doc__
    )
    parser.add_argument("objective")
    parser.add_argument("--base-url", help="OpenAI-compatible endpoint; else OPENAI_BASE_URL")
    parser.add_argument("--api-key", help="else OPENAI_API_KEY")
    parser.add_argument("--model", default="gpt-4o-mini")
    parser.add_argument("--run", action="store_true", help="work the tasks off, too")
    arguments = parser.parse_args()
    try:
        client = OpenAI(base_url=arguments.base_url, api_key=arguments.api_key)
        if arguments.run:
            for result in run(client, arguments.objective, model=arguments.model):
                sys.stdout.write(f"{result.task}\n    {result.answer}\n")
        else:
            for task in plan(client, arguments.objective, model=arguments.model):
                sys.stdout.write(f"{task.number}. {task.name}\n")
    except OpenAIError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
