"""Providers' tokens, each where it is met."""

from __future__ import annotations

import json
import random

from third_material import (
    ALNUM,
    BASE32,
    FIRST,
    LAST,
    LOWNUM,
    UPNUM,
    URLSAFE,
    Register,
    anthropic,
    b64,
    b64url,
    checked,
    digits,
    email,
    hexs,
    host,
    jwt,
    openai,
    raw,
    role,
    rsa_pkcs8,
    stamp,
    tok,
    user,
    uuid,
    word,
    wrap,
)

shape = Register()


@shape("git-remote-fine-grained-pat", "cli-output")
def _(r: random.Random):
    s = "github_pat_11" + tok(r, 20, UPNUM) + "_" + tok(r, 59)
    org, repo = word(r), word(r)
    return (
        f"$ git remote -v\norigin\thttps://{user(r)}:{s}@github.com/{org}/{repo}.git (fetch)\n"
        f"upstream\thttps://github.com/{org}-labs/{repo}.git (fetch)\n$ git status -sb\n## main...origin/main [ahead 2]"
    ), s


@shape("git-credential-fill", "cli-output")
def _(r):
    s = checked(r, r.choice(("ghp_", "gho_")))
    return (
        f"$ printf 'protocol=https\\nhost=github.com\\n\\n' | git credential fill\nprotocol=https\nhost=github.com\nusername={user(r)}\npassword={s}\n",
        s,
    )


@shape("gitlab-routable-token-curl", "http")
def _(r):
    s = f"glpat-{tok(r, 43, URLSAFE)}.01.{tok(r, 7, LOWNUM)}"
    return (
        f'curl --silent --header "PRIVATE-TOKEN: {s}" \\\n  "https://gitlab.{word(r)}.example.com/api/v4/projects/'
        f'{r.randrange(100, 9000)}/pipelines?per_page=5" | jq ".[].status"'
    ), s


@shape("aws-create-access-key", "cli-output")
def _(r):
    s = tok(r, 40, ALNUM + "/+")
    return json.dumps(
        {
            "AccessKey": {
                "UserName": role(r),
                "AccessKeyId": "AKIA" + tok(r, 16, BASE32),
                "Status": "Active",
                "SecretAccessKey": s,
                "CreateDate": stamp(r),
            }
        },
        indent=4,
    ), s


@shape("aws-sts-export-session-token", "shell")
def _(r):
    s = "IQoJb3JpZ2luX2Vj" + b64(raw(r, 402))
    return (
        f"# paste from the SSO page, valid for 1h\nexport AWS_DEFAULT_REGION=eu-{r.choice(('west', 'north', 'central'))}-1\n"
        f"export AWS_SESSION_TOKEN={s}\naws sts get-caller-identity --query Account --output text\n{digits(r, 12)}"
    ), s


@shape("az-sp-create-for-rbac", "cli-output")
def _(r):
    s = tok(r, 3) + r.choice("78") + "Q~" + tok(r, 34, ALNUM + "~_-.")
    return (
        "The output includes credentials that you must protect.\n{\n"
        f'  "appId": "{uuid(r)}",\n  "displayName": "azure-cli-{stamp(r)[:10]}",\n  "password": "{s}",\n  "tenant": "{uuid(r)}"\n}}'
    ), s


@shape("azure-storage-connection-string", "config")
def _(r):
    s = b64(raw(r, 64))
    account = word(r) + digits(r, 3)
    return (
        '{\n  "IsEncrypted": false,\n  "Values": {\n    "FUNCTIONS_WORKER_RUNTIME": "python",\n'
        f'    "AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName={account};AccountKey={s};'
        'EndpointSuffix=core.windows.net"\n  }\n}'
    ), s


@shape("azure-blob-sas-signature", "url")
def _(r):
    s = b64(raw(r, 32)).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
    return (
        f"azcopy copy 'https://{word(r)}{digits(r, 2)}.blob.core.windows.net/exports/{word(r)}.parquet?sv=2023-11-03"
        f"&st={stamp(r).replace(':', '%3A')}&se={stamp(r).replace(':', '%3A')}&sr=c&sp=rl&sig={s}' ./in --recursive\n"
        "INFO: Scanning..."
    ), s


@shape("gcp-service-account-json", "key-material")
def _(r):
    s = wrap(b64(rsa_pkcs8(r))).replace("\n", "\\n")
    project = f"{word(r)}-{word(r)}-{digits(r, 6)}"
    return (
        f'{{\n  "type": "service_account",\n  "project_id": "{project}",\n  "private_key_id": "{hexs(r, 40)}",\n'
        f'  "private_key": "-----BEGIN PRIVATE KEY-----\\n{s}\\n-----END PRIVATE KEY-----\\n",\n'
        f'  "client_email": "{role(r)}@{project}.iam.gserviceaccount.com",\n  "client_id": "{digits(r, 21)}"\n}}'
    ), s


@shape("google-key-in-requests-log", "log")
def _(r):
    s = "AIzaSy" + tok(r, 33, URLSAFE)
    return (
        f"{stamp(r)} DEBUG urllib3.connectionpool Starting new HTTPS connection (1): maps.googleapis.com:443\n"
        f'{stamp(r)} DEBUG urllib3.connectionpool https://maps.googleapis.com:443 "GET /maps/api/geocode/json?'
        f'address={word(r)}+street+{digits(r, 2)}&language=de&key={s} HTTP/1.1" 200 None'
    ), s


@shape("slack-bot-token-bolt-js", "code")
def _(r):
    s = f"xoxb-{digits(r, 12)}-{digits(r, 13)}-{tok(r, 24)}"
    return (
        "import pkg from '@slack/bolt';\nconst { App } = pkg;\n\nconst app = new App({\n  socketMode: true,\n"
        f"  token: '{s}',\n  logLevel: 'debug',\n}});\nawait app.start(process.env.PORT || 3000);"
    ), s


@shape("slack-webhook-alertmanager", "url")
def _(r):
    s = tok(r, 24)
    return (
        f"receivers:\n  - name: '{word(r)}-oncall'\n    slack_configs:\n      - send_resolved: true\n        channel: '#alerts'\n"
        f"        api_url: 'https://hooks.slack.com/services/T{tok(r, 10, UPNUM)}/B{tok(r, 10, UPNUM)}/{s}'\n"
        "        title: '{{ .CommonLabels.alertname }}'"
    ), s


@shape("stripe-restricted-key-ruby", "code")
def _(r):
    s = r.choice(("rk_live_51", "sk_live_51")) + tok(r, 97)
    return (
        f"# config/initializers/stripe.rb\nrequire 'stripe'\n\nStripe.api_key = '{s}'\nStripe.api_version = '2024-06-20'\n"
        "Stripe.max_network_retries = 2"
    ), s


@shape("twilio-auth-token-basic", "shell")
def _(r):
    s = hexs(r, 32)
    sid = "AC" + hexs(r, 32)
    return (
        f"curl -X POST https://api.twilio.com/2010-04-01/Accounts/{sid}/Messages.json \\\n  --data-urlencode 'Body=Deploy done' \\\n"
        f"  --data-urlencode 'To=+1555010{digits(r, 4)}' \\\n  -u {sid}:{s}"
    ), s


@shape("sendgrid-postfix-sasl", "config")
def _(r):
    s = f"SG.{tok(r, 22, URLSAFE)}.{tok(r, 43, URLSAFE)}"
    return (
        f"root@{host(r, 'mail')}:~# cat /etc/postfix/sasl_passwd\n[smtp.sendgrid.net]:587 apikey:{s}\nroot@mail:~# postmap /etc/postfix/sasl_passwd",
        s,
    )


@shape("openai-key-env-diff", "diff")
def _(r):
    s = openai(r)
    return (
        f"diff --git a/.env b/.env\nindex {hexs(r, 7)}..{hexs(r, 7)} 100644\n--- a/.env\n+++ b/.env\n@@ -1,4 +1,5 @@\n"
        f" APP_ENV=local\n PORT={digits(r, 4)}\n-OPENAI_API_KEY=\n+OPENAI_API_KEY={s}\n+OPENAI_MODEL=gpt-4o-mini\n LOG_LEVEL=debug"
    ), s


@shape("anthropic-key-httpx-debug", "http")
def _(r):
    s = anthropic(r)
    return (
        "DEBUG:httpcore.http11:send_request_headers.started request=<Request [b'POST']>\n"
        "headers=[(b'Host', b'api.anthropic.com'), (b'Accept', b'application/json'), (b'anthropic-version', b'2023-06-01'), "
        f"(b'X-Api-Key', b'{s}'), (b'Content-Length', b'{digits(r, 4)}')]\nDEBUG:httpcore.http11:send_request_headers.complete"
    ), s


@shape("huggingface-cli-login", "shell")
def _(r):
    s = "hf_" + "".join(
        r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") for _ in range(34)
    )
    return (
        f"!pip install -q -U transformers\n!huggingface-cli login --token {s} --add-to-git-credential\n"
        f"Token is valid (permission: write).\nThe token `{word(r)}` has been saved to /root/.cache/huggingface/stored_tokens\nLogin successful"
    ), s


@shape("litellm-yaml-groq", "config")
def _(r):
    s = r.choice((f"gsk_{tok(r, 20)}WGdyb3FY{tok(r, 24)}", "xai-" + tok(r, 80)))
    return (
        f"model_list:\n  - model_name: fast\n    litellm_params:\n      model: {word(r)}/llama-3.3-70b\n      api_key: {s}\n      rpm: 30\n"
        "router_settings:\n  num_retries: 2\n  routing_strategy: least-busy"
    ), s


@shape("databrickscfg", "dotfile")
def _(r):
    s = "dapi" + hexs(r, 32) + r.choice(("", "-2", "-3"))
    return (
        f"$ cat ~/.databrickscfg\n[DEFAULT]\nhost  = https://adb-{digits(r, 16)}.{r.randrange(1, 19)}.azuredatabricks.net\ntoken = {s}\n\n[staging]\nauth_type = databricks-cli",
        s,
    )


@shape("npmrc-auth-token", "dotfile")
def _(r):
    s = checked(r, "npm_")
    return (
        f"@{word(r)}:registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken={s}\nsave-exact=true\nfund=false\n",
        s,
    )


@shape("pypirc-upload-token", "dotfile")
def _(r):
    s = "pypi-AgEIcHlwaS5vcmc" + tok(r, r.randrange(150, 175), URLSAFE)
    return (
        f"[distutils]\nindex-servers =\n    pypi\n\n[pypi]\nrepository = https://upload.pypi.org/legacy/\nusername = __token__\npassword = {s}\n",
        s,
    )


@shape("docker-login-stdin", "shell")
def _(r):
    s = "dckr_pat_" + tok(r, 27, URLSAFE)
    return (
        f"+ echo {s}\n+ docker login -u {word(r)}ci --password-stdin\nWARNING! Your password will be stored unencrypted in /root/.docker/config.json.\n"
        "Login Succeeded"
    ), s


@shape("vault-token-create-table", "cli-output")
def _(r):
    s = "hvs.CAES" + tok(r, 87, URLSAFE)
    return (
        f"$ vault token create -policy={word(r)}-read -ttl=72h\nKey                  Value\n---                  -----\n"
        f"token                {s}\ntoken_accessor       {tok(r, 24)}\ntoken_duration       72h\ntoken_renewable      true\n"
        f'token_policies       ["default" "{word(r)}-read"]'
    ), s


@shape("vault-init-unseal-key", "cli-output")
def _(r):
    s = b64(raw(r, 33))
    return (
        f"$ vault operator init -key-shares=1 -key-threshold=1\nUnseal Key 1: {s}\n\nSuccess! Vault is initialized\n\n"
        "Vault initialized with 1 key shares and a key threshold of 1. Please securely\ndistribute the key shares printed above."
    ), s


@shape("terraform-cloud-credentials", "dotfile")
def _(r):
    s = f"{tok(r, 14)}.atlasv1.{tok(r, 67)}"
    return (
        f'$ cat ~/.terraform.d/credentials.tfrc.json\n{{\n  "credentials": {{\n    "app.terraform.io": {{\n      "token": "{s}"\n    }}\n  }}\n}}',
        s,
    )


@shape("grafana-service-token-python", "code")
def _(r):
    s = f"glsa_{tok(r, 32)}_{hexs(r, 8)}"
    return (
        f"import requests\n\nGRAFANA = 'https://grafana.{word(r)}.example.org'\nsession = requests.Session()\n"
        f"session.headers['Authorization'] = 'Bearer {s}'\n\nfor d in session.get(f'{{GRAFANA}}/api/search?type=dash-db').json():\n"
        "    print(d['uid'], d['title'])"
    ), s


@shape("telegram-bot-url-error", "trace")
def _(r):
    s = f"{digits(r, 10)}:AA{tok(r, 33, URLSAFE)}"
    return (
        'Traceback (most recent call last):\n  File "/srv/bot/notify.py", line 31, in send\n    resp.raise_for_status()\n'
        "requests.exceptions.HTTPError: 400 Client Error: Bad Request for url: "
        f"https://api.telegram.org/bot{s}/sendMessage?chat_id=-100{digits(r, 10)}&text=backup+ok"
    ), s


@shape("discord-bot-login", "code")
def _(r):
    s = f"{b64(digits(r, 18).encode())}.G{tok(r, 5)}.{tok(r, 38, URLSAFE)}"
    return (
        f"client.once('ready', () => console.log(`Logged in as ${{client.user.tag}}`));\n\nclient.login('{s}');\n// TODO move to env",
        s,
    )


@shape("discord-webhook-github-action", "url")
def _(r):
    s = tok(r, 68, URLSAFE)
    return (
        f"      - name: Notify\n        if: failure()\n        run: |\n          curl -s -H 'Content-Type: application/json' \\\n"
        f'            -d \'{{"content":"build broke"}}\' \\\n            https://discord.com/api/webhooks/{digits(r, 19)}/{s}'
    ), s


@shape("tailscale-cloud-init", "infra")
def _(r):
    s = f"tskey-auth-k{tok(r, 10)}CNTRL-{tok(r, 32)}"
    return (
        "#cloud-config\nruncmd:\n  - curl -fsSL https://tailscale.com/install.sh | sh\n"
        f"  - ['tailscale', 'up', '--authkey', '{s}', '--hostname', '{word(r)}', '--ssh']\n  - ufw allow in on tailscale0"
    ), s


@shape("onepassword-service-account-export", "shell")
def _(r):
    inner = {
        "signInAddress": "my.1password.com",
        "userAuth": {
            "method": "SRPg-4096",
            "alg": "PBES2g-HS256",
            "iterations": 650000,
            "salt": b64url(raw(r, 16)),
        },
        "email": f"{tok(r, 13, LOWNUM)}@1passwordserviceaccounts.com",
        "srpX": hexs(r, 64),
        "secretKey": "A3-" + "-".join(tok(r, n, UPNUM) for n in (6, 6, 5, 5, 5, 5)),
    }
    s = "ops_" + b64url(json.dumps(inner, separators=(",", ":")).encode())
    return (
        f"set -gx OP_SERVICE_ACCOUNT_TOKEN {s}\nop vault list\nID                            NAME\n{tok(r, 26, LOWNUM)}    {word(r)}-ci",
        s,
    )


@shape("onepassword-emergency-kit-secret-key", "prose")
def _(r):
    s = "A3-" + "-".join(tok(r, n, UPNUM) for n in (6, 6, 5, 5, 5, 5))
    return (
        f"1Password Emergency Kit\nCreated for {r.choice(FIRST).title()} {r.choice(LAST).title()} on {stamp(r)[:10]}\n"
        f"SIGN-IN ADDRESS  https://my.1password.com\nEMAIL ADDRESS    {email(r)}\nSECRET KEY       {s}\nPASSWORD         ______________"
    ), s


@shape("notion-token-mcp-nested-headers", "nested")
def _(r):
    s = "ntn_" + digits(r, 11) + tok(r, 35)
    headers = json.dumps({"Authorization": "Bearer " + s, "Notion-Version": "2022-06-28"})
    return json.dumps(
        {
            "mcpServers": {
                "notionApi": {
                    "command": "npx",
                    "args": ["-y", "@notionhq/notion-mcp-server"],
                    "env": {"OPENAPI_MCP_HEADERS": headers},
                }
            }
        },
        indent=2,
    ), s


@shape("jira-basic-auth-base64-header", "http")
def _(r):
    s = b64(
        f"{email(r)}:ATATT3xFfGF0{tok(r, 171, URLSAFE)}={tok(r, 8, '0123456789ABCDEF')}".encode()
    )
    return (
        f"> GET /rest/api/3/issue/{word(r)[:4].upper()}-{digits(r, 4)} HTTP/2\n> Host: {word(r)}.atlassian.net\n"
        f"> authorization: Basic {s}\n> user-agent: curl/8.5.0\n> accept: */*\n>\n< HTTP/2 200"
    ), s


@shape("shopify-admin-token-php", "code")
def _(r):
    s = "shpat_" + hexs(r, 32)
    return (
        f"<?php\n$ch = curl_init('https://{word(r)}-{word(r)}.myshopify.com/admin/api/2024-07/orders.json');\n"
        f"curl_setopt($ch, CURLOPT_HTTPHEADER, [\n    'X-Shopify-Access-Token: {s}',\n    'Accept: application/json',\n]);\n$body = curl_exec($ch);"
    ), s


@shape("supabase-service-role-env", "config")
def _(r):
    ref = tok(r, 20, "abcdefghijklmnopqrstuvwxyz")
    s = jwt(
        r,
        {
            "iss": "supabase",
            "ref": ref,
            "role": "service_role",
            "iat": 17_0000_0000 + r.randrange(10**7),
            "exp": 2_050_000_000,
        },
    )
    return (
        f"# .env.local\nNEXT_PUBLIC_SUPABASE_URL=https://{ref}.supabase.co\nSUPABASE_SERVICE_ROLE_KEY={s}\nNEXT_TELEMETRY_DISABLED=1",
        s,
    )


@shape("kubeconfig-bearer", "infra")
def _(r):
    ns = word(r)
    s = jwt(
        r,
        {
            "aud": ["https://kubernetes.default.svc"],
            "iss": "kubernetes/serviceaccount",
            "sub": f"system:serviceaccount:{ns}:{role(r)}",
            "kubernetes.io": {"namespace": ns},
        },
        "RS256",
        kid=tok(r, 43, URLSAFE),
    )
    return (
        f"contexts:\n- context:\n    cluster: {word(r)}\n    namespace: {ns}\n    user: ci\n  name: ci@{word(r)}\ncurrent-context: ci\n"
        f"users:\n- name: ci\n  user:\n    token: {s}"
    ), s


@shape("sentry-auth-token-rc", "dotfile")
def _(r):
    body = b64(
        json.dumps(
            {
                "iat": 1700000000.0 + r.randrange(10**7),
                "url": "https://sentry.io",
                "region_url": "https://de.sentry.io",
                "org": word(r),
            }
        ).encode()
    )
    s = f"sntrys_{body.rstrip('=')}_{tok(r, 43, ALNUM + '+/')}"
    return f"[defaults]\nurl=https://sentry.io/\norg={word(r)}\nproject=web\n\n[auth]\ntoken={s}", s


@shape("fly-token-actions-log", "log")
def _(r):
    s = "FlyV1 fm2_lJPECAAAAAAA" + b64(raw(r, 190)).rstrip("=")
    return (
        f"{stamp(r)} ##[group]Run flyctl deploy --remote-only\n{stamp(r)} shell: /usr/bin/bash -e {{0}}\n{stamp(r)} env:\n"
        f"{stamp(r)}   FLY_API_TOKEN: {s}\n{stamp(r)} ##[endgroup]"
    ), s


@shape("digitalocean-tfvars", "infra")
def _(r):
    s = "dop_v1_" + hexs(r, 64)
    return (
        f'# terraform.tfvars\nregion       = "fra1"\ndroplet_size = "s-2vcpu-4gb"\ndo_token     = "{s}"\nssh_key_name = "{user(r)}"\n',
        s,
    )


@shape("gcloud-print-access-token", "cli-output")
def _(r):
    s = "ya29.a0Af" + tok(r, 206, URLSAFE)
    return (
        f"{user(r)}@cloudshell:~ ({word(r)}-{digits(r, 6)})$ gcloud auth print-access-token\n{s}\n{user(r)}@cloudshell:~$ ",
        s,
    )


@shape("google-client-secret-installed", "config")
def _(r):
    s = "GOCSPX-" + tok(r, 28, URLSAFE)
    return json.dumps(
        {
            "installed": {
                "client_id": f"{digits(r, 12)}-{tok(r, 32, LOWNUM)}.apps.googleusercontent.com",
                "project_id": word(r) + "-desk",
                "token_uri": "https://oauth2.googleapis.com/token",
                "client_secret": s,
                "redirect_uris": ["http://localhost"],
            }
        }
    ), s


@shape("datadog-helm-set", "shell")
def _(r):
    s = hexs(r, 32)
    return (
        f"helm upgrade --install datadog datadog/datadog -n monitoring \\\n  --set datadog.site=datadoghq.eu \\\n  --set datadog.apiKey={s} \\\n"
        f"  --set clusterAgent.enabled=true --set datadog.clusterName={word(r)}"
    ), s


@shape("mailgun-api-user-python-tuple", "code")
def _(r):
    s = f"{hexs(r, 32)}-{hexs(r, 8)}-{hexs(r, 8)}"
    return (
        f'def send(to, subject, text):\n    return requests.post(\n        "https://api.eu.mailgun.net/v3/mg.{word(r)}.example.com/messages",\n'
        f'        auth=("api", "{s}"),\n        data={{"from": "ops@mg.example.com", "to": [to], "subject": subject, "text": text}},\n    )'
    ), s


@shape("airtable-pat-fetch-copied", "http")
def _(r):
    s = f"pat{tok(r, 14)}.{hexs(r, 64)}"
    return (
        f'fetch("https://api.airtable.com/v0/app{tok(r, 14)}/Leads?maxRecords=3", {{\n  "headers": {{\n    "accept": "*/*",\n'
        f'    "authorization": "Bearer {s}",\n    "sec-fetch-mode": "cors"\n  }},\n  "method": "GET",\n  "mode": "cors"\n}});'
    ), s
