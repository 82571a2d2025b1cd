"""Settings files, infrastructure, CI, network gear."""

from __future__ import annotations

import json
import random

from third_material import (
    URLSAFE,
    Register,
    b64,
    b64url,
    bare,
    digits,
    email,
    hexs,
    host,
    human,
    ip,
    passphrase,
    raw,
    role,
    strong,
    tok,
    user,
    uuid,
    word,
)

shape = Register()


@shape("netrc-one-line", "dotfile")
def _(r: random.Random):
    s = human(r)
    return (
        f"$ cat ~/.netrc\nmachine {host(r, 'ftp')} login {user(r)} password {s}\nmachine api.heroku.com login {email(r)}\n",
        s,
    )


@shape("pgpass-line", "dotfile")
def _(r):
    s = strong(r, 18, "!#%*+-_=^~")
    return (
        f"# hostname:port:database:username:password\n{host(r, 'pg')}:5432:{word(r)}:{role(r)}:{s}\nlocalhost:5432:*:postgres:\n",
        s,
    )


@shape("my-cnf-client", "dotfile")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f'[client]\nuser = {role(r)}\npassword = "{s}"\nhost = {host(r, "mysql")}\n\n[mysqldump]\nquick\nmax_allowed_packet = 64M\n',
        s,
    )


@shape("maven-settings-server", "config")
def _(r):
    s = strong(r, 16, "!#*-_")
    return (
        f"<settings>\n  <servers>\n    <server>\n      <id>{word(r)}-releases</id>\n      <username>{role(r)}</username>\n"
        f"      <password>{s}</password>\n    </server>\n  </servers>\n  <mirrors/>\n</settings>"
    ), s


@shape("gradle-keystore-properties", "config")
def _(r):
    s = bare(r)
    return (
        f"storeFile=../keys/{word(r)}-release.jks\nkeyAlias={word(r)}\nstorePassword={s}\nkeyPassword={s}\norg.gradle.jvmargs=-Xmx4g\n",
        s,
    )


@shape("pip-extra-index-credentials", "url")
def _(r):
    s = tok(r, 24)
    return (
        f"[global]\ntimeout = 30\nextra-index-url = https://{role(r)}:{s}@pypi.{word(r)}.example.com/simple/\ntrusted-host = pypi.{word(r)}.example.com\n",
        s,
    )


@shape("spring-application-yml", "config")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"spring:\n  datasource:\n    url: jdbc:postgresql://{host(r)}:5432/{word(r)}\n    username: {role(r)}\n    password: {s}\n"
        "    hikari:\n      maximum-pool-size: 12\n  jpa:\n    open-in-view: false"
    ), s


@shape("django-secret-key", "config")
def _(r):
    s = "".join(r.choice("abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)") for _ in range(48))
    s = tok(r, 1, "abcdefgh") + s + tok(r, 1, "0123456789")
    return (
        "# SECURITY WARNING: keep the secret key used in production secret!\n"
        f"SECRET_KEY = 'django-insecure-{s}'\n\nDEBUG = False\nALLOWED_HOSTS = ['{host(r, 'www')}']"
    ), s


@shape("laravel-app-key", "config")
def _(r):
    s = b64(raw(r, 32))
    return (
        f"APP_NAME={word(r).title()}\nAPP_ENV=production\nAPP_KEY=base64:{s}\nAPP_DEBUG=false\nAPP_URL=https://{host(r, 'www')}\n",
        s,
    )


@shape("wp-config-define", "code")
def _(r):
    s = strong(r, 16, "!#%*+-_^~@")
    return (
        f"/** Database username */\ndefine( 'DB_USER', 'wp_{word(r)}' );\n\n/** Database password */\ndefine( 'DB_PASSWORD', '{s}' );\n\n"
        "/** Database hostname */\ndefine( 'DB_HOST', 'localhost' );"
    ), s


@shape("dotnet-connection-string", "config")
def _(r):
    s = strong(r, 16, "!#*-_")
    return (
        f'  "ConnectionStrings": {{\n    "Default": "Server=tcp:{host(r, "sql")},1433;Initial Catalog={word(r)};Persist Security Info=False;'
        f'User ID={role(r)};Password={s};MultipleActiveResultSets=False;Encrypt=True;Connection Timeout=30;"\n  }},'
    ), s


@shape("tomcat-users-attribute", "config")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f'<tomcat-users>\n  <role rolename="manager-gui"/>\n  <user username="{user(r)}" password="{s}" roles="manager-gui,admin-gui"/>\n</tomcat-users>',
        s,
    )


@shape("k8s-secret-data-base64", "infra")
def _(r):
    s = b64(strong(r, 23).encode())
    return (
        f'apiVersion: v1\nkind: Secret\nmetadata:\n  name: {word(r)}-db\n  namespace: {word(r)}\n  resourceVersion: "{digits(r, 7)}"\n'
        f"type: Opaque\ndata:\n  POSTGRES_PASSWORD: {s}\n"
    ), s


@shape("docker-config-auth", "dotfile")
def _(r):
    s = b64(f"{role(r)}:{strong(r, 20)}".encode())
    return (
        f'{{\n\t"auths": {{\n\t\t"registry.{word(r)}.example.com": {{\n\t\t\t"auth": "{s}"\n\t\t}}\n\t}},\n\t"credsStore": ""\n}}',
        s,
    )


@shape("compose-environment-list", "infra")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"services:\n  db:\n    image: mariadb:11\n    environment:\n      - MARIADB_DATABASE={word(r)}\n      - MARIADB_ROOT_PASSWORD={s}\n"
        "      - TZ=Europe/Berlin\n    volumes:\n      - dbdata:/var/lib/mysql"
    ), s


@shape("ansible-inventory-become", "infra")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"[web]\n{host(r, 'web')} ansible_host={ip(r)} ansible_user={user(r)} ansible_become_pass='{s}'\n\n[web:vars]\nansible_python_interpreter=/usr/bin/python3",
        s,
    )


@shape("terraform-state-random-password", "infra")
def _(r):
    s = strong(r, 24, "!#%*-_=+?")
    return json.dumps(
        {
            "mode": "managed",
            "type": "random_password",
            "name": "master",
            "instances": [
                {
                    "schema_version": 3,
                    "attributes": {
                        "id": "none",
                        "keepers": None,
                        "length": 24,
                        "lower": True,
                        "min_special": 0,
                        "result": s,
                        "special": True,
                    },
                }
            ],
        },
        indent=2,
    ), s


@shape("terraform-plan-unmasked", "infra")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f'  # aws_db_instance.{word(r)} will be created\n  + resource "aws_db_instance" "{word(r)}" {{\n      + allocated_storage   = 50\n'
        f'      + engine              = "postgres"\n      + master_password     = "{s}"\n      + master_username     = "{role(r)}"\n'
        "      + multi_az            = (known after apply)\n    }"
    ), s


@shape("gitlab-ci-variables", "ci")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f'variables:\n  SONAR_HOST_URL: https://{host(r, "sonar")}\n  DEPLOY_USER: {role(r)}\n  DEPLOY_PASS: "{s}"\n\ndeploy:\n  stage: deploy\n'
        "  script:\n    - lftp -u \"$DEPLOY_USER,$DEPLOY_PASS\" -e 'mirror -R dist /www; bye' ftp://ftp.example.com"
    ), s


@shape("jenkins-console-set-x", "ci")
def _(r):
    s = tok(r, 40, URLSAFE)
    return (
        f"[Pipeline] sh\n+ cd /var/jenkins/workspace/{word(r)}-edge\n+ export CLOUDFLARE_API_TOKEN={s}\n+ npx wrangler deploy --env production\n"
        f" ⛅️ wrangler 3.78.2\nUploaded {word(r)}-edge (3.{r.randrange(10, 99)} sec)"
    ), s


@shape("cloud-init-chpasswd", "infra")
def _(r):
    s = human(r)
    return (
        f"#cloud-config\nssh_pwauth: true\nchpasswd:\n  expire: false\n  users:\n    - {{name: {user(r)}, password: {s}, type: text}}\n",
        s,
    )


@shape("kickstart-rootpw", "infra")
def _(r):
    s = human(r)
    return (
        f"lang en_US.UTF-8\nkeyboard us\ntimezone Europe/Oslo --utc\nrootpw --plaintext {s}\nbootloader --location=mbr\nclearpart --all --initlabel",
        s,
    )


@shape("windows-unattend-xml", "infra")
def _(r):
    s = human(r)
    return (
        f"<UserAccounts>\n  <AdministratorPassword>\n    <Value>{s}</Value>\n    <PlainText>true</PlainText>\n  </AdministratorPassword>\n"
        f"</UserAccounts>\n<RegisteredOwner>{word(r).title()} GmbH</RegisteredOwner>"
    ), s


@shape("windows-autologon-registry", "cli-output")
def _(r):
    s = human(r)
    return (
        'PS C:\\> reg query "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Winlogon"\n\n    AutoAdminLogon    REG_SZ    1\n'
        f"    DefaultUserName    REG_SZ    {user(r)}\n    DefaultPassword    REG_SZ    {s}\n    Shell    REG_SZ    explorer.exe"
    ), s


@shape("wpa-supplicant-psk", "network")
def _(r):
    s = r.choice((human(r), passphrase(r, 3, " ")))
    return (
        f'ctrl_interface=DIR=/run/wpa_supplicant GROUP=netdev\ncountry=NL\nnetwork={{\n    ssid="{word(r).title()}Net"\n    psk="{s}"\n    key_mgmt=WPA-PSK\n}}',
        s,
    )


@shape("netsh-wlan-key-clear", "network")
def _(r):
    s = bare(r)
    return (
        "Security settings\n-----------------\n    Authentication         : WPA2-Personal\n    Cipher                 : CCMP\n"
        f"    Security key           : Present\n    Key Content            : {s}\n\nCost settings\n-------------\n    Cost                   : Unrestricted"
    ), s


@shape("wifi-qr-string", "network")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"The sticker on the router decodes to:\nWIFI:S:{word(r).title()}-Guest;T:WPA;P:{s};H:false;;\nI added it to the welcome page for guests.",
        s,
    )


@shape("wireguard-private-key", "network")
def _(r):
    key = bytearray(raw(r, 32))
    key[0] &= 248
    key[31] = key[31] & 127 | 64
    s = b64(bytes(key))
    return (
        f"[Interface]\nAddress = {ip(r)}/24\nPrivateKey = {s}\nDNS = 10.0.0.1\n\n[Peer]\nPublicKey = {b64(raw(r, 32))}\n"
        f"Endpoint = {host(r, 'vpn')}:51820\nAllowedIPs = 0.0.0.0/0"
    ), s


@shape("ipsec-secrets-psk", "network")
def _(r):
    s = strong(r, 28, "!*-_.")
    return (
        f'# /etc/ipsec.secrets\n{ip(r)} {ip(r)} : PSK "{s}"\n: RSA {word(r)}.key\ninclude /etc/ipsec.d/*.secrets',
        s,
    )


@shape("cisco-snmp-community", "network")
def _(r):
    s = human(r, "!_-.")
    return (
        f"{word(r)}-sw1#show run | include snmp\nsnmp-server community {s} RO 99\nsnmp-server location Rack {r.randrange(1, 40)}\n"
        f"snmp-server host {ip(r)} version 2c"
    ), s


@shape("cisco-username-cleartext", "network")
def _(r):
    s = human(r, "!_-.")
    return (
        f"hostname {word(r)}-core\n!\nno service password-encryption\nusername {user(r)} privilege 15 password 0 {s}\n!\ninterface Vlan10\n ip address {ip(r)} 255.255.255.0",
        s,
    )


@shape("radius-client-secret", "network")
def _(r):
    s = strong(r, 22, "-_.!")
    return (
        f"client {word(r)}-wlc {{\n\tipaddr = {ip(r)}\n\tsecret = {s}\n\trequire_message_authenticator = yes\n\tnas_type = cisco\n}}",
        s,
    )


@shape("bind-tsig-key", "network")
def _(r):
    s = b64(raw(r, 32))
    return (
        f'key "{word(r)}-ddns" {{\n        algorithm hmac-sha256;\n        secret "{s}";\n}};\n\nzone "{word(r)}.example" {{ type master; file "db.{word(r)}"; }};',
        s,
    )


@shape("fstab-cifs-options", "config")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"UUID={uuid(r)} / ext4 defaults 0 1\n//{host(r, 'nas')}/share /mnt/share cifs username={user(r)},password={s},uid=1000,vers=3.0 0 0\n"
        "tmpfs /tmp tmpfs size=2G 0 0"
    ), s


@shape("sssd-ldap-authtok", "config")
def _(r):
    s = human(r)
    return (
        f"[domain/{word(r)}]\nid_provider = ldap\nldap_uri = ldaps://{host(r, 'ldap')}\nldap_default_bind_dn = cn=bind,dc={word(r)},dc=example\n"
        f"ldap_default_authtok_type = password\nldap_default_authtok = {s}\ncache_credentials = true"
    ), s


@shape("logstash-hash-rocket", "config")
def _(r):
    s = human(r, "!*+-_.")
    return (
        "output {\n  elasticsearch {\n"
        f'    hosts => ["https://{host(r, "es")}:9200"]\n    index => "{word(r)}-%{{+YYYY.MM.dd}}"\n'
        f'    user => "{role(r)}"\n    password => "{s}"\n  }}\n}}'
    ), s


@shape("redis-conf-requirepass", "config")
def _(r):
    s = r.choice((hexs(r, 48), strong(r, 26, "-_.!")))
    return (
        f"bind 127.0.0.1 {ip(r)}\nprotected-mode yes\nport 6379\nrequirepass {s}\nmaxmemory 2gb\nmaxmemory-policy allkeys-lru",
        s,
    )


@shape("airflow-fernet-key", "config")
def _(r):
    s = b64url(raw(r, 32)) + "="
    return (
        f"[core]\ndags_folder = /opt/airflow/dags\nexecutor = LocalExecutor\nfernet_key = {s}\nparallelism = {r.randrange(8, 64)}\n\n[webserver]\nbase_url = https://{host(r, 'airflow')}",
        s,
    )


@shape("plist-key-string", "config")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"<dict>\n\t<key>AuthName</key>\n\t<string>{user(r)}</string>\n\t<key>AuthPassword</key>\n\t<string>{s}</string>\n"
        f"\t<key>RemoteAddress</key>\n\t<string>{host(r, 'vpn')}</string>\n\t<key>VPNType</key>\n\t<string>L2TP</string>\n</dict>"
    ), s


@shape("systemd-unit-environment", "infra")
def _(r):
    s = hexs(r, 64)
    return (
        f'[Service]\nUser={role(r)}\nEnvironment="NODE_ENV=production" "SESSION_SECRET={s}" "PORT={digits(r, 4)}"\n'
        f"ExecStart=/usr/bin/node /srv/{word(r)}/server.js\nRestart=on-failure"
    ), s


@shape("arduino-define-wifi-pass", "code")
def _(r):
    s = bare(r)
    return (
        f'#include <WiFi.h>\n#define WIFI_SSID "{word(r).title()}"\n#define WIFI_PASS "{s}"\n\nvoid setup() {{\n  Serial.begin(115200);\n'
        "  WiFi.begin(WIFI_SSID, WIFI_PASS);\n}"
    ), s


@shape("cargo-credentials-toml", "dotfile")
def _(r):
    s = "cio" + tok(r, 32)
    return (
        f'# ~/.cargo/credentials.toml\n[registry]\ntoken = "{s}"\n\n[registries.{word(r)}]\nindex = "sparse+https://crates.{word(r)}.example/index/"',
        s,
    )


@shape("rails-master-key", "cli-output")
def _(r):
    s = hexs(r, 32)
    return (
        f"{user(r)}@{word(r)}:~/{word(r)}$ cat config/master.key\n{s}\n{user(r)}@{word(r)}:~$ bin/rails credentials:show",
        s,
    )


@shape("hcl-heredoc-user-data", "infra")
def _(r):
    s = human(r, "_-.+")
    return (
        f'resource "aws_instance" "{word(r)}" {{\n  instance_type = "t3.small"\n  user_data = <<-EOF\n    #!/bin/bash\n'
        f"    useradd -m {user(r)}\n    echo '{user(r)}:{s}' | chpasswd\n    systemctl restart sshd\n  EOF\n}}"
    ), s
