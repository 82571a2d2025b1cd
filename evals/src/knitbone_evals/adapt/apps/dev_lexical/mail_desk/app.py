"""Drafts replies to customer mails for a UK mail-order company."""

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from openai import OpenAI

ROLE = {"system": "system", "human": "user", "ai": "assistant"}


def ask_model(prompt_value):
    messages = [{"role": ROLE[m.type], "content": m.content} for m in prompt_value.to_messages()]
    done = OpenAI().chat.completions.create(model="gpt-4o-mini", temperature=0.2, messages=messages)
    return done.choices[0].message.content


llm = RunnableLambda(ask_model)

reply_prompt = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "You write e-mails for the customer service of Hartley & Sons, Sheffield. "
            "Use British English spelling throughout. Plain text only, no subject line.",
        ),
        ("user", "Mail from the customer:\n\n{mail}\n\nWhat we decided: {decision}"),
    ]
)
draft = reply_prompt | llm | StrOutputParser()


def answer_mail(mail, decision):
    text = draft.invoke({"mail": mail, "decision": decision})
    paragraphs = [p.strip() for p in text.split("\n\n") if p.strip()]
    return {"paragraphs": paragraphs, "length": sum(len(p.split()) for p in paragraphs)}
