"""Words and meanings with a double colon between, folded into a dictionary."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="glossary_pairs", half="dev_positional", domain="context QA", function="glossary"
)
WORDS = (
    ("isthmus", "a narrow strip of land between two seas"),
    ("catalyst", "speeds up a reaction: stays unchanged"),
    ("ledger", "a book of accounts"),
    ("sonnet", "a poem of fourteen lines"),
    ("quorum", "the smallest number of members - for a vote"),
    ("osmosis", "movement of water through a membrane"),
    ("well-being", "health and comfort"),
    ("a priori", "known before experience"),
    ("hubris", "too much pride"),
    ("yeast", "a fungus that makes dough rise"),
)


def of(words, note=""):
    return Base(
        inputs={"text": "some text"},
        outputs=("\n".join(f"{word} :: {meaning}" for word, meaning in words),),
        expected=dict(sorted(words)),
        note=note,
    )


def base(rng, _pool):
    return of(rng.sample(WORDS, rng.randint(3, 6)))


FAULTS = (
    replaced("one colon", r" :: ", ": "),
    replaced("spaced colon", r" :: ", " : "),
    replaced("long dash", r" :: ", " — "),
    replaced("hyphen", r" :: ", " - "),
    replaced("arrow", r" :: ", " → "),
    replaced("bold words with colon", r"^(.*) :: ", r"**\1**: "),
    replaced("colons apart", r" :: ", " : : "),
    replaced("numbered", r"^(.*) :: ", r"1. \1 :: "),
    replaced("bullets", r"^", "- "),
    replaced("bold words", r"^(.*) :: ", r"**\1** :: "),
    replaced_once("one with one colon", r" :: ", ": "),
    replaced_once("one with a dash", r" :: ", " - ", " \u2013 "),
    replaced("equals", r" :: ", " = "),
    replaced_once("one meaning lost", r" :: .*$", "", determined=False),
)


def extra(_rng):
    yield case_of(SPEC, of([("C++", "a language :: with scopes")], note="twice"))
    yield case_of(
        SPEC,
        of([("a", "b"), ("c", "d: e - f")], note="around"),
        outputs=("Here are the words:\n\na::b\n c :: d: e - f\n\nNote: all - of them - are hard.",),
    )
