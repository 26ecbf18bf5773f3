//! `duramen queue dead`: messages that receivers refused permanently.
//!
//! In: options; the stores of a running server, over its control socket, or those of a folder that no server uses.
//! Out: lists, letters, numbers of removed or delivered ones. Holds: one open store at a time.
//! Limits: only a running server replays.

mod work;

pub(crate) use work::{DeadRequest, DeadStore, DeadWorkError, PrivateKey, Verb};

use super::logspace::{KeyFiles, VerbError};
use crate::{
    control::{Reply, follow},
    terminal,
};
use clap::{Args, Subcommand};
use delivery::{StoreError, dead_folders, look_at_dead};
use pipeline::Definitions;
use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};
use template::{Site, Version};

/// Options of `queue dead`.
#[derive(Args, Debug)]
pub(crate) struct DeadOptions {
    /// The control socket of the server
    #[arg(
        short = 'c',
        long,
        default_value = "/var/lib/duramen/duramen.ctl",
        env = "DURAMEN_CONTROL",
        global = true,
        value_name = "SOCKET"
    )]
    control: PathBuf,
    /// Read the dead letters below this folder, which no server may have open, instead of asking a server
    #[arg(long, global = true, value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(subcommand)]
    verb: DeadVerb,
}

#[derive(Subcommand, Debug)]
enum DeadVerb {
    /// List the destinations that have dead letters, with their number
    Ls,
    /// Print letters: when and why each was refused, what it was for, and the message
    Cat {
        #[command(flatten)]
        which: Which,
        /// Template of a printed message; \n is a line feed
        #[arg(short = 't', long)]
        template: Option<String>,
        /// Print control characters as they are, although a terminal may obey them
        #[arg(long)]
        raw: bool,
    },
    /// Deliver letters again, with the current configuration, and wait for the outcome
    Replay {
        #[command(flatten)]
        which: Which,
    },
    /// Remove letters for good
    Drop {
        #[command(flatten)]
        which: Which,
    },
}

/// The letters that a verb is about.
#[derive(Args, Debug)]
struct Which {
    /// The destination, such as `d_sql#0`
    destination: String,
    /// Only those refused for this reason
    #[arg(long)]
    reason: Option<String>,
    /// Only those for this table, topic or index
    #[arg(long)]
    of: Option<String>,
    /// Only the one with this id
    #[arg(long)]
    id: Option<String>,
    #[command(flatten)]
    keys: KeyFiles,
}

impl Which {
    fn request(&self, verb: Verb, template: Option<&String>) -> Result<DeadRequest, DeadError> {
        let keys = self.keys.identities().map_err(DeadError::Key)?;
        Ok(DeadRequest {
            verb,
            destination: self.destination.clone(),
            reason: self.reason.clone(),
            of: self.of.clone(),
            id: self.id.clone(),
            template: template.cloned(),
            keys: keys.iter().map(PrivateKey::of).collect(),
        })
    }
}

/// The reason why nothing, or not all, could be done.
#[derive(Debug)]
enum DeadError {
    /// A folder cannot be read.
    Folder { path: PathBuf, source: io::Error },
    /// A store cannot be opened.
    Store(StoreError),
    /// A private key cannot be used.
    Key(VerbError),
    /// The work failed.
    Work(DeadWorkError),
    /// The server refused the request.
    Server(String),
    /// The server cannot be reached, or the output cannot be written.
    Io(io::Error),
    /// The server hung up.
    HungUp,
}

impl fmt::Display for DeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeadError::Folder { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            DeadError::Store(error) => error.fmt(f),
            DeadError::Key(error) => error.fmt(f),
            DeadError::Work(error) => error.fmt(f),
            DeadError::Server(text) => f.write_str(text.trim_end()),
            DeadError::Io(error) => error.fmt(f),
            DeadError::HungUp => f.write_str("the server hung up"),
        }
    }
}

impl std::error::Error for DeadError {}

/// Runs the verb.
pub(crate) fn run(options: &DeadOptions) -> ExitCode {
    match work(options) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of standard output has closed the pipe, which is its normal end.
        Err(DeadError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: {}", terminal::lines(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

fn work(options: &DeadOptions) -> Result<(), DeadError> {
    let request = match &options.verb {
        DeadVerb::Ls => DeadRequest::list(),
        DeadVerb::Cat { which, template, .. } => which.request(Verb::Cat, template.as_ref())?,
        DeadVerb::Replay { which } => which.request(Verb::Replay, None)?,
        DeadVerb::Drop { which } => which.request(Verb::Drop, None)?,
    };
    let controls = match &options.verb {
        DeadVerb::Cat { raw: true, .. } => Controls::AsTheyAre,
        _ => Controls::Escaped,
    };
    match &options.folder {
        Some(folder) => in_folder(folder, &request, controls),
        None => at_server(&options.control, &request, controls),
    }
}

/// The printing of control characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Controls {
    /// A terminal must not obey them.
    Escaped,
    /// `--raw`
    AsTheyAre,
}

fn print(line: &str, controls: Controls) -> io::Result<()> {
    let mut out = terminal::output();
    if controls == Controls::AsTheyAre {
        return writeln!(out, "{line}");
    }
    writeln!(out, "{}", terminal::line(line))
}

fn at_server(control: &Path, request: &DeadRequest, controls: Controls) -> Result<(), DeadError> {
    let text = serde_json::to_string(request).map_err(|error| DeadError::Io(error.into()))?;
    let mut ended = false;
    let reply = follow(control, &format!("DEAD {text}"), &mut |line| {
        match line.split_at_checked(1) {
            Some(("M", text)) => print(text, controls)?,
            Some(("N", "end")) => ended = true,
            Some(("E", text)) => {
                return Err(io::Error::other(text.to_owned()));
            }
            _ => {}
        }
        Ok(!ended)
    });
    match reply.map_err(DeadError::Io)? {
        Reply::Done(_) if ended => Ok(()),
        Reply::Done(_) => Err(DeadError::HungUp),
        Reply::Failed(why) => Err(DeadError::Server(why)),
    }
}

fn in_folder(folder: &Path, request: &DeadRequest, controls: Controls) -> Result<(), DeadError> {
    let failed = |source| DeadError::Folder { path: folder.to_owned(), source };
    let mut stores = Vec::new();
    for path in dead_folders(folder).map_err(failed)? {
        let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let letters = look_at_dead(&path).map_err(DeadError::Store)?;
        stores.push(DeadStore { id, letters: Arc::new(letters), outlet: None });
    }
    let definitions = Definitions::new(Version { major: 4, minor: 8 });
    request
        .work(&stores, &definitions, &Arc::new(Site::default()), &mut |line| print(line, controls), &|| false)
        .map_err(DeadError::Work)
}
