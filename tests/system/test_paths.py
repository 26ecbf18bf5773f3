"""Every option and every argument that is a path, relative and absolute: both name the same file, and none is doubled.

The server and the verbs run in a folder that is neither that of the configuration nor that of the data. A relative path
is relative to that folder; @include, and tables that are not below it, are looked for beside the configuration.
"""

import glob
import os
import re
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import urllib.request

from server import Server, free_port

# Options of the configuration; P is empty, or the working folder with a slash.
CONFIG = """@version: 4.8
@include "more/included.conf"
options {{ keep-hostname(yes); create-dirs(yes); use-dns(no); }};
source s_file {{ file("Pin/lines.log" follow-freq(0.1) flags(no-parse)); }};
source s_wildcard {{ wildcard-file(base-dir("Pin/many") filename-pattern("*.log") follow-freq(0.1) flags(no-parse)); }};
source s_unix {{ unix-dgram("Psockets/dgram"); unix-stream("Psockets/stream"); }};
source s_pipe {{ pipe("Psockets/pipe" flags(no-parse)); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};
source s_tls {{ network(ip("127.0.0.1") port({tls}) transport("tls") tls(key-file("Pkeys/tls.key") cert-file("Pkeys/tls.pem") ca-file("Pkeys/tls.pem") ca-dir("Pkeys/authorities") crl-dir("Pkeys/authorities") peer-verify(optional-untrusted))); }};
filter f_list {{ in-list("Plists/words" value("PROGRAM")); }};
parser p_context {{ add-contextual-data(database("Plists/context.csv") selector("$PROGRAM") prefix("ctx.")); }};
parser p_beside {{ add-contextual-data(database("beside.csv") selector("$PROGRAM") prefix("by.")); }};
parser p_patterns {{ db-parser(file("Plists/patterns.xml")); }};
destination d_file {{ file("Pout/all.log" template("$PROGRAM|${{ctx.role}}|${{by.role}}|${{.classifier.class}}|$MSG\\n")); }};
destination d_dynamic {{ file("Pout/by/$PROGRAM.log"); }};
destination d_rotated {{ file("Pout/rotated.log" logrotate(enable(yes) size(100) rotations(2)) template("$MSG\\n")); }};
destination d_listed {{ file("Pout/listed.log"); }};
destination d_socket {{ unix-dgram("Psockets/receiver"); }};
destination d_buffer {{ network("127.0.0.1" port(9) transport("tcp") disk-buffer(dir("Pbuffers") reliable(yes) capacity-bytes(10485760))); }};
parser p_places {{ geoip2("$PROGRAM" database("Plists/places.mmdb") prefix("geo.")); }};
destination d_places {{ file("Pout/places.log" template("$PROGRAM|${{geo.country.iso_code}}|$(geoip2 --database Plists/places.mmdb $PROGRAM)\n")); }};
destination d_sealed {{ file("Pout/sealed.slog" template("$(slog --key-file Pkeys/host.key --mac-file Pkeys/host.mac $RAWMSG)\n")); }};
destination d_locked {{ logspace("locked" encrypt-certificate("Pkeys/tls.pem")); }};
destination d_space {{ logspace("main" archive-to("Parchive") archive-after("1h") sign-key("Pkeys/sign.key")); }};
log {{ source(s_file); source(s_wildcard); source(s_unix); source(s_pipe); source(s_net); source(s_tls); source(s_included);
    parser(p_context); parser(p_beside); parser(p_patterns);
    destination(d_file); destination(d_dynamic); destination(d_rotated); destination(d_buffer); destination(d_space); destination(d_socket);
    log {{ filter(f_list); destination(d_listed); destination(d_sealed); destination(d_locked); }};
    log {{ parser(p_places); destination(d_places); }};
}};
"""
INCLUDED = 'source s_included {{ file("Pin/included.log" follow-freq(0.1) flags(no-parse)); }};\n'
PATTERNS = """<patterndb version='4' pub_date='2026-11-21'><ruleset name='r' id='1'><patterns><pattern>known</pattern></patterns>
<rules><rule id='2' class='expected' provider='p'><patterns><pattern>@ANYSTRING:rest@</pattern></patterns></rule></rules></ruleset></patterndb>
"""



def places():
    """A database of addresses in MaxMind's format 2.0 (https://maxmind.github.io/MaxMind-DB/): all of 10.0.0.0/8 is in HU."""
    text = lambda word: bytes([2 << 5 | len(word)]) + word.encode()
    pairs = lambda *pairs: bytes([7 << 5 | len(pairs)]) + b"".join(text(name) + value for name, value in pairs)
    number = lambda value: bytes([5 << 5 | 2]) + struct.pack(">H", value)
    nodes, tree = 8, b""
    for node in range(nodes):
        # The last bit leads to the only record, which follows 16 zero bytes.
        onward = node + 1 if node + 1 < nodes else nodes + 16
        for side in (0, 1):
            tree += struct.pack(">I", onward if 10 >> (7 - node) & 1 == side else nodes)[1:]
    about = pairs(("node_count", bytes([6 << 5 | 4]) + struct.pack(">I", nodes)), ("record_size", number(24)), ("ip_version", number(4)), ("binary_format_major_version", number(2)),
                  ("binary_format_minor_version", number(0)), ("build_epoch", b"\x01\x02\x01"), ("database_type", text("Test")),
                  ("languages", b"\x00\x04"), ("description", pairs()))
    return tree + bytes(16) + pairs(("country", pairs(("iso_code", text("HU"))))) + b"\xab\xcd\xefMaxMind.com" + about


class Place:
    """A working folder with the files that the configuration names."""

    def __init__(self, binary, kind):
        self.binary = os.path.abspath(binary)
        self.holder = tempfile.TemporaryDirectory(prefix="duramen-test-")
        self.folder = os.path.realpath(self.holder.name)
        self.prefix = "" if kind == "relative" else self.folder + "/"
        self.port, self.tls, self.http = free_port(), free_port(), free_port()
        for name in ("etc/more", "in/many", "sockets", "keys/authorities", "lists", "run", "made"):
            os.makedirs(self.at(name))
        names = ("in/", "sockets/", "keys/", "lists/", "out/", "buffers", "archive")

        def fill(text):
            text = text.format(port=self.port, tls=self.tls)
            for name in names:
                for before in ('"', " "):
                    text = text.replace(f'{before}P{name}', f'{before}{self.prefix}{name}')
            return text
        self.write("etc/main.conf", fill(CONFIG))
        self.write("etc/more/included.conf", fill(INCLUDED))
        self.write("lists/words", "known\n")
        # Not below the working folder: beside the configuration, as syslog-ng has it.
        self.write("etc/beside.csv", "known,role,door\n")
        self.write("lists/context.csv", "known,role,gate\n")
        self.write("lists/patterns.xml", PATTERNS)
        for name in ("lines", "included"):
            self.write(f"in/{name}.log", f"from {name}\n")
        self.write("in/many/one.log", "from many\n")
        os.mkfifo(self.at("sockets/pipe"))
        run = lambda *words: subprocess.run(words, check=True, capture_output=True, timeout=60, cwd=self.folder)
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", "keys/sign.key")
        run("openssl", "pkey", "-in", "keys/sign.key", "-pubout", "-out", "keys/sign.pub")
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "keys/tls.key", "-out", "keys/tls.pem", "-days", "9",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        os.chmod(self.at("keys/tls.key"), 0o600)
        with open(self.at("lists/places.mmdb"), "wb") as out:
            out.write(places())
        run(self.binary, "slog", "key", "-m", self.prefix + "keys/master.key")
        run(self.binary, "slog", "key", "-d", self.prefix + "keys/master.key", "00:11:22:33:44:55", "A1", self.prefix + "keys/host.key")
        run("cp", "keys/host.key", "keys/first.key")
        self.receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.receiver.bind(self.at("sockets/receiver"))
        self.receiver.settimeout(10)
        self.process = None

    def at(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.at(name), "w") as out:
            out.write(text)

    def text(self, name):
        try:
            with open(self.at(name), errors="replace") as text:
                return text.read()
        except OSError:
            return ""

    def start(self):
        named = lambda name: self.prefix + name
        command = [self.binary, "run", "--config", named("etc/main.conf"), "--data", named("data"), "--control", named("run/ctl"),
                   "--pidfile", named("run/pid"), "--http", f"127.0.0.1:{self.http}"]
        starts = self.text("console").count("The page: ")
        console = open(self.at("console"), "ab")
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=console, stderr=console)
        self.until(lambda: self.text("console").count("The page: ") > starts and os.path.exists(self.at("run/ctl")), "the server to start")

    def until(self, condition, what):
        end = time.monotonic() + 20
        while not condition():
            assert self.process is None or self.process.poll() is None, self.text("console")
            assert time.monotonic() < end, f"waited for {what}:\n{self.text('console')}\n{self.text('out/all.log')}"
            time.sleep(0.05)

    def verb(self, *words, status=0, **environment):
        """Returns the output of a verb, run in the working folder."""
        done = subprocess.run([self.binary, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, env={**os.environ, **environment})
        assert done.returncode == status, (words, done)
        return done.stdout

    def stored(self, logspace):
        """The number of messages that the journal of a logspace has."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/metrics", timeout=30) as answer:
            found = re.search(rf'^duramen_logspace_sequence\{{.*instance="{logspace}"\}} (\d+)', answer.read().decode(), re.MULTILINE)
        return int(found.group(1))

    def send(self, number):
        with socket.create_connection(("127.0.0.1", self.port)) as peer:
            peer.sendall(f"<13>Nov 21 10:00:00 host known: from network {number}\n<13>Nov 21 10:00:00 host 10.1.2.3: from a place\n".encode())
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
            peer.sendto(b"<13>Nov 21 10:00:00 known: from dgram", self.at("sockets/dgram"))
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(self.at("sockets/stream"))
            peer.sendall(b"<13>Nov 21 10:00:00 known: from stream\n")
        with open(self.at("sockets/pipe"), "w") as pipe:
            pipe.write("from pipe\n")
        context = ssl.create_default_context(cafile=self.at("keys/tls.pem"))
        with socket.create_connection(("127.0.0.1", self.tls)) as peer, context.wrap_socket(peer, server_hostname="localhost") as encrypted:
            encrypted.sendall(b"<13>Nov 21 10:00:00 host known: from tls\n")

    def doubled(self):
        """Lists paths in which the working folder, or a folder of it, occurs twice."""
        found = []
        for folder, names, files in os.walk(self.folder):
            parts = os.path.relpath(folder, self.folder).split(os.sep)
            if self.folder.lstrip("/").split("/")[-1] in parts or any(parts.count(part) > 1 for part in parts if part in ("data", "etc", "out", "run", "archive", "buffers")):
                found.append(folder)
        return found

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait(20)
        self.receiver.close()
        self.holder.cleanup()


def check(binary, kind):
    place = Place(binary, kind)
    try:
        place.start()
        assert place.text("run/pid").strip() == str(place.process.pid)
        place.send(1)
        wanted = ["from lines", "from included", "from many", "from network 1", "from dgram", "from stream", "from pipe", "from tls"]
        place.until(lambda: all(text in place.text("out/all.log") for text in wanted), f"{wanted} in the file")
        assert "known|gate|door|expected|from network 1" in place.text("out/all.log"), place.text("out/all.log")
        place.until(lambda: "from network 1" in place.text("out/listed.log"), "the list")
        place.until(lambda: "from network 1" in place.text("out/by/known.log"), "the file by name")
        place.until(lambda: '10.1.2.3|HU|HU' in place.text("out/places.log"), "the place of an address")
        assert b"from" in place.receiver.recv(65536)
        place.until(lambda: glob.glob(place.at("buffers/*/*")), "the buffer")
        access = ["--user", "eva", "--url", f"http://127.0.0.1:{place.http}"]
        subprocess.run([place.binary, "user", "add", "eva", "--data", place.prefix + "data"], input="a long password of eva\n",
                       text=True, check=True, capture_output=True, cwd=place.folder, timeout=60)
        place.verb("user", "grant", "eva", "main", "search", "export", "--data", place.prefix + "data")
        # A message in the files is found by a search a moment later.
        def is_exported():
            place.verb("export", "network", "--as", "raw", "-o", place.prefix + "made/messages.log", *access, DURAMEN_PASSWORD="a long password of eva")
            return "from network 1" in place.text("made/messages.log")
        place.until(is_exported, "the export of a search")
        place.write("made/lines", "<13>Nov 21 10:00:00 host known: from loggen\n")
        place.verb("loggen", "--inet", "--stream", "--dont-parse", "--number", "1", "--read-file", place.prefix + "made/lines", "127.0.0.1", str(place.port))
        place.until(lambda: "from loggen" in place.text("out/all.log"), "the line of loggen")
        # A reload and a start after a kill find the same files.
        place.verb("ctl", "--control", place.prefix + "run/ctl", "reload")
        place.send(2)
        place.send(29)
        place.until(lambda: "from network 29" in place.text("out/all.log"), "the message after the reload")
        place.until(lambda: "in/lines.log" in place.text("data/positions"), "the positions of followed files")
        # A message may be in a file before the journal of a logspace has it.
        place.until(lambda: "from network 29" in place.text("out/listed.log"), "the list after the reload")
        place.until(lambda: place.stored("locked") >= place.text("out/listed.log").count("\n"), "the journal")
        place.process.send_signal(signal.SIGKILL)
        place.process.wait(20)
        place.start()
        place.send(30)
        place.until(lambda: "from network 30" in place.text("out/all.log"), "the message after the start")
        assert place.text("out/all.log").count("from lines") == 1, "the position of a followed file was lost"
        place.until(lambda: os.path.exists(place.at("out/rotated.log.1")), "the rotation")
        named, folder = lambda name: place.prefix + name, place.prefix + "data/logspaces/main"
        control = ["--control", named("run/ctl")]
        place.verb("logspace", "seal", "main", *control)
        place.verb("logspace", "archive", "main", *control)
        place.verb("logspace", "seal", "locked", *control)
        place.verb("logspace", "unlock", "locked", "--key", named("keys/tls.key"), *control)
        place.verb("logspace", "lock", "locked", *control)
        place.verb("ctl", *control, "stop")
        place.process.wait(20)
        archived = [path for path in glob.glob(place.at("archive") + "/**", recursive=True) if os.path.isfile(path)]
        assert archived, "nothing is in the archive"
        # Data written with one spelling of the path can be read by verbs with both.
        for spell in (lambda name: name, place.at):
            cat = place.verb("logspace", "cat", spell("data/logspaces/main"))
            assert "from network 30" in cat and "from network 1" in cat, cat[-500:]
            place.verb("logspace", "verify", spell("data/logspaces/main"), "--trust", spell("keys/sign.pub"))
            place.verb("logspace", "ls", spell("data/logspaces/main"))
            assert "from network 29" in place.verb("logspace", "cat", spell("data/logspaces/locked"), "--key", spell("keys/tls.key"))
            clear = f"made/clear{len(spell(''))}"
            place.verb("slog", "verify", "-k", spell("keys/first.key"), "-m", spell("keys/host.mac"), spell("out/sealed.slog"), spell(clear))
            assert "from network 30" in place.text(clear), place.text(clear)
            assert "admin" in place.verb("user", "list", "--data", spell("data"))
            assert "add-user" in place.verb("ledger", "ls", "--data", spell("data"))
            place.verb("ledger", "verify", "--data", spell("data"))
            place.verb("check", spell("etc/main.conf"))
            out = spell(f"made/whole{len(spell(''))}.conf")
            place.verb("check", "--preprocess-into", out, spell("etc/main.conf"))
            assert "s_included" in place.text(out)
            assert "from network" in place.verb("explain", spell("etc/main.conf"), "--source", "s_net", "--message", "<13>Nov 21 10:00:00 host known: from network")
            buffer = os.path.relpath(os.path.dirname(glob.glob(place.at("buffers/*/*"))[0]), place.folder)
            assert "messages" in place.verb("queue", "ls", spell("buffers"))
            assert "from network 30" in place.verb("queue", "cat", spell(buffer))
            assert "Messages:" in place.verb("queue", "info", spell(buffer))
            assert "class=expected" in place.verb("patterndb", "match", "-p", spell("lists/patterns.xml"), "-P", "known", "-M", "hello")
            package = spell(f"made/case{len(spell(''))}")
            place.verb("logspace", "export", spell("data/logspaces/main"), "--output", package)
            assert os.path.exists(place.at(package) + "/manifest.json")
            place.verb("verify-package", package)
            place.write("made/r.conf", "*.* /tmp/x\n")
            place.verb("convert", "rsyslog", spell("made/r.conf"), "--output", spell("made/converted.conf"), "--report", spell("made/report.json"))
            assert "destination" in place.text("made/converted.conf") and "kept" in place.text("made/report.json")
        assert not place.doubled(), place.doubled()
        # The links of archived segments work from any folder.
        links = [path for path in glob.glob(place.at("data/logspaces/main") + "/**", recursive=True) if os.path.islink(path)]
        assert links and all(os.path.exists(link) and os.path.isabs(os.readlink(link)) for link in links), links
    finally:
        place.close()


def old_name(binary, kind):
    """The options of `syslog-ng`."""
    place = Place(binary, kind)
    try:
        os.symlink(place.binary, place.at("syslog-ng"))
        place.write("etc/old.conf", f'@version: 4.8\nsource s {{ file("{place.prefix}in/lines.log" flags(no-parse)); }};\n'
                    f'destination d {{ file("{place.prefix}out/old.log"); }};\nlog {{ source(s); destination(d); }};\n'
                    'options { create-dirs(yes); };\n')
        named = lambda name: place.prefix + name
        with open(place.at("console"), "ab") as console:
            place.process = subprocess.Popen(
                [place.at("syslog-ng"), "-F", "-f", named("etc/old.conf"), "-R", named("state/old.persist"), "-p", named("run/old.pid"), "-c", named("run/old.ctl")],
                cwd=place.folder, stdout=console, stderr=console)
        place.until(lambda: "from lines" in place.text("out/old.log"), "the file")
        place.until(lambda: os.path.exists(place.at("run/old.ctl")) and place.text("run/old.pid").strip() == str(place.process.pid), "socket and pid")
        place.process.terminate()
        place.process.wait(20)
        assert os.path.exists(place.at("state/old.persist")), os.listdir(place.at("state"))
        assert not place.doubled(), place.doubled()
    finally:
        place.close()


def test_l10_paths_of_the_old_name(binary):
    old_name(binary, "relative")
    old_name(binary, "absolute")


def test_l10_relative_paths(binary):
    check(binary, "relative")


def test_l10_absolute_paths(binary):
    check(binary, "absolute")
