//! Turns `disk-buffer()` into a queue on disk.
//!
//! In: options of a destination. Out: settings of its queue. Limits: a name that cannot be a folder is an error.

use super::queueing::on_full;
use crate::assemble::{
    lowering::Lowering,
    options::{driver::Options, spelling::present_name, version::TRUNCATES_TO_RATIO},
};
use config::Diagnostic;
use config::options::ValueKind;
use config::tree::{Arg, Call};
use delivery::{DiskBuffer, OverflowPolicy, Victim};
use std::path::{Path, PathBuf};

/// Folder of the queues unless `dir()` names another.
const FOLDER: &str = "disk-buffers";

/// End of the name of the folder of a log that destinations share.
const SHARED: &str = ".shared";

/// Most destinations of one.
const SHARERS_MAX: usize = 64;

impl<'t> Lowering<'t> {
    /// Returns the queue on disk of a destination. The outer `None` means an error, which is in the report.
    pub(crate) fn disk_buffer(&mut self, id: &str, options: &Options<'t>) -> Option<Option<DiskBuffer>> {
        let Some(call) = options.own("disk-buffer") else { return Some(None) };
        let inside = |name: &str| call.options().filter(|option| inner_name(option) == name).last();
        let number =
            |name: &str| inside(name).and_then(Call::number).and_then(|number| u64::try_from(number).ok());
        let yes = |name: &str| inside(name).and_then(Call::truth).unwrap_or(false);
        let on_full = on_full(options);
        let log = inside("shared").and_then(|option| option.args.first()).and_then(Arg::text);
        if on_full == OverflowPolicy::Drop(Victim::Oldest) && log.is_none() {
            let message = "on-full(drop-oldest) is not possible with `disk-buffer()`: a queue on disk does not take out what \
                           it has; drop-newest, drop-lowest-severity and hold are possible, and with shared() drop-oldest too";
            self.report.push(Diagnostic::error(call.name.span, message));
            return None;
        }
        let of_lane = options.own("capacity-bytes").and_then(Call::number);
        let of_lane = of_lane.and_then(|bytes| u64::try_from(bytes).ok());
        let Some(capacity) = of_lane.or(number("capacity-bytes")) else {
            let message =
                "`disk-buffer()` needs capacity-bytes(): the most bytes that it may take on the disk";
            self.report.push(Diagnostic::error(call.name.span, message));
            return None;
        };
        let name = match folder_name(id, options) {
            Ok(name) => name,
            Err(BadFolderName(name)) => {
                let message = format!(
                    "`{name}` cannot be the name of a folder, which the queue on disk needs: set persist-name()"
                );
                self.report.push(Diagnostic::error(call.name.span, message));
                return None;
            }
        };
        let dir = inside("dir").and_then(|option| option.args.first()).and_then(Arg::text).map(PathBuf::from);
        let dir = dir.map(|dir| std::path::absolute(&dir).unwrap_or(dir));
        let dir = dir.unwrap_or_else(|| self.environment.data.join(FOLDER));
        let (folder, consumer) = match log {
            None => (dir.join(name), None),
            Some(log) => (dir.join(format!("{log}{SHARED}")), Some(name)),
        };
        let place = consumer.as_ref().map_or_else(|| folder.clone(), |name| folder.join(name));
        if !self.queue_folders.insert(place.clone()) {
            let message = format!(
                "another destination keeps its queue in `{}` too: give each a persist-name() of its own",
                place.display()
            );
            self.report.push(Diagnostic::error(call.name.span, message));
            return None;
        }
        if let Some(log) = log {
            self.shared_log(call, log, &folder)?;
        }
        let mut buffer = DiskBuffer::new(folder, capacity);
        buffer.consumer = consumer;
        buffer.reliable = yes("reliable");
        buffer.on_full = on_full;
        let shared = self.globals.get("disk-buffer");
        let shared = |name: &str| shared.and_then(|call| call.option(name));
        let prealloc = inside("prealloc").or_else(|| shared("prealloc"));
        buffer.preallocate = prealloc.and_then(Call::truth).unwrap_or(false);
        let size = |name: &str| number(name).and_then(|number| usize::try_from(number).ok());
        buffer.memory_bytes = size("flow-control-window-bytes").unwrap_or(buffer.memory_bytes);
        buffer.memory_messages = size("front-cache-size").unwrap_or(0).max(DiskBuffer::MESSAGES_MIN);
        let written = inside("truncate-size-ratio").or_else(|| shared("truncate-size-ratio"));
        let written = written.and_then(Call::decimal);
        buffer.truncate_ratio = written.or(self.globals.is_older(TRUNCATES_TO_RATIO).then_some(0.0));
        Some(Some(buffer))
    }
}

impl Lowering<'_> {
    /// Checks `shared()`. `None` after an error, which is in the report.
    fn shared_log(&mut self, call: &Call, name: &str, folder: &Path) -> Option<()> {
        let inside = |name: &str| call.options().filter(|option| inner_name(option) == name).last();
        let sharers = self.queue_folders.iter().filter(|place| place.parent() == Some(folder)).count();
        let needless = ["prealloc", "truncate-size-ratio"].into_iter().find(|name| inside(name).is_some());
        let message = if !inside("reliable").and_then(Call::truth).unwrap_or(false) {
            "shared() needs reliable(yes): a queue that is not reliable writes nothing while its destination keeps up, so \
             that there is nothing to share"
                .to_owned()
        } else if !is_folder_name(name) {
            format!("`{name}` cannot be the name of a shared log, which is that of a folder")
        } else if let Some(option) = needless {
            format!("{option}() is not possible with shared(): the destinations of a log share its files")
        } else if sharers > SHARERS_MAX {
            format!("more than {SHARERS_MAX} destinations share the log `{name}`: give some of them another")
        } else {
            return Some(());
        };
        self.report.push(Diagnostic::error(call.name.span, message));
        None
    }
}

/// Returns whether a destination has a queue on disk for itself that is `reliable()`: one that keeps messages until they are settled.
pub(crate) fn is_reliable_alone(options: &Options<'_>) -> bool {
    let Some(call) = options.own("disk-buffer") else { return false };
    let inside = |name: &str| call.options().filter(|option| inner_name(option) == name).last();
    inside("reliable").and_then(Call::truth).unwrap_or(false) && inside("shared").is_none()
}

/// A name that cannot be that of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BadFolderName(pub(crate) String);

/// Returns the name of the folder of a destination: its `persist-name()`, else its id. The error is a name that cannot be one.
pub(crate) fn folder_name(id: &str, options: &Options<'_>) -> Result<String, BadFolderName> {
    // The end of the id distinguishes several queues of one driver.
    let part = id.rsplit_once('#').and_then(|(_, number)| number.split_once('.')).map(|(_, part)| part);
    let named = options.own_text("persist-name");
    let named = named.map(|name| part.map_or_else(|| name.clone(), |part| format!("{name}.{part}")));
    let name = named.unwrap_or_else(|| id.to_owned());
    if is_folder_name(&name) && !name.ends_with(SHARED) { Ok(name) } else { Err(BadFolderName(name)) }
}

fn is_folder_name(name: &str) -> bool {
    let is_safe = |letter: char| !matches!(letter, '/' | '\0') && !letter.is_control();
    !name.is_empty() && !name.starts_with('.') && name.len() <= 200 && name.chars().all(is_safe)
}

/// Returns the present name of an option inside `disk-buffer()`.
fn inner_name(option: &Call) -> String {
    let table = config::options::drivers(config::tree::Kind::Destination)
        .iter()
        .filter_map(|driver| config::options::row(driver.options, "disk-buffer"))
        .find_map(|row| match row.kind {
            ValueKind::Options(tables) => Some(tables),
            _ => None,
        });
    table.map_or_else(|| option.key(), |tables| present_name(tables, &option.key()))
}
