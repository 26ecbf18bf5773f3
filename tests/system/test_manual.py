"""Tests the manual: every block of configuration is checked, every command is typed into a terminal as it is printed.

Both happen in a disposable root, an overlay over this machine's own, with a network of its own. So commands
may install programs, use ports below 1024 and the usual folders. Needs root, as a server on port 514 does.
"""

import glob
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
PAGES = sorted(glob.glob(TREE + "/docs/manual/*.md")) + [TREE + "/README.md"]

ROOT = """set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc"
ip link set lo up
mkdir -p "$1/root/manual/target/release" "$1/root/etc/duramen" "$1/root/etc/syslog-ng"
cp "$2" "$1/root/manual/target/release/duramen"
cp "$2" "$1/root/usr/local/bin/duramen"
cp -r "$3/examples" "$1/root/manual/"
echo made
exec sleep 900
"""

# Objects that blocks use and that a reader's configuration defines elsewhere.
ELSEWHERE = {
    "source": "network(port(5140));",
    "destination": 'file("/var/log/elsewhere");',
    "filter": "program(elsewhere);",
    "parser": "kv-parser();",
    "rewrite": 'set("elsewhere" value("elsewhere"));',
}
STATEMENT = re.compile(r"^(@version|@include|application|block|destination|filter|log|logspace|options|parser|rewrite|source"
                       r"|template|template-function|if)\b")
INLINE = re.compile(r"^(if|parser)\s*\{")

# Commands that are not run, by their beginning, with the reason.
NOT_RUN = {
    "make ": "it builds, tests or serves this tree: what runs this test did so",
    "duramen rules test examples/rules.yaml": "it reads all that is stored: its own test does that",
    "duramen ctl tap s_net --rate": "it prints until it is stopped: its own test does that",
    "openssl ts -verify": "it needs an authority: the tests of packages have one",
}

# The configuration of the server for the pages.
SERVED = """@version: 4.8
options { keep-hostname(yes); };
source s_net { network(port(514)); };
destination d_siem { file("/var/log/siem"); };
# Small segments: packages are made of sealed ones.
destination d_audit { logspace("audit" sign-key("/etc/duramen/sign.key") segment-memory(16000000)); };
destination d_all { logspace("all" segment-memory(16000000)); };
logspace firewall { filtered("all" "host:fw*"); };


log mail { source(s_net); destination(d_siem); };
log { source(s_net); destination(d_audit); destination(d_all); };
destination d_sql { sql(type(sqlite3) database("/var/lib/logs.db") table("m") columns("text") values("$MSG")); };
log { source(s_net); filter { message("no message has this"); }; destination(d_sql); };
"""
PATTERNS = """<patterndb version="4" pub_date="2026-11-22"><ruleset name="r" id="r"><pattern>sshd</pattern><rules>
<rule id="login" class="security"><patterns><pattern>failed login of @STRING:user@</pattern></patterns>
<examples><example><test_message program="sshd">failed login of joe</test_message>
<test_values><test_value name="user">joe</test_value></test_values></example></examples></rule>
</rules></ruleset></patterndb>"""


def blocks(page):
    """The blocks of a page that have no language or are commands."""
    with open(page) as text:
        found = re.findall(r"^```(\w*)\n(.*?)^```", text.read(), re.DOTALL | re.MULTILINE)
    return [body for language, body in found if language in ("", "sh")]


def configurations():
    """Page and text of every block of configuration."""
    for page in PAGES:
        for body in blocks(page):
            if STATEMENT.match(body):
                yield page, body


def commands(page):
    """The commands of a page's blocks, without the output and remarks printed beside and below them."""
    for body in blocks(page):
        if STATEMENT.match(body):
            continue
        lines = body.splitlines()
        has_output = lines[0].startswith("$ ")
        for line in lines:
            if has_output and not line.startswith("$ "):
                continue
            line = re.split(r"\s{3,}", line.removeprefix("$ "))[0]
            if re.match(r"(duramen|install|openssl|make|logger)\b", line):
                yield line


# Replacements for a reader's own names in the tables, by the beginning of the command; the longest
# match is used.
MEANT = {
    "duramen check FILE": "duramen check /etc/duramen/duramen.conf",
    "duramen explain FILE": "duramen explain /etc/duramen/duramen.conf --message hello --source s_net",
    "duramen convert rsyslog FILE": "duramen convert rsyslog /etc/rsyslog.conf",
    "duramen search QUERY": "duramen search failed -n 1 --logspace all",
    "duramen search 'failed | top host'": "duramen search 'failed | top host' --logspace all",
    "duramen export QUERY": "duramen export 'failed | stats count' --logspace all",
    "duramen tail QUERY": "timeout 3 duramen tail failed --logspace all; [ $? = 124 ]",
    "duramen completions SHELL": "duramen completions bash",
    "duramen man": "mkdir -p pages && cd pages && duramen man",
    "duramen support-bundle": "mkdir -p bundle && cd bundle && duramen support-bundle",
    "duramen slog key -m MASTER": "duramen slog key -m first",
    "duramen slog key -d MASTER": "duramen slog key -d first 00:11:22:33:44:55 SERIAL first.key && cp first.key own.key && : > own.mac",
    "duramen slog key -c HOST.key": "duramen slog key -c own.key",
    "duramen slog encrypt": "duramen slog encrypt -k own.key -m own.mac new.key new.mac /var/log/app.log app.slog",
    "duramen slog verify -k FIRST.key": "duramen slog verify -k first.key -m new.mac app.slog app.clear",
}
# Cells that name a group of verbs, or commands that blocks of the manual run.
NAMED = re.compile(r"^duramen (run|loggen|user|logspace|ctl VERB|alerts VERB|silence VERB|channel VERB|queue VERB|queue dead VERB|patterndb VERB|rules VERB|objects VERB DIR|rules test FILE.*|logspace VERB|ledger VERB|slog key\|encrypt\|verify"
                   r"|run --config .*|verify-package DIR|slog verify -i .*)$")


def tables(page):
    """The rows of a page's tables: their cells."""
    with open(page) as text:
        lines = re.sub(r"^```.*?^```", "", text.read(), flags=re.DOTALL | re.MULTILINE).splitlines()
    for line in lines:
        if line.startswith("|"):
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip("|"))]


def table_commands(page):
    """The commands of a page's tables, as printed and as run."""
    for row in tables(page):
        for cell in row:
            for command in re.findall(r"`(duramen [^`]+)`", cell):
                if not NAMED.match(command):
                    meant = [beginning for beginning in MEANT if command.startswith(beginning)]
                    yield command, MEANT[max(meant, key=len)] if meant else command


def whole(body):
    """A configuration with a block of the manual and the objects that it names."""
    text = body
    if INLINE.match(body):
        text = f"log {{ source(s_net);\n{body}\ndestination(d_elsewhere); }};\n"
    more = ""
    for kind, content in ELSEWHERE.items():
        names = set(re.findall(rf"\b{kind}\((\w+)\)", text))
        for name in sorted(names - set(re.findall(rf"\b{kind} (\w+)\s*\{{", text))):
            more += f"{kind} {name} {{ {content} }};\n"
    for name in sorted(set(re.findall(r'(?:filtered|multiple)\("(\w+)"', text))):
        if f'logspace("{name}"' not in text and f"logspace {name} " not in text:
            more += f'destination d_space_{name} {{ logspace("{name}"); }};\n'
    # Unused objects would not be created, so every source and destination gets a log path.
    for kind, other in (("source", "destination"), ("destination", "source")):
        for name in re.findall(rf"^\s*{kind} (\w+)\s*\{{", text + more, re.MULTILINE):
            if f"{kind}({name})" not in text:
                content = ELSEWHERE[other]
                more += f"log {{ {kind}({name}); {other} {{ {content} }}; }};\n"
    version = "" if text.startswith("@version") else "@version: 4.8\n"
    return version + text + more


class Root:
    """A disposable root, in which commands run on a terminal of their own."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="duramen-manual-")
        command = ["unshare", "--mount", "--net", "bash", "-c", ROOT, "root", self.folder.name, binary, TREE]
        self.holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "made\n", "a root to throw away cannot be made: run as root"
        self.path = f"/proc/{self.holder.pid}/root{self.folder.name}/root"

    def within(self, script):
        inside = f"cd /manual; {script}"
        root = self.folder.name + "/root"
        return ["nsenter", f"--target={self.holder.pid}", "--mount", "--net", "chroot", root, "bash", "-c", inside]

    def write(self, path, text):
        with open(self.path + path, "w") as out:
            out.write(text)

    def run(self, script, within=30):
        """Exit status and output. Questions for a passphrase, a password or a name are answered."""
        process, terminal = pty.fork()
        if process == 0:
            words = self.within(script)
            os.execvp(words[0], words)
        said, answered, end = "", 0, time.monotonic() + within
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                got = os.read(terminal, 65536)
            except OSError:
                break
            if not got:
                break
            said += got.decode(errors="replace")
            if re.search(r"(passphrase|[Pp]assword|pass phrase|The same again)[^\n]*: ?$", said[answered:]):
                os.write(terminal, b"a long secret of mine\n")
                answered = len(said)
        else:
            os.kill(process, signal.SIGKILL)
            said += f"\nstopped after {within} s"
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        os.close(terminal)
        return status, said

    def start(self, script):
        return subprocess.Popen(self.within("exec " + script), stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def prepare(self):
        """Writes the files that pages assume: certificates, keys, lists."""
        for name in ("server", "client", "ca", "page", "cert"):
            self.must(f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN={name}"
                      f" -addext 'subjectAltName=DNS:localhost' -keyout /etc/duramen/{name}.key -out /etc/duramen/{name}.pem")
        self.must("cd /etc/duramen; cp cert.key key.pem; cp cert.pem auditor.pem; cp cert.key sign.key;"
                  " openssl pkey -in sign.key -pubout -out /manual/sign.pub")
        self.must("cd /etc/duramen; duramen slog key -m master;"
                  " duramen slog key -d master 00:11:22:33:44:55 SERIAL host.key")
        self.must("mkdir -p rules.d /mnt/archive; : > /etc/duramen/host.mac")
        self.write("/etc/duramen/hosts.csv", "gw,site,here\n")
        self.write("/etc/duramen/logs-template.json", '{"index_patterns": ["logs-*"]}')
        for path in ("/etc/duramen/patterndb.xml", "/manual/patterndb.xml", "/manual/rules.d/one.xml"):
            self.write(path, PATTERNS)
        self.write("/var/log/app.log", "".join(f"Nov 22 10:00:00 gw app: started in {n} ms\n" for n in range(20)))
        self.write("/etc/syslog-ng/syslog-ng.conf", '@version: 4.8\nlog { source { internal(); }; destination { file("/var/log/x"); }; };\n')
        # A queue file of syslog-ng in which nothing waits, and a queue of a destination.
        header = b"SLRQ\2".ljust(8, b"\0") + b"".join(number.to_bytes(8, "little") for number in (4096, 4096, 0))
        os.makedirs(self.path + "/var/lib/syslog-ng", exist_ok=True)
        with open(self.path + "/var/lib/syslog-ng/syslog-ng-00000.rqf", "wb") as out:
            out.write((header.ljust(80, b"\0") + (4096).to_bytes(8, "little")).ljust(4096, b"\0"))
        self.must("mkdir -p /var/lib/duramen/disk-buffers; duramen queue import --keep"
                  " --into '/var/lib/duramen/disk-buffers/d_central#0' /var/lib/syslog-ng/syslog-ng-00000.rqf")
        # A destination of a shared log, for which nothing waits.
        consumer = b"DURACONS" + (1).to_bytes(2, "little") + bytes(6) + (1).to_bytes(8, "little") + bytes(36)
        os.makedirs(self.path + "/var/lib/duramen/disk-buffers/main.shared", exist_ok=True)
        with open(self.path + "/var/lib/duramen/disk-buffers/main.shared/d_siem#0.consumer", "wb") as out:
            out.write(consumer + zlib.crc32(consumer).to_bytes(4, "little"))
        self.write("/etc/rsyslog.conf", 'module(load="imudp")\ninput(type="imudp" port="514")\n*.* /var/log/all\n')

    def must(self, script):
        status, said = self.run(script)
        assert status == 0, f"{script}: {said}"

    def close(self):
        self.holder.kill()
        self.holder.wait()
        self.folder.cleanup()


def test_e6_every_configuration_of_the_manual_passes_the_check(binary):
    root = Root(os.path.abspath(binary))
    try:
        root.prepare()
        wrong, count = [], 0
        for page, body in configurations():
            count += 1
            root.write("/manual/block.conf", whole(body))
            status, said = root.run("duramen check block.conf")
            if status != 0:
                wrong.append(f"{os.path.basename(page)}:\n{body}{said}")
        assert not wrong, f"{len(wrong)} of {count} blocks:\n" + "\n".join(wrong)
        assert count >= 40, f"only {count} blocks were found"
    finally:
        root.close()


def test_every_option_in_the_tables_of_verbs_exists(binary):
    """A row about a verb names options: the verb, or one below it, has each of them."""
    def help_of(words):
        done = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, (words, done)
        verbs = re.search(r"^Commands:\n(.*?)(?:\n\n|\Z)", done.stdout, re.DOTALL | re.MULTILINE)
        names = re.findall(r"^  ([a-z][\w-]*)", verbs.group(1), re.MULTILINE) if verbs else []
        return done.stdout + "".join(help_of([*words, name]) for name in names if name != "help")
    missing, count = [], 0
    for page in PAGES:
        for row in tables(page):
            named = [verb.split() for verb in re.findall(r"`duramen ((?:[a-z][a-z-]* ?)+)", row[0])]
            text = "".join(help_of(words) for words in named)
            for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", " ".join(row)))) if named else ():
                count += 1
                if not re.search(re.escape(option) + r"(?![\w-])", text):
                    missing.append(f"{os.path.basename(page)}: {row[0]} has no {option}")
    assert not missing, "\n".join(missing)
    assert count >= 30, f"only {count} options were found"


def test_e6_every_command_of_the_manual_runs(binary):
    root = Root(os.path.abspath(binary))
    servers = []
    try:
        root.prepare()
        start = next(body for body in blocks(TREE + "/docs/manual/debugging.md") if body.startswith("@version"))
        root.write("/etc/duramen/duramen.conf", SERVED)
        wrong, count = [], 0
        server = root.start("duramen run --config /etc/duramen/duramen.conf > /manual/said 2>&1")
        servers.append(server)
        ready = "for n in $(seq 100); do duramen ctl healthcheck > /dev/null 2>&1 && exit 0; sleep 0.1; done; exit 1"
        root.must(ready)
        # The server answers a moment before it prints the password of the first run.
        root.must("for n in $(seq 100); do grep -q 'password.*: ' said && exit 0; sleep 0.1; done; exit 1")
        with open(root.path + "/manual/said") as said:
            password = re.search(r"password[^\n]*?: (\S+)", said.read()).group(1)
        sending = ("for n in $(seq 3000); do echo '<36>Nov 22 10:00:00 fw1 sshd: port 22 box foam, user eva failed' > /dev/tcp/127.0.0.1/514;"
                   " sleep 0.05; done")
        servers.append(root.start(f"bash -c {shlex.quote(sending)}"))
        root.must("awk 'BEGIN { for (n = 0; n < 300000; n++) print \"<36>Nov 22 10:00:00 fw1 sshd: port 22, user eva failed\", n, n * 7 }'"
                  " > /dev/tcp/127.0.0.1/514")
        root.must("for n in $(seq 300); do [ $(find /var/lib/duramen -name '*.ds' | cut -d/ -f1-6 | sort -u | wc -l) = 2 ]"
                  " && exit 0; sleep 0.1; done; find /var/lib/duramen; exit 1")
        for page in PAGES:
            for command, script in table_commands(page):
                count += 1
                status, said = root.run(f"export DURAMEN_PASSWORD={password}; {script}")
                if status != 0:
                    wrong.append(f"{os.path.basename(page)}, table: {command}\n  exit status {status}: {said.strip()}")
            for command in commands(page):
                if any(command.startswith(beginning) for beginning in NOT_RUN):
                    continue
                count += 1
                script = command
                if "duramen.conf" in command and page.endswith(("debugging.md", "rsyslog.md")):
                    script = "mkdir -p /manual/page; cd /manual/page; " + command
                    root.must("mkdir -p /manual/page")
                    if "explain" in command:
                        root.write("/manual/page/duramen.conf", start)
                if command == "duramen run":
                    script = "timeout 3 duramen run --http 127.0.0.1:9514 --data /var/lib/another --control /var/lib/another.ctl"
                if "ctl tap" in command and " -n " not in command:
                    script = command + " -n 1"
                if "search --explain" in command:
                    script = command + " --logspace all"
                if command.startswith("logger"):
                    script = command.replace("5514", "514")
                status, said = root.run(f"export DURAMEN_PASSWORD={password}; {script}")
                expected = (0, 124) if command == "duramen run" else (0,)
                if status not in expected:
                    wrong.append(f"{os.path.basename(page)}: {command}\n  exit status {status}: {said.strip()}")
        assert not wrong, f"{len(wrong)} of {count} commands:\n" + "\n".join(wrong)
        assert count >= 50, f"only {count} commands were found"
    finally:
        for server in servers:
            server.kill()
            server.wait()
        root.close()
