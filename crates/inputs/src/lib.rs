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
//! | `sql` | `sql()`: rows of a table in PostgreSQL, MySQL, MariaDB or SQLite |
//! | `broker` | what the sources share that are clients of a broker |

mod amqp;
mod broker;
mod kafka;
mod mqtt;
mod nats;
mod python;
mod sql;

pub use amqp::{AmqpBinding, AmqpQueue, AmqpSource};
pub use broker::Metadata;
pub use kafka::KafkaSource;
pub use mqtt::MqttSource;
pub use nats::{NatsBegin, NatsConsumer, NatsSource};
pub use python::PythonSource;
pub use sql::{OldRows, Pace, RowColumns, SqlSource};
