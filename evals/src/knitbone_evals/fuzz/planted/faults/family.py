"""The faults in ``family``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("family", "record_names"),
        category="embedded document",
        fault=raised("IndexError", "record_names"),
        specification="under",
        lacks="that no level may be left out",
        witness={"text": "0 @I1@ INDI\n2 GIVN Ada"},
        normal={"text": "0 @I1@ INDI\n1 NAME Ada /Moser/\n1 BIRT\n2 DATE 1 JAN 1900\n0 TRLR"},
        more=({"text": ""}, {"text": "0 HEAD\n0 @I2@ INDI\n1 NAME B\n1 NAME C"}),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "record_names"),),
    ),
    Planted(
        target=target_of("family", "family_size"),
        category="embedded document",
        fault=raised("TypeError"),
        specification="under",
        lacks="that children must be a list where they are given at all",
        witness={"tree": '{"name": "Ada", "children": null}'},
        normal={"tree": '{"name": "Ada", "children": [{"name": "Ben"}, {"name": "Cora"}]}'},
        more=(
            {"tree": '{"name": "Ada"}'},
            {"tree": '{"name": "A", "children": [{"name": "B", "children": []}]}'},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "", "tree: "),),
    ),
    Planted(
        target=target_of("family", "age_at_death"),
        category="relation between arguments",
        fault=raised("ValueError", "age_at_death", "day"),
        specification="under",
        lacks="that a birthday on the 29th of February needs a death in a leap year",
        witness={"born": "1904-02-29", "died": "1969-05-01"},
        normal={"born": "1815-12-10", "died": "1852-11-27"},
        more=(
            {"born": "1904-02-29", "died": "1968-05-01"},
            {"born": "2000-01-01", "died": "2000-01-01"},
        ),
        deep=True,
        refusals=(
            raised("ValueError", "_day"),
            raised("ValueError", "age_at_death", "must not come before"),
        ),
    ),
)
