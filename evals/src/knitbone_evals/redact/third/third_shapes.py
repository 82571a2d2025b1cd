"""The third set: 110 shapes in which a real secret turns up (SHAPES), and as many again in reserve (SPARE).

SPARE holds the near twins and second choices: other providers in like places, other files, other languages.
"""

from __future__ import annotations

import third_shapes_config
import third_shapes_dump
import third_shapes_people
import third_shapes_tokens
import third_shapes_wire
from third_material import Shape

_CHOSEN = """
git-remote-fine-grained-pat git-credential-fill gitlab-routable-token-curl aws-create-access-key
aws-sts-export-session-token az-sp-create-for-rbac azure-storage-connection-string azure-blob-sas-signature
gcp-service-account-json google-key-in-requests-log slack-webhook-alertmanager stripe-restricted-key-ruby
twilio-auth-token-basic openai-key-env-diff anthropic-key-httpx-debug huggingface-cli-login npmrc-auth-token
docker-login-stdin vault-token-create-table vault-init-unseal-key telegram-bot-url-error discord-bot-login
notion-token-mcp-nested-headers jira-basic-auth-base64-header kubeconfig-bearer onepassword-emergency-kit-secret-key

netrc-one-line pgpass-line gradle-keystore-properties django-secret-key wp-config-define dotnet-connection-string
tomcat-users-attribute k8s-secret-data-base64 compose-environment-list terraform-state-random-password
jenkins-console-set-x kickstart-rootpw windows-unattend-xml windows-autologon-registry netsh-wlan-key-clear
wifi-qr-string wireguard-private-key cisco-snmp-community plist-key-string hcl-heredoc-user-data

mongodb-srv-percent-encoded odbc-dsn-pwd mysql-create-user-identified oracle-sqlplus-easy-connect
mysqldump-attached-p sshpass-option curl-u-human-password expect-send powershell-securestring net-use-positional
openssl-passin smbclient-user-percent urlencoded-login-form har-header-name-value set-cookie-session
oauth-fragment-in-url password-reset-link ftp-tcp-stream smtp-auth-plain soap-wsse-password https-proxy-credentials
docker-inspect-env kubectl-secret-decoded aws-secretsmanager-nested

dataclass-repr pydantic-secretstr-unwrapped pytest-showlocals python-traceback-argument-in-message
go-plus-v-struct ruby-inspect-instance-variables php-var-dump erlang-proplist-log logfmt-line
json-log-nested-escaped java-drivermanager-positional csharp-network-credential browser-fill-tool-call
edit-tool-old-new chat-transcript-json-answer html-form-dump-value

english-chat-new-password english-login-with-slash german-mail-passwort french-chat-mot-de-passe russian-parol-prose
japanese-password-prose chinese-password-prose markdown-credentials-table ssh-passphrase-mentioned
recovery-codes-list otpauth-uri totp-manual-setup-groups seed-phrase-prose hardhat-account-private-key
bitcoin-wif-dumpprivkey solana-keypair-array rsa-pem-cat openssh-key-yaml-block-scalar putty-ppk-private-lines
jwk-private-exponent pem-in-c-string-lines age-identity-file chrome-passwords-csv unix-pass-show
""".split()

_ALL: tuple[Shape, ...] = tuple(
    shape
    for part in (
        third_shapes_tokens,
        third_shapes_config,
        third_shapes_wire,
        third_shapes_dump,
        third_shapes_people,
    )
    for shape in part.shape.shapes
)
_BY_NAME = {shape.name: shape for shape in _ALL}

SHAPES: tuple[Shape, ...] = tuple(_BY_NAME[name] for name in _CHOSEN)
SPARE: tuple[Shape, ...] = tuple(shape for shape in _ALL if shape.name not in set(_CHOSEN))
