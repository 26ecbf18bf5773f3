//! `mqtt()`: publications of topics become messages, over MQTT 3.1.1.
//!
//! In: publications. Out: batches. Holds: a connection for each source. Limits: the window of the source.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the contract with the set of sources |
//! | `subscriber` | login, subscription, acknowledgements |
//! | `packets` | packets of a stream, of which long ones are cut |
//! | `options` | what a configuration says |

mod options;
mod packets;
mod source;
mod subscriber;

#[cfg(test)]
mod tests;

pub use options::MqttSource;
