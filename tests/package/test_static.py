"""The static archive: nothing but its files, in an empty root."""

import os
import re
import subprocess
import tempfile

from bare import Bare
from root import TREE, Root, until
from test_packages import MEGABYTE, journal, one
from unit import Service

USER = 12345


def unpacked(dist, folder):
    """The only folder of the archive."""
    subprocess.run(["tar", "--extract", "--no-same-owner", "--file", one(dist, "duramen-*-static.tar.gz"), "--directory", folder], check=True)
    (name,) = os.listdir(folder)
    return name


def test_the_static_binary_runs_where_there_is_nothing_else(dist):
    with open(TREE + "/docs/manual/installing.md") as page:
        trial = re.search(r"^tar -xf \S+ && cd (\S+) && (usr/bin/duramen run .*)$", page.read(), re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        name = unpacked(dist, folder)
        assert trial.group(1) == name, name
        root = f"{folder}/{name}"
        data, volume = root + "/data", folder + "/volume"
        for path in (data, volume):
            os.mkdir(path)
            os.chown(path, USER, USER)
        bare = Bare(root, USER, volume, "/data")
        try:
            bare.start(["/" + word if word.startswith("usr/") else word for word in trial.group(2).split()])
            password = until(lambda: re.search(r"password[^\n]*?: (\S+)", bare.said()), 30, "the password").group(1)
            assert not os.path.exists(root + "/proc") and not os.path.exists(root + "/etc/passwd"), os.listdir(root)
            program = "/usr/bin/duramen"
            bare.run(program, "loggen", "--inet", "--stream", "--number", "500", "--rate", "1000", "127.0.0.1", "5514")
            bare.run(program, "loggen", "--inet", "--dgram", "--number", "5", "--rate", "100", "127.0.0.1", "5514")
            asked = [f"DURAMEN_PASSWORD={password}", "DURAMEN_USER=admin"]
            count = lambda: bare.run(program, "search", "--count", "program:prg*", environment=asked, status=None).strip()
            until(lambda: count() == "505", 20, "the messages")
            bare.run(program, "ctl", "--control", "/data/duramen.ctl", "healthcheck")
            bare.run(program, "ctl", "--control", "/data/duramen.ctl", "stop")
            assert bare.ends() == 0, bare.said()
        except AssertionError as error:
            raise AssertionError(f"{error}\n{bare.said()[-3000:]}") from error
        finally:
            bare.close()


def test_the_commands_of_the_manual_install_the_archive(dist):
    with open(TREE + "/docs/manual/installing.md") as page:
        unpack, prepare = re.search(r"^(tar -xf .* --directory /)\n(systemd-sysusers .*)$", page.read(), re.MULTILINE).groups()
    root = Root()
    try:
        root.copy(one(dist, "duramen-*-static.tar.gz"), "/var/tmp/")
        root.run(f"cd /var/tmp && {unpack} && {prepare}")
        modes = root.run("stat -c '%a %U:%G %n' /usr /etc /etc/duramen /etc/duramen/duramen.conf /var/lib/duramen").splitlines()
        assert modes == ["755 root:root /usr", "755 root:root /etc", "750 root:duramen /etc/duramen", "644 root:duramen /etc/duramen/duramen.conf",
                         "700 duramen:duramen /var/lib/duramen"], modes
        root.run("duramen check --strict")
        journal(root)
        service = Service(root)
        try:
            service.start()
            root.run("duramen ctl healthcheck")
            service.stop()
        finally:
            service.close()
    finally:
        root.close()


def test_the_static_binary_needs_no_other_file_and_is_small(dist):
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/{unpacked(dist, folder)}/usr/bin/duramen"
        assert os.path.getsize(binary) < 40 * MEGABYTE, os.path.getsize(binary)
        headers = subprocess.check_output(["readelf", "--program-headers", "--dynamic", binary], text=True)
        assert "INTERP" not in headers and "NEEDED" not in headers, headers
        facts = subprocess.check_output([binary, "version", "--json"], text=True)
        assert '"libc":"musl"' in facts and '"linked":"static"' in facts and '"openssl":"OpenSSL 3' in facts, facts


def test_no_path_of_the_machine_that_built_it_is_in_the_static_binary(dist):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/{unpacked(dist, folder)}/usr/bin/duramen", "rb") as file:
            content = file.read()
        for path in (TREE, os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo"))):
            at = content.find(path.encode() + b"/")
            assert at < 0, content[at: at + 200]


def test_zones_are_known_without_files_of_the_system(dist):
    config = '@version: 4.8\nlog { source { network(port(5514)); }; destination { file("/out" template("$ISODATE") time-zone("%s")); }; };\n'
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        root = f"{folder}/{unpacked(dist, folder)}"
        for name, status in (("Europe/Berlin", 0), ("Europe/Nowhere", 1)):
            with open(root + "/zone.conf", "w") as out:
                out.write(config % name)
            done = subprocess.run(["chroot", root, "/usr/bin/duramen", "check", "/zone.conf"], capture_output=True, text=True)
            assert done.returncode == status, (name, done)
