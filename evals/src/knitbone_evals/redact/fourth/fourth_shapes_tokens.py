"""Keys and tokens of providers, where an agent or a Python developer meets them."""

from __future__ import annotations

from fourth_material import (
    B64,
    HEX,
    LOWNUM,
    UPNUM,
    URLSAFE,
    Made,
    Rand,
    Register,
    T,
    anthropic,
    aws_secret,
    b64,
    b64url,
    digits,
    fill,
    github,
    hexs,
    jwt,
    openai,
    raw,
    tok,
    uuid,
)

reg = Register("provider-token")
main, spare = reg.main, reg.spare

main(
    "openai-dotenv-cat",
    openai,
    """
$ cat .env
# local development
DEBUG=1
OPENAI_API_KEY=<<S>>
OPENAI_MODEL=gpt-4o-mini
DATABASE_PATH=./data/<<noun>>.sqlite3
PORT=<<n4>>
""",
)
main(
    "anthropic-client-argument",
    anthropic,
    """
from anthropic import Anthropic

client = Anthropic(api_key="<<S>>")
msg = client.messages.create(model="claude-sonnet-4-5", max_tokens=<<n3>>, messages=[{"role": "user", "content": "hi <<noun>>"}])
""",
)
main(
    "hf-cli-login",
    T(34, before="hf_"),
    """
(venv) <<user>>@gpu-<<n2>>:~/<<noun>>$ huggingface-cli login --token <<S>> --add-to-git-credential
Token is valid (permission: write).
Your token has been saved to /root/.cache/huggingface/token
Login successful
""",
)
main(
    "github-pat-git-remote",
    lambda r: "github_pat_" + tok(r, 22) + "_" + tok(r, 59),
    """
$ git remote -v
origin	https://<<user>>:<<S>>@github.com/<<noun#1>>/<<noun>>-service.git (fetch)
upstream	https://github.com/<<noun#1>>/upstream.git (fetch)
""",
)
main(
    "google-api-key-query",
    lambda r: "AIzaSy" + tok(r, 33, URLSAFE),
    """
httpx.HTTPStatusError: Client error '429 Too Many Requests' for url 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:generateContent?key=<<S>>'
For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/429 (attempt <<n2>>)
""",
)
main(
    "groq-langchain-code",
    T(52, before="gsk_"),
    """
llm = ChatGroq(
    model_name="llama-3.3-70b-versatile",
    temperature=0.<<n1>>,
    groq_api_key="<<S>>",
)
""",
)
main(
    "mistral-key-no-prefix",
    T(32),
    """
# .env.<<local|dev|prod>>
MISTRAL_API_KEY=<<S>>
MISTRAL_BASE_URL=https://api.mistral.ai/v1
TIMEOUT=<<n2>>
""",
)
main(
    "cohere-positional",
    T(40),
    """
import cohere
co = cohere.Client("<<S>>")
response = co.embed(texts=["<<noun>>", "<<noun>>"], model="embed-english-v3.0")
""",
)
main(
    "langsmith-shell-exports",
    lambda r: f"lsv2_pt_{hexs(r, 32)}_{hexs(r, 10)}",
    """
export LANGCHAIN_TRACING_V2=true
export LANGCHAIN_PROJECT=<<noun>>-<<n3>>
export LANGCHAIN_API_KEY=<<S>>
""",
)
main(
    "wandb-prompt-paste",
    T(40, HEX),
    """
wandb: Logging into wandb.ai. (Learn how to deploy a W&B server locally: https://wandb.me/wandb-server)
wandb: You can find your API key in your browser here: https://wandb.ai/authorize
wandb: Paste an API key from your profile and hit enter: <<S>>
wandb: Appending key for api.wandb.ai to your netrc file: /home/<<user>>/.netrc
""",
)
main(
    "tavily-mcp-config",
    T(32, before="tvly-dev-"),
    """
{
  "mcpServers": {
    "<<noun>>-search": {
      "command": "npx",
      "args": ["-y", "tavily-mcp@0.1.<<n1>>"],
      "env": {"TAVILY_API_KEY": "<<S>>"}
    }
  }
}
""",
)
main(
    "elevenlabs-header-curl",
    T(32, HEX),
    """
curl -X POST "https://api.elevenlabs.io/v1/text-to-speech/<<al20>>" \\
  -H "xi-api-key: <<S>>" \\
  -H "Content-Type: application/json" \\
  -d '{"text": "Hello <<first>>", "model_id": "eleven_multilingual_v2"}' --output out.mp3
""",
)
main(
    "telegram-bot-url-log",
    lambda r: f"{digits(r, 10)}:AA{tok(r, 33, URLSAFE)}",
    """
<<date>> <<time>>,<<n3>> - httpx - INFO - HTTP Request: POST https://api.telegram.org/bot<<S>>/getUpdates "HTTP/1.1 200 OK"
""",
)
main(
    "slack-webhook-alert-config",
    lambda r: f"T{tok(r, 10, UPNUM)}/B{tok(r, 10, UPNUM)}/{tok(r, 24)}",
    """
receivers:
  - name: <<noun>>-alerts
    slack_configs:
      - api_url: https://hooks.slack.com/services/<<S>>
        channel: '#ops-<<noun>>'
        send_resolved: true
""",
)
main(
    "discord-bot-run",
    lambda r: f"{b64url(digits(r, 19).encode())}.{tok(r, 6, URLSAFE)}.{tok(r, 38, URLSAFE)}",
    """
@bot.event
async def on_ready():
    print(f"{bot.user} is up, shard <<n2>>")

bot.run("<<S>>")
""",
)
main(
    "stripe-live-settings",
    T(99, before="sk_live_51"),
    """
# settings.py
STRIPE_PUBLISHABLE_KEY = "pk_live_51<<al24>>"
STRIPE_API_KEY = "<<S>>"
STRIPE_PRICE = "price_1<<al23>>"
""",
)
main(
    "twilio-client-positional",
    T(32, HEX),
    """
from twilio.rest import Client
client = Client("AC<<hex32>>", "<<S>>")
client.messages.create(to="+1555<<n7>>", from_="+15005550006", body="Your table is ready")
""",
)
main(
    "sendgrid-smtp-relay",
    lambda r: f"SG.{tok(r, 22, URLSAFE)}.{tok(r, 43, URLSAFE)}",
    """
EMAIL_HOST = 'smtp.sendgrid.net'
EMAIL_PORT = 587
EMAIL_HOST_USER = 'apikey'
EMAIL_HOST_PASSWORD = '<<S>>'
DEFAULT_FROM_EMAIL = '<<email>>'
""",
)
main(
    "pypi-token-twine",
    lambda r: "pypi-AgEIcHlwaS5vcmc" + tok(r, 150, URLSAFE),
    """
$ twine upload -u __token__ -p <<S>> dist/<<noun#1>>-0.<<n1>>.<<n2>>*
Uploading distributions to https://upload.pypi.org/legacy/
HTTPError: 403 Forbidden from https://upload.pypi.org/legacy/
""",
)
main(
    "aws-keys-in-chat",
    aws_secret,
    """
ok use these for the bucket, region eu-west-1

AKIA<<aws16>>
<<S>>

let me know when the upload of <<noun>>.tar is done
""",
)
main(
    "azure-openai-two-lines",
    T(84),
    """
client = AzureOpenAI(
    azure_endpoint="https://<<noun>>-<<n2>>.openai.azure.com/",
    api_key="<<S>>",
    api_version="2024-10-21",
)
""",
    """
AZURE_OPENAI_ENDPOINT=https://<<noun>>.cognitiveservices.azure.com/
AZURE_OPENAI_KEY=<<S>>
AZURE_OPENAI_DEPLOYMENT=gpt-4o-<<n2>>
""",
)
main(
    "azure-storage-connection-string",
    lambda r: b64(raw(r, 64)),
    """
AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=https;AccountName=<<noun>><<n3>>;AccountKey=<<S>>;EndpointSuffix=core.windows.net"
""",
)


@reg.main_of("supabase-service-role")
def _(r: Rand) -> Made:
    ref = tok(r, 20, "abcdefghijklmnopqrstuvwxyz")
    secret = jwt(
        r,
        {
            "iss": "supabase",
            "ref": ref,
            "role": "service_role",
            "iat": 1700000000,
            "exp": 2015575000,
        },
    )
    text = f'from supabase import create_client\n\nsb = create_client("https://{ref}.supabase.co", "{secret}")\n'
    return text + fill(r, 'rows = sb.table("<<noun>>").select("*").execute()\n'), secret


main(
    "notion-mcp-headers-env",
    lambda r: "ntn_" + digits(r, 11) + tok(r, 35),
    """
"notionApi": {
  "command": "docker",
  "args": ["run", "--rm", "-i", "-e", "OPENAPI_MCP_HEADERS", "mcp/notion:<<n1>>"],
  "env": {
    "OPENAPI_MCP_HEADERS": "{\\"Authorization\\":\\"Bearer <<S>>\\",\\"Notion-Version\\":\\"2022-06-28\\"}"
  }
}
""",
)
main(
    "databricks-cfg",
    T(32, HEX, "dapi"),
    """
[DEFAULT]
host  = https://adb-<<n16>>.<<n1>>.azuredatabricks.net
token = <<S>>
""",
)
main(
    "cloudflare-global-key",
    T(37, HEX),
    """
curl -sX GET "https://api.cloudflare.com/client/v4/zones/<<hex32>>/dns_records" \\
  -H "X-Auth-Email: <<email>>" \\
  -H "X-Auth-Key: <<S>>"
""",
)
main(
    "openweather-appid",
    T(32, HEX),
    """
DEBUG:urllib3.connectionpool:https://api.openweathermap.org:443 "GET /data/2.5/weather?q=<<Berlin|Lyon|Oslo|Porto>>&appid=<<S>>&units=metric HTTP/1.1" 401 <<n3>>
""",
)

# ---- kept back ----

spare(
    "replicate-env-inline",
    T(37, before="r8_"),
    "REPLICATE_API_TOKEN=<<S>> python -m <<noun>>.generate --steps <<n2>> --out out.png\n",
)
spare(
    "together-hex-key",
    T(64, HEX),
    """
from together import Together
client = Together(api_key="<<S>>")
print(client.models.list()[<<n1>>])
""",
)
spare(
    "openrouter-config-toml",
    T(64, HEX, "sk-or-v1-"),
    """
[llm]
provider = "openrouter"
model = "anthropic/claude-3.5-sonnet"
api_key = "<<S>>"
max_tokens = <<n4>>
""",
)
spare(
    "xai-auth-header-fetch",
    T(80, before="xai-"),
    """
const res = await fetch("https://api.x.ai/v1/chat/completions", {
  headers: { Authorization: `Bearer <<S>>`, "X-Run": "<<hex8>>" },
});
""",
)
spare(
    "deepseek-streamlit-secrets",
    T(32, HEX, "sk-"),
    """
# .streamlit/secrets.toml
[deepseek]
key = "<<S>>"
base = "https://api.deepseek.com"
note = "<<noun>>"
""",
)
spare(
    "voyage-tool-echo",
    T(43, URLSAFE, "pa-"),
    "$ echo $VOYAGE_API_KEY\n<<S>>\n$ echo $HOME\n/home/<<user>>\n",
)
spare(
    "serper-x-api-key",
    T(40, HEX),
    """
headers = {
    'X-API-KEY': '<<S>>',
    'Content-Type': 'application/json'
}
response = requests.post("https://google.serper.dev/search", headers=headers, data=json.dumps({"q": "<<noun>> <<noun>>"}))
""",
)
spare(
    "brave-subscription-token",
    lambda r: "BSA" + tok(r, 28, URLSAFE),
    "GET /res/v1/web/search?q=<<noun>> HTTP/1.1\nHost: api.search.brave.com\nAccept: application/json\nX-Subscription-Token: <<S>>\n",
)
spare(
    "linear-graphql-raw-auth",
    T(40, before="lin_api_"),
    "curl https://api.linear.app/graphql -H 'Authorization: <<S>>' -H 'Content-Type: application/json' --data '{\"query\":\"{ issue(id: \\\"ENG-<<n3>>\\\") { title } }\"}'\n",
)
spare(
    "airtable-pyairtable",
    lambda r: f"pat{tok(r, 14)}.{hexs(r, 64)}",
    'from pyairtable import Api\napi = Api("<<S>>")\ntable = api.table("app<<al14>>", "<<Noun>>")\n',
)
spare(
    "vercel-token-flag",
    T(24),
    "Run vercel deploy --prod --yes --token=<<S>> --scope <<noun>>\nVercel CLI 39.<<n1>>.0\nProduction: https://<<noun>>-<<low9>>.vercel.app\n",
)
spare(
    "fly-tokens-create",
    lambda r: "FlyV1 fm2_" + tok(r, 180, B64) + "==",
    "$ fly tokens create deploy -x 999999h -a <<noun>>-<<n2>>\n<<S>>\n",
)
spare(
    "algolia-admin-client",
    T(32, HEX),
    'const client = algoliasearch("<<up10>>", "<<S>>");\nconst index = client.initIndex("<<noun>>_prod");\n',
)
spare(
    "sentry-cli-rc",
    lambda r: (
        f"sntrys_{b64('{' + chr(34) + 'iat' + chr(34) + ':' + digits(r, 10) + ',' + chr(34) + 'url' + chr(34) + ':' + chr(34) + 'https://sentry.io' + chr(34) + '}')}_{tok(r, 43)}"
    ),
    "[auth]\ntoken=<<S>>\n\n[defaults]\norg=<<noun>>\nproject=<<noun>>-web\n",
)
spare(
    "doppler-dockerfile-arg",
    T(43, before="dp.st.prd."),
    'FROM python:<<py>>-slim\nENV DOPPLER_TOKEN=<<S>>\nRUN pip install <<noun>>\nCMD ["doppler", "run", "--", "gunicorn", "app:app"]\n',
)
spare(
    "digitalocean-terraform-tfvars",
    T(64, HEX, "dop_v1_"),
    'region   = "fra1"\ndo_token = "<<S>>"\nsize     = "s-<<n1>>vcpu-4gb"\n',
)
spare(
    "shopify-access-header",
    T(32, HEX, "shpat_"),
    "{'User-Agent': 'python-requests/2.32.<<n1>>', 'Accept': '*/*', 'X-Shopify-Access-Token': '<<S>>'}\n",
)
spare(
    "hubspot-private-app",
    lambda r: "pat-eu1-" + uuid(r),
    'hubspot = HubSpot(access_token="<<S>>")\ncontacts = hubspot.crm.contacts.get_all(limit=<<n2>>)\n',
)
spare(
    "atlassian-basic-jira",
    lambda r: "ATATT3xFfGF0" + tok(r, 172, URLSAFE) + "=" + tok(r, 8, UPNUM),
    'jira = JIRA(server="https://<<noun>>.atlassian.net", basic_auth=("<<email>>", "<<S>>"))\n',
)
spare(
    "tailscale-up",
    lambda r: f"tskey-auth-{tok(r, 17)}-{tok(r, 32)}",
    "sudo tailscale up --authkey <<S>> --hostname <<noun>>-<<n2>> --ssh\n",
)
spare(
    "ngrok-authtoken",
    lambda r: "2" + tok(r, 26) + "_" + tok(r, 20),
    "$ ngrok config add-authtoken <<S>>\nAuthtoken saved to configuration file: /home/<<user>>/.config/ngrok/ngrok.yml\n",
)
spare(
    "langfuse-secret-compose",
    lambda r: "sk-lf-" + uuid(r),
    "    environment:\n      - LANGFUSE_HOST=http://<<ip>>:3000\n      - LANGFUSE_PUBLIC_KEY=pk-lf-<<uuid>>\n      - LANGFUSE_SECRET_KEY=<<S>>\n",
)
spare(
    "pinecone-legacy-uuid",
    uuid,
    'pinecone.init(api_key="<<S>>", environment="us-west<<n1>>-gcp")\nindex = pinecone.Index("<<noun>>")\n',
)
spare(
    "mailgun-requests-auth",
    lambda r: f"{hexs(r, 32)}-{hexs(r, 8)}-{hexs(r, 8)}",
    'requests.post(\n    "https://api.mailgun.net/v3/mg.<<noun>>.example.com/messages",\n    auth=("api", "<<S>>"),\n    data={"from": "<<email>>", "subject": "Invoice <<n5>>"},\n)\n',
)
spare(
    "gitlab-clone-oauth2",
    T(20, URLSAFE, "glpat-"),
    "Cloning into '<<noun#1>>'...\nfatal: unable to access 'https://oauth2:<<S>>@gitlab.<<noun>>.example.com/team/<<noun#1>>.git/': The requested URL returned error: 403\n",
)
spare(
    "github-app-installation-json",
    lambda r: github(r, "ghs_"),
    '{"token": "<<S>>", "expires_at": "<<stamp>>", "permissions": {"contents": "write", "metadata": "read"}, "repository_selection": "selected"}\n',
)
spare(
    "service-admin-key-unknown-prefix",
    T(40, LOWNUM, "acorn_sk_"),
    'client = AcornClient(workspace="<<noun>>", admin_key="<<S>>", timeout=<<n2>>)\n',
)
