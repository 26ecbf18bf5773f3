"""The command-line tools beside the server: `ctl`, `loggen`, and the programs called by their old names."""

import logging
import logging.handlers
import os
import socket
import subprocess

from server import Server

QUIET = """@version: 4.8
source s {{ network(ip("127.0.0.1") port({port})); }};
destination d {{ file("{folder}/out"); }};
log {{ source(s); destination(d); }};
"""


def test_ctl_stop_is_answered_every_time(binary):
    """The answer arrives before the server ends, however fast it ends."""
    server = Server(binary, QUIET)
    try:
        for _ in range(10):
            server.start()
            command = [binary, "ctl", "--control", server.folder + "/ctl", "stop"]
            answer = subprocess.run(command, capture_output=True, text=True, timeout=30)
            assert (answer.returncode, answer.stdout, answer.stderr) == (0, "OK Shutdown initiated\n", ""), answer
            assert server.process.wait(20) == 0
    finally:
        server.close()


def run_as(server, name, *words):
    """Runs the program by another name."""
    path = os.path.join(server.folder, name)
    if not os.path.exists(path):
        os.symlink(server.binary, path)
    return subprocess.run([path, *words], capture_output=True, text=True, timeout=60, cwd=server.folder)


def test_the_programs_of_secure_logging(binary):
    """`slogkey`, `slogencrypt`, `slogverify` with the options of their manual pages."""
    server = Server(binary, QUIET)
    try:
        lines = "first line\nsecond line\n"
        open(server.folder + "/plain", "w").write(lines)
        for name, words in [
            ("slogkey", ["-m", "master.key"]),
            ("slogkey", ["-d", "master.key", "a0:ce:c8:00:00:01", "serial", "host.key"]),
            ("slogencrypt", ["-k", "host.key", "-m", "mac", "new.key", "new.mac", "plain", "sealed"]),
            ("slogkey", ["-c", "new.key"]),
        ]:
            answer = run_as(server, name, *words)
            assert answer.returncode == 0, (name, words, answer)
        assert "counter=2" in answer.stdout
        answer = run_as(server, "slogverify", "-k", "host.key", "-m", "new.mac", "sealed", "clear", "1000")
        assert answer.returncode == 0, answer
        clear = open(server.folder + "/clear").read()
        assert "first line" in clear and "second line" in clear
    finally:
        server.close()


def test_tools_without_a_counterpart_say_why(binary):
    server = Server(binary, QUIET)
    try:
        for name, words, want in [
            ("persist-tool", ["dump", "x"], "persist-tool: there is no persist file of syslog-ng here"),
            ("dqtool", ["assign", "-p", "x", "y"], "dqtool: assign changes syslog-ng's persist file"),
            ("dqtool", ["relocate", "-n", "x"], "dqtool: relocate changes syslog-ng's persist file"),
        ]:
            answer = run_as(server, name, *words)
            assert answer.returncode == 2 and want in answer.stderr, answer
    finally:
        server.close()


PROXIED = """@version: 4.8
options {{ stats(level(1)); }};
source s {{ network(ip("127.0.0.1") port({port}) transport("proxied-tcp") flags(no-parse)); }};
destination d {{ file("{folder}/out" template("${{PROXIED_SRCIP}} ${{PROXIED_SRCPORT}} ${{PROXIED_DSTIP}} ${{MESSAGE}}\\n")); }};
log {{ source(s); destination(d); }};
"""


def test_loggen_sends_both_forms_of_the_proxy_header(binary):
    server = Server(binary, PROXIED)
    try:
        server.start()
        open(server.folder + "/lines", "w").write("a line\n")
        addresses = {"4": ["10.1.2.3", "10.4.5.6"], "6": ["2001:db8::1", "2001:db8::2"]}
        for form in ("--proxied", "--proxied=1", "--proxied=2", "-H=2"):
            for source, target in addresses.values():
                out = server.folder + "/out"
                before = open(out).read().count("\n") if os.path.exists(out) else 0
                answer = run_as(server, "loggen", "-S", "-i", form, f"--proxy-src-ip={source}", "--proxy-src-port=4711",
                                f"--proxy-dst-ip={target}", "--dont-parse", "--read-file=lines", "--number=1",
                                "127.0.0.1", str(server.port))
                assert answer.returncode == 0, answer
                server.until(lambda: os.path.exists(out) and open(out).read().count("\n") > before, 30, form)
                assert open(out).read().splitlines()[-1] == f"{source} 4711 {target} a line"
        mixed = run_as(server, "loggen", "-S", "--proxied=2", "--proxy-src-ip=10.0.0.1", "--proxy-dst-ip=::1",
                       "127.0.0.1", str(server.port))
        assert mixed.returncode == 1 and "both be of IPv4 or both of IPv6" in mixed.stderr, mixed
    finally:
        server.close()


def test_loggen_sends_lines_as_they_are(binary):
    """`--syslog-proto --dont-parse`: a line that already has an octet count gets no second one."""
    server = Server(binary, QUIET)
    try:
        line = "50 <13>1 2026-01-02T03:04:05Z h p - - - the whole text\n"
        open(server.folder + "/lines", "w").write(line)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            answer = run_as(server, "loggen", "-S", "--syslog-proto", "--dont-parse", "--read-file=lines", "--number=1",
                            "127.0.0.1", str(listener.getsockname()[1]))
            assert answer.returncode == 0, answer
            peer, _ = listener.accept()
            with peer:
                assert peer.makefile().read() == line
    finally:
        server.close()


def test_a_file_is_counted_from_its_first_message(binary):
    server = Server(binary, QUIET)
    try:
        server.start()
        assert "dst.file" not in server.ctl("stats"), server.ctl("stats")
        assert 'driver="file"' not in server.ctl("stats", "prometheus")
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall(b"<13>one\n")
        row = f"dst.file;d#0;{server.folder}/out;a;processed;1"
        server.until(lambda: row in server.ctl("stats"), 30, row)
        server.ctl("stats", "--reset")
        assert row.replace(";1", ";0") in server.ctl("stats")
    finally:
        server.close()


COUNTED = """@version: 4.8
options {{ keep-hostname(yes); }};
source s {{ network(ip("127.0.0.1") port({port})); }};
destination d {{ file("{folder}/$HOST.log"); }};
log top {{
    source(s);
    log errors {{ filter {{ message("error"); }}; destination(d); }};
    log {{ destination(d); }};
    junction {{ log mails {{ filter {{ program("mail"); }}; flags(final); }}; channel {{ }}; }};
}};
"""


def test_named_paths_and_single_files_are_counted(binary):
    """Parts of a log path are counted by their names, and each file of a name with macros by its path."""
    server = Server(binary, COUNTED)
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            for text in ["web app: error one", "web mail: two", "db app: three"]:
                peer.sendall(f"<13>Oct 11 22:14:15 {text}\n".encode())
        row = lambda host, kind, count: f"dst.file;d#0;{server.folder}/{host}.log;a;{kind};{count}\n"
        server.until(lambda: row("web", "written", 3) in server.ctl("stats"), 30, "both paths write")
        stats, prometheus = server.ctl("stats"), server.ctl("stats", "prometheus")
        assert row("web", "processed", 3) in stats and row("db", "written", 1) in stats, stats
        assert f"dst.file;d#0;{server.folder}/;a;processed;0\n" in stats, stats
        assert "destination;d;;a;processed;4\n" in stats, stats
        assert server.ctl("query", "get", "--sum", "dst.file.*.written") == "4\n"
        assert f'events_total{{driver="file",id="d#0",instance="{server.folder}/web.log",result="delivered"}} 3\n' in prometheus
        for name, ingress, egress in [("top", 3, 3), ("errors", 3, 1), ("mails", 3, 1)]:
            assert f"log;{name};;a;ingress;{ingress}\nlog;{name};;a;egress;{egress}\n" in stats, stats
            assert f'syslogng_route_egress_total{{id="{name}"}} {egress}\n' in prometheus, prometheus
    finally:
        server.close()


def test_the_old_program_runs_with_names_in_its_folder(binary):
    """Every path option as a bare name."""
    server = Server(binary, QUIET)
    try:
        os.symlink(server.binary, server.folder + "/syslog-ng")
        words = ["-F", "--cfgfile=test.conf", "--persist-file=p", "--pidfile=pid", "--control=ctl"]
        process = subprocess.Popen([server.folder + "/syslog-ng", *words], cwd=server.folder, stderr=subprocess.PIPE)
        try:
            stop = lambda: run_as(server, "syslog-ng-ctl", "stop", "--control=ctl")
            server.until(lambda: process.poll() is not None or os.path.exists(server.folder + "/ctl"), 30, "a start")
            answer = stop()
            assert (answer.returncode, answer.stdout) == (0, "Shutdown initiated\n"), (answer, process.stderr.read())
            assert process.wait(20) == 0
        finally:
            process.kill()
    finally:
        server.close()


PYTHON = """@version: 4.8
source s {{
    network(ip("127.0.0.1") port({port}) transport("udp"));
    network(ip("127.0.0.1") port({port}) transport("auto"));
}};
destination d {{ file("{folder}/out" template("[$PROGRAM] [$MESSAGE]\\n")); }};
log {{ source(s); destination(d); }};
"""


def test_the_readmes_python_lines_send_complete_messages(binary):
    server = Server(binary, PYTHON)
    try:
        server.start()
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            handler = logging.handlers.SysLogHandler(("127.0.0.1", server.port), socktype=kind)
            handler.ident = "app: "
            logger = logging.Logger("test")
            logger.addHandler(handler)
            logger.warning("%s: the whole text", kind.name)
            logger.warning("%s: and another", kind.name)
            handler.close()
        out = server.folder + "/out"
        server.until(lambda: os.path.exists(out) and open(out).read().count("\n") == 4, 30, "four messages")
        want = [f"[app] [{kind}: {text}]" for kind in ("SOCK_DGRAM", "SOCK_STREAM")
                for text in ("the whole text", "and another")]
        assert sorted(open(out).read().splitlines()) == sorted(want)
    finally:
        server.close()
