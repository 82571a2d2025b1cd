"""Lists that an application ranks by a text are retrieved entries; other sorted lists are not."""

from textwrap import dedent, indent

import pytest

from knitbone.adaptation.testing import (
    ContextRule,
    ScenarioRequirement,
    analyse_text,
)

ASK = """
from openai import OpenAI

def answer(question, docs, order="date"):
{body}
    return OpenAI().chat.completions.create(
        model="m", messages=[{{"role": "user", "content": f"{{context}} {{question}}"}}]
    ).choices[0].message.content
"""
RANKED = {
    "a sort by shared words": """
        words = set(question.lower().split())
        hits = sorted(docs, key=lambda d: len(words & set(d.lower().split())), reverse=True)
        context = "\\n".join(hits[:3])
    """,
    "pairs of score and text": """
        pairs = []
        for d in docs:
            score = 0
            for w in question.split():
                if w in d:
                    score += 1
            pairs.append((score, d))
        pairs.sort(reverse=True)
        context = "\\n".join([d for _, d in pairs[:3]])
    """,
    "places of the best scores": """
        import numpy as np
        best = np.argsort([-similarity(question, d) for d in docs])[:3]
        context = "\\n".join(docs[i] for i in best)
    """,
    "a function inside": """
        def score(i):
            return sum(docs[i].count(w) for w in question.split())
        context = "\\n".join([docs[i] for i in sorted(range(len(docs)), key=score)])
    """,
    "a full text search": """
        rows = db.execute("SELECT body FROM t WHERE t MATCH ? LIMIT 3", (question,)).fetchall()
        context = "\\n".join([row[0] for row in rows])
    """,
}
OTHERS = {
    "a column that is named": """
        context = "\\n".join([d["text"] for d in sorted(docs, key=lambda d: d[order])])
    """,
    "a category that is equal": """
        hits = sorted([d for d in docs if d["kind"] == order], key=lambda d: d["date"])
        context = "\\n".join([d["text"] for d in hits])
    """,
    "a filter, sorted by date": """
        hits = sorted([d for d in docs if question in d["text"]], key=lambda d: d["date"])
        context = "\\n".join([d["text"] for d in hits])
    """,
    "rows of a table that is named": """
        rows = db.execute("SELECT * FROM " + order).fetchall()
        context = "\\n".join([r[1] for r in sorted(rows, key=lambda r: r[0])])
    """,
    "a list that the model does not see": """
        print("\\n".join(sorted(docs, key=lambda d: d.count(question.lower()))))
        context = ""
    """,
}


def retrievers(tmp_path, source):
    sites = analyse_text(source, tmp_path / "app.py").sites
    return [site for site in sites if site.kind == "retriever"]


@pytest.mark.parametrize("body", RANKED.values(), ids=RANKED.keys())
def test_a_list_that_is_ranked_by_a_text_is_a_context(tmp_path, body):
    sites = retrievers(tmp_path, ASK.format(body=indent(dedent(body), "    ")))
    assert sites
    assert all("question" in site.queries[0] for site in sites)
    kinds = {type(requirement) for site in sites for requirement in site.requirements}
    assert kinds == {ContextRule, ScenarioRequirement}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_other_sorted_lists_are_none(tmp_path, body):
    assert not retrievers(tmp_path, ASK.format(body=indent(dedent(body), "    ")))


def test_what_a_function_ranks_becomes_available_at_its_call(tmp_path):
    source = """
from openai import OpenAI

class Index:
    def __init__(self, docs):
        self.docs = docs
    def top(self, query, k):
        order = sorted(range(len(self.docs)), key=lambda i: self.score(query, i))
        return [self.docs[i] for i in order[:k]]
    def score(self, query, i):
        return -len(set(query.split()) & set(self.docs[i].split()))

def answer(wanted, docs):
    found = Index(docs).top(wanted.strip(), 4)
    prompt = "\\n".join(found) + wanted
    return OpenAI().responses.create(model="m", input=prompt).output_text
"""
    (site,) = retrievers(tmp_path, source)
    assert (site.expression, site.queries) == (
        "Index(docs).top(wanted.strip(), 4)",
        (("wanted",), ()),
    )


def test_variables_that_may_be_unbound_are_never_read(tmp_path):
    body = """
        if docs:
            words = question.split()
        hits = sorted(docs, key=lambda d: len(set(words) & set(d.split())))
        context = "\\n".join(hits)
    """
    (site,) = retrievers(tmp_path, ASK.format(body=indent(dedent(body), "    ")))
    assert site.queries == (("question",), ())
