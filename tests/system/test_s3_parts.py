"""s3() with objects that are larger than a batch: parts in a SeaweedFS, crashes of ours and of the server, uploads that somebody removes."""

import random
import signal
import subprocess
import time

from destination import HEAD, counters
from seaweedfs import KEY, SECRET, SeaweedFs
from server import Server, waits
from test_s3 import CuttingProxy
from test_sltp import Relp

MIB = 1 << 20
TEXT = b"x" * 16000


# Of a sender over RELP it is known what is on the disk.
RELP = HEAD.replace('network(ip("127.0.0.1") port({port}) transport("tcp") flags(syslog-protocol)', 'relp(ip("127.0.0.1") port({port})')


class Sender(Relp):
    """Sends numbered messages of sixteen kilobytes."""

    hosts = 1

    def text(self, number):
        return b"<13>1 2026-11-22T10:00:00Z web%d app 17 - - %d %s" % (number % self.hosts, number, TEXT)


def config(port, object_size, more="", capacity="256M"):
    text = ('destination d_s3 {{ s3(url("http://127.0.0.1:%d") bucket("logs") access-key("%s") secret-key("%s") object-key("logs/$HOST") template("$MSG\\n") '
            'max-object-size(%d) batch-bytes(1048576) batch-timeout(200) time-reopen(1) %s disk-buffer(capacity-bytes(%s) reliable(yes))); }};\n'
            "log {{ source(s_net); destination(d_s3); flags(flow-control); }};\n")
    return RELP + text % (port, KEY, SECRET, object_size, more, capacity)


def feed(server, first, count, hosts=1):
    """Sends messages, which are on the disk then."""
    sender = Sender(server.port)
    sender.hosts = hosts
    sender.send(range(first, first + count))
    sender.close()


def numbers(target):
    """The numbers of the messages in all objects."""
    return [int(line.split()[0]) for line in target.lines()]


def check_all_once(target, count):
    found = numbers(target)
    assert len(found) == len(set(found)) and set(found) == set(range(count)), (len(found), len(set(found)), count)


def uploads(target):
    return target.s3.list_multipart_uploads(Bucket="logs").get("Uploads") or []


def finish(server, target, port, count, foreign=()):
    """Without large objects in the configuration, those that were begun end."""
    server.write_config(config(port, MIB))
    server.ctl("reload")
    server.until(lambda: counters(server, "dst.s3").get("queued") == 0, 60, "everything to be stored: " + server.ctl("healthcheck"))
    check_all_once(target, count)
    left = lambda: [upload["UploadId"] for upload in uploads(target)]
    server.until(lambda: left() == list(foreign), 20, "no upload of ours to be left")


@waits
def test_messages_count_when_their_object_is_complete(binary):
    """An object of 12 MB becomes of parts; what is left waits over a stop, and over the loss of its upload. Uploads of others stay."""
    target = SeaweedFs("logs")
    foreign = target.s3.create_multipart_upload(Bucket="logs", Key="logs/web0-foreign")["UploadId"]
    server = Server(binary, config(target.port, 12 * MIB))
    try:
        server.start()
        feed(server, 0, 1300)
        server.until(lambda: counters(server, "dst.s3").get("written", 0) > 0, 30, "an object to be complete")
        found = counters(server, "dst.s3")
        assert found["written"] == len(numbers(target)) < 1300 and found["written"] + found["queued"] == 1300, found
        (entry,) = target.s3.list_objects_v2(Bucket="logs")["Contents"]
        assert 11 * MIB < entry["Size"] <= 12 * MIB and entry["ETag"].strip('"').endswith("-2"), entry
        # What waits is there again after a stop, and its object continues.
        server.until(lambda: len(uploads(target)) == 2, 20, "the next object to be begun")
        (begun,) = [upload for upload in uploads(target) if upload["UploadId"] != foreign]
        server.stop()
        server.start(logs_in=False)
        assert begun in uploads(target) and counters(server, "dst.s3")["queued"] == found["queued"]
        target.s3.abort_multipart_upload(Bucket="logs", Key=begun["Key"], UploadId=begun["UploadId"])
        feed(server, 1300, 400)
        server.until(lambda: "Object is given up" in server.stderr(), 30, "the loss to be told")
        finish(server, target, target.port, 1700, [foreign])
    finally:
        server.close()
        target.close()


@waits
def test_a_storm_of_kills_stores_every_message_once(binary):
    """While objects of 11 MB become of parts, we are killed four times: every message is there, once."""
    target = SeaweedFs("logs")
    server = Server(binary, config(target.port, 11 * MIB))
    chance, count = random.Random(7), 0
    try:
        server.start()
        for _ in range(4):
            feed(server, count, 500)
            count += 500
            # The times of kills are random: some come amid a part, some while an object is completed.
            time.sleep(chance.random() * 0.3)
            server.stop(signal.SIGKILL)
            server.start(logs_in=False)
        finish(server, target, target.port, count)
    finally:
        server.close()
        target.close()


@waits
def test_lost_answers_and_a_small_disk_buffer(binary):
    """The answers to the first requests are lost: begin, part, complete. An object ends when half of the disk buffer is used."""
    target = SeaweedFs("logs")
    proxy = CuttingProxy(target.port, 4)
    server = Server(binary, config(proxy.port, 1 << 30, capacity="24M"))
    try:
        server.start()
        feed(server, 0, 1800)
        server.until(lambda: counters(server, "dst.s3").get("written", 0) > 300 and proxy.cuts == 0, 60, "an object to be complete")
        finish(server, target, proxy.port, 1800)
        assert any(entry["Size"] > 5 * MIB for entry in target.s3.list_objects_v2(Bucket="logs")["Contents"])
    finally:
        server.close()
        proxy.listener.close()
        target.close()


def test_what_has_no_effect_is_told(binary):
    keys = 'bucket("b") object-key("k") access-key("a") secret-key("s")'
    driver = f"destination d {{{{ s3({keys} max-object-size(1GiB) chunk-size(6MiB) disk-buffer(capacity-bytes(1G))); }}}};\n"
    server = Server(binary, HEAD + driver + "log {{ source(s_net); destination(d); }};\n")
    try:
        done = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        assert "without a disk buffer of its own that is reliable, objects have at most 8388608 bytes" in said, said
        assert "`chunk-size()` has no effect" in said, said
    finally:
        server.close()
