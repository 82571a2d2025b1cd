"""Configuration files of tools."""

from __future__ import annotations

from fourth_material import (
    B64,
    HEX,
    LETTERS,
    LOWNUM,
    UPNUM,
    URLSAFE,
    Made,
    Rand,
    Register,
    T,
    b64,
    digits,
    fill,
    github,
    human,
    phrase,
    raw,
    strong,
    tok,
    wordy,
)

reg = Register("config")
main, spare = reg.main, reg.spare

main(
    "django-databases-dict",
    human,
    """
DATABASES = {
    'default': {
        'ENGINE': 'django.db.backends.postgresql',
        'NAME': '<<noun>>',
        'USER': '<<role>>',
        'PASSWORD': '<<S>>',
        'HOST': '<<host>>',
        'PORT': 5432,
    }
}
""",
)
main(
    "django-secret-key-settings",
    lambda r: strong(r, 50, "!#*+-_=^@%&("),
    """
BASE_DIR = Path(__file__).resolve().parent.parent
# SECURITY WARNING: keep the secret key used in production secret!
SECRET_KEY = "<<S>>"
DEBUG = False
ALLOWED_HOSTS = ["<<host>>"]
""",
)
main(
    "flask-config-class",
    human,
    """
class ProductionConfig(Config):
    SQLALCHEMY_ECHO = False
    MAIL_USERNAME = "<<email>>"
    MAIL_PASSWORD = "<<S>>"
    MAIL_PORT = <<587|465|25>>
    PAGE_SIZE = <<n2>>
""",
)
main(
    "docker-compose-mapping",
    human,
    """
services:
  db:
    image: postgres:<<14|15|16|17>>
    environment:
      POSTGRES_USER: <<role>>
      POSTGRES_PASSWORD: <<S>>
      POSTGRES_DB: <<noun>>
    ports: ["5432:5432"]
""",
)
main(
    "compose-redis-command",
    lambda r: strong(r, 18, "-_.+"),
    """
  redis:
    image: redis:7-alpine
    command: redis-server --requirepass <<S>> --appendonly yes --maxmemory <<n3>>mb
""",
)


@reg.main_of("k8s-secret-manifest")
def _(r: Rand) -> Made:
    secret = b64(strong(r, 22))
    text = """
apiVersion: v1
kind: Secret
metadata:
  name: <<noun>>-db
  namespace: <<prod|staging>>
type: Opaque
data:
  username: YXBw
  password: <<S>>
"""
    return fill(r, text, secret), secret


main(
    "helm-values-auth",
    lambda r: tok(r, 16),
    """
postgresql:
  auth:
    username: <<role>>
    existingSecret: ""
    password: <<S>>
  primary:
    persistence:
      size: <<n2>>Gi
""",
)
main(
    "pip-conf-extra-index",
    lambda r: tok(r, 52, LOWNUM),
    """
[global]
timeout = <<n2>>
extra-index-url = https://<<user>>:<<S>>@pkgs.dev.azure.com/<<noun>>/_packaging/feed/pypi/simple/
""",
)
main(
    "pypirc-password",
    human,
    """
[distutils]
index-servers = <<noun#1>>

[<<noun#1>>]
repository = https://<<host>>/repository/pypi-internal/
username = <<user>>
password = <<S>>
""",
)
main(
    "netrc-line",
    strong,
    "machine api.<<noun>>.example.com login <<user>> password <<S>>\nmachine <<host>> login anonymous\n",
)
main(
    "npmrc-auth-token",
    lambda r: github(r, "npm_"),
    "registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=<<S>>\nsave-exact=true\nfetch-retries=<<n1>>\n",
)


@reg.main_of("docker-config-auth")
def _(r: Rand) -> Made:
    secret = b64(f"{tok(r, 6, LETTERS).lower()}:{strong(r)}")
    text = """
{
	"auths": {
		"registry.<<noun>>.example.com": {
			"auth": "<<S>>"
		}
	},
	"credsStore": ""
}
"""
    return fill(r, text, secret), secret


main(
    "aws-credentials-profile",
    T(40, B64),
    """
[<<noun>>-<<prod|dev>>]
aws_access_key_id = AKIA<<aws16>>
aws_secret_access_key = <<S>>
region = us-east-<<1|2>>
""",
)
main(
    "airflow-conn-uri-env",
    strong,
    "AIRFLOW__CORE__EXECUTOR=LocalExecutor\nAIRFLOW_CONN_<<WAREHOUSE|DWH|LAKE>>=postgres://airflow:<<S>>@<<host>>:5432/<<noun>>\n",
)
main(
    "airflow-fernet-key",
    lambda r: b64(raw(r, 32)).replace("+", "-").replace("/", "_"),
    "[core]\ndags_folder = /opt/airflow/dags\nfernet_key = <<S>>\nparallelism = <<n2>>\n",
)
main(
    "dbt-profiles-yml",
    human,
    """
<<noun>>:
  target: prod
  outputs:
    prod:
      type: snowflake
      account: <<low8>>.eu-central-1
      user: <<role>>
      password: "<<S>>"
      warehouse: TRANSFORM_<<n1>>
""",
)
main(
    "spring-application-yml",
    wordy,
    """
spring:
  datasource:
    url: jdbc:mysql://<<host>>:3306/<<noun>>
    username: <<role>>
    password: <<S>>
""",
)
main(
    "systemd-environment-line",
    lambda r: tok(r, 48, URLSAFE),
    """
[Service]
User=<<noun>>
Environment="APP_ENV=prod" "API_TOKEN=<<S>>"
ExecStart=/opt/<<noun>>/venv/bin/uvicorn main:app --port <<n4>>
""",
)
main(
    "wireguard-client-conf",
    lambda r: b64(raw(r, 32)),
    """
[Interface]
PrivateKey = <<S>>
Address = <<ip>>/32
DNS = 1.1.1.1

[Peer]
PublicKey = <<al43>>=
Endpoint = <<host>>:51820
""",
)
main(
    "home-assistant-secrets",
    human,
    "# secrets.yaml\nmqtt_user: <<user>>\nmqtt_password: <<S>>\nlatitude_home: 5<<n1>>.<<n4>>\n",
)
main(
    "jupyter-config-py",
    T(48, HEX),
    "c.ServerApp.ip = '0.0.0.0'\nc.ServerApp.port = <<n4>>\nc.IdentityProvider.token = '<<S>>'\nc.ServerApp.open_browser = False\n",
)

# ---- kept back ----

spare(
    "my-cnf-client",
    human,
    "[client]\nuser=<<role>>\npassword=<<S>>\nhost=<<host>>\n\n[mysqldump]\nquick\nmax_allowed_packet=<<n2>>M\n",
)
spare(
    "pgpass-line",
    human,
    "<<host>>:5432:<<noun>>:<<role>>:<<S>>\nlocalhost:5432:*:postgres:*\n",
)
spare(
    "terraform-rds-resource",
    wordy,
    'resource "aws_db_instance" "<<noun>>" {\n  engine            = "postgres"\n  allocated_storage = <<n2>>\n  username          = "<<role>>"\n  password          = "<<S>>"\n}\n',
)
spare(
    "ansible-inventory-line",
    human,
    "[web]\n<<host>> ansible_host=<<ip>> ansible_user=<<user>> ansible_become_pass=<<S>>\n",
)
spare(
    "supervisord-inet",
    strong,
    "[inet_http_server]\nport = 127.0.0.1:9001\nusername = <<user>>\npassword = <<S>>\n\n[program:<<noun>>]\nnumprocs=<<n1>>\n",
)
spare(
    "redis-conf-requirepass",
    lambda r: strong(r, 32, "-_."),
    "bind <<ip>>\nprotected-mode yes\n# clients must authenticate\nrequirepass <<S>>\nmaxclients <<n4>>\n",
)
spare(
    "rabbitmq-definitions-celery",
    wordy,
    "CELERY_BROKER_URL = 'amqp://<<role>>:<<S>>@<<host>>:5672//<<noun>>'\nCELERY_RESULT_BACKEND = 'rpc://'\n",
)
spare(
    "grafana-ini-admin",
    human,
    "[security]\nadmin_user = admin\nadmin_password = <<S>>\n;disable_gravatar = false\n[server]\nhttp_port = <<n4>>\n",
)
spare(
    "poetry-auth-toml",
    lambda r: tok(r, 64, URLSAFE),
    '[http-basic.<<noun>>]\nusername = "<<user>>"\npassword = "<<S>>"\n',
)
spare(
    "hydra-conf-yaml",
    lambda r: tok(r, 32, LOWNUM),
    "trainer:\n  max_epochs: <<n2>>\nlogger:\n  _target_: comet.Logger\n  api_key: <<S>>\n  project: <<noun>>\n",
)
spare(
    "vscode-settings-json",
    lambda r: tok(r, 40),
    '{\n  "editor.fontSize": <<n2>>,\n  "sqltools.connections": [{"name": "<<noun>>", "server": "<<host>>", "username": "<<role>>", "password": "<<S>>"}]\n}\n',
)
spare(
    "litellm-proxy-yaml",
    T(22, URLSAFE, "sk-"),
    "model_list:\n  - model_name: gpt-4o\n    litellm_params:\n      model: azure/<<noun>>-<<n1>>\ngeneral_settings:\n  master_key: <<S>>\n",
)
spare(
    "rclone-conf-s3",
    T(43, URLSAFE),
    "[<<noun>>]\ntype = s3\nprovider = Minio\naccess_key_id = <<al20>>\nsecret_access_key = <<S>>\nendpoint = http://<<host>>:9000\n",
)
spare(
    "wpa-supplicant-psk",
    lambda r: phrase(r, 3, " "),
    'network={\n    ssid="<<Noun>>-<<n2>>"\n    psk="<<S>>"\n    key_mgmt=WPA-PSK\n}\n',
)
spare(
    "fastapi-pydantic-default",
    T(64, HEX),
    'class Settings(BaseSettings):\n    app_name: str = "<<Noun>>"\n    jwt_secret: str = "<<S>>"\n    access_token_expire_minutes: int = <<n2>>\n',
)
spare(
    "appsettings-sql-server",
    human,
    '"ConnectionStrings": {\n  "Main": "Server=tcp:<<host>>,1433;Initial Catalog=<<noun>>;User ID=<<role>>;Password=<<S>>;Encrypt=True;"\n}\n',
)
spare(
    "php-env-app-key",
    lambda r: b64(raw(r, 32)),
    "APP_NAME=<<Noun>>\nAPP_ENV=production\nAPP_KEY=base64:<<S>>\nAPP_URL=https://<<host>>\n",
)
spare(
    "snmp-v3-telegraf",
    wordy,
    '[[inputs.snmp]]\n  agents = ["udp://<<ip>>:161"]\n  sec_name = "<<user>>"\n  auth_protocol = "SHA"\n  auth_password = "<<S>>"\n',
)
spare(
    "gpg-gradle-properties",
    phrase,
    "signing.keyId=<<up8>>\nsigning.password=<<S>>\norg.gradle.jvmargs=-Xmx<<n1>>g\n",
)
spare(
    "streamlit-authenticator-cookie",
    lambda r: tok(r, 24, UPNUM + LOWNUM),
    "cookie:\n  expiry_days: <<n2>>\n  key: <<S>>\n  name: <<noun>>_session\n",
)
spare(
    "mosquitto-bridge",
    lambda r: wordy(r) + digits(r, 2),
    "connection <<noun>>\naddress <<host>>:8883\nremote_username <<user>>\nremote_password <<S>>\ntopic # both 0\n",
)
