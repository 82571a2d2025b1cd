"""Catalogue of frameworks with agents and pipelines of their own, and of vector databases.

DSPy, Haystack, the OpenAI Agents SDK, Pydantic AI, smolagents, CrewAI; Chroma, Qdrant, Pinecone.
Checked against dspy 3, haystack-ai 3, openai-agents, pydantic-ai 2, smolagents 1 and chromadb 1.
The tables are explained in ``records.py``.
r _RUN _AGENTS_RUN _PYDANTIC _PYDANTIC_AI_RUN _PYDANTIC_DIRECT _SMOLAGENTS _FOUND _VECTOR_SEARCH
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_DSPY = Call("dspy", "dspy.prediction", (), awaited=False)
_HAYSTACK = Call("haystack", "haystack.replies", ("prompt", "messages", "0"), awaited=False)
_RUN = Call("openai-agents", "agents.result", ("input", "1"), confidence="medium")
_PYDANTIC = Call(
    "pydantic-ai",
    "pydantic-ai.result",
    ("user_prompt", "0"),
    schema=("output_type", "result_type"),
    declared=("output_type", "result_type"),
    typed=(
        ("output_type", "pydantic-ai.typed-result"),
        ("result_type", "pydantic-ai.typed-result"),
    ),
)
_PYDANTIC_DIRECT = Call("pydantic-ai", "pydantic-ai.response", ("messages", "1"), awaited=False)
_SMOLAGENTS = Call("smolagents", "smolagents.message", ("messages", "0"), awaited=False)
_FOUND = Call("vector-database", "chroma.result", (), "retriever")

TYPES: dict[str, Type] = {
    # The fields of a prediction are those of the application's signature.
    "dspy.module": Type(
        {
            "()": _DSPY,
            "forward()": _DSPY,
            "acall()": _DSPY._replace(awaited=True),
            "aforward()": _DSPY._replace(awaited=True),
        },
        role="model",
    ),
    "dspy.prediction": Type({"*": "text"}),
    "dspy.lm": Type(
        {
            "()": Call("dspy", "text*", ("0", "prompt", "messages"), awaited=False),
            "acall()": Call("dspy", "text*", ("0", "prompt", "messages"), awaited=True),
        },
        role="model",
    ),
    "dspy.retrieve": Type(
        {"()": Call("dspy-retriever", "dspy.passages", ("0", "query"), "retriever")},
        role="retriever",
    ),
    "dspy.passages": Type({"passages": "entry-text*"}, form="documents"),
    "haystack.generator": Type(
        {"run()": _HAYSTACK, "run_async()": _HAYSTACK._replace(awaited=True)}, role="model"
    ),
    "haystack.replies": Type({"replies": "text*"}),
    "haystack.chat-generator": Type(
        {
            "run()": _HAYSTACK._replace(shape="haystack.messages"),
            "run_async()": _HAYSTACK._replace(shape="haystack.messages", awaited=True),
        },
        role="model",
    ),
    "haystack.messages": Type({"replies": "haystack.message*"}),
    "haystack.message": Type(
        {
            "text": "text",
            "content": "text",
            "texts": "text*",
            "tool_calls": "haystack.tool-call*",
            "tool_call": "haystack.tool-call",
        },
        form="message",
    ),
    "haystack.tool-call": Type({"arguments": "object", "tool_name": "tool-name"}),
    "haystack.retriever": Type(
        {
            "run()": Call(
                "haystack-retriever", "haystack.found", ("query", "0"), "retriever", awaited=False
            ),
            "run_async()": Call(
                "haystack-retriever", "haystack.found", ("query", "0"), "retriever", awaited=True
            ),
        },
        role="retriever",
    ),
    "haystack.found": Type({"documents": "haystack.document*"}),
    "haystack.document": Type({"content": "entry-text"}, form="documents"),
    "haystack.splitter": Type(
        {"run()": Call("haystack-splitter", "haystack.cut", (), "splitter", awaited=False)},
        role="splitter",
    ),
    "haystack.cut": Type({"documents": "haystack.chunk*"}),
    "haystack.chunk": Type({"content": "chunk-text"}, form="texts"),
    "haystack.agent": Type(
        {
            "run()": _HAYSTACK._replace(shape="haystack.agent-result"),
            "run_async()": _HAYSTACK._replace(shape="haystack.agent-result", awaited=True),
        },
        role="agent",
    ),
    "haystack.agent-result": Type(
        {"messages": "haystack.message*", "last_message": "haystack.message"}
    ),
    "haystack.pipeline": Type(
        {
            "run()": _HAYSTACK._replace(shape="haystack.outputs", confidence="medium"),
            "run_async()": _HAYSTACK._replace(
                shape="haystack.outputs", confidence="medium", awaited=True
            ),
        },
        role="chain",
    ),
    # By the names that the application gave its components.
    "haystack.outputs": Type({"*": "haystack.component"}),
    "haystack.component": Type(
        {"replies": "haystack.message*|text*", "documents": "haystack.document*"}
    ),
    "agents.runner": Type(
        {
            "run()": _RUN._replace(awaited=True),
            "run_sync()": _RUN._replace(awaited=False),
            "run_streamed()": _RUN._replace(shape="agents.stream", streamed=True, awaited=False),
            "()": "agents.runner",
        },
        role="agent",
    ),
    "agents.result": Type(
        {
            "final_output": "text|object",
            "final_output_as()": "text|object",
            "new_items": "agents.items",
            "to_input_list()": "openai.output*",
        }
    ),
    # Functions of the library, by the class that they belong to.
    "agents.items": Type({"[]": "agents.item", "ItemHelpers.text_message_outputs()": "text"}),
    "agents.item": Type(
        {
            "raw_item": "openai.output",
            "ItemHelpers.text_message_output()": "text",
            "ItemHelpers.extract_last_text()": "text",
            "ItemHelpers.extract_last_content()": "text",
        }
    ),
    "agents.stream": Type(
        {
            "stream_events()": "agents.event*",
            "final_output": "text|object",
            "final_output_as()": "text|object",
            "new_items": "agents.items",
            "to_input_list()": "openai.output*",
        },
        piece=True,
    ),
    "agents.event": Type({"data": "openai.event", "item": "agents.item"}, piece=True),
    "pydantic-ai.agent": Type(
        {
            "run()": _PYDANTIC._replace(awaited=True),
            "run_sync()": _PYDANTIC._replace(awaited=False),
            "run_stream()": _PYDANTIC._replace(
                shape="pydantic-ai.stream", streamed=True, awaited=False, typed=()
            ),
            "run_stream_sync()": _PYDANTIC._replace(
                shape="pydantic-ai.stream-sync", streamed=True, awaited=False, typed=()
            ),
            "iter()": _PYDANTIC._replace(shape="pydantic-ai.agent-run", awaited=False, typed=()),
        },
        role="agent",
    ),
    "pydantic-ai.result": Type(
        {
            "output": "text",
            "data": "text",
            "response": "pydantic-ai.response",
            "new_messages()": "pydantic-ai.response*",
        }
    ),
    "pydantic-ai.typed-result": Type({"output": "object", "data": "object"}),
    "pydantic-ai.agent-run": Type({"result": "pydantic-ai.result"}),
    "pydantic-ai.module": Type(
        {
            "model_request()": _PYDANTIC_DIRECT._replace(awaited=True),
            "model_request_sync()": _PYDANTIC_DIRECT,
        },
        role="client",
    ),
    "pydantic-ai.response": Type({"parts": "pydantic-ai.part*", "text": "text"}),
    "pydantic-ai.part": Type({"content": "text"}),
    "pydantic-ai.stream": Type(
        {
            "stream_text()": "piece*",
            "stream()": "piece*|object*",
            "stream_output()": "piece*|object*",
            "get_output()": "pydantic-ai.later",
            "get_data()": "pydantic-ai.later",
        },
        piece=True,
    ),
    "pydantic-ai.later": Type({"with": "text|object"}),  # also what awaiting gives
    "pydantic-ai.stream-sync": Type(
        {"get_output()": "text|object"}, piece=True, base="pydantic-ai.stream"
    ),
    "smolagents.model": Type(
        {
            "()": _SMOLAGENTS,
            "generate()": _SMOLAGENTS,
            "generate_stream()": _SMOLAGENTS._replace(shape="smolagents.delta*", streamed=True),
        },
        role="model",
    ),
    "smolagents.message": Type(
        {"content": "text", "tool_calls": "openai.tool-call*"}, form="message"
    ),
    "smolagents.delta": Type({"content": "piece"}, piece=True),
    "smolagents.agent": Type(
        {
            "run()": Call(
                "smolagents",
                "text",
                ("task", "0"),
                confidence="medium",
                awaited=False,
                stream="unknown",
                switch=(("return_full_result", True, "smolagents.run"),),
            )
        },
        role="agent",
    ),
    "smolagents.run": Type({"output": "text"}),
    "crewai.crew": Type(
        {
            "kickoff()": Call("crewai", "crewai.output", ("inputs",), awaited=False),
            "kickoff_async()": Call("crewai", "crewai.output", ("inputs",), awaited=True),
        },
        role="agent",
    ),
    "crewai.output": Type(
        {"raw": "text", "str()": "text", "pydantic": "object", "json_dict": "object"}
    ),
    "crewai.llm": Type(
        {"call()": Call("crewai", "text", ("messages", "0"), awaited=False)}, role="model"
    ),
    # Vector databases
    "chroma.client": Type(
        {
            "get_collection()": "chroma.collection",
            "create_collection()": "chroma.collection",
            "get_or_create_collection()": "chroma.collection",
        },
        role="client",
    ),
    "chroma.collection": Type(
        {"query()": _FOUND._replace(provider="chroma", prompt=("query_texts", "1"))},
        role="vectorstore",
    ),
    "chroma.result": Type({"documents": "entry-text**"}, form="documents"),
    "qdrant.client": Type(
        {
            "search()": _FOUND._replace(provider="qdrant", shape="qdrant.point*"),
            "query_points()": _FOUND._replace(provider="qdrant", shape="qdrant.points"),
            "query()": _FOUND._replace(provider="qdrant", shape="qdrant.point*"),
        },
        role="vectorstore",
    ),
    "qdrant.points": Type({"points": "qdrant.point*"}, form="documents"),
    "qdrant.point": Type({"payload": "vector.fields", "document": "entry-text"}, form="documents"),
    "pinecone.client": Type({"Index()": "pinecone.index"}, role="client"),
    "pinecone.index": Type(
        {
            "query()": _FOUND._replace(
                provider="pinecone", shape="pinecone.result", prompt=("vector",)
            )
        },
        role="vectorstore",
    ),
    "pinecone.result": Type({"matches": "pinecone.match*"}, form="documents"),
    "pinecone.match": Type({"metadata": "vector.fields"}, form="documents"),
    # Embeddings are no output that code reads; known so that nothing takes them for a model.
    "embedder": Type(role="embedder"),
    "vector.fields": Type({"*": "entry-text"}),
}

ENTRIES: dict[str, ImportedName] = {
    "dspy.LM": ImportedName("dspy.lm"),
    "dspy.OpenAI": ImportedName("dspy.lm"),
    "dspy.Retrieve": ImportedName("dspy.retrieve"),
    "agents.Runner": ImportedName("agents.runner", is_class=False),
    "agents.run.Runner": ImportedName("agents.runner", is_class=False),
    "pydantic_ai.Agent": ImportedName("pydantic-ai.agent"),
    "pydantic_ai.agent.Agent": ImportedName("pydantic-ai.agent"),
    "pydantic_ai.direct": ImportedName("pydantic-ai.module", is_class=False),
    "crewai.Crew": ImportedName("crewai.crew"),
    "crewai.LLM": ImportedName("crewai.llm"),
    "chromadb.Client": ImportedName("chroma.client"),
    "chromadb.PersistentClient": ImportedName("chroma.client"),
    "chromadb.EphemeralClient": ImportedName("chroma.client"),
    "chromadb.HttpClient": ImportedName("chroma.client"),
    "chromadb.AsyncHttpClient": ImportedName("chroma.client", awaited=True),
    "chromadb.Collection": ImportedName("chroma.collection"),
    "chromadb.api.models.Collection.Collection": ImportedName("chroma.collection"),
    "qdrant_client.QdrantClient": ImportedName("qdrant.client"),
    "qdrant_client.AsyncQdrantClient": ImportedName("qdrant.client", awaited=True),
    "pinecone.Pinecone": ImportedName("pinecone.client"),
    "pinecone.Index": ImportedName("pinecone.index"),
}

_COMPONENTS = r"haystack(?:_integrations|_experimental)?\.components(?:\.\w+)*"

RULES: tuple[Rule, ...] = (
    Rule(r"(?:langchain|llama_index)\w*(?:\.\w+)*\.\w*Embeddings?", ImportedName("embedder")),
    Rule(r"sentence_transformers(?:\.\w+)*\.SentenceTransformer", ImportedName("embedder")),
    Rule(
        r"dspy(?:\.\w+)*\.(?:Predict|ChainOfThought|ChainOfThoughtWithHint|ProgramOfThought|ReAct"
        r"|MultiChainComparison|TypedPredictor|TypedChainOfThought|BestOfN|Refine|CodeAct|RLM)",
        ImportedName("dspy.module"),
    ),
    Rule(r"smolagents(?:\.\w+)*\.\w*Model", ImportedName("smolagents.model")),
    Rule(r"smolagents(?:\.\w+)*\.\w+Agent", ImportedName("smolagents.agent")),
    Rule(rf"{_COMPONENTS}\.\w+ChatGenerator", ImportedName("haystack.chat-generator")),
    Rule(rf"{_COMPONENTS}\.(?!\w*Image)\w+Generator", ImportedName("haystack.generator")),
    Rule(rf"{_COMPONENTS}\.\w*Retriever", ImportedName("haystack.retriever")),
    Rule(rf"{_COMPONENTS}\.\w*DocumentSplitter", ImportedName("haystack.splitter")),
    Rule(rf"{_COMPONENTS}\.agents(?:\.\w+)*\.Agent", ImportedName("haystack.agent")),
    Rule(
        r"haystack(?:\.core)?(?:\.pipeline)?\.(?:Async)?Pipeline", ImportedName("haystack.pipeline")
    ),
)
