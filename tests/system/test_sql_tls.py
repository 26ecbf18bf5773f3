"""tls() of sql(): real servers with certificates of the test's own CA; wrong certificates lose no message."""

import os
import shutil

from destination import HEAD, send
from mariadb import MariaDb
from postgres import Postgres
from server import Server
from test_sql import counters, settled
from test_tls import issue, pki

CONFIG = HEAD + """
destination d_sql {{ sql(%s table("m") columns("text") values("$MSG") time-reopen(1) tls(%s)); }};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
"""


def papers(database):
    """Certificates in the folder of a database; its user owns the key."""
    folder = database.folder + "/pki"
    pki(folder)
    pki(database.folder + "/other")
    issue(folder, "elsewhere", "elsewhere.example")
    for name in os.listdir(folder):
        os.chmod(f"{folder}/{name}", 0o644)
    return folder


def check(binary, database, folder, place, encrypted):
    """Trust in both directions; `encrypted` returns the number of encrypted connections that the server sees."""
    server = Server(binary, CONFIG % (place, 'ca-file("%s/other/ca.pem")' % database.folder))
    shown = 'cert-file("%s/client.pem") key-file("%s/client.key")' % (folder, folder)
    try:
        server.start()
        send(server, [("web", "one")])
        refusal = "TLS: the certificate of the peer is not signed by a CA in ca-file() or ca-dir()"
        server.until(lambda: refusal in server.ctl("healthcheck"), 20, "the unknown CA to show")
        # Another CA; the wrong host name; no certificate where one is required; everything right.
        wrong = CONFIG % (place.replace("localhost", "127.0.0.1"), 'ca-file("%s/ca.pem") %s' % (folder, shown))
        server.write_config(wrong)
        server.ctl("reload")
        server.until(lambda: "TLS: the certificate of the peer is not for" in server.ctl("healthcheck"), 20, "the wrong name to show")
        assert counters(server).get("written", 0) == 0
        server.write_config(CONFIG % (place, 'ca-file("%s/ca.pem") %s' % (folder, shown)))
        server.ctl("reload")
        assert settled(server, 1)["written"] == 1
        assert encrypted() >= 1
    finally:
        server.close()


def test_mariadb(binary):
    maria = MariaDb()
    folder = papers(maria)
    try:
        plain = Server(binary, CONFIG % ('host("localhost") port(%d) username("syslog-ng") password("secret-password")' % maria.port, "peer-verify(optional-untrusted)"))
        try:
            # Nothing is sent in the clear to a server that has no TLS, not even to an unknown one.
            plain.start()
            send(plain, [("web", "one")])
            plain.until(lambda: "the server does not speak TLS" in plain.ctl("healthcheck"), 20, "the missing TLS to show")
        finally:
            plain.close()
        maria.kill()
        maria.options = (f"--ssl-ca={folder}/ca.pem", f"--ssl-cert={folder}/server.pem", f"--ssl-key={folder}/server.key")
        maria.start()
        maria.sql("CREATE USER 'named'@'%' IDENTIFIED BY 'n' REQUIRE SUBJECT '/O=Test/CN=sender.example'; GRANT ALL ON logs.* TO 'named'@'%'")
        check(binary, maria, folder, f'host("localhost") port({maria.port}) username("named") password("n")',
              lambda: int(maria.sql("SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'SSL_ACCEPTS'")[0]))
        assert maria.sql("SELECT * FROM m") == ["one"]
    finally:
        maria.close()


def test_postgresql(binary):
    postgres = Postgres()
    folder = papers(postgres)
    try:
        postgres.sql("CREATE USER named PASSWORD 'n'")
        postgres.sql("CREATE DATABASE logs OWNER named")
        for name in ("server.key", "server.pem", "ca.pem"):
            shutil.copy(f"{folder}/{name}", postgres.data)
            os.chmod(f"{postgres.data}/{name}", 0o600)
            if postgres.user:
                os.chown(f"{postgres.data}/{name}", postgres.user.pw_uid, postgres.user.pw_gid)
        with open(postgres.data + "/pg_hba.conf", "w") as out:
            out.write("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n")
        postgres.kill()
        postgres.listen()
        place = f'type(pgsql) host("localhost") port({postgres.port}) username("named") password("n")'
        check(binary, postgres, folder, place,
              lambda: int(postgres.sql("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND usename = 'named'")[0]))
        assert postgres.sql("SELECT * FROM m", "logs") == ["one"]
    finally:
        postgres.close()


def test_the_machines_authorities_are_trusted_by_default(binary):
    """tls() without a CA uses those of the machine, so the test's own CA is unknown."""
    maria = MariaDb()
    folder = papers(maria)
    server = Server(binary, CONFIG % (f'host("localhost") port({maria.port}) username("syslog-ng") password("secret-password")', "peer-verify(yes)"))
    try:
        maria.kill()
        maria.options = (f"--ssl-ca={folder}/ca.pem", f"--ssl-cert={folder}/server.pem", f"--ssl-key={folder}/server.key")
        maria.start()
        server.start()
        send(server, [("web", "one")])
        server.until(lambda: "is not signed by a CA" in server.ctl("healthcheck"), 20, "the unknown CA to show")
        server.write_config(CONFIG % (f'host("localhost") port({maria.port}) username("syslog-ng") password("secret-password")', "peer-verify(optional-untrusted)"))
        server.ctl("reload")
        assert settled(server, 1)["written"] == 1
    finally:
        server.close()
        maria.close()
