//! Code shared by sources and destinations: sockets, encryption, threads, names, counters, our own log.
//!
//! In: values of a configuration, bytes of peers. Out: sockets with their options, sessions of TLS and DTLS, counters,
//! our own log messages. Holds: no received message, and no connection.
//! Limits: each module says its own. All `unsafe` code of sockets is in [`sys`].
//!
//! The modules, in reading order; each imports only modules below it:
//!
//! | module | what it does |
//! |---|---|
//! | [`sending`] | what threads of destinations share: rendered messages, encrypted streams, the end of waiting at a stop |
//! | `stage` | the reasons why a source or destination cannot start |
//! | [`dtls`] | associations over datagrams |
//! | [`tls`] | settings, certificates, checks of peers, sessions over streams |
//! | `host_names` | names of peers and of this machine |
//! | `reactor` | the threads on which sources read |
//! | [`endpoint`] | a server that speaks a protocol of its own, and a connection to it |
//! | [`kafka`] | settings of librdkafka, and its words |
//! | [`amqp`] | frames of AMQP 0-9-1, and the login there |
//! | [`mongodb`] | documents and messages of MongoDB |
//! | [`mqtt`] | packets and topics of MQTT 3.1.1 |
//! | [`redis`] | commands and replies of Redis |
//! | [`riemann`] | events of Riemann |
//! | [`sql`] | databases that speak SQL: logins, sessions, rows of results |
//! | [`stomp`] | frames of STOMP 1.2 |
//! | [`nats`] | lines of NATS, and the login there |
//! | `internal` | our own messages on their way to `internal()` |
//! | [`stats`] | counters of sources and destinations |
//! | `clock` | the received time |
//! | [`folders`] | folders; owners and modes of created files |
//! | `link` | the interface of a connection with answers |
//! | `ip`, `tcp` | options of sockets |
//! | [`shell`] | commands of the configuration |
//! | [`sys`] | system calls that no library offers |

pub mod amqp;
pub mod dtls;
pub mod endpoint;
pub mod folders;
pub mod kafka;
pub mod mongodb;
pub mod mqtt;
pub mod nats;
pub mod redis;
pub mod riemann;
pub mod sending;
pub mod shell;
pub mod sql;
pub mod stats;
pub mod stomp;
pub mod sys;
pub mod tls;

mod clock;
mod host_names;
mod internal;
mod ip;
mod link;
mod reactor;
mod stage;
mod tcp;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use clock::Clock;
pub use endpoint::Endpoint;
pub use folders::FilePermissions;
pub use host_names::{HostNames, HostPolicy, UseDns, own_name};
pub use internal::{Echo, Entry, InternalLog, LogPause};
pub use ip::IpOptions;
pub use link::{Dial, Link, ReadMode};
pub use reactor::Reactors;
pub use stage::StageError;
pub use stats::{
    Counters, DEAD_REASONS, DeadReason, DropReason, REFUSAL_REASONS, RefusalCounts, RefusalReason, Registry,
    State,
};
pub use sys::{bound_free_memory, release_free_memory};
pub use tcp::TcpOptions;
