"""kafka() as a source: records as they were sent, positions that follow the destinations, kills of both sides, two servers in a group."""

import signal
import threading
import time

from broker_source import count_read, lines, listen, numbers
from destination import check_refusals
from kafka_broker import Kafka, shared
from server import Server, free_port, waits_for

# A member that was killed is out of the group after six seconds, the least that brokers take.
SESSION = 'config("group.id" => "readers" "session.timeout.ms" => "6000" "heartbeat.interval.ms" => "1000" "reconnect.backoff.max.ms" => "1000")'
# Topics and groups of a broker that all tests share are named after the test.
session = lambda group: SESSION.replace('"readers"', f'"{group}"')
TEMPLATE = r"${{.kafka.topic}} ${{.kafka.partition}} ${{.kafka.offset}} ${{.kafka.key}} $HOST $MSG\n"

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); time-reopen(1); }};
source s_kafka {{ kafka(bootstrap-servers("localhost:%d") flags(syslog-protocol) %s); }};
destination d_file {{ %s; }};
log {{ source(s_kafka); destination(d_file); flags(flow-control); }};
"""


def reads(target, topics='topic("logs" => "-1")', options=SESSION, destination=f'file("{{folder}}/out" template("{TEMPLATE}"))', port=None):
    return CONFIG % (port or target.port, topics + " " + options, destination)


def producer(target):
    from confluent_kafka import Producer

    return Producer({"bootstrap.servers": f"127.0.0.1:{target.port}", "message.timeout.ms": 120000, "enable.idempotence": True})


def produce(target, topic, first, end, pause=0.0):
    """Numbered messages, spread over the partitions; returns when the brokers have them all."""
    out = producer(target)
    for number in range(first, end):
        out.produce(topic, f"<13>1 2007-04-22T10:00:00Z web{number % 50} app 17 - - {number}".encode(), key=str(number))
        if number % 500 == 0:
            out.poll(0)
            time.sleep(pause)
    assert out.flush(120) == 0


def committed(target, topic="logs", partitions=2, group="readers"):
    """The sum of the positions of a group."""
    from confluent_kafka import Consumer, TopicPartition

    reader = Consumer({"bootstrap.servers": f"127.0.0.1:{target.port}", "group.id": group, "enable.auto.commit": False})
    try:
        found = reader.committed([TopicPartition(topic, number) for number in range(partitions)], 30)
        return sum(max(part.offset, 0) for part in found)
    finally:
        reader.close()


def test_records_are_read_as_they_were_sent(binary):
    """Places and keys, hostile bytes, no value, a value that is too long; a regular expression of topics; what was read is not read again."""
    target = shared()
    target.topic("sent", 1, max_message_bytes=4000000)
    target.topic("web-1", 1)
    server = Server(binary, reads(target, 'topic("sent" => "-1", "^web-.*" => "-1")', session("sent")))
    try:
        from confluent_kafka import Producer

        out = Producer({"bootstrap.servers": f"127.0.0.1:{target.port}", "message.max.bytes": 4000000})
        head = b"<13>1 2007-04-22T10:00:00Z web app 17 - - "
        for key, value in [(b"k", head + b"one"), (None, None), (b"k", b""), (b"\xff\x00", head + b"t\xffwo"), (b"%s${x}", b"no header at all"), (None, head + b"x" * 3000000)]:
            out.produce("sent", value, key)
        out.produce("web-1", head + b"more", b"a b")
        assert out.flush(60) == 0
        server.start()
        server.until(lambda: len(lines(server)) >= 5, 40, f"the records: {server.stderr()}")
        found = {tuple(line.split(" ", 3)[:3]): line.split(" ", 3)[3] for line in lines(server)}
        assert set(found) == {("sent", "0", "0"), ("sent", "0", "3"), ("sent", "0", "4"), ("sent", "0", "5"), ("web-1", "0", "0")}, found
        assert found["sent", "0", "0"] == "k web one" and found["web-1", "0", "0"] == "a b web more", found
        assert found["sent", "0", "3"].endswith(" web t\ufffdwo") and found["sent", "0", "4"].startswith("%s${x} "), found
        assert 60000 < len(found["sent", "0", "5"]) < 66000, len(found["sent", "0", "5"])
        rows = [row.split(";") for row in server.ctl("stats").splitlines() if row.startswith("src.kafka;")]
        assert any(row[4] == "processed" and row[5] == "5" for row in rows), rows
        position = lambda: committed(target, "sent", 1, "sent")
        server.until(lambda: position() == 6, 20, f"the position: {position()}")
        # A reload with another option reads on; nothing comes twice.
        server.write_config(reads(target, 'topic("sent" => "-1")', session("sent") + " store-metadata(no)"))
        server.ctl("reload")
        out.produce("sent", head + b"after")
        assert out.flush(60) == 0
        server.until(lambda: len(lines(server)) >= 6, 40, f"the next record: {server.stderr()}")
        assert lines(server)[-1].endswith("web after") and not lines(server)[-1].startswith("sent"), lines(server)
        begin = time.monotonic()
        server.stop()
        assert time.monotonic() - begin < 8, time.monotonic() - begin
        server.start()
        out.produce("sent", head + b"last")
        assert out.flush(60) == 0
        server.until(lambda: len(lines(server)) >= 7, 40, f"the last record: {server.stderr()}")
        assert lines(server)[-1].endswith("web last") and len(lines(server)) == 7, lines(server)
    finally:
        server.close()


@waits_for(30)
def test_kills_of_both_sides_lose_nothing(binary):
    """10,000 records while the server and the broker are killed: each is read, positions never pass what is written."""
    target = Kafka().start()
    target.topic("logs")
    server = Server(binary, reads(target))
    count = 10000
    try:
        server.start()
        sender = threading.Thread(target=produce, args=(target, "logs", 0, count, 0.25))
        sender.start()
        server.until(lambda: len(lines(server)) > 100, 40, f"some records: {server.stderr()}")
        time.sleep(1)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(20)
        assert committed(target) <= len(lines(server)), (committed(target), len(lines(server)))
        server.start()
        time.sleep(1)
        target.kill()
        time.sleep(0.3)
        target.start()
        sender.join()
        server.until(lambda: len(numbers(server)) == count, 90, f"all records: {len(numbers(server))} {server.stderr()[-3000:]}")
        assert numbers(server) == set(range(count))
        server.until(lambda: committed(target) == count, 30, f"the positions: {committed(target)}")
    finally:
        server.close()
        target.close()


@waits_for(20)
def test_two_servers_share_the_partitions(binary):
    """Each of two members reads a part; one is stopped, then killed: the other one reads on, and nothing is lost."""
    target = shared()
    target.topic("pair", 4)
    servers = [Server(binary, reads(target, 'topic("pair" => "-1")', session("pair"))) for _ in range(2)]
    try:
        for server in servers:
            server.start()
        came = lambda server: "Partitions came to this server" in server.stderr()
        Server.until(lambda: all(came(server) for server in servers), 60, "both members: " + servers[1].stderr())
        produce(target, "pair", 0, 4000)
        Server.until(lambda: len(numbers(*servers)) == 4000, 60, f"all records: {len(numbers(*servers))}")
        assert all(lines(server) for server in servers), [len(lines(server)) for server in servers]
        # The second server takes over the partitions of the first, which committed its positions when it stopped: nothing twice.
        servers[0].stop()
        produce(target, "pair", 4000, 8000)
        Server.until(lambda: len(numbers(*servers)) == 8000, 60, f"all records: {len(numbers(*servers))} {servers[1].stderr()}")
        assert sum(len(lines(server)) for server in servers) == 8000
        servers[0].start()
        sender = threading.Thread(target=produce, args=(target, "pair", 8000, 16000, 0.3))
        sender.start()
        time.sleep(2)
        servers[0].process.send_signal(signal.SIGKILL)
        servers[0].process.wait(20)
        sender.join()
        Server.until(lambda: len(numbers(*servers)) == 16000, 60, f"all records: {len(numbers(*servers))} {servers[1].stderr()}")
    finally:
        for server in servers:
            server.close()


@waits_for(20)
def test_positions_wait_for_the_destination(binary):
    """A destination that is away holds the positions, not the membership; when it comes, all arrive and the positions follow."""
    target = shared()
    target.topic("held")
    port = free_port()
    server = Server(binary, reads(target, 'topic("held" => "-1")', session("held"), destination=f'network("127.0.0.1" port({port}) template("$MSG\\n"))'))
    positions = lambda: committed(target, "held", group="held")
    count = 60000
    try:
        produce(target, "held", 0, count)
        server.start()
        read = lambda: count_read(server, "kafka")
        server.until(lambda: read() > 1000, 40, "some records: " + server.stderr())
        # Longer than a member may be silent.
        time.sleep(7)
        assert positions() == 0 and read() < count, (positions(), read())
        assert "Partitions leave" not in server.stderr(), server.stderr()
        got = listen(port)
        server.until(lambda: positions() == count, 60, f"the positions: {positions()} {server.stderr()}")
        # A member that has nothing to read has no fewer records than the positions say.
        server.until(lambda: len(got) == count, 20, f"all records: {len(got)}")
    finally:
        server.close()


@waits_for(13)
def test_what_is_missing_is_said(binary):
    """Brokers that are away, a topic that is not there yet, a protocol that is wrong, records that were deleted before they were read."""
    from confluent_kafka import TopicPartition

    target = Kafka()
    server = Server(binary, reads(target))
    try:
        server.start()
        server.until(lambda: "source s_kafka#0" in server.ctl("healthcheck"), 30, "the outage: " + server.ctl("healthcheck"))
        begin = time.monotonic()
        server.stop()
        assert server.process.returncode == 0 and time.monotonic() - begin < 8, (server.process.returncode, time.monotonic() - begin)
        target.start()
        server.start()
        server.until(lambda: "not available: logs" in server.ctl("healthcheck"), 30, "the missing topic: " + server.ctl("healthcheck") + server.stderr())
        target.topic("logs", 1)
        produce(target, "logs", 0, 10)
        server.until(lambda: len(lines(server)) == 10, 60, f"the records: {server.stderr()}")
        server.until(lambda: "source s_kafka#0" not in server.ctl("healthcheck"), 30, "the end of the trouble: " + server.ctl("healthcheck"))
        server.until(lambda: committed(target, partitions=1) == 10, 20, f"the position: {committed(target, partitions=1)}")
        server.stop()
        produce(target, "logs", 10, 20)
        # The client lives until the answer is there.
        admin, first = target.admin(), TopicPartition("logs", 0, 15)
        admin.delete_records([first])[first].result(30)
        server.start()
        server.until(lambda: len(lines(server)) == 15, 40, f"the records that are left: {server.stderr()}")
        assert numbers(server) == set(range(10)) | set(range(15, 20))
        server.until(lambda: "records are missing" in server.stderr(), 30, "the gap: " + server.stderr())
        server.write_config(reads(target, options='config("security.protocol" => "ssl")'))
        server.ctl("reload")
        server.until(lambda: "source s_kafka#0" in server.ctl("healthcheck"), 30, "the wrong protocol: " + server.ctl("healthcheck"))
    finally:
        server.close()
        target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('topic("a b" => "-1")', "other characters than letters"),
        ('topic("logs" => "0")', "the members of a group share the partitions"),
        ('topic("logs") strategy-hint(assign)', "`strategy-hint(assign)` is not supported"),
        ('topic("logs") persist-store(local)', "`persist-store(local)` is not supported"),
        ('topic("logs") disable-bookmarks(yes)', "`disable-bookmarks(yes)` is not supported"),
        ('topic("logs") config("enable.auto.commit" => "true")', "positions of acknowledged messages are committed"),
        ('topic("logs") config("no.such" => "1")', "`no.such` is refused by librdkafka"),
        ("", "topic"),
    )
    config = "source s {{ kafka(bootstrap-servers(\"h:1\") %s); }};\ndestination d {{ file(\"/x\"); }};\n"
    check_refusals(binary, cases, config)
