"""What agents and programs leave: tool calls and results, dumps, tracebacks, notebooks, CI logs."""

from __future__ import annotations

import json

from fourth_material import (
    HEX,
    LOWNUM,
    UPNUM,
    URLSAFE,
    Made,
    Rand,
    Register,
    T,
    aws_secret,
    b64,
    fill,
    github,
    hexs,
    human,
    jwt,
    openai,
    phrase,
    strong,
    tok,
    uuid,
    wordy,
)

agent, dump, log = Register("agent-tool"), Register("dump"), Register("traceback-log")
book, ci, cloud = Register("notebook"), Register("ci"), Register("cloud")

# ---- agents' tool calls and results ----

agent.main(
    "bash-tool-call-openai-arguments",
    human,
    r"""
{"id": "call_<<al24>>", "type": "function", "function": {"name": "bash", "arguments": "{\"command\": \"psql \\\"host=<<host>> user=<<role>> password=<<S>> dbname=<<noun>>\\\" -c '\\\\dt'\"}"}}
""",
)
agent.main(
    "browser-fill-tool",
    human,
    """
{"type": "tool_use", "id": "toolu_01<<al22>>", "name": "browser_type", "input": {"element": "Password field", "ref": "s1e<<n2>>", "text": "<<S>>", "submit": true}}
""",
)
agent.main(
    "playwright-script-fill",
    human,
    'await page.goto("https://<<host>>/login")\nawait page.fill("#user", "<<email>>")\nawait page.fill("#password", "<<S>>")\nawait page.click("text=Sign in")\n',
)
agent.main(
    "str-replace-edit-new-string",
    T(32, HEX),
    r"""
{"command": "str_replace", "path": "app/settings_<<noun>>.py", "old_str": "API_KEY = os.environ[\"API_KEY\"]", "new_str": "API_KEY = \"<<S>>\""}
""",
)
agent.main(
    "http-tool-call-headers",
    T(48, URLSAFE),
    '{"tool": "http_request", "args": {"method": "POST", "url": "https://<<host>>/v2/<<noun>>", "headers": {"x-api-key": "<<S>>", "content-type": "application/json"}, "body": {"limit": <<n2>>}}}\n',
)
agent.main(
    "numbered-file-view-result",
    human,
    '     1\timport smtplib\n     2\t\n     3\tSMTP_HOST = "<<host>>"\n     4\tSMTP_USER = "<<email>>"\n     5\tSMTP_PASS = "<<S>>"\n     6\t\n     7\tdef send(to, body):  # <<n3>>\n',
)
agent.main(
    "send-email-tool-body",
    human,
    r"""
send_email(to="<<email>>", subject="Your new account", body="Hi <<First>>,\n\nyour account on <<host>> is ready.\nLogin: <<user>>\nPassword: <<S>>\n\nBest, IT")
""",
)
agent.main(
    "ripgrep-result",
    T(36),
    'services/<<noun>>/client.py:<<n2>>:    token = os.getenv("TOKEN")\nscripts/old/<<noun>>_sync.py:<<n2>>:TOKEN = "<<S>>"  # FIXME move to env\ntests/test_client.py:<<n2>>:    token = "dummy"\n',
)
agent.main(
    "git-diff-removed-line",
    T(40, LOWNUM),
    "diff --git a/conf.py b/conf.py\nindex <<hex7>>..<<hex7>> 100644\n--- a/conf.py\n+++ b/conf.py\n@@ -<<n2#1>>,3 +<<n2#1>>,3 @@\n-SEARCH_KEY = '<<S>>'\n+SEARCH_KEY = os.environ['SEARCH_KEY']\n",
)
agent.spare(
    "sql-tool-result-users",
    human,
    '[{"id": <<n3>>, "email": "<<email>>", "password": "<<S>>", "is_active": true}]\n',
)
agent.spare(
    "anthropic-tool-result-cat",
    aws_secret,
    r"""
{"type": "tool_result", "tool_use_id": "toolu_01<<al22>>", "content": "[default]\naws_access_key_id = AKIA<<aws16>>\naws_secret_access_key = <<S>>\n"}
""",
)
agent.spare(
    "remember-memory-tool",
    human,
    '{"name": "save_memory", "input": {"fact": "The user\'s Wi-Fi network <<Noun>>-<<n2>> has the password <<S>>."}}\n',
)
agent.spare(
    "crewai-thought-action-input",
    T(32),
    'Thought: I have to call the <<noun>> API with the key I was given.\nAction: fetch_url\nAction Input: {"url": "https://<<host>>/data?api_key=<<S>>"}\nObservation: 200 OK\n',
)
agent.spare(
    "system-prompt-credentials",
    wordy,
    "You are the assistant of <<Noun>> GmbH. To look up orders log in to https://<<host>> with user <<user>> and password <<S>>. Never tell customers these credentials.\n",
)
agent.spare(
    "write-file-heredoc",
    strong,
    "cat > deploy/<<noun>>.env <<EOF\nDB_HOST=<<host>>\nDB_USER=<<role>>\nDB_PASS=<<S>>\nEOF\n",
)
agent.spare(
    "computer-use-type-action",
    human,
    'computer(action="left_click", coordinate=[<<n3>>, <<n3>>])  # password box\ncomputer(action="type", text="<<S>>")\ncomputer(action="key", text="Return")\n',
)
agent.spare(
    "yaml-tool-transcript",
    lambda r: github(r, "ghp_"),
    "- role: assistant\n  tool: run\n  args:\n    cmd: gh auth login --with-token\n    stdin: <<S>>\n- role: tool\n  rc: 0\n  took_ms: <<n3>>\n",
)
agent.spare(
    "selenium-send-keys",
    human,
    'driver.find_element(By.ID, "login-pass").send_keys("<<S>>")\ndriver.find_element(By.ID, "login-<<noun>>").click()\n',
)

# ---- dumps and reprs ----

dump.main(
    "environ-repr",
    T(40),
    "environ({'PATH': '/usr/local/bin:/usr/bin', 'HOSTNAME': '<<hex12>>', 'PAYMENT_API_SECRET': '<<S>>', 'PYTHONUNBUFFERED': '1'})\n",
)
dump.main(
    "dataclass-repr",
    human,
    "ImapConfig(host='<<host>>', port=993, user='<<email>>', password='<<S>>', use_ssl=True)\n",
)
dump.main(
    "pydantic-validation-input",
    lambda r: tok(r, 28),
    "1 validation error for Settings\nport\n  Input should be a valid integer [type=int_parsing, input_value={'port': 'x', 'token': '<<S>>'}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.<<n1>>/v/int_parsing\n# <<noun>>\n",
)
dump.main(
    "pprint-nested-dict",
    strong,
    "{'cache': {'host': '<<host>>', 'ttl': <<n3>>},\n 'ldap': {'bind_dn': 'cn=<<role>>,dc=<<noun>>,dc=org',\n          'bind_password': '<<S>>',\n          'port': 636}}\n",
)
dump.main(
    "requests-prepared-headers-repr",
    T(43, URLSAFE),
    "<PreparedRequest [GET]> {'User-Agent': '<<noun>>/1.<<n1>>', 'Authorization': 'Bearer <<S>>'}\n",
)
dump.spare(
    "debugger-locals",
    human,
    "(Pdb) p locals()\n{'self': <Mailer object at 0x7f<<hex10>>>, 'username': '<<email>>', 'passwd': '<<S>>', 'retry': <<n1>>}\n",
)
dump.spare(
    "tuple-repr-credentials",
    wordy,
    ">>> load_credentials('<<noun>>')\n('<<user>>', '<<S>>')\n",
)
dump.spare(
    "pickle-bytes-repr",
    lambda r: tok(r, 32, LOWNUM),
    "b'\\x80\\x04\\x95X\\x00\\x00\\x00}\\x94(\\x8c\\x04user\\x94\\x8c\\x05<<noun>>\\x94\\x8c\\x06secret\\x94\\x8c <<S>>\\x94u.'\n",
)
dump.spare(
    "toml-dump-namedtuple",
    T(30),
    "Credentials(access_key='<<up20>>', secret_key='<<S>>', session=None, region='<<noun>>-<<n1>>')\n",
)


@dump.spare_of("json-in-json-string")
def _(r: Rand) -> Made:
    secret = strong(r)
    inner = json.dumps({"user": "app", "password": secret, "ssl": True})
    return json.dumps({"SecretString": inner, "VersionId": uuid(r), "Name": tok(r, 6)}), secret


# ---- tracebacks and logs ----

log.main(
    "traceback-source-line",
    human,
    """
Traceback (most recent call last):
  File "/app/<<noun>>.py", line <<n2>>, in <module>
    server.login("<<email>>", "<<S>>")
  File "/usr/lib/python<<py>>/smtplib.py", line 750, in login
    raise last_exception
smtplib.SMTPAuthenticationError: (535, b'5.7.8 Username and Password not accepted')
""",
)
log.main(
    "debug-log-payload",
    human,
    "<<date>> <<time>> DEBUG [<<noun>>.auth] login payload={'username': '<<user>>', 'password': '<<S>>', 'remember': True}\n",
)
log.main(
    "openai-401-message",
    lambda r: openai(r, "svcacct"),
    "openai.AuthenticationError: Error code: 401 - {'error': {'message': 'Incorrect API key provided: <<S>>. You can find your API key at https://platform.openai.com/account/api-keys.', 'code': 'invalid_api_key'}}  # run <<n3>>\n",
)
log.main(
    "json-log-line-token",
    T(64, HEX),
    '{"ts": "<<stamp>>", "level": "info", "logger": "<<noun>>", "msg": "session created", "user_id": <<n5>>, "session_token": "<<S>>"}\n',
)
log.spare(
    "rich-traceback-locals-box",
    T(36),
    "│ ╭────────────── locals ──────────────╮ │\n│ │ api_key = '<<S>>' │ │\n│ │ retries = <<n2>>                     │ │\n│ ╰────────────────────────────────────╯ │\n",
)
log.spare(
    "failed-login-sshd-wrong-field",
    human,
    "Nov <<day>> <<time>> <<noun>> sshd[<<n5>>]: Invalid user password: <<S>> from <<ip>> port <<n5>>\n",
)
log.spare(
    "sentry-extra-frame-vars",
    human,
    '{"function": "connect", "lineno": <<n3>>, "vars": {"host": "\'<<host>>\'", "pwd": "\'<<S>>\'", "port": "5432"}}\n',
)
log.spare(
    "sqlalchemy-echo-parameters",
    lambda r: tok(r, 40, URLSAFE),
    "INFO sqlalchemy.engine.Engine UPDATE integrations SET api_token=%(api_token)s WHERE id=%(id)s\nINFO sqlalchemy.engine.Engine [generated in 0.000<<n2>>s] {'api_token': '<<S>>', 'id': <<n2>>}\n",
)
log.spare(
    "reset-link-console-mail",
    lambda r: f"{tok(r, 6, LOWNUM)}-{hexs(r, 32)}",
    "Subject: Password reset on <<host>>\nFrom: noreply@<<noun>>.example.com\n\nhttps://<<host>>/accounts/reset/<<al3>>/<<S>>/\n\nYour username, in case you've forgotten: <<user>>\n",
)

# ---- notebooks ----


@book.main_of("ipynb-source-environ")
def _(r: Rand) -> Made:
    secret = openai(r)
    lines = ["import os\n", f'os.environ["OPENAI_API_KEY"] = "{secret}"\n', "print('ok')"]
    cell = {"cell_type": "code", "execution_count": r.randrange(1, 60), "id": hexs(r, 8)}
    return json.dumps({**cell, "outputs": [], "source": lines}, indent=1), secret


book.main(
    "colab-bang-command",
    T(34, before="hf_"),
    "!pip install -q transformers==4.4<<n1>>.0\n!git clone https://user:<<S>>@huggingface.co/<<noun>>/<<noun>>-7b\n",
)
book.spare(
    "notebook-output-echo",
    T(39),
    "In [<<n2#1>>]: cfg['<<noun>>']['api_key']\nOut[<<n2#1>>]: '<<S>>'\n",
)
book.spare(
    "kaggle-json-write",
    T(32, HEX),
    'with open("/root/.kaggle/kaggle.json", "w") as f:\n    json.dump({"username": "<<user>>", "key": "<<S>>"}, f)\n',
)
book.spare(
    "notebook-magic-sql",
    human,
    "%load_ext sql\n%sql mysql+pymysql://<<role>>:<<S>>@<<host>>/<<noun>>\n%config SqlMagic.displaylimit = <<n2>>\n",
)

# ---- CI ----

ci.main(
    "actions-log-env-block",
    lambda r: tok(r, 40),
    "<<stamp#1>> ##[group]Run pytest -q\n<<stamp#1>> shell: /usr/bin/bash -e {0}\n<<stamp#1>> env:\n<<stamp#1>>   SERVICE_URL: https://<<host>>\n<<stamp#1>>   SERVICE_TOKEN: <<S>>\n<<stamp#1>> ##[endgroup]\n",
)
ci.main(
    "jenkins-sh-xtrace-curl",
    T(34, HEX, "11"),
    "[Pipeline] sh\n+ curl -fsS -X POST https://jenkins.<<noun>>.example.com/job/<<noun>>/build --user <<user>>:<<S>>\nFinished: FAILURE (#<<n3>>)\n",
)
ci.main(
    "gitlab-ci-variables",
    human,
    "deploy:\n  stage: deploy\n  variables:\n    SFTP_USER: <<user>>\n    SFTP_PASSWORD: '<<S>>'\n  script:\n    - ./deploy.sh <<host>>\n",
)
ci.spare(
    "workflow-yaml-hardcoded",
    T(40, HEX),
    "      - uses: codecov/codecov-action@v<<n1>>\n        with:\n          token: <<S>>\n          flags: <<noun>>\n",
)
ci.spare(
    "docker-build-arg-log",
    lambda r: github(r, "ghp_"),
    "#<<n2#1>> [build 4/9] RUN pip install git+https://<<S>>@github.com/<<noun>>/<<noun>>.git@v1.<<n1>>\n#<<n2#1>> 2.<<n3>> Collecting git\n",
)
ci.spare(
    "circleci-context-curl",
    lambda r: "CCIPAT_" + tok(r, 22) + "_" + hexs(r, 40),
    'curl -X PUT https://circleci.com/api/v2/context/<<uuid>>/environment-variable/<<noun>> -H "Circle-Token: <<S>>"\n',
)

# ---- cloud consoles ----

cloud.main(
    "aws-create-access-key-json",
    aws_secret,
    '$ aws iam create-access-key --user-name <<user#1>>\n{\n    "AccessKey": {\n        "UserName": "<<user#1>>",\n        "AccessKeyId": "AKIA<<aws16>>",\n        "Status": "Active",\n        "SecretAccessKey": "<<S>>",\n        "CreateDate": "<<stamp>>"\n    }\n}\n',
)
cloud.main(
    "heroku-config-listing",
    lambda r: hexs(r, 64),
    "=== <<noun>>-api Config Vars\nDYNO_RAM:      <<n3>>\nMAILER_SECRET: <<S>>\nWEB_WORKERS:   <<n1>>\n",
)
cloud.main(
    "terraform-output-sensitive",
    lambda r: strong(r, 16, "!#*-_"),
    '$ terraform output -json\n{\n  "db_endpoint": {"sensitive": false, "type": "string", "value": "<<host>>:5432"},\n  "db_password": {"sensitive": true, "type": "string", "value": "<<S>>"}\n}\n',
)
cloud.spare(
    "iam-user-csv-download",
    lambda r: strong(r, 16, "!*-_"),
    "User name,Password,Console sign-in URL\n<<user>>,<<S>>,https://<<n12>>.signin.aws.amazon.com/console\n",
)
cloud.spare(
    "lambda-get-configuration",
    phrase,
    '{"FunctionName": "<<noun>>", "Runtime": "python<<py>>", "Environment": {"Variables": {"STAGE": "prod", "FTP_PASSWORD": "<<S>>"}}}\n',
)
cloud.spare(
    "azure-keyvault-show",
    wordy,
    '$ az keyvault secret show --vault-name <<noun>>-kv --name sql-admin\n{"attributes": {"enabled": true}, "id": "https://<<noun>>-kv.vault.azure.net/secrets/sql-admin/<<hex32>>", "value": "<<S>>"}\n',
)
cloud.spare(
    "cloud-init-userdata",
    lambda r: strong(r, 18, "-_."),
    "#cloud-config\nhostname: <<noun>>-<<n2>>\nchpasswd:\n  list: |\n    root:<<S>>\n  expire: false\n",
)
cloud.spare(
    "gcp-oauth-client-json",
    lambda r: "GOCSPX-" + tok(r, 28, URLSAFE),
    '{"installed": {"client_id": "<<n12>>-<<low32>>.apps.googleusercontent.com", "project_id": "<<noun>>-<<n6>>", "client_secret": "<<S>>", "redirect_uris": ["http://localhost"]}}\n',
)
cloud.spare(
    "sts-session-token-export",
    lambda r: "IQoJb3JpZ2luX2Vj" + b64(tok(r, 300, UPNUM + LOWNUM)).rstrip("="),
    "export AWS_ACCESS_KEY_ID=ASIA<<aws16>>\nexport AWS_SESSION_TOKEN=<<S>>\nexport AWS_REGION=eu-north-<<n1>>\n",
)


@cloud.spare_of("service-bus-connection")
def _(r: Rand) -> Made:
    secret = b64(bytes(r.randrange(256) for _ in range(32)))
    text = 'ServiceBusClient.from_connection_string("Endpoint=sb://<<noun>>-<<n2>>.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=<<S>>")\n'
    return fill(r, text, secret), secret


cloud.spare(
    "k8s-service-account-token",
    lambda r: jwt(r, {"sub": "system:serviceaccount:prod:" + tok(r, 6, LOWNUM)}, "RS256", kid="k1"),
    "$ kubectl exec <<noun>>-<<low9>>-<<low5>> -- cat /var/run/secrets/kubernetes.io/serviceaccount/token\n<<S>>\n",
)
