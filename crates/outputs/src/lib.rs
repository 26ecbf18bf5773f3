//! Other people's systems as destinations: one folder each.
//!
//! In: the options of a system. Out: receivers for [`delivery`], which has the queue, the retries and the dead
//! letters. Holds: nothing shared. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `amqp` | `amqp()`: publications to a broker such as RabbitMQ |
//! | `clickhouse` | `clickhouse()`: batches of messages as rows of a table of ClickHouse |
//! | `http` | `http()`: bodies of requests, and the bulk requests of Elasticsearch |
//! | `identity` | a name for a batch that is the same at every attempt |
//! | `kafka` | `kafka()`: records in topics, each with its own report |
//! | `link` | connections to servers with a protocol of their own |
//! | `mqtt` | `mqtt()`: publications to a broker |
//! | `nats` | `nats()`: publications that JetStream stores |
//! | `python` | `python()`: calls of a class of the configuration, in a process of its own |
//! | `redis` | `redis()`: commands to Redis and Valkey, pipelined |
//! | `s3` | `s3()`: batches of messages as objects of a bucket |
//! | `sql` | `sql()`: rows of tables in PostgreSQL, MySQL, MariaDB and SQLite |
//! | `url` | URLs of servers, and texts in URLs |

mod amqp;
mod clickhouse;
mod http;
mod identity;
mod kafka;
mod link;
mod mqtt;
mod nats;
mod python;
mod redis;
mod s3;
mod sql;
#[cfg(test)]
mod testing;
mod url;

pub use self::python::{PythonReceiver, PythonTarget};
pub use amqp::{AmqpExchange, AmqpReceiver, AmqpTarget, Unroutable};
pub use clickhouse::{
    ClickhouseColumn, ClickhouseContent, ClickhouseFormat, ClickhouseReceiver, ClickhouseTarget,
    ColumnNameError, check_name,
};
pub use http::{
    Compression, HttpReceiver, HttpTarget, ItemIds, ItemResults, RequestSettings, ResponseAction,
};
pub use kafka::{KafkaReceiver, KafkaTarget, TopicNameError, check_topic_name};
pub use mqtt::{MqttReceiver, MqttTarget};
pub use nats::{NatsReceiver, NatsStorage, NatsTarget, SubjectError, check_subject};
pub use redis::{RedisLogin, RedisReceiver, RedisTarget};
pub use s3::{
    AddressError, KeyError, S3Checksum, S3Compression, S3Login, S3Receiver, S3Target, bucket_address,
    check_prefix,
};
pub use sql::{Column, ColumnValue, SqlLogin, SqlReceiver, SqlServer, SqlTarget, TableMaking};
pub use url::server_url;
