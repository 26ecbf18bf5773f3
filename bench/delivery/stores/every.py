"""All rows, in the order of the tables."""

from stores.brokers import AmqpStore, KafkaStore, MqttStore, NatsStore, RedisStore
from stores.databases import ClickhouseStore, MariaDbStore, PostgresStore
from stores.others import OpenSearchStore, S3Store

STORES = {store.name: store for store in (
    PostgresStore, MariaDbStore, ClickhouseStore, OpenSearchStore, RedisStore, KafkaStore, NatsStore, AmqpStore, MqttStore, S3Store)}
