"""Turns a question into a query."""

import os

from openai import AzureOpenAI

PROMPT = """You translate questions into one {dialect} SELECT statement.
Answer with the statement only, no explanation, no code fence.

Tables:
{schema}

Question: {question}"""


class SqlWriter:
    def __init__(self, dialect):
        self.dialect = dialect
        self.client = AzureOpenAI(
            api_version="2024-10-21", azure_endpoint=os.environ["AZURE_OPENAI_ENDPOINT"]
        )

    def write(self, question, schema):
        prompt = PROMPT.format(dialect=self.dialect, schema=schema, question=question)
        return self._ask(prompt).strip()

    def confidence(self, question, sql):
        prompt = f"From 0 to 1, how sure is it that\n{sql}\nanswers {question!r}? Number only."
        return float(self._ask(prompt))

    def _ask(self, prompt):
        completion = self.client.chat.completions.create(
            model="gpt-4o", messages=[{"role": "user", "content": prompt}]
        )
        return completion.choices[0].message.content
