"""People's prose, private keys, wallets, one-time codes, exports of password managers."""

from __future__ import annotations

import json
import random

from third_material import (
    BASE32,
    BECH32,
    FIRST,
    LOWNUM,
    UPNUM,
    Register,
    b64,
    b64url,
    base58check,
    digits,
    ec_pkcs8,
    ec_sec1,
    ed25519_pkcs8,
    email,
    hexs,
    host,
    human,
    ip,
    mnemonic,
    openssh,
    passphrase,
    raw,
    role,
    rsa_pkcs1,
    stamp,
    strong,
    tok,
    user,
    uuid,
    word,
    wrap,
)

shape = Register()


@shape("english-chat-new-password", "prose")
def _(r: random.Random):
    s = human(r)
    return (
        f"hey, sorry for the late reply. i reset the {word(r)} account for you, new password is {s} – please change it after you log in.\n"
        "And could you finish the migration script by tomorrow?"
    ), s


@shape("english-chat-use-this-key", "prose")
def _(r):
    s = hexs(r, 40)
    return (
        f"Sure. Use my key for the {word(r).title()} weather API, it's {s}. The free plan allows 60 calls a minute, so please put a sleep into the loop.",
        s,
    )


@shape("english-login-with-slash", "prose")
def _(r):
    s = human(r, "!_-.")
    return (
        f"Can you check why the staging shop shows no prices? You can log in with {email(r)} / {s} at https://{host(r, 'shop')}/admin and look at the products page.",
        s,
    )


@shape("german-mail-passwort", "prose")
def _(r):
    s = human(r)
    return (
        f"Hallo {r.choice(FIRST).title()},\n\ndas neue Passwort für das Postfach {email(r)} lautet {s}\nBitte nicht weitergeben und nach der Anmeldung ändern.\n\nViele Grüße\n{r.choice(FIRST).title()}",
        s,
    )


@shape("french-chat-mot-de-passe", "prose")
def _(r):
    s = human(r)
    return (
        f"Salut, j'ai remis l'imprimante sur le réseau. Le mot de passe du wifi c'est « {s} », tu peux le donner aux stagiaires aussi.",
        s,
    )


@shape("spanish-clave-prose", "prose")
def _(r):
    s = human(r)
    return (
        f"Buenos días, para entrar al panel de {word(r)} usa el usuario {user(r)} y la contraseña {s}. Cualquier duda me escribes.",
        s,
    )


@shape("portuguese-senha-prose", "prose")
def _(r):
    s = human(r)
    return (
        f"Oi! A senha do servidor de backup mudou ontem, agora é {s} (usuário continua {role(r)}). Avise o pessoal do turno da noite.",
        s,
    )


@shape("italian-credenziali-prose", "prose")
def _(r):
    s = human(r)
    return (
        f"Ciao, ecco le credenziali per il gestionale:\nutente: {user(r)}\nparola d'ordine: {s}\nL'indirizzo è https://{host(r, 'erp')}/login, fammi sapere se funziona.",
        s,
    )


@shape("russian-parol-prose", "prose")
def _(r):
    s = human(r)
    return (
        f"Привет! Сервер {ip(r)} поднял, логин {role(r)}, пароль {s} — зайди и проверь диск, пожалуйста. Отчёт пришлю вечером.",
        s,
    )


@shape("japanese-password-prose", "prose")
def _(r):
    s = human(r)
    return (
        f"お疲れ様です。検証環境のログイン情報です。\nID：{user(r)}\nパスワード：{s}\n不明な点があればご連絡ください。",
        s,
    )


@shape("chinese-password-prose", "prose")
def _(r):
    s = human(r)
    return f"新数据库已经建好了，地址是{ip(r)}，用户名{role(r)}，密码是{s}，请尽快测试一下连接。", s


@shape("polish-haslo-prose", "prose")
def _(r):
    s = human(r)
    return (
        f"Cześć, hasło do konta {user(r)} na serwerze plików to teraz: {s}\nJak się zalogujesz, zrób proszę kopię katalogu faktury.",
        s,
    )


@shape("turkish-sifre-prose", "prose")
def _(r):
    s = human(r)
    return (
        f"Merhaba, {word(r)} panelinin şifresini değiştirdim. Yeni şifre {s}, kullanıcı adı aynı ({user(r)}). Kolay gelsin.",
        s,
    )


@shape("markdown-credentials-table", "prose")
def _(r):
    s = human(r, "!_-.")
    return (
        f"## Test accounts\n\n| Role | Login | Password | Notes |\n|------|-------|----------|-------|\n| Admin | {email(r)} | {s} | 2FA off |\n"
        "| Guest | – | – | no login needed |"
    ), s


@shape("onboarding-mail-temporary", "prose")
def _(r):
    s = r.choice(("Welcome", "Start", "Temp", "Hello")) + r.choice(("-", "!", "#")) + tok(r, 6)
    return (
        f"Welcome to {word(r).title()}!\n\nYour account has been created.\n  Username:            {user(r)}\n  Temporary password:  {s}\n\nYou will be asked to choose a new one at first sign-in."
    ), s


@shape("alarm-code-note", "prose")
def _(r):
    s = digits(r, 6)
    return (
        f"Notes for the house sitter: the cat eats at 7 and 18. Alarm panel is behind the door, the PIN is {s}, then press the hash key. Plants only on Sundays.",
        s,
    )


@shape("ssh-passphrase-mentioned", "prose")
def _(r):
    s = passphrase(r, 4, " ")
    return (
        f'When ssh-add asks, the passphrase for the deploy key is "{s}" (all lower case, with the spaces). After that `git push {word(r)} main` should work.',
        s,
    )


@shape("recovery-codes-list", "otp")
def _(r):
    codes = [f"{tok(r, 5, LOWNUM)}-{tok(r, 5, LOWNUM)}" for _ in range(8)]
    s = r.choice(codes)
    return (
        f"{word(r).title()} two-factor recovery codes ({user(r)})\nKeep these somewhere safe. Each code can be used once.\n\n"
        + "\n".join("* " + c for c in codes),
        s,
    )


@shape("google-backup-codes-digits", "otp")
def _(r):
    codes = [f"{digits(r, 4)} {digits(r, 4)}" for _ in range(10)]
    s = r.choice(codes)
    rows = "\n".join(f"{i + 1}. {codes[i]}    {i + 6}. {codes[i + 5]}" for i in range(5))
    return (
        f"SAVE YOUR BACKUP CODES\nKeep these backup codes somewhere safe but accessible.\n\n{rows}\n\n({email(r)})\n* You can only use each backup code once.",
        s,
    )


@shape("sms-one-time-code", "otp")
def _(r):
    s = digits(r, 6)
    return (
        f"[sms +4915100000{digits(r, 2)}] {word(r).title()}Bank: {s} is your verification code to approve the login from a new device. Do not share it with anyone.",
        s,
    )


@shape("otpauth-uri", "otp")
def _(r):
    s = tok(r, 32, BASE32)
    return (
        f"zbarimg qr.png\nQR-Code:otpauth://totp/{word(r).title()}:{email(r)}?secret={s}&issuer={word(r).title()}&algorithm=SHA1&digits=6&period=30\nscanned 1 barcode symbols",
        s,
    )


@shape("totp-manual-setup-groups", "otp")
def _(r):
    s = " ".join(tok(r, 4, BASE32.lower()) for _ in range(8))
    return (
        f"Can't scan the QR code?\nEnter this key in your authenticator app instead:\n\n    {s}\n\nMake sure Time based is selected.",
        s,
    )


@shape("seed-phrase-prose", "wallet")
def _(r):
    s = " ".join(mnemonic(r, 12))
    return (
        f"I moved everything to the new wallet. In case something happens to me, write these twelve words down on paper: {s}. Metamask on the old laptop can be wiped.",
        s,
    )


@shape("seed-phrase-env-24", "wallet")
def _(r):
    s = " ".join(mnemonic(r, 24))
    return f'RPC_URL=https://rpc.{word(r)}.example.org\nMNEMONIC="{s}"\nGAS_LIMIT=3000000', s


@shape("seed-phrase-numbered-grid", "wallet")
def _(r):
    words = mnemonic(r, 12)
    rows = [
        "   ".join(f"{i + j + 1:>2}. {words[i + j]:<9}" for j in range(3)).rstrip()
        for i in range(0, 12, 3)
    ]
    s = "\n".join(rows).strip()
    return (
        "Your Secret Recovery Phrase\nWrite it down and store it in a safe place.\n\n"
        + s
        + "\n\nNever share it.",
        s,
    )


@shape("hardhat-account-private-key", "wallet")
def _(r):
    s = hexs(r, 64)
    return (
        f'module.exports = {{\n  solidity: "0.8.24",\n  networks: {{\n    {word(r)}: {{ url: process.env.RPC, accounts: ["0x{s}"], chainId: {r.randrange(1, 9999)} }},\n  }},\n}};',
        s,
    )


@shape("bitcoin-wif-dumpprivkey", "wallet")
def _(r):
    s = base58check(b"\x80" + raw(r, 32) + b"\x01")
    return (
        f"$ bitcoin-cli -rpcwallet={word(r)} dumpprivkey bc1q{tok(r, 38, BECH32)}\n{s}\n$ bitcoin-cli getblockcount\n{digits(r, 6)}",
        s,
    )


@shape("bip32-xprv-descriptor", "wallet")
def _(r):
    s = base58check(bytes.fromhex("0488ade4") + b"\0" * 9 + raw(r, 32) + b"\0" + raw(r, 32))
    return json.dumps(
        {
            "descriptors": [
                {
                    "desc": f"wpkh({s}/84h/0h/0h/0/*)#{tok(r, 8, BECH32)}",
                    "timestamp": 17000000 + r.randrange(9999),
                    "active": True,
                    "internal": False,
                }
            ]
        },
        indent=2,
    ), s


@shape("solana-keypair-array", "wallet")
def _(r):
    s = ",".join(str(b) for b in raw(r, 64))
    return (
        f"$ cat ~/.config/solana/id.json\n[{s}]\n$ solana balance\n{r.randrange(1, 90)}.{digits(r, 3)} SOL",
        s,
    )


@shape("rsa-pem-cat", "key-material")
def _(r):
    s = wrap(b64(rsa_pkcs1(r)))
    return (
        f"$ sudo cat /etc/ssl/private/{word(r)}.key\n-----BEGIN RSA PRIVATE KEY-----\n{s}\n-----END RSA PRIVATE KEY-----\n$ ",
        s,
    )


@shape("openssh-key-yaml-block-scalar", "key-material")
def _(r):
    s = wrap(b64(openssh(r, f"{role(r)}@{word(r)}")), 70, "    ")
    return (
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: git-{word(r)}\nstringData:\n  ssh-privatekey: |\n    -----BEGIN OPENSSH PRIVATE KEY-----\n    {s}\n"
        '    -----END OPENSSH PRIVATE KEY-----\n  known_hosts: ""'
    ), s


@shape("ec-key-env-escaped-newlines", "key-material")
def _(r):
    s = wrap(b64(ec_sec1(r))).replace("\n", "\\n")
    return (
        f'APNS_KEY_ID={tok(r, 10, UPNUM)}\nAPNS_KEY="-----BEGIN EC PRIVATE KEY-----\\n{s}\\n-----END EC PRIVATE KEY-----"\nAPNS_TOPIC=org.{word(r)}.app',
        s,
    )


@shape("ed25519-pkcs8-one-base64-line", "key-material")
def _(r):
    s = b64(ed25519_pkcs8(r))
    return (
        f"signer:\n  alg: Ed25519\n  kid: {word(r)}-{r.randrange(2021, 2027)}\n  private_key: {s}\n  public_key: {b64(raw(r, 32))}",
        s,
    )


@shape("putty-ppk-private-lines", "key-material")
def _(r):
    s = b64(raw(r, 36))
    return (
        f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: eddsa-key-{stamp(r)[:10].replace('-', '')}\nPublic-Lines: 2\n"
        f"{wrap('AAAAC3NzaC1lZDI1NTE5AAAAI' + tok(r, 43))}\nPrivate-Lines: 1\n{s}\nPrivate-MAC: {hexs(r, 64)}"
    ), s


@shape("jwk-private-exponent", "key-material")
def _(r):
    s = b64url(raw(r, 32))
    return json.dumps(
        {
            "keys": [
                {
                    "kty": "EC",
                    "crv": "P-256",
                    "kid": uuid(r),
                    "use": "sig",
                    "alg": "ES256",
                    "x": b64url(raw(r, 32)),
                    "y": b64url(raw(r, 32)),
                    "d": s,
                }
            ]
        },
        indent=2,
    ), s


@shape("pem-in-c-string-lines", "key-material")
def _(r):
    s = '\\n"\n    "'.join(wrap(b64(ec_pkcs8(r))).split("\n"))
    return (
        f'static const char device_key[] =\n    "-----BEGIN PRIVATE KEY-----\\n"\n    "{s}\\n"\n    "-----END PRIVATE KEY-----\\n";\n\nesp_tls_cfg_t cfg = {{ .clientkey_buf = device_key }};'
    ), s


@shape("pgp-private-key-block", "key-material")
def _(r):
    s = wrap("lFgE" + b64(raw(r, 330))[:436])
    return (
        f"$ gpg --armor --export-secret-keys {email(r)}\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{s}\n={tok(r, 4)}\n-----END PGP PRIVATE KEY BLOCK-----"
    ), s


@shape("openssl-text-private-hex", "key-material")
def _(r):
    pairs = [f"{b:02x}" for b in b"\x01" + raw(r, 31)]
    s = ":\n    ".join(":".join(pairs[i : i + 15]) for i in range(0, 32, 15))
    pub = [f"{b:02x}" for b in raw(r, 30)]
    return (
        f"$ openssl ec -in {word(r)}.pem -noout -text\nread EC key\nPrivate-Key: (256 bit)\npriv:\n    {s}\npub:\n    04:{':'.join(pub[:14])}:\n    {':'.join(pub[14:29])}\nASN1 OID: prime256v1",
        s,
    )


@shape("age-identity-file", "key-material")
def _(r):
    s = "AGE-SECRET-KEY-1" + tok(r, 58, BECH32.upper())
    return (
        f"$ cat ~/.config/sops/age/keys.txt\n# created: {stamp(r)}\n# public key: age1{tok(r, 58, BECH32)}\n{s}\n$ sops -d secrets.yaml | head -1",
        s,
    )


@shape("pkcs12-base64-step", "key-material")
def _(r):
    s = "MII" + b64(raw(r, 900))[3:]
    return f"$ base64 -w0 {word(r)}-distribution.p12\n{s}\n$ gh secret set CERT_P12 < cert.b64", s


@shape("bitwarden-json-export", "vault-export")
def _(r):
    s = strong(r, 18)
    return json.dumps(
        {
            "encrypted": False,
            "items": [
                {
                    "id": uuid(r),
                    "type": 1,
                    "name": word(r).title(),
                    "favorite": False,
                    "login": {
                        "uris": [{"match": None, "uri": f"https://{host(r, 'my')}"}],
                        "username": email(r),
                        "password": s,
                        "totp": None,
                    },
                }
            ],
        },
        indent=2,
    ), s


@shape("chrome-passwords-csv", "vault-export")
def _(r):
    s = human(r)
    return (
        f"name,url,username,password,note\n{word(r)}.example.com,https://{word(r)}.example.com/login,{email(r)},{s},\n",
        s,
    )


@shape("keepass-xml-protected-inmemory", "vault-export")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"<Entry>\n\t<String>\n\t\t<Key>Title</Key>\n\t\t<Value>{word(r).title()}</Value>\n\t</String>\n\t<String>\n\t\t<Key>Password</Key>\n"
        f'\t\t<Value ProtectInMemory="True">{s}</Value>\n\t</String>\n\t<String>\n\t\t<Key>UserName</Key>\n\t\t<Value>{user(r)}</Value>\n\t</String>\n</Entry>'
    ), s


@shape("unix-pass-show", "vault-export")
def _(r):
    s = strong(r, 25, "!#%*+-_=^~?")
    return f"$ pass show web/{word(r)}\n{s}\nlogin: {user(r)}\nurl: https://{host(r, 'www')}\n", s


@shape("op-item-get-table", "vault-export")
def _(r):
    s = strong(r, 20, "!*-_.")
    return (
        f"$ op item get {word(r)} --reveal\nID:          {tok(r, 26, LOWNUM)}\nTitle:       {word(r).title()} VPN\nVault:       Private ({tok(r, 26, LOWNUM)})\nFields:\n"
        f"  username:    {user(r)}\n  password:    {s}\n  website:     https://{host(r, 'vpn')}"
    ), s
