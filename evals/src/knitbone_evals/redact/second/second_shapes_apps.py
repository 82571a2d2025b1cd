"""Secrets in the settings of frameworks and package tools, and in source code."""

from __future__ import annotations

from second_material import (
    IN_ADO,
    IN_DOUBLE,
    IN_JSON,
    IN_SINGLE,
    IN_XML,
    IN_YAML,
    Shape,
    any_key,
    b64,
    chars,
    frames,
    hexkey,
    in_url,
    random_bytes,
    service_key,
    token,
    word,
)

SALT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!@#%^&*()-_[]{}~+=,.;:/?|"

APPS: tuple[Shape, ...] = (
    frames(
        "java properties", "framework", word("\\:=#! "),
        "spring.datasource.url=jdbc:postgresql://<host>:5432/<db>\n"
        "spring.datasource.username=<user>\n"
        "spring.datasource.password=<secret>\nspring.jpa.show-sql=true",
        "mail.smtp.user = <user>\nmail.smtp.password = <secret>\nmail.smtp.port = 465",
        "hibernate.connection.username <user>\nhibernate.connection.password <secret>\n",
        "keystore.path=/etc/<app>.jks\nkeystore.password: <secret>\nkeystore.alias: main",
    ),
    frames(
        "spring YAML", "framework", word(IN_YAML),
        "spring:\n  datasource:\n    url: jdbc:mysql://<host>:3306/<db>\n    username: <user>\n"
        "    password: <secret>\n    hikari:\n      maximum-pool-size: 10",
        "server:\n  ssl:\n    key-store: classpath:k.p12\n    key-store-password: <secret>\n"
        "    key-store-type: PKCS12",
        "jwt:\n  secret: <secret>\n  expiration-ms: 86400000",
    ),
    frames(
        "django secret key", "framework",
        lambda rng: chars(rng, "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50),
        "# SECURITY WARNING: keep the secret key used in production secret!\n"
        "SECRET_KEY = '<secret>'",
        "SECRET_KEY = 'django-insecure-<secret>'\n\nDEBUG = True\nALLOWED_HOSTS = []",
    ),
    frames(
        "django databases", "framework", word(IN_SINGLE),
        "DATABASES = {\n    'default': {\n        'ENGINE': 'django.db.backends.postgresql',\n"
        "        'NAME': '<db>',\n        'USER': '<user>',\n        'PASSWORD': '<secret>',\n"
        "    }\n}",
        "EMAIL_HOST_USER = '<user>@example.com'\nEMAIL_HOST_PASSWORD = '<secret>'\n"
        "EMAIL_PORT = 587",
    ),
    frames(
        "rails database", "framework", word(IN_YAML),
        "production:\n  adapter: mysql2\n  encoding: utf8mb4\n  username: <user>\n"
        "  password: <secret>\n"
        "  socket: /tmp/mysql.sock",
        "staging: &staging\n  adapter: postgresql\n  pool: 5\n  password: <secret>\n  host: <host>",
    ),
    frames(
        "rails keys", "framework", hexkey(128),
        "production:\n  secret_key_base: <secret>\n",
        'config.secret_key_base = "<secret>"',
        "Devise.setup do |config|\n  config.pepper = '<secret>'\nend",
    ),
    frames(
        "wordpress database", "framework", word(IN_SINGLE),
        "/** Database password */\ndefine( 'DB_PASSWORD', '<secret>' );\n"
        "define( 'DB_HOST', '<host>' );",
        "define('DB_USER','<user>');define('DB_PASSWORD','<secret>');",
    ),
    frames(
        "wordpress salts", "framework", lambda rng: chars(rng, SALT, 64),
        "define('AUTH_KEY',         '<secret>');\n",
        "define( 'SECURE_AUTH_SALT', '<secret>' );\n$table_prefix = 'wp_';",
        "define('NONCE_KEY', '<secret>');",
    ),
    frames(
        "laravel key", "framework", random_bytes(32),
        "APP_NAME=Laravel\nAPP_ENV=production\nAPP_KEY=base64:<secret>\n"
        "APP_URL=https://example.com",
        "'key' => 'base64:<secret>',\n'cipher' => 'AES-256-CBC',",
    ),
    frames(
        "PHP arrays and calls", "framework", word(IN_SINGLE + "$"),
        "$db = ['host' => '<host>', 'user' => '<user>', 'pass' => '<secret>', 'name' => '<db>'];",
        "$link = mysqli_connect('<host>', '<user>', '<secret>', '<db>');",
        "$databases['default']['default'] = array('database' => '<db>', 'password' => '<secret>');",
        "new PDO('mysql:host=<host>;dbname=<db>', '<user>', '<secret>');",
    ),
    frames(
        "dotnet settings", "framework", word(IN_ADO),
        '{"ConnectionStrings": {"Default": "Server=<host>;Database=<db>;User Id=<user>;'
        'Password=<secret>;TrustServerCertificate=True"}}',
        '"Main": "Data Source=<host>,1433;Initial '
        'Catalog=<db>;Uid=<user>;Pwd=<secret>;Encrypt=yes;"',
        'new SqlConnection("Server=<host>;User ID=<user>;Password=<secret>")',
    ),
    frames(
        "dotnet JSON keys", "framework", random_bytes(40),
        '"Jwt": {\n  "Issuer": "https://<app>.example.com",\n  "SigningKey": "<secret>"\n}',
        '"Storage": "DefaultEndpointsProtocol=https;AccountName=<app>;AccountKey=<secret>;'
        'EndpointSuffix=core.windows.net"',
        '"ServiceBus": "Endpoint=sb://<app>.servicebus.windows.net/;SharedAccessKeyName=Root;'
        'SharedAccessKey=<secret>"',
    ),
    frames(
        "web.config", "framework", word(IN_XML + ";{}="),
        '<add name="Db" connectionString="server=<host>;uid=<user>;pwd=<secret>;database=<db>" />',
        '<network host="smtp.example.com" port="587" userName="<user>" password="<secret>" />',
        '<add key="ReportServerPassword" value="<secret>" />',
    ),
    frames(
        "XML settings", "framework", word(IN_XML),
        '<Resource name="jdbc/<db>" username="<user>" password="<secret>" maxTotal="20"/>',
        "<jdbc>\n  <username><user></username>\n  <password><secret></password>\n</jdbc>",
        '<property name="hibernate.connection.password"><secret></property>',
        '<user username="<user>" password="<secret>" roles="manager-gui"/>',
    ),
    frames(
        "TOML and INI", "framework", word(IN_DOUBLE + ";#%'"),
        '[connections.snowflake]\naccount = "xy12345"\nuser = "<user>"\npassword = "<secret>"',
        "[client]\nuser=<user>\npassword=<secret>\nhost=<host>",
        "[smtp]\nenabled = true\nuser = <user>\npasswd = <secret>",
        '[redis]\nrequirepass = "<secret>"\nport = 6379',
        "requirepass <secret>\nmaxmemory 256mb\nappendonly yes",
    ),
    frames(
        "npmrc", "packages", token(36, prefix="npm_"),
        "//registry.npmjs.org/:_authToken=<secret>\nalways-auth=true",
        "npm config set //npm.pkg.github.com/:_authToken <secret>",
        'npmRegistryServer: "https://registry.example.com"\nnpmAuthToken: "<secret>"',
    ),
    frames(
        "npmrc in base64", "packages", random_bytes(24),
        "registry=https://npm.example.com/\n_auth=<secret>\nemail=<user>@example.com",
        "//npm.example.com/:username=<user>\n//npm.example.com/:_password=<secret>",
    ),
    frames(
        "pip settings", "packages", in_url,
        "[global]\nindex-url = https://<user>:<secret>@pypi.example.com/simple",
        "pip install --extra-index-url https://<user>:<secret>@pkgs.example.com/simple "
        "acme-core==1.4",
        "Looking in indexes: https://pypi.org/simple, "
        "https://<user>:<secret>@pypi.example.com/simple/",
        "UV_INDEX_URL=https://<user>:<secret>@pypi.example.com/simple uv sync",
    ),
    frames(
        "pypirc", "packages", token(160, prefix="pypi-AgEIcHlwaS5vcmc", alphabet=SALT[:62] + "-_"),
        "[pypi]\nusername = __token__\npassword = <secret>",
        "twine upload -u __token__ -p <secret> dist/*",
        "poetry config pypi-token.pypi <secret>",
    ),
    frames(
        "maven settings", "packages", word(IN_XML),
        "<server>\n  <id>nexus</id>\n  <username><user></username>\n"
        "  <password><secret></password>\n</server>",
        "<proxy><port>8080</port><username><user></username>"
        "<password><secret></password></proxy>",
    ),
    frames(
        "gradle and android", "packages", word("\\:=#! '\"$"),
        "org.gradle.jvmargs=-Xmx4g\nnexusUsername=<user>\nnexusPassword=<secret>",
        'signingConfigs {\n  release {\n    storeFile file("r.jks")\n    storePassword "<secret>"\n'
        '    keyAlias "key0"\n  }\n}',
        "RELEASE_KEY_PASSWORD=<secret>\nRELEASE_KEY_ALIAS=upload",
        "storePassword=<secret>\nkeyAlias=upload\nstoreFile=../upload-keystore.jks",
    ),
    frames(
        "nuget settings", "packages", word(IN_XML),
        '<packageSourceCredentials>\n  <Feed>\n    <add key="Username" value="<user>" />\n'
        '    <add key="ClearTextPassword" value="<secret>" />\n  </Feed>\n'
        '</packageSourceCredentials>',
    ),
    frames(
        "nuget and gem pushes", "packages", token(46, alphabet="abcdefghijklmnopqrstuvwxyz234567"),
        "dotnet nuget push pkg.1.0.0.nupkg --api-key <secret> --source "
        "https://api.nuget.org/v3/index.json",
        "---\n:rubygems_api_key: rubygems_<secret>",
        'composer config http-basic.repo.example.com token "<secret>"',
        "cargo login <secret>\n       Login token for `crates-io` saved",
    ),
    frames(
        "python source", "source", any_key,
        'import requests\n\nAPI_KEY = "<secret>"\n\ndef fetch(q: str) -> dict:\n    return {}',
        'client = OpenAI(api_key="<secret>", base_url="https://llm.example.com/v1")',
        "os.environ['WEATHER_API_KEY'] = '<secret>'",
        'headers = {"Authorization": f"Bearer <secret>", "Accept": "application/json"}',
        'TOKEN: Final[str] = "<secret>"  # TODO move to env',
        'token = os.getenv("BOT_TOKEN", "<secret>")',
    ),
    frames(
        "python passwords", "source", word("'\"\\{}"),
        'conn = psycopg2.connect(host="<host>", user="<user>", password="<secret>", dbname="<db>")',
        "smtp.login('<user>@example.com', '<secret>')",
        "paramiko.SSHClient().connect('<host>', username='<user>', password='<secret>')",
        'auth = HTTPBasicAuth("<user>", "<secret>")',
        "requests.get(url, auth=('<user>', '<secret>'), timeout=10)",
        'if pwd != "<secret>":\n    raise PermissionError',
    ),
    frames(
        "javascript source", "source", any_key,
        "const apiKey = '<secret>';\nmodule.exports = { apiKey };",
        'axios.get(url, { headers: { "x-api-key": "<secret>" } })',
        "firebase.initializeApp({ projectId: '<app>', clientSecret: '<secret>' })",
        "app.use(session({ secret: '<secret>', resave: false }))",
        "export const SUPABASE_SERVICE_ROLE_KEY = `<secret>`",
        "const SECRET = process.env.SECRET || '<secret>'",
        "jwt.sign({ id }, '<secret>', { expiresIn: '1h' })",
    ),
    frames(
        "other languages", "source", any_key,
        'private static final String SECRET_TOKEN = "<secret>";',
        'const apiToken = "<secret>" // Go\n\nfunc main() {}',
        'let client = Client::new().bearer_auth("<secret>");',
        'public string ApiKey { get; set; } = "<secret>";',
        "Stripe.api_key = '<secret>'",
        'val accessToken: String = "<secret>"',
        '#define WIFI_API_KEY "<secret>"',
        'Sys.setenv(AIRTABLE_API_KEY = "<secret>")',
        'my $auth_token = "<secret>";',
    ),
    frames(
        "passwords in other source", "source", word(IN_JSON + "$'#"),
        'DriverManager.getConnection("jdbc:oracle:thin:@<host>:1521:XE", "<user>", "<secret>");',
        'String pwd = "<secret>";\nds.setPassword("<secret>");',
        'cfg := mysql.Config{User: "<user>", Passwd: "<secret>", Net: "tcp", Addr: "<host>:3306"}',
        'var credentials = new NetworkCredential("<user>", "<secret>", "CORP");',
        'const char* password = "<secret>";\nWiFi.begin(ssid, password);',
        'Dim strPassword As String: strPassword = "<secret>"',
    ),
    frames(
        "JSON settings", "source", word(IN_JSON),
        '{"host": "<host>", "port": 22, "user": "<user>", "passphrase": "<secret>", "debug": '
        'false}',
        '{"smtp":{"auth":{"user":"<user>","pass":"<secret>"}}}',
        '{"ftp": {"server": "<host>", "login": "<user>", "passwd": "<secret>"}}',
        '{\\"username\\": \\"<user>\\", \\"password\\": \\"<secret>\\"}',
    ),
    frames(
        "keys in JSON in camel case", "source", any_key,
        '{"accessToken":"<secret>","expiresIn":3600,"tokenType":"Bearer"}',
        '{"mcpServers": {"search": {"command": "npx", "env": {"BRAVE_API_KEY": "<secret>"}}}}',
        '{"integration": "<app>", "webhookSecret": "<secret>", "active": true}',
        '{"bot": {"botToken": "<secret>", "prefix": "!"}}',
    ),
    frames(
        "notebook cell", "source", service_key,
        '{"cell_type": "code", "source": ["%env OPENAI_API_KEY=<secret>\\n", "import openai"]}',
        'In [3]: openai.api_key = "<secret>"\n\nIn [4]: openai.models.list()',
        '!huggingface-cli login --token <secret>\nToken is valid (permission: read).',
    ),
    frames(
        "fernet and hashing keys", "source",
        lambda rng: b64(rng, 32).replace("+", "-").replace("/", "_"),
        'f = Fernet(b"<secret>")',
        "FERNET_KEY=<secret>\nAIRFLOW__CORE__EXECUTOR=LocalExecutor",
        'ENCRYPTION_KEY: "<secret>"',
        'hmac.new(b"<secret>", body, hashlib.sha256).hexdigest()',
    ),
)  # fmt: skip
