"""PostgreSQL, MariaDB, ClickHouse: a table with a column of numbers, which a word does not fit. SQLite: a trigger that refuses words. MongoDB: a
collection with unique keys."""

import contextlib
import os
import sqlite3
import tempfile

from clickhouse_server import Clickhouse
from mariadb import MariaDb
from mongo_server import Mongo
from postgres import Postgres

from stores.store import Store


class PostgresStore(Store):
    name, title = "postgres", "PostgreSQL, sql()"
    refusal, mend_words = "a word for a column of numbers", "the column takes text"

    def make(self):
        return Postgres()

    def prepare(self):
        # The rivals need a table; ours gets the column of the key by itself.
        self.component.sql("CREATE TABLE m (number integer, size integer, host text, message text)")

    def values(self):
        return {"SOCKET": self.component.folder, "SERVER_PORT": self.component.port}

    def stored(self):
        return int(self.component.sql("SELECT count(*) FROM m")[0])

    def census(self):
        return map(int, self.component.sql("SELECT number FROM m"))

    def mend(self):
        self.component.sql("ALTER TABLE m ALTER COLUMN size TYPE text")


class MariaDbStore(Store):
    name, title = "mariadb", "MariaDB, sql()"
    refusal, mend_words = "a word for a column of numbers", "the column takes text"

    def make(self):
        return MariaDb()

    def prepare(self):
        self.component.sql("CREATE TABLE m (number integer, size integer, host text, message text)")

    def values(self):
        return {"SOCKET": self.component.socket, "SERVER_PORT": self.component.port}

    def stored(self):
        return int(self.component.sql("SELECT count(*) FROM m")[0])

    def census(self):
        return map(int, self.component.sql("SELECT number FROM m"))

    def mend(self):
        self.component.sql("ALTER TABLE m MODIFY size text")


class ClickhouseStore(Store):
    name, title = "clickhouse", "ClickHouse, clickhouse()"
    refusal, mend_words = "a word for a column of numbers", "values() says 0"

    def make(self):
        return Clickhouse()

    def prepare(self):
        self.component.ask("CREATE DATABASE logs")
        self.component.ask("CREATE TABLE logs.m (number UInt32, size UInt32, host String, message String, id FixedString(32)) "
                           "ENGINE = ReplacingMergeTree ORDER BY id")

    def values(self):
        return {**super().values(), "SIZE": "$PROGRAM"}

    def values_of_mend(self):
        return {"SIZE": "0"}

    def stored(self):
        return int(self.component.rows("SELECT count() FROM logs.m")[0][0])

    def census(self):
        return map(int, self.component.ask("SELECT number FROM logs.m FINAL FORMAT TSV").split())


class SqliteFile:
    """A database in a file. There is no server that could be killed: instead another program holds the file's lock."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="sqlite-", dir="/tmp")
        self.path = self.holder.name + "/logs.db"
        self.locked = None

    def sql(self, text):
        with contextlib.closing(sqlite3.connect(self.path, timeout=60)) as database, database:
            return database.execute(text).fetchall()

    def kill(self):
        self.locked = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        self.locked.execute("BEGIN EXCLUSIVE")

    def start(self):
        """Without an end of the transaction, as after the end of a program that was killed."""
        self.locked.close()

    def close(self):
        self.holder.cleanup()


class SqliteStore(Store):
    name, title = "sqlite", "SQLite, sql()"
    refusal, mend_words = "a word for a number, by a trigger", "the trigger is removed"
    fault = "the file is locked"

    def make(self):
        return SqliteFile()

    def prepare(self):
        self.component.sql("CREATE TABLE m (number integer, size integer, host text, message text)")
        self.component.sql("CREATE TRIGGER numbers BEFORE INSERT ON m WHEN typeof(NEW.size) <> 'integer' "
                           "BEGIN SELECT RAISE(ABORT, 'size is no number'); END")
        os.chmod(self.component.path, 0o666)

    def values(self):
        return {"PATH": self.component.path}

    def census(self):
        return [number for number, in self.component.sql("SELECT number FROM m")]

    def mend(self):
        self.component.sql("DROP TRIGGER numbers")


class MongoStore(Store):
    name, title = "mongodb", "mongo-java-server, mongodb()"
    refusal, mend_words = "a key that another document has", "the index of unique keys is removed"

    def make(self):
        return Mongo(heap="3g")

    def prepare(self):
        self.component.unique("key")
        with self.component.client() as client:
            client.syslog.messages.insert_one({"key": "large"})

    def stored(self):
        with self.component.client() as client:
            return client.syslog.messages.estimated_document_count() - 1

    def census(self):
        with self.component.client() as client:
            found = client.syslog.messages.find({}, {"number": 1, "_id": 0}, batch_size=10000)
            return [int(document["number"]) for document in found if "number" in document]

    def mend(self):
        self.component.drop_index("key_1")
