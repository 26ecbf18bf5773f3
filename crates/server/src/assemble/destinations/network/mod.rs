//! Destinations behind a network.

pub(crate) mod gelf;
pub(crate) mod http;
pub(crate) mod load_balancer;
pub(crate) mod loki;
pub(crate) mod mail;
pub(crate) mod snmp;
