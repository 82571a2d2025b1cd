"""Catalogue of Anthropic's Messages API, in all clients of the package (also Bedrock and Vertex).

Checked against anthropic 0.8x and later: ``resources/messages`` and ``lib/streaming``. The tables
are explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_CREATE = Call(
    "anthropic-message", "anthropic.message", ("messages", "system"), stream="anthropic.event*"
)
_COMPLETE = Call(
    "anthropic-completion", "anthropic.completion", ("prompt",), stream="anthropic.completion*"
)

TYPES: dict[str, Type] = {
    "anthropic.client": Type(
        {
            "messages": "anthropic.messages",
            "beta": "anthropic.client",
            "completions": "anthropic.completions",
            "with_options()": "anthropic.client",
            "copy()": "anthropic.client",
            "with": "anthropic.client",
        },
        role="client",
    ),
    "anthropic.messages": Type(
        {
            "create()": _CREATE,
            "parse()": _CREATE._replace(schema=("output_format",), stream=""),
            "stream()": Call(
                "anthropic-message",
                "anthropic.stream",
                ("messages", "system"),
                streamed=True,
                awaited=False,
            ),
            "with_raw_response": "anthropic.raw-messages",
        }
    ),
    "anthropic.raw-messages": Type(
        {"create()": _CREATE._replace(shape="raw:anthropic.message", stream="")}
    ),
    "anthropic.completions": Type({"create()": _COMPLETE}),
    "anthropic.completion": Type({"completion": "text"}),
    "anthropic.message": Type(
        {"content": "anthropic.block*", "parsed_output": "object"}, form="message"
    ),
    "anthropic.block": Type(
        {
            "text": "text",
            "thinking": "text",
            "input": "object",
            "name": "tool-name",
            "parsed_output": "object",
        }
    ),
    "anthropic.stream": Type(
        {
            "[]": "anthropic.event",
            "text_stream": "piece*",
            "get_final_message()": "anthropic.message",
            "get_final_text()": "text",
            "current_message_snapshot": "anthropic.message",
        },
        piece=True,
    ),
    "anthropic.event": Type(
        {
            "delta": "anthropic.delta",
            "text": "piece",
            "snapshot": "text",
            "message": "anthropic.message",
            "content_block": "anthropic.block",
            "partial_json": "arguments-piece",
        },
        piece=True,
    ),
    "anthropic.delta": Type(
        {"text": "piece", "partial_json": "arguments-piece", "thinking": "piece"}, piece=True
    ),
}

ENTRIES: dict[str, ImportedName] = {}

_HOMES = r"anthropic(?:\.\w+)*"
_NAMES = r"(?:Anthropic|AnthropicBedrock|AnthropicVertex|AnthropicFoundry|Client)"

RULES: tuple[Rule, ...] = (
    Rule(rf"{_HOMES}\.{_NAMES}", ImportedName("anthropic.client")),
    Rule(rf"{_HOMES}\.Async{_NAMES}", ImportedName("anthropic.client", awaited=True)),
    Rule(r"anthropic\.types(?:\.\w+)*\.Message", ImportedName("anthropic.message")),
)
