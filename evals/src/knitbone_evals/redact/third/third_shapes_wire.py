"""Shell, HTTP and other traffic, databases."""

from __future__ import annotations

import json
import random
from urllib.parse import quote

from third_material import (
    BASE32,
    FIRST,
    LOWNUM,
    URLSAFE,
    Register,
    b64,
    digits,
    email,
    hexs,
    host,
    human,
    ip,
    raw,
    role,
    stamp,
    strong,
    tok,
    user,
    uuid,
    word,
)

shape = Register()


@shape("mongodb-srv-percent-encoded", "database")
def _(r: random.Random):
    s = quote(human(r, "@#/:?!") + "@" + str(r.randrange(10, 99)), safe="")
    return (
        f'const uri = "mongodb+srv://{role(r)}:{s}@cluster0.{tok(r, 5, LOWNUM)}.mongodb.net/{word(r)}?retryWrites=true&w=majority";\nawait mongoose.connect(uri);',
        s,
    )


@shape("heroku-config-redis-url", "database")
def _(r):
    s = "p" + hexs(r, 64)
    return (
        f"=== {word(r)}-{word(r)}-{digits(r, 5)} Config Vars\n\nLANG:             en_US.UTF-8\nRACK_ENV:         production\n"
        f"REDIS_URL:        rediss://:{s}@ec2-{ip(r).replace('.', '-')}.compute-1.amazonaws.com:{digits(r, 5)}\nWEB_CONCURRENCY:  3"
    ), s


@shape("jdbc-query-parameters", "database")
def _(r):
    s = strong(r, 15, "!*-_.")
    return (
        f"{stamp(r)} INFO  [main] HikariPool-1 - Starting...\n{stamp(r)} DEBUG [main] jdbcUrl.........jdbc:mysql://{host(r)}:3306/{word(r)}"
        f"?user={role(r)}&password={s}&useSSL=true\n{stamp(r)} DEBUG [main] maximumPoolSize.........10"
    ), s


@shape("odbc-dsn-pwd", "database")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"conn = pyodbc.connect(\n    'DRIVER={{ODBC Driver 18 for SQL Server}};SERVER={host(r)};DATABASE={word(r)};UID={role(r)};PWD={s};'\n"
        "    'TrustServerCertificate=yes;'\n)"
    ), s


@shape("mysql-create-user-identified", "database")
def _(r):
    s = human(r)
    return (
        f"mysql> CREATE USER '{role(r)}'@'%' IDENTIFIED BY '{s}';\nQuery OK, 0 rows affected (0.02 sec)\n\nmysql> GRANT SELECT ON {word(r)}.* TO 'app'@'%';",
        s,
    )


@shape("postgres-log-alter-role", "log")
def _(r):
    s = human(r)
    return (
        f"{stamp(r)} UTC [{digits(r, 4)}] postgres@{word(r)} LOG:  statement: ALTER ROLE {role(r)} WITH ENCRYPTED PASSWORD '{s}' VALID UNTIL '2027-01-01';\n"
        f"{stamp(r)} UTC [{digits(r, 4)}] postgres@{word(r)} LOG:  duration: 3.{digits(r, 2)} ms"
    ), s


@shape("oracle-sqlplus-easy-connect", "database")
def _(r):
    s = human(r, "_#").replace("#", "_")
    return (
        f"$ sqlplus -s {role(r)}/{s}@//{host(r, 'ora')}:1521/ORCLPDB1 @nightly.sql\n\nPL/SQL procedure successfully completed.\n\nElapsed: 00:00:07.31",
        s,
    )


@shape("sql-insert-api-clients", "database")
def _(r):
    s = tok(r, 43, URLSAFE)
    return (
        f"INSERT INTO oauth_clients (id, name, client_id, client_secret, redirect_uri) VALUES\n"
        f"  ({r.randrange(1, 90)}, '{word(r).title()} Portal', '{uuid(r)}', '{s}', 'https://{host(r, 'portal')}/cb');"
    ), s


@shape("mysqldump-attached-p", "shell")
def _(r):
    s = human(r, "_-.+")
    return (
        f"15 3 * * * /usr/bin/mysqldump -h {host(r)} -u {role(r)} -p{s} --single-transaction {word(r)} | gzip > /backup/db.sql.gz\n30 3 * * 0 find /backup -mtime +30 -delete",
        s,
    )


@shape("pgpassword-prefix", "shell")
def _(r):
    s = strong(r, 14, "_-.+^")
    return (
        f"PGPASSWORD='{s}' psql -h {host(r)} -U {role(r)} -d {word(r)} -Atc 'select count(*) from events'\n{digits(r, 6)}",
        s,
    )


@shape("sshpass-option", "shell")
def _(r):
    s = human(r, "_-.+!")
    return (
        f"sshpass -p '{s}' ssh -o StrictHostKeyChecking=no {user(r)}@{ip(r)} 'df -h /'\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        98G   41G   53G  44% /",
        s,
    )


@shape("curl-u-human-password", "shell")
def _(r):
    s = human(r, "_-.+!")
    return (
        f"curl -sS -u '{email(r)}:{s}' -T build/{word(r)}.tgz https://{host(r, 'files')}/remote.php/dav/files/releases/",
        s,
    )


@shape("expect-send", "shell")
def _(r):
    s = human(r, "_-.+!")
    return (
        f'#!/usr/bin/expect -f\nset timeout 20\nspawn ssh {user(r)}@{ip(r)}\nexpect "*?assword:*"\nsend -- "{s}\\r"\nexpect "$ "\nsend -- "uptime\\r"',
        s,
    )


@shape("powershell-securestring", "shell")
def _(r):
    s = human(r)
    return (
        f"$user = '{word(r).upper()}\\{user(r)}'\n$sec = ConvertTo-SecureString '{s}' -AsPlainText -Force\n"
        f"$cred = New-Object System.Management.Automation.PSCredential($user, $sec)\nInvoke-Command -ComputerName {host(r)} -Credential $cred -ScriptBlock {{ hostname }}"
    ), s


@shape("net-use-positional", "shell")
def _(r):
    s = human(r, "!_-+.")
    return (
        f"C:\\>net use Z: \\\\{host(r, 'fs')}\\projects {s} /user:{word(r).upper()}\\{user(r)} /persistent:yes\nThe command completed successfully.",
        s,
    )


@shape("openssl-passin", "shell")
def _(r):
    s = human(r, "_-.+!")
    return (
        f"openssl pkcs12 -in {word(r)}.p12 -clcerts -nokeys -passin pass:{s} | openssl x509 -noout -enddate\nnotAfter=Mar 14 09:12:44 2027 GMT",
        s,
    )


@shape("smbclient-user-percent", "shell")
def _(r):
    s = human(r, "_-.+!")
    return (
        f"$ smbclient -L //{host(r, 'fs')} -U '{word(r).upper()}\\{user(r)}%{s}'\n\n\tSharename       Type      Comment\n\t---------       ----      -------\n\tIPC$            IPC       Remote IPC",
        s,
    )


@shape("ldapsearch-w", "shell")
def _(r):
    s = human(r, "_-.+!")
    return (
        f"ldapsearch -x -H ldaps://{host(r, 'dc')} -D 'CN=svc-{word(r)},OU=Service,DC={word(r)},DC=example' -w '{s}' \\\n"
        f"  -b 'DC=example' '(sAMAccountName={user(r)})' memberOf"
    ), s


@shape("ps-aux-long-option", "cli-output")
def _(r):
    s = strong(r, 18, "_-.+")
    return (
        f"USER         PID %CPU %MEM COMMAND\nroot           1  0.0  0.1 /sbin/init\n{role(r)}     {digits(r, 5)}  3.1  2.4 java -Xmx512m -jar /opt/{word(r)}/agent.jar "
        f"--broker tcp://{ip(r)}:61616 --broker-password {s} --queue {word(r)}\nroot       {digits(r, 5)}  0.0  0.0 ps aux"
    ), s


@shape("bash-history-typed-at-wrong-prompt", "shell")
def _(r):
    s = human(r, "_!+.")
    return (
        f"  501  cd /srv/{word(r)}\n  502  git pull --rebase\n  503  sudo systemctl restart nginx\n  504  passwd {user(r)}\n  505  echo '{s}' | sudo -S apt-get -y upgrade\n  506  exit",
        s,
    )


@shape("urlencoded-login-form", "http")
def _(r):
    s = quote(human(r, "!#?+"), safe="")
    return (
        f"POST /accounts/login/ HTTP/1.1\r\nHost: {host(r, 'www')}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {digits(r, 2)}\r\n\r\n"
        f"username={quote(email(r))}&password={s}&remember=on"
    ), s


@shape("har-post-data", "http")
def _(r):
    s = human(r)
    body = json.dumps({"email": email(r), "pwd": s, "captcha": None})
    return json.dumps(
        {
            "request": {
                "method": "POST",
                "url": f"https://{host(r, 'app')}/api/session",
                "httpVersion": "HTTP/2",
                "postData": {"mimeType": "application/json", "text": body},
            }
        },
        indent=1,
    ), s


@shape("har-header-name-value", "http")
def _(r):
    s = tok(r, 64, URLSAFE)
    return json.dumps(
        [
            {"name": ":authority", "value": host(r, "api")},
            {"name": "accept-language", "value": "de-DE"},
            {"name": "x-auth-token", "value": s},
            {"name": "sec-fetch-site", "value": "same-origin"},
        ],
        indent=2,
    ), s


@shape("set-cookie-session", "http")
def _(r):
    s = "s%3A" + tok(r, 32, URLSAFE) + "." + quote(b64(raw(r, 32)).rstrip("="), safe="")
    return (
        f"HTTP/1.1 302 Found\nLocation: /dashboard\nSet-Cookie: lang=en; Path=/\nSet-Cookie: connect.sid={s}; Path=/; HttpOnly; SameSite=Lax\n"
        "Vary: Accept\nContent-Length: 46"
    ), s


@shape("oauth-token-response", "http")
def _(r):
    s = tok(r, r.choice((48, 64, 86)), URLSAFE)
    return json.dumps(
        {
            "token_type": "Bearer",
            "scope": "offline_access read",
            "expires_in": 3600,
            "refresh_token": s,
            "id": digits(r, 8),
        }
    ), s


@shape("oauth-fragment-in-url", "url")
def _(r):
    s = tok(r, 54, URLSAFE)
    return (
        f"browser.url -> https://{host(r, 'app')}/callback#access_token={s}&token_type=bearer&expires_in=7200&state={tok(r, 12)}\n"
        "browser.title -> Signing you in..."
    ), s


@shape("password-reset-link", "prose")
def _(r):
    s = tok(r, 43, URLSAFE)
    return (
        f"From: no-reply@{word(r)}.example.com\nTo: {email(r)}\nSubject: Reset your password\n\nHi {r.choice(FIRST).title()},\n\nclick the link below within 30 minutes:\n"
        f"https://{host(r, 'id')}/reset-password?token={s}&lang=en\n\nIf it was not you, ignore this mail."
    ), s


@shape("aws-presigned-url-signature", "url")
def _(r):
    s = hexs(r, 64)
    return (
        f"wget -O dump.tar 'https://{word(r)}-exports.s3.eu-west-1.amazonaws.com/{stamp(r)[:10]}/dump.tar?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        f"&X-Amz-Credential=AKIA{tok(r, 16, BASE32)}%2F{stamp(r)[:10].replace('-', '')}%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date={stamp(r)[:10].replace('-', '')}T101500Z"
        f"&X-Amz-Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Signature={s}'"
    ), s


@shape("httpie-session-file", "http")
def _(r):
    s = human(r)
    return json.dumps(
        {
            "__meta__": {"about": "HTTPie session file", "httpie": "3.2.2"},
            "auth": {"type": "digest", "raw_auth": f"{user(r)}:{s}"},
            "cookies": [],
            "headers": [],
        },
        indent=4,
    ), s


@shape("ftp-tcp-stream", "traffic")
def _(r):
    s = human(r)
    return (
        f"220 {host(r, 'ftp')} FTP server ready\r\nUSER {user(r)}\r\n331 Password required\r\nPASS {s}\r\n230 User logged in.\r\nSYST\r\n215 UNIX Type: L8"
    ), s


@shape("smtp-auth-plain", "traffic")
def _(r):
    who = email(r)
    s = b64(f"\0{who}\0{human(r)}".encode())
    return (
        f"<<< 250-AUTH PLAIN LOGIN\n<<< 250 SIZE 36700160\n>>> AUTH PLAIN {s}\n<<< 235 2.7.0 Authentication successful\n>>> MAIL FROM:<{who}>"
    ), s


@shape("redis-monitor-auth", "traffic")
def _(r):
    s = strong(r, 20, "-_.!")
    return (
        f'17{digits(r, 8)}.{digits(r, 6)} [0 {ip(r)}:{digits(r, 5)}] "AUTH" "{role(r)}" "{s}"\n'
        f'17{digits(r, 8)}.{digits(r, 6)} [0 {ip(r)}:{digits(r, 5)}] "GET" "session:{digits(r, 6)}"'
    ), s


@shape("soap-wsse-password", "http")
def _(r):
    s = human(r, "!*+-_.")
    return (
        '<soapenv:Header>\n <wsse:Security soapenv:mustUnderstand="1">\n  <wsse:UsernameToken>\n'
        f'   <wsse:Username>{role(r)}</wsse:Username>\n   <wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">{s}</wsse:Password>\n'
        "  </wsse:UsernameToken>\n </wsse:Security>\n</soapenv:Header>"
    ), s


@shape("grpcurl-metadata", "http")
def _(r):
    s = tok(r, 40)
    return (
        f'$ grpcurl -H \'x-api-key: {s}\' -d \'{{"page_size": 5}}\' {host(r, "grpc")}:443 {word(r)}.v1.Orders/List\n{{\n  "orders": [],\n  "nextPageToken": ""\n}}'
    ), s


@shape("nginx-access-log-query", "log")
def _(r):
    s = hexs(r, 40)
    return (
        f'{ip(r)} - - [12/Mar/2025:07:4{r.randrange(10)}:11 +0000] "GET /v2/export?format=csv&api_key={s}&since=2025-03-01 HTTP/1.1" 200 {digits(r, 5)} "-" "python-requests/2.31.0"\n'
        f'{ip(r)} - - [12/Mar/2025:07:50:02 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.29"'
    ), s


@shape("https-proxy-credentials", "url")
def _(r):
    s = human(r, "!_-.")
    return (
        f"export no_proxy=localhost,127.0.0.1\nexport https_proxy=http://{user(r)}:{s}@{host(r, 'proxy')}:3128\napt-get update\nHit:1 http://deb.debian.org/debian bookworm InRelease",
        s,
    )


@shape("websocket-frame-nested-json", "nested")
def _(r):
    s = tok(r, 36)
    inner = json.dumps(
        {
            "event": "hello",
            "seq": 1,
            "payload": json.dumps({"device": word(r), "accessToken": s, "tz": "UTC"}),
        }
    )
    return (
        f'[ws] open wss://{host(r, "rt")}/socket\n[ws] -> {inner}\n[ws] <- {{"event":"ready","heartbeat":30000}}',
        s,
    )


@shape("rtsp-camera-url", "url")
def _(r):
    s = human(r, "!_-.")
    return (
        f"ffmpeg -rtsp_transport tcp -i 'rtsp://admin:{s}@{ip(r)}:554/Streaming/Channels/101' -frames:v 1 door.jpg\nStream #0:0: Video: h264 (Main), yuvj420p, 1920x1080, 25 fps",
        s,
    )


@shape("printenv-dump", "cli-output")
def _(r):
    s = strong(r, 22, "_-.+")
    return (
        f"HOSTNAME={word(r)}-{tok(r, 5, LOWNUM)}\nPWD=/app\nPYTHON_VERSION=3.12.4\nHOME=/root\nDATABASE_HOST={host(r)}\nDATABASE_PASSWORD={s}\n"
        f"SHLVL=1\nKUBERNETES_SERVICE_PORT=443\n_=/usr/bin/printenv"
    ), s


@shape("docker-inspect-env", "cli-output")
def _(r):
    s = tok(r, 32)
    return (
        f'$ docker inspect {word(r)}_api_1 --format \'{{{{json .Config.Env}}}}\'\n["PATH=/usr/local/bin:/usr/bin:/bin","JWT_SECRET={s}",'
        f'"GUNICORN_CMD_ARGS=--workers {r.randrange(2, 9)}","TZ=UTC"]'
    ), s


@shape("kubectl-secret-decoded", "cli-output")
def _(r):
    s = tok(r, 16)
    return (
        f"$ kubectl -n argocd get secret argocd-initial-admin-secret -o jsonpath='{{.data.password}}' | base64 -d; echo\n{s}\n$ argocd login {host(r, 'argocd')} --username admin",
        s,
    )


@shape("aws-secretsmanager-nested", "nested")
def _(r):
    s = strong(r, 32, "!#%*-_=+")
    inner = json.dumps(
        {"username": role(r), "password": s, "engine": "postgres", "host": host(r), "port": 5432}
    )
    return json.dumps(
        {
            "ARN": f"arn:aws:secretsmanager:eu-west-1:{digits(r, 12)}:secret:{word(r)}-{tok(r, 6)}",
            "Name": word(r),
            "VersionId": uuid(r),
            "SecretString": inner,
            "VersionStages": ["AWSCURRENT"],
        },
        indent=4,
    ), s


@shape("ssm-parameter-value", "cli-output")
def _(r):
    s = tok(r, 30)
    return json.dumps(
        {
            "Parameter": {
                "Name": f"/prod/{word(r)}/smtp_password",
                "Type": "SecureString",
                "Value": s,
                "Version": r.randrange(1, 9),
                "LastModifiedDate": stamp(r),
                "DataType": "text",
            }
        },
        indent=4,
    ), s


@shape("macos-security-find-password", "cli-output")
def _(r):
    s = human(r)
    return f"% security find-generic-password -a {user(r)} -s {word(r)}-vpn -w\n{s}\n% ", s


@shape("tmux-send-keys", "agent")
def _(r):
    s = human(r, "!_-.")
    return (
        f"tool: bash\ncommand: tmux send-keys -t {word(r)}:0 'ssh {user(r)}@{ip(r)}' Enter; sleep 2; tmux send-keys -t {word(r)}:0 '{s}' Enter\nresult: (no output)",
        s,
    )
