"""PostgreSQL, MariaDB, ClickHouse: a table with a column of numbers, which a word does not fit. MongoDB: a collection with unique keys."""

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
