"""Lines in which a secret stands, for the fit alone: what programs, people and files write around
a secret, as widely spread as its author knew. Nothing is measured by them, since their author knew
the finder.

``{p}`` is a password that somebody made up, ``{d}`` one that a machine drew, ``{x}`` hexadecimal
digits, ``{b}`` base64, ``{t}`` letters and digits, ``{n}`` six digits, ``{l}`` a licence key,
``{u}`` a user and ``{h}`` a host.
"""

from __future__ import annotations

# ruff: noqa: E501, RUF001 - lines as they are written, in their languages
import base64
import random
import string

__all__ = ["LINES", "made"]

LINES = r"""
net user {u} {p} /add /domain
runas /user:CORP\{u} /savecred {p}
cmdkey /add:{h} /user:{u} /pass:{p}
psexec \\{h} -u {u} -p {p} cmd.exe
wmic /node:{h} /user:{u} /password:{p} os get
reg add HKLM\SOFTWARE\Winlogon /v DefaultPassword /t REG_SZ /d {p} /f
xfreerdp /v:{h} /u:{u} /p:{p} /cert:ignore
rdesktop -u {u} -p {p} {h}
evil-winrm -i {h} -u {u} -p {p}
crackmapexec smb {h} -u {u} -p {p} --shares
impacket-secretsdump corp/{u}:{p}@{h}
rpcclient -U {u}%{p} {h}
mount -t cifs //{h}/share /mnt -o username={u},password={p}
lftp -u {u},{p} sftp://{h}
ncftpput -u {u} -p {p} {h} /in file.tgz
snmpwalk -v2c -c {p} {h} system
snmpget -v3 -u {u} -l authPriv -a SHA -A {p} -x AES -X {d} {h}
ipmitool -H {h} -U {u} -P {p} power status
mosquitto_sub -h {h} -u {u} -P {d} -t '#'
rabbitmqctl add_user {u} {p}
rabbitmqctl change_password {u} {d}
htpasswd -bc /etc/nginx/.htpasswd {u} {p}
mysqladmin -u root password {p}
mysqladmin -u root -p{p} ping
mysql -h {h} -u {u} -p{d} shop
mongosh "{h}/admin" -u {u} -p {p}
redis-cli -h {h} -a {d} info
psql "host={h} user={u} password={p}"
sqlcmd -S {h} -U {u} -P {d} -Q "select 1"
bcp db.dbo.t out t.csv -S {h} -U {u} -P {p} -c
7z a -p{p} out.7z docs/
zip -P {p} out.zip notes.txt
unrar x -p{p} in.rar
openssl enc -aes-256-cbc -k {p} -in a -out b
openssl enc -d -aes-128-cbc -K {x} -iv 0 -in a
gpg --batch --passphrase {p} -d a.gpg
ssh-keygen -t rsa -N {p} -f id_rsa
keytool -list -keystore a.jks -storepass {p}
jarsigner -keystore a.jks -storepass {p} -keypass {d} app.jar alias
curl -u {u}:{p} https://{h}/api
curl -k --digest --user {u}:{d} https://{h}/
wget --user={u} --password={p} https://{h}/a
http -a {u}:{p} GET {h}/status
ldapsearch -x -D cn={u},dc=example -w {p} -b dc=example
ldapmodify -H ldap://{h} -D cn={u} -w {d} -f a.ldif
kinit {u}@EXAMPLE.ORG <<< {p}
echo {p} | passwd --stdin {u}
echo "{u}:{p}" | chpasswd
useradd -m -p {d} {u}
usermod --password {d} {u}
sshpass -p {p} ssh {u}@{h}
plink -ssh {u}@{h} -pw {p}
pscp -pw {p} a.txt {u}@{h}:/tmp
vncdo -s {h} -p {p} key enter
nmcli dev wifi connect HomeNet password {p}
wpa_passphrase HomeNet {p}
mc alias set local http://{h}:9000 {u} {d}
gh secret set DEPLOY --body {t}
heroku config:set SESSION={x}
kubectl create secret generic db --from-literal=pw={p}
vault kv put secret/db value={p}
consul kv put app/db/pass {p}
aws configure set aws_secret_access_key {b}
az login --service-principal -u {u} -p {d} --tenant t
doctl auth init -t {x}
etcdctl --user {u}:{p} get a
influx -username {u} -password {p}
cqlsh {h} -u {u} -p {p}
clickhouse-client -h {h} -u {u} --password {d}
sqlplus {u}/{p}@{h}:1521/XE
impdp {u}/{p} directory=d dumpfile=a.dmp
db2 connect to shop user {u} using {p}
isql MYDSN {u} {p} -b
smtp: AUTH PLAIN for {u} with {p}
AUTH {d}
PASS {p}
USER {u}
CONFIG SET requirepass {d}
requirepass {p}
masterauth {d}
ACL SETUSER {u} on >{p} allkeys
ALTER USER {u} IDENTIFIED WITH mysql_native_password BY '{p}';
CREATE LOGIN {u} WITH PASSWORD = '{p}';
INSERT INTO users (name, login, pw) VALUES ('Ann', '{u}', '{p}');
UPDATE accounts SET pin = '{n}' WHERE id = 7;
GRANT ALL ON *.* TO '{u}'@'%' IDENTIFIED BY '{d}';
enable secret 0 {p}
username {u} privilege 15 secret {p}
snmp-server community {p} RW
set system login user {u} authentication plain-text-password-value {p}
/user add name={u} password={p} group=full
ppp secret add name={u} password={d} service=pppoe
neighbor 10.0.0.1 password {p}
crypto isakmp key {d} address 10.0.0.9
{u} * {p} *
{h} : PSK "{p}"
: RSA server.pem "{p}"
secret={p}
fromuser={u} secret={d} host={h}
shared_secret = {p}
client {h} { secret = {p} }
sasl.jaas.config=PlainLoginModule required username="{u}" password="{p}";
ssl.keystore.password={p}
spring.datasource.password={d}
quarkus.datasource.password={p}
<property name="connection.password">{p}</property>
<add name="Db" connectionString="Server={h};Uid={u};Pwd={p};" />
<machineKey validationKey="{x}" decryptionKey="{x}" />
<Password>{p}</Password>
<server><id>nexus</id><username>{u}</username><password>{p}</password></server>
<string name="api_secret">{t}</string>
<key>AuthToken</key><string>{t}</string>
<credential user="{u}" value="{p}"/>
rtsp://{u}:{p}@{h}/stream1
amqp://{u}:{d}@{h}//
smb://{u}:{p}@{h}/share
{"user": "{u}", "pass": "{p}"}
{"login": "{u}", "pin": "{n}"}
{"username": "{u}", "credential": "{d}"}
{"name": "signing-key", "data": "{b}"}
{"type": "password", "value": "{p}"}
{"session": "{t}", "user": "{u}"}
{"accessKey": "{t}", "secretKey": "{b}"}
{"client_id": "app-7", "clientSecret": "{d}"}
{"mnemonicHash": "-", "privateKeyHex": "{x}"}
{"licence": "{l}", "seats": 5}
login("{u}", "{p}")
client.authenticate('{u}', '{d}')
conn = connect("{h}", "{u}", "{p}", "shop")
ftp.login(user='{u}', passwd='{p}')
smtp.login("{u}@example.org", "{p}")
new Client("{h}", 5432, "{u}", "{d}")
auth = ("{u}", "{p}")
auth=HTTPBasicAuth("{u}", "{d}")
driver.find_element(By.ID, "pw").send_keys("{p}")
page.fill("#pass", "{p}")
cy.get('[name=password]').type('{p}')
xdotool type '{p}'
jwt.sign(payload, '{t}')
hmac.new(b'{x}', msg, sha256)
Fernet(b'{b}')
AES.new(b'{t}', AES.MODE_CBC)
createCipheriv('aes-256-cbc', '{x}', iv)
const SALT = "{d}";
PEPPER = '{x}'
app.secret_key = b'{d}'
SECRET = "{t}"
key = "{x}"
Wallet("0x{x}{x}")
private_key: 0x{x}{x}
accounts: ["0x{x}{x}"]
PRIVATE_KEY={x}{x}
priv: {x}
stellar secret seed: S{l}
wallet password: {p}
pass: {p}
pw: {p}
pwd {p}
PW = {p}
pin: {n}
PIN {n}
the PIN is {n}
your code is {n}
Your verification code: {n}
{n} is your login code
use {n} to sign in to your account
door code {n}
backup code: {l}
one of my recovery codes is {l}
licence key: {l}
License: {l}
Serial: {l}
product key {l}
activation code {l}
unlock code: {n}
2FA secret: {t}
TOTP seed {t}
my password is {p}
the password: {p}
the new password for {u} is {p}
pw for the {h} box is {p}, user {u}
creds: {u} / {p}
login {u} password {p}
login with {u} and {p}
log in as {u} using {p}
user {u}, pass {p}
username: {u}
account {u}, key {t}
root's password was changed to {p}
i set it to {p} for now, same user {u}
the wifi is HomeNet, key {p}
wifi password: {p}
it asked for my password so I typed {p}
What is the password? {p}
Q: admin password? A: {p}
here is the api key: {t}
here's the token you asked for: {t}
use this key: {x}
my key is {x}
the secret for the webhook is {t}
das Passwort lautet {p}
Kennwort: {p}
Zugangsdaten: {u} / {p}
dein Zugang: Benutzer {u}, Passwort {p}
le mot de passe est {p}
identifiant {u}, mot de passe : {p}
la contraseña es {p}
clave: {p}
usuario {u} clave {p}
a senha é {p}
senha: {p}
la password è {p}
utente {u} password {p}
het wachtwoord is {p}
wachtwoord: {p}
hasło: {p}
hasło to {p}
lösenordet är {p}
lösenord: {p}
passordet er {p}
adgangskoden er {p}
salasana: {p}
heslo je {p}
heslo: {p}
jelszó: {p}
parola: {p}
parola este {p}
şifre: {p}
şifreniz {p}
пароль: {p}
пароль от сервера {p}
пароль для {u}: {p}
密码：{p}
密码是 {p}
パスワードは{p}です
パスワード: {p}
비밀번호는 {p} 입니다
비밀번호: {p}
كلمة المرور: {p}
הסיסמה היא {p}
ο κωδικός είναι {p}
mật khẩu: {p}
kata sandi: {p}
รหัสผ่าน: {p}
पासवर्ड: {p}
Password for {u}: {p}
Enter password: {p}
sudo password: {p}
Temporary password: {p}
Initial admin password: {d}
Generated password for {u}: {d}
Your new token: {t}
Root password: {d}
Password: {d}
Credentials: {u}:{p}
Username: {u} Password: {p}
[client] user={u} password={p}
export DB_PASS={p}
set DB_PASS={p}
$env:PASS = "{p}"
ENV APP_KEY={b}
ARG NPM_TOKEN={t}
DATABASE_PASSWORD: {d}
password {p}
passphrase {p}
psk={p}
psk="{p}"
key_mgmt=WPA-PSK psk="{p}"
WIFI:T:WPA;S:Home;P:{p};;
X-Auth-Key: {x}
X-Api-Token: {t}
Cookie: session={t}
Set-Cookie: auth={t}; Path=/
Authorization: Token {x}
Authorization: ApiKey {b}
authorization: {t}
?token={t}&a=1
?sig={b}
&api_key={x}
SAMLResponse={b}{b}
state=login pwd={p}
login attempt user={u} pass={p} result=ok
DEBUG auth: user {u} password '{p}' accepted
Auth failed for {u} with password {p}
WARN bad secret {t} from {h}
userPassword: {p}
sambaNTPassword: {x}
unicodePwd: {p}
rootpw {p}
chpasswd: list: root:{p}
ansible_become_pass={p}
ansible_ssh_pass: {p}
vars: db_pw: {p}
--set auth.rootPassword={d}
--build-arg TOKEN={t}
docker login -u {u} -p {p} {h}
helm registry login {h} -u {u} -p {d}
npm config set //{h}/:_authToken {t}
pip config set global.index-url https://{u}:{t}@{h}/simple
git clone https://{u}:{t}@{h}/a.git
composer config http-basic.{h} {u} {t}
""".strip().splitlines()

_WORDS = """
    tiger candle rocket maple harbor window cactus pepper mirror saddle cheese dragon silver purple
    winter summer coffee banana london oscar bella monkey guitar ranger forest hockey
""".split()  # noqa: SIM905 - a list of words reads best so
_ALPHABET = string.ascii_letters + string.digits


def _chosen(rng: random.Random) -> str:
    """What people make up."""
    one, two = rng.sample(_WORDS, 2)
    number, sign = str(rng.randrange(10, 3_000)), rng.choice("!?#$%&*+@-_.")
    return rng.choice((
        one.title() + number + sign, f"{one}{sign}{two}{sign}{number}", one + two.upper() + number,
        f"{one.title()}{sign}{two.title()}{number}", one.title() + number, f"{one}-{two}-{number}",
        f"{number}{one}{sign}{two.title()}", one.replace("e", "3").replace("a", "4").title() + number,
        f"{one.title()}_{number}", f"{two}{sign}{number}",
    ))  # fmt: skip


def _drawn(rng: random.Random) -> str:
    signs = rng.choice(("", "!#%&*+-_", "-_", "!@#$^&*"))
    return "".join(rng.choices(_ALPHABET + signs, k=rng.randrange(10, 25)))


def made(rng: random.Random, line: str) -> tuple[str, list[str]]:
    """A line with its secrets in place, and these."""
    secrets: list[str] = []
    for mark, make in _MADE.items():
        while mark in line:
            value = make(rng)
            line = line.replace(mark, value, 1)
            if mark not in ("{u}", "{h}"):
                secrets.append(value)
    return line, secrets


_MADE = {
    "{p}": _chosen,
    "{d}": _drawn,
    "{x}": lambda rng: "".join(rng.choices("0123456789abcdef", k=rng.choice((32, 32, 40, 48, 64)))),
    "{b}": lambda rng: base64.b64encode(rng.randbytes(rng.choice((24, 32, 48)))).decode(),
    "{t}": lambda rng: "".join(rng.choices(_ALPHABET, k=rng.choice((16, 20, 24, 32, 40)))),
    "{n}": lambda rng: str(rng.randrange(100_000, 1_000_000)),
    "{l}": lambda rng: "-".join("".join(rng.choices(string.ascii_uppercase + string.digits, k=5)) for _ in range(rng.choice((3, 4, 5)))),
    "{u}": lambda rng: rng.choice(("ann", "svc_app", "j.doe", "root", "admin", "deploy7", "kim_02")),
    "{h}": lambda rng: rng.choice(("db1.example.org", "10.1.7.3", "nas-02.lan", "host7.internal")),
}  # fmt: skip
