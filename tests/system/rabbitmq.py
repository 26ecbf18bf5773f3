"""A RabbitMQ of its own for a test: in a folder, on loopback ports, with an epmd of its own, killed and started at will; pika is the consumer."""

import os
import signal
import subprocess
import sys
import tempfile
import time

from component import Component
from server import Server, free_port
from test_tls import pki

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../target/python"))
import pika

PROGRAMS = "/usr/lib/rabbitmq/bin/"


class RabbitMQ(Component):
    def __init__(self, stomp=False, max_message_size=100000):
        self.holder = tempfile.TemporaryDirectory(prefix="rabbitmq-", dir="/tmp")
        self.folder = self.holder.name
        self.port, self.tls_port, self.epmd_port = free_port(), free_port(), free_port()
        self.pki = self.folder + "/pki"
        pki(self.pki)
        with open(self.folder + "/rabbitmq.conf", "w") as out:
            out.write(f"listeners.tcp.1 = 127.0.0.1:{self.port}\nlisteners.ssl.1 = 127.0.0.1:{self.tls_port}\n"
                      f"ssl_options.cacertfile = {self.pki}/ca.pem\nssl_options.certfile = {self.pki}/server.pem\nssl_options.keyfile = {self.pki}/server.key\n"
                      "ssl_options.verify = verify_peer\nssl_options.fail_if_no_peer_cert = true\n"
                      f"disk_free_limit.absolute = 1MB\nmax_message_size = {max_message_size}\nlog.console = false\n")
        if stomp:
            self.stomp_port, self.stomp_tls_port = free_port(), free_port()
            with open(self.folder + "/rabbitmq.conf", "a") as out:
                out.write(f"stomp.listeners.tcp.1 = 127.0.0.1:{self.stomp_port}\nstomp.listeners.ssl.1 = 127.0.0.1:{self.stomp_tls_port}\n")
            with open(self.folder + "/plugins", "w") as out:
                out.write("[rabbitmq_stomp].\n")
        self.environment = {
            **os.environ, "HOME": self.folder, "RABBITMQ_NODENAME": f"t{self.port}@localhost", "RABBITMQ_CONFIG_FILE": self.folder + "/rabbitmq.conf",
            "RABBITMQ_MNESIA_BASE": self.folder + "/mnesia", "RABBITMQ_LOG_BASE": self.folder + "/logs", "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_ENABLED_PLUGINS_FILE": self.folder + "/plugins", "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(self.epmd_port),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 2:2",
        }
        self.process = None
        self.start()

    def change(self, name, value):
        """A line of the configuration with another value, from the next start."""
        with open(self.folder + "/rabbitmq.conf") as text:
            lines = [f"{name} = {value}" if line.startswith(name + " =") else line for line in text.read().splitlines()]
        with open(self.folder + "/rabbitmq.conf", "w") as out:
            out.write("\n".join(lines) + "\n")

    def start(self):
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen([PROGRAMS + "rabbitmq-server"], stdout=log, stderr=log, env=self.environment, cwd=self.folder, start_new_session=True)
        Server.until(self.answers, 60, "RabbitMQ to answer")

    def answers(self):
        self.check_running()
        try:
            self.connect().close()
        except pika.exceptions.AMQPError:
            time.sleep(0.1)
            return False
        return True

    def connect(self):
        login = pika.PlainCredentials("guest", "guest")
        return pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", self.port, credentials=login, socket_timeout=20))

    def run(self, act):
        """What a function does with a channel."""
        connection = self.connect()
        try:
            return act(connection.channel())
        finally:
            connection.close()

    def queue(self, name, exchange, kind="topic", key="#"):
        """A durable queue that gets what is published to a durable exchange."""
        def make(channel):
            channel.exchange_declare(exchange, kind, durable=True)
            channel.queue_declare(name, durable=True)
            channel.queue_bind(name, exchange, key)
        self.run(make)

    def publish(self, exchange, texts, key="", **properties):
        """Publishes texts, each confirmed by the broker; `properties` are pika's."""
        def send(channel):
            channel.confirm_delivery()
            for text in texts:
                channel.basic_publish(exchange, key, text if isinstance(text, bytes) else text.encode(), pika.BasicProperties(delivery_mode=2, **properties), mandatory=True)
        self.run(send)

    def left(self, name):
        """How many messages of a queue wait for a consumer."""
        return self.run(lambda channel: channel.queue_declare(name, passive=True)).method.message_count

    def take(self, name):
        """All messages of a queue: their routing keys, properties and bodies."""
        def consume(channel):
            found = []
            while True:
                method, properties, body = channel.basic_get(name, auto_ack=True)
                if method is None:
                    return found
                found.append((method.routing_key, properties, body))
        return self.run(consume)

    def ctl(self, *words):
        done = subprocess.run([PROGRAMS + "rabbitmqctl", *words], env=self.environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(20)

    def close(self):
        if self.process.poll() is None:
            self.kill()
        # It leaves its epmd behind, which ends only when it knows that the node has ended.
        is_over = lambda: "Killed" in subprocess.run(["epmd", "-port", str(self.epmd_port), "-kill"], capture_output=True, text=True, timeout=20, env=self.environment).stdout
        try:
            Server.until(is_over, 30, "epmd to end")
        finally:
            self.holder.cleanup()
