"""Words near which a secret may stand, without naming one: accounts, programs that ask for a
password, options, keys and codes. Each counts for a little (``weights.py`` says how much)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

__all__ = ["CUES", "Announcement", "Cue", "cue_of"]


class Cue(IntEnum):
    """What a word says of the values near it."""

    NAME = 0
    """It is the name of a password (``names.Strength.PASSWORD``)."""
    SECRET = 1
    """It is the name of a secret (``CERTAIN``)."""
    TOKEN = 2
    """It may be the name of one (``POSSIBLE``)."""
    KEY = 3
    """``key`` (``FAINT``)."""
    PART = 4
    """A part of a word that names a secret otherwise: ``requirepass``, ``keyboard``."""
    ACCOUNT = 5
    """Users, logins, connections."""
    CRYPTO = 6
    """Private keys, wallets, salts, signatures."""
    CODE = 7
    """Codes and licences."""
    PROGRAM = 8
    """Programs and protocols for which a password is needed."""
    OPTION = 9
    """An option of one letter that many programs take a password by."""


class Announcement(NamedTuple):
    """A word that announces a secret, and where it stands."""

    start: int
    end: int
    cue: Cue


_WORDS: dict[Cue, str] = {
    Cue.NAME: """
        kennwort wachtwoord clave_ clave: clave= salasana parola parool lozinka geslo heslo haslo
        jelszo adgangskode kodeord sandi losenord sifre zaporka wagwoord pasahitza mat_khau
        codeword passwort motdepasse mot_de_passe
    """,
    Cue.ACCOUNT: """
        user usr login logon log_in signin sign_in account connect admin root@ auth grant
        benutzer utente usuario usuário utilisateur gebruiker identifi zugang anmeld accesso
        acceso acesso konto credenc credenz community ssid wifi wlan wpa -ru employee member
        getconnection dsn _-u client( auth=( connection( session( send_keys( sendkeys( basicauth(
    """,
    Cue.CRYPTO: """
        priv secret mnemonic wallet seed fernet hmac hashing_key cipher aes encrypt decrypt
        unseal keypair keystore solana ethereum bitcoin descriptor salt pepper signature sig=
        sign( saml samlresponse session config:set cookie pkcs12 .pfx .p12 keytab unlock signing
        rsa_ .pem preshared pre-shared psk snmp radius tacacs
    """,
    Cue.CODE: """
        code codes pin_ pin: pin= pin. pin" pin' pin\\ pin, recovery backup licen activation serial_
        otp 2fa mfa totp serial: unlock verification alarm door safe_ vault
    """,
    Cue.PROGRAM: """
        mysql psql pgsql postgres mongo redis sqlcmd sqlplus ftp smb ldap imap smtp ssh_ rdp vnc
        telnet mqtt mosquitto ipmi net_use rsync_ curl_ wget_ zip_ 7z_ openssl gpg_ htpasswd
        chpasswd schtasks runas psexec docker_ kubectl_ vpn snmpwalk jdbc odbc send-keys sudo
        expect kinit rabbitmq useradd usermod net_user amqp sip_ rar_ mount_ xdotool
        type( :*: 5432 3306 1433 1521 6379 27017 oracle alias_set
    """,
    Cue.OPTION: """
        _-p _-w_ _-a_ _-k_ _/p _/rp _-pw _-n_ _-c_ _-x_
    """,
}
"""Beginnings of words, ``_`` for a space."""


def _table() -> dict[bytes, Cue]:
    return {
        word.replace("_", " ").encode("latin-1"): cue
        for cue, words in _WORDS.items()
        for word in words.split()
    }


CUES = _table()
"""The words in small letters, a byte a character."""
_SHORT = 4
"""Letters of a word that only stands at the beginning of one."""


def cue_of(word: bytes, text: str, start: int) -> Cue | None:
    """What a word says that stands here; nothing where it is the middle of another one."""
    if len(word) <= _SHORT and start and text[start - 1].isalpha() and text[start].islower():
        return None
    return CUES[word]
