//! The journal of the machine, read through `journalctl`.
//!
//! In: entries in the journal's export format. Out: batches. Holds: the program and the cursor of the last
//! acknowledged entry. Limits: an entry above [`ENTRY_BYTES_MAX`] is skipped and counted; without a stored cursor
//! reading starts with new entries.

use super::{Local, origin_of, program};
use crate::{
    batch_reader::{BatchReader, Completion},
    options::JournalSource,
    positions::Positions,
    session::Stream,
};
use message::{
    Ack, Batch, FIELD_NAME_BYTES_MAX, Facility, Format, Message, Origin, Outcome, Priority, Severity, Span,
    Stamp, ValueKind,
};
use std::{path::Path, process::Command, sync::Arc, time::Duration};
use transport::stats;

/// Longest entry that is read.
const ENTRY_BYTES_MAX: usize = 8 << 20;
/// Pause before the program is started again.
const AGAIN: Duration = Duration::from_secs(1);
/// Name of the stored cursor.
const CURSOR: &str = "journal cursor";

/// Returns true when the machine has a journal that we can read.
pub(crate) fn has_journal() -> bool {
    let journalctl = ["/usr/bin/journalctl", "/bin/journalctl"];
    Path::new("/run/systemd/journal/socket").exists()
        && journalctl.iter().any(|path| Path::new(path).exists())
}

/// One journal and the name under which its cursor is stored.
struct Journal {
    options: JournalSource,
    /// Name of the stored cursor.
    name: String,
}

impl Journal {
    fn new(options: JournalSource) -> Journal {
        let folder = options.folder.as_ref().map(|folder| folder.display().to_string());
        let words = options.namespace.iter().chain(&folder).chain(&options.matches);
        let name = words.fold(CURSOR.to_owned(), |name, word| format!("{name} {word}"));
        Journal { options, name }
    }

    /// Returns the program that reads it from after a cursor.
    fn command(&self, cursor: Option<&str>) -> Command {
        let mut command = Command::new("journalctl");
        command.args(["--output=export", "--follow", "--all", "--no-pager"]);
        match cursor {
            Some(cursor) => command.arg(format!("--after-cursor={cursor}")).arg("--lines=all"),
            None if self.options.from_start => command.arg("--lines=all"),
            None => command.arg("--lines=0"),
        };
        if self.options.this_boot {
            command.arg("--boot");
        }
        if let Some(namespace) = &self.options.namespace {
            command.arg(format!("--namespace={namespace}"));
        }
        if let Some(folder) = &self.options.folder {
            command.arg("--directory").arg(folder);
        }
        command.args(&self.options.matches);
        command
    }
}

/// Follows the journal until it is stopped.
pub(crate) async fn read_journal(mut here: Local, options: JournalSource) {
    let journal = Journal::new(options);
    loop {
        let cursor = here.positions.position(&journal.name);
        match program::start(&mut journal.command(cursor.as_deref())) {
            Ok((running, mut stream)) => {
                let stopped = read(&mut here, &mut stream, &journal).await;
                drop(running);
                if stopped {
                    return;
                }
                here.log.warning("The journal's reader ended, restarting it");
            }
            Err(error) => here.log.error(&format!("Cannot start journalctl, trying again; error='{error}'")),
        }
        if !here.pause(AGAIN).await {
            return;
        }
    }
}

/// Reads one run of the program. Returns true when the source was stopped.
async fn read(here: &mut Local, stream: &mut Stream, journal: &Journal) -> bool {
    let mut batch_reader = here.batch_reader();
    let origin = origin_of(String::new());
    let mut bytes: Vec<u8> = Vec::new();
    let mut skipping = false;
    loop {
        let ready = async {
            batch_reader.window.wait_for_room().await;
            stream.readable().await
        };
        tokio::select! {
            biased;
            _ = here.stop.wait_for(|stop| *stop) => return true,
            ready = ready => if ready.is_err() { return false },
        }
        batch_reader.refresh();
        bytes.reserve(crate::batch_reader::buffer::READ_BYTES);
        match stream.read(&mut bytes) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            Err(_) => return false,
        }
        if skipping {
            skipping = !skip(&mut bytes);
        }
        if !skipping {
            let done = forward(&mut batch_reader, &bytes, &origin, (&here.positions, journal));
            bytes.drain(..done);
        }
        if bytes.len() > ENTRY_BYTES_MAX {
            stats::add(&batch_reader.settings().counters.frame_errors, 1);
            skipping = true;
        }
    }
}

/// Drops bytes up to the start of the next entry. Returns true when it was found.
fn skip(bytes: &mut Vec<u8>) -> bool {
    /// The end of an entry and the start of the next.
    const START: &[u8] = b"\n\n__CURSOR=";
    match memchr::memmem::find(bytes, START) {
        Some(at) => {
            bytes.drain(..at + 2);
            true
        }
        None => {
            bytes.drain(..bytes.len().saturating_sub(START.len()));
            false
        }
    }
}

/// Forwards the complete entries, and returns their length in bytes.
fn forward(
    batch_reader: &mut BatchReader,
    bytes: &[u8],
    origin: &impl Fn(&crate::source::Settings) -> Origin,
    (positions, journal): (&Positions, &Journal),
) -> usize {
    let mut batch = Batch::new(Arc::default(), Vec::new(), batch_reader.clock().now(), Ack::none());
    let mut cursor = None;
    let mut done = 0;
    while let Some((entry, size)) = entry(&bytes[done..]) {
        if !entry.is_empty() {
            cursor = push(
                &mut batch,
                &entry,
                &journal.options,
                batch_reader.settings().options.decode.default_pri,
            )
            .or(cursor);
        }
        done += size;
    }
    if batch.is_empty() {
        return done;
    }
    batch.origins.push(Arc::new(origin(batch_reader.settings())));
    let update = |cursor| {
        let (name, positions) = (journal.name.clone(), positions.clone());
        Box::new(PositionUpdate { name, cursor, positions }) as Box<dyn Completion>
    };
    let update = cursor.map(update);
    batch_reader.deliver(batch, update);
    done
}

/// Saves the cursor when its batch is done.
struct PositionUpdate {
    name: String,
    cursor: String,
    positions: Positions,
}

impl Completion for PositionUpdate {
    fn complete(&self, outcome: Outcome) {
        if outcome == Outcome::Done {
            self.positions.set(&self.name, self.cursor.clone());
        }
    }
}

type Fields<'a> = Vec<(&'a [u8], &'a [u8])>;

/// The first entry and its size; `None` when its end has not come yet.
pub(super) fn entry(bytes: &[u8]) -> Option<(Fields<'_>, usize)> {
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        let end = memchr::memchr(b'\n', rest)?;
        let line = &rest[..end];
        at += end + 1;
        if line.is_empty() {
            return Some((fields, at));
        }
        if let Some(equals) = memchr::memchr(b'=', line) {
            fields.push((&line[..equals], &line[equals + 1..]));
            continue;
        }
        // A value with line feeds: its size in eight bytes, least first, then the value and a line feed.
        let size = u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?);
        let size = usize::try_from(size).ok()?;
        let start = at + 8;
        let value = bytes.get(start..start.checked_add(size)?)?;
        bytes.get(start + size)?;
        fields.push((line, value));
        at = start + size + 1;
    }
}

/// Adds an entry as a message and returns its cursor.
pub(super) fn push(
    batch: &mut Batch,
    entry: &Fields<'_>,
    options: &JournalSource,
    default_pri: Option<Priority>,
) -> Option<String> {
    let whole = |value: &[u8]| value.len().min(options.field_bytes_max);

    let find =
        |name: &str| entry.iter().find(|(known, _)| *known == name.as_bytes()).map(|(_, value)| *value);
    let number = |name: &str| std::str::from_utf8(find(name)?).ok()?.parse::<u64>().ok();
    let mut kept =
        |value: Option<&[u8]>| value.map_or(Span::EMPTY, |value| batch.add_extra(&value[..whole(value)]));
    let text = kept(find("MESSAGE"));
    let host = kept(find("_HOSTNAME"));
    let program = kept(find("SYSLOG_IDENTIFIER").or_else(|| find("_COMM")));
    let pid = kept(find("SYSLOG_PID").or_else(|| find("_PID")));
    let severity = number("PRIORITY").filter(|severity| *severity < 8).map(|severity| severity as u8);
    let kernel = find("_TRANSPORT") == Some(b"kernel");
    let facility = number("SYSLOG_FACILITY").filter(|code| *code < 24).map(|code| code as u16);
    let fallback = default_pri.unwrap_or(Priority::new(
        if kernel { Facility::KERNEL } else { Facility::USER },
        Severity::INFORMATIONAL,
    ));
    let time = number("_SOURCE_REALTIME_TIMESTAMP").or_else(|| number("__REALTIME_TIMESTAMP"));
    let event = time
        .and_then(|unix_us| i64::try_from(unix_us).ok())
        .map_or(batch.received, |unix_us| Stamp::known(unix_us, batch.received.offset_s));
    let index = batch.len();
    let mut message = Message::default();
    message.raw = text;
    message.host = host;
    message.program = program;
    message.pid = pid;
    message.text = text;
    message.event = event;
    message.pri = Priority::new(
        facility.map_or(fallback.facility(), Facility),
        severity.map_or(fallback.severity(), Severity),
    );
    message.format = Format::Journal;
    batch.messages.push(message);
    for (name, value) in entry {
        let Ok(name) = std::str::from_utf8(name) else { continue };
        // Address fields of the entry are not values; text and host become those of the message.
        if name.starts_with("__") || matches!(name, "MESSAGE" | "_HOSTNAME") {
            continue;
        }
        let mut name = format!("{}{name}", options.prefix);
        if name.is_ascii() {
            name.truncate(FIELD_NAME_BYTES_MAX);
        }
        let value = batch.add_extra(&value[..whole(value)]);
        batch.set_value(index, &name, value, ValueKind::String);
    }
    find("__CURSOR").map(|cursor| String::from_utf8_lossy(cursor).into_owned())
}

#[cfg(test)]
mod tests;
