"""RELP with rsyslog as the peer, both ways, while the receiver dies and comes back: nothing is lost."""

import os
import signal
import socket
import subprocess
import tempfile
import time

from server import Server, free_port

COUNT = 3000

TLS = 'tls(ca-file("CERTS/ca.pem") cert-file("CERTS/own.pem") key-file("CERTS/own.key"))'

RECEIVER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); }};
source s_relp {{ relp(ip("127.0.0.1") port({port})); }};
destination d_file {{ file("{folder}/out.log" template("$HOST $PROGRAM $MSG\\n")); }};
log {{ source(s_relp); destination(d_file); flags(flow-control); }};
"""

SENDER = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); }};
destination d_relp {{ relp("127.0.0.1" port(RELP)); }};
log {{ source(s_tcp); destination(d_relp); flags(flow-control); }};
"""


class Rsyslog:
    """One rsyslogd in the foreground, with a configuration of its own."""

    def __init__(self, folder, config):
        self.folder = folder
        with open(folder + "/rsyslog.conf", "w") as out:
            out.write(f'global(workDirectory="{folder}")\n{config}')
        self.start()

    def start(self):
        path = os.environ["PATH"] + ":/usr/sbin"
        command = ["rsyslogd", "-n", "-f", self.folder + "/rsyslog.conf", "-i", f"{self.folder}/pid{time.monotonic_ns()}"]
        self.process = subprocess.Popen(command, env={**os.environ, "PATH": path})

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(20)


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def numbers(path):
    """The numbers at the ends of the lines of a file."""
    if not os.path.exists(path):
        return set()
    with open(path, errors="replace") as lines:
        return {int(line.split()[-1]) for line in lines if line.endswith("\n") and line.split()[-1].isdigit()}


def test_rsyslog_sends(binary):
    """rsyslog's omrelp sends to us; we are killed and stopped meanwhile."""
    server = Server(binary, RECEIVER)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        rsyslog = Rsyslog(folder, f"""
            module(load="imuxsock" SysSock.Use="off")
            module(load="omrelp")
            input(type="imuxsock" Socket="{folder}/in.sock" RateLimit.Interval="0")
            action(type="omrelp" target="127.0.0.1" port="{server.port}" template="RSYSLOG_SyslogProtocol23Format"
                   action.resumeRetryCount="-1" action.resumeInterval="1" queue.type="LinkedList" queue.size="100000")
            """)
        try:
            Server.until(lambda: os.path.exists(folder + "/in.sock"), 30, "rsyslog's socket")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
                out.connect(folder + "/in.sock")
                for number in range(COUNT):
                    out.send(b"<13>Nov 21 09:00:00 relayed: message %d" % number)
                    if number in (COUNT // 3, 2 * COUNT // 3):
                        Server.until(lambda: numbers(server.folder + "/out.log"), 30, "the first messages")
                        server.stop(signal.SIGKILL if number == COUNT // 3 else signal.SIGTERM)
                        server.start()
            path = server.folder + "/out.log"
            Server.until(lambda: len(numbers(path)) == COUNT, 20, "all messages of rsyslog")
            assert numbers(path) == set(range(COUNT))
            with open(path) as lines:
                assert all(line.split()[1] == "relayed" for line in lines)
        finally:
            rsyslog.stop()
            server.close()


def test_rsyslog_receives(binary):
    """We send to rsyslog's imrelp, which is killed meanwhile."""
    relp = free_port()
    server = Server(binary, SENDER.replace("RELP", str(relp)))
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        rsyslog = Rsyslog(folder, f"""
            module(load="imrelp")
            input(type="imrelp" port="{relp}")
            template(name="line" type="string" string="%programname% %msg%\\n")
            action(type="omfile" file="{folder}/out.log" template="line" asyncWriting="off")
            """)
        try:
            Server.until(lambda: listens(relp), 30, "rsyslog's port")
            path = folder + "/out.log"
            with socket.create_connection(("127.0.0.1", server.port)) as out:
                for number in range(COUNT):
                    out.sendall(b"<13>1 2026-11-21T09:00:00Z web relayed - - - message %d\n" % number)
                    if number in (COUNT // 3, 2 * COUNT // 3):
                        Server.until(lambda: numbers(path), 30, "the first messages")
                        # It is killed while nothing waits in its memory, because RELP guarantees only what
                        # it has written.
                        Server.until(lambda: len(numbers(path)) == number + 1, 30, "what was sent")
                        rsyslog.stop(signal.SIGKILL)
                        rsyslog.start()
            Server.until(lambda: len(numbers(path)) == COUNT, 20, "all messages in rsyslog")
            assert numbers(path) == set(range(COUNT))
        finally:
            rsyslog.stop()
            server.close()


def make_certificates(folder):
    """An authority and one certificate for 127.0.0.1, for both sides."""

    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "30")
    openssl("req", *key, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=localhost")
    with open(folder + "/own.ext", "w") as out:
        out.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl("x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "own.pem",
            "-days", "30", "-extfile", "own.ext")


def rsyslog_tls(folder):
    return (f'tls="on" tls.authMode="certvalid" tls.caCert="{folder}/ca.pem" tls.myCert="{folder}/own.pem" '
            f'tls.myPrivKey="{folder}/own.key"')


def test_encrypted_from_rsyslog(binary):
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(folder)
        server = Server(binary, RECEIVER.replace("port({port})", "port({port}) " + TLS.replace("CERTS", folder)))
        server.start()
        rsyslog = Rsyslog(folder, f"""
            module(load="imuxsock" SysSock.Use="off")
            module(load="omrelp" tls.tlslib="openssl")
            input(type="imuxsock" Socket="{folder}/in.sock" RateLimit.Interval="0")
            action(type="omrelp" target="127.0.0.1" port="{server.port}" {rsyslog_tls(folder)}
                   action.resumeRetryCount="-1" action.resumeInterval="1" queue.type="LinkedList")
            """)
        try:
            Server.until(lambda: os.path.exists(folder + "/in.sock"), 30, "rsyslog's socket")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
                out.connect(folder + "/in.sock")
                for number in range(500):
                    out.send(b"<13>Nov 21 09:00:00 relayed: message %d" % number)
            path = server.folder + "/out.log"
            Server.until(lambda: numbers(path) == set(range(500)), 30, "all messages of rsyslog")
        finally:
            rsyslog.stop()
            server.close()


def test_encrypted_to_rsyslog(binary):
    relp = free_port()
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(folder)
        sender = SENDER.replace("port(RELP)", f"port({relp}) " + TLS.replace("CERTS", folder))
        server = Server(binary, sender)
        server.start()
        rsyslog = Rsyslog(folder, f"""
            module(load="imrelp" tls.tlslib="openssl")
            input(type="imrelp" port="{relp}" {rsyslog_tls(folder)})
            template(name="line" type="string" string="%programname% %msg%\\n")
            action(type="omfile" file="{folder}/out.log" template="line")
            """)
        try:
            Server.until(lambda: listens(relp), 30, "rsyslog's port")
            with socket.create_connection(("127.0.0.1", server.port)) as out:
                for number in range(500):
                    out.sendall(b"<13>1 2026-11-21T09:00:00Z web relayed - - - message %d\n" % number)
            Server.until(lambda: numbers(folder + "/out.log") == set(range(500)), 30, "all messages in rsyslog")
        finally:
            rsyslog.stop()
            server.close()
