"""Secrets in commands, in connection strings and in what tools print about them."""

from __future__ import annotations

from second_material import (
    BARE,
    IN_DOUBLE,
    IN_SINGLE,
    Shape,
    frames,
    in_url,
    service_key,
    token,
    word,
)

AWS = token(40, alphabet="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

COMMANDS: tuple[Shape, ...] = (
    frames(
        "powershell", "command", word("'\"$`"),
        '$cred = New-Object PSCredential("<user>", (ConvertTo-SecureString "<secret>" '
        '-AsPlainText -Force))',
        "$pw = ConvertTo-SecureString -String '<secret>' -AsPlainText -Force",
        "$password = '<secret>'\n$user = 'CORP\\<user>'",
        'Set-ADAccountPassword -Identity <user> -NewPassword (ConvertTo-SecureString "<secret>" '
        '-AsPlain)',
    ),
    frames(
        "windows shares and tasks", "command", word(BARE + "%^/"),
        "net use Z: \\\\fs01\\share <secret> /user:CORP\\<user>",
        "net use \\\\<host>\\c$ /user:<user> <secret>",
        "net user <user> <secret> /add",
        "cmdkey /add:<host> /user:<user> /pass:<secret>",
        "schtasks /create /tn sync /tr C:\\s.bat /sc daily /ru <user> /rp <secret>",
        "psexec \\\\<host> -u <user> -p <secret> cmd.exe",
        "xfreerdp /v:<host> /u:<user> /p:<secret> /cert:ignore",
    ),
    frames(
        "curl with a user", "command", word(IN_SINGLE),
        "curl -sS -u '<user>:<secret>' https://<host>/api/v1/status",
        "curl --user '<user>:<secret>' -T build.zip ftp://<host>/incoming/",
        "wget --user=<user> --password='<secret>' https://files.example.com/a.tar.gz",
        "http -a '<user>:<secret>' GET https://api.example.com/me",
    ),
    frames(
        "curl with a token", "command", service_key,
        'curl -H "Authorization: Bearer <secret>" https://api.example.com/v1/models',
        "curl -X POST https://api.example.com/run -H 'X-API-Key: <secret>' -d '{\"q\": 1}'",
        'curl --oauth2-bearer <secret> "https://api.example.com/users?page=2"',
        "curl -H 'authorization: token <secret>' -L "
        "https://api.github.com/repos/acme/<app>/zipball",
        "gh auth login --with-token <<< <secret>",
    ),
    frames(
        "curl with a body", "command", word("\"'\\&+%"),
        "curl -X POST https://<host>/login -d '{\"email\": \"<user>@example.com\", \"password\": "
        "\"<secret>\"}'",
        "curl https://<host>/j_security_check -d 'j_username=<user>&j_password=<secret>'",
        'Invoke-RestMethod $u -Body (@{user="<user>"; password="<secret>"} | ConvertTo-Json)',
    ),
    frames(
        "ssh with a password", "command", word(IN_SINGLE),
        "sshpass -p '<secret>' ssh -o StrictHostKeyChecking=no <user>@<host> uptime",
        "SSHPASS='<secret>' sshpass -e rsync -az dist/ <user>@<host>:/srv/www",
        "echo '<user>:<secret>' | sudo chpasswd",
        "plink -ssh <user>@<host> -pw '<secret>' ls",
        "lftp -u <user>,'<secret>' sftp://<host>",
    ),
    frames(
        "psql", "database", word(IN_SINGLE),
        "PGPASSWORD='<secret>' psql -h <host> -U <user> -d <db> -c 'select count(*) from orders'",
        "export PGPASSWORD='<secret>'; pg_dump -Fc <db> > d.dump",
        "psql \"host=<host> user=<user> password='<secret>' dbname=<db> sslmode=require\"",
    ),
    frames(
        "pgpass", "database", word(":\\ "),
        "$ cat ~/.pgpass\n<host>:5432:<db>:<user>:<secret>",
        "*:*:*:<user>:<secret>\n# chmod 0600 ~/.pgpass",
    ),
    frames(
        "postgres url", "database", in_url,
        "psql postgresql://<user>:<secret>@<host>:5432/<db>?sslmode=require",
        "DATABASE_URL=postgres://<user>:<secret>@<host>/<db>",
        "engine = create_engine('postgresql+asyncpg://<user>:<secret>@<host>/<db>', echo=True)",
        "postgrex: ecto://<user>:<secret>@<host>/<db>",
    ),
    frames(
        "mysql", "database", word(IN_SINGLE),
        "mysql -h <host> -u <user> -p'<secret>' <db> -e 'SHOW TABLES'",
        "mysqldump --single-transaction -u<user> --password='<secret>' <db> | gzip > b.sql.gz",
        "MYSQL_PWD='<secret>' mysqladmin -u <user> status",
    ),
    frames(
        "mysql without quotes", "database", word(BARE + "%^"),
        "mysql -u<user> -p<secret> -h<host> <db>",
        "docker exec -i db mysql -uroot -p<secret> <db> < schema.sql",
    ),
    frames(
        "mongo", "database", in_url,
        'mongosh "mongodb+srv://<user>:<secret>@cluster0.ab1cd.mongodb.net/<db>"',
        "MONGO_URI=mongodb://<user>:<secret>@<host>:27017/?authSource=admin&replicaSet=rs0",
        "MongoServerError: bad auth: could not connect to mongodb://<user>:<secret>@<host>:27017",
    ),
    frames(
        "mongo options", "database", word(IN_DOUBLE + "'"),
        'mongosh --host <host> -u <user> -p "<secret>" --authenticationDatabase admin',
        'db.createUser({ user: "<user>", pwd: "<secret>", roles: ["readWrite"] })',
        'use admin\ndb.auth("<user>", "<secret>")\n{ ok: 1 }',
    ),
    frames(
        "redis", "database", word(BARE + "%"),
        "redis-cli -h <host> -a <secret> --no-auth-warning INFO",
        "127.0.0.1:6379> AUTH <secret>\nOK",
        "127.0.0.1:6379> CONFIG SET requirepass <secret>\nOK",
        "REDISCLI_AUTH=<secret> redis-cli ping",
        "ACL SETUSER <user> on ><secret> ~* +@all",
    ),
    frames(
        "redis and queue urls", "database", in_url,
        "REDIS_URL=redis://:<secret>@<host>:6379/0",
        "CELERY_BROKER_URL = 'amqp://<user>:<secret>@<host>:5672//'",
        "Connected to rediss://default:<secret>@<host>:25061",
        "[nats] dialing nats://<user>:<secret>@<host>:4222",
    ),
    frames(
        "sql statements", "database", word(IN_SINGLE),
        "CREATE USER '<user>'@'%' IDENTIFIED BY '<secret>';\nGRANT ALL ON <db>.* TO '<user>'@'%';",
        "ALTER ROLE <user> WITH LOGIN PASSWORD '<secret>';",
        "CREATE LOGIN <user> WITH PASSWORD = N'<secret>', CHECK_POLICY = OFF;",
        "SET PASSWORD FOR '<user>'@'localhost' = PASSWORD('<secret>');",
        "create user <user> identified with plaintext_password by '<secret>'",
    ),
    frames(
        "jdbc urls", "database", word("&;%'\"{}= #?@/:\\<>^|`+"),
        "jdbc:mysql://<host>:3306/<db>?user=<user>&password=<secret>&useSSL=false",
        "jdbc:sqlserver://<host>:1433;databaseName=<db>;user=<user>;password=<secret>;encrypt=true",
        "jdbc:oracle:thin:<user>/<secret>@//<host>:1521/ORCLPDB1",
        "sqlplus <user>/<secret>@<host>:1521/XE",
        "jdbc:snowflake://xy1.snowflakecomputing.com/?user=<user>&PASSWORD=<secret>&warehouse=WH",
    ),
    frames(
        "sqlcmd and odbc", "database", word(BARE + "%^"),
        "sqlcmd -S <host>,1433 -U <user> -P <secret> -Q 'SELECT @@VERSION'",
        "DRIVER={ODBC Driver 18 for SQL Server};SERVER=<host>;UID=<user>;PWD=<secret>;Encrypt=no",
        "bcp <db>.dbo.t out t.csv -S <host> -U <user> -P <secret> -c",
    ),
    frames(
        "git remotes", "git", token(36, prefix="ghp_"),
        "origin\thttps://<user>:<secret>@github.com/acme/<app>.git (fetch)\n"
        "origin\thttps://<user>:<secret>@github.com/acme/<app>.git (push)",
        "git clone https://<secret>@github.com/acme/<app>",
        "git remote set-url origin https://x-access-token:<secret>@github.com/acme/<app>.git",
        "To https://<secret>@github.com/acme/<app>.git\n   1f0c2aa..9b3de01  main -> main",
    ),
    frames(
        "git on other hosts", "git", token(20, prefix="glpat-"),
        "git clone https://oauth2:<secret>@gitlab.example.com/team/<app>.git",
        "fatal: unable to access 'https://ci:<secret>@git.example.com/<app>.git/': Could not "
        "resolve host",
        '[remote "origin"]\n\turl = https://<user>:<secret>@git.example.com/<app>.git',
    ),
    frames(
        "netrc and git credentials", "git", in_url,
        "$ cat ~/.git-credentials\nhttps://<user>:<secret>@git.example.com",
        "Cloning into '<app>'... https://<user>:<secret>@bitbucket.org/acme/<app>.git",
        "machine git.example.com\n  login <user>\n  password <secret>",
        "machine api.example.com login <user> password <secret>",
    ),
    frames(
        "key stores", "command", word(BARE + "%^:"),
        "openssl pkcs12 -in cert.p12 -nodes -passin pass:<secret> -out key.pem",
        "keytool -list -keystore <app>.jks -storepass <secret>",
        "openssl rsa -aes256 -in k.pem -out k2.pem -passout pass:<secret>",
        "security import dist.p12 -k build.keychain -P <secret> -T /usr/bin/codesign",
        "gpg --batch --passphrase <secret> -d backup.gpg",
        "ssh-keygen -t ed25519 -N <secret> -f id_ed25519",
        "7z x archive.7z -p<secret>",
        "unzip -P <secret> report.zip",
    ),
    frames(
        "registry logins", "command", word(BARE + "%^"),
        "docker login registry.example.com -u <user> -p <secret>",
        "echo <secret> | docker login ghcr.io -u <user> --password-stdin",
        "helm registry login <host> --username <user> --password <secret>",
        "skopeo copy --src-creds <user>:<secret> docker://r.example.com/a docker://b",
    ),
    frames(
        "directory and device tools", "command", word(BARE + "%^"),
        "ldapsearch -x -H ldap://<host> -D cn=admin,dc=example,dc=org -w <secret> -b dc=example",
        "smbclient //<host>/share -U <user>%<secret> -c ls",
        "mount -t cifs //<host>/s /mnt -o username=<user>,password=<secret>,vers=3.0",
        "ipmitool -I lanplus -H <host> -U <user> -P <secret> chassis status",
        "mosquitto_pub -h <host> -u <user> -P <secret> -t home/temp -m 21",
        "snmpwalk -v3 -l authPriv -u <user> -a SHA -A <secret> <host>",
    ),
    frames(
        "cloud commands", "command", AWS,
        "aws configure set aws_secret_access_key <secret> --profile <app>",
        "AWS Access Key ID [None]: AKIAIOSFODNN7EXAMPLE\nAWS Secret Access Key [None]: <secret>",
        "export AWS_SECRET_ACCESS_KEY=<secret>\naws s3 ls",
        "s3cmd --access_key=AKIAIOSFODNN7EXAMPLE --secret_key=<secret> ls",
    ),
    frames(
        "azure commands", "command",
        lambda rng: f"{token(3)(rng)}8Q~{token(34, alphabet='abcdefXYZ01234567~._-')(rng)}",
        "az login --service-principal -u <guid> -p <secret> --tenant <guid>",
        '{"appId": "<guid>", "displayName": "<app>", "password": "<secret>", "tenant": "<guid>"}',
        "ARM_CLIENT_ID=<guid>\nARM_CLIENT_SECRET=<secret>\nARM_TENANT_ID=<guid>",
    ),
)  # fmt: skip
