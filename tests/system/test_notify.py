"""Messages to a service manager (sd_notify), and the options of `syslog-ng` about its process."""

import os
import re
import signal
import socket
import subprocess
import time

from server import Server

QUIET = """@version: 4.8
source s {{ network(ip("127.0.0.1") port({port}) transport("udp")); }};
destination d {{ file("{folder}/out"); }};
log {{ source(s); destination(d); }};
"""


class Manager(Server):
    """A server whose service manager is the test."""

    def __init__(self, binary, abstract, watchdog_us=None):
        super().__init__(binary, QUIET)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = f"\0duramen-test-{os.getpid()}" if abstract else self.folder + "/notify"
        self.manager.bind(path)
        self.manager.settimeout(10)
        self.environment = dict(os.environ, NOTIFY_SOCKET=path.replace("\0", "@"))
        if watchdog_us:
            self.environment["WATCHDOG_USEC"] = str(watchdog_us)

    def run(self, *command):
        self.log = open(os.path.join(self.folder, "stderr"), "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        cwd=self.folder, env=self.environment)

    def run_duramen(self):
        self.run(self.binary, "run", "--config", self.config, "--data", self.folder + "/data", "--http", "none",
                 "--control", self.folder + "/ctl")

    def hears(self):
        return self.manager.recv(4096).decode().splitlines()

    def hears_but_watchdog(self):
        while (said := self.hears()) == ["WATCHDOG=1"]:
            pass
        return said

    def close(self):
        super().close()
        self.manager.close()


def as_syslog_ng(server, *options):
    """The command line of `syslog-ng`, as the distribution's unit has it."""
    name = os.path.join(server.folder, "syslog-ng")
    if not os.path.exists(name):
        os.symlink(server.binary, name)
    return [name, "-F", "-f", server.config, "-R", server.folder + "/syslog-ng.persist",
            "-c", server.folder + "/ctl", *options]


def assert_whole_life(server):
    assert server.hears() == ["READY=1", "STATUS=Running"]
    assert os.path.exists(server.folder + "/ctl"), "ready before the control socket is there"
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    server.process.send_signal(signal.SIGHUP)
    reloading = server.hears()
    assert reloading[0] == "RELOADING=1", reloading
    at = int(re.fullmatch(r"MONOTONIC_USEC=(\d+)", reloading[1]).group(1))
    assert before <= at <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    assert server.hears() == ["READY=1", "STATUS=Running"]
    good = open(server.config).read()
    open(server.config, "w").write("nonsense")
    server.process.send_signal(signal.SIGHUP)
    assert server.hears()[0] == "RELOADING=1"
    assert server.hears() == ["READY=1", "STATUS=Running with the old configuration: the new one has errors"]
    open(server.config, "w").write(good)
    server.process.send_signal(signal.SIGTERM)
    assert server.hears()[0] == "STOPPING=1"
    assert server.process.wait(20) == 0


def test_a_manager_is_notified_of_every_state(binary):
    for abstract in (False, True):
        server = Manager(binary, abstract)
        try:
            server.run_duramen()
            assert_whole_life(server)
        finally:
            server.close()


def test_a_manager_of_syslog_ng_hears_it_too(binary):
    server = Manager(binary, abstract=False)
    try:
        server.run(*as_syslog_ng(server))
        assert_whole_life(server)
    finally:
        server.close()


def test_the_watchdog_is_fed_in_time(binary):
    server = Manager(binary, abstract=False, watchdog_us=400_000)
    try:
        server.run_duramen()
        assert server.hears_but_watchdog()[0] == "READY=1"
        for _ in range(6):
            start = time.monotonic()
            assert server.hears() == ["WATCHDOG=1"]
            assert time.monotonic() - start < 0.4
        server.process.send_signal(signal.SIGTERM)
        assert server.hears_but_watchdog()[0] == "STOPPING=1"
    finally:
        server.close()


def status(server, name):
    with open(f"/proc/{server.process.pid}/status") as text:
        return re.search(rf"^{name}:\s*(.*)$", text.read(), re.MULTILINE).group(1)


CAP_NET_BIND_SERVICE, CAP_SYS_ADMIN = 10, 21


def has_capability(server, number):
    return bool(int(status(server, "CapEff"), 16) >> number & 1)


def started_as_syslog_ng(server, *options):
    server.run(*as_syslog_ng(server, *options))
    server.until(lambda: os.path.exists(server.folder + "/ctl"), 30, "the control socket")


def test_another_user_keeps_the_rights_it_needs(binary):
    """`--user`, `--group`, `--caps`, `--no-caps`, `--fd-limit`, `--worker-threads`: needs root."""
    if os.geteuid() != 0:
        return
    rows = [
        (["--user", "nobody"], True, False),
        (["--user", "65534", "--group", "nogroup", "--caps", "cap_net_bind_service,cap_dac_override=ep"], True, False),
        (["--user", "nobody", "--no-caps"], False, False),
        (["--no-caps", "--fd-limit", "512", "--worker-threads", "3"], None, None),
    ]
    for options, binds, administers in rows:
        server = Manager(binary, abstract=False)
        try:
            os.chmod(server.folder, 0o777)
            started_as_syslog_ng(server, *options)
            if binds is None:
                assert status(server, "Uid").split() == ["0"] * 4
                with open(f"/proc/{server.process.pid}/limits") as limits:
                    assert re.search(r"Max open files\s+512\s+512", limits.read())
                continue
            assert status(server, "Uid").split() == ["65534"] * 4, options
            assert status(server, "Gid").split() == ["65534"] * 4, options
            assert has_capability(server, CAP_NET_BIND_SERVICE) == binds, options
            assert has_capability(server, CAP_SYS_ADMIN) == administers, options
        finally:
            server.close()


def test_a_port_below_1024_after_the_change_of_user(binary):
    if os.geteuid() != 0:
        return
    server = Manager(binary, abstract=False)
    try:
        os.chmod(server.folder, 0o777)
        text = open(server.config).read()
        open(server.config, "w").write(re.sub(r"port\(\d+\)", "port(789)", text))
        started_as_syslog_ng(server, "--user", "nobody")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.sendto(b"<13>low port", ("127.0.0.1", 789))
        out = server.folder + "/out"
        server.until(lambda: os.path.exists(out) and "low port" in open(out).read(), 30, "the message")
    finally:
        server.close()


def test_another_root(binary):
    """All paths in options are below the new root."""
    if os.geteuid() != 0:
        return
    server = Manager(binary, abstract=False)
    try:
        root = server.folder + "/root"
        os.makedirs(root + "/etc")
        text = open(server.config).read().replace(server.folder, "")
        open(root + "/etc/test.conf", "w").write(text)
        os.symlink(server.binary, server.folder + "/syslog-ng")
        server.run(server.folder + "/syslog-ng", "-F", "-C", root, "-f", "/etc/test.conf", "-R", "/persist",
                   "-c", "/ctl", "-p", "/pid")
        server.until(lambda: os.path.exists(root + "/pid"), 30, "the file of the process id")
        assert open(root + "/pid").read().strip() == str(server.process.pid)
    finally:
        server.close()


def test_missing_things_are_refused_clearly(binary):
    server = Server(binary, QUIET)
    try:
        rows = [
            (["--user", "no-such-user"], "--user: there is no user no-such-user"),
            (["--group", "no-such-group"], "--group: there is no group no-such-group"),
            (["--caps", "cap_nonsense=ep"], "--caps: there is no capability cap_nonsense"),
            (["--caps", "cap_chown"], "is not of the form"),
            (["--chroot", "/no/such/folder"], "--chroot: cannot change the root to /no/such/folder"),
            (["--process-mode", "background"], "--process-mode=background is not supported"),
            (["--process-mode", "nonsense"], "foreground, background or safe-background"),
            (["--interactive"], "--interactive is not supported"),
            (["--worker-threads", "0"], "0 is not in 1..=256"),
        ]
        for options, want in rows:
            answer = subprocess.run(as_syslog_ng(server, *options), capture_output=True, text=True, timeout=30)
            assert answer.returncode == 2 and want in answer.stderr, (options, answer)
    finally:
        server.close()
