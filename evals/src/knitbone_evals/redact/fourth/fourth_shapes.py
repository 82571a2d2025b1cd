"""All shapes: SHAPES (the set), SPARE (kept back), EXTRA (what was over the hundred; not needed)."""

from __future__ import annotations

import fourth_shapes_agent as agent
import fourth_shapes_config as config
import fourth_shapes_people as people
import fourth_shapes_tokens as tokens
import fourth_shapes_wire as wire
from fourth_material import Shape

_REGISTERS = (
    tokens.reg,
    config.reg,
    wire.shell,
    wire.http,
    wire.database,
    agent.agent,
    agent.dump,
    agent.log,
    agent.book,
    agent.ci,
    agent.cloud,
    people.people,
    people.manager,
    people.key,
    people.code,
    people.wallet,
)
# Registered under "main" or "spare"; moved so that both lists have a hundred, by how often they are met.
_TO_SPARE = frozenset(
    """
    databricks-cfg cloudflare-global-key discord-bot-run groq-langchain-code home-assistant-secrets
    wireguard-client-conf airflow-fernet-key spring-application-yml pypirc-password
    systemd-environment-line az-sp-create kubectl-create-literal helm-values-auth
    jenkins-sh-xtrace-curl heroku-config-listing german-chat-passwort-lautet docker-login-p
    ec-key-env-one-line compose-redis-command elevenlabs-header-curl colab-bang-command
    pass-show-output neon-url-in-env-tool-result airflow-conn-uri-env redis-url-empty-user
    gitlab-ci-variables langsmith-shell-exports npmrc-auth-token
    """.split()
)
_TO_SHAPES = frozenset(
    "system-prompt-credentials write-file-heredoc fastapi-pydantic-default docker-build-arg-log notebook-output-echo".split()
)
_TO_EXTRA = frozenset(
    """
    xai-auth-header-fetch brave-subscription-token airtable-pyairtable vercel-token-flag
    fly-tokens-create algolia-admin-client sentry-cli-rc doppler-dockerfile-arg
    shopify-access-header hubspot-private-app ngrok-authtoken langfuse-secret-compose
    mailgun-requests-auth linear-graphql-raw-auth replicate-env-inline discord-bot-run
    supervisord-inet poetry-auth-toml rclone-conf-s3 php-env-app-key snmp-v3-telegraf
    gpg-gradle-properties streamlit-authenticator-cookie mosquitto-bridge wpa-supplicant-psk
    spring-application-yml helm-values-auth compose-redis-command pypirc-password
    wget-http-password smbclient-percent powershell-securestring htpasswd-b openssl-passin
    gcloud-print-access-token docker-login-p saml-cookie-netscape-jar url-userinfo-webdav
    webhook-registration-json couchdb-table-row libsql-auth-token-turso mssql-sa-docker-run
    jdbc-url-parameters yaml-tool-transcript crewai-thought-action-input pickle-bytes-repr
    toml-dump-namedtuple reset-link-console-mail failed-login-sshd-wrong-field
    circleci-context-curl colab-bang-command service-bus-connection cloud-init-userdata
    iam-user-csv-download swedish-losenord turkish-sifre lastpass-note-block excel-tsv-logins
    age-secret-key-file bitlocker-recovery-key solana-keypair-array exchange-secret-ccxt
    """.split()
)


def _sort() -> tuple[list[Shape], list[Shape], list[Shape]]:
    shapes, spare, extra = [], [], []
    for register in _REGISTERS:
        for shape in register.shapes + register.spares:
            first = shape in register.shapes
            if shape.name in _TO_EXTRA:
                extra.append(shape)
            elif shape.name in _TO_SHAPES or (first and shape.name not in _TO_SPARE):
                shapes.append(shape)
            else:
                spare.append(shape)
    return shapes, spare, extra


SHAPES, SPARE, EXTRA = _sort()
