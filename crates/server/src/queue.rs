//! `duramen queue`: inspects queues on disk (`disk-buffer()`) that no server uses.
//!
//! In: folders. Out: lists, figures, messages. Takes nothing out. Limits: one queue at a time is held open.

use crate::terminal;
use clap::{Args, Subcommand};
use delivery::{QueueSummary, look_into_queue, queues};
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
    /// List the queues below a folder, with the messages that wait in each
    Ls {
        /// A queue, or a folder of queues
        #[arg(default_value = "/var/lib/duramen/disk-buffers")]
        folder: PathBuf,
    },
    /// Print figures of queues
    Info {
        /// Queues, or folders of queues
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
    /// Print the messages that wait
    Cat {
        /// Template of a printed message; \n is a line feed
        #[arg(short = 't', long)]
        template: Option<String>,
        /// Print control characters as they are: a terminal obeys them
        #[arg(long)]
        raw: bool,
        /// Queues, or folders of queues
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
}

/// Runs the verb.
pub(crate) fn run(options: &QueueOptions) -> ExitCode {
    let result = match &options.verb {
        QueueVerb::Ls { folder } => each(std::slice::from_ref(folder), |path| {
            let summary = look_into_queue(path, &mut |_, _| {}).map_err(|error| error.to_string())?;
            outln!("{}\t{} messages\t{} bytes", path.display(), summary.messages, summary.bytes);
            Ok(summary)
        }),
        QueueVerb::Info { folders } => each(folders, |path| {
            let summary = look_into_queue(path, &mut |_, _| {}).map_err(|error| error.to_string())?;
            outln!("Folder: {}", path.display());
            outln!("Messages: {}", summary.messages);
            outln!("First sequence number: {}", summary.first);
            outln!("Bytes on the disk: {}", summary.bytes);
            outln!("Damaged places: {}\n", summary.damages.len());
            Ok(summary)
        }),
        QueueVerb::Cat { template, raw, folders } => cat(template.as_deref(), *raw, folders),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: {}", terminal::lines(&error));
            ExitCode::FAILURE
        }
    }
}

/// Works through all queues; an unreadable one does not keep the others from being shown.
fn each(folders: &[PathBuf], show: impl Fn(&Path) -> Result<QueueSummary, String>) -> Result<(), String> {
    let mut errors = Vec::new();
    for folder in folders {
        let found = queues(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        if found.is_empty() {
            errors.push(format!("there is no queue in {}", folder.display()));
        }
        for path in found {
            match show(&path) {
                Ok(summary) => errors.extend(summary.damages),
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

fn cat(template: Option<&str>, raw: bool, folders: &[PathBuf]) -> Result<(), String> {
    let text = template.map_or_else(|| LINE.to_owned(), |text| text.replace("\\n", "\n"));
    let definitions = Definitions::new(Version { major: 4, minor: 8 });
    let template = Template::parse(&text, &definitions).map_err(|error| error.to_string())?;
    each(folders, |path| {
        let mut renderer = Renderer::new(RenderOptions::default(), Arc::new(Site::default()));
        let mut out = io::stdout().lock();
        let mut failed = Ok(());
        let summary = look_into_queue(path, &mut |batch, skipped| {
            let mut lines = Vec::new();
            for index in skipped..batch.len() {
                template.render(batch, index, &mut renderer, &mut lines);
            }
            if failed.is_ok() {
                failed = match raw {
                    true => out.write_all(&lines),
                    false => out.write_all(terminal::multiline_bytes(&lines).as_bytes()),
                };
            }
        })
        .map_err(|error| error.to_string())?;
        match failed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot print: {error}")),
            _ => Ok(summary),
        }
    })
}
