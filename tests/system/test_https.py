"""The page and the API over HTTPS: curl, requests, Chromium, our own programs; new certificates, old certificates."""

import os
import socket
import ssl
import subprocess
import sys

from server import CONFIG, Server, free_port
from test_page import demo, flows
from test_tls import issue, openssl, pki

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../target/python"))

import requests  # noqa: E402

PAGE = 'options {{ page(tls(cert-file("{folder}/pki/server.pem") key-file("{folder}/pki/server.key") MORE)); }};\n'


def setup(binary, more="", redirect=None):
    server = Server(binary)
    pki(server.folder + "/pki")
    page = PAGE.replace("MORE", more).replace("));", f') redirect-from("127.0.0.1:{redirect}"));' if redirect else "));")
    server.write_config(CONFIG.replace(" internal();", "") + page)
    server.trust(server.folder + "/pki/ca.pem")
    return server


def curl(*words):
    return subprocess.run(["curl", "--silent", "--show-error", "--noproxy", "*", *words], capture_output=True, text=True, timeout=30)


def serial(server):
    """The serial number of the certificate that the page shows."""
    context = ssl.create_default_context(cafile=server.folder + "/pki/ca.pem")
    with socket.create_connection(("127.0.0.1", server.http)) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as stream:
            return stream.getpeercert()["serialNumber"]


def test_clients_over_https(binary):
    redirect = free_port()
    server = setup(binary, redirect=redirect)
    ca = server.folder + "/pki/ca.pem"
    try:
        server.start()
        assert f"The page: https://127.0.0.1:{server.http}/" in server.stderr()
        assert [cookie.secure for cookie in server.jar] == [True]
        demo(binary, server, 500)
        done = curl("--cacert", ca, server.base + "/api/v1/health")
        assert '"status":"ok"' in done.stdout, done
        assert curl(server.base + "/api/v1/health").returncode == 60, "curl trusts anybody"
        # Plain HTTP, on the same port and on another one, is redirected and gets nothing else.
        for port in (server.http, redirect):
            done = curl("-i", f"http://localhost:{port}/api/v1/search?a=b")
            assert "308" in done.stdout and f"location: {server.base}/api/v1/search?a=b" in done.stdout, done.stdout
            done = curl("-i", "-H", "Host: x\tevil", f"http://localhost:{port}/")
            assert "400" in done.stdout.splitlines()[0], done.stdout
        done = curl("--location", "--cacert", ca, f"http://localhost:{redirect}/api/v1/health")
        assert '"status":"ok"' in done.stdout, done
        session = requests.Session()
        session.verify, session.trust_env = ca, False
        answer = session.post(server.base + "/api/v1/login", json={"user": "admin", "password": server.password},
                              headers={"X-Requested-By": "test"})
        assert answer.ok and "Secure" in answer.headers["Set-Cookie"], answer.headers
        answer = session.post(server.base + "/api/v1/search", json={"query": "*"}, headers={"X-Requested-By": "test"})
        assert answer.json()["total"] == 500, answer.text
        search = [binary, "search", "--url", server.base, "--format", "message", "*"]
        environment = {**os.environ, "DURAMEN_PASSWORD": server.password}
        done = subprocess.run([*search, "--ca-file", ca], env=environment, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0 and len(done.stdout.splitlines()) >= 20, done
        done = subprocess.run(search, env=environment, capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and "cannot reach" in done.stderr, done
        # Silent connections do not delay others.
        silent = [socket.create_connection(("127.0.0.1", server.http)) for _ in range(50)]
        assert '"status":"ok"' in curl("--cacert", ca, "--max-time", "5", server.base + "/api/v1/health").stdout
        for one in silent:
            one.close()
    finally:
        server.close()


def test_page_over_https(binary):
    """Chromium: the login, and rows as they arrive."""
    server = setup(binary)
    try:
        server.start()
        demo(binary, server)
        flows(server, "--arrivals=no", "--only=login")
    finally:
        server.close()


def test_certificates_of_the_page(binary):
    """A reload loads new certificates; an expired one is reported; clients with certificates; keys that do not match."""
    server = setup(binary)
    folder = server.folder + "/pki"
    try:
        server.start()
        first = serial(server)
        kept = ssl.create_default_context(cafile=folder + "/ca.pem")
        with socket.create_connection(("127.0.0.1", server.http)) as plain, kept.wrap_socket(plain, server_hostname="localhost") as stream:
            issue(folder, "server", "localhost")
            server.ctl("reload")
            assert serial(server) != first
            # An open connection stays open.
            stream.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert stream.recv(4096).startswith(b"HTTP/1.1 200")
        assert "expire" not in server.stderr()
        openssl("x509", "-req", "-in", folder + "/server.csr", "-CA", folder + "/ca.pem", "-CAkey", folder + "/ca.key",
                "-CAcreateserial", "-days", "3", "-extfile", folder + "/server.ext", "-out", folder + "/server.pem")
        server.ctl("reload")
        assert "The certificate of the page expires soon" in server.stderr(), server.stderr()
        openssl("x509", "-req", "-in", folder + "/server.csr", "-CA", folder + "/ca.pem", "-CAkey", folder + "/ca.key",
                "-CAcreateserial", "-days", "-1", "-extfile", folder + "/server.ext", "-out", folder + "/server.pem")
        server.ctl("reload")
        assert "The certificate of the page has expired" in server.stderr(), server.stderr()
        assert "expired" in curl("--cacert", folder + "/ca.pem", server.base + "/").stderr
        # A key that does not match: the reload is refused, and the old certificate stays in use.
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", folder + "/server.key")
        try:
            server.ctl("reload")
            raise AssertionError("the wrong key was taken")
        except subprocess.CalledProcessError:
            pass
        assert curl("--insecure", server.base + "/api/v1/health").stdout.startswith("{")
        issue(folder, "server", "localhost")
        page = PAGE.replace("MORE", 'ca-file("{folder}/pki/ca.pem") peer-verify(required-trusted)')
        server.write_config(CONFIG + page)
        server.ctl("reload")
        assert curl("--cacert", folder + "/ca.pem", server.base + "/api/v1/health").returncode != 0
        own = ("--cert", folder + "/client.pem", "--key", folder + "/client.key")
        assert "ok" in curl("--cacert", folder + "/ca.pem", *own, server.base + "/api/v1/health").stdout
        server.write_config(CONFIG)
        server.ctl("reload")
        assert "ok" in curl(f"http://localhost:{server.http}/api/v1/health").stdout
    finally:
        server.close()
