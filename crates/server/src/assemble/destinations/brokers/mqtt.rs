//! `mqtt()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: WebSockets are refused by name; so is a name of a topic that no broker can have.

use super::endpoint::{BATCH_BYTES, answer_within, machine_tls};
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{Diagnostic, tree::Call};
use delivery::{DestinationDriver, Server};
use message::Render;
use outputs::{MqttReceiver, MqttTarget};
use std::time::Duration;
use transport::{
    Endpoint,
    mqtt::{MqttLogin, MqttQos, check_topic},
};

const PORT: u16 = 1883;
const TLS_PORT: u16 = 8883;
/// Publications that are sent without waiting for each other.
const BATCH_LINES: usize = 1000;
/// Longest wait for an acknowledgement, as in syslog-ng.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// `keepalive()` unless it is set.
const KEEP_ALIVE: i64 = 60;

/// Returns `qos()`.
pub(crate) fn mqtt_qos(options: &Options<'_>) -> MqttQos {
    let level = options.own("qos").and_then(Call::number).and_then(|number| u8::try_from(number).ok());
    level.and_then(MqttQos::of).unwrap_or(MqttQos::Nothing)
}

impl<'t> Lowering<'t> {
    /// Makes the receiver of `mqtt()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn mqtt(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let server = self.mqtt_broker(options)?;
        let fault = |name: &[u8]| check_topic(name).err().map(|error| error.to_string());
        let (topic, fallback_topic) = self.topic(options, fault)?;
        let (text, shown) = self.broker_text(options, "template")?;
        let target = MqttTarget {
            server,
            login: self.mqtt_login(options, "destination")?,
            topic,
            fallback_topic,
            text,
            qos: mqtt_qos(options),
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        Some((DestinationDriver::Receiver(Box::new(MqttReceiver::new(target))), shown))
    }

    /// Parses who we are; `role` is the middle of the name that we have unless `client-id()` gives one.
    pub(crate) fn mqtt_login(&mut self, options: &Options<'t>, role: &str) -> Option<MqttLogin> {
        let text = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        let (user, password) = (text("username"), text("password"));
        if let Some(option) = options.own("password").filter(|_| user.is_none()) {
            self.report.push(Diagnostic::error(option.span, "`password()` needs `username()`"));
            return None;
        }
        let seconds = options.own("keepalive").and_then(Call::number).unwrap_or(KEEP_ALIVE);
        let topic = options.own_text("topic");
        let named = || format!("syslog-ng-{role}-{}", topic.as_deref().unwrap_or("number"));
        let client = text("client-id").unwrap_or_else(named);
        Some(MqttLogin { client, user, password, keep_alive: u16::try_from(seconds).unwrap_or(u16::MAX) })
    }

    /// Parses `address("tcp://host:port")`.
    pub(crate) fn mqtt_broker(&mut self, options: &Options<'t>) -> Option<Endpoint> {
        let written = options.own("address");
        let address = written.and_then(Call::text).unwrap_or("tcp://localhost:1883");
        let (scheme, place) = address.split_once("://").unwrap_or(("tcp", address));
        let span = written.map_or(options.call.name.span, |option| option.span);
        let port = match scheme.to_ascii_lowercase().as_str() {
            "tcp" | "mqtt" => PORT,
            "ssl" | "tls" | "mqtts" => TLS_PORT,
            "ws" | "wss" => {
                let error = Diagnostic::error(span, "MQTT over WebSockets is not supported yet");
                self.report.push(error.help("address(\"tcp://HOST:1883\") or address(\"ssl://HOST:8883\")"));
                return None;
            }
            _ => {
                let error = Diagnostic::error(span, format!("`{address}` is no address of a broker"));
                self.report.push(error.help("address(\"tcp://HOST:1883\") or address(\"ssl://HOST:8883\")"));
                return None;
            }
        };
        let Server { host, port: own } =
            crate::assemble::options::connections::server(place.trim_end_matches('/'), port);
        let tls = match (port, options.own("tls")) {
            (PORT, Some(tls)) => {
                let error = Diagnostic::error(tls.span, "`tls()` needs an address that begins with ssl://");
                self.report.push(error);
                return None;
            }
            (PORT, None) => None,
            (_, Some(_)) => self.encryption(options, &host)?,
            (_, None) => Some(machine_tls()),
        };
        Some(Endpoint { host, port: own, tls })
    }
}
