//! Destinations that send each message as a command, a publication, a document or an event, and read what becomes of it.
//!
//! Begin with `endpoint`, which all of them share; then one file a kind of server.

pub(crate) mod amqp;
pub(crate) mod collectd;
pub(crate) mod endpoint;
pub(crate) mod kafka;
pub(crate) mod mongodb;
pub(crate) mod mqtt;
pub(crate) mod nats;
pub(crate) mod redis;
pub(crate) mod riemann;
pub(crate) mod stomp;
pub(crate) mod zabbix;
