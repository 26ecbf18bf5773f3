"""A support bundle: what it contains, and above all what it does not. Man pages, completions, `version --json`."""

import json
import os
import socket
import subprocess
import tarfile

from server import CONFIG, Server

# None of these may be found in a bundle.
SECRETS = {
    "password": "hunter2secret", "word": "barewordsecret", "number": "918273645", "url": "urlusersecret", "header": "headersecret",
    "define": "definesecret", "comment": "commentsecret", "environment": "environmentsecret", "command": "commandsecret",
    "body": "bodysecret", "host": "hostsecret", "program": "programsecret", "pattern": "patternsecret", "query": "querysecret",
    "user": "usernamesecret",
}
PLANTED = CONFIG + """
# {{comment}}
@define token "{define}"
destination d_http {{{{ http(url("http://{url}:x@127.0.0.1:1/") user("joe") password({word}) headers("Authorization: {header}")
    body("`SECRET_OF_TEST`")); }}}};
destination d_file2 {{{{ file("{{folder}}/out/$PROGRAM-$HOST.txt" create-dirs(yes) template("$MSG {password}\\n")); }}}};
destination d_program {{{{ program("cat > /dev/null # {command}"); }}}};
filter f_x {{{{ message("{pattern}") or match("`token`" value("MESSAGE")) or level(debug..emerg); }}}};
parser p_x {{{{ kv-parser(prefix("{number}.")); }}}};
log {{{{ source(s_network); filter(f_x); parser(p_x); destination(d_file2); destination(d_program); destination(d_http); }}}};
"""


def planted():
    text = PLANTED.replace(CONFIG, "")
    return CONFIG + text.replace("{{comment}}", SECRETS["comment"]).format(**SECRETS)


def content(path):
    with tarfile.open(path) as archive:
        return {os.path.basename(member.name): archive.extractfile(member).read().decode() for member in archive}


def bundle(server, *options):
    path = os.path.join(server.folder, "bundle.tar.gz")
    if os.path.exists(path):
        os.remove(path)
    command = [server.binary, "support-bundle", "--control", server.folder + "/ctl", "--config", server.config,
               "--data", server.folder + "/data", "-o", path, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    assert os.stat(path).st_mode & 0o777 == 0o600
    again = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert again.returncode == 1 and "exists" in again.stderr, again
    return content(path)


def assert_nothing_is_told(server, files):
    secrets = {**SECRETS, "first password": server.password}
    for name, text in files.items():
        for kind, secret in secrets.items():
            assert secret not in text, f"the {kind} is in {name}: {[line for line in text.splitlines() if secret in line][:3]}"


def test_a_bundle_has_no_messages_and_no_secrets(binary):
    os.environ["SECRET_OF_TEST"] = SECRETS["environment"]
    server = Server(binary, planted())
    try:
        server.start()
        with open(server.config) as text:
            written = text.read()
        for kind in ("password", "word", "url", "header", "define", "comment", "command", "pattern", "number"):
            assert SECRETS[kind] in written, f"the test plants no {kind}"
        subprocess.run([binary, "user", "--data", server.folder + "/data", "add", SECRETS["user"]], input="a long secret of mine\n",
                       text=True, capture_output=True, timeout=30)
        subprocess.run(["logger", "-n", "127.0.0.1", "-P", str(server.port), "-d", "-t", SECRETS["program"], SECRETS["body"]], check=True)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.sendto(f"<13>1 2026-11-22T10:00:00Z {SECRETS['host']} {SECRETS['program']} - - - {SECRETS['body']}".encode(),
                       ("127.0.0.1", server.port))
        server.found(SECRETS["body"], 2, within=5)
        server.search(SECRETS["query"])
        server.until(lambda: any(SECRETS["program"] in name for name in os.listdir(server.folder + "/out")), 30, "the file of the message")

        files = bundle(server)
        assert_nothing_is_told(server, files)
        assert json.loads(files["version.json"])["name"] == "duramen"
        assert "    http(url([text of" in files["config.txt"], files["config.txt"]
        assert "network(" in files["config.txt"] and f"port({server.port})" in files["config.txt"], files["config.txt"]
        assert "dst.logspace;d_main#0;main;a;" in files["statistics.csv"], files["statistics.csv"]
        assert "VmRSS" in files["process.txt"] and "MemTotal" in files["machine.txt"] and "syslogng_is_healthy" in files["health.txt"]
        assert "logspaces/main" in files["data.txt"], files["data.txt"]

        server.stop()
        files = bundle(server)
        assert_nothing_is_told(server, files)
        assert "no server answers" in files["health.txt"]
        assert "network(" in files["config.txt"], files["config.txt"]
        with open(server.config, "a") as out:
            out.write("destination d_broken { file(\"unclosed")
        files = bundle(server)
        assert_nothing_is_told(server, files)
        assert "it has errors" in files["config.txt"], files["config.txt"]
    finally:
        del os.environ["SECRET_OF_TEST"]
        server.close()


def test_the_first_password_stays_out_of_the_journal(binary):
    server = Server(binary)
    server.environment["JOURNAL_STREAM"] = "1:1"
    try:
        server.password = "unknown"
        try:
            server.start()
        except OSError:
            pass  # it is the log-in that fails: the password is not known yet
        kept = os.path.join(server.folder, "data/first-password")
        server.until(lambda: "first-password" in server.stderr(), 30, "where the password is")
        with open(kept) as text:
            server.password = text.read().strip()
        assert os.stat(kept).st_mode & 0o777 == 0o600
        assert server.password not in server.stderr()
        server.call("login", {"user": "admin", "password": server.password})
    finally:
        server.close()


def test_completions_and_man_pages(binary):
    said = lambda *words: subprocess.run([binary, *words], check=True, capture_output=True, text=True, timeout=30).stdout
    facts = json.loads(said("version", "--json"))
    assert said("version") == f"duramen {facts['version']}\n" and facts["architecture"] and facts["openssl"].startswith("OpenSSL 3"), facts
    assert said("completions", "bash").startswith("_duramen()")
    assert "#compdef duramen" in said("completions", "zsh")
    assert "complete -c duramen" in said("completions", "fish")
    page = said("man")
    for section in (".SH NAME", ".SH SYNOPSIS", ".SH FILES", ".SH SIGNALS"):
        assert section in page, section
    # A real shell accepts it.
    script = f"source <({binary} completions bash); COMP_WORDS=(duramen supp); COMP_CWORD=1; _duramen duramen supp duramen; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "support-bundle", done
