//! The version of a rule: a digest of all that decides what it does.
//!
//! In: the parts of a rule. Out: 16 bytes that no other rule has. Title, description and severity are no part of it:
//! a better title does not start the windows again.

use super::{Kind, Rule, Threshold, Window};
use query::Name;
use sha2::{Digest, Sha256};
use std::fmt;

/// Digest of all that decides what a rule does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct RuleVersion(pub [u8; 16]);

impl fmt::Display for RuleVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl RuleVersion {
    /// Computes the version of a rule.
    pub(crate) fn of(rule: &Rule) -> RuleVersion {
        let mut parts = Parts(Sha256::new());
        parts.text(rule.query.text());
        parts.names(&rule.by);
        match &rule.missing {
            None => parts.number(0),
            Some(value) => {
                parts.number(1);
                parts.bytes(value);
            }
        }
        parts.number(rule.hold_us);
        parts.kind(&rule.kind);
        RuleVersion(first_half(parts.0))
    }
}

/// Returns the first half of a digest.
pub(crate) fn first_half(digest: Sha256) -> [u8; 16] {
    let whole = digest.finalize();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    half
}

/// Parts that are digested, each with its length.
struct Parts(Sha256);

impl Parts {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: i64) {
        self.0.update(number.to_le_bytes());
    }

    fn float(&mut self, number: f64) {
        self.0.update(number.to_bits().to_le_bytes());
    }

    fn names(&mut self, names: &[Name]) {
        self.number(names.len() as i64);
        names.iter().for_each(|name| self.text(name.shown()));
    }

    fn threshold(&mut self, threshold: Threshold) {
        let (sign, first, second) = threshold.parts();
        self.text(sign);
        self.float(first);
        self.float(second);
    }

    fn window(&mut self, window: Window) {
        match window {
            Window::Sliding { us, hysteresis_permille } => {
                self.text("sliding");
                self.number(us);
                self.number(i64::from(hysteresis_permille));
            }
            Window::Tumbling { us } => {
                self.text("tumbling");
                self.number(us);
            }
        }
    }

    fn kind(&mut self, kind: &Kind) {
        self.text(kind.name());
        match kind {
            Kind::Match { quiet_us } => self.number(quiet_us.unwrap_or(-1)),
            Kind::Count { threshold, window } => {
                self.threshold(*threshold);
                self.window(*window);
            }
            Kind::Distinct { field, threshold, window } => {
                self.text(field.shown());
                self.threshold(*threshold);
                self.window(*window);
            }
            Kind::Value { field, threshold, resolve, window, .. } => {
                self.text(field.shown());
                self.threshold(*threshold);
                resolve.iter().for_each(|resolve| self.threshold(*resolve));
                self.window(*window);
            }
            Kind::Absence { within_us, learn, keys, forget_us } => {
                self.number(*within_us);
                self.number(i64::from(*learn));
                self.number(*forget_us);
                keys.iter().for_each(|key| self.bytes(key));
            }
            Kind::NewValue { field, learn_us, remember_us } => {
                self.text(field.shown());
                self.number(*learn_us);
                self.number(*remember_us);
            }
            Kind::Sequence { then, then_by, within_us } => {
                self.text(then.text());
                self.names(then_by);
                self.number(*within_us);
            }
            Kind::NotFollowed { then, then_by, within_us, forget_us } => {
                self.text(then.text());
                self.names(then_by);
                self.number(*within_us);
                self.number(*forget_us);
            }
        }
    }
}
