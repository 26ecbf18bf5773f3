//! Pattern databases: which files are accepted, and whether each example yields the same values as with
//! pdbtool.
//!
//! In: `patterndb/INDEX.json` and `patterndb/examples.jsonl`. Out: a row for the files and one for the examples.
//! Limits: none of its own.

use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::{Difference, Row},
};
use message::{Ack, Batch, Field, FieldName, Message, Origin, Selection, Stamp};
use pipeline::{
    Definitions,
    correlation::Inject,
    parser::{Input, Parser},
    patterndb::{Database, DbOptions, DbParser},
};
use serde_json::Value;
use std::{collections::HashMap, fs, path::Path, sync::Arc};
use template::{RenderOptions, Renderer};

/// Runs the family.
pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let folder = folder.join("patterndb");
    let path = folder.join("INDEX.json");
    let index = fs::read_to_string(&path).map_err(RunError::read(&path))?;
    let index: Vec<Value> = serde_json::from_str(&index).map_err(RunError::json(&path))?;
    let mut parsers = HashMap::new();
    let mut files = row("patterndb-files");
    for file in &index {
        let name = text(file, "file");
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(RunError::read(&path))?;
        let loaded = Database::load(&bytes, "", &Definitions::default());
        let verdict = file.pointer("/pdbtool_4_8_1/loads_and_all_examples_pass").and_then(Value::as_bool);
        let result = match (&loaded, verdict) {
            (Err(error), Some(true)) => Err(Difference::of(format!("{name}:{error}"))),
            (Ok(_), Some(false)) if file.pointer("/pdbtool_4_8_1/error").is_some() => {
                Err(Difference::of(format!("{name}: accepted, and should be refused")))
            }
            _ => Ok(()),
        };
        count(&mut files, result);
        if let Ok(database) = loaded {
            parsers.insert(name.to_owned(), parser(database));
        }
    }
    let mut examples = row("patterndb-examples");
    for record in records(&folder.join("examples.jsonl"))? {
        let result = match parsers.get(text(&record, "pdb")) {
            Some(parser) => example(&record, parser),
            None => Err(Difference::of("the file was refused")),
        };
        let (rule, message) = (text(&record, "rule_id"), text(&record, "message"));
        let named = |difference| Difference::of(format!("{rule} {message:?}: {difference}"));
        count(&mut examples, result.map_err(named));
    }
    Ok(vec![files, examples])
}

fn row(family: &str) -> Row {
    Row { family: family.into(), cases: 0, passed: 0, floor: 100.0, differences: Vec::new() }
}

fn count(row: &mut Row, result: Result<(), Difference>) {
    row.cases += 1;
    match result {
        Ok(()) => row.passed += 1,
        Err(difference) => row.differences.push(difference.to_string()),
    }
}

fn parser(database: Database) -> DbParser {
    let options = DbOptions {
        program: Input::program(),
        message: Input::message(),
        drop_unmatched: false,
        inject: Inject::PassThrough,
    };
    DbParser::new(Arc::new(database), Arc::default(), options)
}

fn example(record: &Value, parser: &DbParser) -> Result<(), Difference> {
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    batch.messages.push(Message::default());
    for (field, key) in [(Field::Program, "program"), (Field::Message, "message")] {
        let span = batch.add_extra(text(record, key).as_bytes());
        batch.set_fixed(0, field, span);
    }
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    parser.parse(&mut batch, &Selection::all(1), &mut renderer);
    let shown = |batch: &Batch, name: &str| {
        let value = batch.field(0, &FieldName::parse(name));
        value.map(|value| String::from_utf8_lossy(&value).into_owned())
    };
    let wanted = record.get("pdbtool_match").and_then(Value::as_object).into_iter().flatten();
    for (name, want) in wanted {
        let want = want.as_str().unwrap_or_default();
        let got = match name.as_str() {
            "TAGS" => Some(batch.tags(0).join(",") + "\n"),
            name => shown(&batch, name),
        };
        if got.as_deref() != Some(want) {
            return Err(Difference::of(format!("{name}: want {want:?}, got {got:?}")));
        }
    }
    for (name, _, _) in batch.values(0) {
        let name = String::from_utf8_lossy(name);
        if record.pointer("/pdbtool_match").is_some_and(|found| found.get(name.as_ref()).is_none()) {
            return Err(Difference::of(format!("{name}: not there, got {:?}", shown(&batch, &name))));
        }
    }
    Ok(())
}
