"""smtp() with a real mail server: plain, with a password, encrypted, one that defers or refuses, one that is down."""

import email
import email.header
import email.policy
import logging
import os
import socket
import ssl
import sys

from server import Server, free_port
from test_tls import pki

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../target/python"))

from aiosmtpd.controller import Controller  # noqa: E402
from aiosmtpd.smtp import AuthResult  # noqa: E402

logging.getLogger("mail.log").setLevel(logging.CRITICAL)

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); time-reopen(1); stats(level(1)); }};
source s_tcp {{ network(ip("127.0.0.1") port({port}) flags(syslog-protocol)); internal(); }};
filter f_mail {{ program("app"); }};
destination d_mail {{
    smtp(host("localhost") port(PORT)
        from("log server, eins" "logs@example.org") to("Ops" "$PROGRAM@example.org") to("second@example.org")
        cc("Chefin für alles" "cc@example.org") bcc("hidden@example.org") reply-to("help@example.org")
        sender("daemon@example.org") subject("[$LEVEL] $HOST: $MSG") body("Über $HOST:\\n$MSG\\n.\\nend\\n")
        header("X-Program", "$PROGRAM") throttle(500) MORE);
}};
log {{ source(s_tcp); filter(f_mail); destination(d_mail); }};
"""


class Mailbox:
    """A mail server that keeps the mails it accepts. `answers` are other answers that it gives first."""

    def __init__(self, port, **more):
        self.mails, self.answers, self.tried = [], [], 0
        self.controller = Controller(self, hostname="127.0.0.1", port=port, **more)
        self.controller.start()

    async def handle_DATA(self, _server, session, envelope):
        self.tried += 1
        if self.answers:
            return self.answers.pop(0)
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.mails.append((envelope.mail_from, envelope.rcpt_tos, message, session))
        return "250 taken"

    def close(self):
        self.controller.stop()


def setup(binary, port, more=""):
    server = Server(binary, CONFIG.replace("PORT", str(port)).replace("MORE", more))
    return server


def send(server, *texts):
    with socket.create_connection(("127.0.0.1", server.port)) as out:
        for text in texts:
            out.sendall(b"<11>1 2026-11-21T09:00:00Z web1 app 42 - - " + text + b"\n")


def counted(server, kind):
    lines = [line for line in server.ctl("stats").splitlines() if line.startswith("dst.smtp;") and f";{kind};" in line]
    return sum(int(line.rsplit(";", 1)[1]) for line in lines)


def test_mails_arrive(binary):
    """Every part of a mail; values that try to inject headers or commands; a server that is down at first."""
    port = free_port()
    server = setup(binary, port)
    server.start()
    try:
        send(server, b"disk f\xc3\xbcll", b"evil\r Bcc: spam@example.net")
        Server.until(lambda: "suspending" in server.stderr(), 30, "the failed connection")
        box = Mailbox(port)
        try:
            Server.until(lambda: len(box.mails) == 2, 30, "both mails")
            sender, to, message, _ = box.mails[0]
            assert sender == "logs@example.org"
            assert to == ["app@example.org", "second@example.org", "cc@example.org", "hidden@example.org"], to
            got = {name: str(message[name]) for name in message.keys()}
            assert got["Subject"] == "[err] web1: disk füll", got
            assert got["From"] == '"log server, eins" <logs@example.org>', got
            assert got["To"] == "Ops <app@example.org>, second@example.org", got
            assert got["Cc"] == "Chefin für alles <cc@example.org>" and got["Sender"] == "daemon@example.org", got
            assert got["Reply-To"] == "help@example.org" and got["X-Program"] == "app", got
            assert "hidden" not in str(message) and "Bcc" not in got
            assert message["Date"].datetime.year >= 2026 and message["Message-ID"].count("@") == 1
            assert message.get_content().splitlines() == ["Über web1:", "disk füll", ".", "end"]
            _, to, message, _ = box.mails[1]
            assert len(to) == 4 and message["Bcc"] is None, str(message)
            assert str(message["Subject"]).split() == "[err] web1: evil Bcc: spam@example.net".split()
            assert (counted(server, "written"), counted(server, "dropped")) == (2, 0)
        finally:
            box.close()
    finally:
        server.close()


def test_mails_are_put_off_and_refused(binary):
    """After 4XX a mail is retried, after 5XX dropped, counted and reported; nothing else is lost, not even when the server restarts."""
    port = free_port()
    box = Mailbox(port)
    box.answers = ["451 later", "554 never"]
    server = setup(binary, port)
    server.start()
    try:
        send(server, b"one", b"two", b"three")
        Server.until(lambda: len(box.mails) == 2, 30, "what was not refused")
        subjects = [str(mail[2]["Subject"])[-5:].split()[-1] for mail in box.mails]
        assert subjects == ["two", "three"] and box.tried == 4, (subjects, box.tried)
        Server.until(lambda: (counted(server, "written"), counted(server, "dropped")) == (2, 1), 30, "the counts")
        assert "554 never" in server.stderr(), server.stderr()
        box.close()
        box = Mailbox(port)
        send(server, *[b"more %d" % number for number in range(50)])
        Server.until(lambda: len(box.mails) == 50, 30, "the mails after a restart")
        assert len({str(mail[2]["Subject"]) for mail in box.mails}) == 50
    finally:
        server.close()
        box.close()


def test_mails_are_encrypted(binary):
    """STARTTLS with a password, TLS from the start; a server with a wrong certificate gets no mail."""
    port, tls_port = free_port(), free_port()
    server = setup(binary, port)
    pki(server.folder + "/pki")
    pki(server.folder + "/other")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.folder + "/pki/server.pem", server.folder + "/pki/server.key")

    def authenticator(_server, _session, _envelope, _mechanism, data):
        return AuthResult(success=(data.login, data.password) == (b"robot", b"s3cret"), handled=False)

    more = {"auth_required": True, "require_starttls": True, "authenticator": authenticator}
    box = Mailbox(port, tls_context=context, **more)
    secure = Mailbox(tls_port, ssl_context=context)
    ca, other = (f'tls(ca-file("{server.folder}/{name}/ca.pem"))' for name in ("pki", "other"))
    login = 'user("robot") password("s3cret")'
    try:
        server.write_config(CONFIG.replace("PORT", str(port)).replace("MORE", f"{other} {login}"))
        server.start()
        send(server, b"secret")
        Server.until(lambda: "suspending" in server.stderr(), 30, "the refused certificate")
        assert not box.mails and "s3cret" not in server.stderr()
        server.write_config(CONFIG.replace("PORT", str(port)).replace("MORE", f'{ca} user("robot") password("no")'))
        server.ctl("reload")
        Server.until(lambda: "does not take user and password" in server.stderr(), 30, "the refused password")
        server.write_config(CONFIG.replace("PORT", str(port)).replace("MORE", f"{ca} {login}"))
        server.ctl("reload")
        Server.until(lambda: len(box.mails) == 1, 30, "the mail by STARTTLS")
        assert box.mails[0][3].ssl is not None and box.mails[0][3].authenticated
        server.write_config(CONFIG.replace("PORT", str(tls_port)).replace("MORE", f'transport("tls") {ca}'))
        server.ctl("reload")
        send(server, b"also secret")
        Server.until(lambda: len(secure.mails) == 1, 30, "the mail by TLS")
        assert (counted(server, "written"), counted(server, "dropped")) == (2, 0)
    finally:
        server.close()
        box.close()
        secure.close()
