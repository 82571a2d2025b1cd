"""Secrets that stand beside a name: environment, configuration files, JSON, source code."""

from __future__ import annotations

import random

from material import (
    ALNUM,
    INI,
    JSON,
    PAIRS,
    SHELL,
    SINGLE,
    URLSAFE,
    XML,
    YAML,
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
    uuid,
)

TOKEN = prefixed("", URLSAFE, 24, 32, 43)
BARE = secret_word(SHELL)


def environment(name: str, build: Build, *frames: str) -> Shape:
    """A variable of the environment."""
    return framed(name, "environment", build, *frames)


def configuration(name: str, build: Build, *frames: str) -> Shape:
    """A setting in a file."""
    return framed(name, "configuration file", build, *frames)


def field(name: str, build: Build, *frames: str) -> Shape:
    """A field of a JSON object or of a printed Python value."""
    return framed(name, "field", build, *frames)


def code(name: str, build: Build, *frames: str) -> Shape:
    """A literal in source code."""
    return framed(name, "source code", build, *frames)


def django_key(rng: random.Random) -> str:
    """A key as `startproject` writes it."""
    return "django-insecure-" + some(rng, "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50)


ENVIRONMENT = (
    environment("database password", BARE, "DB_PASSWORD=<secret>", "DATABASE_PASSWORD=<secret>"),
    environment("exported password", secret_word('"\\$`!', spaces=True),
                'export DB_PASSWORD="<secret>"', 'export ADMIN_PASSWORD="<secret>"'),
    environment("single-quoted password", secret_word(SINGLE, spaces=True),
                "export SMTP_PASSWORD='<secret>'", "REDIS_PASSWORD='<secret>'"),
    environment("exported aws key", lambda rng: some(rng, ALNUM + "+/", 40),
                "export AWS_SECRET_ACCESS_KEY=<secret>"),
    environment("pgpassword before a command", BARE,
                "PGPASSWORD=<secret> psql -h <host> -U <user> shop -c 'select 1'",
                "PGPASSWORD=<secret> pg_dump shop > shop.sql"),
    environment("dotenv file", BARE,
                "# local settings\nDEBUG=true\nPORT=8080\nAPP_SECRET=<secret>\nLOG_LEVEL=info",
                "NODE_ENV=production\nMYSQL_ROOT_PASSWORD=<secret>\nMYSQL_DATABASE=shop"),
    environment("generic api key", TOKEN, "API_KEY=<secret>", "export SERVICE_API_KEY=<secret>",
                "MY_APP_APIKEY=<secret>", "WEATHER_API_KEY=<secret>"),
    environment("generic token", TOKEN, "ACCESS_TOKEN=<secret>", "export AUTH_TOKEN='<secret>'",
                "BOT_TOKEN=<secret>", "CI_DEPLOY_TOKEN=<secret>"),
    environment("generic secret", TOKEN, "JWT_SECRET=<secret>", "CLIENT_SECRET=<secret>",
                "SESSION_SECRET=<secret>", "WEBHOOK_SECRET=<secret>"),
    environment("encryption key", lambda rng: encoded(rng, 32),
                "APP_KEY=base64:<secret>", "ENCRYPTION_KEY=<secret>", "FERNET_KEY=<secret>"),
    environment("wallet key", lambda rng: hexadecimal(rng, 64),
                "PRIVATE_KEY=0x<secret>", "DEPLOYER_PRIVATE_KEY=<secret>"),
    environment("rails master key", lambda rng: hexadecimal(rng, 32),
                "RAILS_MASTER_KEY=<secret>", "SECRET_KEY_BASE=<secret>"),
    environment("powershell", secret_word("\"'`$\\"),
                '$env:DB_PASSWORD = "<secret>"', "$env:API_TOKEN='<secret>'"),
    environment("windows", secret_word(SHELL + "%^"),
                "set DB_PASSWORD=<secret>", 'setx ADMIN_PASSWORD "<secret>"'),
    environment("output of env", BARE,
                "HOME=/home/<user>\nSHELL=/bin/bash\nLANG=C.UTF-8\nGRAFANA_PASSWORD=<secret>\n_=/bin/env"),
)  # fmt: skip

CONFIGURATION = (
    configuration("docker compose mapping", secret_word(YAML),
                  "services:\n  db:\n    image: postgres:16\n    environment:\n"
                  "      POSTGRES_PASSWORD: <secret>\n      POSTGRES_DB: shop"),
    configuration("docker compose list", BARE,
                  "    environment:\n      - MYSQL_USER=<user>\n      - MYSQL_PASSWORD=<secret>"),
    configuration("yaml quoted", secret_word('"\\', spaces=True),
                  'database:\n  user: <user>\n  password: "<secret>"\n  pool: 5',
                  'smtp:\n  host: <host>\n  passwd: "<secret>"'),
    configuration("yaml plain", secret_word(YAML),
                  "redis:\n  host: <host>\n  password: <secret>\n  db: 0", "db_pass: <secret>"),
    configuration("kubernetes secret", lambda rng: encoded(rng, rng.randrange(12, 30)),
                  "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\n"
                  "data:\n  password: <secret>",
                  "kind: Secret\ndata:\n  api-token: <secret>"),
    configuration("helm values", secret_word(YAML),
                  "auth:\n  rootPassword: <secret>\n  username: <user>"),
    configuration("ini", secret_word(INI + "=:"),
                  "[mysql]\nuser = <user>\npassword = <secret>\nhost = <host>",
                  "[client]\npassword=<secret>"),
    configuration("toml", secret_word('"\\'),
                  '[database]\nport = 5432\npassword = "<secret>"', 'auth_token = "<secret>"'),
    configuration("java properties", secret_word(INI + "=:!"),
                  "spring.datasource.password=<secret>", "spring.mail.password=<secret>",
                  "javax.net.ssl.trustStorePassword=<secret>"),
    configuration("terraform variables", secret_word('"\\$%'),
                  'db_password = "<secret>"', 'master_password = "<secret>"'),
    configuration("ansible inventory", secret_word(INI + "=:"),
                  "web1 ansible_host=10.0.0.5 ansible_user=<user> ansible_password=<secret>",
                  "ansible_become_pass=<secret>"),
    configuration("wireless network", secret_word(JSON, spaces=True),
                  'network={\n  ssid="Office"\n  psk="<secret>"\n}'),
    configuration("wireguard", lambda rng: encoded(rng, 32),
                  "[Interface]\nAddress = 10.8.0.2/24\nPrivateKey = <secret>"),
    configuration("xml element", secret_word(XML),
                  "<server><id>central</id><username><user></username>"
                  "<password><secret></password></server>",
                  "<wsse:Password><secret></wsse:Password>"),
    configuration("xml attribute", secret_word(XML),
                  '<add key="ApiSecret" value="<secret>" />',
                  '<user name="<user>" password="<secret>" roles="manager"/>'),
)  # fmt: skip

FIELDS = (
    field("json password", secret_word(JSON, spaces=True),
          '{"user": "<user>", "password": "<secret>"}', '"password":"<secret>"',
          '{\n  "host": "<host>",\n  "password": "<secret>",\n  "port": 5432\n}'),
    field("json camel case password", secret_word(JSON),
          '{"dbPassword": "<secret>"}', '{"adminPassword":"<secret>","ok":true}',
          '{"userPassword": "<secret>", "retries": 3}'),
    field("json client secret", TOKEN,
          '{"client_id": "acme-<number>", "client_secret": "<secret>"}',
          '{"clientSecret": "<secret>", "scope": "read"}'),
    field("json api token", TOKEN, '{"apiToken": "<secret>"}', '{"api_token": "<secret>", "v": 2}',
          '{"authToken":"<secret>"}', '{"x-api-key": "<secret>"}'),
    field("json api key", TOKEN, '{"apiKey": "<secret>", "model": "gpt-4o"}',
          '{"api_key": "<secret>"}', '{"appKey": "<secret>", "appName": "shop"}'),
    field("json oauth answer", prefixed("", URLSAFE, 43, 86),
          '{"access_token": "<secret>", "token_type": "Bearer", "expires_in": 3600}'),
    field("json refresh token", prefixed("1//0e", URLSAFE, 96),
          '{"refresh_token": "<secret>", "scope": "openid email"}', '"refreshToken":"<secret>"'),
    field("json identity token", lambda rng: jwt(rng, email="anna@example.com"),
          '{"id_token": "<secret>", "expires_in": 3599}', '{"idToken":"<secret>"}'),
    field("json private key by name", lambda rng: encoded(rng, 64),
          '{"private_key": "<secret>"}', '{"privateKey": "<secret>", "algorithm": "ed25519"}'),
    field("json passphrase", secret_word(JSON, spaces=True),
          '{"keyfile": "id_ed25519", "passphrase": "<secret>"}'),
    field("json registry login", lambda rng: encoded(rng, 33),
          '{"auths": {"https://index.docker.io/v1/": {"auth": "<secret>"}}}'),
    field("python dictionary", secret_word(SINGLE),
          "{'user': '<user>', 'password': '<secret>'}", "{'pwd': '<secret>', 'port': 5432}",
          "{'secret_key': '<secret>', 'region': 'eu-west-1'}"),
    field("python dataclass", secret_word(SINGLE),
          "Settings(host='<host>', db_password='<secret>', debug=False)",
          "Credentials(username='<user>', password='<secret>')"),
    field("escaped json", secret_word('"\\'),
          '"{\\"login\\": \\"<user>\\", \\"password\\": \\"<secret>\\"}"'),
    field("form body", secret_word(SHELL + "%+=/^@"),
          "grant_type=password&username=<user>&password=<secret>",
          "username=<user>&passwd=<secret>&remember=1"),
    field("form client secret", TOKEN,
          "grant_type=client_credentials&client_id=web&client_secret=<secret>"),
    field("uuid as key", uuid, '{"api_key": "<secret>"}', "X_API_KEY=<secret>"),
)  # fmt: skip

SOURCE = (
    code("keyword api key", TOKEN, 'client = Client(api_key="<secret>")',
         "llm = ChatModel(model='large', api_key='<secret>', temperature=0)"),
    code("keyword password", secret_word('"\\'),
         'conn = psycopg2.connect(host="<host>", user="<user>", password="<secret>")',
         'server.login(user="<user>", password="<secret>")'),
    code("constant", secret_word("\"'\\"), "PASSWORD = '<secret>'", 'ADMIN_PASSWORD = "<secret>"'),
    code("javascript", TOKEN, "const apiKey = '<secret>';", 'let authToken = "<secret>";',
         "process.env.SECRET_TOKEN = '<secret>';"),
    code("java", secret_word('"\\'), 'props.setProperty("password", "<secret>");',
         'private static final String DB_PASSWORD = "<secret>";'),
    code("csharp", secret_word('"\\'), 'string clientSecret = "<secret>";',
         'new NetworkCredential("<user>", "<secret>", "CORP")'),
    code("php", secret_word("'\\$"), "define('DB_PASSWORD', '<secret>');",
         "$config['db_password'] = '<secret>';"),
    code("django", django_key, "SECRET_KEY = '<secret>'", 'SECRET_KEY = "<secret>"'),
    code("sql", secret_word("'\\"), "CREATE USER reports IDENTIFIED BY '<secret>';",
         "ALTER ROLE app WITH LOGIN PASSWORD '<secret>';",
         "CREATE LOGIN app WITH PASSWORD = '<secret>';"),
    code("secure string", secret_word('"\\`$'),
         'ConvertTo-SecureString "<secret>" -AsPlainText -Force'),
    code("setting a variable", lambda rng: password(rng, "\"'\\" + PAIRS),
         'os.environ["SMTP_PASSWORD"] = "<secret>"',
         "monkeypatch.setenv('API_SECRET', '<secret>')"),
)  # fmt: skip

SETTINGS = (*ENVIRONMENT, *CONFIGURATION, *FIELDS, *SOURCE)
