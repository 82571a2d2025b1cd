"""Catalogue of Amazon Bedrock through boto3: Converse, InvokeModel, agents and knowledge bases.

Checked against the service models of ``bedrock-runtime`` and ``bedrock-agent-runtime``. The tables
are explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Setting, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_SERVICE = Setting(("service_name", "0"), ("bedrock-runtime", "bedrock-agent-runtime"))
_CONVERSE = Call("bedrock-converse", "bedrock.converse", ("messages", "system"))
_INVOKE = Call("bedrock-invoke", "bedrock.invoked", ("body",))

TYPES: dict[str, Type] = {
    "bedrock.client": Type(
        {
            "converse()": _CONVERSE,
            "converse_stream()": _CONVERSE._replace(shape="bedrock.converse-stream", streamed=True),
            "invoke_model()": _INVOKE,
            "invoke_model_with_response_stream()": _INVOKE._replace(
                shape="bedrock.invoke-stream", streamed=True
            ),
            "retrieve_and_generate()": Call(
                "bedrock-knowledge-base", "bedrock.generated", ("input",)
            ),
            "retrieve()": Call(
                "bedrock-knowledge-base", "bedrock.retrieved", ("retrievalQuery",), "retriever"
            ),
            "invoke_agent()": Call("bedrock-agent", "bedrock.agent", ("inputText",), streamed=True),
        },
        role="client",
        setting=_SERVICE,
    ),
    "boto3.session": Type({"client()": "bedrock.client", "create_client()": "bedrock.client"}),
    "bedrock.converse": Type({"output": "bedrock.output"}),
    "bedrock.output": Type({"message": "bedrock.message", "text": "text"}),
    "bedrock.message": Type({"content": "bedrock.block*"}, form="message"),
    "bedrock.block": Type({"text": "text", "toolUse": "bedrock.tool"}),
    "bedrock.tool": Type({"input": "object", "name": "tool-name"}),
    "bedrock.converse-stream": Type({"stream": "bedrock.event*"}, piece=True),
    "bedrock.event": Type({"contentBlockDelta": "bedrock.delta-event"}, piece=True),
    "bedrock.delta-event": Type({"delta": "bedrock.delta"}, piece=True),
    "bedrock.delta": Type({"text": "piece", "toolUse": "bedrock.tool-delta"}, piece=True),
    "bedrock.tool-delta": Type({"input": "arguments-piece"}, piece=True),
    "bedrock.invoked": Type({"body": "raw:bedrock.body"}),
    "bedrock.invoke-stream": Type({"body": "bedrock.chunk-event*"}, piece=True),
    "bedrock.chunk-event": Type({"chunk": "bedrock.chunk"}, piece=True),
    "bedrock.chunk": Type({"bytes": "raw:bedrock.body-piece"}, piece=True),
    # Every family of models has keys of its own: Claude, Llama, Titan, Mistral, Cohere, Jurassic.
    "bedrock.body": Type(
        {
            "content": "anthropic.block*",
            "completion": "text",
            "generation": "text",
            "outputs": "bedrock.body*",
            "results": "bedrock.body*",
            "generations": "bedrock.body*",
            "completions": "bedrock.body*",
            "choices": "openai.choice*",
            "outputText": "text",
            "text": "text",
            "data": "bedrock.body",
            "output": "bedrock.output",
        }
    ),
    "bedrock.body-piece": Type(
        {
            "delta": "anthropic.delta",
            "completion": "piece",
            "generation": "piece",
            "outputText": "piece",
            "contentBlockDelta": "bedrock.delta-event",
        },
        piece=True,
    ),
    "bedrock.generated": Type({"output": "bedrock.output", "citations": "bedrock.citation*"}),
    "bedrock.citation": Type({"retrievedReferences": "bedrock.entry*"}),
    "bedrock.retrieved": Type({"retrievalResults": "bedrock.entry*"}),
    "bedrock.entry": Type({"content": "bedrock.entry-content"}, form="documents"),
    "bedrock.entry-content": Type({"text": "entry-text"}),
    "bedrock.agent": Type({"completion": "bedrock.chunk-text*"}, piece=True),
    "bedrock.chunk-text": Type({"chunk": "bedrock.chunk-bytes"}, piece=True),
    "bedrock.chunk-bytes": Type({"bytes": "bedrock.piece-bytes"}, piece=True),
    "bedrock.piece-bytes": Type({"decode()": "piece"}, piece=True),
}

ENTRIES: dict[str, ImportedName] = {
    "boto3.client": ImportedName("bedrock.client"),
    "boto3.Session": ImportedName("boto3.session"),
    "boto3.session.Session": ImportedName("boto3.session"),
    "aioboto3.Session": ImportedName("boto3.session", awaited=True),
    "aiobotocore.session.get_session": ImportedName("boto3.session", awaited=True),
    "aiobotocore.session.AioSession": ImportedName("boto3.session", awaited=True),
}

RULES: tuple[Rule, ...] = ()
