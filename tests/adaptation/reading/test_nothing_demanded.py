"""What only looks at an answer, or takes off what may stand there, demands nothing."""

import textwrap

import pytest

from knitbone.adaptation.testing import analyse_text, describe

ASK = """
import json, re
from openai import OpenAI
client = OpenAI()
def ask(q):
    done = client.chat.completions.create(model="m", messages=[{"role": "user", "content": q}])
    return done.choices[0].message.content
"""


@pytest.fixture
def demands(tmp_path):
    def run(source):
        text = ASK + textwrap.dedent(source)
        sites = analyse_text(text, tmp_path / "app.py", scenario=frozenset()).sites
        return [describe(r) for site in sites for r in site.requirements]

    return run


def test_an_expression_whose_fixed_parts_may_all_be_missing(demands):
    source = """
        def run(q):
            found = re.findall(r"^(\\[OUT\\])?\\s?(.*?)\\s?(\\[END\\])?$", ask(q), re.S)
            return found[0][1]
        """
    assert demands(source) == []
    assert demands(source.replace("])?", "])", 1))


def test_the_words_before_a_block(demands):
    source = """
        def run(q):
            text = ask(q)
            if "```" not in text:
                return ""
            return text[: text.find("```")].strip()
        """
    assert demands(source) == []
    assert demands(source.replace('[: text.find("```")]', '[text.find("```") + 3 :]'))


def test_lines_that_are_only_filtered_and_joined_again(demands):
    found = demands("""
        def run(q):
            kept = []
            for line in ask(q).splitlines():
                bare = line.strip()
                if not bare:
                    kept.append("")
                elif any(c.isalnum() for c in bare):
                    kept.append(line)
            return "\\n".join(kept)
        """)
    assert found == []


def test_parts_that_are_looked_at_before_they_are_cleaned(demands):
    found = demands("""
        def run(q):
            parts = ask(q).split("#")
            if any(re.search(r"(<.*?>|</.*?>)", part) for part in parts):
                return [re.sub(r"(<.*?>|</.*?>).*", "", part, flags=re.S) for part in parts]
            return parts
        """)
    assert len(found) == 1
    assert "<" not in found[0]


@pytest.mark.parametrize(
    ("read", "wanted"), [("text", 0), ("int(text)", 1), ("json.loads(text)", 1)]
)
def test_a_part_in_tags_that_is_dropped_before_the_answer(demands, read, wanted):
    found = demands(f"""
        def without(text):
            if "<reason>" in text and "</reason>" in text:
                at = text.find("</reason>") + len("</reason>")
                text = text[at:]
            return text.strip()
        def run(q):
            text = without(ask(q))
            return {read}
        """)
    assert len(found) == wanted
    assert not any("reason" in each for each in found)


def test_a_tag_of_a_language_that_is_taken_off_where_it_stands(demands):
    found = demands("""
        def clean(raw):
            raw = raw.strip()
            if raw.startswith("```"):
                raw = raw.split("```")[1]
                if raw.startswith("json"):
                    raw = raw[4:]
                raw = raw.strip()
            return raw
        def run(q):
            return json.loads(clean(ask(q)))
        """)
    assert len(found) == 2


def test_the_type_of_later_groups_is_none_of_the_first(demands):
    (found,) = demands("""
        def run(q):
            match = re.match(r"(\\w+): (\\d) (\\d)", ask(q))
            items = [item for item in match.groups()]
            row, column = [int(item) for item in items[1:]]
            return row + column
        """)
    assert "integer" not in found.partition(":")[0]


def test_keys_that_must_be_there_or_an_error_is_raised(demands):
    assert demands("""
        def run(q):
            data = json.loads(ask(q))
            for key in ("word", "options", "right"):
                if key not in data:
                    raise ValueError(key)
            return list(data["options"])[data["right"]]
        """) == ["JSON: object {word, options, right: integer}"]
    assert demands("""
        def run(q):
            data = json.loads(ask(q))
            if "passage" not in data or "questions" not in data:
                raise ValueError(data)
            return data
        """) == ["JSON: object {passage, questions}"]
