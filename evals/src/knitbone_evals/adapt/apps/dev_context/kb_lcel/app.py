"""Staff help: an LCEL chain with the company's own retriever."""

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from openai import OpenAI


class Intranet(BaseRetriever):
    pages: list

    def _get_relevant_documents(self, query, *, run_manager):  # noqa: ARG002 - pages come ranked
        return [
            Document(page_content=p["text"], metadata={"source": p["source"]}) for p in self.pages
        ]


PROMPT = ChatPromptTemplate.from_template(
    "Answer with the passages.\n\n{context}\n\nQuestion: {question}"
)


def call(value):
    reply = OpenAI().chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": value.to_string()}]
    )
    return reply.choices[0].message.content


def format_docs(docs):
    format_docs.last = [d.metadata["source"] for d in docs]
    return "\n\n".join(d.page_content for d in docs)


def ask(question, passages):
    chain = (
        {"context": Intranet(pages=passages) | format_docs, "question": RunnablePassthrough()}
        | PROMPT
        | RunnableLambda(call)
        | StrOutputParser()
    )
    return {"answer": chain.invoke(question), "sources": format_docs.last}
