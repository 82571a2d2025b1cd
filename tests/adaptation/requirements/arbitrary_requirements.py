"""Hypothesis strategies for requirement records of every kind, whatever the text in them."""

from hypothesis import strategies as st

from knitbone.adaptation.testing import (
    ChunkSpec,
    ContextRule,
    Element,
    Evidence,
    FencedTemplate,
    Field,
    ParserSyntax,
    PositionalTemplate,
    Reader,
    ScenarioRequirement,
    Shape,
    Step,
    StructuredTemplate,
    Unknown,
)

# With halves of surrogate pairs, terminal escapes, bidirectional overrides, and the brackets,
# quotes and separators of the notations themselves.
text = st.text(max_size=12) | st.text(
    st.sampled_from("ab01 .,:;?[](){}'\"\\\n\r\t#=-\x00\x1b\x7f\u2028\u202e\ufeff\ud800\udfff|$é"),
    max_size=10,
)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
types = st.sampled_from(
    ["any", "string", "integer", "number", "boolean", "array", "object", "null", "date"]
)
names = st.from_regex(r"[a-z_]{1,6}", fullmatch=True) | text


def tuples(items, **bounds):
    return st.lists(items, max_size=3, **bounds).map(tuple)


evidence = st.builds(
    Evidence, file=st.just("/app/plan.py") | text.map("/app/".__add__), line=st.integers(0, 9999),
    expression=text,
)  # fmt: skip
steps = tuples(
    st.builds(
        Step,
        st.sampled_from([".strip", "json.loads", "sqlite3.connect().cursor().execute"]) | text,
        tuples(scalars),
    )
)
leaves = st.builds(
    Element,
    kind=st.sampled_from(["words", "number", "delimiter", "space", "slot"]),
    text=text,
    options=tuples(text),
    optional=st.booleans(),
    type=types,
    reading=text | st.sampled_from(["", "%Y-%m-%d", "%B %d, %Y", "date.fromisoformat"]),
    captured=st.booleans(),
) | st.builds(lambda t: Element(kind="delimiter", text=t, options=(t,)), text)
elements = st.recursive(
    leaves,
    lambda inner: st.builds(
        Element,
        kind=st.just("choice"),
        alternatives=tuples(tuples(inner), min_size=1),
        optional=st.booleans(),
        captured=st.booleans(),
    ),
    max_leaves=6,
)
shapes = st.recursive(
    st.builds(
        Shape,
        type=types,
        convertible=st.booleans(),
        values=tuples(scalars),
        nullable=st.booleans(),
        name=names | st.just(""),
        reading=text | st.sampled_from(["", "%Y-%m-%d", "date.fromisoformat", "%d 'of' \"%b\""]),
    ),
    lambda inner: (
        st.builds(
            Shape,
            type=types,
            fields=tuples(st.builds(Field, name=names, shape=inner, required=st.booleans())),
            items=st.none() | inner,
            nullable=st.booleans(),
        )
        | st.builds(lambda item: Shape(type="array", items=item), inner)
    ),
    max_leaves=6,
)
readers = st.builds(
    Reader,
    kind=st.sampled_from(["regex", "split"]),
    method=text,
    pattern=text,
    flags=st.integers(0, 2**40),
    separator=text,
    numbered=st.booleans(),
    steps=steps,
)
read = {
    "steps": steps,
    "on_violation": st.sampled_from(["silent", "raises", "handled", "unknown"]),
    "evidence": evidence,
    "confidence": st.sampled_from(["high", "medium", "low"]),
    "alternative": text,
    "branch": text,
    "when": text,
}
requirements = st.one_of(
    st.builds(
        PositionalTemplate,
        elements=tuples(elements),
        reader=st.none() | readers,
        **{name: read[name] for name in ("on_violation", "evidence", "confidence", "when")},
    ),
    st.builds(StructuredTemplate, format=st.sampled_from(["json", "yaml", "csv"]), shape=shapes,
              parser=text, **read),
    st.builds(FencedTemplate, languages=tuples(text), mark=text, optional=st.booleans(),
              reader=st.none() | readers, **read),
    st.builds(ParserSyntax, language=text, dialect=text, parser=text, **read),
    st.builds(ChunkSpec, size=st.none() | st.integers(), overlap=st.none() | st.integers(),
              length=text, separators=tuples(text), splitter=text, **read),
    st.builds(ContextRule, k=st.none() | st.integers(),
              threshold=st.none() | st.floats(allow_nan=False), joiner=st.none() | text,
              retriever=text, **read),
    st.builds(ScenarioRequirement,
              name=st.sampled_from(["intact_text", "relevant_content", "succinct_content"]),
              standard=text, **read),
    st.builds(Unknown, reason=text, evidence=evidence),
)  # fmt: skip
