"""Which names announce a secret, read word by word: ``DB_PASSWORD``, ``dbPassword``, ``x-api-key``;
not ``max_tokens``, ``secretary``, ``password_reset_url`` or ``token count``.

A name is a noun with words before it. The noun comes last (``secret_name`` is a name), but for
words that say nothing about what it is (``PASSWORD_OLD``, ``API_KEY_2``).
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

__all__ = [
    "FOREIGN",
    "LONGEST_NAME",
    "Strength",
    "strength_of",
    "strongest_name",
    "word_set",
    "words_of",
]

LONGEST_NAME = 128
"""Characters of a name that may announce a secret."""


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())


class Strength(IntEnum):
    """How sure a name is that its value is a secret."""

    NONE = 0
    FAINT = 1
    """``key``: only what is random through and through."""
    POSSIBLE = 2
    """``token``: what looks random; it may as well be a word of a text."""
    CERTAIN = 3
    """``api_key``: any value that is not about a value."""
    PASSWORD = 4
    """The same, and people choose it: it may be short and simple."""


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")

_PASSWORD = word_set("""
    password passwords passwd passwds pwd pswd passphrase passphrases passcode passwrd passwort
    kennwort contraseña contrasena senha wachtwoord motdepasse пароль 密码 密碼 口令 パスワード
    비밀번호 암호 暗証番号 hasło heslo lösenord lozinka salasana jelszó parola adgangskode passord
    şifre sifre пароль лозинка гасло κωδικός รหัสผ่าน סיסמה پسورد पासवर्ड
    assword asswd sshpass secretanswer mnemonic otp totp cvv cvc passe
""")
_STEMS = tuple(
    word_set("""
    парол гасл лозинк пасворд құпия 密码 密碼 口令 パスワード 暗証番号 合言葉 비밀번호 암호 패스워드
    κωδικ συνθηματικ hasło hasła heslo lösenord jelsz contraseñ şifre parolă slaptaž lykilorð
    fjalëkalim khẩu รหัสผ่าน סיסמ ססמ المرور السر پسورد گذرواژه पासवर्ड পাসওয়ার্ড கடவுச்சொல்
    პაროლ գաղտնաբառ
    """)
)
"""Beginnings of words for a password, as languages bend them."""
FOREIGN = tuple(
    form
    for word in sorted({*_PASSWORD, *_STEMS})
    if not word.isascii()
    for form in {word, word.capitalize(), word.upper()}
)
"""Words for a password that hold none of the hints."""
_PASS_OF = word_set("""
    db root user admin sql mysql pg ssh my ldap smtp imap mail ftp bind proxy key trust store redis
    mongo login sudo wifi wpa vnc samba rsync http basic
""")
"""What ``pass`` is written together with: ``dbpass``, not ``compass``."""
_NOT_PASS = word_set("""
    compass bypass surpass trespass encompass overpass underpass multipass minipass prepass
    subpass renderpass pass
""")
"""Words that end with ``pass`` and name no password."""
_CERTAIN = word_set("""
    secret secrets credential credentials creds authorization cookie cookies psk apikey apikeys
    authkey accesskey privatekey secretkey apitoken accesstoken authtoken refreshtoken
    sessiontoken idtoken clientsecret jwt bearer sessionid phpsessid jsessionid csrftoken
    xsrftoken sessiontoken
""")
_POSSIBLE = word_set("""
    token auth tokens pass pw sid basic seed appid
""")
_KEY_OF = word_set("""
    api access secret private priv auth authentication authorization encryption encrypt
    decryption signing sign signature hmac master service account app application client admin
    deploy deployment shared storage session license licence ssh ssl tls rsa dsa ecdsa webhook
    server subscription function integration developer dev personal write ingest consumer
    merchant wallet root vault jwt cipher aes fernet pgp gpg openai anthropic stripe aws gcp
    azure google github gitlab sendgrid mailgun twilio datadog sentry algolia cohere mistral
    groq gemini tavily serp serpapi pinecone hf huggingface openrouter together replicate
    deepseek perplexity langsmith langchain langfuse wandb notion slack discord telegram
    cloudflare heroku newrelic mapbox maps weather rapidapi wireguard preshared psk bot user
    host instrumentation functions unseal security network wifi wlan wpa recovery
""")
"""What a ``key`` is of that is a secret; all other keys (primary, sort, public, cache) are not."""
_TOKEN_OF = word_set("""
    access refresh auth session bearer id api bot oauth oauth2 personal deploy security csrf
    xsrf jwt admin service secret authentication authorization authenticity user registration
    registry github gitlab gh gl slack discord telegram npm pypi hf huggingface vault consul
    circleci travis heroku digitalocean do cloudflare cf sentry datadog notion linear figma
    vercel netlify fly databricks snowflake atlassian jira bitbucket azure aws gcp google
    facebook fb twitter x stripe square shopify twilio mapbox replicate wandb webhook reset
    verification confirmation invite magic login signing sas pat app client account device push
    codecov coveralls sonar terraform tf kubernetes k8s kube cluster join root write read ingest
    integration openai anthropic
""")
_NOT_TOKEN = word_set("""
    next page continuation sync resume cursor eos bos pad unk mask sep cls stop start end
    special max min input output prompt completion total cached reasoning num number n first
    last previous prev cancellation cancel lock change word text sub current lookahead
""")
_NOT_KEY = word_set("""
    public primary foreign sort partition cache idempotency index object map hash
""")
_TRANSPARENT = word_set("""
    value val values text str string plain plaintext raw clear b64 base64 encoded prod
    production dev development test testing staging stage live old new current default backup
    primary secondary main master main ro rw readonly local remote hex bytes base
""")
"""Words after the noun that do not change what it is."""
_VERBS = word_set("""
    is has have no not use uses using show hide forgot forgotten reset change changed update
    check validate verify hash get set fetch load read require requires required need needs
    allow enable enabled disable generate rotate create make delete remove confirm find build
    count max min num len length total invalid wrong incorrect missing bad expired mask redact
    strip hidden
""")
"""Words before the noun: what is named is a function, a switch or a number."""
_CERTAIN_PAIRS = {
    (qualifier, noun): Strength.CERTAIN
    for noun, qualifiers in (("auth", "redis smtp mqtt proxy"), ("salt", "auth in nonce secret"))
    for qualifier in qualifiers.split()
}
"""Nouns that name a secret only of these."""
_PASSWORD_PAIRS = frozenset(
    (qualifier, noun)
    for noun, qualifiers in (
        ("code", "recovery backup"),
        ("codes", "recovery backup"),
        ("phrase", "pass seed recovery"),
        ("word", "pass"),
    )
    for qualifier in qualifiers.split()
)
_HEADER = frozenset({"cookie", "cookies"})
_CONFIRMED = word_set("""
    confirm new reset update change set
""")
"""Of these the ones that forms put before a password which they ask for."""


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


@lru_cache(maxsize=4_096)
def strength_of(name: str) -> Strength:
    """How sure a name is that what stands under it is a secret."""
    if len(name) > LONGEST_NAME:
        return Strength.NONE
    words = words_of(name)
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _TRANSPARENT):
        words.pop()
    if not words:
        return Strength.NONE
    before, noun = words[:-1], words[-1]
    if not before and noun != "key":
        return _of_noun(noun, "")
    found = _CERTAIN_PAIRS.get((before[-1], noun)) if before else None
    found = found or _of_noun(noun, before[-1] if before else "")
    if found and before and before[0] in _VERBS and noun not in _HEADER:
        return found if found is Strength.PASSWORD and before[0] in _CONFIRMED else Strength.NONE
    return found


@lru_cache(maxsize=4_096)
def strongest_name(phrase: str) -> tuple[str, Strength]:
    """The name at the end of a phrase, of which one word or two are the name, and its strength.
    Verbs before it are verbs here: ``use password``, ``invalid api key``."""
    if " " not in phrase:
        return phrase, strength_of(phrase)
    before, _, last = phrase.rpartition(" ")
    qualifier = before.rpartition(" ")[2]
    alone, together = strength_of(last), strength_of(f"{qualifier} {last}")
    if together > alone:
        return f"{qualifier} {last}", together
    excluded = {Strength.POSSIBLE: _NOT_TOKEN, Strength.FAINT: _NOT_KEY}.get(alone, ())
    if not together and qualifier.lower() in excluded:
        return last, Strength.NONE
    return last, alone


def _is_compound(noun: str) -> bool:
    """Whether a word ends with one for a password: ``rootpw``, ``dbpass``, not ``compass``."""
    if not noun.isascii() and any(stem in noun for stem in _STEMS):
        return True
    if noun.endswith(("password", "passwd", "passphrase", "pwd", "pw")):
        return True
    return noun.endswith("pass") and noun[:-4] in _PASS_OF


def _of_noun(noun: str, qualifier: str) -> Strength:
    if noun in _PASSWORD or _is_compound(noun) or (qualifier, noun) in _PASSWORD_PAIRS:
        return Strength.PASSWORD
    if noun.endswith("pass") and noun not in _NOT_PASS:
        return Strength.POSSIBLE
    if noun in ("id", "sid") and qualifier in ("connect", "phpsess", "jsession"):
        return Strength.CERTAIN
    if noun in _CERTAIN or noun.endswith(("privkey", "privatekey", "secretkey", "apikey")):
        return Strength.CERTAIN
    if noun in ("key", "keys"):
        if qualifier in _KEY_OF:
            return Strength.CERTAIN
        return Strength.FAINT if noun == "key" and not qualifier else Strength.NONE
    if noun in ("token", "tokens"):
        if qualifier in _TOKEN_OF:
            return Strength.CERTAIN
        possible = noun == "token" and qualifier not in _NOT_TOKEN
        return Strength.POSSIBLE if possible else Strength.NONE
    if noun in ("sig", "pat"):
        return Strength.POSSIBLE
    if noun in ("signature", "credential"):
        return Strength.POSSIBLE if qualifier in ("amz", "goog", "shared") else Strength.NONE
    if noun in ("pass", "pw", "auth") and qualifier:
        return Strength.PASSWORD if noun != "auth" else Strength.POSSIBLE
    return Strength.POSSIBLE if noun in _POSSIBLE else Strength.NONE
