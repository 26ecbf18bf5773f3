//! Targets that read identities and protocols of peers.

pub(crate) mod certificate;
pub(crate) mod dtls;
pub(crate) mod grpc;
pub(crate) mod lumberjack;
pub(crate) mod proxy;
pub(crate) mod relp;
pub(crate) mod sctp;
pub(crate) mod sctp_endpoint;
pub(crate) mod sltp;
pub(crate) mod smtp;
