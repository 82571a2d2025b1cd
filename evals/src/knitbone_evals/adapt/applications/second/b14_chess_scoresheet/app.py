"""Children dictate their games; the club's viewer wants moves like e2e4."""
import os
import re
from itertools import cycle

import litellm

litellm.suppress_debug_info = True

UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")

ASK = """The moves of a chess game, as the child told them:

%s

Write the moves in order as from-square and to-square, like: e2e4 e7e5 g1f3
If a pawn becomes another piece put its letter (q, r, b, n) at the end, like a7a8q.
Just the moves with spaces between, on a single line."""


def dictated(text):
    reply = litellm.completion(
        model="openai/gpt-4o-mini",
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        messages=[{"role": "user", "content": ASK % text}],
        temperature=0,
        num_retries=0,
    )
    return reply.choices[0].message.content


def moves(text):
    for token in text.split():
        if not UCI.fullmatch(token):
            raise ValueError("not a move: %r" % token)
        yield token


def numbered(ms):
    side = cycle("wb")
    for i, m in enumerate(ms):
        yield {"no": i // 2 + 1, "side": next(side), "from": m[:2], "to": m[2:4], "promote": m[4:] or None}


def run(request: str):
    game = list(numbered(moves(dictated(request))))
    if not game:
        raise ValueError("no moves")
    return {
        "line": " ".join(g["from"] + g["to"] + (g["promote"] or "") for g in game),
        "plies": len(game),
        "promotions": [g["no"] for g in game if g["promote"]],
    }
