"""All rows, in the order of the tables."""

from stores.brokers import AmqpStore, KafkaStore, MqttStore, NatsStore, RedisStore, StompStore
from stores.databases import ClickhouseStore, MariaDbStore, MongoStore, PostgresStore, SqliteStore
from stores.others import HdfsStore, OpenSearchStore, S3Store, ZabbixStore

STORES = {store.name: store for store in (
    PostgresStore, MariaDbStore, SqliteStore, ClickhouseStore, MongoStore, OpenSearchStore, RedisStore, KafkaStore, NatsStore, AmqpStore, StompStore, MqttStore,
    S3Store, HdfsStore, ZabbixStore)}
