//! Other people's systems as sources: one folder each.
//!
//! In: the options of a system. Out: an [`intake::Input`] for the set of sources, which has the settings, the flow control and the
//! acknowledgements. Holds: nothing shared. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `amqp` | `amqp()`: messages of a queue of RabbitMQ |
//! | `kafka` | `kafka()`: records of topics of Apache Kafka |
//! | `mqtt` | `mqtt()`: publications of topics of an MQTT broker |
//! | `nats` | `nats()`: messages of a stream of NATS JetStream |
//! | `python` | `python()` and `python-fetcher()`: messages that a class in Python posts |
//! | `s3` | `s3()`: objects of a bucket of S3 |
//! | `sql` | `sql()`: rows of a table in PostgreSQL, MySQL, MariaDB or SQLite |
//! | `broker` | what the sources share that are clients of a broker |
//! | `bookmarks` | positions below which everything is acknowledged |

mod amqp;
mod bookmarks;
mod broker;
mod kafka;
mod mqtt;
mod nats;
mod python;
mod s3;
mod sql;

pub use amqp::{AmqpBinding, AmqpQueue, AmqpSource};
pub use broker::Metadata;
pub use kafka::KafkaSource;
pub use mqtt::MqttSource;
pub use nats::{NatsBegin, NatsConsumer, NatsSource};
pub use python::PythonSource;
pub use s3::{OldObjects, S3Source};
pub use sql::{OldRows, Pace, RowColumns, SqlSource};
