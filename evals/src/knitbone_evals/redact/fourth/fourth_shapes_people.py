"""Chat and mail in several languages, password managers, private keys, codes, wallets."""

from __future__ import annotations

from fourth_material import (
    B32,
    BECH32,
    COMMON,
    HEX,
    LOWNUM,
    Made,
    Rand,
    Register,
    T,
    b64,
    base58check,
    digits,
    ec_key,
    ed25519_key,
    fill,
    fold,
    human,
    mnemonic,
    openssh_key,
    phrase,
    raw,
    rsa_key,
    strong,
    tok,
    wordy,
)

people, manager, key = Register("people"), Register("password-manager"), Register("private-key")
code, wallet = Register("code"), Register("wallet")

# ---- chat and mail ----

people.main(
    "english-chat-the-password-is",
    human,
    "[<<hm#1>>] <<First#1>>: hey, cant get into the staging box, whats the login again?\n[<<hm#1>>] <<First#2>>: user is <<user>>, the password is <<S>>\n[<<hm#1>>] <<First#1>>: thx!\n",
)
people.main(
    "english-request-to-agent",
    human,
    "Please log in to https://<<host>> with <<email>> / <<S>> and download the invoice for <<March|April|June>>.\n",
)
people.main(
    "english-changed-to",
    phrase,
    "Heads up: I rotated the <<noun>> admin account this morning, it's now <<S>> (was due since <<date>>). Don't put it in the wiki.\n",
)
people.main(
    "german-mail-zugangsdaten",
    human,
    "Hallo <<First>>,\n\nhier deine Zugangsdaten für das Portal:\n\nBenutzername: <<user>>\nKennwort: <<S>>\n\nBitte nach der ersten Anmeldung ändern.\nViele Grüße\n<<First>>\n",
)
people.main(
    "german-chat-passwort-lautet",
    human,
    "<<First>>: das passwort vom nas lautet <<S>>, einfach im finder unter smb://<<ip>> eingeben\n",
)
people.main(
    "spanish-contrasena",
    human,
    "Buenos días <<First>>: para entrar al servidor <<host>> usa el usuario <<user>> y la contraseña <<S>>. Cualquier cosa me avisas.\n",
)
people.main(
    "french-mot-de-passe",
    human,
    "Salut <<First>>, le mot de passe du compte <<email>> est <<S>> — tu peux le garder jusqu'à vendredi.\n",
)
people.main(
    "russian-parol",
    wordy,
    "<<First>>, доступ к тестовой базе <<host>>: логин <<user>>, пароль <<S>>. Никому не пересылай.\n",
)
people.main(
    "slack-key-then-paste",
    T(40),
    '[{"user": "<<first>>", "ts": "17<<n8>>.<<n6>>", "text": "can you send me the api key for the <<noun>> sandbox?"}, {"user": "<<first>>", "ts": "17<<n8>>.<<n6>>", "text": "sure, <<S>>"}]\n',
)
people.main(
    "user-pastes-key-in-prompt",
    T(40, LOWNUM),
    "User: here is my api key <<S>> use it to fetch the last <<n2>> records from <<noun>> and make a chart\nAssistant: Sure, I'll write a script for that.\n",
)
people.spare(
    "polish-haslo",
    human,
    "Cześć <<First>>, hasło do panelu <<host>>: <<S>>, login bez zmian. Zmień je po zalogowaniu, proszę.\n",
)
people.spare(
    "portuguese-senha",
    human,
    "Oi <<First>>! A senha do wi-fi do escritório agora é <<S>> (rede <<Noun>>-<<n2>>).\n",
)
people.spare(
    "italian-credenziali",
    human,
    "Ciao <<First>>, credenziali VPN: utente <<user>>, password: <<S>>. Scadono il <<date>>.\n",
)
people.spare(
    "dutch-wachtwoord",
    wordy,
    "Hoi <<First>>, het wachtwoord voor de gedeelde mailbox <<email>> is <<S>>. Groetjes\n",
)
people.spare(
    "chinese-mima",
    wordy,
    "<<First>>你好，测试环境 <<host>> 的账号是 <<user>>，密码是 <<S>>，用完请告诉我。\n",
)
people.spare(
    "japanese-pasuwado",
    wordy,
    "<<Last>>様\nお世話になっております。添付ファイルのパスワードは下記の通りです。\n\n<<S>>\n\nよろしくお願いいたします。\n",
)
people.spare(
    "turkish-sifre",
    wordy,
    "Merhaba <<First>>, sunucunun (<<ip>>) şifresi <<S>> kullanıcı adı <<user>>.\n",
)
people.spare(
    "ukrainian-parol-colon",
    human,
    "Новий пароль для <<email>>: <<S>>\nЗмініть його, будь ласка, до <<date>>.\n",
)
people.spare(
    "support-ticket-tried-password",
    human,
    "Ticket #<<n6>>: I have reset it twice and it still says wrong credentials. I typed <<S>> as my password, exactly like in the mail. My account is <<email>>.\n",
)
people.spare(
    "voice-transcript-passphrase",
    lambda r: phrase(r, 4, " "),
    "<<First>>: and what's the passphrase for the <<noun>> drive?\n<<First>>: it's <<S>>, all lower case with spaces.\n",
)
people.spare(
    "meeting-notes-bullets",
    human,
    "## Onboarding <<First>> <<Last>>\n- laptop ordered (<<date>>)\n- mail: <<email>>, initial pw <<S>>\n- badge: front desk\n",
)
people.spare(
    "swedish-losenord",
    human,
    "Hej <<First>>! Lösenordet till bokföringen är <<S>>, användarnamn <<user>>. Hälsningar <<First>>\n",
)

# ---- password managers and tables of logins ----

manager.main(
    "bitwarden-json-item",
    strong,
    '{"object": "item", "id": "<<uuid>>", "name": "<<Noun>> bank", "login": {"uris": [{"uri": "https://<<host>>"}], "username": "<<email>>", "password": "<<S>>", "totp": null}}\n',
)
manager.main(
    "chrome-passwords-csv",
    human,
    "name,url,username,password,note\n<<noun#1>>.example.com,https://<<noun#1>>.example.com/login,<<email>>,<<S>>,\n",
)
manager.main(
    "pass-show-output",
    strong,
    "$ pass show work/<<noun>>\n<<S>>\nuser: <<user>>\nurl: https://<<host>>\n",
)
manager.main(
    "markdown-table-accounts",
    human,
    "| System | User | Password |\n|---|---|---|\n| <<Noun>> | <<user>> | <<S>> |\n| Status page | (public) | - |\n",
)
manager.spare(
    "op-item-get-fields",
    strong,
    "$ op item get <<noun>> --fields username,password --reveal\n<<user>>,<<S>>\n",
)
manager.spare(
    "keepass-xml-protected",
    strong,
    '<Entry><String><Key>UserName</Key><Value><<user>></Value></String><String><Key>Password</Key><Value ProtectInMemory="True"><<S>></Value></String><String><Key>Title</Key><Value><<Noun>></Value></String></Entry>\n',
)
manager.spare(
    "excel-tsv-logins",
    wordy,
    "Site\tLogin\tPass\tUpdated\n<<host>>\t<<user>>\t<<S>>\t<<date>>\n",
)
manager.spare(
    "lastpass-note-block",
    human,
    "NoteType:Server\nHostname:<<host>>\nUsername:<<user>>\nPassword:<<S>>\nNotes:rack <<n2>>\n",
)

# ---- private keys ----


@key.main_of("rsa-pem-file-cat")
def _(r: Rand) -> Made:
    secret = fold(b64(rsa_key(r)))
    head = fill(r, "$ cat ~/.ssh/<<noun>>_rsa\n")
    return (
        f"{head}-----BEGIN RSA PRIVATE KEY-----\n{secret}\n-----END RSA PRIVATE KEY-----\n",
        secret,
    )


@key.main_of("openssh-key-in-yaml-block")
def _(r: Rand) -> Made:
    body = b64(openssh_key(r, fill(r, "<<user>>@<<noun>>")))
    secret = fold(body, 70, "      ")
    text = "deploy:\n  host: <<host>>\n  key: |\n      -----BEGIN OPENSSH PRIVATE KEY-----\n      <<S>>\n      -----END OPENSSH PRIVATE KEY-----\n"
    return fill(r, text, secret), secret


@key.main_of("gcp-service-account-json")
def _(r: Rand) -> Made:
    secret = fold(b64(rsa_key(r, pkcs8=True))).replace("\n", "\\n")
    pem = f"-----BEGIN PRIVATE KEY-----\\n{secret}\\n-----END PRIVATE KEY-----\\n"
    text = '{\n  "type": "service_account",\n  "project_id": "<<noun#1>>-<<n6>>",\n  "private_key_id": "<<hex40>>",\n  "private_key": "PEM",\n  "client_email": "<<noun>>@<<noun#1>>.iam.gserviceaccount.com",\n  "client_id": "<<n20>>1"\n}\n'
    return fill(r, text).replace("PEM", pem), secret


@key.main_of("ec-key-env-one-line")
def _(r: Rand) -> Made:
    secret = fold(b64(ec_key(r))).replace("\n", "\\n")
    text = 'JWT_KID=<<hex8>>\nJWT_SIGNING_KEY="-----BEGIN EC PRIVATE KEY-----\\n<<S>>\\n-----END EC PRIVATE KEY-----"\n'
    return fill(r, text, secret), secret


@key.spare_of("ed25519-python-bytes")
def _(r: Rand) -> Made:
    secret = b64(ed25519_key(r))
    text = 'PEM = b"""-----BEGIN PRIVATE KEY-----\n<<S>>\n-----END PRIVATE KEY-----\n"""\nkey = load_pem_private_key(PEM, password=None)  # <<noun>>\n'
    return fill(r, text, secret), secret


@key.spare_of("jwk-private-json")
def _(r: Rand) -> Made:
    secret = tok(r, 43)
    text = '{"kty": "EC", "crv": "P-256", "kid": "<<noun>>-<<n2>>", "x": "<<al43>>", "y": "<<al43>>", "d": "<<S>>"}\n'
    return fill(r, text, secret), secret


@key.spare_of("kubeconfig-client-key-data")
def _(r: Rand) -> Made:
    pem = (
        f"-----BEGIN RSA PRIVATE KEY-----\n{fold(b64(rsa_key(r)))}\n-----END RSA PRIVATE KEY-----\n"
    )
    secret = b64(pem)
    text = "users:\n- name: <<noun>>-admin\n  user:\n    client-key-data: <<S>>\n"
    return fill(r, text, secret), secret


@key.spare_of("pem-numbered-lines-view")
def _(r: Rand) -> Made:
    lines = fold(b64(rsa_key(r, pkcs8=True))).split("\n")
    first = r.randrange(10, 40)
    rows = ["key = '''", "-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----'''"]
    secret = "\n".join(f"{first + 2 + i:6}\t{line}" for i, line in enumerate(lines)).strip()
    return "\n".join(f"{first + i:6}\t{row}" for i, row in enumerate(rows)), secret


key.spare(
    "age-secret-key-file",
    lambda r: "AGE-SECRET-KEY-1" + tok(r, 58, BECH32.upper()),
    "# created: <<stamp>>\n# public key: age1<<low58>>\n<<S>>\n",
)

# ---- codes and PINs ----

code.main(
    "mfa-secret-setup-text",
    lambda r: tok(r, 32, B32),
    "Scan the QR code with your authenticator app for <<email>>, or enter this setup key manually: <<S>>\n",
)
code.main(
    "otp-code-in-chat",
    lambda r: digits(r, 6),
    "<<First>>: did the sms arrive?\n<<First>>: yes, the verification code is <<S>>\n",
)
code.main(
    "pyotp-totp-literal",
    lambda r: tok(r, 16, B32),
    'totp = pyotp.TOTP("<<S>>")\ncode = totp.now()\npage.fill("#otp-<<noun>>", code)\n',
)
code.main(
    "github-recovery-codes-file",
    lambda r: f"{tok(r, 5, HEX)}-{tok(r, 5, HEX)}",
    "github-recovery-codes.txt (<<user>>)\nKeep these recovery codes somewhere safe:\n<<hex5>>-<<hex5>>\n<<hex5>>-<<hex5>>\n<<S>>\n<<hex5>>-<<hex5>>\n",
)
code.spare(
    "otpauth-uri",
    lambda r: tok(r, 32, B32),
    "otpauth://totp/<<Noun#1>>:<<email>>?secret=<<S>>&issuer=<<Noun#1>>&period=30\n",
)
code.spare(
    "bank-pin-note",
    lambda r: digits(r, 4),
    "reminder from <<First>>: debit card pin is <<S>>, and bring the blue folder\n",
)
code.spare(
    "google-app-password-spaces",
    lambda r: " ".join(tok(r, 4, "abcdefghijklmnopqrstuvwxyz") for _ in range(4)),
    "Generated app password\nYour app password for <<Noun>> on <<user>>'s device\n\n<<S>>\n\nHow to use it: go to the settings for your Google Account.\n",
)
code.spare(
    "bitlocker-recovery-key",
    lambda r: "-".join(digits(r, 6) for _ in range(8)),
    "BitLocker Drive Encryption recovery key\n\nIdentifier:\n\t<<uuid>>\n\nRecovery Key:\n\t<<S>>\n",
)
code.spare(
    "totp-mail-subject",
    lambda r: digits(r, 6),
    "From: no-reply@<<noun>>.example.com\nSubject: <<S>> is your <<Noun>> login code\n\nThe code expires in 10 minutes. If it wasn't you, ignore this mail.\n",
)

# ---- wallets ----


@wallet.main_of("mnemonic-in-hardhat-config")
def _(r: Rand) -> Made:
    secret = " ".join(mnemonic(r))
    text = 'from eth_account import Account\nAccount.enable_unaudited_hdwallet_features()\nacct = Account.from_mnemonic("<<S>>", account_path="m/44\'/60\'/0\'/0/<<n1>>")\n'
    return fill(r, text, secret), secret


wallet.main(
    "eth-private-key-env",
    T(64, HEX, "0x"),
    "RPC_URL=https://sepolia.infura.io/v3/<<hex32>>\nPRIVATE_KEY=<<S>>\nCHAIN_ID=<<n5>>\n",
)
wallet.spare(
    "btc-wif-import",
    lambda r: base58check(b"\x80" + raw(r, 32) + b"\1"),
    'bitcoin-cli importprivkey "<<S>>" "<<noun>>" false\n',
)


@wallet.spare_of("seed-words-numbered")
def _(r: Rand) -> Made:
    words = mnemonic(r)
    secret = "\n".join(f"{i}. {w}" for i, w in enumerate(words, 1))
    return f"Seed phrase of the {r.choice(COMMON)} wallet, write it down:\n{secret}\n", secret


wallet.spare(
    "exchange-secret-ccxt",
    T(64),
    "exchange = ccxt.binance({'apiKey': '<<al64>>', 'secret': '<<S>>', 'enableRateLimit': True})  # <<noun>>\n",
)
wallet.spare(
    "solana-keypair-array",
    lambda r: ",".join(str(b) for b in raw(r, 64)),
    "$ cat ~/.config/solana/<<noun>>.json\n[<<S>>]\n",
)
