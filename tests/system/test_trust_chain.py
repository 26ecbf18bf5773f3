"""Attacks on the evidence of a real server by a user with access to the data folder: none succeeds, and no
acknowledged message is lost."""

import glob
import json
import os
import random
import shutil
import socket
import subprocess

from server import CONFIG, Server

STORE_ONLY = CONFIG.replace("destination(d_file); ", "").replace(" internal();", "")
ARCHIVING = STORE_ONLY.replace('logspace("main")', 'logspace("main" archive-to("{folder}/archive"))')


class Tampered(Server):
    """A server that is allowed to report that something is wrong."""

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.stderr()}")
        try:
            return self.call("health")["status"] in ("ok", "degraded")
        except OSError:
            return False

    @property
    def dir(self):
        return self.folder + "/data/logspaces/main"

    def fill(self, texts):
        """Sends messages and waits until all are found."""
        before = self.search("*", limit=0)["total"]
        with socket.create_connection(("127.0.0.1", self.port)) as peer:
            peer.sendall("".join(f"<13>prog: {text}\n" for text in texts).encode())
        self.until(lambda: self.search("*", limit=0)["total"] == before + len(texts), 20, "all messages")

    def logspace(self, verb):
        command = [self.binary, "logspace", verb, "main", "--control", self.folder + "/ctl"]
        subprocess.run(command, check=True, capture_output=True, timeout=30)

    def segments(self):
        return sorted(glob.glob(self.dir + "/[0-9]*/*/*.ds"))

    def verify(self, status, verdict):
        """The findings of `verify`, which must end with this status."""
        command = [self.binary, "logspace", "verify", self.dir + "/"]
        done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=60)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        report = json.loads(done.stdout)
        assert report["verdict"] == verdict and report["good"] == (status == 0), report
        text = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert text.returncode == status and verdict.lower() in text.stdout.lower(), text.stdout
        return report["findings"]

    def troubles(self):
        """Returns the status of the health check, and the errors of the logspaces."""
        answer = self.call("health")
        return answer["status"], " ".join(space.get("error", "") for space in answer["logspaces"])


def filled(binary, config=STORE_ONLY, word="own", sealed=2):
    """A server with sealed segments of 100 messages, and 100 more in its journal."""
    server = Tampered(binary, config)
    try:
        server.start()
        for number in range(sealed + 1):
            server.fill([f"{word} n{number * 100 + at}" for at in range(100)])
            if number < sealed:
                server.logspace("seal")
        return server
    except BaseException:
        server.close()
        raise


def test_e2_a_segment_of_another_server_hides_nothing_and_is_not_shown(binary):
    server, other = filled(binary), filled(binary, word="forged", sealed=3)
    try:
        server.stop()
        other.stop()
        forged = other.segments()[2]
        place = server.dir + os.path.relpath(forged, other.dir).join(["/", ""])
        assert int(os.path.basename(place)[:20]) == 200, "it has the numbers of what only the journal has"
        shutil.copy(forged, place)
        server.verify(1, "not good")
        server.start()
        assert server.search("own", limit=0)["total"] == 300, "what was acknowledged is there"
        assert server.search("forged", limit=0)["total"] == 0
        status, troubles = server.troubles()
        assert status == "degraded" and "is not this logspace's own" in troubles, (status, troubles)
        assert "is not this logspace's own" in server.stderr()
        # It continues to seal, even there.
        server.logspace("seal")
        server.fill(["own later"])
        assert server.search("own", limit=0)["total"] == 301
        server.stop()
        server.verify(0, "complete")
        with open(place[:-3] + ".foreign", "rb") as aside, open(forged, "rb") as original:
            assert aside.read() == original.read(), "the stranger is still there"
    finally:
        server.close()
        other.close()


def test_e1_links_and_archives_that_are_away(binary):
    server = filled(binary, ARCHIVING)
    try:
        server.verify(0, "complete")
        server.logspace("archive")
        server.verify(0, "complete")
        os.rename(server.folder + "/archive", server.folder + "/shelf")
        findings = server.verify(3, "good for what is here")
        assert len(findings) == 2 and all(finding["kind"] == "note" for finding in findings), findings
        os.rename(server.folder + "/shelf", server.folder + "/archive")
        server.logspace("restore")
        server.stop()
        server.verify(0, "complete")
        file = server.segments()[0]
        os.rename(file, server.folder + "/elsewhere.ds")
        for target in ("/nonexistent", server.folder + "/elsewhere.ds"):
            os.symlink(target, file)
            findings = server.verify(1, "not good")
            assert [finding["kind"] for finding in findings] == ["missing"], findings
            cat = subprocess.run([binary, "logspace", "cat", server.dir + "/"], capture_output=True, text=True, timeout=30)
            assert cat.returncode == 1 and "own n7\n" not in cat.stdout and "own n107\n" in cat.stdout
            os.remove(file)
        os.symlink("/nonexistent", file)
        server.start()
        assert server.search("own", limit=0)["total"] == 200
        assert "a link that no record" in server.troubles()[1]
    finally:
        server.close()


def test_e3_a_chain_that_is_gone(binary):
    server = filled(binary)
    try:
        server.stop()
        chain = server.dir + "/evidence/chain"
        os.remove(chain)
        findings = server.verify(1, "not good")
        assert any("no chain of evidence" in finding["text"] for finding in findings), findings
        open(chain, "w").close()
        server.verify(1, "not good")
        server.start()
        assert server.search("own", limit=0)["total"] == 300
        assert "was cut or removed" in server.troubles()[1] and "was cut or removed" in server.stderr()
        server.stop()
        server.verify(1, "not good")
    finally:
        server.close()


def test_e7_the_signing_key(binary):
    server = filled(binary, sealed=1)
    try:
        server.stop()
        key = server.dir + "/evidence/sign.key"
        shown = subprocess.run(["openssl", "pkey", "-in", key, "-noout", "-text"], capture_output=True, text=True, timeout=20)
        assert shown.returncode == 0 and "ED25519 Private-Key" in shown.stdout, shown.stderr
        with open(key) as text:
            assert "MC4CAQAwBQYDK2VwBCIEI" in text.read(), "PKCS#8 version 1"
        os.rename(key, server.folder + "/kept.key")
        command = [binary, "run", "--config", server.config, "--data", server.folder + "/data",
                   "--control", server.folder + "/ctl", "--http", f"127.0.0.1:{server.http}"]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert refused.returncode != 0 and "put that key back" in refused.stderr, refused.stderr
        assert not os.path.exists(key)
        os.rename(server.folder + "/kept.key", key)
        # A new key is accepted, and recorded in the chain.
        new = server.folder + "/new.key"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ED25519", "-out", new], check=True, timeout=20)
        server.write_config(STORE_ONLY.replace('logspace("main")', 'logspace("main" sign-key("{folder}/new.key"))'))
        server.start()
        server.fill(["own later"])
        server.logspace("seal")
        server.stop()
        findings = server.verify(0, "complete")
        assert any("from here on" in finding["text"] for finding in findings), findings
    finally:
        server.close()


def change(chance, server, other):
    """Makes one change somewhere in the evidence of a stopped server; returns its description."""
    one, two = server.segments()
    chain, catalog = server.dir + "/evidence/chain", server.dir + "/catalog"
    kind = chance.randrange(9)
    if kind < 3:
        path = (chance.choice([one, two]), chain, catalog)[kind]
        with open(path, "r+b") as file:
            size = os.path.getsize(path)
            # A change of the case of a digit in the catalog's last line may go unnoticed.
            at = chance.randrange(size - (10 if path == catalog else 0))
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << chance.randrange(8)]))
        return f"byte {at} of {path}"
    if kind == 3:
        path = chance.choice([one, two, chain, catalog])
        os.truncate(path, chance.randrange(os.path.getsize(path)))
        return f"{path} is cut"
    if kind == 4:
        path = chance.choice([one, two, chain, catalog])
        os.remove(path)
        return f"{path} is removed"
    if kind == 5:
        os.rename(one, one + ".x")
        os.rename(two, one)
        os.rename(one + ".x", two)
        return "two segments swapped"
    if kind == 6:
        path = chance.choice([one, two])
        os.rename(path, server.folder + "/outside.ds")
        os.symlink(chance.choice(["/nonexistent", server.folder + "/outside.ds"]), path)
        return f"a link instead of {path}"
    if kind == 7:
        name = chance.choice([os.path.basename(one), f"{chance.randrange(1000):020}.ds"])
        shutil.copy(chance.choice(other.segments()), os.path.dirname(one) + "/" + name)
        return f"a segment from elsewhere as {name}"
    with open(chain, "rb") as file:
        records = file.read().split(b"\n\n")[:-1]
    with open(chain, "wb") as file:
        chance.choice([records.pop, records.reverse, lambda: records.append(records[0])])()
        file.write(b"".join(record + b"\n\n" for record in records))
    return "records of the chain"


def test_every_change_is_found_by_the_command(binary):
    """The larger run, of a thousand changes, is in crates/logspace/src/logspace/tests/mutations.rs."""
    seed = 4711
    chance = random.Random(seed)
    server, other = filled(binary), filled(binary, word="forged")
    try:
        server.stop()
        other.stop()
        kept = server.folder + "/kept"
        shutil.copytree(server.dir, kept, symlinks=True)
        server.verify(0, "complete")
        for number in range(60):
            what = change(chance, server, other)
            done = subprocess.run([binary, "logspace", "verify", server.dir + "/"], capture_output=True, text=True, timeout=60)
            assert done.returncode == 1 and "NOT good" in done.stdout, f"seed {seed}, change {number}, {what}: {done.stdout}{done.stderr}"
            shutil.rmtree(server.dir)
            shutil.copytree(kept, server.dir, symlinks=True)
        server.verify(0, "complete")
    finally:
        server.close()
        other.close()
