//! Targets that read identities and protocols of peers.

pub(crate) mod amqp;
pub(crate) mod certificate;
pub(crate) mod dtls;
pub(crate) mod grpc;
pub(crate) mod lumberjack;
pub(crate) mod mongodb;
pub(crate) mod mqtt;
pub(crate) mod nats;
pub(crate) mod proxy;
pub(crate) mod relp;
pub(crate) mod riemann;
pub(crate) mod sltp;
pub(crate) mod smtp;
pub(crate) mod stomp;
