//! Sets host and program of decoded messages: `keep-hostname()`, `chain-hostnames()`, the overrides.
//!
//! In: the decoded messages of one origin. Out: the same with their host set. Holds: nothing.
//! Limits: a chained name is cut at [`CHAIN_BYTES_MAX`].

use crate::options::SourceOptions;
use message::{Batch, Field, Origin, Span, Transport};
use std::ops::Range;

/// Longest chained host name, as syslog-ng's.
const CHAIN_BYTES_MAX: usize = 255;

/// Sets host and program of the messages of one origin as the source is configured.
pub(crate) fn apply(batch: &mut Batch, messages: Range<usize>, origin: &Origin, options: &SourceOptions) {
    if messages.is_empty() {
        return;
    }
    let policy = &options.hosts;
    if policy.keep || policy.chain {
        fill(batch, messages.clone(), origin, options);
    } else {
        let host = batch.add_extra(origin.host_from.as_bytes());
        messages.clone().for_each(|index| batch.messages[index].host = host);
    }
    replace(batch, messages, options);
}

/// Sets the configured names of every message: `host-override()`, `program-override()`, `use-syslogng-pid()`.
pub(crate) fn replace(batch: &mut Batch, messages: Range<usize>, options: &SourceOptions) {
    if let Some(host) = &options.hosts.host_override {
        let host = batch.add_extra(host.as_bytes());
        messages.clone().for_each(|index| batch.messages[index].host = host);
    }
    if options.own_pid {
        let pid = batch.add_extra(std::process::id().to_string().as_bytes());
        messages.clone().for_each(|index| batch.set_fixed(index, Field::Pid, pid));
    }
    if let Some(program) = &options.program_override {
        let program = batch.add_extra(program.as_bytes());
        messages.for_each(|index| batch.set_fixed(index, Field::Program, program));
    }
}

/// Sets the host of messages that have none, or to all when names are chained and not kept.
fn fill(batch: &mut Batch, messages: Range<usize>, origin: &Origin, options: &SourceOptions) {
    let mut made: Option<Span> = None;
    for index in messages {
        let host = batch.messages[index].host;
        if options.hosts.keep && !host.is_empty() {
            continue;
        }
        let span = if options.hosts.chain {
            let name = chained(batch.bytes(host), origin);
            batch.add_extra(&name)
        } else {
            *made.get_or_insert_with(|| batch.add_extra(origin.host_from.as_bytes()))
        };
        batch.messages[index].host = span;
    }
}

/// `SOURCE@HOST` for a message of this machine, otherwise `HOST/HOP`, where a missing host is the hop's.
fn chained(host: &[u8], origin: &Origin) -> Vec<u8> {
    let hop = origin.host_from.as_bytes();
    let is_local =
        matches!(origin.transport, Transport::Local | Transport::UnixDgram | Transport::UnixStream);
    let mut name = if is_local {
        [origin.source_name().as_bytes(), b"@", hop].concat()
    } else {
        [if host.is_empty() { hop } else { host }, b"/", hop].concat()
    };
    name.truncate(CHAIN_BYTES_MAX);
    name
}

#[cfg(test)]
mod tests;
