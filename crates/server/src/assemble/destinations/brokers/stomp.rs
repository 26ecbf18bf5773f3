//! `stomp()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: a login that the protocol cannot send is refused.

use super::endpoint::{BATCH_BYTES, answer_within};
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{Diagnostic, tree::Call};
use delivery::DestinationDriver;
use message::Render;
use outputs::{Receipts, StompLogin, StompReceiver, StompTarget};
use std::time::Duration;
use transport::amqp::Durability;

const PORT: u16 = 61613;
/// Messages that are sent without waiting for each other.
const BATCH_LINES: usize = 1000;
/// Longest wait for a receipt.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

impl<'t> Lowering<'t> {
    /// Makes the receiver of `stomp()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn stomp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let login = self.stomp_login(options)?;
        let body = match options.own("body") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("", options)?,
        };
        let shown = self.template_renderer(body.clone(), options);
        let headers = self.selected_pairs(options)?;
        let is = |name: &str| options.own(name).and_then(Call::truth);
        let target = StompTarget {
            server: self.endpoint(options, PORT)?,
            login,
            destination: options.own_text("destination").unwrap_or_else(|| "/topic/syslog".to_owned()),
            body: self.template_renderer(body, options),
            headers: self.pairs_renderer(headers, options),
            durability: match is("persistent") {
                Some(false) => Durability::Transient,
                _ => Durability::Persistent,
            },
            receipts: match is("ack") {
                Some(true) => Receipts::OfEach,
                _ => Receipts::OfLast,
            },
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        Some((DestinationDriver::Receiver(Box::new(StompReceiver::new(target))), shown))
    }

    fn stomp_login(&mut self, options: &Options<'t>) -> Option<StompLogin> {
        for name in ["username", "password", "vhost"] {
            let Some(option) = options.own(name) else { continue };
            if option.text().is_some_and(|text| text.contains(['\n', '\r', '\0'])) {
                let message = format!("`{name}()` has a line end or a NUL, which STOMP cannot send");
                self.report.push(Diagnostic::error(option.span, message));
                return None;
            }
        }
        let text = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        let user = match (text("username"), text("password")) {
            (Some(user), password) => Some((user, password.unwrap_or_default())),
            (None, None) => None,
            (None, Some(_)) => {
                let span = options.own("password").map_or(options.call.name.span, |option| option.span);
                self.report.push(Diagnostic::error(span, "`password()` needs `username()`"));
                return None;
            }
        };
        Some(StompLogin { vhost: text("vhost").unwrap_or_else(|| "/".to_owned()), user })
    }
}
