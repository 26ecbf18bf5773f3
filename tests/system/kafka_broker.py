"""A Kafka of its own for a test: one broker that is its own controller, in a folder, started and killed at will; and one for all tests that leave
it as it is."""

import atexit
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from component import Component
from server import Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../target/python"))
JARS = os.path.join(HERE, "../../target/kafka")

SETTINGS = """process.roles=broker,controller
node.id=1
listeners=CONTROLLER://127.0.0.1:{controller},{listeners}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={folder}/data
num.partitions=2
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
log.cleaner.dedupe.buffer.size=4194304
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
{more}
"""
# The folder of a broker before its first start, which is the same for all; and the broker of all tests.
FORMATTED, SHARED = [], []
FORMATTING, SHARING = threading.Lock(), threading.Lock()


def shared():
    """A broker for the tests that only use topics and groups of their own. Its transactions last 30 s at most."""
    with SHARING:
        if not SHARED:
            SHARED.append(Kafka(more="transaction.max.timeout.ms=30000").start())
            atexit.register(SHARED[0].close)
        SHARED[0].check_running()
    return SHARED[0]


class Kafka(Component):
    def __init__(self, more="", encrypted=False):
        jars = glob.glob(JARS + "/**/*.jar", recursive=True)
        assert jars, "no Kafka: tools/install.sh test"
        self.holder = tempfile.TemporaryDirectory(prefix="kafka-", dir="/tmp")
        self.folder, self.port, self.process = self.holder.name, free_port(), None
        self.encrypted = free_port() if encrypted else None
        listeners = f"PLAINTEXT://127.0.0.1:{self.port}" + (f",SSL://localhost:{self.encrypted}" if encrypted else "")
        self.classes = ":".join([self.folder, *jars])
        with open(self.folder + "/settings", "w") as out:
            out.write(SETTINGS.format(controller=free_port(), listeners=listeners, folder=self.folder, more=more))
        with open(self.folder + "/log4j2.properties", "w") as out:
            out.write("status=error\nappender.c.type=Console\nappender.c.name=c\nappender.c.layout.type=PatternLayout\n"
                      "appender.c.layout.pattern=%d %p %c{1} %m%n\nrootLogger.level=warn\nrootLogger.appenderRef.c.ref=c\n")
        self.made = set()
        self.format()

    def format(self):
        """Makes the folder that a broker needs: by Kafka's own tool, once for all."""
        with FORMATTING:
            if not FORMATTED:
                self.java("kafka.tools.StorageTool", "format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c", self.folder + "/settings").wait(60)
                FORMATTED.append(tempfile.TemporaryDirectory(prefix="kafka-formatted-"))
                shutil.copytree(self.folder + "/data", FORMATTED[0].name + "/data")
        shutil.copytree(FORMATTED[0].name + "/data", self.folder + "/data", dirs_exist_ok=True)

    def java(self, *words):
        # The compiler of the best code takes longer than it saves here.
        command = ["java", "-Xms192m", "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", self.classes, *words]
        with open(self.folder + "/log", "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def start(self):
        self.process = self.java("kafka.Kafka", self.folder + "/settings")
        Server.until(self.answers, 90, f"Kafka to answer: {self.log()}")
        return self

    def answers(self):
        self.check_running()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            return True
        except OSError:
            return False

    def admin(self):
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": f"127.0.0.1:{self.port}"})

    def topic(self, name, partitions=2, **settings):
        """Makes a topic. The client lives until the answer is there."""
        from confluent_kafka.admin import NewTopic

        settings = {key.replace("_", "."): str(value) for key, value in settings.items()}
        admin = self.admin()
        self.made.add(name)
        admin.create_topics([NewTopic(name, num_partitions=partitions, replication_factor=1, config=settings)])[name].result(30)

    def change(self, name, **settings):
        """Changes settings of a topic."""
        from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource

        entries = [ConfigEntry(key.replace("_", "."), str(value), incremental_operation=AlterConfigOpType.SET) for key, value in settings.items()]
        resource = ConfigResource(ConfigResource.Type.TOPIC, name, incremental_configs=entries)
        admin = self.admin()
        admin.incremental_alter_configs([resource])[resource].result(30)

    def end(self, name):
        """The number of records that were written to a topic, with those of transactions that do not count."""
        from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

        reader = Consumer({"bootstrap.servers": f"127.0.0.1:{self.port}", "group.id": "test", "isolation.level": "read_uncommitted"})
        deadline = time.monotonic() + 30
        try:
            while True:
                try:
                    partitions = reader.list_topics(name, 30).topics[name].partitions
                    return sum(reader.get_watermark_offsets(TopicPartition(name, number), 30)[1] for number in partitions)
                except KafkaException as error:
                    # A topic that was just made has no leader yet.
                    starting = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART)
                    if error.args[0].code() not in starting or time.monotonic() > deadline:
                        raise
                time.sleep(0.1)
        finally:
            reader.close()

    def records(self, name, isolation="read_committed"):
        """All records of a topic: (partition, key, text)."""
        from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

        settings = {"group.id": "test", "enable.auto.commit": False, "enable.partition.eof": True, "isolation.level": isolation}
        reader = Consumer({"bootstrap.servers": f"127.0.0.1:{self.port}", **settings})
        try:
            partitions = list(reader.list_topics(name, 30).topics[name].partitions)
            reader.assign([TopicPartition(name, number, 0) for number in partitions])
            found, done = [], set()
            while len(done) < len(partitions):
                record = reader.poll(30)
                assert record is not None, (name, partitions, done, len(found))
                if record.error() and record.error().code() == KafkaError._PARTITION_EOF:
                    done.add(record.partition())
                elif record.error():
                    raise KafkaException(record.error())
                else:
                    found.append((record.partition(), record.key(), record.value().decode(errors="replace")))
            return found
        finally:
            reader.close()

    def texts(self, name):
        return [text for _, _, text in self.records(name)]
