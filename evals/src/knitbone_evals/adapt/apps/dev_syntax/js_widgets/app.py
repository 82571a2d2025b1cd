"""Small web widgets in JavaScript; the code is parsed before it is kept."""

import re

import tree_sitter_javascript
from openai import OpenAI
from tree_sitter import Language, Parser

client = OpenAI()
JS = Language(tree_sitter_javascript.language())
BLOCK = re.compile(r"```(?:js|javascript)\n(.+?)\n```", re.DOTALL)


def functions(node, source):
    for child in node.children:
        if child.type == "function_declaration":
            yield (
                source[child.start_byte : child.child_by_field_name("body").start_byte]
                .decode()
                .strip()
            )
        yield from functions(child, source)


def check(code):
    source = code.encode()
    tree = Parser(JS).parse(source)
    if tree.root_node.has_error:
        raise SyntaxError("the widget's code does not parse")
    return list(functions(tree.root_node, source))


def widget(description):
    reply = (
        client.chat.completions.create(
            model="gpt-4o",
            messages=[
                {
                    "role": "developer",
                    "content": "Write the widget in plain JavaScript, in one ```js code block.",
                },
                {"role": "user", "content": description},
            ],
        )
        .choices[0]
        .message.content
    )
    found = BLOCK.search(reply)
    code = found[1] if found else reply
    return {"functions": check(code), "lines": code.strip().count("\n") + 1}
