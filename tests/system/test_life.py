"""Starting, reloading, stopping, being killed; users and errors as an operator sees them."""

import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error

from server import CONFIG, Server


def send(port, lines):
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall("".join(f"<13>prog: {line}\n" for line in lines).encode())


def test_kill_loses_nothing_acknowledged(binary):
    server = Server(binary)
    try:
        server.start()
        for turn in range(3):
            send(server.port, [f"turn{turn} number{n}" for n in range(1000)])
            server.found(f"turn{turn}", 1000)
            server.stop(signal.SIGKILL)
            server.start()
            assert server.search(f"turn{turn}")["total"] == 1000
        total = server.search("program:prog")["total"]
        assert total == 3000, total
    finally:
        server.close()


def test_stop_keeps_everything(binary):
    server = Server(binary)
    try:
        server.start()
        send(server.port, [f"calm number{n}" for n in range(5000)])
        server.found("calm", 1)
        time.sleep(0.2)
        server.stop()
        assert server.process.returncode == 0, server.stderr()
        assert "shutting down" in server.stderr()
        server.start()
        assert server.search("calm")["total"] == 5000
    finally:
        server.close()


def test_reload_keeps_connections_and_messages(binary):
    server = Server(binary)
    try:
        server.start()
        peer = socket.create_connection(("127.0.0.1", server.port))
        sent = 0
        for turn in range(10):
            server.write_config(CONFIG + f"# turn {turn}\nfilter f_{turn} {{{{ level(info); }}}};\n")
            for _ in range(200):
                peer.sendall(f"<13>prog: steady {sent}\n".encode())
                sent += 1
            server.ctl("reload")
        peer.sendall(f"<13>prog: steady {sent}\n".encode())
        peer.close()
        server.found("steady", sent + 1)
        assert server.search("steady")["total"] == sent + 1
        assert "Configuration reload finished" in server.stderr()
    finally:
        server.close()


def test_a_reload_to_another_protocol_ends_connections(binary):
    """Behaves as syslog-ng does: the port stays open, and senders connect again. Earlier messages are kept."""
    config = """@version: 4.8
source s {{ DRIVER }};
destination d {{ logspace("main"); }};
log {{ source(s); destination(d); }};
"""
    network = 'network(ip("127.0.0.1") port({port}) transport("TRANSPORT"));'
    text = b"<13>prog: line of text %d\n"
    counted = b"57 <13>1 2026-11-21T10:00:00Z host prog - - - line of text %d"
    # The configuration, the first bytes of a connection, a message.
    rows = [
        (network.replace("TRANSPORT", "tcp"), b"", text),
        (network.replace("network", "syslog").replace("TRANSPORT", "tcp"), b"", counted),
        (network.replace("TRANSPORT", "proxied-tcp"), b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 514\r\n", text),
        (network.replace("TRANSPORT", "tcp"), b"", text),
    ]
    server = Server(binary, config.replace("DRIVER", rows[0][0]))
    try:
        server.start()
        before = None
        for turn, (driver, header, message) in enumerate(rows):
            server.write_config(config.replace("DRIVER", driver))
            server.ctl("reload")
            if before is not None:
                before.settimeout(10)
                assert before.recv(1) == b"", "the old connection goes on"
                before.close()
            before = socket.create_connection(("127.0.0.1", server.port))
            before.sendall(header + message % turn)
            server.found(f'"line of text {turn}"', 1)
            # The same protocol again: the connection continues.
            server.ctl("reload")
            before.sendall(message % 9)
            server.found('"line of text 9"', turn + 1)
        before.close()
    finally:
        server.close()


def test_a_broken_reload_changes_nothing(binary):
    server = Server(binary)
    try:
        server.start()
        with open(server.config, "a") as out:
            out.write("log { source(nowhere); };\n")
        failed = subprocess.run([binary, "ctl", "--control", server.folder + "/ctl", "reload"], capture_output=True, text=True)
        assert failed.returncode != 0, failed
        send(server.port, ["still here"])
        server.found('"still here"')
    finally:
        server.close()


def test_check_names_every_error_and_its_place(binary):
    server = Server(binary)
    try:
        with open(server.config, "a") as out:
            out.write("log { source(nowhere); };\nsource s_x { newtork(port(1)); };\n")
        done = subprocess.run([binary, "check", server.config], capture_output=True, text=True)
        text = done.stdout + done.stderr
        assert done.returncode != 0 and "nowhere" in text and "newtork" in text and "^" in text, text
        assert "test.conf:" in text, text
    finally:
        server.close()


def test_logins_are_checked(binary):
    server = Server(binary)
    try:
        server.start()
        for _ in range(5):
            try:
                server.call("login", {"user": "admin", "password": "wrong password"})
                raise AssertionError("a wrong password was taken")
            except urllib.error.HTTPError as error:
                assert error.code == 401, error.code
        try:
            server.call("login", {"user": "admin", "password": "wrong password"})
            raise AssertionError("no limit on attempts")
        except urllib.error.HTTPError as error:
            assert error.code == 429 and error.headers["Retry-After"], error.code
    finally:
        server.close()


def test_statistics_add_up(binary):
    server = Server(binary)
    try:
        server.start()
        send(server.port, [f"counted {n}" for n in range(300)])
        server.found("counted", 300)
        csv = server.ctl("stats")
        assert any(line.startswith("source;s_network;;a;processed;300") for line in csv.splitlines()), csv
        metrics = server.text("/metrics")
        assert "syslogng_input_events_total" in metrics, metrics[:2000]
    finally:
        server.close()


def test_search_and_tail_on_the_command_line(binary):
    server = Server(binary)
    try:
        server.start()
        send(server.port, ["needle in hay", "only hay"])
        server.found("needle")
        environment = {**os.environ, "DURAMEN_PASSWORD": server.password}
        common = ["--url", f"http://127.0.0.1:{server.http}", "--user", "admin"]
        done = subprocess.run([binary, "search", *common, "needle"], capture_output=True, text=True, env=environment)
        assert done.returncode == 0 and done.stdout.count("\n") == 1 and "needle in hay" in done.stdout, done
        tail = subprocess.Popen([binary, "tail", *common, "fresh"], stdout=subprocess.PIPE, text=True, env=environment)
        line = []
        reader = threading.Thread(target=lambda: line.append(tail.stdout.readline()))
        reader.start()
        for turn in range(40):
            send(server.port, [f"fresh news {turn}"])
            reader.join(0.25)
            if line:
                break
        tail.kill()
        tail.wait()
        assert line and "fresh news" in line[0], line
    finally:
        server.close()
