//! Values of messages.
//!
//! In: messages. Out: host, key, value and time of each. Holds: the items that were refused lately.
//! Limits: [`NAME_CHARACTERS_MAX`] for a host and [`KEY_CHARACTERS_MAX`] for a key, as in Zabbix; [`VALUE_BYTES_MAX`] for a value. What is
//! longer, and an empty name, is a dead letter.

use super::{connection::ZabbixConnection, options::ZabbixTarget, refused::Refused};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Render, Stamp};
use std::{sync::Arc, time::Instant};

/// Characters of the name of a host.
pub(super) const NAME_CHARACTERS_MAX: usize = 128;
/// Characters of a key.
pub(super) const KEY_CHARACTERS_MAX: usize = 2048;
/// Bytes of a value: Zabbix cuts longer texts and says nothing.
pub(super) const VALUE_BYTES_MAX: usize = 65_535;

/// The receiver of `zabbix()`.
pub struct ZabbixReceiver {
    target: ZabbixTarget,
    refused: Arc<Refused>,
}

impl ZabbixReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: ZabbixTarget) -> ZabbixReceiver {
        ZabbixReceiver { target, refused: Arc::default() }
    }
}

/// Returns rendered text as Zabbix can have it: a NUL would end it there.
fn text(rendered: &[u8]) -> String {
    String::from_utf8_lossy(rendered).replace('\0', "\u{fffd}")
}

/// Checks a name and its length in characters.
fn check_name(name: &str, what: &str, characters_max: usize) -> Result<(), RowError> {
    if name.is_empty() {
        return Err(RowError::bad_name(format!("the {what} is empty")));
    }
    match name.chars().count() > characters_max {
        true => Err(RowError::bad_name(format!("the {what} has more than {characters_max} characters"))),
        false => Ok(()),
    }
}

impl Receiver for ZabbixReceiver {
    fn begin(&mut self, now: Stamp) {
        let ZabbixTarget { host, key, value, .. } = &mut self.target;
        [host, key, value].into_iter().for_each(|template| template.begin(now));
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        group.push_str(&self.target.server.host);
        let rendered = |template: &mut Box<dyn Render>| {
            let mut bytes = Vec::new();
            template.render(batch, index, sequence, &mut bytes);
            text(&bytes)
        };
        let target = &mut self.target;
        let host = rendered(&mut target.host);
        let key = rendered(&mut target.key);
        let value = rendered(&mut target.value);
        check_name(&host, "host", NAME_CHARACTERS_MAX)?;
        check_name(&key, "key", KEY_CHARACTERS_MAX)?;
        if value.len() > VALUE_BYTES_MAX {
            return Err(RowError::too_large("value", VALUE_BYTES_MAX));
        }
        if self.refused.is_likely(&host, &key, Instant::now()) {
            group.push_str(" refused");
        }
        // Zabbix counts from 1970 on.
        let at = batch.messages[index].event.unix_us.max(0);
        Ok(vec![Cell::Text(host), Cell::Text(key), Cell::Text(value), Cell::Integer(at)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        let target = &self.target;
        Box::new(ZabbixConnection::new(target.server.clone(), target.timeout, self.refused.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        format!("zabbix,{},{}", self.target.server.host, self.target.server.port)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        let constants = [&target.host, &target.key, &target.value].map(|template| template.constant());
        vec![
            format!("{constants:?} {} {:?}", target.server.tls.is_some(), target.timeout),
            format!("{} {:?}", target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, _group: &str, cells: &[Cell]) -> String {
        match cells {
            [Cell::Text(host), Cell::Text(key), Cell::Text(value), ..] => {
                format!("{}: {host} {key} {value}", self.instance())
            }
            _ => self.instance(),
        }
    }
}

#[cfg(test)]
impl ZabbixReceiver {
    /// Returns the items that were refused lately.
    pub(super) fn refused(&self) -> &Refused {
        &self.refused
    }
}
