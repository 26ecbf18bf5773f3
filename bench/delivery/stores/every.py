"""All rows, in the order of the tables."""

from stores.brokers import AmqpStore, KafkaStore, MqttStore, NatsStore, RedisStore, StompStore
from stores.databases import ClickhouseStore, MariaDbStore, MongoStore, PostgresStore
from stores.others import OpenSearchStore, S3Store

STORES = {store.name: store for store in (
    PostgresStore, MariaDbStore, ClickhouseStore, MongoStore, OpenSearchStore, RedisStore, KafkaStore, NatsStore, AmqpStore, StompStore, MqttStore, S3Store)}
