"""kafka(): a broker that is killed, refuses records, goes away and comes back; every record once, refusals kept, no topic by chance."""

import functools
import os
import random
import signal
import socket
import subprocess
import threading
import time

import destination
from destination import HEAD, check_refusals, counters, dead, send
from kafka_broker import Kafka, shared
from server import Server, waits_for
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.kafka")


def kafka(target, options, port=None):
    return HEAD + 'destination d_kafka {{ kafka(bootstrap-servers("localhost:%d") %s); }};\nlog {{ source(s_net); destination(d_kafka); flags(flow-control); }};\n' % (port or target.port, options)


def feed(server, count, pause=0.0):
    """Numbered messages, one in a hundred of them long."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
        for number in range(count):
            more = " " + "x" * 3000 if number % 100 == 7 else ""
            peer.sendall(f"<13>1 2007-04-22T10:00:00Z web{number % 50} app 17 - - {number}{more}\n".encode())
            if number % 500 == 0:
                time.sleep(pause)


BUFFER = 'disk-buffer(capacity-bytes(64M) reliable(yes))'


@waits_for(80)
def test_a_broker_that_is_killed_and_refuses_stores_every_record_once(binary):
    """20,000 messages while the broker is killed four times and refuses one in a hundred: stored = sent - dead letters, none twice."""
    target = Kafka().start()
    target.topic("logs", max_message_bytes=2000)
    options = 'topic("logs") key("$HOST") message("$MSG") batch-lines(500) config("batch.size" => "1800") ' + BUFFER
    server = Server(binary, kafka(target, options))
    count = 20000
    try:
        server.start()
        sender = threading.Thread(target=feed, args=(server, count, 0.4))
        sender.start()
        for _ in range(4):
            time.sleep(2)
            target.kill()
            time.sleep(0.3)
            target.start()
        sender.join()
        found = settled(server, count, 300)
        assert (found["dead"], found["queued"], found["written"]) == (count // 100, 0, count - count // 100), found
        records = target.records("logs")
        texts = [text for _, _, text in records]
        assert len(texts) == len(set(texts)) == count - count // 100, (len(texts), len(set(texts)))
        assert set(texts) == {str(number) for number in range(count) if number % 100 != 7}
        assert len({(partition, key) for partition, key, _ in records}) == 50, "equal keys are in one partition"
        assert "too-large" in dead(server, "cat", "d_kafka#0")
        # The topic is mended, and the dead letters are sent again.
        target.change("logs", max_message_bytes=1000000)
        dead(server, "replay", "d_kafka#0")
        server.until(lambda: counters(server, "dst.kafka")["written"] >= count, 60, f"the dead letters: {counters(server, 'dst.kafka')}")
        texts = [text.split()[0] for text in target.texts("logs")]
        assert len(texts) == len(set(texts)) == count, (len(texts), len(set(texts)))
    finally:
        server.close()
        target.close()


def test_a_large_record_changes_no_order_and_a_raised_limit_is_noticed(binary):
    """The producer makes no batch that is larger than the topic takes, so a broker refuses none for the sake of one record."""
    target = shared()
    target.topic("large", max_message_bytes=2000)
    server = Server(binary, kafka(target, 'topic("large") key("$HOST") message("$MSG") batch-lines(2000)'))
    large = lambda number: number % 100 == 7
    text = lambda number: f"{number} {'x' * 3000}" if large(number) else str(number)
    try:
        server.start()
        send(server, [(f"web{number % 5}", text(number)) for number in range(10000)])
        found = settled(server, 10000, 60)
        assert (found["dead"], found["written"]) == (100, 9900), found
        by_key = {}
        for partition, key, value in target.records("large"):
            by_key.setdefault((partition, key), []).append(int(value))
        assert len(by_key) == 5 and all(numbers == sorted(set(numbers)) for numbers in by_key.values()), {key: len(of) for key, of in by_key.items()}
        assert sorted(sum(by_key.values(), [])) == [number for number in range(10000) if not large(number)]
        assert "max.message.bytes" in dead(server, "cat", "d_kafka#0")
        # What was known of the topic is asked for again.
        target.change("large", max_message_bytes=100000)
        send(server, [("web1", text(7))])
        server.until(lambda: counters(server, "dst.kafka")["written"] >= 9901, 30, f"the large record: {counters(server, 'dst.kafka')}")
    finally:
        server.close()


def test_after_a_crash_of_ours_nothing_is_lost(binary):
    """What the queue had not recorded as delivered is sent again."""
    target = shared()
    target.topic("crash")
    server = Server(binary, kafka(target, 'topic("crash") message("$MSG") batch-lines(500) ' + BUFFER))
    count = 20000
    try:
        server.start()
        sender = threading.Thread(target=feed, args=(server, count, 0.02))
        sender.start()
        # Only what the queue has in its files counts: the last message is there before the crash.
        sender.join()
        last = f"app 17 - - {count - 1}"
        server.until(lambda: server.keeps(last), 60, "all to be in the queue")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(20)
        server.start()
        server.until(lambda: counters(server, "dst.kafka").get("queued", 1) == 0, 120, "an empty queue")
        assert len({text.split()[0] for text in target.texts("crash")}) == count
        found = counters(server, "dst.kafka")
        assert (found["dead"], found["dropped"]) == (0, 0), found
    finally:
        server.close()


@waits_for(35)
def test_transactions_bring_every_record_once_whatever_is_killed(binary):
    """The server is killed in the midst of its transactions, and the broker as well: readers of what is committed see each message once."""
    target = Kafka()
    options = 'topic("logs") message("$MSG") batch-lines(20) sync-send(yes) persist-name("collector") ' + BUFFER
    server = Server(binary, kafka(target, options))
    count, chance = 5000, random.Random(7)
    try:
        server.start(logs_in=False)
        feed(server, count)
        last = f"app 17 - - {count - 1}"
        server.until(lambda: server.keeps(last), 60, "all to be in the queue")
        target.start()
        target.topic("logs")
        stored = 0
        for _ in range(4):
            server.until(lambda: target.end("logs") >= stored + 100, 60, f"some transactions: {counters(server, 'dst.kafka')}\n{server.stderr()}")
            time.sleep(chance.uniform(0, 0.2))
            stored = target.end("logs")
            server.stop(signal.SIGKILL)
            server.start(logs_in=False)
        server.until(lambda: target.end("logs") >= stored + 100, 60, f"more transactions: {counters(server, 'dst.kafka')}")
        assert target.end("logs") < count, "the broker is killed in the midst of it"
        target.kill()
        target.start()
        server.until(lambda: counters(server, "dst.kafka").get("queued", 1) == 0, 120, f"an empty queue: {counters(server, 'dst.kafka')}\n{server.stderr()}")
        found = counters(server, "dst.kafka")
        assert (found["dead"], found["dropped"]) == (0, 0), found
        texts = [text.split()[0] for text in target.texts("logs")]
        assert len(texts) == len(set(texts)) == count, (len(texts), len(set(texts)))
    finally:
        server.close()
        target.close()


def test_transactions_that_brokers_refuse_wait_and_show(binary):
    """A time that is too long for the broker, another producer with the same id, a record that is too large: nothing is lost or doubled."""
    from confluent_kafka import Producer

    target = shared()
    target.topic("refused", max_message_bytes=2000)
    options = 'topic("refused") message("$MSG") sync-send(yes) persist-name("collector") '
    server = Server(binary, kafka(target, options))
    try:
        server.start()
        send(server, [("web", str(number)) for number in range(100)])
        held = lambda: "(schema)" in server.ctl("healthcheck") and "transactions of collector" in server.ctl("healthcheck")
        server.until(held, 30, "the refusal to show: " + server.ctl("healthcheck") + server.stderr())
        server.write_config(kafka(target, options + 'config("transaction.timeout.ms" => "20000")'))
        server.ctl("reload")
        assert settled(server, 100)["written"] == 100
        thief = Producer({"bootstrap.servers": f"127.0.0.1:{target.port}", "transactional.id": "collector", "transaction.timeout.ms": 20000})
        thief.init_transactions(30)
        send(server, [("web", f"{number} {'x' * 3000}" if number == 150 else str(number)) for number in range(100, 200)])
        found = settled(server, 200)
        assert (found["written"], found["dead"], found["queued"]) == (199, 1, 0), found
        assert "too-large" in dead(server, "cat", "d_kafka#0")
        assert "another producer has the transactional.id collector" in server.stderr(), server.stderr()
        texts = target.texts("refused")
        assert sorted(map(int, texts)) == [number for number in range(200) if number != 150], texts
    finally:
        server.close()


@waits_for(20)
def test_a_broker_that_is_away_at_the_start_gets_everything(binary):
    target = Kafka()
    server = Server(binary, kafka(target, 'topic("logs") message("$MSG")') + 'destination d_file {{ file("{folder}/out"); }};\nlog {{ source(s_net); destination(d_file); }};\n')
    try:
        server.start()
        send(server, [("web", str(number)) for number in range(1000)])
        written = lambda: os.path.exists(server.folder + "/out") and sum(1 for _ in open(server.folder + "/out")) == 1000
        server.until(written, 20, "the file beside it")
        shown = lambda: "Error writing to a destination" in server.stderr() and ("brokers are down" in server.stderr() or "Connection refused" in server.stderr())
        server.until(shown, 30, "the outage to show: " + server.stderr())
        target.start()
        # The topic is missing: its messages wait.
        server.until(lambda: "(schema)" in server.ctl("healthcheck"), 60, "the missing topic to show: " + server.ctl("healthcheck") + server.stderr())
        target.topic("logs")
        assert settled(server, 1000)["written"] == 1000
        assert sorted(map(int, target.texts("logs"))) == list(range(1000))
    finally:
        server.close()
        target.close()


@waits_for(8)
def test_a_stop_does_not_wait_for_a_dead_broker(binary):
    target = Kafka()
    server = Server(binary, kafka(target, 'topic("logs") message("$MSG") ' + BUFFER))
    try:
        server.start()
        send(server, [("web", str(number)) for number in range(100)])
        server.until(lambda: counters(server, "dst.kafka").get("processed", 0) == 100, 20, "all to be received")
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(20)
        assert server.process.returncode == 0 and time.monotonic() - begin < 8, (server.process.returncode, time.monotonic() - begin)
        target.start()
        target.topic("logs")
        server.start()
        server.until(lambda: len(target.texts("logs")) >= 100, 60, "what waited: " + server.ctl("healthcheck"))
        assert sorted(map(int, target.texts("logs"))) == list(range(100))
    finally:
        server.close()
        target.close()


def test_no_message_makes_a_topic_of_its_own(binary):
    target = shared()
    target.topic("log-good")
    target.topic("rest")
    hostile = ["a b", "../etc", "..", "log,good", "log\u00e4", "x" * 300, "__consumer_offsets", "a\x01b"]
    for fallback, want in (('fallback-topic("rest")', (len(hostile) + 1, 0)), ("", (1, len(hostile)))):
        server = Server(binary, kafka(target, 'topic("$MSG") message("$HOST") ' + fallback))
        try:
            server.start()
            send(server, [("web", text) for text in hostile] + [("web", "log-good")])
            found = settled(server, len(hostile) + 1)
            assert (found["written"], found["dead"]) == want, (found, dead(server, "cat", "d_kafka#0"))
        finally:
            server.close()
    names = set(target.admin().list_topics(timeout=30).topics)
    assert (target.texts("log-good"), target.texts("rest")) == (["web"] * 2, ["web"] * len(hostile))
    # Those of Kafka itself, which the tests with groups and transactions have caused.
    assert names - target.made <= {"__consumer_offsets", "__transaction_state"}, names


@waits_for(9)
def test_a_missing_topic_holds_its_own_messages_only(binary):
    target = shared()
    target.topic("there")
    server = Server(binary, kafka(target, 'topic("$HOST") message("$MSG")'))
    try:
        server.start()
        send(server, [("away" if number % 2 else "there", str(number)) for number in range(1000)])
        settled(server, 500)
        server.until(lambda: "away (schema)" in server.ctl("healthcheck"), 30, "the missing topic: " + server.ctl("healthcheck"))
        target.topic("away")
        assert settled(server, 1000)["written"] == 1000
        assert len(target.texts("there")) == len(target.texts("away")) == 500
    finally:
        server.close()


@waits_for(8)
def test_the_certificate_of_the_broker_is_checked(binary):
    holder = Kafka(encrypted=True)
    folder = holder.folder + "/pki"
    pki(folder)
    pki(holder.folder + "/other")
    with open(folder + "/all.pem", "w") as out:
        subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", folder + "/server.key"], stdout=out, check=True)
        out.flush()
        out.write(open(folder + "/server.pem").read())
    with open(holder.folder + "/settings", "a") as out:
        out.write(f"ssl.keystore.type=PEM\nssl.keystore.location={folder}/all.pem\nssl.truststore.type=PEM\nssl.truststore.location={folder}/ca.pem\nssl.client.auth=required\n")
    options = 'topic("logs") message("$MSG") config("security.protocol" => "ssl" "ssl.ca.location" => "%s/ca.pem" "ssl.certificate.location" => "' + folder + '/client.pem" "ssl.key.location" => "' + folder + '/client.key")'
    server = Server(binary, kafka(holder, options % (holder.folder + "/other"), holder.encrypted))
    try:
        holder.start()
        holder.topic("logs")
        server.start()
        send(server, [("web", "one")])
        server.until(lambda: "(credentials)" in server.ctl("healthcheck") and "certificate" in server.ctl("healthcheck"), 30, "the unknown CA: " + server.ctl("healthcheck") + server.stderr())
        server.write_config(kafka(holder, options % folder, holder.encrypted))
        server.ctl("reload")
        assert settled(server, 1)["written"] == 1
        assert holder.texts("logs") == ["one"]
    finally:
        server.close()
        holder.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('kafka(bootstrap-servers("h:1") topic("a b"));', "other characters than letters"),
        ('kafka(bootstrap-servers("h:1") topic("$HOST") fallback-topic("__x"));', "begins with __"),
        ('kafka(bootstrap-servers("h:1") topic("t") config("transactional.id" => "x"));', "has no effect without transactions"),
        ('kafka(bootstrap-servers("h:1") topic("t") sync-send(yes) config("enable.idempotence" => "false"));', "transactions need it"),
        ('kafka(bootstrap-servers("h:1") topic("t") sync-send(yes)); kafka(bootstrap-servers("h:1") topic("t") sync-send(yes));', "two destinations have the transactional id"),
        ('kafka(bootstrap-servers("h:1") topic("t") config("acks" => "0"));', "without acknowledgements"),
        ('kafka(bootstrap-servers("h:1") topic("t") config(acks("1")));', "`enable.idempotence` needs acknowledgements of all"),
        ('kafka(bootstrap-servers("h:1") topic("t") config("no.such" => "1"));', "`no.such` is refused by librdkafka"),
        ('kafka(bootstrap-servers("h:1") topic("t") config("plugin.library.paths" => "/tmp/x.so"));', "the server loads no libraries"),
        ('kafka(bootstrap-servers("") topic("t"));', "names no broker"),
        ('kafka(topic("t"));', "bootstrap-servers"),
        ("kafka-java(topic(\"t\"));", "needs `bootstrap-servers()`"),
    )
    check_refusals(binary, cases)
