//! Other people's systems that speak a protocol of their own, as destinations: one folder each.
//!
//! In: the options of a system. Out: receivers for [`delivery`], which has the queue, the retries and the dead
//! letters. Holds: nothing shared. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `amqp` | `amqp()`: publications to a broker such as RabbitMQ |
//! | `collectd` | `collectd()`: values for collectd, over its unix socket |
//! | `kafka` | `kafka()`: records in topics, each with its own report |
//! | `link` | connections to servers with a protocol of their own |
//! | `mongodb` | `mongodb()`: documents in collections of MongoDB |
//! | `mqtt` | `mqtt()`: publications to a broker |
//! | `nats` | `nats()`: publications that JetStream stores |
//! | `python` | `python()`: calls of a class of the configuration, in a process of its own |
//! | `redis` | `redis()`: commands to Redis and Valkey, pipelined |
//! | `riemann` | `riemann()`: events of Riemann |
//! | `stomp` | `stomp()`: frames for a broker of STOMP 1.2 |
//! | `zabbix` | `zabbix()`: values of items of Zabbix |
//! | `sql` | `sql()`: rows of tables in PostgreSQL, MySQL, MariaDB and SQLite |

mod amqp;
mod collectd;
mod kafka;
mod link;
mod mongodb;
mod mqtt;
mod nats;
mod python;
mod redis;
mod riemann;
mod sql;
mod stomp;
mod zabbix;

#[cfg(test)]
use delivery::receiver_testing as testing;

pub use self::python::{PythonReceiver, PythonTarget};
pub use amqp::{AmqpExchange, AmqpReceiver, AmqpTarget, Unroutable};
pub use collectd::{CollectdReceiver, CollectdTarget};
pub use kafka::{KafkaReceiver, KafkaTarget, TopicNameError, check_topic_name};
pub use mongodb::{
    CollectionNameError, InsertOrder, Mechanism, MongodbLogin, MongodbReceiver, MongodbTarget, MongodbTimes,
    MongodbUri, Seeds, UriError, Validation, Waiters, WriteConcern, check_collection,
};
pub use mqtt::{MqttReceiver, MqttTarget};
pub use nats::{NatsReceiver, NatsStorage, NatsTarget, SubjectError, check_subject};
pub use redis::{
    ReadValueError, RedisLogin, RedisReader, RedisReceiver, RedisSource, RedisTarget, RedisValue,
};
pub use riemann::{
    EventTags, EventTime, MetricKind, RiemannReceiver, RiemannTarget, RiemannWire, UnfitMetric,
};
pub use sql::{Column, ColumnValue, SqlReceiver, SqlTarget, TableMaking};
pub use stomp::{Receipts, StompLogin, StompReceiver, StompTarget};
pub use zabbix::{ZabbixReceiver, ZabbixTarget};
