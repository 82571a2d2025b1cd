"""The catalogue of SDKs: paths, as the analysis writes them, against what they bring."""

from __future__ import annotations

import pytest

from knitbone.adaptation.analysis.catalogue import (
    canonical,
    produces,
    produces_by_shape,
    returns_itself,
    role,
    tables,
)
from knitbone.adaptation.analysis.catalogue.records import Call
from knitbone.adaptation.testing import Computed

_CHAT = [
    ("openai.OpenAI().chat.completions.create", "openai-chat", "response", False),
    ("openai.chat.completions.create", "openai-chat", "response", False),
    ("openai._client.OpenAI().chat.completions.create", "openai-chat", "response", False),
    ("openai.AsyncOpenAI().chat.completions.create", "openai-chat", "response", True),
    ("openai.AsyncOpenAI().with_options().responses.create", "openai-response", "response", True),
    ("openai.AzureOpenAI().beta.chat.completions.parse", "openai-chat", "response", False),
    (
        "openai.lib.azure.AsyncAzureOpenAI().chat.completions.create",
        "openai-chat",
        "response",
        True,
    ),
    ("openai.ChatCompletion.create", "openai-chat", "response", False),
    ("openai.ChatCompletion.acreate", "openai-chat", "response", True),
    ("openai.OpenAI().completions.create", "openai-completion", "response", False),
    ("langfuse.openai.OpenAI().chat.completions.create", "openai-chat", "response", False),
    ("groq.Groq().chat.completions.create", "openai-chat", "response", False),
    ("together.AsyncTogether().chat.completions.create", "openai-chat", "response", True),
    ("anthropic.Anthropic().messages.create", "anthropic-message", "message", False),
    ("anthropic.AsyncAnthropicBedrock().messages.create", "anthropic-message", "message", True),
    ("anthropic.Anthropic().beta.messages.create", "anthropic-message", "message", False),
    ("google.genai.Client().models.generate_content", "gemini", "response", False),
    ("google.genai.Client().aio.models.generate_content", "gemini", "response", True),
    ("google.genai.Client().chats.create().send_message", "gemini", "response", False),
    ("google.generativeai.GenerativeModel().generate_content", "gemini", "response", False),
    (
        "google.generativeai.GenerativeModel().start_chat().send_message",
        "gemini",
        "response",
        False,
    ),
    (
        "vertexai.preview.generative_models.GenerativeModel().generate_content_async",
        "gemini",
        "response",
        True,
    ),
    (
        "vertexai.language_models.TextGenerationModel.from_pretrained().predict",
        "vertex-text",
        "response",
        False,
    ),
    ("langchain_openai.ChatOpenAI().invoke", "langchain-message", "message", False),
    (
        "langchain_openai.chat_models.base.ChatOpenAI().ainvoke",
        "langchain-message",
        "message",
        True,
    ),
    ("langchain_openai.OpenAI().invoke", "langchain-text", "text", False),
    ("langchain.chat_models.ChatOpenAI().predict", "langchain-message", "text", False),
    ("langchain.chat_models.init_chat_model().invoke", "langchain-message", "message", False),
    ("langchain.llms.OpenAI()", "langchain-text", "text", False),
    (
        "langchain_core.language_models.BaseChatModel().bind_tools().ainvoke",
        "langchain-message",
        "message",
        True,
    ),
    (
        "langchain_aws.ChatBedrockConverse().with_retry().invoke",
        "langchain-message",
        "message",
        False,
    ),
    ("langchain.chains.LLMChain().run", "langchain-chain", "text", False),
    ("langchain.chains.RetrievalQA.from_chain_type().invoke", "langchain-chain", "response", False),
    ("langchain.agents.initialize_agent().run", "langchain-chain", "text", False),
    ("langgraph.prebuilt.create_react_agent().invoke", "langgraph-agent", "response", False),
    ("llama_index.llms.openai.OpenAI().complete", "llama-index", "response", False),
    (
        "llama_index.core.VectorStoreIndex.from_documents().as_query_engine().query",
        "llama-index",
        "response",
        False,
    ),
    (
        "llama_index.VectorStoreIndex.from_documents().as_chat_engine().achat",
        "llama-index",
        "response",
        True,
    ),
    ("litellm.completion", "litellm-chat", "response", False),
    ("litellm.acompletion", "litellm-chat", "response", True),
    ("litellm.Router().acompletion", "litellm-chat", "response", True),
    ("ollama.chat", "ollama", "response", False),
    ("ollama.AsyncClient().generate", "ollama", "response", True),
    ("cohere.ClientV2().chat", "cohere", "response", False),
    ("mistralai.Mistral().chat.complete", "mistral-chat", "response", False),
    ("mistralai.client.MistralClient().chat", "mistral-chat", "response", False),
    ("instructor.from_openai().chat.completions.create", "instructor", "object", False),
    ("dspy.ChainOfThought()", "dspy", "response", False),
    ("haystack.components.generators.OpenAIGenerator().run", "haystack", "response", False),
    (
        "haystack.components.generators.chat.OpenAIChatGenerator().run",
        "haystack",
        "response",
        False,
    ),
    ("huggingface_hub.InferenceClient().chat_completion", "huggingface-chat", "response", False),
    ("huggingface_hub.InferenceClient().text_generation", "huggingface", "text", False),
    (
        "transformers.AutoModelForCausalLM.from_pretrained().generate",
        "huggingface",
        "response",
        False,
    ),
    ("pydantic_ai.Agent().run_sync", "pydantic-ai", "response", False),
]


@pytest.mark.parametrize(("path", "provider", "form", "awaited"), _CHAT)
def test_a_call_of_a_model_is_known_by_its_path(path, provider, form, awaited):
    made = produces(path, {}, {}, ["a prompt"])
    assert made is not None
    assert (made.kind, made.provider, made.form, made.awaited) == (
        "chat",
        provider,
        form,
        awaited,
    )


_OTHERS = [
    ("langchain_chroma.Chroma.from_documents().as_retriever().invoke", "retriever", "documents"),
    (
        "langchain_community.vectorstores.FAISS.from_texts().similarity_search",
        "retriever",
        "documents",
    ),
    (
        "langchain.vectorstores.FAISS.load_local().similarity_search_with_score",
        "retriever",
        "documents",
    ),
    (
        "langchain_community.retrievers.BM25Retriever.from_documents().get_relevant_documents",
        "retriever",
        "documents",
    ),
    ("llama_index.core.VectorStoreIndex().as_retriever().retrieve", "retriever", "documents"),
    ("chromadb.PersistentClient().get_or_create_collection().query", "retriever", "documents"),
    ("langchain.text_splitter.RecursiveCharacterTextSplitter().split_text", "splitter", "texts"),
    (
        "langchain_text_splitters.RecursiveCharacterTextSplitter.from_tiktoken_encoder().split_documents",
        "splitter",
        "texts",
    ),
    ("langchain_text_splitters.MarkdownHeaderTextSplitter().split_text", "splitter", "texts"),
    (
        "llama_index.core.node_parser.SentenceSplitter().get_nodes_from_documents",
        "splitter",
        "texts",
    ),
]


@pytest.mark.parametrize(("path", "kind", "form"), _OTHERS)
def test_retrievals_and_splits_are_known_by_their_path(path, kind, form):
    made = produces(path, {}, {}, ["text"])
    assert made is not None
    assert (made.kind, made.form, made.confidence) == (kind, form, "high")


@pytest.mark.parametrize(
    "path",
    [
        "myapp.OpenAI().chat.completions.create",
        "requests.Session().invoke",
        "sqlalchemy.orm.Session().create",
        "openai.OpenAI().embeddings.create",
        "openai.OpenAI().models.list",
        "openai.OpenAI().chat.completions.list",
        "langchain_openai.OpenAIEmbeddings().embed_query",
        "langchain_core.prompts.ChatPromptTemplate.from_template().invoke",
        "langchain_core.output_parsers.StrOutputParser().invoke",
        "langchain_community.chat_models.ChatMessagePromptTemplate().invoke",
        "google.genai.Client().models.embed_content",
        "ollama.embeddings",
        "litellm.embedding",
        "transformers.AutoTokenizer.from_pretrained().decode",
        "llama_index.core.llms.ChatMessage().complete",
        "chromadb.Client().get_collection().add",
        # Making an object is no call of it.
        "openai.OpenAI",
        "langchain.llms.OpenAI",
        "langchain.chains.RetrievalQA.from_chain_type",
        "transformers.pipeline",
        "dspy.Predict",
        "agents.Agent().run",
    ],
)
def test_what_is_no_site_is_not_taken_for_one(path):
    assert produces(path, {}, {}, ["a text"]) is None


@pytest.mark.parametrize(
    ("path", "settings", "confidence"),
    [
        ("boto3.client().converse", {"0": "bedrock-runtime"}, "high"),
        ("boto3.client().converse", {"service_name": "bedrock-runtime"}, "high"),
        ("boto3.Session().client().invoke_model", {"0": Computed("service")}, "medium"),
        ("boto3.client().converse", {"0": "s3"}, None),
        ("boto3.client().get_object", {"0": "s3"}, None),
        ("transformers.pipeline()", {"0": "text-generation"}, "high"),
        ("transformers.pipeline()", {"task": "translation_en_to_fr"}, "high"),
        ("transformers.pipeline()", {"0": "sentiment-analysis"}, None),
        ("transformers.pipeline()", {"model": "gpt2"}, "medium"),
    ],
)
def test_what_an_object_was_made_with_decides(path, settings, confidence):
    made = produces(path, settings, {}, ["text"])
    assert (made and made.confidence) == confidence


@pytest.mark.parametrize(
    ("path", "given", "provider", "confidence"),
    [
        ("requests.post", "https://api.openai.com/v1/chat/completions", "http-openai-chat", "high"),
        ("httpx.AsyncClient().post", "http://x/api/generate", "http-ollama", "high"),
        ("requests.post", Computed('f"{base}/v1/messages"'), "http-anthropic-message", "medium"),
        ("httpx.Client().post", "https://g/v1/models/a:generateContent", "http-gemini", "high"),
        ("requests.post", "https://example.org/orders", None, None),
        ("requests.get", "https://api.openai.com/v1/chat/completions", None, None),
        ("requests.post", Computed("url"), None, None),
    ],
)
def test_a_post_is_a_site_by_its_address(path, given, provider, confidence):
    made = produces(path, {}, {"json": Computed("payload")}, [given])
    assert (made and made.provider) == provider
    assert (made and made.confidence) == confidence


def test_a_post_to_an_unknown_address_counts_by_its_body():
    body = {"model": "m", "messages": Computed("messages")}
    made = produces("requests.post", {}, {"json": body}, [Computed("self.url")])
    assert made is not None
    assert made.confidence == "low"
    elsewhere = produces("requests.post", {}, {"json": body}, ["https://example.org/log"])
    assert elsewhere is None


def test_streaming_is_read_from_the_arguments():
    path = "openai.OpenAI().chat.completions.create"
    whole = produces(path, {}, {"messages": (), "stream": False}, [])
    pieces = produces(path, {}, {"messages": (), "stream": True}, [])
    either = produces(path, {}, {"messages": (), "stream": Computed("stream")}, [])
    assert None not in (whole, pieces, either)
    assert (whole.shape, whole.streamed) == ("openai.chat", False)
    assert (pieces.shape, pieces.streamed) == ("openai.chat-chunk*", True)
    assert (either.shape, either.streamed) == ("openai.chat|openai.chat-chunk*", False)
    assert whole.prompt == ("messages",)


def test_the_declared_structure_comes_with_the_output():
    parsed = produces(
        "openai.OpenAI().beta.chat.completions.parse", {}, {"response_format": "Answer"}, []
    )
    bound = produces(
        "langchain_openai.ChatOpenAI().with_structured_output().invoke",
        {"0": "Answer"},
        {},
        ["a prompt"],
    )
    raw = produces(
        "langchain_openai.ChatOpenAI().with_structured_output().invoke",
        {"0": "Answer", "include_raw": True},
        {},
        ["a prompt"],
    )
    patched = produces(
        "openai.OpenAI().chat.completions.create", {}, {"response_model": "Answer"}, []
    )
    assert None not in (parsed, bound, raw, patched)
    assert (parsed.schema, bound.schema, patched.schema) == ("Answer",) * 3
    assert (bound.form, raw.shape, patched.form) == (
        "object",
        "langchain.structured-raw",
        "object",
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("openai.OpenAI()", "client"),
        ("openai.OpenAI", None),
        ("langchain_openai.ChatOpenAI()", "model"),
        ("langchain_openai.ChatOpenAI().bind_tools()", "toolcaller"),
        ("langchain_core.prompts.ChatPromptTemplate.from_messages()", "prompt"),
        ("langchain.output_parsers.PydanticOutputParser()", "parser"),
        ("langchain_core.retrievers.BaseRetriever()", "retriever"),
        ("langchain_chroma.Chroma()", "vectorstore"),
        ("langchain_text_splitters.CharacterTextSplitter()", "splitter"),
        ("langchain.chains.LLMChain()", "chain"),
        ("langchain.agents.AgentExecutor.from_agent_and_tools()", "agent"),
        ("langgraph.graph.StateGraph().compile()", "graph"),
        ("langchain_openai.OpenAIEmbeddings()", "embedder"),
        ("llama_index.core.VectorStoreIndex().as_query_engine()", "engine"),
        ("langchain_core.runnables.RunnablePassthrough()", "runnable"),
        ("myapp.models.ChatOpenAI()", None),
    ],
)
def test_roles(path, expected):
    assert role(path, {}) == expected


@pytest.mark.parametrize(
    ("attributes", "keywords", "provider", "confidence"),
    [
        ("self.client.chat.completions.create", {"model", "messages"}, "openai-chat", "medium"),
        ("self.client.chat.completions.create", {"**"}, "openai-chat", "medium"),
        ("client.messages.create", {"messages", "max_tokens"}, "anthropic-message", "medium"),
        ("router.acompletion", {"model", "messages"}, "litellm-chat", "medium"),
        ("db.similarity_search", set(), "langchain-retriever", "medium"),
        ("splitter.split_text", set(), "langchain-splitter", "medium"),
        ("self.llm.ainvoke", set(), "langchain-message", "low"),
        ("self._chain.invoke", set(), "langchain-chain", "low"),
        ("self.llm_chain.predict", set(), "langchain-chain", "low"),
        ("Settings.llm.complete", set(), "llama-index", "low"),
        # Nothing of the kind.
        ("session.invoke", set(), None, None),
        ("twilio.messages.create", {"to", "from_", "body"}, None, None),
        ("self.chat.completions.create", {"title"}, None, None),
        ("model.predict_proba", set(), None, None),
        ("model.predict", set(), None, None),
        ("classifier_chain.predict", set(), None, None),
        ("text.split", set(), None, None),
        ("create", {"messages"}, None, None),
    ],
)
def test_calls_known_by_their_own_shape(attributes, keywords, provider, confidence):
    made = produces_by_shape(attributes, keywords, {})
    assert (made and made.provider) == provider
    assert (made and made.confidence) == confidence


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "langchain.output_parsers.PydanticOutputParser",
            "langchain_core.output_parsers.PydanticOutputParser",
        ),
        (
            "langchain_core.output_parsers.json.JsonOutputParser",
            "langchain_core.output_parsers.JsonOutputParser",
        ),
        (
            "langchain_classic.output_parsers.structured.StructuredOutputParser",
            "langchain.output_parsers.StructuredOutputParser",
        ),
        (
            "langchain_classic.agents.output_parsers.react_single_input.ReActSingleInputOutputParser",
            "langchain.agents.output_parsers.ReActSingleInputOutputParser",
        ),
        (
            "langchain.agents.conversational_chat.output_parser.ConvoOutputParser",
            "langchain.agents.conversational_chat.ConvoOutputParser",
        ),
        (
            "langchain.text_splitter.CharacterTextSplitter",
            "langchain_text_splitters.CharacterTextSplitter",
        ),
        (
            "langchain_text_splitters.character.CharacterTextSplitter",
            "langchain_text_splitters.CharacterTextSplitter",
        ),
        ("llama_index.node_parser.SentenceSplitter", "llama_index.core.SentenceSplitter"),
        ("llama_index.core.node_parser.SentenceSplitter", "llama_index.core.SentenceSplitter"),
        ("pydantic.v1.main.BaseModel", "pydantic.BaseModel"),
        ("sqlalchemy.sql.expression.text", "sqlalchemy.text"),
        ("json.loads", "json.loads"),
    ],
)
def test_one_name_for_a_class(name, expected):
    assert canonical(name) == expected


def test_what_only_returns_its_receiver():
    assert returns_itself("langchain_openai.ChatOpenAI().with_retry")
    assert returns_itself("openai.OpenAI().with_options")
    assert not returns_itself("langchain_openai.ChatOpenAI().with_structured_output")
    assert not returns_itself("langchain_openai.ChatOpenAI")


def test_every_type_that_the_tables_name_exists():
    def named(shape: str):
        return [one.removeprefix("raw:").rstrip("*") for one in shape.split("|") if one]

    targets = [entry.target for entry in tables.ENTRIES.values()]
    targets += [rule.entry.target for rule in tables.RULES]
    for kind in tables.TYPES.values():
        targets.append(kind.base)
        for found in kind.members.values():
            if isinstance(found, Call):
                targets += [found.shape, found.stream]
                targets += [shape for *_, shape in found.switch]
                targets += [shape for _, shape in found.typed]
            else:
                targets.append(found)
    missing = {name for target in targets for name in named(target)} - set(tables.TYPES)
    assert missing == set()
