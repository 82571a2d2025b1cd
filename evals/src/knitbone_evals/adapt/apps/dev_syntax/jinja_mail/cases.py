"""A template of a mail."""

import jinja2

from knitbone_evals.adapt.apps.dev_syntax.kit import replaced, syntax, template, undetermined
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import fenced, introduced, once

SPEC = AppSpec(
    name="jinja_mail", half="dev_syntax", domain="task management", function="mails", compare="text"
)
RECIPIENTS = [
    {
        "customer": {"name": "Ada", "city": "Oslo"},
        "items": [{"title": "Lamp", "price": 12.5}, {"title": "Rug", "price": 40}],
        "vip": True,
    },
    {
        "customer": {"name": "Bo", "city": "Lyon"},
        "items": [{"title": "Cup", "price": 3}],
        "vip": False,
    },
]
ENVIRONMENT = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)


def of(text, note=""):
    return Base(
        inputs={"brief": "a thank-you mail", "recipients": RECIPIENTS},
        outputs=(text,),
        expected=[ENVIRONMENT.from_string(text).render(**each) for each in RECIPIENTS],
        note=note,
    )


def base(rng, _pool):
    number = rng.randint(2, 40)
    return of(
        rng.choice(
            [
                (
                    f"Dear {{{{ customer.name }}}},\n\n"
                    f"thank you for your order no. {number}:\n"
                    f"{{% for item in items %}}\n"
                    f'- {{{{ item.title }}}}: {{{{ "%.2f"|format(item.price) }}}} EUR\n'
                    f"{{% endfor %}}\n\n"
                    "Kind regards"
                ),
                (
                    f"Hello {{{{ customer.name|upper }}}} from {{{{ customer.city }}}}!\n"
                    f"{{% if vip %}}\n"
                    f"As a VIP you get {number}% off.\n"
                    f"{{% else %}}\n"
                    f"Join our club for {number}% off.\n"
                    f"{{% endif %}}\n"
                    "Bye"
                ),
                (
                    f"{{% for item in items if item.price > {number} %}}\n"
                    f"{{{{ loop.index }}}}. {{{{ item.title }}}}\n"
                    f"{{% else %}}\n"
                    f"Nothing above {number}.\n"
                    f"{{% endfor %}}\n"
                    "Yours, the shop"
                ),
            ]
        )
    )


FAULTS = (
    THINKING,
    template("fence", fenced("jinja2")),
    template("jinja fence", fenced("jinja")),
    template("prose", introduced("Here is the template:"), determined=False),
    syntax("endfor lost", replaced("{% endfor %}\n", ""), determined=False),
    syntax("endif lost", replaced("{% endif %}\n", ""), determined=False),
    syntax("one closing brace", once(r"\}\}", "}")),
    syntax("percent lost", once(r" %\}", " }")),
    syntax("end if", replaced("endif", "end if")),
    syntax("end for", replaced("endfor", "end for")),
    syntax("plain end", replaced("endif", "end")),
    syntax("smart quotes", replaced('"%.2f"', "“%.2f”")),
    syntax("else if", replaced("{% else %}\nJoin", "{% else if not vip %}\nJoin")),
    undetermined("cut", lambda text, _: text[: text.index("{%") + 8]),
)


def extra(_rng):
    yield case_of(
        SPEC, of("{# note: {{ odd #}Hi {{ customer['name'] }}, { \"json\": true } {{ '{{' }}")
    )
