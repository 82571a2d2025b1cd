"""Line items as CSV, with numbers and dates."""

import csv
import io
from datetime import date, timedelta
from decimal import Decimal

from knitbone_evals.adapt.apps.dev_structured.kit import replaced, wrapped
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import THINKING

SPEC = AppSpec(name="invoice_rows", half="dev_structured", domain="context QA", function="book")
WHAT = (
    "Hex bolts M8",
    "Wood glue, 500 ml",
    'Saw blade "Pro", 210 mm',
    "Safety goggles",
    "Sandpaper P120",
    "Masking tape",
    "LED strip, warm white",
    "Hinge, brass",
)


def rows_of(rng, count):
    first = date(2025, 1, 6)
    return [
        [
            f"{rng.choice('ABKT')}{rng.randint(100, 999)}-{rng.randint(1, 9)}",
            what,
            rng.randint(1, 60),
            f"{rng.randint(1, 90)}.{rng.randint(0, 99):02d}",
            (first + timedelta(days=rng.randint(0, 300))).isoformat(),
        ]
        for what in rng.sample(WHAT, count)
    ]


def text_of(rows):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["sku", "description", "quantity", "unit_price", "delivered"])
    writer.writerows(rows)
    return file.getvalue().rstrip("\n")


def of(rows, note="", text=None):
    return Base(
        inputs={"text": "INVOICE 77 ..."},
        outputs=(text or text_of(rows),),
        expected=[
            {
                "sku": row[0],
                "what": row[1],
                "sum": str(int(row[2]) * Decimal(row[3])),
                "week": date.fromisoformat(row[4]).isocalendar().week,
            }
            for row in rows
        ],
        note=note,
    )


def base(rng, _pool):
    return of(rows_of(rng, rng.randint(1, 5)))


def table(text, _rng):
    head, *rest = csv.reader(io.StringIO(text))
    return "\n".join(
        [
            "| " + " | ".join(head) + " |",
            "|" + "---|" * len(head),
            *("| " + " | ".join(row) + " |" for row in rest),
        ]
    )


FAULTS = (
    THINKING,
    wrapped("fence", "```csv\n", "\n```"),
    wrapped("fence plain", "```\n", "\n```"),
    wrapped("intro", "Here are the line items extracted from the invoice:\n\n"),
    wrapped(
        "intro and fence and outro",
        "Here is the CSV:\n\n```csv\n",
        "\n```\n\nLet me know if you need a different format.",
    ),
    wrapped("note after", "", "\n\nNote: delivery dates were inferred from the header."),
    replaced("dollar sign", r",(\d+\.\d\d),", r",$\1,"),
    replaced("euro sign", r",(\d+\.\d\d),", r",€\1,", count=0),
    replaced(
        "header capitalised",
        r"^sku,description,quantity,unit_price,delivered",
        "SKU,Description,Quantity,Unit_Price,Delivered",
    ),
    replaced(
        "header with spaces",
        r"^sku,description,quantity,unit_price,delivered",
        "SKU,Description,Quantity,Unit Price,Delivered",
    ),
    replaced(
        "semicolons",
        r"(?s)\A(?!.*[\";])(.*)\Z",
        lambda match: match[1].replace(",", ";"),
    ),
    replaced(
        "date in words",
        r"(\d{4})-(\d\d)-(\d\d)$",
        lambda match: (
            f'"{date(int(match[1]), int(match[2]), int(match[3])):%B} {int(match[3])}, {match[1]}"'
        ),
    ),
    replaced("date with slashes, year first", r"(\d{4})-(\d\d)-(\d\d)$", r"\1/\2/\3", count=0),
    replaced("date ambiguous", r"(\d{4})-0(\d)-0(\d)$", r"0\2/0\3/\1", determined=False, count=0),
    on_text("markdown table", "template", table),
    on_text("total row", "template", lambda text, _: text + "\nTOTAL,,,123.40,", determined=False),
    replaced("quantity with unit", r",(\d+),(\d+\.\d\d),", r",\1 pcs,\2,"),
    replaced("quantity as float", r",(\d+),(\d+\.\d\d),", r",\1.0,\2,"),
    replaced(
        "spaces after commas", r"(?s)\A(?!.*\")(.*)\Z", lambda match: match[1].replace(",", ", ")
    ),
    replaced("price missing", r",(\d+),(\d+\.\d\d),", r",\1,,", determined=False),
    replaced("price on request", r",(\d+),(\d+\.\d\d),", r",\1,on request,", determined=False),
)


def extra(rng):
    rows = rows_of(rng, 2)
    yield case_of(SPEC, of([], "no items", text="sku,description,quantity,unit_price,delivered"))
    yield case_of(SPEC, of(rows, "crlf", text=text_of(rows).replace("\n", "\r\n")))
    yield case_of(
        SPEC,
        of(
            rows,
            "all quoted",
            text="\n".join(
                ",".join('"' + str(cell).replace('"', '""') + '"' for cell in row)
                for row in [["sku", "description", "quantity", "unit_price", "delivered"], *rows]
            ),
        ),
    )
    rows = rows_of(rng, 2)
    rows[0][1] = "Line one\nline two; see ```note```"
    yield case_of(SPEC, of(rows, "line break in a cell"))
    rows = rows_of(rng, 1)
    rows[0][1] = "Here is the CSV: a,b"
    yield case_of(SPEC, of(rows, "prose-like cell"))
    rows = rows_of(rng, 1)
    rows[0][1] = "$5 voucher"
    rows[0][3] = "5"
    yield case_of(SPEC, of(rows, "currency in a text cell"))
    rows = rows_of(rng, 1)
    remark = Base(
        inputs={"text": "x"},
        outputs=(
            "sku,description,quantity,unit_price,delivered,remark\nA1,Bolts,2,3.50,2025-03-04,n/a",
        ),
        expected=[{"sku": "A1", "what": "Bolts", "sum": "7.00", "week": 10}],
        note="further column",
    )
    yield case_of(SPEC, remark)
    yield case_of(SPEC, of([*rows, *rows], "same item twice"))
