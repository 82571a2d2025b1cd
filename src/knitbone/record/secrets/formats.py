"""Credentials that are known by their own look: what their issuer puts before or into them.

The list follows the providers' documentation and the rules of CredSweeper 1.19 (MIT), which is kept
up to date. A credential is a long run of letters, digits, ``_`` and ``-``, so only such runs are
looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knitbone.record.secrets.names import word_set
from knitbone.record.secrets.values import says_nothing

__all__ = [
    "LONG_RUN",
    "begins_as_credential",
    "credentials_in_run",
    "hashes_of_passwords",
    "keys_in_blocks",
    "parts_of_addresses",
]

LONG_RUN = 16
"""Characters of the shortest run that is looked at: no known credential has no such run."""

_PREFIXES = {
    # What follows the prefix has at least so many characters.
    16: """
        sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or- sk-lf- pk-lf- sk-live- sk-test- glpat-
        gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- GR1348941
        hvs. pscale_tkn_ pscale_pw_ pscale_oauth_ sk_live_ sk_test_ rk_live_ rk_test_
        pk_live_ whsec_ lsv2_pt_ lsv2_sk_ lin_api_ lin_oauth_ tskey- ops_eyJ tgp_v1_ vercel_
        cosmo_ dckr_pat_ dckr_oat_ napi_ xkeysib- ATATT3xFf ATCTT3xFf AGE-SECRET-KEY-
        SWMTKN-1- SWMKEY-1- bedrock-api-key- sq0atp- sq0csp- access_token$production$
        TlRMTVNTUAA fpk_ rpa_ r8_ jina_ e2b_ fc- tr_dev_ tr_prod_ polar_oat_ phc_ phx_ phs_
        eyJhbGci sgp_ sntrys_ sntryu_ glsa_ glc_ sbp_ CFPAT- nyk_v0_ dop_v1_ doo_v1_ dor_v1_
        shpat_ shpca_ shppa_ shpss_ shptka_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ npm_ pypi-
        rubygems_ CLOJARS_ PMAK- PMAT- NRAK- NRII- NRJS- NRBR- dapi figd_ figdr_ figu_ HRKU-
        CCIPAT_ CCIPRJ_ ATBB BBDC- GOCSPX- AIza ntn_ secret_ pplx- gsk_ xai- hf_ api_org_
        tvly- pcsk_ llx- pul- nvapi- waka_ RGAPI- tfp_ vcp_ nfp_ dnkey- akab- da2- amzn1.oa2-cs.
        LTAI cfut_ cfat_ cfk_ mapi_ sqp_ sqa_ squ_ key-live- key-test- key- EAACEdEose0cBA
        IGQVJ oy2 apify_api_ patAT ak_ dsk- csk- cpk_ fw_ zpka_ frp_ aio_ sl.u. xoxe. ABSK
        SCWSECRET sk-
    """,
    10: "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxd- xoxo- xapp- xoxe-",
    12: "AKIA ASIA ABIA ACCA A3T",
}  # fmt: skip
_WORDS_TOO = word_set("""
    sk- key- secret_ ak_ fc- fw_ pul- llx- csk- dsk- cpk_ phs_ phc_ phx_
""")
"""Prefixes with which names and words of code begin, too."""
_SHORT = 20
"""Characters after a prefix that is no more than letters, such as ``dapi`` or ``key-``."""


def _table() -> dict[str, tuple[tuple[str, int], ...]]:
    """Prefixes and the least that follows them, by their first three characters."""
    table: dict[str, list[tuple[str, int]]] = {}
    for least, prefixes in _PREFIXES.items():
        for prefix in prefixes.split():
            plain = len(prefix) < 6 and least == 16
            table.setdefault(prefix[:3], []).append((prefix, _SHORT if plain else least))
    return {
        start: tuple(sorted(rows, key=lambda row: -len(row[0]))) for start, rows in table.items()
    }


_BY_START = _table()
_REST = re.compile(r"(?:[.$!~=|+/%]?[A-Za-z0-9_-]+)*={0,2}")
"""What goes on after the run, for formats of several parts."""
_JOINED = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
      SG\.[\w-]{16,}\.[\w-]{16,}                       # SendGrid
    | ya29\.[\w-]{20,} | 1//0[\w-]{40,}                # Google OAuth
    | hv[bsr]\.[\w-]{20,}                              # Vault
    | dp\.(?:pt|st|ct|sa|scim|audit)\.\w{20,}          # Doppler
    | dt0[a-z]\d\d\.\w{20,}\.\w{20,}                   # Dynatrace
    | sl\.[\w-]{40,}                                   # Dropbox
    | (?:bot)?\d{8,10}:[\w-]{34,36}(?![\w-])                      # Telegram
    | [MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}          # Discord
    | \w{14}\.atlasv1\.[\w-]{40,}                      # Terraform
    | pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}                # Airtable
    | amzn\.mws\.[0-9a-f-]{36}                         # Amazon MWS
    | v[1-4]\.local\.[\w-]{15,} | k[1-4]\.(?:local|secret)(?:-pw)?\.[\w-]{15,}  # PASETO
    | [\w~.-]{3}\dQ~[\w~.-]{31,34}                     # Azure
    | 00D\w{9,15}![\w.]{24,}                           # Salesforce
    | access_token\$production\$\w{16}\$\w{32}         # Braintree
    | amzn1\.oa2-cs\.v1\.\w{40,}                       # Login with Amazon
    | \d{12,18}\|[\w-]{24,28}(?![\w-])                 # Facebook
    | v1\.0-[0-9a-f]{24}-[0-9a-f]{64,}                 # Cloudflare
    )""",
    re.VERBOSE,
)
_TAIL_MARKED = re.compile(
    r"[0-9a-f]{32}-us\d{1,2}(?![\w-])"  # Mailchimp
    r"|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"  # Mailgun
    r"|[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{20,}"  # Azure
    r"|[0-9a-z]{5}[0-9a-f]{31}NRAL"  # New Relic
    r"|(?<![A-Za-z0-9_+/-])EAA[A-Za-z0-9_-]{60,}"  # Facebook, Square
)
_JOINERS = frozenset(".:/|!$~")
_TOKEN = re.compile(r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}")
"""JSON Web Token, signed or encrypted (RFC 7519)."""
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_NEAR = 200
"""Characters around an AWS access key id in which its secret is looked for."""

_BEGIN = re.compile(r"BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?(?:-----| ----)")
_END = re.compile(
    r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|---- END [A-Z0-9 ]{0,40} ----"
)
_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\+[nr])*")
_BODY_LINE = re.compile(r"[A-Za-z0-9+/=]{16}")
_LONGEST_BLOCK = 20_000
"""Characters of a block that holds the largest keys in use."""
_PUTTY = re.compile(r"Private-Lines: \d+(?:\s|\\+[nr])+(?:[A-Za-z0-9+/=]|\s|\\+[nr])+")
_HASH = re.compile(
    r"\$(?:2[abxy]|[156y]|apr1|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]*)\$[^\s\"'<>&:]{20,}"
    r"|\$\d{4,8}\$[\w./+-]{8,64}\$[\w./+=-]{20,}"
)
"""Hashes of passwords, as crypt(3), Apache and Django write them."""
_LONGEST_USER = 24
"""Characters of a user's name; what is longer before a password is a token."""
_ADDRESS = re.compile(
    r"[^\s/:@\"'<>]{0,256}:(?!\d{1,5}[;?,])(?P<password>[^\s\"'<>/]{1,256})@(?=[\w.\[-])"
    r"|(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/"
    r"|[\w.-]{1,64}\.webhook\.office\.com/webhookb2/|api\.telegram\.org/bot|hooks\.zapier\.com/hooks/catch/"
    r"|chat\.googleapis\.com/v1/spaces/)(?P<path>[^\s\"'<>]{8,512})"
    r"|(?P<user>[A-Za-z0-9_-]{20,256})@(?=[\w.\[-])"
)


_EXAMPLES = word_set("pass password passwd pwd secret pw token key")
"""What documentation writes in the place of a password: ``user:pass@host``."""


def begins_as_credential(text: str, start: int) -> bool:
    """Whether a run may be a credential though it is all small letters."""
    return any(
        text.startswith(prefix, start) for prefix, _ in _BY_START.get(text[start : start + 3], ())
    )


def credentials_in_run(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Credentials of which this run of letters, digits, ``_`` and ``-`` is a part."""
    if start and text[start - 1] == "\\":
        start += 5 if text[start] == "u" and text[start + 1 : start + 3] == "00" else 1
    for prefix, least in _BY_START.get(text[start : start + 3], ()):
        if text.startswith(prefix, start) and end - start - len(prefix) >= least:
            if _drawn(text[start + len(prefix) : end], prefix):
                rest = _REST.match(text, end) if text[end : end + 1] in _JOINERS else None
                yield start, rest.end() if rest else end
                if prefix in ("AKIA", "ASIA"):
                    yield from _beside_key_id(text, start, end)
            break
    if text.startswith("eyJ", start):
        token = _TOKEN.match(text, start)
        if token:
            yield token.span()
    marked = _TAIL_MARKED.search(text, start, end)
    if marked:
        yield marked.span()
    if (start and text[start - 1] in _JOINERS) or text[end : end + 1] in _JOINERS:
        for match in _JOINED.finditer(text, max(0, start - 48), min(len(text), end + 256)):
            yield match.span()


def _drawn(tail: str, prefix: str) -> bool:
    """Whether what follows a prefix was drawn by a machine: ``sk-learn-compatible-estimators`` was
    not. A long and telling prefix needs less."""
    digit = any(map(str.isdigit, tail))
    if len(tail) >= _SHORT and tail.isalnum():
        return True  # no word is as long
    if prefix not in _WORDS_TOO:
        return digit or tail != tail.lower()
    words = sum(len(word) for word in re.findall(r"[a-z]{4,}|[A-Z][a-z]{3,}", tail))
    mixed = tail != tail.lower() and tail != tail.upper()
    return (digit or mixed or len(tail) >= 20) and words * 5 < len(tail) * 3


def _beside_key_id(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _AWS_SECRET.finditer(text, max(0, start - _NEAR), end + _NEAR):
        found = match.group()
        if any(map(str.isdigit, found)) and found != found.lower() and found != found.upper():
            yield match.span()


def keys_in_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Private keys in PEM, OpenSSH's, PGP's and PuTTY's blocks, broken lines escaped or not."""
    place = 0
    while begin := _BEGIN.search(text, place):
        place = begin.end()
        following = text.find("BEGIN ", place, place + _LONGEST_BLOCK)
        limit = following if following >= 0 else place + _LONGEST_BLOCK
        closing = _END.search(text, place, limit)
        body = _BODY.match(text, place)
        inside = closing.start() if closing else body.end() if body else place
        if _BODY_LINE.search(text, place, inside):
            place = closing.end() if closing else inside
            start = begin.start()
            yield start - (5 if text.endswith(("-----", "---- "), 0, start) else 0), place
    for match in _PUTTY.finditer(text):
        yield match.span()


def hashes_of_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Hashes of passwords, salt included."""
    for match in _HASH.finditer(text):
        yield match.span()


def parts_of_addresses(text: str, place: int) -> Iterator[tuple[int, int]]:
    """The secret parts of the address whose ``://`` ends at this place: the password, or the path
    of a hook, which whoever knows it may call."""
    match = _ADDRESS.match(text, place)
    if match is None:
        return
    for group in ("password", "path"):
        start, end = match.span(group)
        if start >= 0 and not says_nothing(text[start:end]) and text[start:end] not in _EXAMPLES:
            yield start, end
            if group == "password" and start - 1 - place >= _LONGEST_USER:
                yield place, start - 1
    start, end = match.span("user")
    if start >= 0 and any(map(str.isdigit, text[start:end])):
        yield start, end
