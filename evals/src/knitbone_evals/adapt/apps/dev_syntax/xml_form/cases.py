"""A form in XHTML."""

import re

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    replaced,
    syntax,
    template,
    undetermined,
    without_end,
    wrapped,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced

SPEC = AppSpec(name="xml_form", half="dev_syntax", domain="program synthesis", function="build")


def of(text, labels, inputs, action, note=""):
    return Base(
        inputs={"purpose": "sign up"},
        outputs=(text,),
        expected={"labels": labels, "inputs": inputs, "action": action},
        note=note,
    )


def base(rng, _pool):
    drawn = rng.sample(
        [
            ("Name", "name", "text"),
            ("Terms &amp; conditions", "terms", "checkbox"),
            ("Mail", "mail", "email"),
            ("Age <b>in years</b>", "age", "number"),
        ],
        rng.randint(1, 4),
    )
    number = rng.randint(1, 50)
    rows = "".join(
        (
            '  <div class="row">\n'
            f'    <label for="{name}">{label}</label>\n'
            f'    <input id="{name}" name="{name}" type="{kind}"/>\n'
            "  </div>\n"
        )
        for label, name, kind in drawn
    )
    text = (
        f'<form action="/send/{number}?a=1&amp;b=2" method="post">\n'
        f"{rows}  <br/>\n"
        '  <button type="submit">Send</button>\n'
        "</form>"
    )
    return of(
        text,
        [re.sub("<.*?>", "", label).replace("&amp;", "&") for label, _, _ in drawn],
        {name: kind for _, name, kind in drawn},
        f"/send/{number}?a=1&b=2",
    )


FAULTS = (
    THINKING,
    template("fence", fenced("html")),
    template("xml fence", fenced("xml")),
    template("prose", introduced("Here's your form:")),
    template("after", concluded("You can style it with CSS.")),
    syntax("void tags", replaced("/>", ">")),
    syntax("ampersand", replaced("&amp;", "&")),
    syntax("root open", without_end("</form>")),
    syntax("div open", replaced("  </div>\n", "", 1)),
    syntax("boolean attribute", replaced('type="checkbox"', 'type="checkbox" required')),
    syntax("attribute no quotes", replaced('method="post"', "method=post")),
    syntax("smart", lambda text, _: re.sub(r'"([^"]*)"', "“\\1”", text)),
    syntax("nbsp", replaced("Send", "&nbsp;Send")),
    syntax("wrong close", replaced("</label>", "</lable>", 1)),
    syntax(
        "doctype page",
        wrapped("<!DOCTYPE html>\n<html><body>\n{}\n</body></html>"),
        determined=False,
    ),
    undetermined("cut", lambda text, _: text[: text.index("<label") + 12]),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            "<!-- ok --><form action='x'><label>a</label><input name='q'></input></form>",
            ["a"],
            {"q": "text"},
            "x",
        ),
    )
