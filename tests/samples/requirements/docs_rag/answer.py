"""Questions about our own documentation."""

import sys
from pathlib import Path

from ingest import build_store
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI

llm = ChatOpenAI(model="gpt-4o-mini", temperature=0)

ANSWER = ChatPromptTemplate.from_template(
    "Answer from the context only. If it does not tell, say NO_ANSWER.\n\n"
    "Context:\n{context}\n\nQuestion: {question}"
)
CITE = ChatPromptTemplate.from_template(
    "Which passages support the answer? Give JSON with the keys 'confidence' and 'citations', a "
    "list of objects with 'source' and, if known, 'page'.\n\n{context}\n\nAnswer: {answer}"
)


def context_for(store, question):
    retriever = store.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"k": 4, "score_threshold": 0.35}
    )
    documents = retriever.invoke(question)
    return "\n\n".join(document.page_content for document in documents)


def answer(store, question):
    chain = ANSWER | llm | StrOutputParser()
    text = chain.invoke({"context": context_for(store, question), "question": question})
    if "NO_ANSWER" in text:
        return None
    return text


def citations(store, question, text):
    chain = CITE | llm | JsonOutputParser()
    found = chain.invoke({"context": context_for(store, question), "answer": text})
    if float(found["confidence"]) < 0.3:
        return []
    return [(entry["source"], entry.get("page")) for entry in found["citations"]]


def format_docs(documents):
    return "\n---\n".join(document.page_content for document in documents)


def quick_answer(store, question):
    retriever = store.as_retriever(search_kwargs={"k": 2})
    rag = (
        {"context": retriever | format_docs, "question": RunnablePassthrough()}
        | ANSWER
        | llm
        | StrOutputParser()
    )
    return rag.invoke(question)


if __name__ == "__main__":
    docs = build_store("docs", Path("README.md").read_text(encoding="utf-8"))
    asked = " ".join(sys.argv[1:])
    reply = answer(docs, asked) or quick_answer(docs, asked)
    print(reply)
    for source, page in citations(docs, asked, reply):
        print(f"  {source}, page {page}")
