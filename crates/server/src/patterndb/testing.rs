//! `patterndb test`: compares rules with their examples.
//!
//! In: databases. Out: a line per example and per difference. The status is 1 when a file cannot be read, 2 when
//! something differs, 3 when the requested rule has no example. Limits: none of its own.

use super::database::{CommonOptions, load};
use clap::Args;
use message::{Ack, Batch, Field, FieldName, Message, Origin, Selection, Stamp, ValueKind};
use pipeline::{
    correlation::Inject,
    parser::{Input, Parser},
    patterndb::{Database, DbOptions, DbParser, Example},
};
use std::{path::PathBuf, process::ExitCode, sync::Arc};
use template::{RenderOptions, Renderer, TypeHint};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Fail if any part of a database has to be left out
    #[arg(long)]
    validate: bool,
    /// Rule ID of the patterndb rule to be tested against its example
    #[arg(short, long)]
    rule_id: Option<String>,
    /// Print debugging information on non-matching patterns
    #[arg(short = 'D', long)]
    debug: bool,
    /// Color terminal output
    #[arg(short, long)]
    color_out: bool,
    /// The databases
    files: Vec<PathBuf>,
    #[command(flatten)]
    common: CommonOptions,
}

pub(super) fn run(options: &Options) -> ExitCode {
    let mut unreadable = false;
    let mut differs = false;
    let mut seen = false;
    for file in &options.files {
        let Some(database) = load(file) else {
            unreadable = true;
            continue;
        };
        if options.validate && !database.findings.is_empty() {
            unreadable = true;
            continue;
        }
        let database = Arc::new(database);
        // The last example comes first, as in pdbtool.
        for example in database.examples.iter().rev() {
            let id = &database.rules[example.rule].id;
            if options.rule_id.as_ref().is_some_and(|wanted| wanted != id) {
                continue;
            }
            seen = true;
            differs |= !passes(&database, example, id, options);
        }
    }
    match (unreadable, differs, seen || options.rule_id.is_none()) {
        (true, ..) => ExitCode::FAILURE,
        (_, true, _) => ExitCode::from(2),
        (_, _, false) => {
            outln!("Could not find the specified ID, or the defined rule doesn't have an example message.");
            ExitCode::from(3)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn passes(database: &Arc<Database>, example: &Example, id: &str, options: &Options) -> bool {
    let (program, text) = match (&example.program, &example.message) {
        (Some(program), Some(text)) => (program, text),
        (None, Some(text)) => {
            outln!("NOT Testing message as program is unset: message='{text}'");
            return true;
        }
        (Some(program), None) => {
            outln!("NOT Testing message as message is unset: program='{program}'");
            return true;
        }
        (None, None) => return true,
    };
    outln!("Testing message: program='{program}' message='{text}'");
    let conflicts = database.matching(program, text);
    if conflicts.len() > 1 {
        outln!(" Rule conflict! Multiple rules match this message, list of IDs follow");
        conflicts.iter().for_each(|id| outln!("  {id}"));
    }
    let batch = classified(database, program, text);
    let mut passes = is_there(&batch, ".classifier.rule_id", id, Some("string"), options);
    if !passes && options.debug {
        for step in database.explain(program, text.as_bytes()) {
            let (kind, name) = step.parser.unwrap_or_default();
            let literal = step.literal.unwrap_or_default();
            outln!("  {} bytes of '{literal}' {kind} {name}", step.length);
        }
    }
    for value in &example.values {
        passes &= is_there(&batch, &value.name, &value.value, value.kind.as_deref(), options);
    }
    passes
}

/// Classifies the message of an example with a database without state.
fn classified(database: &Arc<Database>, program: &str, text: &str) -> Batch {
    let now = Stamp::known(jiff::Timestamp::now().as_microsecond(), 0);
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(Origin::default())], now, Ack::none());
    let mut message = Message::default();
    message.event = now;
    batch.messages.push(message);
    for (field, text) in [(Field::Program, program), (Field::Message, text)] {
        let span = batch.add_extra(text.as_bytes());
        batch.set_fixed(0, field, span);
    }
    let options = DbOptions {
        program: Input::program(),
        message: Input::message(),
        drop_unmatched: false,
        inject: Inject::PassThrough,
    };
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    renderer.now = now;
    DbParser::new(database.clone(), Arc::default(), options).parse(
        &mut batch,
        &Selection::all(1),
        &mut renderer,
    );
    batch
}

fn is_there(batch: &Batch, name: &str, want: &str, kind: Option<&str>, options: &Options) -> bool {
    let field = FieldName::parse(name);
    let known = batch.kind(0, &field);
    let wanted = match kind {
        None => known,
        Some(kind) => match TypeHint::from_name(kind) {
            Some(hint) => hint.kind(),
            None => {
                outln!(" Unknown type name specified in test_value, name='{name}', expected_type='{kind}'");
                return false;
            }
        },
    };
    let Some(value) = batch.field(0, &field) else {
        outln!(" No value to match name='{name}', expected='{want}'");
        return false;
    };
    let value = String::from_utf8_lossy(&value);
    let (type_name, wanted_name) = (type_name(known), type_name(wanted));
    let same = value == want && known == wanted;
    if !same {
        outln!(
            " Wrong match name='{name}', value='{value}', type='{type_name}', expected='{want}', expected_type='{wanted_name}'"
        );
    } else if options.common.verbose {
        let unchecked = if kind.is_some() { "" } else { "[unchecked]" };
        outln!(" Match name='{name}', value='{value}', type='{type_name}{unchecked}', expected='{want}'");
    }
    same
}

fn type_name(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Integer => "int",
        ValueKind::Double => "double",
        ValueKind::Boolean => "boolean",
        ValueKind::Datetime => "datetime",
        ValueKind::List => "list",
        ValueKind::Json => "json",
        ValueKind::Null => "null",
        ValueKind::Bytes => "bytes",
        ValueKind::String | ValueKind::Tag | ValueKind::Unset => "string",
    }
}
