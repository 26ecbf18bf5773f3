//! The first frame for a process: its class, with everything that it needs.
//!
//! In: a [`Program`]. Out: JSON. Holds: nothing. Limits: those of a configuration.

use crate::program::{Contents, OptionValue, Program, Role, Typing};
use serde_json::{Value, json};

/// The module that user code imports.
const MODULE: &str = include_str!("../runner/syslogng.py");

/// Writes the frame.
pub(crate) fn hello(program: &Program) -> Vec<u8> {
    let options = program.options.iter().map(|(name, value)| {
        let (kind, value) = match value {
            OptionValue::Template(text) => ("template", json!(text)),
            OptionValue::Text(text) => ("value", json!(text)),
            OptionValue::Integer(number) => ("value", json!(number)),
            OptionValue::Double(number) => ("value", json!(number)),
            OptionValue::Truth(truth) => ("value", json!(truth)),
            OptionValue::List(texts) => ("value", json!(texts)),
        };
        json!([name, kind, value])
    });
    let code = program.code.iter().map(|block| json!([block.source, block.file, block.line]));
    let path = program.path.iter().map(|folder| json!(folder.to_string_lossy()));
    let role = match program.role {
        Role::Destination => "destination",
        Role::Parser => "parser",
        Role::Source => "source",
        Role::Fetcher => "fetcher",
        Role::HttpHeader => "http-header",
    };
    let hello = json!({
        "kind": role,
        "class": program.class,
        "name": program.name,
        "options": options.collect::<Vec<Value>>(),
        "imports": program.imports,
        "code": code.collect::<Vec<Value>>(),
        "path": path.collect::<Vec<Value>>(),
        "memory": program.memory_bytes_max,
        "folder": program.folder.to_string_lossy(),
        "pairs": program.contents == Contents::Pairs,
        "only_bytes": program.typing == Typing::OnlyBytes,
        "flags": program.flags,
        "pauses": {
            "reopen": program.reopen_after.as_secs_f64(),
            "no_data": program.no_data_pause.as_secs_f64(),
        },
        "module": MODULE,
    });
    hello.to_string().into_bytes()
}
