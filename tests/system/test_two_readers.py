"""Two sources over one file: both get every line, over kills, rotation, a reload that adds the second, and from positions of earlier versions."""

import os
import re
import signal

from server import Server, waits

HEAD = "@version: 4.8\noptions {{ use-dns(no); stats(level(1)); }};\n"
FILE = 'file("{folder}/log" follow-freq(0.1) flags(no-parse))'
WILDCARD = 'wildcard-file(base-dir("{folder}") filename-pattern("log") follow-freq(0.1) flags(no-parse))'


def path(name, driver):
    return (f"source s_{name} {{{{ {driver}; }}}};\n"
            f'destination d_{name} {{{{ file("{{folder}}/{name}" template("$MSG\\n")); }}}};\n'
            f"log {{{{ source(s_{name}); destination(d_{name}); flags(flow-control); }}}};\n")


def read(server, name):
    file = f"{server.folder}/{name}"
    return open(file).read().split() if os.path.exists(file) else []


def write(server, numbers, to="log"):
    with open(f"{server.folder}/{to}", "a") as out:
        out.write("".join(f"{number}\n" for number in numbers))


def has_all(server, count, names="ab"):
    """Waits until each has every line, and returns whether one has a line twice."""
    want = {str(number) for number in range(count)}
    for name in names:
        server.until(lambda: set(read(server, name)) >= want, 20, f"{count} lines of {name}: {len(set(read(server, name)))} {server.stderr()}")
        assert set(read(server, name)) == want, name
    return [name for name in names if len(read(server, name)) > count]


def positions(server):
    file = server.folder + "/data/positions"
    return open(file).read() if os.path.exists(file) else ""


@waits
def test_two_sources_over_one_file(binary):
    """Two of each kind."""
    names = "abcd"
    drivers = (FILE, FILE, WILDCARD, WILDCARD)
    server = Server(binary, HEAD + "".join(map(path, names, drivers)))
    try:
        write(server, range(2000))
        server.start(logs_in=False)
        assert has_all(server, 2000, names) == []
        server.stop(signal.SIGKILL)
        write(server, range(2000, 3000))
        server.start(logs_in=False)
        has_all(server, 3000, names)
        server.stop()
        os.rename(server.folder + "/log", server.folder + "/old")
        write(server, range(3000, 3100), "old")
        write(server, range(3100, 3200))
        server.start(logs_in=False)
        has_all(server, 3200, names)
    finally:
        server.close()


@waits
def test_a_reload_adds_the_second_and_an_upgrade_keeps_the_first(binary):
    server = Server(binary, HEAD + path("a", FILE))
    try:
        write(server, range(100))
        server.start(logs_in=False)
        has_all(server, 100, "a")
        # The new one comes first, and begins at the end of the file.
        server.write_config(HEAD + path("b", FILE.replace("follow-freq", "read-old-records(no) follow-freq")) + path("a", FILE))
        server.ctl("reload")
        server.until(lambda: re.search(r"file\[s_b\] .* 2[0-9]+\n", positions(server)), 30, f"its position: {positions(server)}")
        write(server, range(100, 200))
        server.until(lambda: len(read(server, "b")) >= 100, 30, f"the lines of b: {read(server, 'b')}")
        assert has_all(server, 200, "a") == [] and read(server, "b") == [str(number) for number in range(100, 200)]
        server.stop()
        # What an earlier version would have left behind.
        assert "\nfile[s_a] " in positions(server), positions(server)
        kept = [line.replace("file[s_a] ", "file ") for line in positions(server).splitlines() if "[s_b]" not in line]
        with open(server.folder + "/data/positions", "w") as out:
            out.write("".join(line + "\n" for line in kept))
        write(server, range(200, 300))
        server.write_config(HEAD + path("a", FILE) + path("b", FILE))
        os.remove(server.folder + "/b")
        server.start(logs_in=False)
        assert has_all(server, 300) == [], "nothing is read again"
    finally:
        server.close()
