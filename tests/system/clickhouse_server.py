"""A ClickHouse server for a test: in a folder, on a loopback port, started and killed at will; tests ask it over HTTP."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

from server import Server, free_port

PROGRAM = shutil.which("clickhouse-server") or "/usr/sbin/clickhouse-server"
PASSWORD = "late-secret"


class Clickhouse:
    def __init__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="clickhouse-", dir="/tmp")
        self.folder = self.holder.name
        self.port = free_port()
        self.process = None
        with open(self.folder + "/config.xml", "w") as out:
            out.write(f"""<yandex>
<logger><level>warning</level><console>1</console></logger>
<http_port>{self.port}</http_port><tcp_port>{free_port()}</tcp_port><interserver_http_port>{free_port()}</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>{self.folder}/data/</path><tmp_path>{self.folder}/tmp/</tmp_path>
<user_files_path>{self.folder}/files/</user_files_path><mark_cache_size>5242880</mark_cache_size>
<users_config>{self.folder}/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
</yandex>""")
        user = lambda name, password, profile, more="": f"<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>{profile}</profile><quota>default</quota>{more}</{name}>"
        with open(self.folder + "/users.xml", "w") as out:
            out.write(f"""<yandex><profiles><default></default><reader><readonly>2</readonly></reader></profiles><quotas><default></default></quotas>
<users>{user("default", "", "default")}{user("writer", PASSWORD, "default")}{user("reader", PASSWORD, "reader")}</users></yandex>""")
        for name in ("data", "tmp", "files"):
            os.mkdir(f"{self.folder}/{name}")
        self.start()

    def start(self):
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen([PROGRAM, f"--config-file={self.folder}/config.xml"], stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 30, "ClickHouse to answer")

    def answers(self):
        if self.process.poll() is not None:
            with open(self.folder + "/log", errors="replace") as text:
                raise AssertionError("ClickHouse ended:\n" + text.read()[-4000:])
        try:
            return self.ask("SELECT 1") == "1\n"
        except OSError:
            return False

    def ask(self, statement):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", statement.encode(), timeout=30) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{statement}: {error.read().decode(errors='replace')}") from error

    def rows(self, query):
        """The rows of a query, each a list."""
        return json.loads(self.ask(query + " FORMAT JSONCompact"))["data"]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self.holder.cleanup()
