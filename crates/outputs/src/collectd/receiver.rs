//! Commands of messages.
//!
//! In: messages. Out: the command of each. Holds: nothing between two.
//! Limits: a command is no longer than [`COMMAND_BYTES_MAX`]; a longer one, and values that are none, are dead letters.
//!
//! A message cannot add a command, nor a part to a name: what separates them becomes `_`.

use super::{connection::CollectdConnection, options::CollectdTarget};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Render, Stamp};
use transport::DeadReason;

/// Longest command: collectd reads no more of a line at once, and would take the rest for another command.
pub(super) const COMMAND_BYTES_MAX: usize = 1000;

/// The receiver of `collectd()`.
pub struct CollectdReceiver {
    target: CollectdTarget,
}

impl CollectdReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: CollectdTarget) -> CollectdReceiver {
        CollectdReceiver { target }
    }
}

impl Receiver for CollectdReceiver {
    fn begin(&mut self, now: Stamp) {
        let CollectdTarget { host, plugin, plugin_instance, kind, type_instance, values, .. } =
            &mut self.target;
        let templates = [host, plugin, plugin_instance, kind, type_instance, values];
        templates.into_iter().for_each(|template| template.begin(now));
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
            let mut text = Vec::new();
            template.render(batch, index, sequence, &mut text);
            text
        };
        let target = &mut self.target;
        let names = Names {
            host: rendered(&mut target.host),
            plugin: rendered(&mut target.plugin),
            plugin_instance: rendered(&mut target.plugin_instance),
            kind: rendered(&mut target.kind),
            type_instance: rendered(&mut target.type_instance),
        };
        let values = rendered(&mut target.values);
        Ok(vec![Cell::Bytes(command(&names, target.interval, &values)?)])
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(CollectdConnection::new(self.target.server.clone(), self.target.timeout))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        format!("collectd,{}", self.target.server.host)
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        vec![
            format!("{} {:?}", target.interval, target.timeout),
            format!("{} {:?}", target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, _group: &str, cells: &[Cell]) -> String {
        match cells {
            [Cell::Bytes(command)] => {
                format!("{}: {}", self.instance(), String::from_utf8_lossy(command).trim_end())
            }
            _ => self.instance(),
        }
    }
}

/// The names of a value, as templates give them.
pub(super) struct Names {
    pub(super) host: Vec<u8>,
    pub(super) plugin: Vec<u8>,
    pub(super) plugin_instance: Vec<u8>,
    pub(super) kind: Vec<u8>,
    pub(super) type_instance: Vec<u8>,
}

/// Makes the command that stores a value.
pub(super) fn command(names: &Names, interval: u64, values: &[u8]) -> Result<Vec<u8>, RowError> {
    let values = std::str::from_utf8(values).unwrap_or_default().trim();
    let is_value = |byte: u8| byte.is_ascii_alphanumeric() || b".+-:".contains(&byte);
    if values.is_empty() || !values.bytes().all(is_value) {
        let text = "the values are no numbers with : between them".to_owned();
        return Err(RowError { reason: DeadReason::Cast, text });
    }
    let mut out = b"PUTVAL \"".to_vec();
    for (name, what) in [(&names.host, "host"), (&names.plugin, "plugin"), (&names.kind, "type")] {
        if name.is_empty() {
            return Err(RowError::bad_name(format!("the {what} is empty")));
        }
    }
    // The instance of a plugin or a type begins at the first hyphen.
    put(&names.host, b"/", &mut out);
    for (name, instance) in [(&names.plugin, &names.plugin_instance), (&names.kind, &names.type_instance)] {
        out.push(b'/');
        put(name, b"/-", &mut out);
        if !instance.is_empty() {
            out.push(b'-');
            put(instance, b"/", &mut out);
        }
    }
    let time = if values.starts_with("N:") { "" } else { "N:" };
    out.extend_from_slice(format!("\" interval={interval} {time}{values}\n").as_bytes());
    match out.len() > COMMAND_BYTES_MAX {
        true => Err(RowError::too_large("command", COMMAND_BYTES_MAX)),
        false => Ok(out),
    }
}

/// Appends a name. What separates names, and what no line can have, becomes `_`.
fn put(name: &[u8], separators: &[u8], out: &mut Vec<u8>) {
    for byte in name {
        match byte {
            byte if byte.is_ascii_control() || separators.contains(byte) => out.push(b'_'),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            byte => out.push(*byte),
        }
    }
}
