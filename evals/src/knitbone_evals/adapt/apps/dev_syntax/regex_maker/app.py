"""Turns a wish into a regular expression and shows what it finds."""

import re

from openai import OpenAI

client = OpenAI()


class PatternHelper:
    system = (
        "You write regular expressions for Python's re module. "
        "Answer with the pattern only, no delimiters, no quotes."
    )

    def pattern(self, wish):
        with client.chat.completions.stream(
            model="gpt-4o-mini",
            messages=[
                {"role": "system", "content": self.system},
                {"role": "user", "content": wish},
            ],
        ) as stream:
            final = stream.get_final_completion()
        return final.choices[0].message.content

    def find(self, wish, lines):
        regex = re.compile(self.pattern(wish).strip(), re.MULTILINE)
        hits = []
        for line in lines:
            match = regex.search(line)
            hits.append(None if match is None else [match.group(0), match.groupdict()])
        return hits


def find(wish, lines):
    return PatternHelper().find(wish, lines)
