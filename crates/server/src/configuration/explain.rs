//! `duramen explain`: shows step by step what a configuration does with a message.
//!
//! In: a configuration and messages. Out: their way through the paths as text or JSON, on standard output.
//! The paths are those that the server runs, and messages are read as their source reads them; nothing is opened,
//! sent or written. Holds: nothing. Limits: [`MESSAGES_MAX`] messages.

mod fields;
mod recorder;
mod story;
mod text;

#[cfg(test)]
mod tests;

use super::check;
use crate::{
    assemble::{self, Environment, Parts},
    terminal,
};
use clap::Args;
use config::{Disk, Surroundings};
use fields::shown;
use intake::{Rehearsal, SourceSpec};
use message::{Batch, Format, Intake, Mark, Selection, Stamp, WriteBudget};
use pipeline::{Router, correlation::Sink};
use recorder::{LogspaceName, Recorder};
use std::{
    collections::HashMap,
    fmt, fs,
    io::{self, IsTerminal, Write},
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};
use story::{Elsewhere, Story};
use template::Renderer;
use text::{Colours, Page};

/// Most messages of one run: more is a load test.
const MESSAGES_MAX: usize = 10_000;

/// Time that is simulated to have passed, so that parsers release what they hold back: longer than any usual
/// timeout.
const DAY_US: i64 = 86_400_000_000;

/// Options of `explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainOptions {
    /// Configuration, in syslog-ng's language
    #[arg(default_value = "/etc/duramen/duramen.conf")]
    config: PathBuf,
    /// A complete message, as its sender sends it; may be given several times
    #[arg(short = 'm', long)]
    message: Vec<String>,
    /// A file of messages, split into messages as the source would do; `-` is standard input
    #[arg(long, value_name = "FILE")]
    message_file: Option<PathBuf>,
    /// The source that they arrive at: its name, or `NAME#1` for its second driver; the first one when left
    /// /// out
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Address of the sender, for sources that listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    peer: IpAddr,
    /// Print one JSON object a message
    #[arg(long)]
    json: bool,
}

/// The reasons why nothing is explained.
#[derive(Debug)]
enum ExplainError {
    /// The command line has no message.
    NoMessage,
    /// The configuration has errors: the findings, as a text of several lines.
    Findings(String),
    /// No log path has a source.
    NoSource,
    /// No log path uses the requested source.
    UnknownSource {
        name: String,
        /// The ids that there are.
        known: Vec<String>,
    },
    /// The file of messages cannot be read.
    Read { path: PathBuf, source: io::Error },
    /// The input contains no message.
    Empty,
    /// A story cannot be written as JSON.
    Json(serde_json::Error),
}

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExplainError::NoMessage => f.write_str("which message? --message TEXT or --message-file FILE"),
            ExplainError::Findings(text) => f.write_str(text),
            ExplainError::NoSource => f.write_str("no log path of this configuration has a source"),
            ExplainError::UnknownSource { name, known } => {
                write!(f, "no log path uses a source {name}: there are {}", known.join(", "))
            }
            ExplainError::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            ExplainError::Empty => f.write_str("there is no message in it"),
            ExplainError::Json(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExplainError {}

/// Prints the trace of each message.
pub(crate) fn run(options: &ExplainOptions) -> ExitCode {
    match explained(options, &Disk::default()) {
        Ok(text) => match terminal::output().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(ExplainError::Findings(text)) => {
            terminal::complain_styled(&text);
            ExitCode::FAILURE
        }
        Err(error) => {
            terminal::complain_styled(&format!("duramen: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

fn explained(options: &ExplainOptions, surroundings: &dyn Surroundings) -> Result<String, ExplainError> {
    if options.message.is_empty() && options.message_file.is_none() {
        return Err(ExplainError::NoMessage);
    }
    let injected = Arc::new(Collected::default());
    let mut parts = parts(&options.config, surroundings, &injected)?;
    let spec = source(&parts, options.source.as_deref())?;
    let batches = received(spec.clone(), options)?;
    let plan = parts.router.plan();
    let renderer = Renderer::new(plan.options.clone(), plan.site.clone());
    let plain = parts.logspaces.iter().map(|spec| (spec.id.clone(), LogspaceName::Plain(spec.name.clone())));
    let families = std::mem::take(&mut parts.families).into_iter();
    let families = families.map(|spec| (spec.base.id, LogspaceName::OfMessage(spec.names)));
    let logspaces: HashMap<String, LogspaceName> = plain.chain(families).collect();
    let mut recorder = Recorder::new(renderer, std::mem::take(&mut parts.destinations), logspaces);
    let is_coloured = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut page = Page::new(if is_coloured { Colours::TERMINAL } else { Colours::NONE });
    let mut lines = String::new();
    let mut last = None;
    for (number, batch) in batches.into_iter().flat_map(singles).take(MESSAGES_MAX).enumerate() {
        last = Some(batch.received);
        let mut story = story(batch, &spec, &parts.router, &mut recorder);
        story.events.extend(recorder.made_for_internal(injected.take_all()));
        page.story(number + 1, &story);
        lines.push_str(&serde_json::to_string(&story).map_err(ExplainError::Json)?);
        lines.push('\n');
    }
    let last = last.ok_or(ExplainError::Empty)?;
    let later = Stamp { unix_us: last.unix_us + DAY_US, ..last };
    parts.router.end_traced(later, &mut recorder);
    let mut held = recorder.take();
    held.extend(recorder.made_for_internal(injected.take_all()));
    if !held.is_empty() {
        page.held_back(&held);
        let held = serde_json::json!({ "held_back": held });
        lines.push_str(&format!("{held}\n"));
    }
    Ok(if options.json { lines } else { page.into_text() })
}

/// Makes the parts of a configuration, with labels.
fn parts(
    path: &Path,
    surroundings: &dyn Surroundings,
    injected: &Arc<Collected>,
) -> Result<Parts, ExplainError> {
    let mut checked = assemble::check(path, surroundings);
    let injected = injected.clone();
    let environment =
        Environment::for_trial(Sink(Arc::new(move |batch| injected.take(batch, &WriteBudget::none()))));
    let parts = match checked.report.is_usable() {
        true => assemble::build(&checked.tree, &environment, &mut checked.report),
        false => None,
    };
    parts.ok_or_else(|| ExplainError::Findings(check::rendered(&checked)))
}

/// Returns the source that messages arrive by.
fn source(parts: &Parts, name: Option<&str>) -> Result<SourceSpec, ExplainError> {
    let fits = |spec: &&SourceSpec| match name {
        Some(name) => spec.id == name || message::source_name(&spec.id) == name,
        None => true,
    };
    parts.sources.iter().find(fits).cloned().ok_or_else(|| {
        let known: Vec<String> = parts.sources.iter().map(|spec| spec.id.clone()).collect();
        match name {
            Some(name) if !known.is_empty() => ExplainError::UnknownSource { name: name.to_owned(), known },
            // Without a name every source fits.
            _ => ExplainError::NoSource,
        }
    })
}

/// Collects the batches of a source.
#[derive(Default)]
struct Collected(Mutex<Vec<Batch>>);

impl Collected {
    fn take_all(&self) -> Vec<Batch> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Intake for Collected {
    fn take(&self, batch: Batch, _budget: &WriteBudget) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
    }
}

fn received(spec: SourceSpec, options: &ExplainOptions) -> Result<Vec<Batch>, ExplainError> {
    let collected = Arc::new(Collected::default());
    let listens = matches!(&spec.driver, intake::SourceDriver::Stream(_) | intake::SourceDriver::Datagram(_));
    let peer = listens.then(|| SocketAddr::new(options.peer, 0));
    let mut reader = Rehearsal::new(SourceSpec { intake: collected.clone(), ..spec }, peer);
    for message in &options.message {
        reader.message(message.as_bytes());
    }
    if let Some(path) = &options.message_file {
        let bytes = match path.as_os_str() == "-" {
            true => io::read_to_string(io::stdin()).map(String::into_bytes),
            false => fs::read(path),
        };
        reader.stream(&bytes.map_err(|source| ExplainError::Read { path: path.clone(), source })?);
    }
    drop(reader);
    Ok(collected.take_all())
}

/// Splits a batch into its messages.
fn singles(batch: Batch) -> impl Iterator<Item = Batch> {
    (0..batch.len()).map(move |index| {
        let mut one = Selection::none(batch.len());
        one.add(index);
        let mut single = batch.copy_of(&one);
        single.rcptid = batch.rcptid_of(index);
        single
    })
}

/// Runs one message.
fn story(batch: Batch, spec: &SourceSpec, router: &Router, recorder: &mut Recorder) -> Story {
    let message = &batch.messages[0];
    let mut story = Story {
        source: message::source_name(&spec.options.source).to_owned(),
        driver: format!("driver {} ({})", spec.id, spec.component),
        raw: shown(batch.bytes(message.raw)),
        format: message.format.name(),
        read_as: read_as(&batch),
        oddities: message.marks.tags().collect(),
        fields: recorder.fields(&batch, 0),
        events: Vec::new(),
        not_entered: not_entered(router, &spec.options.source),
        deliveries: 0,
        stopped_by: Vec::new(),
    };
    router.take_traced(batch, recorder);
    story.events = recorder.take();
    story.deliveries = story.events.iter().map(story::Node::deliveries).sum();
    if story.deliveries == 0 {
        story.events.iter().for_each(|event| event.stops(&mut story.stopped_by));
    }
    story
}

/// Names the dialect and the reason why it was recognised.
fn read_as(batch: &Batch) -> String {
    let message = &batch.messages[0];
    let assumed = message.marks.has(Mark::MissingPri) || message.marks.has(Mark::InvalidPri);
    let pri = if assumed {
        "without a valid <PRI> (what default-priority() says is assumed)"
    } else {
        "by its <PRI>"
    };
    match message.format {
        Format::Rfc5424 => "RFC 5424, by the version 1 behind its <PRI>".to_owned(),
        Format::Rfc3164 if resembles_rfc5424(batch.bytes(message.raw)) => {
            "RFC 3164, as this source reads everything; it looks like RFC 5424: use syslog(), or flags(syslog-protocol)"
                .to_owned()
        }
        Format::Rfc3164 if message.marks.has(Mark::MissingHeader) => {
            format!("RFC 3164 {pri}, with neither time nor host: the rest is the message")
        }
        Format::Rfc3164 => format!("RFC 3164 {pri}"),
        Format::Raw => "one text: nothing of it is parsed".to_owned(),
        Format::Internal | Format::DevKmsg | Format::Journal => message.format.name().to_owned(),
    }
}

/// Returns true if the text begins with `<PRI>1 `, as messages of RFC 5424 do.
fn resembles_rfc5424(raw: &[u8]) -> bool {
    let header = raw.strip_prefix(b"<").and_then(|rest| rest.splitn(2, |byte| *byte == b'>').nth(1));
    header.is_some_and(|rest| rest.starts_with(b"1 "))
}

/// Returns the top-level paths for other sources.
fn not_entered(router: &Router, source: &str) -> Vec<Elsewhere> {
    let entered = router.paths_of(source);
    let paths = router.plan().paths.iter().enumerate().filter(|(index, _)| !entered.contains(index));
    let paths = paths.filter_map(|(_, path)| {
        let label = path.label.as_ref()?;
        let sources = path.sources.iter().map(|source| message::source_name(source).to_owned()).collect();
        Some(Elsewhere { path: label.what.clone(), place: label.place.clone(), sources })
    });
    paths.collect()
}
