"""The .deb and the .rpm, as users install them."""

import glob
import hashlib
import json
import os
import re
import subprocess
import tempfile

from root import BINARY, STATIC, TREE, Root, until
from unit import Service

MEGABYTE = 1_000_000


def one(dist, pattern):
    (file,) = glob.glob(os.path.join(dist, pattern))
    return file


def older(dist, folder):
    """The same package as an earlier version."""
    tree, package = folder + "/tree", folder + "/duramen_0.1.9.deb"
    subprocess.run(["dpkg-deb", "--raw-extract", one(dist, "duramen_*.deb"), tree], check=True)
    with open(tree + "/DEBIAN/control") as control:
        text = control.read()
    with open(tree + "/DEBIAN/control", "w") as control:
        control.write(re.sub(r"^Version: .*$", "Version: 0.1.9", text, flags=re.MULTILINE))
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", tree, package], check=True, stdout=subprocess.DEVNULL)
    return package


def journal(root):
    """The socket of an empty journal: the configuration of the package reads it, as on a machine with systemd."""
    root.run("mkdir -p /run/systemd/journal /run/log/journal; touch /run/systemd/journal/socket")


def finds(root, password, query, count):
    """Waits until a search counts this many messages."""
    last = ""

    def counted():
        nonlocal last
        last = root.run(f"DURAMEN_PASSWORD={password} DURAMEN_USER=admin duramen search --count '{query}'", status=None).strip()
        return last == str(count)

    try:
        until(counted, 20, f"{count} of {query}")
    except AssertionError as error:
        shown = root.run(f"DURAMEN_PASSWORD={password} DURAMEN_USER=admin duramen search 'NOT logged' -n 40", status=None)
        raise AssertionError(f"{error}; it counts {last}; there are:\n{shown[-3000:]}") from error


def test_install_run_upgrade_remove_purge(dist):
    root, service = Root(), None
    try:
        with tempfile.TemporaryDirectory() as folder:
            old = root.copy(older(dist, folder), "/var/tmp/")
        new = root.copy(one(dist, "duramen_*.deb"), "/var/tmp/")
        root.run(f"dpkg -i {old}")
        assert re.search(r"^duramen:x:\d+:\d+:[^:]*:/var/lib/duramen:", root.read("/etc/passwd"), re.MULTILINE)
        assert "duramen" in re.search(r"^systemd-journal:.*$", root.read("/etc/group"), re.MULTILINE).group(0)
        modes = root.run("stat -c '%a %U:%G %n' /etc/duramen /etc/duramen/duramen.conf /var/lib/duramen /var/log/duramen").splitlines()
        assert modes == ["750 root:duramen /etc/duramen", "640 root:duramen /etc/duramen/duramen.conf",
                         "700 duramen:duramen /var/lib/duramen", "750 duramen:duramen /var/log/duramen"], modes
        assert root.run("systemctl is-enabled duramen.service").strip() == "enabled"
        root.run("duramen check --strict")
        root.run("dpkg --verify duramen")
        journal(root)

        service = Service(root)
        service.start()
        service.hears_watchdog()
        status = root.run("cat /proc/$(pidof duramen)/status")
        assert re.search(r"^CapEff:\s+0*400$", status, re.MULTILINE) and re.search(r"^CapBnd:\s+0*400$", status, re.MULTILINE), status
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE), status
        password = root.read("/var/lib/duramen/first-password").strip()
        assert password not in service.said(), "the password is in the journal"
        assert root.run("stat -c %a /var/lib/duramen/first-password").strip() == "600"
        root.run("logger -n 127.0.0.1 -P 514 -d -t try 'over datagrams'; logger -n 127.0.0.1 -P 514 -T -t try 'over a connection'")
        finds(root, password, "program:try", 2)
        assert root.run("curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8514/manual/") == "200"
        service.reload()

        root.run("sed -i 's/retention-age(\"90d\")/retention-age(\"30d\")/' /etc/duramen/duramen.conf")
        said = root.run(f"dpkg -i {new} < /dev/null")
        assert "0.1.9" in said, said
        assert 'retention-age("30d")' in root.read("/etc/duramen/duramen.conf"), "an upgrade changed the configuration"
        service.stop()
        service.start()
        finds(root, password, "program:try", 2)
        service.stop()

        root.run("dpkg -r duramen")
        assert not os.path.exists(root.path + "/usr/bin/duramen")
        assert os.path.exists(root.path + "/etc/duramen/duramen.conf")
        assert os.path.isdir(root.path + "/var/lib/duramen/logspaces/main")
        said = root.run("dpkg -P duramen")
        assert "kept /var/lib/duramen" in said, said
        assert not os.path.exists(root.path + "/etc/duramen/duramen.conf")
        assert os.path.isdir(root.path + "/var/lib/duramen/logspaces/main")
        root.run(f"dpkg -i {new}")
        service.close()
        service = Service(root)
        service.start()
        finds(root, password, "program:try", 2)
        service.stop()
    finally:
        if service:
            service.close()
        root.close()


def test_it_replaces_the_system_log_daemon(dist):
    fields = subprocess.check_output(["dpkg-deb", "--field", one(dist, "duramen_*.deb"), "Provides", "Depends"], text=True)
    assert "system-log-daemon" in fields and "libc6" in fields and "systemd" in fields, fields


def test_the_trial_of_the_manual_runs_beside_another(dist):
    """One command, without an installation."""
    with open(TREE + "/docs/manual/installing.md") as page:
        command = re.search(r"^dpkg-deb --extract .*(?:\\\n.*)*$", page.read(), re.MULTILINE).group(0)
    root = Root()
    server = None
    try:
        file = root.copy(one(dist, "duramen_*.deb"))
        server = subprocess.Popen(root.command("sh", "-c", f"cd /tmp && mv {file} duramen.deb 2> /dev/null; {command}"),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        password = None
        for line in server.stdout:
            if found := re.search(r"password[^\n]*?: (\S+)", line):
                password = found.group(1)
                break
        assert password, "it says no password"
        binary = root.run("ls /tmp/*/usr/bin/duramen").strip()
        root.run("logger -n 127.0.0.1 -P 5514 -d -t try hello")
        asked = f"DURAMEN_PASSWORD={password} DURAMEN_USER=admin {binary} search --count program:try"
        until(lambda: root.run(asked, status=None).strip() == "1", 20, "the message")
        assert not os.path.exists(root.path + "/etc/duramen")
    finally:
        if server:
            server.kill()
            server.wait()
        root.close()


def test_the_rpm_installs_and_leaves_data(dist):
    root = Root()
    try:
        file = root.copy(one(dist, "duramen-*.rpm"))
        asked = root.run(f"rpm -qp --requires --provides {file}")
        assert "libc.so.6" in asked and re.search(r"^syslog\b", asked, re.MULTILINE), asked
        assert root.run(f"rpm -qp --configfiles {file}").strip() == "/etc/duramen/duramen.conf"
        root.run(f"rpm -i --nodeps {file}")
        assert root.run("stat -c '%a %U:%G' /var/lib/duramen /etc/duramen").split() == ["700", "duramen:duramen", "750", "root:duramen"]
        root.run("rpm -V --nodeps --nomode --nogroup duramen")
        assert root.run("duramen version").startswith("duramen ")
        root.run("touch /var/lib/duramen/kept; echo '# mine' >> /etc/duramen/duramen.conf; rpm -e duramen")
        assert os.path.exists(root.path + "/var/lib/duramen/kept")
        assert os.path.exists(root.path + "/etc/duramen/duramen.conf.rpmsave")
        assert not os.path.exists(root.path + "/usr/bin/duramen")
    finally:
        root.close()


def test_the_manual_names_the_files_of_the_release(dist):
    with open(TREE + "/docs/manual/installing.md") as page:
        named = set(re.findall(r"\bduramen[-_]\d[\w.-]*\.(?:deb|rpm|gz|tar)\b", page.read()))
    made = set(os.listdir(dist))
    assert named and named <= made, (named - made, made)
    assert {name for name in made if re.match(r"duramen[-_]\d", name) and not name.endswith(".debug.gz")} <= named, made


def test_the_installed_binary_is_small(dist):
    listed = subprocess.check_output(["dpkg-deb", "--contents", one(dist, "duramen_*.deb")], text=True)
    size = int(re.search(r"(\d+) \S+ \S+ \./usr/bin/duramen$", listed, re.MULTILINE).group(1))
    assert size < 40 * MEGABYTE, f"{size} bytes"


def test_the_sums_and_the_bill_of_materials_are_right(dist):
    with open(dist + "/SHA256SUMS") as sums:
        rows = [line.split() for line in sums]
    assert {name for _, name in rows} >= {os.path.basename(file) for file in glob.glob(dist + "/duramen*")}
    for digest, name in rows:
        with open(os.path.join(dist, name), "rb") as file:
            assert hashlib.file_digest(file, "sha256").hexdigest() == digest, name
    for kind, more in (("", set()), ("-static", {"jemalloc", "musl"})):
        bill_is_right(dist, kind, more)


def bill_is_right(dist, kind, more):
    """The bill of materials and the notices of one binary; `more` has to be in them as well."""
    with open(f"{dist}/duramen{kind}.cdx.json") as text:
        bill = json.load(text)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    known = [one["bom-ref"] for one in bill["components"]] + [bill["metadata"]["component"]["bom-ref"]]
    assert len(known) == len(set(known))
    for row in bill["dependencies"]:
        assert row["ref"] in known and set(row["dependsOn"]) <= set(known), row
    names = {one["name"] for one in bill["components"]}
    assert {"tokio", "rustls", "aws-lc", "zstd", "pcre2", "openssl", "preact"} | more <= names, sorted(names)
    with open(f"{dist}/notices{kind}.txt") as text:
        notices = text.read()
    for component in bill["components"]:
        assert f"{component['name']} {component['version']} (" in notices, component["name"]


def test_the_same_input_makes_the_same_packages(dist):
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for name in ("one", "two"):
            into = f"{folder}/{name}"
            os.mkdir(into)
            environment = {**os.environ, "PACKAGE_INTO": into, "SOURCE_DATE_EPOCH": "1700000000"}
            for binary, kinds in ((BINARY, ("components", "deb", "rpm", "debug")), (STATIC, ("components", "archive", "image", "debug"))):
                for kind in kinds:
                    subprocess.run([TREE + "/tools/package.sh", kind, binary], check=True, env=environment)
            subprocess.run([TREE + "/tools/package.sh", "sums"], check=True, env=environment, stdout=subprocess.DEVNULL)
            made.append({os.path.basename(file): hashlib.sha256(open(file, "rb").read()).hexdigest() for file in glob.glob(into + "/*")})
        assert made[0] == made[1], made
        # The files in the folder of a release; there are no others.
        assert sorted(made[0]) == sorted(os.listdir(dist)), made


def test_the_score_of_the_unit_is_that_of_the_manual(dist):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "--extract", one(dist, "duramen_*.deb"), folder], check=True)
        unit = folder + "/usr/lib/systemd/system/duramen.service"
        said = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager", unit], capture_output=True, text=True)
        score = re.search(r"Overall exposure level for \S+: ([\d.]+)", said.stdout)
        assert score, said
        with open(TREE + "/docs/manual/installing.md") as page:
            assert re.search(r"exposure level ([\d.]+)", page.read()).group(1) == score.group(1), score.group(0)
        # Warnings about the unit itself; the missing program on this machine does not count.
        checked = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit], capture_output=True, text=True)
        wrong = [line for line in checked.stderr.splitlines() if "duramen.service:" in line and "is not executable" not in line]
        assert not wrong, wrong
