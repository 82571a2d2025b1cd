"""Secrets in what deployments print and keep: environment, containers, clusters, CI."""

from __future__ import annotations

import base64
import random

from second_material import (
    BARE,
    IN_DOUBLE,
    IN_JSON,
    IN_SINGLE,
    IN_YAML,
    Shape,
    any_key,
    b64,
    filled,
    frames,
    hexkey,
    password,
    service_key,
    token,
    word,
)


def cluster_secret(rng: random.Random) -> tuple[str, str]:
    """A secret of a cluster as YAML; the value is a password in base64."""
    secret = base64.b64encode(password(rng).encode()).decode()
    name = rng.choice(("password", "DB_PASSWORD", "redis-password", "token", "admin-password"))
    user = base64.b64encode(b"app_user").decode()
    data = [f"  {name}: {secret}", f"  username: {user}"]
    rng.shuffle(data)
    text = (
        "apiVersion: v1\ndata:\n"
        + "\n".join(data)
        + (
            '\nkind: Secret\nmetadata:\n  creationTimestamp: "<day>T<clock>Z"\n  name: <app>-db\n'
            '  namespace: prod\n  resourceVersion: "<n>"\n  uid: <guid>\ntype: Opaque\n'
        )
    )
    return filled(rng, text, secret), secret


def cluster_secret_json(rng: random.Random) -> tuple[str, str]:
    """A secret of a cluster as JSON, or only the field that was asked for, with its decoding."""
    plain = password(rng, IN_JSON)
    secret = base64.b64encode(plain.encode()).decode()
    if rng.random() < 0.6:
        return filled(rng, (
            '{"apiVersion":"v1","data":{"api-key":"<secret>"},"kind":"Secret",'
            '"metadata":{"name":"<app>","uid":"<guid>"},"type":"Opaque"}'
        ), secret), secret  # fmt: skip
    return filled(rng, (
        "$ kubectl get secret <app>-pg -o jsonpath='{.data.password}' | base64 -d\n"
        "<secret>\n$ psql -h <host> -U <user>\nPassword for user <user>:"
    ), plain), plain  # fmt: skip


def docker_auth(rng: random.Random) -> tuple[str, str]:
    """The login of a registry in a file of docker: user and password in base64."""
    secret = base64.b64encode(f"ci-bot:{password(rng)}".encode()).decode()
    registry = rng.choice(("registry.example.com", "https://index.docker.io/v1/", "ghcr.io"))
    text = '{\n\t"auths": {\n\t\t"' + registry + '": {\n\t\t\t"auth": "<secret>"\n\t\t}\n\t}\n}'
    return filled(rng, text, secret), secret


def kubeconfig(rng: random.Random) -> tuple[str, str]:
    """A user in a kubeconfig with a key or a token."""
    if rng.random() < 0.5:
        secret = base64.b64encode(rng.randbytes(300)).decode()
        line = "client-key-data"
    else:
        secret, line = b64(rng, 48).replace("+", "x").replace("/", "y"), "token"
    text = f"users:\n- name: kubernetes-<user>\n  user:\n    {line}: <secret>\ncurrent-context: dev"
    return filled(rng, text, secret), secret


DEPLOY: tuple[Shape, ...] = (
    frames(
        "printenv", "environment", word(" "),
        "HOSTNAME=<hex>\nPWD=/app\nDB_PASS=<secret>\nHOME=/root\nLANG=C.UTF-8\nSHLVL=1",
        "PATH=/usr/local/bin:/usr/bin\nMYSQL_ROOT_PASSWORD=<secret>\nTERM=xterm\n_=/usr/bin/env",
        "SHELL=/bin/bash\nSMTP_PASSWORD=<secret>\nSMTP_PORT=587\nSMTP_USER=<user>@example.com",
    ),
    frames(
        "printenv with keys", "environment", any_key,
        "USER=<user>\nSTRIPE_SECRET=<secret>\nPORT=<n>\nNODE_ENV=production",
        "GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D\nAPI_TOKEN=<secret>\nPYTHON_VERSION=3.11",
        "XDG_SESSION_ID=3\nlinear_api_key=<secret>\nLESSOPEN=| /usr/bin/lesspipe %s",
    ),
    frames(
        "exported variables", "environment", word(IN_DOUBLE),
        'declare -x LDAP_BIND_PASSWORD="<secret>"\ndeclare -x LOGNAME="<user>"',
        'export ADMIN_PASSWD="<secret>"  # same as staging\nexport REGION="eu-west-1"',
        'set -gx SECRET_PASSPHRASE "<secret>"\nset -gx EDITOR vim',
        '$env:DB_PASSWORD = "<secret>"\n$env:DB_USER = "<user>"',
        'set "ORACLE_PWD=<secret>"\nset "ORACLE_SID=XE"',
    ),
    frames(
        "dotenv file", "environment", word(IN_SINGLE + "#"),
        "APP_ENV=local\nAPP_DEBUG=true\n\nDB_CONNECTION=mysql\nDB_HOST=<host>\n"
        "DB_PASSWORD='<secret>'",
        "# mail\nMAIL_USERNAME=<user>\nMAIL_PASSWORD='<secret>'\nMAIL_ENCRYPTION=tls",
        "REDIS_HOST = <host>\nREDIS_AUTH = '<secret>'",
    ),
    frames(
        "docker inspect", "container", word(IN_JSON),
        '"Config": {\n  "Hostname": "<hex>",\n  "Env": [\n    "POSTGRES_PASSWORD=<secret>",\n'
        '    "POSTGRES_USER=<user>",\n    "PGDATA=/var/lib/postgresql/data"\n  ]\n}',
        '[{"Id":"<hex>","Args":[],"Config":{"Env":["MONGO_INITDB_ROOT_PASSWORD=<secret>",'
        '"PATH=/usr/local/sbin:/usr/local/bin"],"Cmd":["mongod"]}}]',
    ),
    frames(
        "compose file", "container", word(IN_YAML),
        "services:\n  db:\n    image: mariadb:11\n    environment:\n"
        "      - MARIADB_PASSWORD=<secret>\n"
        "      - MARIADB_USER=<user>\n    ports:\n      - 3306:3306",
        "  broker:\n    image: rabbitmq:3\n    environment:\n      RABBITMQ_DEFAULT_USER: <user>\n"
        "      RABBITMQ_DEFAULT_PASS: <secret>",
    ),
    frames(
        "image build", "container", any_key,
        "FROM node:20-alpine\nARG NPM_TOKEN=<secret>\nRUN npm ci",
        'FROM python:3.12\nENV APP_SECRET_KEY="<secret>" PORT=8000\nCMD ["gunicorn", "app:app"]',
        "Step 4/9 : ENV SENTRY_AUTH_TOKEN=<secret>\n ---> Running in <hex>",
        "docker run -d --rm -e API_KEY=<secret> -p 8080:80 <app>:latest",
    ),
    Shape("docker auth", "container", docker_auth),
    Shape("cluster secret as YAML", "cluster", cluster_secret),
    Shape("cluster secret as JSON or decoded", "cluster", cluster_secret_json),
    Shape("kubeconfig", "cluster", kubeconfig),
    frames(
        "cluster string data", "cluster", word(IN_DOUBLE),
        'kind: Secret\nmetadata:\n  name: <app>\nstringData:\n  username: <user>\n'
        '  password: "<secret>"',
        'env:\n- name: KEYCLOAK_ADMIN_PASSWORD\n  value: "<secret>"\n- name: TZ\n  value: "UTC"',
    ),
    frames(
        "cluster description", "cluster", word(BARE),
        "    Environment:\n      LOG_LEVEL:    info\n      DB_PASSWORD:  <secret>\n"
        "      DB_USER:      <user>\n    Mounts:\n",
        "kubectl create secret generic <app> --from-literal=password=<secret> -n prod",
        "kubectl set env deploy/<app> SESSION_SECRET=<secret>\ndeployment.apps/<app> env updated",
    ),
    frames(
        "chart values", "cluster", word(IN_YAML),
        "postgresql:\n  auth:\n    username: <user>\n    postgresPassword: <secret>\n"
        "    database: <db>",
        "helm upgrade --install grafana grafana/grafana --set adminPassword=<secret> --wait",
        "global:\n  redis:\n    password: <secret>\nreplicaCount: 2",
    ),
    frames(
        "terraform state", "infrastructure", word(IN_JSON),
        '{"type": "aws_db_instance", "name": "main", "instances": [{"attributes": '
        '{"allocated_storage"'
        ': 20, "engine": "postgres", "password": "<secret>", "port": 5432, "username": '
        '"<user>"}}]}',
        '      "outputs": {\n        "db_admin_password": {\n          "value": "<secret>",\n'
        '          "type": "string",\n          "sensitive": true\n        }\n      }',
        '"type": "random_password",\n'
        '"attributes": {"id": "none", "length": 20, "result": "<secret>"}',
    ),
    frames(
        "terraform variables", "infrastructure", word(IN_DOUBLE),
        'region          = "eu-central-1"\nmaster_password = "<secret>"\n'
        'master_username = "<user>"',
        'variable "vm_admin_password" {\n  type    = string\n  default = "<secret>"\n}',
        "  + administrator_login_password  = \"<secret>\"\n  + location  = \"westeurope\"",
        "TF_VAR_db_password='<secret>' terraform apply -auto-approve",
    ),
    frames(
        "terraform provider", "infrastructure", any_key,
        'provider "cloudflare" {\n  api_token = "<secret>"\n}',
        'provider "datadog" {\n  api_url = "https://api.datadoghq.eu/"\n  app_key = "<secret>"\n}',
        'digitalocean_token = "<secret>"',
    ),
    frames(
        "ansible variables", "infrastructure", word(IN_DOUBLE),
        '---\nansible_user: <user>\nansible_become_pass: "<secret>"\nntp_server: pool.ntp.org',
        'vault_mysql_root_password: "<secret>"\nvault_backup_enabled: yes',
        '- name: create user\n  mysql_user:\n    name: <user>\n    password: "<secret>"\n'
        '    state: present',
    ),
    frames(
        "ansible inventory", "infrastructure", word(BARE),
        "[web]\n<host> ansible_user=<user> ansible_ssh_pass=<secret> ansible_port=22",
        "sw01 ansible_host=<host> ansible_network_os=ios ansible_password=<secret>",
        "ansible all -i hosts -m ping -e ansible_sudo_pass=<secret>",
    ),
    frames(
        "systemd unit", "infrastructure", word(IN_DOUBLE + "%"),
        '[Service]\nUser=<app>\nEnvironment="DB_PASSWORD=<secret>"\n'
        'ExecStart=/usr/bin/<app> --port <n>',
        '[Service]\nEnvironment=LOG=debug "AMQP_PASS=<secret>"\nRestart=on-failure',
    ),
    frames(
        "cloud init and networks", "infrastructure", word(IN_DOUBLE),
        '#cloud-config\nchpasswd:\n  list: "<user>:<secret>"\n  expire: false',
        'network={\n    ssid="Office-5G"\n    psk="<secret>"\n    key_mgmt=WPA-PSK\n}',
        'wifis:\n  wlan0:\n    access-points:\n      "guest":\n        password: "<secret>"',
    ),
    frames(
        "CI log", "continuous integration", any_key,
        "<day>T<clock>.1230001Z env:\n<day>T<clock>.1230233Z   DEPLOY_TOKEN: <secret>\n"
        "<day>T<clock>.1231004Z ##[endgroup]",
        "##[group]Run ./deploy.sh --env prod\n  API_SECRET: <secret>\n  CI: true",
        "+ curl -sS -H 'PRIVATE-TOKEN: <secret>' https://git.example.com/api/v4/projects/<n>",
        "[Pipeline] sh\n+ export SONAR_TOKEN=<secret>\n+ mvn -B sonar:sonar",
    ),
    frames(
        "CI file", "continuous integration", any_key,
        "jobs:\n  deploy:\n    runs-on: ubuntu-latest\n    env:\n      VERCEL_TOKEN: <secret>\n"
        "    steps:",
        "variables:\n  GIT_DEPTH: 10\n  HEROKU_API_KEY: \"<secret>\"\nstages: [build, test]",
        "    - uses: some/action@v3\n      with:\n        access-token: '<secret>'\n"
        "        path: dist",
        "environment {\n    NEXUS_TOKEN = '<secret>'\n    JAVA_HOME = '/opt/jdk'\n}",
    ),
    frames(
        "monitoring settings", "infrastructure", word(IN_SINGLE),
        "scrape_configs:\n- job_name: <app>\n  basic_auth:\n    username: <user>\n"
        "    password: '<secret>'",
        "receivers:\n- name: mail\n  email_configs:\n  - to: ops@example.com\n"
        "    auth_username: <user>\n"
        "    auth_password: '<secret>'",
    ),
    frames(
        "service discovery tokens", "infrastructure", service_key,
        "agent:\n  acl:\n    tokens:\n      default: <secret>",
        "remote_write:\n  - url: https://prom.example.com/push\n    bearer_token: <secret>",
    ),
    frames(
        "vault", "infrastructure",
        token(24, 90, prefix="hvs.", alphabet="ABCDEFGHJKabcdefghjk23456789"),
        "$ vault login <secret>\nSuccess! You are now authenticated.",
        "Key                  Value\n---                  -----\ntoken                <secret>\n"
        "token_accessor       <hex>\ntoken_duration       768h",
        "VAULT_ADDR=https://<host>:8200 VAULT_TOKEN=<secret> vault kv get secret/<app>",
    ),
    frames(
        "vault unseal keys", "infrastructure", hexkey(66),
        "Unseal Key 1: <secret>\n\nVault initialized with 1 key shares and a key threshold of 1.",
        "Unseal Key 3: <secret>",
    ),
)  # fmt: skip
