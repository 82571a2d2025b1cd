"""What lies in documents inside of arguments is reached within 200 calls."""

import linecache
import zlib
from pathlib import Path

import pytest

from knitbone.config import FuzzConfig
from knitbone.fuzzing.engine import fuzz
from knitbone.fuzzing.records import CampaignFinished
from knitbone.fuzzing.solve.evaluate import Point, UndefinedError
from knitbone.fuzzing.solve.inversion import put
from knitbone.fuzzing.trace.terms import Term

TOOLS = Path(__file__).with_name("reach_tools.py")
A = Term("input", (("a",),))


@pytest.mark.parametrize(
    "name",
    ["settle_basket", "unpack_report", "read_settings", "price_list"],
)  # fmt: skip
def test_a_fault_behind_a_document_inside_of_an_argument_is_found(name):

    config = FuzzConfig(minimise_calls=0)
    [campaign] = [
        event.campaign
        for event in fuzz(f"{TOOLS}:{name}", seed=0, calls=40, config=config)
        if isinstance(event, CampaignFinished)
    ]
    lines = [
        linecache.getline(str(TOOLS), finding.frame.line)
        for finding in campaign.findings
        if finding.frame is not None
    ]
    assert any("planted" in line for line in lines)


@pytest.mark.parametrize(
    ("op", "now", "wanted"),
    [
        ("json.loads", "{}", {"a": [1, "x"]}),
        ("yaml.safe_load", "a: 1", {"a": [1, "x"]}),
        ("tomllib.loads", "a = 1", {"a": {"b": [1, 2]}}),
        ("ast.literal_eval", "[1]", [("a", 1), None]),
        ("configparser", "[a]\nb = 1", {"a": {"b": "2"}, "c": {}}),
        ("urllib.parse.parse_qs", "a=1", {"b": ["x y", "%"]}),
        ("urllib.parse.unquote", "a", "50% & more"),
        ("urllib.parse.unquote_plus", "a", "1 + 1"),
        ("html.unescape", "a", "<br>"),
        ("base64.urlsafe_b64decode", "aGVsbG8=", b"\xff\xfe?"),
        ("base64.b32decode", "NBSWY3DP", b"abc"),
        ("binascii.unhexlify", "00", b"abc"),
    ],
)
def test_a_document_is_written_as_its_reader_wants_it(op, now, wanted):
    if op.startswith("tomllib"):
        pytest.importorskip("tomllib")
    term = Term(op, (A,))
    made = next(put(term, wanted, Point({"a": now})))
    assert Point(made).value(term) == wanted


@pytest.mark.parametrize("kind", ["gzip", "zlib", "bz2", "lzma"])
def test_packed_bytes_are_written_through_every_layer(kind):
    unpacked = Term(f"{kind}.decompress", (Term("base64.b64decode", (A,)),))
    term = Term("json.loads", (unpacked,))
    made = [Point(arguments) for arguments in put(term, {"a": 1}, Point({"a": "aGVsbG8="}))]
    assert any(point.value(term) == {"a": 1} for point in made)


def test_what_is_packed_beyond_measure_is_not_unpacked_here():
    packed = zlib.compress(b"a" * 10_000_000).hex()
    with pytest.raises(UndefinedError):
        Point({"a": packed}).value(Term("zlib.decompress", (Term("bytes.fromhex", (A,)),)))


def test_an_alias_of_yaml_is_not_followed_here():
    with pytest.raises(UndefinedError):
        Point({"a": "a: &x [1, 1]\nb: [*x, *x]"}).value(Term("yaml.safe_load", (A,)))
