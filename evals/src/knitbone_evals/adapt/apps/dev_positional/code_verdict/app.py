"""Reviews a change; the last line of the review decides."""

import anthropic

claude = anthropic.Anthropic()

SYSTEM = """\
You review code changes. Write a few lines of review. End with a last line that is either

VERDICT: APPROVE
VERDICT: REJECT
VERDICT: COMMENT"""


def review(diff):
    answer = claude.messages.create(
        model="claude-opus-4-0",
        max_tokens=2048,
        system=SYSTEM,
        messages=[{"role": "user", "content": f"```diff\n{diff}\n```"}],
    )
    return "".join(block.text for block in answer.content if block.type == "text")


def decide(diff):
    lines = review(diff).strip().split("\n")
    verdict = lines[-1].removeprefix("VERDICT: ").strip()
    match verdict:
        case "APPROVE":
            action = {"merge": True, "label": "approved"}
        case "REJECT":
            action = {"merge": False, "label": "changes requested"}
        case "COMMENT":
            action = {"merge": False, "label": "commented"}
        case _:
            action = {"merge": False, "label": "unknown"}
    return action
