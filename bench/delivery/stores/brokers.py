"""Redis, Kafka, NATS, RabbitMQ, Mosquitto: lists, topics, streams and queues."""

import json
import socket
import time

from kafka_broker import Kafka
from mosquitto import Mosquitto
from nats_server import Nats
from rabbitmq import RabbitMQ
from redis_server import Redis

from stores.store import Store
from traffic import TEXT

# Longer than a topic or a stream takes until it is mended. Kafka's limit is one for batches of records, which the configurations keep smaller.
LIMIT, BATCH = 16384, 15000
PARTITIONS = 2
LONG = {"text": TEXT + " " + "x" * 20000}


class RedisStore(Store):
    name, title = "redis", "Redis, redis(), RPUSH"
    has_key = False
    refusal, mend_words = "a list whose name is that of a text", "the text is removed"

    def make(self):
        # What it has acknowledged is in the page cache, which survives the process. With `everysec` it puts writes off while a sync is slow,
        # and a kill then loses what it has acknowledged.
        return Redis("--appendonly", "yes", "--appendfsync", "no")

    def prepare(self):
        self.component.cli("SET", "large", "a text")

    def lists(self):
        return [key for key in ("5", "large") if self.component.cli("TYPE", key) == "list"]

    def stored(self):
        return sum(int(self.component.cli("LLEN", key)) for key in self.lists())

    def census(self):
        return [int(line.split(" ", 1)[0]) for key in self.lists() for line in self.component.lines("LRANGE", key, "0", "-1")]

    def mend(self):
        self.component.cli("DEL", "large")


class KafkaStore(Store):
    name, title = "kafka", "Kafka, kafka()"
    refused = LONG
    refusal, mend_words = "a record that is too large for the topic", "the topic takes larger ones"

    def make(self):
        self.watcher, self.seen = None, 0
        return Kafka().start()

    def prepare(self):
        self.component.topic("logs", partitions=PARTITIONS, max_message_bytes=LIMIT)

    def values(self):
        return {**super().values(), "BATCH": BATCH}

    def reader(self):
        from confluent_kafka import Consumer

        return Consumer({"bootstrap.servers": f"127.0.0.1:{self.component.port}", "group.id": "bench", "enable.auto.commit": False,
                         "enable.partition.eof": True, "log_level": 0})

    def ends(self, reader):
        from confluent_kafka import TopicPartition

        return {number: reader.get_watermark_offsets(TopicPartition("logs", number, 0), 30)[1] for number in range(PARTITIONS)}

    def stored(self):
        from confluent_kafka import KafkaException

        self.watcher = self.watcher or self.reader()
        try:
            self.seen = sum(self.ends(self.watcher).values())
        except KafkaException:
            pass  # the broker has just been started
        return self.seen

    def census(self):
        from confluent_kafka import KafkaError, TopicPartition

        reader, found = self.reader(), []
        try:
            reader.assign([TopicPartition("logs", number, 0) for number in range(PARTITIONS)])
            left = PARTITIONS
            while left:
                records = reader.consume(10000, 30)
                assert records, f"no record for half a minute after {len(found)}"
                ended = [record for record in records if record.error() and record.error().code() == KafkaError._PARTITION_EOF]
                left -= len(ended)
                found += [int(record.value().split(b" ", 1)[0]) for record in records if not record.error()]
        finally:
            reader.close()
        return found

    def mend(self):
        self.component.change("logs", max_message_bytes=1000000)


class NatsStore(Store):
    name, title = "nats", "NATS JetStream, nats()"
    refused = LONG
    refusal, mend_words = "a message that is too large for the stream", "the stream takes larger ones"
    stream = {"name": "LOGS", "subjects": ["log.>"], "storage": "file", "duplicate_window": 3600 * 10**9}

    def make(self):
        # It would close the connection of a reader that is slower than it is: of the census.
        return Nats("max_pending: 2000000000")

    def prepare(self):
        self.component.stream(self.stream["name"], self.stream["subjects"], max_msg_size=LIMIT, duplicate_window=self.stream["duplicate_window"])

    def stored(self):
        return self.component.stored("LOGS")

    def census(self):
        count, found = self.stored(), []
        with socket.create_connection(("127.0.0.1", self.component.port), timeout=60) as peer, peer.makefile("rb", 1 << 20) as lines:
            lines.readline()
            config = json.dumps({"stream_name": "LOGS", "config": {"deliver_subject": "census", "ack_policy": "none", "deliver_policy": "all"}})
            peer.sendall(f'CONNECT {{"verbose": false, "headers": true}}\r\nSUB census 1\r\nSUB made 2\r\n'
                         f"PUB $JS.API.CONSUMER.CREATE.LOGS made {len(config)}\r\n{config}\r\n".encode())
            while len(found) < count:
                line = lines.readline()
                assert line, f"the server closed the connection after {len(found)} of {count} messages"
                if line.startswith(b"PING"):
                    peer.sendall(b"PONG\r\n")
                elif (words := line.split())[0] in (b"MSG", b"HMSG") and words[2] == b"1":
                    data = lines.read(int(words[-1]) + 2)
                    found.append(int(data[int(words[-2]) if line.startswith(b"HMSG") else 0:].split(b" ", 1)[0]))
                elif words[0] == b"MSG":
                    made = lines.read(int(words[-1]) + 2)
                    assert b"error" not in made, made
                else:
                    assert line.startswith((b"+OK", b"PONG", b"INFO")), line
        return found

    def mend(self):
        changed = self.component.ask("$JS.API.STREAM.UPDATE.LOGS", json.dumps({**self.stream, "max_msg_size": 1000000}))
        assert "error" not in changed, changed


class AmqpStore(Store):
    name, title = "amqp", "RabbitMQ, amqp()"
    has_key = False
    refusal, mend_words = "a routing key without a queue", "the queue is bound to it"

    def make(self):
        self.taken = []
        return RabbitMQ()

    def prepare(self):
        self.component.queue("q", "logs", "direct", "5")
        # It writes a new binding to the disk two seconds later.
        time.sleep(2.5)

    def stored(self):
        return len(self.taken) + self.component.left("q")

    def census(self):
        """Takes what is in the queue, and adds it to what was taken before."""
        def consume(channel):
            channel.basic_qos(prefetch_count=5000)
            tag = None
            for method, _, body in channel.consume("q", inactivity_timeout=1):
                if method is None:
                    if self.component.left("q") == 0:
                        break
                    continue
                self.taken.append(int(body.split(b" ", 1)[0]))
                tag = method.delivery_tag
                if tag % 2000 == 0:
                    channel.basic_ack(tag, multiple=True)
            if tag and tag % 2000:
                channel.basic_ack(tag, multiple=True)
            channel.cancel()
        if self.component.left("q"):
            self.component.run(consume)
        return self.taken

    def mend(self):
        self.component.run(lambda channel: channel.queue_bind("q", "logs", "large"))


class StompStore(AmqpStore):
    name, title = "stomp", "RabbitMQ, stomp(), a receipt for each"
    refused = LONG
    refusal, mend_words = "a message that is too large for the broker", "it is started again with a higher limit"

    def make(self):
        self.taken = []
        return RabbitMQ(stomp=True, max_message_size=LIMIT)

    def prepare(self):
        self.component.queue("q", "logs")
        # It writes a new queue to the disk two seconds later.
        time.sleep(2.5)

    def values(self):
        return {"SERVER_PORT": self.component.stomp_port}

    def mend(self):
        self.component.change("max_message_size", 1000000)
        self.component.kill()
        self.component.start()


class MqttStore(Store):
    name, title = "mqtt", "Mosquitto, mqtt(), QoS 1"
    has_key = False
    refused = {"program": "la+rge"}
    refusal, mend_words = "a name that no topic has", "fallback-topic() is configured"
    # What it has not written yet is lost when it is killed, acknowledged or not.
    fault = "stop"

    def make(self):
        self.read = self.lines = 0
        broker = Mosquitto()
        broker.listen()
        return broker

    def kill(self):
        self.component.stop()

    def values(self):
        return {**super().values(), "FALLBACK": ""}

    def values_of_mend(self):
        return {"FALLBACK": 'fallback-topic("odd")'}

    def stored(self):
        """The lines that the subscriber has written since it was asked last are added to those before."""
        with open(self.component.folder + "/heard", "rb") as text:
            text.seek(self.read)
            data = text.read()
        self.read += len(data)
        self.lines += data.count(b"\n")
        return self.lines

    def census(self):
        return [int(line.split(" ", 2)[1]) for line in self.component.heard()]
