"""The faults in ``zones``."""

import base64
import gzip

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of


def _export(text: str, end: int | None = None) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)[:end]).decode()


TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("zones", "resolve"),
        category="embedded document",
        fault=raised("RecursionError", "_follow"),
        specification="under",
        lacks="that names must not lead back to themselves",
        witness={"zone": "www CNAME web\nweb CNAME www", "host": "www"},
        normal={"zone": "www CNAME web\nweb A 192.0.2.7 ; the new one", "host": "www"},
        more=({"zone": "", "host": "mail"}, {"zone": "; none\n\nns1 A 192.0.2.1", "host": "ns1"}),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "resolve"),),
    ),
    Planted(
        target=target_of("zones", "role_names"),
        category="embedded document",
        fault=raised("AttributeError", "role_names"),
        specification="under",
        lacks="that the name of a role must not be empty",
        witness={"policy": "<policy><role><name>a</name><role><name/></role></role></policy>"},
        normal={"policy": "<policy><role><name>editor</name></role></policy>"},
        more=(
            {"policy": "<policy/>"},
            {"policy": "<role><name> a </name><role><name>b</name></role></role>"},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "role_names", "policy: "),),
    ),
    Planted(
        target=target_of("zones", "page_position"),
        category="embedded document",
        fault=raised("ZeroDivisionError", "page_position"),
        specification="under",
        lacks="that there must be an item on a page",
        witness={"query": "page=2&per=0", "items": 120},
        normal={"query": "page=2&per=50", "items": 120},
        more=({"query": "", "items": 0}, {"query": "sort=name&page=%31", "items": 20}),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "page_position"),),
    ),
    Planted(
        target=target_of("zones", "export_rows"),
        category="embedded document",
        fault=raised("EOFError", "export_rows"),
        specification="ill",
        sentence="or is not Base64, gzip or JSON",
        witness={"export": _export('[{"id": 1}]', -6)},
        normal={"export": _export('[{"id": 1}, {"id": 2}]')},
        more=({"export": _export("[]")}, {"export": _export('["a", null, [1]]')}),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "export_rows", "export: "),),
    ),
)
