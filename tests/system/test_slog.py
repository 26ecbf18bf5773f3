"""Logs that are encrypted line by line, with our tools and syslog-ng's: each reads what the other wrote, byte for byte."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile

from server import Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINES = [f"<13>Nov 21 10:00:00 gw-1 sshd[{n}]: number {n}, {'x' * (n * 37 % 900)} é" for n in range(300)]


class Tools:
    """The three tools, syslog-ng's or ours, in one folder."""

    def __init__(self, folder, command):
        self.folder, self.command = folder, command

    def run(self, tool, *words, good=True):
        done = subprocess.run(self.command(tool) + list(words), cwd=self.folder, capture_output=True, text=True, timeout=60)
        # slogencrypt of syslog-ng 3 returns 1 for a first log, because its MAC is missing.
        is_first = "slogencrypt" in self.command(tool)[-1] and "Importing data" in done.stdout + done.stderr
        assert (done.returncode == 0) == good or is_first, f"{tool} {words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@contextlib.contextmanager
def both(binary):
    """The folder, our tools, syslog-ng's."""
    peer = os.path.join(ROOT, "tools/syslog-ng.sh")
    with tempfile.TemporaryDirectory(prefix="duramen-slog-") as folder:
        ours = Tools(folder, lambda tool: [os.path.abspath(binary), "slog", tool])
        theirs = Tools(folder, lambda tool: [peer, f"slog{tool}"])
        with open(folder + "/log", "w") as out:
            out.write("\n".join(LINES) + "\n")
        # syslog-ng's tool needs a file even when there is no MAC yet.
        open(folder + "/none.mac", "w").close()
        yield folder, ours, theirs


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def check_clear(folder, name, first=0):
    """Checks the output of verification: a number of 20 hexadecimal digits and the line."""
    rows = [row.split(": ", 1) for row in read(folder, name).decode().splitlines()]
    assert [line for _, line in rows] == LINES
    assert all(len(number) == 20 for number, _ in rows), rows[0]
    numbers = [int(number, 16) for number, _ in rows]
    assert numbers == list(range(first, first + len(LINES)))


def test_host_keys_are_the_same(binary):
    with both(binary) as (folder, ours, theirs):
        ours.run("key", "-m", "master.ours")
        theirs.run("key", "-m", "master.theirs")
        for master in ("master.ours", "master.theirs"):
            ours.run("key", "-d", master, "00:11:22:33:44:55", "SN-1", "host.ours")
            theirs.run("key", "-d", master, "00:11:22:33:44:55", "SN-1", "host.theirs")
            assert read(folder, "host.ours") == read(folder, "host.theirs") and len(read(folder, "host.ours")) == 56
        ours.run("key", "-m", "master.ours", good=False)


def test_each_verifies_what_the_other_encrypted(binary):
    with both(binary) as (folder, ours, theirs):
        ours.run("key", "-m", "master")
        ours.run("key", "-d", "master", "00:11:22:33:44:55", "SN-1", "host.key")
        for writer in (ours, theirs):
            writer.run("encrypt", "-k", "host.key", "-m", "none.mac", "next.key", "next.mac", "log", "log.slog")
            assert len(read(folder, "log.slog").splitlines()) == len(LINES)
            for reader in (ours, theirs):
                reader.run("verify", "-k", "host.key", "-m", "next.mac", "log.slog", "log.clear")
                check_clear(folder, "log.clear")
                assert f"counter={len(LINES)}" in reader.run("key", "-c", "next.key")
            # The log of the next day continues where this one ended.
            writer.run("encrypt", "-k", "next.key", "-m", "next.mac", "third.key", "third.mac", "log", "log2.slog")
            for reader in (ours, theirs):
                options = ["-i", "-p", "next.key", "-r", "next.mac", "-m", "third.mac"]
                reader.run("verify", *options, "log2.slog", "log2.clear")
                check_clear(folder, "log2.clear", len(LINES))
            for name in ("next.key", "next.mac", "third.key", "third.mac", "log.slog", "log2.slog"):
                os.remove(os.path.join(folder, name))


def test_both_detect_changes_of_a_log(binary):
    with both(binary) as (folder, ours, theirs):
        ours.run("key", "-m", "master")
        ours.run("key", "-d", "master", "00:11:22:33:44:55", "SN-1", "host.key")
        ours.run("encrypt", "-k", "host.key", "-m", "none.mac", "next.key", "next.mac", "log", "log.slog")
        lines = read(folder, "log.slog").splitlines(keepends=True)
        changed = bytearray(lines[7])
        changed[40] = ord("A") if changed[40] != ord("A") else ord("B")
        harms = {
            "one changed": lines[:7] + [bytes(changed)] + lines[8:],
            "one taken out": lines[:7] + lines[8:],
            "the last taken out": lines[:-1],
            "two in another order": lines[:7] + [lines[8], lines[7]] + lines[9:],
            "one twice": lines[:8] + [lines[7]] + lines[8:],
        }
        for name, harmed in harms.items():
            with open(folder + "/harmed", "wb") as out:
                out.write(b"".join(harmed))
            options = ["-k", "host.key", "-m", "next.mac", "harmed", "clear"]
            said = ours.run("verify", *options, good=False)
            assert "troubles" in said, (name, said)
            # syslog-ng's tool prints this; its exit status differs between versions.
            done = subprocess.run(theirs.command("verify") + options, cwd=folder, capture_output=True, text=True, timeout=60)
            assert done.returncode or "ERROR" in done.stdout + done.stderr, (name, done.stdout + done.stderr)


SEALED = """@version: 4.8
options {{ keep-hostname(yes); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp") flags(no-parse)); }};
log {{ source(s_net); destination {{
    file("{folder}/log.slog" template("$(slog --key-file {folder}/host.key --mac-file {folder}/host.mac $RAWMSG)\\n")); }}; }};
"""


def test_a_file_is_encrypted_as_it_is_written(binary):
    with both(binary) as (folder, ours, theirs):
        server = Server(binary, SEALED)
        ours.run("key", "-m", "master")
        ours.run("key", "-d", "master", "00:11:22:33:44:55", "SN-1", "first.key")
        sent = []

        def send(count, settle=True):
            lines = [f"<13>Nov 21 10:00:00 gw-1 sshd: number {n} {'y' * (n % 70)} é" for n in range(len(sent), len(sent) + count)]
            with socket.create_connection(("127.0.0.1", server.port)) as peer:
                peer.sendall("".join(line + "\n" for line in lines).encode())
            sent.extend(lines)
            if settle:
                log = server.folder + "/log.slog"
                lines = lambda: read(server.folder, "log.slog").count(b"\n") if os.path.exists(log) else 0
                server.until(lambda: lines() == len(sent), 30, "the lines")

        def check():
            for reader in (ours, theirs):
                reader.run("verify", "-k", "first.key", "-m", server.folder + "/host.mac", server.folder + "/log.slog", "clear")
                clear = [line.split(": ", 1)[1] for line in read(folder, "clear").decode().splitlines()]
                assert clear == sent, (len(clear), len(sent))

        try:
            with open(server.folder + "/host.key", "wb") as key:
                key.write(read(folder, "first.key"))
            server.start()
            send(300)
            assert b"number" not in read(server.folder, "log.slog")
            server.ctl("reload")
            send(300)
            server.stop()
            check()
            assert read(server.folder, "host.key") != read(folder, "first.key")
            assert f"counter={len(sent)}" in theirs.run("key", "-c", server.folder + "/host.key")
            # After a kill: the key and the MAC are from an earlier moment, the log has more, and half a line
            # at its end.
            server.start()
            old = {name: read(server.folder, name) for name in ("host.key", "host.mac")}
            send(200)
            server.stop(signal.SIGKILL)
            for name, data in old.items():
                with open(f"{server.folder}/{name}", "wb") as file:
                    file.write(data)
            with open(server.folder + "/log.slog", "ab") as log:
                log.write(b"AAAA")
            server.start()
            send(100)
            server.stop()
            check()
            # Impossible setups: no key, a key for several files.
            for harm, said in (("host.key", "host.none"), ("log.slog", "$HOST.slog")):
                server.write_config(SEALED.replace("{folder}/" + harm, "{folder}/" + said))
                done = subprocess.run([server.binary, "run", "--config", server.config, "--data", server.folder + "/data2",
                                       "--http", "127.0.0.1:0"], capture_output=True, text=True, timeout=20)
                assert done.returncode != 0 and ("host.none" in done.stderr or "one key is for one log" in done.stderr), done
        finally:
            server.close()
