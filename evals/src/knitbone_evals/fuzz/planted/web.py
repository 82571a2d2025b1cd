"""Tools about addresses, headers and documents of the web; none of them connects to anything."""

import codecs
import ipaddress
import re
from http import HTTPStatus
from urllib.parse import parse_qs, urlencode, urlsplit

_DOCUMENTS = {
    "public/menu.txt": "soup, trout, sorbet",
    "public/hours.txt": "9 to 17",
    "staff/salaries.txt": "private",
}
_CACHE_BITS = 1 << 20


def result_page(url: str) -> int:
    """Read which page of the results an address of our search shows; 1 if it does not say.

    Args:
        url: Address that begins with "https://".

    Returns:
        Number of the page, or 0 if the text is not such an address.
    """
    if not re.match(r"https://[a-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#]|$)", url):
        return 0
    numbers = parse_qs(urlsplit(url).query).get("page", ["1"])
    return int(numbers[0])


def addresses_per_host(network: str) -> int:
    """Share the cache of a router among the hosts of a network.

    Args:
        network: IPv4 network in CIDR notation, such as "192.168.1.0/24".

    Returns:
        Bits of the cache for each host.

    Raises:
        ValueError: The text is not an IPv4 network with a prefix length.
    """
    if not re.fullmatch("[0-9.]{7,15}/[0-9]{1,2}", network):
        raise ValueError(f"not a network: {network[:40]!r}")
    try:
        hosts = ipaddress.IPv4Network(network, strict=False).num_addresses - 2
    except ValueError:
        raise ValueError(f"not a network: {network!r}") from None
    return _CACHE_BITS // hosts


def charset_of(header: str) -> str:
    """Name the canonical charset of a Content-Type header; "utf-8" if it has none.

    Args:
        header: Value of the header: type, "/" and subtype in lower-case letters, and optionally
            "; charset=" with letters, digits and hyphens, as in "text/html; charset=latin-1".

    Raises:
        ValueError: The header is written in another way.
    """
    match = re.fullmatch("[a-z]{1,20}/[a-z]{1,20}(?:; charset=([A-Za-z0-9-]{1,30}))?", header)
    if match is None:
        raise ValueError(f"not a header: {header[:60]!r}")
    return codecs.lookup(match.group(1) or "utf-8").name


def slug_of(title: str) -> str:
    """Make the last part of an address from the title of an article.

    Args:
        title: The title.
    """
    slug = "-".join(re.findall("[a-z0-9]+", title.lower()))
    return slug if slug[0].isalpha() else f"n{slug}"


def read_document(path: str) -> str:
    """Read a document of the archive; "There is no such document." if there is none.

    Args:
        path: Folder and name, such as "public/menu.txt". The folders are public and staff.
    """
    folder, _, name = path.partition("/")
    if folder == "staff" and name:
        raise PermissionError(f"{name[:40]!r} needs a login")
    return _DOCUMENTS.get(path, "There is no such document.")


def describe_status(code: int) -> str:
    """Explain a status code of HTTP.

    Args:
        code: Three-digit status code.
    """
    return HTTPStatus(code).phrase


async def approve(request: str) -> str:
    """Approve an action in the name of a role.

    Args:
        request: Role (clerk, manager or auditor), ":", and action (refund, discount or report).

    Returns:
        A confirmation, or "There is no such role or action.".
    """
    role, _, action = request.partition(":")
    if role not in ("clerk", "manager", "auditor"):
        return "There is no such role or action."
    if action not in ("refund", "discount", "report"):
        return "There is no such role or action."
    if role == "auditor" and action == "refund":
        raise PermissionError("auditors move no money")
    return f"{action} approved by the {role}"


def check_tags(tags: str) -> bool:
    """Say whether a text is a list of tags: words of letters and digits with commas between them.

    Args:
        tags: The text.
    """
    return re.fullmatch(r"(\w+,?)+", tags) is not None


def expand_ports(ports: str) -> str:
    """Count the ports of a range and name the last one.

    Args:
        ports: First port, "-", last port, and optionally "/" and a step, as in "8000-8010/2"; all
            are whole numbers of at most five digits.

    Raises:
        ValueError: The range is written in another way.
    """
    match = re.fullmatch("([0-9]{1,5})-([0-9]{1,5})(?:/([0-9]{1,5}))?", ports)
    if match is None:
        raise ValueError(f"not a range: {ports[:40]!r}")
    port, last, step = int(match.group(1)), int(match.group(2)), int(match.group(3) or 1)
    count = 0
    while port <= last:
        count += 1
        port += step
    return f"{count} ports, the last one is {port - step}" if count else "no ports"


def query_string(parameters: dict[str, str]) -> str:
    """Write parameters as the query string of an address; what UTF-8 lacks becomes "?"."""
    return urlencode(parameters, errors="replace")


def file_extension(name: str) -> str:
    """Return the extension of a file name in lower case, without the dot; empty if it has none."""
    stem, dot, extension = name.rpartition(".")
    return extension.lower() if stem and dot else ""
