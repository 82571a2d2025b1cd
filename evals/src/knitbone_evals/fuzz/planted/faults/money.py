"""The faults in ``money``."""

from knitbone_evals.fuzz.planted.specification import Fault, Planted, Sound, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("money", "population"),
        category="wrong example",
        fault=raised("KeyError", "population"),
        specification="over",
        sentence='It must be followed by its country, as in "Graz, Austria".',
        witness={"city": "Graz, Austria"},
        normal={"city": "Graz"},
    ),
    Planted(
        target=target_of("money", "euros_to_dollars"),
        category="wrong example",
        fault=raised("ValueError", "_dollars"),
        specification="over",
        sentence='Digits with exactly two decimals, as in "12.00".',
        witness={"amount": "12.00"},
        normal={"amount": "12"},
    ),
    Planted(
        target=target_of("money", "price_in_cents"),
        category="wrong example",
        fault=raised("ValueError", "_number"),
        specification="ill",
        sentence='for example "12,50 EUR"',
        witness={"price": "12,50 EUR"},
        normal={"price": "12.50 EUR"},
        refusals=(raised("ValueError", "_split_price"),),
    ),
    Planted(
        target=target_of("money", "exchange_rate"),
        category="async",
        fault=raised("KeyError", "exchange_rate"),
        specification="under",
        lacks="which currencies are known",
        witness={"currency": "JPY"},
        normal={"currency": "usd"},
    ),
    Planted(
        target=target_of("money", "transfer"),
        category="async",
        fault=Fault("hang"),
        specification="under",
        lacks="that the accounts must be different",
        witness={"order": "daily>daily:50"},
        normal={"order": "savings>daily:50"},
        deep=True,
        refusals=(raised("ValueError", "transfer"),),
    ),
)
