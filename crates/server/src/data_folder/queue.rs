//! `duramen queue`: inspects queues on disk (`disk-buffer()`) that no server uses, moves them, and takes over those of
//! syslog-ng.
//!
//! In: folders, queue files of syslog-ng. Out: lists, figures, messages; queues. Takes no message out of a queue.
//! Limits: one queue at a time is held open.

mod diskq;
mod error;
mod import;
mod moves;

use super::dead_letters::{self, DeadOptions};
use crate::terminal;
use clap::{Args, Subcommand};
use delivery::{QueueSummary, is_consumer_file, look_into_queue, queues};
use diskq::DiskqSummary;
use error::QueueError;
use import::ImportOptions;
use message::Batch;
use moves::{AssignOptions, RelocateOptions, TruncateOptions};
use pipeline::Definitions;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};
use template::{RenderOptions, Renderer, Site, Template, Version};

/// The default template of `cat`, as in syslog-ng's dqtool.
const LINE: &str = "$DATE $HOST $MSGHDR$MSG\n";

/// Options of `queue`.
#[derive(Args, Debug)]
pub(crate) struct QueueOptions {
    #[command(subcommand)]
    verb: QueueVerb,
}

#[derive(Subcommand, Debug)]
enum QueueVerb {
    /// List the queues below a folder, with the number of messages that wait in each
    Ls {
        /// A queue, or a folder of queues
        #[arg(default_value = "/var/lib/duramen/disk-buffers")]
        folder: PathBuf,
    },
    /// Print the state of queues
    Info {
        /// Queues, folders of queues, or queue files of syslog-ng
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
    /// Print the messages that wait
    Cat(CatOptions),
    /// Append the messages of syslog-ng's queue files, or of a destination in a shared log, to a queue
    Import(ImportOptions),
    /// Move queues to another folder, which the option dir() of their disk-buffer() then has to name
    Relocate(RelocateOptions),
    /// Give a queue to another destination
    Assign(AssignOptions),
    /// Give back the space on disk that no waiting message needs
    Truncate(TruncateOptions),
    /// List, print, redeliver or remove dead letters: messages that a receiver refused for good
    Dead(DeadOptions),
}

#[derive(Args, Debug)]
struct CatOptions {
    /// Template of a printed message; \n is a line feed
    #[arg(short = 't', long)]
    template: Option<String>,
    /// Print control characters as they are, although a terminal may obey them
    #[arg(long)]
    raw: bool,
    /// Queues, folders of queues, or queue files of syslog-ng
    #[arg(required = true)]
    folders: Vec<PathBuf>,
}

/// Runs the verb.
pub(crate) fn run(options: &QueueOptions) -> ExitCode {
    let result = match &options.verb {
        QueueVerb::Ls { folder } => each(std::slice::from_ref(folder), |path| {
            let found = look(path, &mut |_, _| {})?;
            outln!("{}\t{} messages\t{} bytes", path.display(), found.messages, found.bytes);
            Ok(found)
        }),
        QueueVerb::Info { folders } => each(folders, |path| {
            let found = look(path, &mut |_, _| {})?;
            outln!(
                "{}: {}",
                match found.first {
                    None => "File of syslog-ng",
                    Some(_) if is_consumer_file(path) => "Destination of a shared log",
                    Some(_) => "Folder",
                },
                path.display()
            );
            outln!("Messages: {}", found.messages);
            found.first.iter().for_each(|first| outln!("First sequence number: {first}"));
            outln!("Bytes on the disk: {}", found.bytes);
            outln!("Damaged places: {}\n", found.damages.len());
            Ok(found)
        }),
        QueueVerb::Cat(options) => cat(options),
        QueueVerb::Import(options) => import::run(options),
        QueueVerb::Relocate(options) => moves::relocate(options).map_err(QueueError::Move),
        QueueVerb::Assign(options) => moves::assign(options).map_err(QueueError::Move),
        QueueVerb::Truncate(options) => moves::truncate(options).map_err(QueueError::Move),
        QueueVerb::Dead(options) => return dead_letters::run(options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: {}", terminal::lines(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Contents of a queue of ours, or of a queue file of syslog-ng.
struct Contents {
    messages: u64,
    /// Sequence number of the first message; `None` for a file of syslog-ng.
    first: Option<u64>,
    bytes: u64,
    damages: Vec<String>,
}

impl From<QueueSummary> for Contents {
    fn from(QueueSummary { messages, first, bytes, damages }: QueueSummary) -> Contents {
        Contents { messages, first: Some(first), bytes, damages }
    }
}

impl From<DiskqSummary> for Contents {
    fn from(DiskqSummary { messages, bytes, damages, .. }: DiskqSummary) -> Contents {
        Contents { messages, first: None, bytes, damages }
    }
}

/// Reads the batches of a queue that wait, and describes it.
fn look(path: &Path, each: &mut dyn FnMut(&Batch, usize)) -> Result<Contents, QueueError> {
    if diskq::is_diskq(path) {
        let mut all = |batch: &Batch| {
            each(batch, 0);
            true
        };
        return diskq::read(path, &mut all).map(Contents::from).map_err(QueueError::Diskq);
    }
    look_into_queue(path, each).map(Contents::from).map_err(QueueError::Unreadable)
}

/// Handles all queues; an unreadable one does not prevent the others from being shown.
fn each(paths: &[PathBuf], show: impl Fn(&Path) -> Result<Contents, QueueError>) -> Result<(), QueueError> {
    let mut errors = Vec::new();
    for path in paths {
        let found = match diskq::is_diskq(path) {
            true => vec![path.clone()],
            false => queues(path).map_err(|source| QueueError::Folder { path: path.clone(), source })?,
        };
        if found.is_empty() {
            errors.push(QueueError::NoQueue(path.clone()));
        }
        for path in found {
            match show(&path) {
                Ok(found) => errors.extend(found.damages.into_iter().map(QueueError::Damaged)),
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(QueueError::Several(errors)) }
}

fn cat(options: &CatOptions) -> Result<(), QueueError> {
    let text = options.template.as_deref().map_or_else(|| LINE.to_owned(), |text| text.replace("\\n", "\n"));
    let definitions = Definitions::new(Version { major: 4, minor: 8 });
    let template = Template::parse(&text, &definitions).map_err(QueueError::Template)?;
    each(&options.folders, |path| {
        let mut renderer = Renderer::new(RenderOptions::default(), Arc::new(Site::default()));
        let mut out = terminal::output();
        let mut failed = Ok(());
        let summary = look(path, &mut |batch, skipped| {
            let mut lines = Vec::new();
            for index in skipped..batch.len() {
                template.render(batch, index, &mut renderer, &mut lines);
            }
            if failed.is_ok() {
                failed = match options.raw {
                    true => out.write_all(&lines),
                    false => out.write_all(terminal::multiline_bytes(&lines).as_bytes()),
                };
            }
        })?;
        match failed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(QueueError::Print(error)),
            _ => Ok(summary),
        }
    })
}
