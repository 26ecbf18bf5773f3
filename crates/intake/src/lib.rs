//! Sources: everything that receives bytes.
//!
//! In: sockets, files, pipes, programs, the journal of the machine, topics of brokers. Out: batches into an [`message::Intake`].
//! Holds: the set of running sources, one reactor thread per core, the file of read positions. A reload leaves
//! unchanged sources alone. Limits: a connection's [`Window`] bounds the messages that it has in flight.
//!
//! The modules, in reading order; each imports only modules below it:
//!
//! | module | what it does |
//! |---|---|
//! | `set` | the running sources, kept across reloads |
//! | `rehearsal` | a source for made-up messages |
//! | `socket` | listeners, their connections, datagrams, admission |
//! | `file` | files that are followed |
//! | `local` | pipes, devices, programs, the journal, our own messages |
//! | `http` | requests of shippers, and their answers |
//! | `kafka` | records of topics of Apache Kafka |
//! | `amqp` | messages of a queue of RabbitMQ |
//! | `mqtt` | publications of topics of an MQTT broker |
//! | `nats` | messages of a stream of NATS JetStream |
//! | `broker` | what the sources share that are clients of a broker |
//! | `relp` | RELP: messages are answered when they are safe |
//! | `session` | a stream of messages, whatever carries it |
//! | `secure` | a stream inside TLS |
//! | `batch_reader` | turns received bytes into batches: frames, messages, names, window, forwarding |
//! | `positions` | positions at which reading resumes after a restart |
//! | `options` | the options of a source |

mod amqp;
mod batch_reader;
mod broker;
mod file;
mod http;
mod kafka;
mod local;
mod mqtt;
mod nats;
mod options;
mod positions;
mod rehearsal;
mod relp;
mod secure;
mod session;
mod set;
mod socket;

#[cfg(test)]
mod testing;

pub use options::{
    Acknowledge, AmqpBinding, AmqpQueue, AmqpSource, CountLimits, DatagramListener, Dialogue, Encryption,
    FileSource, Form, Generator, HttpOptions, JournalSource, KafkaSource, ListenAddress, Metadata,
    MqttSource, NatsBegin, NatsConsumer, NatsSource, PipeSource, ProgramSource, ProxyHeader, SourceDriver,
    SourceOptions, SourceSpec, StreamListener, WildcardSource, Window,
};
pub use rehearsal::Rehearsal;
pub use set::{Sources, StagedSources};
