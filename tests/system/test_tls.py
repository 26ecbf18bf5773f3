"""TLS with rsyslog and syslog-ng as peers, both ways; wrong certificates; keys with passwords; new certificates."""

import os
import re
import socket
import ssl
import subprocess
import tempfile

from server import Server, free_port
from test_relp import Rsyslog, listens, numbers

COUNT = 2000
SYSLOG_NG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/syslog-ng.sh")

RECEIVER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_tls {{
    syslog(ip("127.0.0.1") port({port}) transport("tls") max-connections(50)
        tls(key-file("{folder}/pki/server.key") cert-file("{folder}/pki/server.pem") ca-file("{folder}/pki/ca.pem") PEER));
}};
destination d_file {{ file("{folder}/out.log" template("$TRANSPORT ${{.tls.x509_cn}} $HOST $PROGRAM $MSG\\n")); }};
log {{ source(s_tls); destination(d_file); flags(flow-control); }};
"""

SENDER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
destination d_tls {{
    syslog("localhost" port(PORT) transport("tls")
        tls(key-file("{folder}/pki/client.key") cert-file("{folder}/pki/client.pem") ca-file("{folder}/pki/ca.pem")));
}};
log {{ source(s_tcp); destination(d_tls); flags(flow-control); }};
"""


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=30)


def pki(folder):
    """A CA and certificates for localhost and for a client, as openssl makes them."""
    os.makedirs(folder)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
            "-subj", "/CN=CA of " + os.path.basename(os.path.dirname(folder)) + os.path.basename(folder), "-keyout", folder + "/ca.key", "-out", folder + "/ca.pem")
    for name, subject in (("server", "localhost"), ("client", "sender.example")):
        issue(folder, name, subject)


def issue(folder, name, host):
    with open(f"{folder}/{name}.ext", "w") as out:
        out.write(f"subjectAltName=DNS:{host}\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/O=Test/CN={host}",
            "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr")
    openssl("x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", folder + "/ca.pem", "-CAkey", folder + "/ca.key",
            "-CAcreateserial", "-days", "30", "-extfile", f"{folder}/{name}.ext", "-out", f"{folder}/{name}.pem")


def receiver(binary, more=""):
    server = Server(binary, RECEIVER.replace("PEER", more))
    pki(server.folder + "/pki")
    server.start()
    return server


def feed(port, count):
    """Plain messages to a sender under test."""
    with socket.create_connection(("127.0.0.1", port)) as out:
        for number in range(count):
            out.sendall(b"<13>1 2026-11-21T09:00:00Z web relayed - - - message %d\n" % number)


def dial(port, folder, name=None, ca=None):
    """A TLS connection made by Python, after the server has decided about its certificate."""
    context = ssl.create_default_context(cafile=ca or folder + "/ca.pem")
    if name:
        context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=30), server_hostname="localhost")


def test_rsyslog_sends(binary):
    server = receiver(binary)
    pki_folder = server.folder + "/pki"
    with tempfile.TemporaryDirectory() as folder:
        rsyslog = Rsyslog(folder, f"""
            global(defaultNetstreamDriver="gtls" defaultNetstreamDriverCAFile="{pki_folder}/ca.pem"
                   defaultNetstreamDriverCertFile="{pki_folder}/client.pem" defaultNetstreamDriverKeyFile="{pki_folder}/client.key")
            module(load="imuxsock" SysSock.Use="off")
            input(type="imuxsock" Socket="{folder}/in.sock" RateLimit.Interval="0")
            action(type="omfwd" target="localhost" port="{server.port}" protocol="tcp" TCP_Framing="octet-counted"
                   template="RSYSLOG_SyslogProtocol23Format" StreamDriver="gtls" StreamDriverMode="1"
                   StreamDriverAuthMode="x509/name" StreamDriverPermittedPeers="localhost" action.resumeRetryCount="-1")
            """)
        try:
            Server.until(lambda: os.path.exists(folder + "/in.sock"), 30, "rsyslog's socket")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
                out.connect(folder + "/in.sock")
                for number in range(COUNT):
                    out.send(b"<13>Nov 21 09:00:00 relayed: message %d" % number)
            path = server.folder + "/out.log"
            Server.until(lambda: len(numbers(path)) == COUNT, 20, "all messages of rsyslog")
            with open(path) as lines:
                assert next(lines).startswith("rfc5425 sender.example "), "no name of the sender's certificate"
        finally:
            rsyslog.stop()
            server.close()


def test_rsyslog_receives(binary):
    port = free_port()
    server = Server(binary, SENDER.replace("PORT", str(port)))
    pki_folder = server.folder + "/pki"
    pki(pki_folder)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        rsyslog = Rsyslog(folder, f"""
            global(defaultNetstreamDriver="gtls" defaultNetstreamDriverCAFile="{pki_folder}/ca.pem"
                   defaultNetstreamDriverCertFile="{pki_folder}/server.pem" defaultNetstreamDriverKeyFile="{pki_folder}/server.key")
            module(load="imtcp" StreamDriver.Name="gtls" StreamDriver.Mode="1" StreamDriver.AuthMode="x509/name"
                   PermittedPeer=["sender.example"])
            input(type="imtcp" port="{port}" address="127.0.0.1")
            template(name="line" type="string" string="%programname% %msg%\\n")
            action(type="omfile" file="{folder}/out.log" template="line")
            """)
        try:
            Server.until(lambda: listens(port), 30, "rsyslog's port")
            feed(server.port, COUNT)
            Server.until(lambda: len(numbers(folder + "/out.log")) == COUNT, 20, "all messages in rsyslog")
        finally:
            rsyslog.stop()
            server.close()


def syslog_ng(folder, config):
    with open(folder + "/peer.conf", "w") as out:
        out.write(config)
    command = [SYSLOG_NG, "syslog-ng", "--foreground", "--no-caps", "--cfgfile", folder + "/peer.conf",
               "--persist-file", folder + "/persist", "--control", folder + "/peer.ctl", "--pidfile", folder + "/peer.pid"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_syslog_ng_both_ways(binary):
    """We send to syslog-ng, which sends back to us, both ways with both certificates checked."""
    server = receiver(binary)
    middle = free_port()
    sender = Server(binary, SENDER.replace("PORT", str(middle)).replace("{folder}/pki", server.folder + "/pki"))
    sender.start()
    keys = server.folder + "/pki"
    peer = syslog_ng(sender.folder, f"""@version: 3.38
        options {{ keep-hostname(yes); use-dns(no); time-reopen(1); }};
        source s {{ syslog(ip("127.0.0.1") port({middle}) transport("tls")
            tls(key-file("{keys}/server.key") cert-file("{keys}/server.pem") ca-file("{keys}/ca.pem"))); }};
        destination d {{ syslog("localhost" port({server.port}) transport("tls")
            tls(key-file("{keys}/client.key") cert-file("{keys}/client.pem") ca-file("{keys}/ca.pem"))); }};
        log {{ source(s); destination(d); flags(flow-control); }};
        """)
    try:
        Server.until(lambda: listens(middle), 30, "syslog-ng's port")
        feed(sender.port, COUNT)
        path = server.folder + "/out.log"
        Server.until(lambda: len(numbers(path)) == COUNT, 20, "all messages through syslog-ng")
    finally:
        peer.terminate()
        peer.wait(10)
        sender.close()
        server.close()


def test_loggen(binary):
    """Our loggen and syslog-ng's, to a source that needs no client certificate."""
    server = receiver(binary, 'peer-verify(optional-untrusted)')
    try:
        for loggen in ([binary, "loggen"], [SYSLOG_NG, "loggen"]):
            command = [*loggen, "--use-ssl", "--syslog-proto", "--rate", "5000", "--number", "2000",
                       "--interval", "5", "127.0.0.1", str(server.port)]
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        path = server.folder + "/out.log"
        Server.until(lambda: sum(1 for _ in open(path)) == 4000, 30, "the messages of both")
    finally:
        server.close()


def test_refused_and_renewed(binary):
    """Strangers are refused, and both sides report why; a reload loads a new certificate and closes no connection."""
    server = receiver(binary)
    folder = server.folder + "/pki"
    pki(server.folder + "/other")
    issue(folder, "server2", "localhost")
    try:
        good = dial(server.port, folder, "client")
        good.sendall(b"57 <13>1 2026-11-21T09:00:00Z web before - - - message 1    ")
        strangers = ((folder, None, "shows no certificate"), (server.folder + "/other", "client", "is not signed by a CA"))
        for keys, name, words in strangers:
            try:
                bad = dial(server.port, keys, name, ca=folder + "/ca.pem")
                assert bad.recv(1) == b"", "a stranger was let in"
            except ssl.SSLError as error:
                assert "alert" in str(error).lower(), error
            Server.until(lambda: words in server.stderr(), 30, f"{words!r} in the log")
        figures = server.ctl("stats")
        assert re.search(r"src\.syslog;s_tls#0;[^\n]*;a;errors;2\n", figures), figures
        old = good.getpeercert()["serialNumber"]
        for kind in ("pem", "key"):
            os.replace(f"{folder}/server2.{kind}", f"{folder}/server.{kind}")
        server.ctl("reload")
        with dial(server.port, folder, "client") as renewed:
            assert renewed.getpeercert()["serialNumber"] != old, "the old certificate is still shown"
        good.sendall(b"57 <13>1 2026-11-21T09:00:00Z web after  - - - message 2    ")
        Server.until(lambda: {1, 2} <= numbers(server.folder + "/out.log"), 30, "the messages around the reload")
        good.close()
        os.rename(folder + "/server.key", folder + "/away.key")
        failed = subprocess.run([binary, "ctl", "--control", server.folder + "/ctl", "reload"], capture_output=True, text=True)
        assert failed.returncode == 1 and "server.key" in failed.stderr, failed
    finally:
        server.close()


def test_password_of_a_key(binary):
    server = Server(binary, RECEIVER.replace("PEER", "peer-verify(optional-untrusted)"))
    folder = server.folder + "/pki"
    pki(folder)
    openssl("pkcs8", "-topk8", "-in", folder + "/server.key", "-passout", "pass:heart wood", "-out", folder + "/sealed.key")
    os.replace(folder + "/sealed.key", folder + "/server.key")
    server.start()
    try:
        assert "\tPENDING\n" in server.ctl("credentials", "status")
        try:
            dial(server.port, folder)
            raise AssertionError("a session without a key")
        except OSError:
            pass
        server.ctl("credentials", "add", folder + "/server.key", "heart wood")
        dial(server.port, folder).close()
        assert "\tSUCCESS\n" in server.ctl("credentials", "status")
    finally:
        server.close()


STAPLED = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); }};
source s_tcp {{ network(ip("127.0.0.1") port({port})); }};
destination d_tls {{
    network("localhost" port(PORT) transport("tls") template("$MSG\\n")
        tls(ca-file("{folder}/pki/ca.pem") ocsp-stapling-verify(yes) sigalgs("ECDSA+SHA256")));
}};
log {{ source(s_tcp); destination(d_tls); flags(flow-control); }};
"""


def staple(folder, state):
    """Returns the CA's record of the server's certificate: V, or R with the time of its revocation."""
    shown = subprocess.run(["openssl", "x509", "-noout", "-serial", "-in", folder + "/server.pem"],
                           check=True, capture_output=True, text=True, timeout=30)
    serial = shown.stdout.strip().split("=")[1]
    with open(folder + "/index.txt", "w") as out:
        out.write(f"{state[0]}\t400101000000Z\t{state[1:]}\t{serial}\tunknown\t/O=Test/CN=localhost\n")
    openssl("ocsp", "-issuer", folder + "/ca.pem", "-cert", folder + "/server.pem", "-no_nonce", "-reqout", folder + "/request")
    openssl("ocsp", "-index", folder + "/index.txt", "-CA", folder + "/ca.pem", "-rsigner", folder + "/ca.pem",
            "-rkey", folder + "/ca.key", "-reqin", folder + "/request", "-respout", folder + "/answer")


def stapling(folder, port, *words):
    """openssl's own server, which prints what it receives."""
    out = open(folder + "/received", "wb")
    return subprocess.Popen(["openssl", "s_server", "-accept", str(port), "-cert", folder + "/server.pem",
                             "-key", folder + "/server.key", "-quiet", *words], stdout=out, stderr=subprocess.DEVNULL,
                            stdin=subprocess.PIPE)


def test_stapled_answers_of_the_ca(binary):
    port = free_port()
    server = Server(binary, STAPLED.replace("PORT", str(port)))
    folder = server.folder + "/pki"
    pki(folder)
    received = lambda: open(folder + "/received").read()
    staple(folder, "R260101000000Z")
    peer = stapling(folder, port, "-status_file", folder + "/answer")
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as out:
            out.sendall(b"<13>Nov 21 09:00:00 gate app: only to the good\n")
        for said, state in (("revoked", None), ("shows no OCSP answer", ()), (None, "V")):
            if state is not None:
                peer.kill()
                peer.wait()
                if state:
                    staple(folder, state)
                peer = stapling(folder, port, *(("-status_file", folder + "/answer") if state else ()))
            if said:
                server.until(lambda: said in server.stderr(), 30, said)
                assert received() == ""
        server.until(lambda: received() == "only to the good\n", 30, "the message")
    finally:
        peer.kill()
        peer.wait()
        server.close()
