"""Expressions that are known to take exponential or polynomial time, from public lists.

Each with a text that it takes, and the parts of an attack: what stands first, what is repeated, and
what makes it fail in the end. Sources, as named: OWASP's page on ReDoS, Wikipedia's, the test lists
of safe-regex and regexploit, advisories of Python and of packages of PyPI and npm, the reports of
two outages (Stack Overflow 2016, Cloudflare 2019), and validators as they are often written.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PATTERNS", "Catastrophic"]


class Catastrophic(NamedTuple):
    """One expression with its attack ``head + pump * n + tail``."""

    source: str
    name: str
    pattern: str
    good: str
    head: str
    pump: str
    tail: str = "!"

    def attack(self, times: int) -> str:
        """A text on which it takes longer the more often the middle is repeated."""
        return self.head + self.pump * times + self.tail


_OWASP = [
    ("nested plus", r"^(a+)+$", "aaa", "", "a"),
    ("nested class", r"^([a-zA-Z]+)*$", "Paris", "", "a"),
    ("alternatives", r"^(a|aa)+$", "aaa", "", "a"),
    ("optional", r"^(a|a?)+$", "aaa", "", "a"),
    ("counted any", r"^(.*a){12}$", "a" * 12, "", "a"),
    ("java class", r"^(([a-z])+.)+[A-Z]([a-z])+$", "java.lang.String", "", "a"),
    (
        "e-mail",
        r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}"
        r"(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
        "ann@example.com",
        "",
        "a",
    ),
    (
        "person name",
        r"^[a-zA-Z]+(([\',. -][a-zA-Z ])?[a-zA-Z]*)*$",
        "Ann Lee",
        "a",
        "a",
    ),
]
_LISTS = [
    ("wikipedia", "plus of plus", r"(a+)+$", "aaa", "", "a"),
    ("wikipedia", "evil class", r"([a-z]+)+\d", "abc1", "", "a"),
    ("regular-expressions.info", "x+x+", r"(x+x+)+y", "xxy", "", "x"),
    (
        "regular-expressions.info",
        "eleventh field",
        r"^(.*?,){11}P",
        "1,2,3,4,5,6,7,8,9,10,11,P",
        "",
        "1,",
    ),
    ("safe-regex", "either", r"foo|(x+x+)+y", "foo", "", "x"),
    ("safe-regex", "ten times", r"(a+){10}y", "a" * 10 + "y", "", "a"),
    ("safe-regex", "twice", r"(a+){2}y", "aay", "", "a"),
    ("safe-regex", "any many times", r"(.*){1,320}[bc]", "ab", "", "a"),
    ("safe-regex", "optional then counted", r"^(a?){25}a{25}$", "a" * 25, "", "a"),
    ("regexploit", "same alternatives", r"^(a|a)*$", "aaa", "", "a"),
    ("regexploit", "word star", r"^(\w*)*$", "abc", "", "a"),
    ("regexploit", "digits and dots", r"^(\d+\.?)+$", "1.2.3", "", "1"),
    ("regexploit", "blanks at the end", r"\s+$", "a ", "", " "),
    ("regexploit", "two blanks", r"^\s*\w*\s*\w*\s*;$", "a b;", "", " "),
    ("regexploit", "assertion", r"^(?=(a+)+$)a", "aaa", "", "a"),
    ("regexploit", "back reference", r"^(a+)+\1?$", "aaa", "", "a"),
]
_PYTHON = [
    (
        "urllib CVE-2020-8492",
        r"(?:.*,)*[ \t]*([^ \t]+)[ \t]+realm=([\"']?)([^\"']*)\2",
        'Basic realm="a"',
        "",
        ",",
    ),
    ("poplib CVE-2018-1060", r"\+OK.*(<[^>]+>)", "+OK <1@a>", "+OK", "<"),
    ("difflib CVE-2018-1061", r"^\s*#?\s*$", " # ", "", " "),
    (
        "cookiejar bpo-38804",
        r"^(\d\d?)(?:\s+|[-\/])(\w+)(?:\s+|[-\/])(\d+)(?:(?:\s+|:)(\d\d?):(\d\d)(?::(\d\d))?)?\s*"
        r"([-+]?\d{2,4}|(?![APap][Mm]\b)[A-Za-z]+)?\s*(?:\(\w+\))?\s*$",
        "09 Feb 1994 22:23:32 GMT",
        "1-1-1",
        " ",
    ),
    ("tarfile CVE-2024-6232", r"(\d+) ([^=]+)=([^\n]*)\n", "18 path=abc\n", "1 ", " 1 "),
    (
        "wheel CVE-2022-40898",
        r"^((.+?)-(.+?))(-(\d[^-]*))?-(.+?)-(.+?)-(.+?)\.whl$",
        "a-1-py3-none-any.whl",
        "a",
        "-1",
    ),
    (
        "setuptools CVE-2022-40897",
        r"<([^>]*\srel\s*=\s*['\"]?([^'\">]+)[^>]*)>",
        '<a rel="x">',
        "<a rel=",
        " ",
    ),
    (
        "urllib3 CVE-2021-33503",
        r"^(?:(.*)@)?([^\[\]@]*)(?::([0-9]{0,5}))?$",
        "u@h:80",
        "",
        "@",
        "[",
    ),
    (
        "jinja2 CVE-2020-28493",
        r"^((?:\(|<|&lt;)*)(.*?)((?:\.|,|\)|>|\n|&gt;)*)$",
        "(word).",
        "",
        ".",
        "\n\n!",
    ),
    ("django CVE-2009-3695", r"^(?:\w+\.?)*\w+@(?:\w+\.)+\w+$", "ann.lee@example.com", "", "a"),
    ("django intcomma CVE-2024-24680", r"^(-?\d+)(\d{3})$", "1234", "", "1"),
    (
        "django urlize",
        r"^(https?://\S+|www\.\S+|\S+\.(?:com|net|org))+$",
        "www.a.com",
        "",
        "www.a.com",
        " ",
    ),
    (
        "django validator",
        r"^(?:[A-Z0-9](?:[A-Z0-9-]*[A-Z0-9])?\.)+[A-Z]{2,6}$",
        "EXAMPLE.COM",
        "",
        "A",
    ),
    ("sqlparse CVE-2021-32839", r"((\r\n|\r|\n)\s*)+;", "\n;", "", "\n"),
    ("pillow CVE-2021-25292", r"^(?:\s|%[^\n]*\n|[\r\n\t ]+)*trailer", " trailer", "", " "),
    ("nltk CVE-2021-3842", r"^(\s*\(?\s*\w*\s*\)?\s*)+;$", "(a);", "", " "),
    ("pygments CVE-2021-27291", r"^(\w+\s*)+::?=$", "rule ::=", "", "a"),
    (
        "markdown2 CVE-2021-26813",
        r"<(\w+)(\s+\w+\s*=?\s*\"?[^\"]*\"?)*\s*/?>",
        '<a b="c">',
        "<a",
        " b ",
    ),
    ("feedparser", r"<!ENTITY([^>]*?)(\s+[^>]*?)*>", "<!ENTITY a b>", "<!ENTITY", " a"),
    (
        "py CVE-2022-42969",
        r"^\s*(\d+)\s+(\S+)\s*(.*?)\s+(\S+)\s*$",
        "1 a b c",
        "1 a",
        " ",
        "\n\n!\n",
    ),
]
_NPM = [
    ("ms", r"^((?:\d+)?\.?\d+) *(ms|s|m|h|d)?$", "10 ms", "", "1"),
    ("moment CVE-2016-4055", r"D[oD]?(\[[^\[\]]*\]|\s+)+MMMM?", "D MMMM", "D", " "),
    (
        "marked CVE-2015-8854",
        r"^\b_((?:__|[\s\S])+?)_\b|^\*((?:\*\*|[\s\S])+?)\*(?!\*)",
        "*a*",
        "*",
        "**",
        " ",
    ),
    (
        "ansi-regex CVE-2021-3807",
        r"\x1b[\[()#;?]*(?:(?:[a-zA-Z\d]*(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?\x07)",
        "\x1b[0\x07",
        "\x1b[",
        ";",
    ),
    ("trim CVE-2020-7753", r"^\s+|\s+$", " a", "a", " "),
    (
        "path-parse CVE-2021-23343",
        r"^((?:[^\\/]*[\\/])*)((\.{1,2}|[^\\/]+?|)(\.[^.\\/]*|))[\\/]*$",
        "a/b.c",
        "",
        ".a",
        "/\n!",
    ),
    (
        "color-string CVE-2021-29060",
        r"^hwb\(\s*([+-]?\d*[.]?\d+)\s*,\s*([+-]?[\d.]+)%\s*\)$",
        "hwb(1, 2%)",
        "hwb(",
        "1",
    ),
    ("semver CVE-2022-25883", r"^\s*v?(\d+)\s*(?:\.\s*(\d+)\s*)*\s*\|\|$", "1.2 ||", "1", " "),
    ("browserslist CVE-2021-23364", r"^\s*((\w+\s*)+)\s+or\s+$", "last or ", "", "a"),
    (
        "postcss CVE-2021-23368",
        r"/\*\s*# sourceMappingURL=((?:\s*\S*)*)\*/",
        "/*# sourceMappingURL=a*/",
        "/*# sourceMappingURL=",
        "a",
    ),
    ("hosted-git-info CVE-2021-23362", r"^([^:]+:)?/*(\w+/?)+\.git$", "a:b/c.git", "", "a"),
    ("normalize-url CVE-2021-33502", r"^data:(.*?),(.*?)(?:#(.*))?;$", "data:a,b;", "data:", ","),
    ("uglify-js", r"^(\s*\w*\s*)*=$", "a =", "", "a"),
    ("is-email", r"^([\w.-]+)*@[\w-]+\.\w+$", "a@b.co", "", "a"),
    ("charset", r"charset=\s*([\w-]*\s*)*;", "charset=utf-8;", "charset=", "a"),
    ("lodash CVE-2020-28500", r"^\s*([\d.]*\s*)*px$", "10 px", "", "1"),
]
_OUTAGES = [
    ("stack overflow 2016", r"^[\s\u200c]+|[\s\u200c]+$", " a", "a", " "),
    (
        "cloudflare 2019",
        r"(?:(?:\"|'|\]|\}|\\|\d|(?:nan|infinity|true|false|null)|-|\+)+[)]*;?"
        r"((?:\s|-|~|!|\{\}|\|\||\+)*.*(?:.*=.*)))",
        "1;x=1",
        "1",
        "x",
        ";",
    ),
]
_VALIDATORS = [
    ("words", r"^(\w+\s?)*$", "Paris is nice", "", "a"),
    ("sentence list", r"^([A-Z][^.!?]*[.!?]?\s*)+;$", "One. Two.;", "", "A"),
    ("thousands", r"^(\d+(,\d+)*)*$", "1,000", "", "1"),
    ("phone", r"^(\+?\d+[- ]?)+$", "+1 555-0100", "", "1"),
    ("address", r"^((\d+)\.?)+$", "10.0.0.1", "", "1"),
    ("url path", r"^(https?://)?(/?[\w.-]+)+$", "https://a.b/c", "", "a"),
    ("quoted", r'"(\\.|[^"])*"$', '"a"', '"', "\\\\", ""),
    ("html tag", r"<([a-z]+)([^<]+)*(?:>(.*)</\1>|\s+/>)", "<b>a</b>", "<b", "a"),
    ("comment", r"<!--(.|\s)*?-->", "<!-- a -->", "<!--", " "),
    ("code comment", r"/\*(.|\s)*?\*/", "/* a */", "/*", " "),
    ("csv", r"^(\s*\w*\s*,?)*;$", "a, b;", "", "a"),
    ("names", r"^([A-Za-z]+[ '-]?)+$", "Ann O'Neil", "", "a"),
    ("link", r"^\[([^\]]+)*\]\(([^)]+)*\)$", "[a](b)", "[", "a"),
    ("bold", r"^\*\*(([^*]|\*[^*])+)+\*\*$", "**a**", "**", "a"),
    ("table row", r"^(\|?[^|]*\|?)+;$", "|a|b|;", "", "a"),
    ("list", r"^(\s*-?\s*\w+\s*)+$", "- a", "", "a"),
    ("date words", r"^(\w+,?\s*)+\d{4}$", "May 3, 2024", "", "a"),
    ("key values", r"^(\s*\w+\s*=\s*\w+\s*;?)+$", "a = b; c = d", "", "a = b"),
    ("version", r"^v?(\d+\.*)+(-\w+)*$", "v1.2.3-rc", "", "1"),
    ("json list", r"^\[(\s*\"?\w+\"?\s*,?)*\]$", '["a", "b"]', "[", "a"),
]


def _all() -> list[Catastrophic]:
    found = [Catastrophic(*row) for row in _LISTS]
    groups = {
        "OWASP": _OWASP,
        "Python and PyPI": _PYTHON,
        "npm": _NPM,
        "outages": _OUTAGES,
        "validators": _VALIDATORS,
    }
    return found + [Catastrophic(source, *row) for source, rows in groups.items() for row in rows]


PATTERNS = _all()
