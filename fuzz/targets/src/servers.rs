//! Targets that read what servers answer whose clients we are.

pub(crate) mod amqp;
pub(crate) mod mongodb;
pub(crate) mod mqtt;
pub(crate) mod mysql;
pub(crate) mod nats;
pub(crate) mod redis;
pub(crate) mod riemann;
pub(crate) mod stomp;
