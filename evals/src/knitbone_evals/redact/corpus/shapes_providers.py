"""Keys of well-known services, in the formats that these services document."""

from __future__ import annotations

import base64
import random
from urllib.parse import quote

from material import (
    ALNUM,
    BASE32,
    BASE64,
    LOWER,
    UPPER,
    URLSAFE,
    Build,
    Shape,
    encoded,
    framed,
    hexadecimal,
    jwt,
    prefixed,
    some,
    uuid,
    with_hex,
)

# A key that is known by its looks alone may stand anywhere.
ANYWHERE = (
    "<secret>",
    "calling the service with <secret> now",
    'client = Client("<secret>", timeout=30)',
    "401 Unauthorized: Incorrect API key provided: <secret>. Check your account page.",
    "key=<secret>",
    "(<secret>)",
    "I pasted this into the form: <secret>",
)


def known(name: str, build: Build, *frames: str) -> Shape:
    """A key that its looks give away, in any of the frames or anywhere."""
    return framed(name, "provider key", build, *(frames or ANYWHERE))


def named(name: str, build: Build, *frames: str) -> Shape:
    """A key that looks like any identifier and is known by the name beside it."""
    return framed(name, "provider key under a name", build, *frames)


def openai_legacy(rng: random.Random) -> str:
    """A user key as it was given out until 2024."""
    return f"sk-{some(rng, ALNUM, 20)}T3BlbkFJ{some(rng, ALNUM, 20)}"


def openai(prefix: str, length: int) -> Build:
    """A maker of keys of projects, service accounts and administrators."""
    return lambda rng: (
        f"{prefix}{some(rng, URLSAFE, length)}T3BlbkFJ{some(rng, URLSAFE, length - 1)}w"
    )


def slack_bot(rng: random.Random) -> str:
    """A bot token."""
    team, bot = rng.randrange(10**11, 10**12), rng.randrange(10**12, 10**13)
    return f"xoxb-{team}-{bot}-{some(rng, ALNUM, 24)}"


def slack_user(rng: random.Random) -> str:
    """A user token."""
    parts = "-".join(str(rng.randrange(10**11, 10**13)) for _ in range(3))
    return f"xoxp-{parts}-{hexadecimal(rng, 32)}"


def slack_app(rng: random.Random) -> str:
    """A token of an app for socket mode."""
    number = rng.randrange(10**12, 10**13)
    return f"xapp-1-A{some(rng, UPPER, 10)}-{number}-{hexadecimal(rng, 64)}"


def slack_hook(rng: random.Random) -> str:
    """The path of an incoming webhook, whose last part is the secret."""
    return f"T{some(rng, UPPER, 10)}/B{some(rng, UPPER, 10)}/{some(rng, ALNUM, 24)}"


def discord_bot(rng: random.Random) -> str:
    """The token of a bot: its number in base64, a time, a signature."""
    number = base64.b64encode(str(rng.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    return f"{number}.G{some(rng, URLSAFE, 5)}.{some(rng, URLSAFE, 37)}x"


def telegram(rng: random.Random) -> str:
    """The token of a bot: its number and 35 characters."""
    return f"{rng.randrange(10**9, 10**10)}:AA{some(rng, URLSAFE, 32)}k"


def service_account(rng: random.Random) -> str:
    """The private key of a service account file, on one line as JSON writes it."""
    body = encoded(rng, 1200)
    return "\\n".join(body[start : start + 64] for start in range(0, len(body), 64))


SERVICE_ACCOUNT = (
    '{"type": "service_account", "project_id": "acme-<number>", "private_key_id": "k1", '
    '"private_key": "-----BEGIN PRIVATE KEY-----\\n<secret>\\n-----END PRIVATE KEY-----\\n", '
    '"client_email": "robot@acme.iam.gserviceaccount.com"}'
)
AZURE_STORAGE = (
    "DefaultEndpointsProtocol=https;AccountName=acme<number>;AccountKey=<secret>;"
    "EndpointSuffix=core.windows.net"
)
AZURE_SAS = (
    "https://acme.blob.core.windows.net/in/a.csv?sv=2022-11-02&ss=b&srt=sco&sp=rwdlac"
    "&se=2025-01-01T00%3A00%3A00Z&spr=https&sig=<secret>"
)
AWS_PAIR = (
    "[default]\naws_access_key_id = AKIAQX7T2MNB4LVR6WZ3\naws_secret_access_key = <secret>",
    "AWS_ACCESS_KEY_ID=AKIAQX7T2MNB4LVR6WZ3 AWS_SECRET_ACCESS_KEY=<secret> aws s3 ls",
    "boto3.client('s3', aws_access_key_id='AKIAQX7T2MNB4LVR6WZ3', "
    "aws_secret_access_key='<secret>')",
    '{"AccessKeyId": "ASIAQX7T2MNB4LVR6WZ3", "SecretAccessKey": "<secret>"}',
)

MODELS = (
    known("openai legacy", openai_legacy),
    known("openai project", openai("sk-proj-", 74)),
    known("openai service account", openai("sk-svcacct-", 74)),
    known("openai administrator", openai("sk-admin-", 58)),
    known("anthropic", prefixed("sk-ant-api03-", URLSAFE, 93, suffix="AA")),
    known("anthropic administrator", prefixed("sk-ant-admin01-", URLSAFE, 93, suffix="AA")),
    known("anthropic oauth", prefixed("sk-ant-oat01-", URLSAFE, 93, suffix="AA")),
    known("google api key", prefixed("AIza", URLSAFE, 34, suffix="s")),
    known("groq", prefixed("gsk_", ALNUM, 52)),
    known("openrouter", with_hex("sk-or-v1-", 64)),
    known("replicate", prefixed("r8_", ALNUM, 37)),
    known("hugging face", prefixed("hf_", ALNUM, 34)),
    known("perplexity", prefixed("pplx-", ALNUM, 48)),
    known("xai", prefixed("xai-", ALNUM, 80)),
    known("deepseek", with_hex("sk-", 32)),
    known("tavily", prefixed("tvly-", ALNUM, 32)),
    known(
        "langsmith", lambda rng: f"lsv2_pt_{hexadecimal(rng, 32)}_{hexadecimal(rng, 10)}"
    ),
    known("langfuse", lambda rng: f"sk-lf-{uuid(rng)}"),
    known("pinecone", lambda rng: f"pcsk_{some(rng, ALNUM, 6)}_{some(rng, ALNUM, 63)}"),
    named(
        "mistral", prefixed("", ALNUM, 32),
        "MISTRAL_API_KEY=<secret>", 'Mistral(api_key="<secret>")', "mistral_api_key: <secret>",
    ),
    named(
        "cohere", prefixed("", ALNUM, 40),
        "CO_API_KEY=<secret>", "COHERE_API_KEY=<secret>", 'cohere.Client(api_key="<secret>")',
    ),
    named(
        "together", lambda rng: hexadecimal(rng, 64),
        "TOGETHER_API_KEY=<secret>", 'export TOGETHER_API_KEY="<secret>"',
    ),
    named(
        "azure openai", lambda rng: hexadecimal(rng, 32),
        "api-key: <secret>", "AZURE_OPENAI_API_KEY=<secret>",
        'AzureOpenAI(api_key="<secret>", api_version="2024-02-01")',
    ),
    named(
        "weights and biases", lambda rng: hexadecimal(rng, 40),
        "WANDB_API_KEY=<secret>", "export WANDB_API_KEY=<secret> WANDB_MODE=online",
    ),
)  # fmt: skip

CLOUDS = (
    named("aws secret access key", prefixed("", BASE64, 40), *AWS_PAIR),
    named(
        "aws session token", lambda rng: "IQoJb3JpZ2luX2VjE" + encoded(rng, 255),
        "export AWS_SESSION_TOKEN=<secret>", '"SessionToken": "<secret>"',
        "aws_session_token = <secret>",
    ),
    named("azure storage", lambda rng: encoded(rng, 64), AZURE_STORAGE),
    named("azure sas", lambda rng: quote(encoded(rng, 32), safe=""), AZURE_SAS),
    named(
        "azure service bus", lambda rng: encoded(rng, 32),
        "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;"
        "SharedAccessKey=<secret>",
    ),
    named(
        "azure cosmos", lambda rng: encoded(rng, 64),
        "AccountEndpoint=https://acme.documents.azure.com:443/;AccountKey=<secret>;",
    ),
    known("azure client secret", lambda rng: f"{some(rng, ALNUM, 3)}8Q~{some(rng, ALNUM, 34)}"),
    known("google oauth client", prefixed("GOCSPX-", URLSAFE, 28)),
    known("google oauth access", prefixed("ya29.a0A", URLSAFE, 140)),
    named("google service account", service_account, SERVICE_ACCOUNT),
    known("digitalocean", with_hex("dop_v1_", 64)),
    known("heroku", prefixed("HRKU-AA", URLSAFE, 58)),
    named("heroku legacy", uuid, "HEROKU_API_KEY=<secret>", "heroku_api_key: <secret>"),
    named(
        "cloudflare", prefixed("", URLSAFE, 40),
        "CLOUDFLARE_API_TOKEN=<secret>", "CF_API_TOKEN=<secret>",
        'cloudflare_api_token = "<secret>"',
    ),
    known(
        "cloudflare origin",
        lambda rng: f"v1.0-{hexadecimal(rng, 24)}-{hexadecimal(rng, 146)}",
        "X-Auth-User-Service-Key: <secret>", "CLOUDFLARE_CA_KEY=<secret>", "<secret>",
    ),
    named("vercel", prefixed("", ALNUM, 24), "VERCEL_TOKEN=<secret>", "vercel --token <secret>"),
    known("supabase access", with_hex("sbp_", 40)),
    known(
        "supabase service role",
        lambda rng: jwt(rng, iss="supabase", ref="abcdefgh", role="service_role"),
        "SUPABASE_SERVICE_ROLE_KEY=<secret>", "createClient(url, '<secret>')", "<secret>",
    ),
    known("vault", prefixed("hvs.CAESI", URLSAFE, 90)),
    known("terraform cloud", lambda rng: f"{some(rng, ALNUM, 14)}.atlasv1.{some(rng, ALNUM, 67)}"),
    known("doppler", prefixed("dp.pt.", ALNUM, 43)),
    known("planetscale", prefixed("pscale_tkn_", URLSAFE, 43)),
    known("databricks", with_hex("dapi", 32)),
    known("grafana", lambda rng: f"glsa_{some(rng, ALNUM, 32)}_{hexadecimal(rng, 8)}"),
    named(
        "datadog", lambda rng: hexadecimal(rng, 32), "DD_API_KEY=<secret>", "DD-API-KEY: <secret>",
        "datadog:\n  api_key: <secret>",
    ),
    named("datadog app", lambda rng: hexadecimal(rng, 40), "DD_APP_KEY=<secret>"),
    known("new relic user", prefixed("NRAK-", UPPER, 27)),
    known("new relic licence", with_hex("", 36, "NRAL"), "license_key: <secret>", "<secret>"),
)  # fmt: skip

CODE_HOSTS = (
    known("github personal", prefixed("ghp_", ALNUM, 36)),
    known("github oauth", prefixed("gho_", ALNUM, 36)),
    known("github user of app", prefixed("ghu_", ALNUM, 36)),
    known("github server of app", prefixed("ghs_", ALNUM, 36)),
    known("github refresh", prefixed("ghr_", ALNUM, 76)),
    known(
        "github fine-grained",
        lambda rng: f"github_pat_{some(rng, ALNUM, 22)}_{some(rng, ALNUM, 59)}"
    ),
    known("gitlab personal", prefixed("glpat-", URLSAFE, 20)),
    known("gitlab runner", prefixed("glrt-", URLSAFE, 20)),
    known("gitlab trigger", with_hex("glptt-", 40)),
    known("gitlab deploy", prefixed("gldt-", URLSAFE, 20)),
    known("npm", prefixed("npm_", ALNUM, 36)),
    known("pypi", prefixed("pypi-AgEIcHlwaS5vcmc", URLSAFE, 120, 155)),
    known("docker hub", prefixed("dckr_pat_", URLSAFE, 27)),
    known("rubygems", with_hex("rubygems_", 48)),
    known("atlassian", lambda rng: f"ATATT3xFfGF0{some(rng, URLSAFE, 171)}={some(rng, UPPER, 8)}"),
    known("sentry", with_hex("sntryu_", 64)),
    known("sonarqube", with_hex("squ_", 40)),
    named(
        "azure devops", prefixed("", LOWER, 52),
        "AZURE_DEVOPS_EXT_PAT=<secret>", "SYSTEM_ACCESSTOKEN=<secret>",
    ),
)  # fmt: skip

SERVICES = (
    known("slack bot", slack_bot),
    known("slack user", slack_user),
    known("slack app", slack_app),
    known("slack webhook", slack_hook, "https://hooks.slack.com/services/<secret>"),
    known("stripe live", prefixed("sk_live_51", ALNUM, 97)),
    known("stripe restricted", prefixed("rk_live_", ALNUM, 24, 99)),
    known("stripe test", prefixed("sk_test_", ALNUM, 24)),
    known("stripe webhook", prefixed("whsec_", ALNUM, 32)),
    named(
        "twilio", lambda rng: hexadecimal(rng, 32),
        "TWILIO_AUTH_TOKEN=<secret>", "twilio_auth_token: <secret>",
        "curl -u AC0f3e5a7b9c1d2e4f60718293a4b5c6d7:<secret> https://api.twilio.com/2010-04-01",
    ),
    known("sendgrid", lambda rng: f"SG.{some(rng, URLSAFE, 22)}.{some(rng, URLSAFE, 42)}x"),
    named(
        "mailgun", with_hex("key-", 32), "api:<secret>", "MAILGUN_API_KEY=<secret>",
        "curl -s --user 'api:<secret>' https://api.mailgun.net/v3/domains",
    ),
    known("mailchimp", lambda rng: f"{hexadecimal(rng, 32)}-us{rng.randrange(1, 22)}",
          "MAILCHIMP_API_KEY=<secret>", "<secret>"),
    known("telegram", telegram, "https://api.telegram.org/bot<secret>/getMe", "<secret>",
          "TELEGRAM_BOT_TOKEN=<secret>", "Application.builder().token('<secret>').build()"),
    known("discord bot", discord_bot, "<secret>", "client.run('<secret>')",
          "Authorization: Bot <secret>", "DISCORD_TOKEN=<secret>"),
    known(
        "discord webhook", prefixed("", URLSAFE, 68),
        "https://discord.com/api/webhooks/1122334455667788990/<secret>",
    ),
    known("square", prefixed("EAAA", URLSAFE, 60)),
    known("square oauth", prefixed("sq0csp-", URLSAFE, 43)),
    known("shopify access", with_hex("shpat_", 32)),
    known("shopify shared", with_hex("shpss_", 32)),
    known("linear", prefixed("lin_api_", ALNUM, 40)),
    known("notion", prefixed("ntn_", ALNUM, 46)),
    known("airtable", lambda rng: f"pat{some(rng, ALNUM, 14)}.{hexadecimal(rng, 64)}"),
    known("figma", prefixed("figd_", URLSAFE, 40)),
    known("postman", lambda rng: f"PMAK-{hexadecimal(rng, 24)}-{hexadecimal(rng, 34)}"),
    known("age", prefixed("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    named("one-time password seed", prefixed("", BASE32, 32),
          "otpauth://totp/Acme:<user>?secret=<secret>&issuer=Acme", "TOTP_SECRET=<secret>"),
)  # fmt: skip

PROVIDERS = (*MODELS, *CLOUDS, *CODE_HOSTS, *SERVICES)
