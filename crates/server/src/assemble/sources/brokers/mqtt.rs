//! `mqtt()` as a source.
//!
//! In: its options. Out: a [`MqttSource`]. Holds: nothing.
//! Limits: a filter that no broker takes, and a name that needs one, are errors.

use crate::assemble::{
    destinations::brokers::{
        endpoint::answer_within,
        mqtt::{ANSWER_WITHIN, mqtt_qos},
    },
    lowering::Lowering,
    options::driver::Options,
};
use config::{Diagnostic, tree::Call};
use inputs::MqttSource;
use std::time::Duration;
use transport::mqtt::{MqttSession, check_filter};

/// Longest pause between two tries to connect, unless `time-reopen()` says otherwise.
const REOPEN_AFTER: Duration = Duration::from_secs(60);

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe. `None` after an error, which is in the report.
    pub(crate) fn mqtt_source(&mut self, options: &Options<'t>) -> Option<MqttSource> {
        // Without it the check of the driver has an error already.
        let written = options.own("topic")?;
        let topic = written.text().unwrap_or_default().to_owned();
        if let Err(error) = check_filter(topic.as_bytes()) {
            let error = Diagnostic::error(written.span, format!("`topic()`: {error}"));
            self.report.push(error.help("topic(\"log/+/errors\") or topic(\"log/#\")"));
            return None;
        }
        let session = match options.own("cleansession").and_then(Call::truth) {
            Some(true) => MqttSession::Clean,
            _ => MqttSession::Kept,
        };
        Some(MqttSource {
            server: self.mqtt_broker(options)?,
            login: self.mqtt_login(options, "source")?,
            session,
            topic,
            qos: mqtt_qos(options),
            timeout: answer_within(options, ANSWER_WITHIN),
            reopen_after: reopen_after(options),
        })
    }
}

/// Returns `time-reopen()`.
pub(crate) fn reopen_after(options: &Options<'_>) -> Duration {
    options.seconds("time-reopen").unwrap_or(REOPEN_AFTER)
}
