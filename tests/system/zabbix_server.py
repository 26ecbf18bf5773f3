"""A Zabbix server for a test: on a PostgreSQL of its own, with the hosts and items that a test names."""

import gzip
import os
import random
import signal
import socket
import subprocess

from component import Component
from postgres import Postgres
from server import Server

PROGRAM = "/usr/sbin/zabbix_server"
SCHEMA = "/usr/share/zabbix-server-pgsql/schema.sql.gz"
# As few processes as it starts with.
CONFIG = """ListenPort={port}
ListenIP=127.0.0.1
LogType=console
DBHost={folder}
DBName=postgres
DBUser=test
SocketDir={folder}
PidFile={folder}/zabbix.pid
AllowRoot=1
CacheUpdateFrequency=1
StartTrappers=2
StartDBSyncers=1
StartPreprocessors=1
StartPollers=0
StartPollersUnreachable=0
StartPingers=0
StartDiscoverers=0
StartHTTPPollers=0
StartODBCPollers=0
StartHistoryPollers=0
StartAlerters=1
StartEscalators=1
StartTimers=1
StartLLDProcessors=1
"""
ROWS = """INSERT INTO role (roleid, name, type, readonly) VALUES (3, 'Super admin role', 3, 1);
INSERT INTO users (userid, username, passwd, roleid) VALUES (1, 'Admin', 'none', 3);
INSERT INTO usrgrp (usrgrpid, name) VALUES (7, 'Administrators');
INSERT INTO hstgrp (groupid, name, internal) VALUES (1, 'group', 0);
INSERT INTO config (configid, alert_usrgrpid, discovery_groupid, dbversion_status) VALUES (1, 7, 1, '');
"""


def free_low_port():
    """A free port below 32768, which is the highest that Zabbix takes."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port


class Zabbix(Component):
    def __init__(self, hosts, items):
        """`items` are pairs of a key and the type of its values: 3 for whole numbers, 4 for text. Each host has all of them."""
        self.database = Postgres()
        self.folder, self.holder = self.database.folder, self.database.holder
        self.port = free_low_port()
        with gzip.open(SCHEMA, "rt") as schema:
            # Without indexes and references, which take most of the time: nobody asks this database for much.
            rows = [line for line in schema if not line.startswith(("CREATE INDEX", "CREATE UNIQUE INDEX", "ALTER TABLE"))] + [ROWS]
        for number, host in enumerate(hosts, 1):
            rows.append(f"INSERT INTO hosts (hostid, host, name) VALUES ({number}, '{host}', '{host}'); INSERT INTO hosts_groups VALUES ({number}, {number}, 1);\n")
            for place, (key, kind) in enumerate(items):
                item = number * 100 + place
                # Of the type "Zabbix trapper", kept for longer than the times of the tests are old.
                rows.append(f"INSERT INTO items (itemid, type, hostid, name, key_, delay, history, trends, value_type, params, description, posts, headers) "
                            f"VALUES ({item}, 2, {number}, '{key}', '{key}', '0', '9000d', '0', {kind}, '', '', '', ''); INSERT INTO item_rtdata (itemid) VALUES ({item});\n")
        self.load("".join(rows))
        with open(self.folder + "/zabbix.conf", "w") as out:
            out.write(CONFIG.format(port=self.port, folder=self.folder))
        self.start()

    def load(self, text):
        command = ["psql", "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "test", "-d", "postgres"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr

    def start(self):
        assert os.path.exists(PROGRAM), "no Zabbix: tools/install.sh test"
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen([PROGRAM, "-f", "-c", self.folder + "/zabbix.conf"], stdout=log, stderr=log, cwd=self.folder, start_new_session=True)
        Server.until(self.answers, 60, "Zabbix to answer")

    def answers(self):
        self.check_running()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        """Ends all its processes at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(20)

    def values(self, table="history_text"):
        """Host, key, time, nanoseconds and value of what is stored."""
        return self.database.sql(f"SELECT h.host, i.key_, v.clock, v.ns, v.value FROM {table} v JOIN items i USING (itemid) JOIN hosts h USING (hostid) ORDER BY 1, 2, 3, 4")

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        self.database.close()
