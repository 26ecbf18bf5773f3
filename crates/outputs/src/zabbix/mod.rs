//! `zabbix()`: each message is a value of an item of Zabbix, sent to a server or a proxy as zabbix_sender does.
//!
//! In: templates of the host, the key and the value. Out: requests of many values, and what the counts in their answers say. Holds:
//! nothing between two requests: the server closes each connection. Limits: see [`ZabbixTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | values of messages |
//! | `connection` | a request over a connection of its own |
//! | `protocol` | the bytes of requests and answers |
//! | `verdict` | what the counts of an answer mean |
//! | `refused` | items that were refused lately |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod protocol;
mod receiver;
mod refused;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::ZabbixTarget;
pub use receiver::ZabbixReceiver;
