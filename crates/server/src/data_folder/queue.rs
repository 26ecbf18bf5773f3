//! `duramen queue`: inspects queues on disk (`disk-buffer()`) that no server uses.
//!
//! In: folders. Out: lists, figures, messages. Takes nothing out. Limits: one queue at a time is held open.

use super::dead_letters::{self, DeadOptions};
use crate::terminal;
use clap::{Args, Subcommand};
use delivery::{LookError, QueueSummary, look_into_queue, queues};
use message::Batch;
use pipeline::Definitions;
use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};
use template::{RenderOptions, Renderer, Site, Template, TemplateError, Version};

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
        /// Queues, or folders of queues
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
    /// Print the messages that wait
    Cat(CatOptions),
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
    /// Queues, or folders of queues
    #[arg(required = true)]
    folders: Vec<PathBuf>,
}

/// The reasons why queues are not shown, or not all of them.
#[derive(Debug)]
enum QueueError {
    /// A folder cannot be read.
    Folder { path: PathBuf, source: io::Error },
    /// There is no queue in a folder.
    NoQueue(PathBuf),
    /// A queue cannot be read.
    Unreadable(LookError),
    /// A part of a queue is damaged.
    Damaged(String),
    /// The template cannot be parsed.
    Template(TemplateError),
    /// The messages cannot be printed.
    Print(io::Error),
    /// Several queues have errors; the others were shown.
    Several(Vec<QueueError>),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueError::Folder { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            QueueError::NoQueue(folder) => write!(f, "there is no queue in {}", folder.display()),
            QueueError::Unreadable(error) => error.fmt(f),
            QueueError::Damaged(reason) => f.write_str(reason),
            QueueError::Template(error) => error.fmt(f),
            QueueError::Print(error) => write!(f, "cannot print: {error}"),
            QueueError::Several(errors) => {
                let lines: Vec<String> = errors.iter().map(QueueError::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for QueueError {}

/// Runs the verb.
pub(crate) fn run(options: &QueueOptions) -> ExitCode {
    let result = match &options.verb {
        QueueVerb::Ls { folder } => each(std::slice::from_ref(folder), |path| {
            let summary = look(path, &mut |_, _| {})?;
            outln!("{}\t{} messages\t{} bytes", path.display(), summary.messages, summary.bytes);
            Ok(summary)
        }),
        QueueVerb::Info { folders } => each(folders, |path| {
            let summary = look(path, &mut |_, _| {})?;
            outln!("Folder: {}", path.display());
            outln!("Messages: {}", summary.messages);
            outln!("First sequence number: {}", summary.first);
            outln!("Bytes on the disk: {}", summary.bytes);
            outln!("Damaged places: {}\n", summary.damages.len());
            Ok(summary)
        }),
        QueueVerb::Cat(options) => cat(options),
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

/// Reads the batches of a queue that wait, and describes it.
fn look(path: &Path, each: &mut dyn FnMut(&Batch, usize)) -> Result<QueueSummary, QueueError> {
    look_into_queue(path, each).map_err(QueueError::Unreadable)
}

/// Handles all queues; an unreadable one does not prevent the others from being shown.
fn each(
    folders: &[PathBuf],
    show: impl Fn(&Path) -> Result<QueueSummary, QueueError>,
) -> Result<(), QueueError> {
    let mut errors = Vec::new();
    for folder in folders {
        let found = queues(folder).map_err(|source| QueueError::Folder { path: folder.clone(), source })?;
        if found.is_empty() {
            errors.push(QueueError::NoQueue(folder.clone()));
        }
        for path in found {
            match show(&path) {
                Ok(summary) => errors.extend(summary.damages.into_iter().map(QueueError::Damaged)),
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
