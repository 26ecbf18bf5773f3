"""kubernetes() and docker(): real files as container runtimes write them, with links, parts of lines, rotation and kills of the server."""

import json
import os
import signal

from broker_source import lines
from server import Server

CONFIG = """@version: 4.8
@include "scl.conf"
options {{ use-dns(no); stats(level(1)); }};
source s_files {{ %s; }};
destination d_file {{ file("{folder}/out" template("%s\\n")); }};
log {{ source(s_files); destination(d_file); flags(flow-control); }};
"""
FIELDS = "$ISODATE $HOST $PROGRAM $PID ${{.k8s.namespace_name}} ${{.k8s.pod_name}} ${{.k8s.container_name}} [$MSG]"
ID = "0123456789abcdef" * 4
UUID = "11111111-2222-3333-4444-555555555555"


class Node:
    """The folders of a node, below that of a server: files of pods, and links to them."""

    def __init__(self, folder):
        self.pods, self.links = folder + "/pods", folder + "/containers"
        os.makedirs(self.links)

    def container(self, pod="web-1", name="shop"):
        folder = f"{self.pods}/default_{pod}_{UUID}/{name}"
        os.makedirs(folder)
        os.symlink(folder + "/0.log", f"{self.links}/{pod}_default_{name}-{ID}.log")
        return folder + "/0.log"


def write(path, text):
    with open(path, "a") as out:
        out.write(text)


def cri(text, tag="F", stream="stdout", second=0):
    return f"2016-10-06T00:17:{second:02}.669794202Z {stream} {tag} {text}\n"


def has(server, want, within=20):
    server.until(lambda: len(lines(server)) >= len(want), within, f"{want}, not {lines(server)} {server.stderr()}")
    assert lines(server) == want, lines(server)


def test_pods_have_their_names(binary):
    server = Server(binary, CONFIG % ('kubernetes(base-dir("{folder}/containers") follow-freq(0.2))', FIELDS))
    node = Node(server.folder)
    log = node.container()
    row = lambda text, stream="stdout", time="2016-10-06T00:17:00+00:00": f"{time} k8s/default/web-1 shop {ID[:12]}/{stream} default web-1 shop [{text}]"
    try:
        write(log, cri("one") + cri("two 'quoted' \" \\", stream="stderr") + cri("") + "2016-10-06T00:17:00.1+02:00 stdout F\n")
        server.start()
        want = [row("one"), row("two 'quoted' \" \\", "stderr"), row(""), row("", time="2016-10-06T00:17:00+02:00")]
        has(server, want)
        # Parts come one after the other; what they say may look like the head of a line.
        write(log, cri("long ", "P"))
        write(log, cri("2016-10-06T00:17:00Z stdout F er ", "P"))
        write(log, cri("end"))
        want.append(row("long 2016-10-06T00:17:00Z stdout F er end"))
        has(server, want)
        # The kubelet rotates: what came before, and after.
        os.rename(log, log + ".20161006-001700")
        write(log + ".20161006-001700", cri("the last of the old file"))
        write(log, cri("the first of the new file"))
        want += [row("the last of the old file"), row("the first of the new file")]
        has(server, want)
        # A pod comes, with a point in its name; the first one goes.
        other = node.container("db.0", "sql")
        write(other, cri("other"))
        want.append(f"2016-10-06T00:17:00+00:00 k8s/default/db.0 sql {ID[:12]}/stdout default db.0 sql [other]")
        has(server, want)
        os.remove(f"{node.links}/web-1_default_shop-{ID}.log")
        # Nothing is dropped for its form.
        write(other, "no line of a runtime\n2016-99-99T00:00:00Z stdout F no time\n")
        server.until(lambda: len(lines(server)) == len(want) + 2, 20, f"what is not understood: {lines(server)}")
        assert [line.rsplit("[")[-1] for line in lines(server)[-2:]] == ["no line of a runtime]", "no time]"], lines(server)
    finally:
        server.close()


def test_a_kill_loses_no_part(binary):
    """The position is that before a line whose last part is missing."""
    server = Server(binary, CONFIG % ('kubernetes(base-dir("{folder}/containers") follow-freq(0.2) prefix("k.") cluster-name("c"))', "$HOST ${{k.stream}} [$MSG]"))
    node = Node(server.folder)
    log = node.container()
    try:
        server.start()
        write(log, "".join(cri(str(number)) for number in range(1000)) + cri("begun ", "P"))
        server.until(lambda: len(lines(server)) >= 1000, 20, f"the lines {server.stderr()}")
        server.stop()
        write(log, cri("and ended"))
        server.start()
        server.until(lambda: len(lines(server)) >= 1001, 20, f"the line {server.stderr()}")
        assert lines(server) == [f"c/default/web-1 stdout [{number}]" for number in range(1000)] + ["c/default/web-1 stdout [begun and ended]"]
        write(log, cri("again ", "P"))
        server.stop(signal.SIGKILL)
        write(log, cri("and again"))
        server.start()
        server.until(lambda: "c/default/web-1 stdout [again and again]" in lines(server), 20, f"the line {lines(server)[-3:]} {server.stderr()}")
    finally:
        server.close()


def test_pods_below_another_folder(binary):
    server = Server(binary, CONFIG % ('kubernetes(base-dir("{folder}/pods") follow-freq(0.2))', FIELDS))
    log = Node(server.folder).container()
    try:
        write(log, cri("one", "F:extra"))
        server.start()
        has(server, [f"2016-10-06T00:17:00+00:00 k8s/default/web-1 shop {UUID}/stdout default web-1 shop [one]"])
    finally:
        server.close()


def test_files_of_docker(binary):
    template = "$ISODATE $PROGRAM $PID ${{.docker.container_id}} [$MSG]"
    server = Server(binary, CONFIG % ('docker(base-dir("{folder}/docker") follow-freq(0.2))', template))
    folder = f"{server.folder}/docker/{ID}"
    os.makedirs(folder)
    entry = lambda log, **more: json.dumps({"log": log, "stream": "stdout", **more, "time": "2026-01-02T03:04:05.123456789Z"}, separators=(",", ":")) + "\n"
    row = lambda text, program=ID[:12]: f"2026-01-02T03:04:05+00:00 {program} {ID[:12]}/stdout {ID[:12]} [{text}]"
    hostile = '","stream":"x"}\\ and \\'
    try:
        write(f"{folder}/{ID}-json.log", entry("one\n") + entry("part ") + entry("of a \\") + entry("line\n") + entry(hostile + "\n")
              + entry("tagged\r\n", attrs={"tag": "shop"}) + entry("ä\u2028\t\n") + '{"log":"broken\n')
        server.start()
        want = [row("one"), row("part of a \\line"), row(hostile), row("tagged", "shop"), row("ä\u2028\t")]
        server.until(lambda: len(lines(server)) >= 6, 20, f"{want}, not {lines(server)} {server.stderr()}")
        assert lines(server)[:5] == want, lines(server)
        assert lines(server)[5].endswith('[{"log":"broken]'), lines(server)
    finally:
        server.close()


def test_long_lines_are_joined_up_to_a_bound(binary):
    """800 KB in parts of 16 KB; then 3 MB, which is more than a message may have: nothing of it is lost, and what comes next is read."""
    server = Server(binary, CONFIG % ('kubernetes(base-dir("{folder}/containers") follow-freq(0.2))', "$(length $MSG) $(substr $MSG 0 4)"))
    node = Node(server.folder)
    log = node.container()
    docker = f"{node.links}/{ID}-json.log"
    entry = lambda log: json.dumps({"log": log, "stream": "stdout", "time": "2026-01-02T03:04:05Z"}, separators=(",", ":")) + "\n"
    part = "x\\" * 8192
    sizes = lambda: [int(line.split()[0]) for line in lines(server)]
    try:
        write(docker, entry(part) * 29 + entry(part[:-1] + "\n") + entry("next\n"))
        write(log, cri(part, "P") * 49 + cri(part) + cri("next"))
        server.start()
        server.until(lambda: len(lines(server)) >= 4, 30, f"the lines: {sizes()} {server.stderr()}")
        assert sorted(sizes()) == [4, 4, 30 * 16384 - 1, 50 * 16384], sizes()
        write(log, cri(part, "P") * 191 + cri(part) + cri("last"))
        server.until(lambda: any("last" in line for line in lines(server)), 30, f"the last: {sizes()}")
        assert sum(sizes()) >= 80 * 16384 - 1 + 192 * 16384 + 12 and max(sizes()) <= 1 << 20, sizes()
    finally:
        server.close()
