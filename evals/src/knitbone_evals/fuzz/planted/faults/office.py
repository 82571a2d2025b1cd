"""The faults in ``office``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

_DATE = "Date: Mon, 4 Mar 2024 09:30:00"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("office", "invoice_due"),
        category="async",
        fault=raised("TypeError", "invoice_due"),
        specification="ill",
        sentence="the zone is -0000",
        witness={"mail": f"Subject: Invoice 7\n{_DATE} -0000\n\nDear all"},
        normal={"mail": f"Subject: Invoice 7\n{_DATE} +0100\n\nDear all"},
        more=(
            {"mail": f"{_DATE} -0500\nsubject: Your Invoice\n"},
            {"mail": "From: a@example.org\nDate: 31 Dec 2019 00:00:00 +0000\nSubject: Invoice"},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "invoice_due", "mail: "),),
    ),
    Planted(
        target=target_of("office", "booked_amount"),
        category="hidden format",
        fault=raised("KeyError", "booked_amount"),
        specification="ill",
        sentence='"RC" and "RD" for their reversals',
        witness={"line": ":61:2401150115RC1250,00NTRF"},
        normal={"line": ":61:2401150115C1250,00NTRF"},
        more=({"line": ":61:240115D3,5NMSC//12"}, {"line": ":86:rent"}),
        hard="document",
        deep=True,
    ),
    Planted(
        target=target_of("office", "form_letter"),
        category="hidden format",
        fault=raised("", "form_letter"),
        specification="under",
        lacks="that other braces than those around a name of small letters have a meaning",
        witness={"template": "Dear {name}, write to {0}", "values": {"name": "Ada"}},
        normal={"template": "Dear {name},\nthank you.", "values": {"name": "Ada"}},
        more=(
            {"template": "", "values": {}},
            {"template": "Dear {name}", "values": {"town": "Rome"}},
        ),
    ),
)
