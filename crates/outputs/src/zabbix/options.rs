//! The options of `zabbix()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::Render;
use std::time::Duration;

/// `zabbix()`.
pub struct ZabbixTarget {
    /// `server()`, `port()` and `tls()`
    pub server: Endpoint,
    /// `host()`: the technical name of the host in Zabbix.
    pub host: Box<dyn Render>,
    /// `key()`: the key of an item of the type "Zabbix trapper".
    pub key: Box<dyn Render>,
    /// `value()`
    pub value: Box<dyn Render>,
    /// `timeout()`: longest wait for the answer.
    pub timeout: Duration,
    /// How values are gathered in requests.
    pub batches: Batches,
}
