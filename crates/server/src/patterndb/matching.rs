//! `patterndb match`: classifies messages with a database.
//!
//! In: a message, or a file of them. Out: all values of each, or a template; with `--debug-pattern` the path of the
//! search. The status is 1 when the last message has no class. Limits: lines of 64 KiB.

use super::database::{DatabaseOptions, load};
use crate::terminal;
use clap::Args;
use jiff::tz::TimeZone;
use message::{Ack, Batch, Field, FieldName, Marks, Message, Origin, Selection, Span, Stamp};
use pipeline::{
    Definitions, Filter,
    correlation::Inject,
    filter::{self, FilterTextError},
    parser::{Input, Parser},
    patterndb::{Database, DbOptions, DbParser, SearchStep},
};
use std::{
    borrow::Cow,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};
use template::{Condition, RenderOptions, Renderer, Template, TemplateError, Version};
use wire::{DecodeOptions, Decoder, ParseFlags};

/// Longest line of a file.
const LINE_BYTES_MAX: usize = 64 << 10;

#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    database: DatabaseOptions,
    /// Program name to match as $PROGRAM
    #[arg(short = 'P', long)]
    program: Option<String>,
    /// Message to match as $MSG
    #[arg(short = 'M', long, allow_hyphen_values = true)]
    message: Option<String>,
    /// Print debugging information on pattern matching
    #[arg(short = 'D', long)]
    debug_pattern: bool,
    /// Output debugging information in parseable format
    #[arg(short = 'C', long)]
    debug_csv: bool,
    /// Color terminal output
    #[arg(short, long)]
    color_out: bool,
    /// Template string to be used to format the output
    #[arg(short = 'T', long)]
    template: Option<String>,
    /// Read the messages from the file specified
    #[arg(short, long)]
    file: Option<PathBuf>,
    /// Only print messages matching the specified filter
    #[arg(short = 'F', long)]
    filter: Option<String>,
}

/// The reasons why messages are not matched.
#[derive(Debug)]
enum MatchError {
    /// The template cannot be parsed.
    Template { text: String, source: TemplateError },
    /// The filter cannot be parsed.
    Filter(FilterTextError),
    /// The file of messages cannot be opened.
    Open(io::Error),
    /// The file of messages cannot be read to its end.
    Read { path: PathBuf, source: io::Error },
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchError::Template { text, source } => {
                write!(f, "Error compiling template: {text}, error: {source}")
            }
            MatchError::Filter(error) => write!(f, "Error parsing filter expression: {error}"),
            MatchError::Open(error) => write!(f, "Error opening file to be processed: {error}"),
            MatchError::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for MatchError {}

/// A decoder of lines, as syslog-ng reads them here: RFC 5424 or RFC 3164.
pub(super) fn decoder() -> Decoder {
    let mut options = DecodeOptions { zone: TimeZone::system(), ..DecodeOptions::default() };
    for flag in [ParseFlags::SYSLOG_PROTOCOL, ParseFlags::EXPECT_HOSTNAME] {
        options.flags = options.flags.with(flag);
    }
    Decoder::new(options)
}

pub(super) fn run(options: &Options) -> ExitCode {
    if options.message.is_none() && options.file.is_none() {
        errln!("Either -M or -f is required to specify which message to match");
        return ExitCode::FAILURE;
    }
    match matched(options) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            errln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn matched(options: &Options) -> Result<u8, MatchError> {
    let around = Definitions::new(Version::CURRENT);
    let template = match &options.template {
        Some(text) => Some(
            Template::parse(&unescaped(text), &around)
                .map_err(|source| MatchError::Template { text: text.clone(), source })?,
        ),
        None => None,
    };
    let filter = match &options.filter {
        Some(text) => {
            let expression = filter::parse(text, &around);
            Some(Filter::new(expression.map_err(MatchError::Filter)?))
        }
        None => None,
    };
    let Some(database) = load(&options.database.pdb) else { return Ok(1) };
    let database = Arc::new(database);
    let mut printer = Printer {
        options,
        template,
        filter,
        renderer: Renderer::new(RenderOptions::default(), Arc::default()),
        status: 0,
        out: Vec::new(),
    };
    let made = DbOptions {
        program: Input::program(),
        message: Input::message(),
        drop_unmatched: false,
        inject: Inject::PassThrough,
    };
    let parser = DbParser::new(database.clone(), Arc::default(), made);
    match &options.file {
        None => printer.one(own_message(options), &parser, &database),
        Some(path) => {
            let file: Box<dyn BufRead> = match path.as_os_str() == "-" {
                true => Box::new(io::stdin().lock()),
                false => Box::new(BufReader::new(File::open(path).map_err(MatchError::Open)?)),
            };
            let mut decoder = decoder();
            for line in file.split(b'\n') {
                let mut line = line.map_err(|source| MatchError::Read { path: path.clone(), source })?;
                line.truncate(LINE_BYTES_MAX);
                let length = line.len();
                let mut batch =
                    Batch::new(Arc::new(line), vec![Arc::new(Origin::default())], now(), Ack::none());
                decoder.decode(&mut batch, Span::received(0, length), Marks::NONE, 0);
                printer.one(batch, &parser, &database);
            }
        }
    }
    let mut batches = Vec::new();
    parser.end_contexts(&mut printer.renderer, &mut batches);
    batches.iter().for_each(|batch| printer.print(batch));
    printer.flush();
    Ok(printer.status)
}

fn now() -> Stamp {
    Stamp::known(jiff::Timestamp::now().as_microsecond(), 0)
}

/// Makes the message of the command line.
fn own_message(options: &Options) -> Batch {
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], now(), Ack::none());
    let mut message = Message::default();
    message.event = batch.received;
    batch.messages.push(message);
    for (field, text) in [(Field::Message, &options.message), (Field::Program, &options.program)] {
        let span = batch.add_extra(text.as_deref().unwrap_or_default().as_bytes());
        batch.set_fixed(0, field, span);
    }
    batch
}

/// `\n` and its like in a template of the command line.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.extend(characters.next().map(|escaped| match escaped {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            })),
            other => out.push(other),
        }
    }
    out
}

struct Printer<'a> {
    options: &'a Options,
    template: Option<Template>,
    filter: Option<Filter>,
    renderer: Renderer,
    status: u8,
    out: Vec<u8>,
}

impl Printer<'_> {
    /// Classifies a message and prints it, after the messages generated from it.
    fn one(&mut self, mut batch: Batch, parser: &DbParser, database: &Database) {
        self.renderer.now = batch.received;
        let mut made = Vec::new();
        let text = batch.fixed(0, Field::Message).to_vec();
        let program = String::from_utf8_lossy(batch.fixed(0, Field::Program)).into_owned();
        parser.parse_making(&mut batch, &Selection::all(1), &mut self.renderer, &mut made);
        if self.options.debug_pattern {
            self.explain(&database.explain(&program, &text), &text);
        } else {
            made.iter().for_each(|batch| self.print(batch));
        }
        self.print(&batch);
        self.flush();
    }

    fn say(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn flush(&mut self) {
        let is_shown = io::stdout().is_terminal();
        let shown = match is_shown.then(|| terminal::multiline_bytes(&self.out)) {
            // The colours of a search's path are ours.
            Some(_) if self.options.debug_pattern => {
                Cow::Owned(terminal::styled(&String::from_utf8_lossy(&self.out)).into_bytes())
            }
            Some(text) => Cow::Owned(text.into_owned().into_bytes()),
            None => Cow::Borrowed(self.out.as_slice()),
        };
        // The reader may have closed the pipe.
        let _ = terminal::output().write_all(&shown);
        self.out.clear();
    }

    fn print(&mut self, batch: &Batch) {
        for index in 0..batch.len() {
            if !self.filter.as_ref().is_none_or(|filter| filter.holds(batch, index, &mut self.renderer)) {
                continue;
            }
            if let Some(template) = self.template.as_ref().filter(|_| !self.options.debug_pattern) {
                template.render(batch, index, &mut self.renderer, &mut self.out);
                continue;
            }
            if self.options.debug_pattern && !self.options.debug_csv {
                self.say("\nValues:\n");
            }
            for field in
                [Field::Host, Field::Message, Field::Program, Field::Pid, Field::Msgid, Field::LegacyMsghdr]
            {
                let value = String::from_utf8_lossy(batch.fixed(index, field)).into_owned();
                if !value.is_empty() {
                    self.say(&format!("{}={value}\n", FieldName::Fixed(field).as_str()));
                }
            }
            for (name, value, _) in batch.values(index).into_iter().rev() {
                match name {
                    b".classifier.rule_id" => self.status = 0,
                    b".classifier.class" if value == b"unknown" => self.status = 1,
                    _ => {}
                }
                let line = format!("{}={}\n", String::from_utf8_lossy(name), String::from_utf8_lossy(value));
                self.say(&line);
            }
            self.say(&format!("TAGS={}\n\n", batch.tags(index).join(",")));
        }
    }

    /// Prints the path of a search.
    fn explain(&mut self, steps: &[SearchStep], text: &[u8]) {
        let [trailing, parser, literal, partial] = match self.options.color_out {
            true => ["\x1b[01;34m", "\x1b[0;33m", "\x1b[01;32m", "\x1b[01;31m"],
            false => [""; 4],
        };
        let plain = "\x1b[01;0m";
        let part = |from: usize, length: usize| {
            let to = (from + length).min(text.len());
            String::from_utf8_lossy(text.get(from..to).unwrap_or_default()).into_owned()
        };
        let is_whole =
            |step: &SearchStep| step.literal.as_ref().is_some_and(|literal| literal.len() == step.length);
        if self.options.debug_csv {
            self.say("PDBTOOL_HEADER=i:len:key;keylen:match_off;match_len:parser_type:parser_name\n");
            for (place, step) in steps.iter().enumerate() {
                let size = step.literal.as_ref().map_or(-1, |literal| literal.len() as i64);
                let (kind, name) = step.parser.clone().unwrap_or_default();
                let (length, at, value) = (step.length, step.value_at, step.value_length);
                self.say(&format!("PDBTOOL_DEBUG={place}:{length}:{size}:{at}:{value}:{kind}:{name}\n"));
            }
            return;
        }
        self.say("Pattern matching part:\n");
        let mut at = 0;
        for step in steps {
            at += step.length;
            let shown = match (&step.parser, &step.literal) {
                (Some((kind, name)), _) if name.is_empty() => format!("{parser}@{kind}:=@{plain}"),
                (Some((kind, name)), _) => {
                    format!("{parser}@{kind}:{name}={}@{plain}", part(step.value_at, step.value_length))
                }
                (None, Some(text)) if is_whole(step) => format!("{literal}{text}{plain}"),
                (None, text) => {
                    let begun = text.as_ref().and_then(|text| text.get(..step.length)).unwrap_or_default();
                    format!("{partial}{begun}{plain}")
                }
            };
            self.say(&shown);
        }
        self.say(&format!("{trailing}{}{plain}\nMatching part:\n", part(at, text.len())));
        let mut at = 0;
        for step in steps {
            let color = match (&step.parser, is_whole(step)) {
                (Some(_), _) => parser,
                (None, true) => literal,
                (None, false) => partial,
            };
            self.say(&format!("{color}{}{plain}", part(at, step.length)));
            at += step.length;
        }
    }
}
