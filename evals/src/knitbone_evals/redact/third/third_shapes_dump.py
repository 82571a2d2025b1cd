"""Code, printed objects, logs, stack traces, agents' own calls."""

from __future__ import annotations

import json
import random

from third_material import (
    FIRST,
    LAST,
    UPNUM,
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
    word,
)

shape = Register()


@shape("dataclass-repr", "repr")
def _(r: random.Random):
    s = human(r)
    return (
        f">>> cfg\nMailConfig(host='{host(r, 'mail')}', port=587, username='{email(r)}', password='{s}', use_tls=True, timeout=30.0)\n>>> cfg.port\n587",
        s,
    )


@shape("pydantic-secretstr-unwrapped", "repr")
def _(r):
    s = tok(r, 40)
    return (
        f"In [4]: settings.model_dump()\nOut[4]: {{'api_token': SecretStr('**********'), 'region': 'eu'}}\n\nIn [5]: settings.api_token.get_secret_value()\nOut[5]: '{s}'"
    ), s


@shape("pprint-dict-of-tuples", "repr")
def _(r):
    s = human(r)
    return (
        f"{{'engines': [{{'dialect': 'postgresql+psycopg',\n               'login': ('{role(r)}', '{s}'),\n               'port': 5432}}],\n 'pool': {r.randrange(5, 30)},\n 'echo': False}}"
    ), s


@shape("pytest-showlocals", "trace")
def _(r):
    s = human(r)
    return (
        f"    def test_login(client):\n>       assert resp.status_code == 200\nE       assert 401 == 200\n\nclient     = <TestClient {word(r)}>\npasswd     = '{s}'\n"
        f"resp       = <Response [401]>\nuser       = '{user(r)}'\n\ntests/test_auth.py:{r.randrange(10, 200)}: AssertionError"
    ), s


@shape("python-traceback-argument-in-message", "trace")
def _(r):
    s = human(r)
    return (
        f'Traceback (most recent call last):\n  File "/app/sync.py", line {r.randrange(10, 200)}, in <module>\n    login(user, pw)\n'
        f"TypeError: login() takes 1 positional argument but 2 were given: ('{user(r)}', '{s}')"
    ), s


@shape("java-trace-jdbc-properties", "trace")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"org.springframework.jdbc.CannotGetJdbcConnectionException: Failed to obtain connection with properties {{user={role(r)}, password={s}, ssl=true}}\n"
        "\tat org.springframework.jdbc.datasource.DataSourceUtils.getConnection(DataSourceUtils.java:84)\n\tat org.springframework.jdbc.core.JdbcTemplate.execute(JdbcTemplate.java:376)\n"
        "Caused by: java.net.ConnectException: Connection refused"
    ), s


@shape("node-axios-error-inspect", "repr")
def _(r):
    s = human(r)
    return (
        f"AxiosError: Request failed with status code 403\n    at settle (/srv/{word(r)}/node_modules/axios/lib/core/settle.js:19:12) {{\n  code: 'ERR_BAD_REQUEST',\n  config: {{\n"
        f"    timeout: 10000,\n    auth: {{ username: '{role(r)}', password: '{s}' }},\n    method: 'get'\n  }}\n}}"
    ), s


@shape("go-plus-v-struct", "repr")
def _(r):
    s = strong(r, 20, "_-.+!")
    return (
        f"2025/04/02 11:0{r.randrange(10)}:12 starting with {{Addr:{host(r)}:6379 Username:{role(r)} Password:{s} DB:0 PoolSize:{r.randrange(5, 50)} TLSConfig:<nil>}}",
        s,
    )


@shape("rust-debug-struct", "repr")
def _(r):
    s = tok(r, 32)
    return (
        f'[src/main.rs:{r.randrange(10, 90)}:5] &config = Config {{\n    bucket: "{word(r)}",\n    access_key: "{tok(r, 20, UPNUM)}",\n    secret_key: Some(\n        "{s}",\n    ),\n    path_style: true,\n}}'
    ), s


@shape("ruby-inspect-instance-variables", "repr")
def _(r):
    s = human(r)
    return (
        f'irb(main):003> Client.new\n=> #<Acme::Client:0x0000{hexs(r, 12)} @host="{host(r)}", @login="{user(r)}", @password="{s}", @retries=3>',
        s,
    )


@shape("php-var-dump", "repr")
def _(r):
    s = human(r)
    return (
        f'array(3) {{\n  ["host"]=>\n  string(9) "localhost"\n  ["user"]=>\n  string(4) "root"\n  ["pass"]=>\n  string({len(s)}) "{s}"\n}}',
        s,
    )


@shape("elixir-config-keyword", "config")
def _(r):
    s = b64(raw(r, 48))
    return (
        f'config :{word(r)}, {word(r).title()}Web.Endpoint,\n  url: [host: "{host(r, "www")}"],\n  secret_key_base: "{s}",\n  server: true',
        s,
    )


@shape("erlang-proplist-log", "log")
def _(r):
    s = human(r)
    return (
        f'{stamp(r)} [error] <0.{r.randrange(100, 900)}.0> connect failed: [{{host,"{host(r)}"}},{{port,5671}},{{username,<<"{role(r)}">>}},{{password,<<"{s}">>}}] reason: econnrefused',
        s,
    )


@shape("logfmt-line", "log")
def _(r):
    s = strong(r, 18, "_-.+!")
    return (
        f'ts={stamp(r)} level=info caller=ldap.go:{r.randrange(20, 300)} msg="bind" dn="cn={role(r)}" bind_pw={s} attempt=1 dur=12ms',
        s,
    )


@shape("json-log-nested-escaped", "nested")
def _(r):
    s = human(r)
    inner = json.dumps({"grant_type": "password", "username": email(r), "password": s})
    mid = json.dumps({"url": "/oauth/token", "body": inner})
    return json.dumps(
        {
            "level": 30,
            "time": 17000000000 + r.randrange(10**9),
            "msg": "upstream call",
            "req": mid,
            "pid": r.randrange(9, 999),
        }
    ), s


@shape("java-drivermanager-positional", "code")
def _(r):
    s = human(r)
    return (
        f'try (Connection c = DriverManager.getConnection("jdbc:postgresql://{host(r)}/{word(r)}", "{role(r)}", "{s}");\n'
        '     PreparedStatement ps = c.prepareStatement("SELECT 1")) {\n    ps.execute();\n}'
    ), s


@shape("csharp-network-credential", "code")
def _(r):
    s = human(r)
    return (
        f'using var client = new SmtpClient("{host(r, "smtp")}", 587)\n{{\n    EnableSsl = true,\n    Credentials = new NetworkCredential("{email(r)}", "{s}")\n}};',
        s,
    )


@shape("kotlin-buildconfig-hmac", "code")
def _(r):
    s = hexs(r, 64)
    return (
        f'android {{\n    defaultConfig {{\n        applicationId = "org.{word(r)}.app"\n        buildConfigField("String", "HMAC_SECRET", "\\"{s}\\"")\n        versionCode = {r.randrange(10, 99)}\n    }}\n}}',
        s,
    )


@shape("browser-fill-tool-call", "agent")
def _(r):
    s = human(r)
    return json.dumps(
        {
            "tool": "browser_batch",
            "steps": [
                {"action": "goto", "url": f"https://{host(r, 'app')}/login"},
                {"action": "fill", "selector": "input[type=email]", "value": email(r)},
                {"action": "fill", "selector": "input[type=password]", "value": s},
                {"action": "click", "selector": "button[type=submit]"},
            ],
        }
    ), s


@shape("selenium-send-keys", "code")
def _(r):
    s = human(r)
    return (
        f"driver.get('https://{host(r, 'portal')}/signin')\ndriver.find_element(By.ID, 'loginName').send_keys('{user(r)}')\n"
        f"driver.find_element(By.ID, 'loginPassword').send_keys('{s}')\ndriver.find_element(By.CSS_SELECTOR, '.btn-primary').click()"
    ), s


@shape("edit-tool-old-new", "agent")
def _(r):
    s = tok(r, 48, URLSAFE)
    return json.dumps(
        {
            "name": "str_replace",
            "input": {
                "path": f"/repo/{word(r)}/settings.py",
                "old_str": f'JWT_SIGNING_KEY = "{s}"\n',
                "new_str": 'JWT_SIGNING_KEY = os.environ["JWT_SIGNING_KEY"]\n',
            },
        },
        indent=2,
    ), s


@shape("git-log-p-removed-line", "diff")
def _(r):
    s = human(r)
    return (
        f"commit {hexs(r, 40)}\nAuthor: {user(r)} <{email(r)}>\n\n    remove hard-coded login\n\n--- a/scripts/{word(r)}.py\n+++ b/scripts/{word(r)}.py\n@@ -7,3 +7,3 @@\n"
        f'-    imap.login("{email(r)}", "{s}")\n+    imap.login(os.environ["IMAP_USER"], getpass())'
    ), s


@shape("chat-transcript-json-answer", "agent")
def _(r):
    s = human(r)
    return json.dumps(
        [
            {
                "role": "assistant",
                "content": "The form asks for the administrator's password. What should I type?",
            },
            {"role": "user", "content": s},
            {"role": "assistant", "content": "Thanks, signing in now."},
        ],
        indent=1,
    ), s


@shape("html-form-dump-value", "http")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f'<form id="wan" action="/apply.cgi" method="post">\n <input type="text" name="pppoe_user" value="{user(r)}@isp">\n'
        f' <input type="password" name="pppoe_pass" value="{s}" maxlength="64">\n <input type="submit" value="Save">\n</form>'
    ), s


@shape("csv-of-accounts", "file")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"employee,login,initial_password,department\n{r.choice(FIRST).title()} {r.choice(LAST).title()},{user(r)},{s},Finance\n",
        s,
    )


@shape("bash-associative-array", "code")
def _(r):
    s = human(r, "_-.+")
    return (
        f'declare -A PASS=(\n  [staging]=""\n  [{word(r)}]="{s}"\n)\nfor env in "${{!PASS[@]}}"; do\n  ./rotate.sh "$env" "${{PASS[$env]}}"\ndone',
        s,
    )


@shape("js-concatenated-bearer", "code")
def _(r):
    s = tok(r, 56)
    return (
        f"xhr.open('GET', base + '/v1/devices');\nxhr.setRequestHeader('Authorization', 'Token ' + '{s}');\nxhr.onload = () => render(JSON.parse(xhr.response));\nxhr.send();",
        s,
    )


@shape("jupyter-start-url", "url")
def _(r):
    s = hexs(r, 48)
    return (
        f"[I {stamp(r)[:10]} ServerApp] Jupyter Server 2.14.1 is running at:\n[I ServerApp] http://{host(r, 'lab')}:8888/lab?token={s}\n"
        "[I ServerApp] Use Control-C to stop this server and shut down all kernels"
    ), s


@shape("k6-lua-redis-call", "code")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f'local red = require("resty.redis"):new()\nred:set_timeouts(1000, 1000, 1000)\nassert(red:connect("{ip(r)}", 6379))\nlocal ok, err = red:auth("{s}")\nif not ok then ngx.log(ngx.ERR, err) end',
        s,
    )


@shape("perl-dbi-connect", "code")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f"my $dbh = DBI->connect(\"dbi:Pg:dbname={word(r)};host={host(r)}\", '{role(r)}', '{s}',\n                       {{ RaiseError => 1, AutoCommit => 0 }});",
        s,
    )


@shape("strace-write-of-a-password", "trace")
def _(r):
    s = human(r, "!*+-_.")
    return (
        f'[pid {digits(r, 5)}] openat(AT_FDCWD, "/etc/{word(r)}.conf", O_RDONLY) = 3\n[pid {digits(r, 5)}] read(3, "user={role(r)}\\npassword={s}\\n", 4096) = {len(s) + 20}\n'
        f"[pid {digits(r, 5)}] close(3) = 0"
    ), s
