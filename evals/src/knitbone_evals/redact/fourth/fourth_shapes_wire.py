"""Command lines, terminal sessions, HTTP and database clients."""

from __future__ import annotations

import urllib.parse

from fourth_material import (
    HEX,
    LOWNUM,
    UPNUM,
    URLSAFE,
    Made,
    Rand,
    Register,
    T,
    b64,
    b64url,
    digits,
    fill,
    github,
    hexs,
    human,
    jwt,
    phrase,
    raw,
    strong,
    tok,
    user,
    uuid,
    wordy,
)

shell, http, database = Register("shell"), Register("http"), Register("database")


# ---- shell ----

shell.main(
    "mysql-p-attached",
    wordy,
    "<<user>>@<<noun>>:~$ mysql -h <<host>> -u <<role>> -p<<S>> <<noun>> -e 'select count(*) from orders'\nmysql: [Warning] Using a password on the command line interface can be insecure.\n+----------+\n| count(*) |\n+----------+\n|    <<n5>> |\n+----------+\n",
)
shell.main(
    "pgpassword-inline",
    human,
    "$ PGPASSWORD='<<S>>' psql -h <<host>> -U <<role>> -d <<noun>> -c '\\dt'\nDid not find any relations.\n",
)
shell.main(
    "sshpass-scp",
    human,
    "sshpass -p '<<S>>' scp -o StrictHostKeyChecking=no dist/<<noun>>.whl <<user>>@<<ip>>:/srv/<<noun>>/\n",
)
shell.main(
    "curl-user-flag",
    strong,
    "curl -sS -u <<user>>:<<S>> https://<<host>>/api/v2/<<noun>>?limit=<<n2>> | jq '.items[].id'\n",
)
shell.main(
    "docker-login-p",
    T(36, URLSAFE, "dckr_pat_"),
    "$ docker login -u <<user>> -p <<S>>\nWARNING! Using --password via the CLI is insecure. Use --password-stdin.\nLogin Succeeded\n",
)
shell.main(
    "echo-pipe-sudo",
    human,
    "echo '<<S>>' | sudo -S systemctl restart <<noun>>.service && sleep <<n1>>\n",
)
shell.main(
    "bash-history-export",
    T(64, HEX),
    "  5<<n1#1>>1  cd ~/<<noun>>\n  5<<n1#1>>2  export INTERNAL_API_TOKEN=<<S>>\n  5<<n1#1>>3  python sync.py --dry-run\n  5<<n1#1>>4  history | tail\n",
)
shell.main(
    "printenv-mixed",
    lambda r: github(r, "gho_"),
    "SHELL=/bin/bash\nLOGNAME=<<user#1>>\nGH_TOKEN=<<S>>\nHOME=/home/<<user#1>>\nLANG=en_US.UTF-8\nSHLVL=<<n1>>\n",
)
shell.main(
    "ps-aux-argument",
    strong,
    "USER         PID %CPU %MEM COMMAND\n<<role>>     <<n5>>  0.<<n1>>  1.<<n1>> /usr/bin/python3 /opt/<<noun>>/worker.py --broker <<host>> --password <<S>> --queue default\nroot        <<n4>>  0.0  0.1 sshd: /usr/sbin/sshd -D\n",
)
shell.main(
    "kubectl-create-literal",
    human,
    "kubectl -n <<noun>> create secret generic <<noun>>-smtp --from-literal=user=<<email>> --from-literal=password='<<S>>'\n",
)
shell.main(
    "kubectl-get-secret-decoded",
    strong,
    "$ kubectl get secret <<noun>>-pg -o jsonpath='{.data.password}' | base64 -d; echo\n<<S>>\n$ kubectl config current-context\n<<noun>>-<<n2>>\n",
)
shell.main(
    "az-sp-create",
    lambda r: f"{tok(r, 3)}8Q~{tok(r, 34, URLSAFE + '~.')}",
    '$ az ad sp create-for-rbac -n <<noun#1>>-ci\n{\n  "appId": "<<uuid>>",\n  "displayName": "<<noun#1>>-ci",\n  "password": "<<S>>",\n  "tenant": "<<uuid>>"\n}\n',
)
shell.spare(
    "gcloud-print-access-token",
    lambda r: "ya29.a0" + tok(r, 200, URLSAFE),
    "$ gcloud auth print-access-token\n<<S>>\n$ gcloud config get project\n<<noun>>-<<n6>>\n",
)
shell.spare(
    "openssl-passin",
    human,
    "openssl pkcs12 -in <<noun>>.p12 -nodes -passin pass:<<S>> -out <<noun>>.pem\nMAC verified OK\n",
)
shell.spare(
    "wget-http-password",
    wordy,
    "wget --http-user=<<user>> --http-password=<<S>> -r -np https://<<host>>/dumps/<<date>>/\n",
)
shell.spare(
    "adduser-chpasswd",
    human,
    "useradd -m <<user#1>>\necho '<<user#1>>:<<S>>' | chpasswd\nusermod -aG docker <<user#1>> # <<n4>>\n",
)
shell.spare(
    "restic-env",
    lambda r: phrase(r, 5),
    "export RESTIC_REPOSITORY=sftp:<<user>>@<<host>>:/backup\nexport RESTIC_PASSWORD='<<S>>'\nrestic snapshots --latest <<n1>>\n",
)
shell.spare(
    "smbclient-percent",
    wordy,
    "smbclient //<<host>>/share -U '<<user>>%<<S>>' -c 'ls'\n  <<noun>>.xlsx      A   <<n5>>\n",
)
shell.spare(
    "powershell-securestring",
    human,
    '$pw = ConvertTo-SecureString "<<S>>" -AsPlainText -Force\n$cred = New-Object PSCredential("<<user>>", $pw)\nEnter-PSSession -ComputerName <<host>> -Credential $cred\n',
)
shell.spare(
    "set-x-trace",
    T(40),
    "+ cd /srv/<<noun>>\n+ export SERVICE_KEY=<<S>>\n+ SERVICE_KEY=<<S>>\n+ ./run.sh --port <<n4>>\n",
)
shell.spare(
    "git-credential-fill",
    lambda r: github(r, "ghp_"),
    "$ git credential fill\nprotocol=https\nhost=github.com\n\nprotocol=https\nhost=github.com\nusername=<<user>>\npassword=<<S>>\n",
)
shell.spare(
    "htpasswd-b",
    wordy,
    "htpasswd -bc /etc/nginx/.htpasswd <<user#1>> <<S>>\nAdding password for user <<user#1>>\n# <<date>>\n",
)
shell.spare(
    "unzip-P",
    human,
    "7z x -p<<S>> <<noun>>-<<date>>.7z -o/tmp/<<noun>>\nEverything is Ok\n",
    "unzip -P '<<S>>' <<noun>>-<<date>>.zip -d out/\n  inflating: out/<<noun>>.csv\n",
)
shell.spare(
    "vault-write-root-token",
    lambda r: "hvs." + tok(r, 90, URLSAFE),
    'Key                  Value\n---                  -----\ntoken                <<S>>\ntoken_accessor       <<al24>>\ntoken_duration       768h\ntoken_policies       ["<<noun>>"]\n',
)

# ---- http ----


@http.main_of("basic-auth-header-raw")
def _(r: Rand) -> Made:
    secret = b64(f"{user(r)}:{strong(r, 16)}")
    text = "GET /rest/<<noun>>/<<n4>> HTTP/1.1\nHost: <<host>>\nAuthorization: Basic <<S>>\nUser-Agent: python-httpx/0.27.<<n1>>\n"
    return fill(r, text, secret), secret


@http.main_of("bearer-jwt-in-requests")
def _(r: Rand) -> Made:
    secret = jwt(r, {"sub": uuid(r), "scope": "read write", "exp": 1790000000 + r.randrange(10**7)})
    text = 'headers = {"Authorization": "Bearer <<S>>", "Accept": "application/json"}\nr = requests.get("https://<<host>>/v1/<<noun>>", headers=headers, timeout=<<n2>>)\n'
    return fill(r, text, secret), secret


http.main(
    "session-cookie-devtools-curl",
    T(26, LOWNUM),
    "curl 'https://<<host>>/dashboard' \\\n  -H 'accept: text/html' \\\n  -b '_ga=GA1.1.<<n9>>.<<n10>>; PHPSESSID=<<S>>; lang=de' \\\n  --compressed\n",
)


@http.main_of("login-form-urlencoded-body")
def _(r: Rand) -> Made:
    secret = urllib.parse.quote_plus(human(r, "!#*?&@"))
    text = "POST /accounts/login/ HTTP/1.1\nHost: <<host>>\nContent-Type: application/x-www-form-urlencoded\n\ncsrfmiddlewaretoken=&username=<<user>>&password=<<S>>&next=%2F<<noun>>%2F\n"
    return fill(r, text, secret), secret


http.main(
    "oauth-token-response",
    lambda r: "1//0" + tok(r, 98, URLSAFE),
    '{"access_token": "", "expires_in": <<n4>>, "refresh_token": "<<S>>", "scope": "https://www.googleapis.com/auth/calendar", "token_type": "Bearer"}\n',
)
http.main(
    "oauth-client-credentials-data",
    lambda r: tok(r, 40, URLSAFE),
    'r = requests.post("https://<<host>>/oauth/token", data={"grant_type": "client_credentials", "client_id": "<<al20>>", "client_secret": "<<S>>"})\n',
)
http.main(
    "access-log-token-param",
    T(32, URLSAFE),
    '<<ip>> - - [<<day>>/Nov/2025:<<time>> +0000] "GET /export/<<noun>>.csv?access_token=<<S>>&fmt=csv HTTP/1.1" 200 <<n5>> "-" "Wget/1.21"\n',
)
http.spare(
    "http-debuglevel-send",
    T(40, HEX),
    "send: b'GET /api/items/?page=<<n2>> HTTP/1.1\\r\\nHost: <<host>>\\r\\nAccept-Encoding: gzip\\r\\nAuthorization: Token <<S>>\\r\\n\\r\\n'\nreply: 'HTTP/1.1 200 OK\\r\\n'\n",
)
http.spare(
    "har-entry-header",
    T(48, URLSAFE),
    '{"startedDateTime": "<<stamp>>", "request": {"method": "GET", "url": "https://<<host>>/me", "headers": [{"name": "Accept", "value": "*/*"}, {"name": "X-Auth-Token", "value": "<<S>>"}]}}\n',
)
http.spare(
    "postman-environment",
    lambda r: "PMAK-" + hexs(r, 24) + "-" + hexs(r, 34),
    '{"name": "<<noun>>", "values": [{"key": "base", "value": "https://<<host>>", "enabled": true}, {"key": "api_key", "value": "<<S>>", "type": "secret", "enabled": true}]}\n',
)
http.spare(
    "url-userinfo-webdav",
    wordy,
    "PROPFIND https://<<user>>:<<S>>@cloud.<<noun>>.example.com/remote.php/dav/files/ -> 207 (<<n3>> ms)\n",
)
http.spare(
    "websocket-query-jwt",
    lambda r: jwt(r, {"uid": r.randrange(10**6), "room": tok(r, 8)}),
    "[<<time#1>>] ws connect wss://<<host>>/socket?EIO=4&transport=websocket&token=<<S>>\n[<<time#1>>] ws open\n",
)
http.spare(
    "saml-cookie-netscape-jar",
    lambda r: b64url(raw(r, 48)),
    "# Netscape HTTP Cookie File\n.<<noun>>.example.com\tTRUE\t/\tTRUE\t17<<n8>>\tsession\t<<S>>\n",
)
http.spare(
    "webhook-registration-json",
    T(40, LOWNUM, "whsec_"),
    '{"id": "we_1<<al23>>", "object": "webhook_endpoint", "secret": "<<S>>", "url": "https://<<host>>/hooks", "status": "enabled"}\n',
)

# ---- database ----


@database.main_of("sqlalchemy-url-quoted-password")
def _(r: Rand) -> Made:
    secret = urllib.parse.quote(human(r, "!#?@"), safe="")
    text = 'engine = create_engine("postgresql+psycopg://<<role>>:<<S>>@<<host>>:5432/<<noun>>", pool_size=<<n1>>)\n'
    return fill(r, text, secret), secret


database.main(
    "mongodb-srv-uri",
    lambda r: tok(r, 16),
    'MongoClient("mongodb+srv://<<role>>:<<S>>@<<noun>>.<<low5>>.mongodb.net/?retryWrites=true&w=majority")\n',
)
database.main(
    "redis-url-empty-user",
    lambda r: strong(r, 24, "-_."),
    "celery -A <<noun>> worker\n -------------- celery@<<noun>>-<<n2>> v5.4.0\n- ** ---------- .> transport:   redis://:<<S>>@<<host>>:6379/0\n- ** ---------- .> concurrency: <<n1>> (prefork)\n",
)
database.main(
    "psycopg-kwargs",
    human,
    'conn = psycopg2.connect(\n    host="<<host>>", dbname="<<noun>>", user="<<role>>", password="<<S>>", connect_timeout=<<n1>>\n)\n',
)
database.main(
    "sql-create-user",
    human,
    "CREATE USER '<<user#1>>'@'%' IDENTIFIED BY '<<S>>';\nGRANT SELECT ON <<noun>>.* TO '<<user#1>>'@'%';\n",
    "CREATE ROLE <<user#1>> WITH LOGIN PASSWORD '<<S>>';\nGRANT CONNECT ON DATABASE <<noun>> TO <<user#1>>;\n",
)
database.main(
    "neon-url-in-env-tool-result",
    lambda r: "npg_" + tok(r, 12),
    "DATABASE_URL='postgresql://neondb_owner:<<S>>@ep-<<noun>>-<<noun>>-<<low8>>-pooler.eu-central-1.aws.neon.tech/neondb?sslmode=require'\n",
)
database.spare(
    "pyodbc-connection-string",
    human,
    "cnxn = pyodbc.connect('DRIVER={ODBC Driver 18 for SQL Server};SERVER=<<host>>;DATABASE=<<noun>>;UID=<<role>>;PWD=<<S>>')\n",
)
database.spare(
    "jdbc-url-parameters",
    wordy,
    'spark.read.format("jdbc").option("url", "jdbc:postgresql://<<host>>/<<noun>>?user=<<role>>&password=<<S>>").option("fetchsize", <<n4>>).load()\n',
)
database.spare(
    "neo4j-auth-tuple",
    human,
    'driver = GraphDatabase.driver("neo4j+s://<<hex8>>.databases.neo4j.io", auth=("neo4j", "<<S>>"))\n',
)
database.spare(
    "elasticsearch-api-key-tuple",
    lambda r: b64(f"{tok(r, 20, URLSAFE)}:{tok(r, 22, URLSAFE)}"),
    'es = Elasticsearch("https://<<host>>:9200", api_key="<<S>>")\nprint(es.info()["version"]) # <<n2>>\n',
)
database.spare(
    "clickhouse-client-flag",
    strong,
    "clickhouse-client --host <<host>> --secure --user <<role>> --password <<S>> --query 'SELECT count() FROM <<noun>>'\n",
)
database.spare(
    "sql-insert-settings-row",
    lambda r: tok(r, 36),
    "INSERT INTO settings (name, value, updated) VALUES ('site_title', '<<Noun>>', '<<date>>'), ('smtp_password', '<<S>>', '<<date>>');\n",
)
database.spare(
    "libsql-auth-token-turso",
    lambda r: jwt(r, {"a": "rw", "iat": 1730000000, "id": uuid(r)}, "EdDSA"),
    'conn = libsql.connect("local.db", sync_url="libsql://<<noun>>-<<first>>.turso.io", auth_token="<<S>>")\n',
)
database.spare(
    "mssql-sa-docker-run",
    lambda r: human(r, "!") + digits(r, 2),
    'docker run -e "ACCEPT_EULA=Y" -e "MSSQL_SA_PASSWORD=<<S>>" -p 1433:1433 -d --name <<noun>> mcr.microsoft.com/mssql/server:2022-latest\n',
)
database.spare(
    "couchdb-table-row",
    lambda r: tok(r, 20, UPNUM + LOWNUM),
    " id |   username   |  api_token\n----+--------------+----------------------\n  <<n1>> | <<user>> | <<S>>\n(1 row)\n",
)
