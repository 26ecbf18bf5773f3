//! Sources that are clients of a broker, one file each.

pub(crate) mod amqp;
pub(crate) mod kafka;
pub(crate) mod mqtt;
pub(crate) mod nats;
