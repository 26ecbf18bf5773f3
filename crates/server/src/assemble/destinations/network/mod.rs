//! Network destinations, one file per kind of driver.
//!
//! Begin with `socket`: the others build on it, except for `http`, `loki` and `clickhouse`, which send requests.

pub(crate) mod clickhouse;
pub(crate) mod failover;
pub(crate) mod gelf;
pub(crate) mod hdfs;
pub(crate) mod http;
pub(crate) mod load_balancer;
pub(crate) mod loki;
pub(crate) mod mail;
pub(crate) mod snmp;
pub(crate) mod socket;
