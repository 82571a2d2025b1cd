"""Books meeting rooms by tool use (Anthropic). The arguments go straight into the functions."""

from anthropic import Anthropic

ROOMS = {"Aurora": 4, "Borealis": 8, "Cumulus": 20}
LEDGER = []

TOOLS = [
    {
        "name": "find_room",
        "description": "Find a room with enough seats.",
        "input_schema": {
            "type": "object",
            "properties": {
                "seats": {"type": "integer", "minimum": 1},
                "projector": {"type": "boolean"},
                "floor": {"type": "string", "enum": ["ground", "first", "any"]},
            },
            "required": ["seats"],
        },
    },
    {
        "name": "reserve",
        "description": "Reserve a room.",
        "input_schema": {
            "type": "object",
            "properties": {
                "room": {"type": "string", "enum": ["Aurora", "Borealis", "Cumulus"]},
                "hours": {"type": "number"},
                "guests": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["room", "hours", "guests"],
            "additionalProperties": False,
        },
    },
]


def find_room(seats, projector=False, floor="any"):
    fits = [name for name, size in ROOMS.items() if size >= seats]
    if projector is True:
        fits = [name for name in fits if name != "Aurora"]
    if floor == "ground":
        fits = [name for name in fits if name == "Cumulus"]
    return fits


def reserve(room, hours, guests):
    LEDGER.append(room)
    return {"room": room, "until": 9 + hours, "invited": [guest.upper() for guest in guests]}


def handle(block):
    match block.name:
        case "find_room":
            return find_room(**block.input)
        case "reserve":
            return reserve(block.input["room"], block.input["hours"], block.input["guests"])
        case other:
            raise KeyError(other)


def concierge(wish):
    LEDGER.clear()
    client = Anthropic()
    messages = [{"role": "user", "content": wish}]
    log = []
    for _ in range(8):
        answer = client.messages.create(
            model="claude-sonnet-4-5", max_tokens=800, tools=TOOLS, messages=messages
        )
        uses = [block for block in answer.content if block.type == "tool_use"]
        if not uses:
            return {
                "said": "".join(block.text for block in answer.content if block.type == "text"),
                "log": log,
            }
        messages.append({"role": "assistant", "content": answer.content})
        results = []
        for block in uses:
            outcome = handle(block)
            log.append(outcome)
            results.append(
                {"type": "tool_result", "tool_use_id": block.id, "content": repr(outcome)}
            )
        messages.append({"role": "user", "content": results})
    raise RuntimeError("too many turns")
