"""Tools of an office: invoices by e-mail, bank statements, form letters."""

import email
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_OPENED = datetime(2010, 1, 1, tzinfo=UTC)
_DATE = (
    "(?:[A-Z][a-z]{2}, )?[0-9]{1,2} [A-Z][a-z]{2} 20[0-9]{2} "
    "[0-9]{2}:[0-9]{2}:[0-9]{2}(?: [+-][0-9]{4})?"
)
_SIGNS = {"C": "+", "D": "-"}


async def invoice_due(mail: str) -> str:
    """Tell when the invoice in an e-mail has to be paid, thirty days after it was sent.

    Args:
        mail: The e-mail with its headers. The subject has to contain "Invoice", and the date is
            one of this century, as in "Date: Mon, 4 Mar 2024 09:30:00 +0100"; the zone is -0000
            if it is not known.

    Raises:
        ValueError: The e-mail is no invoice, has other characters than ASCII or no such date, or
            was sent before our company existed.
    """
    if not mail.isascii():
        raise ValueError("mail: other characters than ASCII have to be encoded")
    message = email.message_from_string(mail)
    if "Invoice" not in str(message["Subject"] or ""):
        raise ValueError("mail: the subject names no invoice")
    date = str(message["Date"] or "").strip()
    if not re.fullmatch(_DATE, date):
        raise ValueError("mail: there is no date of the right form")
    try:
        sent = parsedate_to_datetime(date)
    except (ValueError, TypeError) as error:
        raise ValueError("mail: the date is not in the calendar") from error
    if sent < _OPENED:
        raise ValueError("mail: it was sent before 2010")
    return f"due on {(sent + timedelta(days=30)).date().isoformat()}"


def booked_amount(line: str) -> str:
    """Read the amount in a line of a bank statement.

    Args:
        line: Line in MT940 form: ":61:", the date as YYMMDD, perhaps the date of entry as MMDD,
            "C" for credit, "D" for debit, "RC" and "RD" for their reversals, the amount with a
            comma, "N" and three capital letters, as in ":61:2401150115C1250,00NTRF". Anything
            may follow.

    Returns:
        The amount with its sign, or "not a booking" for other lines.
    """
    match = re.match(
        "(?::61:)([0-9]{6})([0-9]{4})?(R?[CD])([0-9]{1,12}),([0-9]{0,2})N[A-Z]{3}", line
    )
    if match is None:
        return "not a booking"
    mark, whole, cents = match.group(3, 4, 5)
    return f"{_SIGNS[mark]}{int(whole)}.{cents:0<2}"


def form_letter(template: str, values: dict[str, str]) -> str:
    """Fill in a form letter.

    Args:
        template: Text of the letter, with names in braces where something is to be filled in, as
            in "Dear {name}," - 500 characters at most.
        values: What is to be filled in, by name.

    Returns:
        The letter, or a sentence that starts with "Sorry": a name has no value, or something is
        too long or cannot be printed.
    """
    for text in (template, *values, *values.values()):
        if len(text) > 500 or not text.replace("\n", "").isprintable():
            return "Sorry, the template or a value is too long or cannot be printed."
    for name in re.findall("{([a-z_]+)}", template):
        if name not in values:
            return f"Sorry, there is no value for {name}."
    return template.format(**values)
