"""Faults of the tools around invoices."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import (
    Fault,
    Planted,
    Sound,
    raised,
    target_of,
)

THEME = "invoices"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "split_instalments"),
        category="relation between arguments",
        fault=raised("ZeroDivisionError", "split_instalments"),
        specification="under",
        lacks="that a share for the first instalment needs at least two instalments",
        witness={"total": 900.0, "count": 1, "first_percent": 30.0},
        normal={"total": 900.0, "count": 4, "first_percent": 40.0},
        more=(
            {"total": 100.0, "count": 3},
            {"total": 250.5, "count": 1},
            {"total": 0.0, "count": 12, "first_percent": 100.0},
        ),
        deep=True,
        refusals=(raised("ValueError", "split_instalments"),),
    ),
    Planted(
        target=target_of(THEME, "apply_credit_notes"),
        category="embedded document",
        fault=raised("IndexError", "apply_credit_notes"),
        specification="under",
        lacks="what happens to a credit for a line which the invoice does not have",
        witness={
            "invoice": '{"lines": [{"text": "Paper", "amount": 40}],'
            ' "credits": [{"line": 2, "amount": 5}]}'
        },
        normal={
            "invoice": '{"lines": [{"text": "Paper", "amount": 40}, {"text": "Ink", "amount": 25}],'
            ' "credits": [{"line": 2, "amount": 5}]}'
        },
        more=(
            {"invoice": '{"lines": []}'},
            {"invoice": '{"lines": [{"amount": 9.5}], "credits": null}'},
        ),
        hard="document",
        refusals=(
            raised("ValueError", "apply_credit_notes"),
            raised("ValueError", "_amount"),
        ),
    ),
    Planted(
        target=target_of(THEME, "parse_amount"),
        category="hidden format",
        fault=raised("ValueError", "parse_amount", "could not convert string to float"),
        specification="ill",
        sentence="Separators of thousands are dropped and the currency is ignored.",
        witness={"text": "1.234.567 €"},
        normal={"text": "1.234,50 €"},
        more=({"text": "$1,234.50"}, {"text": "99,90"}, {"text": "-12 EUR"}),
        refusals=(raised("ValueError", "parse_amount", "is not an amount"),),
    ),
    Planted(
        target=target_of(THEME, "months_to_pay_off"),
        category="hang",
        fault=Fault("hang"),
        specification="under",
        lacks="that the payment must be more than the monthly interest",
        witness={"balance": 20000.0, "monthly_payment": 100.0, "annual_rate": 12.0},
        normal={"balance": 5000.0, "monthly_payment": 200.0, "annual_rate": 6.0},
        more=(
            {"balance": 1200.0, "monthly_payment": 100.0},
            {"balance": 0.0, "monthly_payment": 50.0, "annual_rate": 3.0},
        ),
        deep=True,
        refusals=(raised("ValueError", "months_to_pay_off"),),
    ),
    Sound(
        target=target_of(THEME, "check_vat_number"),
        accepted=(
            {"number": "DE136695976"},
            {"number": "DE136695977"},
            {"number": "FR12345678901"},
            {"number": ""},
            {"number": "DE 12"},
        ),
    ),
)
