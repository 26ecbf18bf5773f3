//! Network destinations, one file per kind of driver.
//!
//! Begin with `socket`: the others build on it, except for `requests`, which are those over HTTP.

pub(crate) mod failover;
pub(crate) mod gelf;
pub(crate) mod lanes;
pub(crate) mod load_balancer;
pub(crate) mod mail;
mod requests;
pub(crate) mod sltp;
pub(crate) mod snmp;
pub(crate) mod socket;
