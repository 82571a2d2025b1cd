"""XML with an attribute, a list of positions and an optional remark, streamed."""

from xml.sax.saxutils import escape

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import XML

SPEC = AppSpec(name="invoice_reader", half="unseen", domain="context QA", function="book")
USES_SENTENCES = True
SELLERS = ("Nord & Sons", "Meyer & Co", "Paper & Ink", "Lund & Lund")
GOODS = ("Oak shelf", "Desk lamp", "Cable, 3 m", "Ink black", "Nuts & bolts", "Chair <low>", "Glue")


def write(number, seller, positions, remark):
    rows = "".join(
        f"\n    <position><text>{escape(text)}</text><net>{net}</net></position>"
        for text, net in positions
    )
    return (
        f'<invoice number="{number}">\n  <seller>{escape(seller)}</seller>\n'
        f"  <positions>{rows}\n  </positions>\n"
        f"  <remark>{escape(remark)}</remark>\n</invoice>"
    )


def of_invoice(number, seller, positions, remark, source="constructed", note=""):
    cents = sum(round(float(net) * 100) for _, net in positions)
    return Base(
        inputs={"invoice": f"Invoice {number} of {seller}"},
        outputs=(write(number, seller, positions, remark),),
        expected={
            "number": number,
            "seller": seller,
            "positions": [[text, net] for text, net in positions],
            "total": f"{cents // 100}.{cents % 100:02d}",
            "remark": remark,
        },
        source=source,
        note=note,
    )


def base(rng, pool):
    goods = rng.sample(GOODS, rng.randint(1, 4))
    positions = [(text, f"{rng.randint(1, 300)}.{rng.randint(0, 99):02d}") for text in goods]
    number = f"{rng.choice('ABC')}{rng.randint(100, 999)}"
    remark = rng.choice(pool.sentences)
    return of_invoice(number, rng.choice(SELLERS), positions, remark, pool.source)


FAULTS = XML


def extra(_rng):
    positions = [("Desk lamp", "39.50"), ("Desk lamp", "39.50")]
    yield case_of(
        SPEC,
        of_invoice("A1", "Nord", positions, "Two lamps.", note="one position twice: two lamps"),
    )
    plain = of_invoice("A2", "Nord", positions[:1], "Ok.", note="comment, CDATA, an empty element")
    text = (
        plain.outputs[0]
        .replace("Desk lamp", "<![CDATA[Desk lamp]]>")
        .replace("  <positions>", "  <!-- <b> not closed & all that -->\n  <note/>\n  <positions>")
    )
    yield case_of(SPEC, plain, outputs=(text,))
    declared = of_invoice("A3", "Ünal & Ko", positions[:1], "Größe 5", note="declaration, umlauts")
    yield case_of(SPEC, declared, outputs=('<?xml version="1.0"?>\n' + declared.outputs[0],))
    odd = of_invoice("A4", "O'Neil", [('Pipe 3/4"', "1.00")], "a > b", note="quotes in a text")
    yield case_of(SPEC, odd)
