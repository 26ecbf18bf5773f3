//! Rows of messages.
//!
//! In: messages. Out: the text of each in JSON, with its id if a column is for it. Holds: nothing between two. Limits: a row
//! of more than [`ROW_BYTES_MAX`] makes a dead letter, and so does a `json-var()` that gives no JSON.

use super::{
    column::{is_json, push_text},
    connection::{ClickhouseConnection, Shared},
    options::{ClickhouseContent, ClickhouseFormat, ClickhouseTarget},
    statement,
};
use crate::{
    http::{BodyForm, IdForm, Judge, cells},
    url::encoded,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp};
use std::{ops::Range, sync::Arc};
use transport::DeadReason;

/// Longest text of a row.
const ROW_BYTES_MAX: usize = 64 << 20;
/// Settings of every request: an answer when all is done, and times in ISO 8601 or as seconds besides ClickHouse's own.
const SETTINGS: &str = "&wait_end_of_query=1&date_time_input_format=best_effort";

/// The receiver of `clickhouse()`.
pub struct ClickhouseReceiver {
    target: ClickhouseTarget,
    shared: Arc<Shared>,
    /// A value before it is written as JSON.
    value: Vec<u8>,
}

impl ClickhouseReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: ClickhouseTarget) -> ClickhouseReceiver {
        let format = match target.format {
            ClickhouseFormat::Objects => "JSONEachRow",
            ClickhouseFormat::Arrays => "JSONCompactEachRow",
        };
        let columns: Vec<&str> = match &target.content {
            ClickhouseContent::Columns(columns) => columns
                .iter()
                .map(|column| column.name.as_str())
                .chain(target.unique_column.as_deref())
                .collect(),
            ClickhouseContent::Json(_) => Vec::new(),
        };
        let insert = statement::insert(&target.database, &target.table, &columns, format);
        let shared = Shared {
            url: format!("{}/?query={}{SETTINGS}", target.address, encoded(&insert)),
            form: BodyForm {
                prefix: Vec::new(),
                suffix: Vec::new(),
                delimiter_bytes: 1,
                compression: target.settings.compression,
                ids: IdForm::Hexadecimal,
            },
            judge: Judge { actions: Vec::new(), bounds_errors: target.batches.retries.is_some() },
            settings: target.settings.clone(),
        };
        ClickhouseReceiver { target, shared: Arc::new(shared), value: Vec::new() }
    }

    /// Appends the row of a message. Returns the position reserved for the digits of its id.
    fn push_row(
        &mut self,
        (batch, index, sequence): (&Batch, usize, u64),
        out: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, RowError> {
        let format = self.target.format;
        let (open, close) = match format {
            ClickhouseFormat::Objects => (b'{', b'}'),
            ClickhouseFormat::Arrays => (b'[', b']'),
        };
        match &mut self.target.content {
            ClickhouseContent::Columns(columns) => {
                out.push(open);
                for column in columns {
                    let start = out.len();
                    push_name(format, &column.name, out);
                    self.value.clear();
                    column.value.render(batch, index, sequence, &mut self.value);
                    if !column.form.push(&self.value, out) {
                        // The server puts the default of the column there.
                        match format {
                            ClickhouseFormat::Objects => out.truncate(start),
                            ClickhouseFormat::Arrays => out.extend_from_slice(b"null"),
                        }
                    }
                }
                out.push(close);
            }
            ClickhouseContent::Json(row) => {
                self.value.clear();
                row.render(batch, index, sequence, &mut self.value);
                let is_row = is_json(&self.value, |value| match format {
                    ClickhouseFormat::Objects => value.is_object(),
                    ClickhouseFormat::Arrays => value.is_array(),
                });
                if !is_row {
                    let text = "the template of json-var() gives no row in JSON".to_owned();
                    return Err(RowError { reason: DeadReason::Cast, text });
                }
                out.extend_from_slice(self.value.trim_ascii());
            }
        }
        let Some(name) = &self.target.unique_column else { return Ok(None) };
        out.pop();
        push_name(format, name, out);
        let size = IdForm::Hexadecimal.size();
        let start = out.len() + 1;
        out.extend_from_slice(format!("\"{}\"", "0".repeat(size)).as_bytes());
        out.push(close);
        Ok(Some(start..start + size))
    }
}

/// Appends the name of the next value, with a comma before it unless it is the first.
fn push_name(format: ClickhouseFormat, name: &str, out: &mut Vec<u8>) {
    if !matches!(out.trim_ascii_end(), [b'{'] | [b'[']) {
        out.push(b',');
    }
    if format == ClickhouseFormat::Objects {
        push_text(name.as_bytes(), out);
        out.push(b':');
    }
}

impl Receiver for ClickhouseReceiver {
    fn begin(&mut self, now: Stamp) {
        match &mut self.target.content {
            ClickhouseContent::Columns(columns) => {
                columns.iter_mut().for_each(|column| column.value.begin(now));
            }
            ClickhouseContent::Json(row) => row.begin(now),
        }
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        _group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        let mut text = Vec::new();
        let id = self.push_row((batch, index, sequence), &mut text)?;
        if text.len() > ROW_BYTES_MAX {
            return Err(RowError::too_large("row", ROW_BYTES_MAX));
        }
        text.push(b'\n');
        Ok(cells(text, id, None))
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(ClickhouseConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        format!("clickhouse,{},{},{}", self.target.address, self.target.database, self.target.table)
    }

    fn settings(&self) -> Vec<String> {
        let (target, settings) = (&self.target, &self.target.settings);
        let columns = match &target.content {
            ClickhouseContent::Columns(columns) => columns.iter().map(|column| column.shown()).collect(),
            ClickhouseContent::Json(_) => vec!["json".to_owned()],
        };
        vec![
            format!("{} {:?} {:?}", columns.join(", "), target.format, target.unique_column),
            format!("{:?} {:?} {:?}", settings.method, settings.headers, settings.compression),
            format!("{:?} {:?}", settings.timeout, settings.proxy),
            format!("{} {:?}", target.batches.workers, target.batches.retries),
        ]
    }

    fn describe(&self, _group: &str, cells: &[Cell]) -> String {
        let Some(Cell::Bytes(text)) = cells.first() else { return self.instance() };
        let Self { target, .. } = self;
        format!(
            "clickhouse {}.{}: {}",
            target.database,
            target.table,
            String::from_utf8_lossy(text).trim_end()
        )
    }
}

#[cfg(test)]
impl ClickhouseReceiver {
    /// Returns the URL of requests.
    pub(super) fn url(&self) -> &str {
        &self.shared.url
    }
}
