//! Elasticsearch's `_bulk`: an action line, and for most actions a line with the document.
//!
//! In: a body. Out: a message per document, and the result of each item, in order.
//! Holds: nothing. Limits: a line of actions that cannot be read refuses the whole body, as Elasticsearch does; a
//! document that is not a JSON object refuses its item. `update` and `delete` are refused: messages do not change.

use super::{
    BodyError, ShippedReader, document,
    encoding::json::{Json, Token},
    lines,
};
use message::Batch;
use std::ops::Range;

/// The operation of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BulkOperation {
    /// `create`
    Create,
    /// `index`
    Index,
    /// `update`
    Update,
    /// `delete`
    Delete,
}

impl BulkOperation {
    /// Returns its word in the body.
    pub fn name(self) -> &'static str {
        match self {
            BulkOperation::Create => "create",
            BulkOperation::Index => "index",
            BulkOperation::Update => "update",
            BulkOperation::Delete => "delete",
        }
    }
}

/// One item of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BulkItem {
    /// The requested operation.
    pub operation: BulkOperation,
    /// `_index`: its range in the body, as written there.
    pub index: Option<Range<usize>>,
    /// `_id`: its range in the body, as written there.
    pub id: Option<Range<usize>>,
    /// True when its document became a message.
    pub taken: bool,
}

impl ShippedReader {
    /// Reads a body of `_bulk`.
    pub fn bulk(&mut self, batch: &mut Batch, origin: u16) -> Result<Vec<BulkItem>, BodyError> {
        let body = batch.received_bytes.clone();
        let before = batch.len();
        let read = self.items(&body, batch, origin);
        if read.is_err() {
            batch.messages.truncate(before);
        }
        read
    }

    fn items(&mut self, body: &[u8], batch: &mut Batch, origin: u16) -> Result<Vec<BulkItem>, BodyError> {
        let mut entries = self.entries(batch, origin);
        let mut items = Vec::new();
        let mut lines = lines::each(body, 0..body.len());
        while let Some(line) = lines.next() {
            let mut item = action(body, line)?;
            if item.operation != BulkOperation::Delete {
                let Some(line) = lines.next() else {
                    return Err(BodyError { offset: body.len(), reason: "an action without a document" });
                };
                if item.operation != BulkOperation::Update && body[line.start] == b'{' {
                    let mut json = Json::within(body, line.start + 1..line.end);
                    let read = document::message(&mut json, body, &mut entries, line.start);
                    item.taken = read.is_ok() && json.is_at_end();
                    if read.is_ok() && !item.taken {
                        entries.forget();
                    }
                }
            }
            items.push(item);
        }
        Ok(items)
    }
}

/// Reads `{"create":{"_index":"x","_id":"1"}}`.
fn action(body: &[u8], line: Range<usize>) -> Result<BulkItem, BodyError> {
    let mut json = Json::within(body, line);
    if json.token()? != Token::Object {
        return Err(json.wrong("no action"));
    }
    let Some(key) = json.key(&mut true)? else { return Err(json.wrong("no action")) };
    let operation = match &body[key.start..key.end] {
        b"create" => BulkOperation::Create,
        b"index" => BulkOperation::Index,
        b"update" => BulkOperation::Update,
        b"delete" => BulkOperation::Delete,
        _ => return Err(json.wrong("an action that is not known")),
    };
    if json.token()? != Token::Object {
        return Err(json.wrong("no action"));
    }
    let mut item = BulkItem { operation, index: None, id: None, taken: false };
    let mut first = true;
    while let Some(key) = json.key(&mut first)? {
        let token = json.token()?;
        match (&body[key.start..key.end], token) {
            (b"_index", Token::Text(text)) => item.index = Some(text.start..text.end),
            (b"_id", Token::Text(text)) => item.id = Some(text.start..text.end),
            (_, token) => json.skip(token)?,
        }
    }
    match json.key(&mut false)? {
        None if json.is_at_end() => Ok(item),
        _ => Err(json.wrong("more than one action in a line")),
    }
}
