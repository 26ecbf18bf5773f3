"""Evidence packages of a real server, tampered with by a user who has the signing key: both the command and the page in a
real browser reject each of them. Also `sign-key()` with `logspace export`, as the manual shows it."""

import base64
import hashlib
import json
import os
import shutil
import socket
import subprocess
import tempfile

from server import CONFIG, Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WHOLE = "The package is whole and unchanged."
TSA = """[req]
distinguished_name=n
[n]
[ca]
basicConstraints=critical,CA:TRUE
[tsa]
extendedKeyUsage=critical,timeStamping
[t]
default_tsa=c
[c]
serial=serial
signer_digest=sha256
default_policy=1.2.3.4
digests=sha256
clock_precision_digits=0
ordering=yes
"""


def run(*words, cwd=None, timeout=120):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=timeout)


def openssl(folder, *words):
    done = run("openssl", *words, cwd=folder)
    assert done.returncode == 0, (words, done.stderr)


def authority(folder):
    """A time-stamping authority run with OpenSSL."""
    os.mkdir(folder)
    with open(folder + "/conf", "w") as out:
        out.write(TSA)
    with open(folder + "/serial", "w") as out:
        out.write("01\n")
    for name in ("ca", "tsa"):
        openssl(folder, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name + ".key")
    openssl(folder, "req", "-new", "-x509", "-key", "ca.key", "-subj", "/CN=ca", "-days", "2", "-config", "conf", "-extensions", "ca", "-out", "ca.pem")
    openssl(folder, "req", "-new", "-key", "tsa.key", "-subj", "/CN=tsa", "-config", "conf", "-out", "tsa.csr")
    openssl(folder, "x509", "-req", "-in", "tsa.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "7", "-days", "2", "-extfile", "conf",
            "-extensions", "tsa", "-out", "tsa.pem")


def stamp(folder, digest, target):
    """A time-stamp for a digest."""
    openssl(folder, "ts", "-query", "-digest", digest, "-sha256", "-cert", "-out", "query")
    openssl(folder, "ts", "-reply", "-config", "conf", "-section", "c", "-queryfile", "query", "-signer", "tsa.pem", "-inkey", "tsa.key",
            "-chain", "ca.pem", "-out", target)


def by_command(binary, package, *options):
    """Verifies a package and returns the report; checks that the exit status agrees with it."""
    done = run(binary, "verify-package", package, "--json", *options)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert report["good"] == (done.returncode == 0), report
    return report


def by_page(packages, *options):
    """Returns the page's verdict on each package, in a real browser without a network."""
    done = run("node", "e2e/package.mjs", *options, *packages, cwd=ROOT + "/ui")
    assert done.returncode == 0, done.stdout + done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(one["requests"] == [] for one in said), "the page asked the network"
    return said


class Package:
    """A package whose files can be changed and signed again with the logspace's key."""

    def __init__(self, source, folder, key):
        shutil.copytree(source, folder)
        self.folder, self.key = folder, key
        self.messages, self.proofs = self.lines("messages.ndjson"), self.lines("proofs.ndjson")
        with open(folder + "/manifest.json") as text:
            self.manifest = json.load(text)

    def lines(self, name):
        with open(f"{self.folder}/{name}") as text:
            return [json.loads(line) for line in text]

    def write(self, name, data):
        with open(f"{self.folder}/{name}", "wb") as out:
            out.write(data)

    def sign(self):
        dump = lambda value: (json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n").encode()
        self.write("messages.ndjson", b"".join(map(dump, self.messages)))
        self.write("proofs.ndjson", b"".join(map(dump, self.proofs)))
        self.write("messages.raw", b"".join(base64.b64decode(message["raw"]) + b"\n" for message in self.messages))
        for name in self.manifest["files"]:
            with open(f"{self.folder}/{name}", "rb") as file:
                self.manifest["files"][name] = hashlib.sha256(file.read()).hexdigest()
        self.write("manifest.json", json.dumps(self.manifest, indent=2).encode())
        done = run("openssl", "pkeyutl", "-sign", "-rawin", "-inkey", self.key, "-in", "manifest.json", "-out", "manifest.sig", cwd=self.folder)
        assert done.returncode == 0, done.stderr


def doubled(package):
    package.messages.insert(1, package.messages[0])
    package.proofs[0]["messages"] += 1
    package.manifest["messages"] += 1


def removed(package):
    package.messages.pop(1)
    package.proofs[0]["messages"] -= 1
    package.manifest["messages"] -= 1


def reordered(package):
    package.messages[0], package.messages[1] = package.messages[1], package.messages[0]


def field(package):
    package.messages[2]["message"] = "something else"


def cut_proof(package):
    package.proofs[0]["proof"].pop()


def times(package):
    package.manifest["question"]["from_us"] = package.messages[-1]["received_us"] + 1


def stranger(package):
    """Replaces the query, and signs with another key."""
    package.manifest["question"]["text"] = "nothing"
    openssl(package.folder, "genpkey", "-algorithm", "ED25519", "-out", package.folder + "-key.pem")
    openssl(package.folder, "pkey", "-in", package.folder + "-key.pem", "-pubout", "-out", "key-2.pem")
    openssl(package.folder, "pkey", "-pubin", "-in", "key-2.pem", "-outform", "DER", "-out", package.folder + "-key.der")
    with open(package.folder + "-key.der", "rb") as file:
        package.manifest["signer"] = "ed25519:" + hashlib.sha256(file.read()).hexdigest()
    package.manifest["files"]["key-2.pem"], package.key = "", package.folder + "-key.pem"


ATTACKS = [(doubled, "comes twice or out of order"), (removed, "not those that were sealed"), (reordered, "comes twice or out of order"),
           (field, "is not what its received bytes say"), (cut_proof, "not those that were sealed"),
           (times, "outside of the time range"), (stranger, "who signed no record of the chain")]


def test_e4_e6_a_package_signed_with_a_configured_key_and_every_attack_on_it(binary):
    with tempfile.TemporaryDirectory(prefix="duramen-package-") as folder:
        key = folder + "/sign.key"
        openssl(folder, "genpkey", "-algorithm", "ED25519", "-out", key)
        openssl(folder, "pkey", "-in", key, "-pubout", "-out", "sign.pub")
        config = CONFIG.replace('logspace("main")', f'logspace("audit" sign-key("{key}"))').replace(" destination(d_file);", "")
        server = Server(binary, config)
        try:
            server.start()
            with socket.create_connection(("127.0.0.1", server.port)) as peer:
                lines = [f"<13>1 2026-11-22T18:00:{number:02}Z host{number} prog {number} ID [a@1 b=\"c{number}\"] failed log-in {number}\n"
                         for number in range(20)]
                lines += [f"<34>Nov 22 18:00:{number:02} gw sshd[{number}]: failed {number}\n" for number in range(20)]
                peer.sendall("".join(lines).encode())
            server.found("failed", 40, within=10)
            done = run(binary, "logspace", "seal", "audit", "--control", server.folder + "/ctl")
            assert done.returncode == 0, done.stderr
            server.stop()
            data = server.folder + "/data"
            head = json.loads(run(binary, "logspace", "verify", "audit", "--data", data, "--json").stdout)["head"]
            authority(folder + "/tsa")
            authority(folder + "/other")
            stamp(folder + "/tsa", head, f"{data}/logspaces/audit/evidence/stamp-0.tsr")
            good = folder + "/case-17"
            # As the manual shows it: neither a key nor a configuration is named.
            done = run(binary, "logspace", "export", "audit", "--data", data, "-o", good, "--query", "failed", "--from", "2020-01-01T00:00:00Z")
            assert done.returncode == 0, done.stdout + done.stderr
            report = by_command(binary, good, "--trust", folder + "/sign.pub", "--head", head, "--tsa-ca", folder + "/tsa/ca.pem")
            assert report["good"] and report["messages"] == 40 and report["trusted"], report
            assert report["question"]["text"] == "failed" and report["question"]["from_us"], report
            assert [one["record"] for one in report["timestamps"]] == [0] and report["gaps"] == report["unread"] == [], report
            assert report["fields"]["whole"] == 40 and report["fields"]["word"] == {}, report["fields"]
            text = run(binary, "verify-package", good).stdout
            for want in ("question: failed; received from 2020-01-01", "gaps: none", "the word of the signer", "time-stamp: record 0"):
                assert want in text, (want, text)
            assert not by_command(binary, good, "--head", "0" * 64)["good"]
            assert not by_command(binary, good, "--tsa-ca", folder + "/other/ca.pem")["good"]
            [said] = by_page([good], "--head", head, "--ca", folder + "/tsa/ca.pem", "--signer", report["signer"])
            assert said["verdict"] == WHOLE, [step for step in said["steps"] if not step["good"]]
            assert any("asked for failed" in step["text"] for step in said["steps"]), said
            assert any("time-stamp: record 0" in step["text"] for step in said["steps"]), said
            assert by_page([good], "--head", "0" * 64)[0]["verdict"] != WHOLE
            assert by_page([good], "--ca", folder + "/other/ca.pem")[0]["verdict"] != WHOLE
            bad = []
            for attack, want in ATTACKS:
                package = Package(good, f"{folder}/{attack.__name__}", key)
                attack(package)
                package.sign()
                bad.append(package.folder)
                report = by_command(binary, package.folder)
                assert any(want in fault for fault in report["faults"]), (attack.__name__, report["faults"])
            # Without the key: the query is replaced, and a time-stamp is truncated.
            for name, file, change in (("question", "manifest.json", lambda data: data.replace(b'"failed"', b'"passed"')),
                                       ("cut-stamp", "stamp-0.tsr", lambda data: data[:-40])):
                shutil.copytree(good, f"{folder}/{name}")
                with open(f"{folder}/{name}/{file}", "rb") as source:
                    changed = change(source.read())
                with open(f"{folder}/{name}/{file}", "wb") as out:
                    out.write(changed)
                bad.append(f"{folder}/{name}")
                assert not by_command(binary, bad[-1])["good"], name
            for path, said in zip(bad, by_page(bad)):
                assert said["verdict"] != WHOLE, path
        finally:
            server.close()
