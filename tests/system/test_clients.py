"""Each common kind of sender; every message can be searched within two seconds."""

import logging
import logging.handlers
import os
import socket
import subprocess
import tempfile

from server import Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def running(binary):
    server = Server(binary)
    server.start()
    return server


def test_logger(binary):
    server = running(binary)
    try:
        common = ["logger", "-n", "127.0.0.1", "-P", str(server.port), "-t", "prog"]
        subprocess.run([*common, "-d", "logger over udp marsupial"], check=True)
        subprocess.run([*common, "-T", "--octet-count", "logger over tcp wombatish"], check=True)
        subprocess.run(["logger", "-u", server.folder + "/log.sock", "-t", "prog", "logger over unix quokkas"], check=True)
        for word in ("marsupial", "wombatish", "quokkas"):
            server.found(word)
        row = server.search("wombatish")["rows"][0]
        assert (row["program"], row["severity"], row["facility"]) == ("prog", "notice", "user"), row
        assert row["message"] == "logger over tcp wombatish", row
    finally:
        server.close()


def test_rsyslog(binary):
    server = running(binary)
    with tempfile.TemporaryDirectory() as folder:
        config = f"""
            module(load="imuxsock" SysSock.Use="off")
            input(type="imuxsock" Socket="{folder}/in.sock")
            action(type="omfwd" target="127.0.0.1" port="{server.port}" protocol="tcp"
                   template="RSYSLOG_SyslogProtocol23Format" TCP_Framing="octet-counted")
            action(type="omfwd" target="127.0.0.1" port="{server.port}" protocol="udp" template="RSYSLOG_ForwardFormat")
            """
        with open(folder + "/rsyslog.conf", "w") as out:
            out.write(config)
        path = os.environ["PATH"] + ":/usr/sbin"
        command = ["rsyslogd", "-n", "-f", folder + "/rsyslog.conf", "-i", folder + "/pid"]
        rsyslog = subprocess.Popen(command, env={**os.environ, "PATH": path})
        try:
            server.until(lambda: os.path.exists(folder + "/in.sock"), 30, "rsyslog's socket")
            subprocess.run(["logger", "-u", folder + "/in.sock", "-t", "relayed", "through rsyslog numbatish"], check=True)
            server.found("numbatish", 2)
            rows = server.search("numbatish")["rows"]
            assert all(row["program"] == "relayed" for row in rows), rows
            assert all(row["event_quality"] == "known" for row in rows), rows
        finally:
            rsyslog.terminate()
            rsyslog.wait(10)
            server.close()


def test_loggen_of_syslog_ng(binary):
    server = running(binary)
    loggen = os.path.join(ROOT, "tools/syslog-ng.sh")
    try:
        for words in (["--inet", "--stream"], ["--inet", "--dgram"], ["--inet", "--stream", "--syslog-proto"]):
            command = [loggen, "loggen", *words, "--rate", "2000", "--number", "500", "--interval", "5", "--size", "200",
                       "127.0.0.1", str(server.port)]
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        server.found("program:prg00000", 1500, within=3.0)
    finally:
        server.close()


def test_python_sysloghandler(binary):
    server = running(binary)
    try:
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            handler = logging.handlers.SysLogHandler(("127.0.0.1", server.port), socktype=kind)
            handler.append_nul = kind == socket.SOCK_DGRAM
            if kind == socket.SOCK_STREAM:
                handler.setFormatter(logging.Formatter("python: %(message)s\n"))
            handler.handle(logging.LogRecord("x", logging.ERROR, "f", 1, "from python bandicoot", None, None))
            handler.close()
        server.found("bandicoot", 2)
        rows = server.search("bandicoot")["rows"]
        assert all(row["severity"] == "err" for row in rows), rows
    finally:
        server.close()


def test_own_loggen(binary):
    server = running(binary)
    try:
        command = [binary, "loggen", "--stream", "--rate", "20000", "--number", "10000", "127.0.0.1", str(server.port)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        assert "count=10000," in done.stderr and "avg_rate=" in done.stderr, done.stderr
        server.found("program:prg00000", 10000, within=3.0)
        lines = sum(1 for _ in open(server.folder + "/out/localhost.log"))
        assert lines == 10000, lines
    finally:
        server.close()
