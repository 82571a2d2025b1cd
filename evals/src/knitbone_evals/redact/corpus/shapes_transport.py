"""Secrets under way: HTTP headers, command lines, URLs and connection strings."""

from __future__ import annotations

import base64
import random
from urllib.parse import quote

from material import (
    ALNUM,
    BASE64,
    PAIRS,
    SHELL,
    SINGLE,
    URLSAFE,
    USERS,
    Build,
    Shape,
    encoded,
    framed,
    hexadecimal,
    jwt,
    password,
    prefixed,
    secret_word,
    some,
)

TOKEN = prefixed("", URLSAFE, 24, 32, 43)
BARE = secret_word(SHELL)
LIBPQ = secret_word("'\\ =")


def header(name: str, build: Build, *frames: str) -> Shape:
    """A header of HTTP."""
    return framed(name, "http header", build, *frames)


def command(name: str, build: Build, *frames: str) -> Shape:
    """A command line."""
    return framed(name, "command line", build, *frames)


def url(name: str, build: Build, *frames: str) -> Shape:
    """A URL."""
    return framed(name, "url", build, *frames)


def connection(name: str, build: Build, *frames: str) -> Shape:
    """A connection string of a database or a queue."""
    return framed(name, "connection string", build, *frames)


def basic(rng: random.Random) -> str:
    """User and password in base64."""
    return base64.b64encode(f"{rng.choice(USERS)}:{password(rng)}".encode()).decode()


def in_url(rng: random.Random) -> str:
    """A password with its reserved characters percent-encoded."""
    return quote(password(rng), safe="")


def raw_in_url(rng: random.Random) -> str:
    """A password pasted into a URL as it is; only what would end the user part is left out."""
    return password(rng, "/?#@: []%\\\"'<>")


HEADERS = (
    header("bearer", TOKEN, "Authorization: Bearer <secret>", "authorization: bearer <secret>",
           "'Authorization': 'Bearer <secret>'", '{"Authorization": "Bearer <secret>"}'),
    header("bearer web token", jwt, "Authorization: Bearer <secret>",
           "> Authorization: Bearer <secret>\n> Accept: */*\n< HTTP/1.1 200 OK"),
    header("basic", basic, "Authorization: Basic <secret>", "authorization: Basic <secret>"),
    header("authorization token", lambda rng: hexadecimal(rng, 40), "Authorization: Token <secret>",
           "Authorization: token <secret>"),
    header("api key scheme", TOKEN, "Authorization: ApiKey <secret>",
           "Authorization: Api-Key <secret>"),
    header("okta", prefixed("00", URLSAFE, 40), "Authorization: SSWS <secret>"),
    header("bare authorization", TOKEN, "Authorization: <secret>"),
    header("x-api-key", TOKEN, "X-Api-Key: <secret>", "x-api-key: <secret>",
           '{"X-API-Key": "<secret>", "Accept": "application/json"}'),
    header("x-auth-token", TOKEN, "X-Auth-Token: <secret>", "X-Access-Token: <secret>",
           "Private-Token: <secret>", "X-Vault-Token: <secret>"),
    header("session cookie", prefixed("", ALNUM, 32, 40),
           "Cookie: theme=dark; sessionid=<secret>; lang=en", "Cookie: JSESSIONID=<secret>",
           "Cookie: PHPSESSID=<secret>; _ga=1"),
    header("set-cookie", prefixed("", ALNUM, 32, 64),
           "Set-Cookie: session=<secret>; Path=/; HttpOnly; Secure",
           "set-cookie: auth_token=<secret>; Max-Age=3600; SameSite=Lax"),
    header("proxy", basic, "Proxy-Authorization: Basic <secret>"),
    header("raw request", TOKEN,
           "POST /v1/chat HTTP/1.1\r\nHost: api.example.com\r\nAuthorization: Bearer <secret>\r\n"
           "Content-Type: application/json\r\n\r\n{}"),
)  # fmt: skip

COMMANDS = (
    command("curl user", BARE, "curl -u <user>:<secret> https://<host>/status",
            "curl --user <user>:<secret> -X POST https://<host>/jobs"),
    command("curl quoted user", secret_word(SINGLE),
            "curl -s -u '<user>:<secret>' https://<host>/"),
    command("curl header", TOKEN,
            "curl -H 'Authorization: Bearer <secret>' https://api.example.com/v1/me",
            'curl -sS -H "X-Api-Key: <secret>" https://<host>/items'),
    command("mysql client", BARE, "mysql -u <user> -p<secret> shop",
            "mysqldump -u<user> -p<secret> --all-databases",
            "mysql -h <host> -u <user> --password=<secret>"),
    command("password option", BARE, "tool login --user <user> --password <secret>",
            "backup.sh --password=<secret> --target /mnt",
            "wget --user=<user> --password=<secret> http://<host>/f"),
    command("quoted password option", secret_word(SINGLE, spaces=True),
            "tool login --user <user> --password '<secret>'",
            "./run.sh --db-password='<secret>' -v"),
    command("token option", TOKEN, "deploy --token <secret> --env prod",
            "tool auth --token=<secret>",
            "cli push --access-token <secret>", "snyk auth --auth-token <secret>"),
    command("api key option", TOKEN, "agent run --api-key <secret> task.yaml",
            "app --api-key=<secret>",
            "app --apikey <secret> --verbose"),
    command("secret option", TOKEN, "tool --client-id web --client-secret <secret>",
            "sam deploy --secret-key=<secret>"),
    command("docker login", BARE, "docker login -u <user> -p <secret> registry.example.com",
            "echo <secret> | docker login -u <user> --password-stdin"),
    command("sshpass", secret_word(SINGLE), "sshpass -p '<secret>' ssh <user>@<host> uptime"),
    command("redis-cli", BARE, "redis-cli -h <host> -a <secret> ping",
            "redis-cli -h <host> -a <secret> --no-auth-warning info"),
    command("openssl", BARE, "openssl rsa -in key.pem -passin pass:<secret> -out plain.pem",
            "openssl pkcs12 -export -passout pass:<secret> -in c.pem"),
    command("mongosh",
            BARE, "mongosh --host <host> -u <user> -p <secret> --authenticationDatabase admin"),
    command("smbclient", BARE, "smbclient //<host>/share -U <user>%<secret>"),
    command("git clone", prefixed("", ALNUM, 40),
            "git clone https://<user>:<secret>@github.com/acme/app.git",
            "git remote set-url origin https://oauth2:<secret>@gitlab.com/acme/app.git"),
    command("sudo", BARE, "echo <secret> | sudo -S apt-get update",
            "echo '<user>:<secret>' | sudo chpasswd"),
    command("config set", TOKEN, "aws configure set aws_secret_access_key <secret>",
            "npm config set //registry.npmjs.org/:_authToken <secret>"),
    command("kubectl", BARE, "kubectl create secret generic db --from-literal=password=<secret>"),
)  # fmt: skip

SIGNED = (
    "https://acme.s3.eu-west-1.amazonaws.com/r.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256"
    "&X-Amz-Date=20240501T120000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host"
    "&X-Amz-Signature=<secret>"
)
URLS = (
    url("user part", in_url, "https://<user>:<secret>@<host>/path",
        "ftp://<user>:<secret>@<host>/in/"),
    url("raw user part", raw_in_url, "https://<user>:<secret>@<host>:8443/api/v2?limit=10",
        "http://<user>:<secret>@proxy.corp:3128"),
    url("token as user", prefixed("", ALNUM, 40), "https://<secret>@api.example.com/repos",
        "https://<secret>:x-oauth-basic@github.com/acme/app.git"),
    url("access_token", TOKEN, "https://api.example.com/me?access_token=<secret>",
        "https://app.example.com/cb#access_token=<secret>&token_type=bearer&expires_in=3600"),
    url("api_key", TOKEN, "https://<host>/v1/search?q=weather&api_key=<secret>",
        "https://maps.example.com/geocode?address=Paris&apikey=<secret>",
        "GET /data/2.5/weather?q=Oslo&appid=7&api-key=<secret> HTTP/1.1"),
    url("token", TOKEN, "https://app.example.com/reset-password?token=<secret>",
        "wss://stream.example.com/socket?token=<secret>&v=2"),
    url("password", in_url, "https://<host>/login?user=<user>&password=<secret>",
        "http://<host>/cgi?usr=<user>&pwd=<secret>&cmd=snap"),
    url("signature", lambda rng: quote(encoded(rng, 32), safe=""),
        "https://prod-07.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke"
        "?api-version=2016-10-01&sig=<secret>"),
    url("presigned s3", lambda rng: hexadecimal(rng, 64), SIGNED),
    url("signed google storage", lambda rng: hexadecimal(rng, 256),
        "https://storage.googleapis.com/b/o.bin?X-Goog-Expires=600&X-Goog-Signature=<secret>"),
    url("client secret", TOKEN,
        "https://login.example.com/token?client_id=web&client_secret=<secret>&grant_type=refresh"),
    url("sentry data source", lambda rng: hexadecimal(rng, 32),
        "https://0f1e2d3c4b5a69788796a5b4c3d2e1f0:<secret>@sentry.example.com/12"),
)  # fmt: skip

CONNECTIONS = (
    connection("postgres", in_url, "postgresql://<user>:<secret>@<host>:5432/shop",
               "postgres://<user>:<secret>@<host>/shop?sslmode=require",
               "DATABASE_URL=postgresql+asyncpg://<user>:<secret>@<host>/shop"),
    connection("mysql", raw_in_url, "mysql://<user>:<secret>@<host>:3306/shop",
               "mysql+pymysql://<user>:<secret>@<host>/shop?charset=utf8mb4"),
    connection("mongodb", in_url, "mongodb+srv://<user>:<secret>@cluster0.ab1cd.mongodb.net/shop",
               "mongodb://<user>:<secret>@<host>:27017,<host>:27018/?replicaSet=rs0"),
    connection("redis", raw_in_url, "redis://:<secret>@<host>:6379/0",
               "rediss://default:<secret>@<host>:6380"),
    connection("amqp", raw_in_url, "amqp://<user>:<secret>@<host>:5672/%2F",
               "broker_url = 'amqps://<user>:<secret>@<host>/vhost'"),
    connection("jdbc", in_url, "jdbc:postgresql://<host>:5432/shop?user=<user>&password=<secret>",
               "jdbc:mysql://<host>/shop?useSSL=true&user=<user>&password=<secret>"),
    connection("jdbc sql server", secret_word(PAIRS),
               "jdbc:sqlserver://<host>:1433;databaseName=shop;user=<user>;password=<secret>;"),
    connection("oracle", secret_word(PAIRS + "@/:"),
               "jdbc:oracle:thin:<user>/<secret>@//<host>:1521/XE",
               "sqlplus <user>/<secret>@<host>:1521/XEPDB1"),
    connection("odbc", secret_word(PAIRS),
               "Driver={ODBC Driver 18 for SQL Server};Server=<host>;Uid=<user>;Pwd=<secret>;",
               "DSN=shop;UID=<user>;PWD=<secret>"),
    connection("ado", secret_word(PAIRS),
               "Server=<host>;Database=shop;User Id=<user>;Password=<secret>;Encrypt=True",
               "Data Source=<host>;Initial Catalog=shop;User ID=<user>;Password=<secret>"),
    connection("libpq", LIBPQ, "host=<host> port=5432 dbname=shop user=<user> password=<secret>",
               "host=<host> user=<user> password='<secret>' sslmode=require"),
    connection("s3 keys in url", lambda rng: some(rng, BASE64.replace("/", ""), 40),
               "s3://AKIAQX7T2MNB4LVR6WZ3:<secret>@acme-bucket/path"),
)  # fmt: skip

TRANSPORT = (*HEADERS, *COMMANDS, *URLS, *CONNECTIONS)
