"""Catalogue of LangChain's prompts, parsers, chains and agents, and of LangGraph.

Checked against langchain 0.0.354, langchain-classic 1 (``chains``, ``agents``), langchain 1
(``agents``) and langgraph 1 (``prebuilt``, ``pregel``): the output keys are those of the classes.
The tables are explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.canonical_names import PARSERS
from knitbone.adaptation.analysis.catalogue.langchain_models import runnable
from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_INPUT = ("0", "input", "inputs", "query", "question", "messages")

TYPES: dict[str, Type] = {
    "langchain.prompt": Type(
        dict.fromkeys(("partial()", "with_config()", "bind()"), "langchain.prompt"),
        role="prompt",
    ),
    "langchain.parser": Type(
        dict.fromkeys(("with_config()", "with_retry()", "bind()"), "langchain.parser"),
        role="parser",
    ),
    "langchain.runnable": Type({}, role="runnable"),
    # A chain of which the code does not say what its parts are (a return annotation).
    "langchain.sequence": Type(
        runnable(
            "langchain.sequence",
            "langchain-chain",
            "langchain.message|text",
            "langchain.message-piece|piece",
            confidence="medium",
        ),
        role="chain",
    ),
    "langchain.text-chain": Type(
        runnable("langchain.text-chain", "langchain-chain", "text", "piece"), role="chain"
    ),
    "langchain.object-chain": Type(
        runnable(
            "langchain.object-chain",
            "langchain-chain",
            "object",
            "object",
            declared=("0", "pydantic_schema"),
        ),
        role="chain",
    ),
    "langchain.rag-result": Type(
        {"answer": "text", "context": "langchain.document*"}, form="response"
    ),
    "langchain.rag-piece": Type({"answer": "piece", "context": "langchain.document*"}, piece=True),
    "langchain.rag": Type(
        runnable("langchain.rag", "langchain-chain", "langchain.rag-result", "langchain.rag-piece"),
        role="chain",
    ),
    "langchain.steps": Type({"[]": "unknown"}),
    # The state of a graph: the messages are what LangGraph itself puts there.
    "langgraph.state": Type({"messages": "langchain.message*", "structured_response": "object"}),
    "langgraph.update": Type(
        {
            "messages": "langchain.message*",
            # ``stream_mode="messages"``: a pair of a piece and its metadata; ``"updates"``:
            # the name of a node and its update.
            "[]": "langchain.message-piece|langgraph.update",
            "items()": "langgraph.update*",
            "values()": "langgraph.update*",
            "agent": "langgraph.update",
            "content": "piece",
        },
        piece=True,
    ),
    "langgraph.agent": Type(
        runnable("langgraph.agent", "langgraph-agent", "langgraph.state", "langgraph.update"),
        role="agent",
    ),
    "langgraph.builder": Type({"compile()": "langgraph.graph"}, role="graph"),
    "langgraph.graph": Type(
        runnable(
            "langgraph.graph",
            "langgraph",
            "langgraph.state",
            "langgraph.update",
            confidence="medium",
        ),
        role="graph",
    ),
}


def _enter_chain(name: str, key: str, **more: str) -> None:
    """Enter a chain of the first generation: a callable that returns a dictionary."""
    itself, result = f"langchain.{name}", f"langchain.{name}-result"
    call = Call("langchain-chain", result, _INPUT, awaited=False)
    text = call._replace(shape="text")
    TYPES[result] = Type({key: "text", "output_text": "text", **more})
    TYPES[itself] = Type(
        {
            **runnable(itself, "langchain-chain", result, result),
            "()": call,
            "acall()": call._replace(awaited=True),
            "run()": text,
            "arun()": text._replace(awaited=True),
            "predict()": text,
            "apredict()": text._replace(awaited=True),
            "predict_and_parse()": text._replace(shape="object"),
            "apredict_and_parse()": text._replace(shape="object", awaited=True),
            "apply()": call._replace(shape=f"{result}*"),
            "aapply()": call._replace(shape=f"{result}*", awaited=True),
            "generate()": call._replace(shape="langchain.result"),
            "agenerate()": call._replace(shape="langchain.result", awaited=True),
        },
        role="agent" if key == "output" else "chain",
    )


_DOCUMENTS = "langchain.document*"
_enter_chain("llm-chain", "text")
_enter_chain("retrieval-qa", "result", source_documents=_DOCUMENTS)
_enter_chain("qa-sources", "answer", sources="text", source_documents=_DOCUMENTS)
_enter_chain("conversational-retrieval", "answer", source_documents=_DOCUMENTS)
_enter_chain("conversation", "response")
_enter_chain("documents-chain", "output_text")
_enter_chain("result-chain", "result", intermediate_steps="langchain.steps")
_enter_chain("answer-chain", "answer")
_enter_chain("executor", "output", intermediate_steps="langchain.steps")

ENTRIES: dict[str, ImportedName] = {
    "langgraph.prebuilt.create_react_agent": ImportedName("langgraph.agent"),
    "langchain.agents.create_agent": ImportedName("langgraph.agent"),
    "langchain.agents.factory.create_agent": ImportedName("langgraph.agent"),
    "deepagents.create_deep_agent": ImportedName("langgraph.agent"),
    "langgraph.graph.StateGraph": ImportedName("langgraph.builder"),
    "langgraph.graph.MessageGraph": ImportedName("langgraph.builder"),
    "langgraph.graph.Graph": ImportedName("langgraph.builder"),
    "langgraph.pregel.Pregel": ImportedName("langgraph.graph"),
    "langgraph.pregel.remote.RemoteGraph": ImportedName("langgraph.graph"),
    "langgraph.graph.CompiledGraph": ImportedName("langgraph.graph"),
    "langgraph.graph.CompiledStateGraph": ImportedName("langgraph.graph"),
    "langgraph.graph.graph.CompiledGraph": ImportedName("langgraph.graph"),
    "langchain.hub.pull": ImportedName("langchain.prompt"),
    "langchainhub.pull": ImportedName("langchain.prompt"),
}

_HOMES = r"langchain(?:_core|_classic|_community|_experimental|_[a-z0-9_]+)?(?:\.[a-z_]\w*)*"
_CHAINS: tuple[tuple[str, str], ...] = (
    ("LLMChain", "llm-chain"),
    ("RetrievalQA|VectorDBQA", "retrieval-qa"),
    (
        r"(?:Retrieval|VectorDB)?QAWithSources(?:Retrieval)?Chain|RetrievalQAWithSourcesChain",
        "qa-sources",
    ),
    (r"ConversationalRetrievalChain|ChatVectorDBChain", "conversational-retrieval"),
    ("ConversationChain", "conversation"),
    (
        r"load_qa_chain|load_summarize_chain|load_qa_with_sources_chain|StuffDocumentsChain"
        r"|MapReduceDocumentsChain|RefineDocumentsChain|MapRerankDocumentsChain"
        r"|AnalyzeDocumentChain|MapReduceChain",
        "documents-chain",
    ),
    (
        r"SQLDatabaseChain|\w*(?:Cypher|Sparql|SPARQL|Graph|AQL)QAChain|LLMCheckerChain",
        "result-chain",
    ),
    ("LLMMathChain|PALChain", "answer-chain"),
    (
        r"AgentExecutor|initialize_agent|create_(?:sql|csv|json|openapi|pandas_dataframe"
        r"|spark_dataframe|spark_sql|python|vectorstore|vectorstore_router|xorbits"
        r"|conversational_retrieval)_agent|SimpleSequentialChain|MRKLChain|ReActChain|SelfAskWithSearchChain|APIChain|ConstitutionalChain",
        "executor",
    ),
    (r"create_stuff_documents_chain|create_sql_query_chain", "text-chain"),
    (
        r"create_structured_output_runnable|create_extraction_chain_pydantic"
        r"|create_structured_output_chain|create_extraction_chain|create_openai_fn_runnable",
        "object-chain",
    ),
    ("create_retrieval_chain", "rag"),
    ("create_history_aware_retriever", "retriever"),
    (r"\w*PromptTemplate|FewShotPromptWithTemplates|MessagesPlaceholder", "prompt"),
    (
        r"RunnableSequence|Runnable|RunnableSerializable|RunnableWithMessageHistory"
        r"|RunnableWithFallbacks|RunnableBinding",
        "sequence",
    ),
    (
        r"RunnablePassthrough|RunnableParallel|RunnableLambda|RunnableMap|RunnableBranch"
        r"|RunnablePick|RunnableAssign|RunnableGenerator|chain",
        "runnable",
    ),
)

RULES: tuple[Rule, ...] = (
    *(
        Rule(rf"{_HOMES}\.(?:{names})", ImportedName(f"langchain.{target}"))
        for names, target in _CHAINS
    ),
    Rule(
        rf"{_HOMES}\.(?:{'|'.join(sorted(PARSERS))}|\w+OutputParser|\w+OutputFunctionsParser)",
        ImportedName("langchain.parser"),
    ),
)
