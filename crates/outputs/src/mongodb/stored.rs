//! Documents that may be stored already.
//!
//! In: ids of documents that the server refused because of another one. Out: those of them that it has. Holds: nothing.
//! Limits: those of a command: as many ids as an insert had documents.
//!
//! A document that is sent a second time because its answer was lost violates every unique index of its collection, and the server
//! names one of them. If that is not the index of `_id`, only a look tells a repeat from a document that another one excludes.

use super::{
    answer,
    session::{Session, body},
};
use crate::link::dialogue::{Breach, LinkError};
use std::collections::HashSet;
use transport::mongodb::{Document, Scalar, Value, Writer};

/// Asks which of these ids a collection has; `None` when the server does not say it, for example because we may not read there.
pub(super) async fn among(
    session: &mut Session,
    (database, collection): (&str, &str),
    ids: &[u128],
) -> Result<Option<HashSet<u128>>, LinkError> {
    let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let answer = session.ask(|writer| question(writer, (database, collection), ids, count)).await?;
    let found = body(&answer).and_then(read).map_err(LinkError::Breach)?;
    Ok(found)
}

fn question(writer: &mut Writer<'_>, (database, collection): (&str, &str), ids: &[u128], count: i64) {
    writer.put(b"find", collection);
    writer.document(b"filter", |writer| {
        writer.document(b"_id", |writer| {
            writer.array(b"$in", ids.len(), |writer, index, name| writer.put(name, Scalar::Uuid(ids[index])));
        });
    });
    writer.document(b"projection", |writer| writer.put(b"_id", 1));
    writer.put(b"limit", count);
    writer.put(b"batchSize", count);
    writer.put(b"singleBatch", true);
    writer.put(b"$db", database);
}

fn read(answer: Document<'_>) -> Result<Option<HashSet<u128>>, Breach> {
    if answer::refusal(answer)?.is_some() {
        return Ok(None);
    }
    let batch = match answer.document("cursor")? {
        Some(cursor) => cursor.document("firstBatch")?,
        None => None,
    };
    let batch = batch.ok_or(Breach("an answer has no documents"))?;
    let mut found = HashSet::new();
    for element in batch.elements() {
        let document = element?.1.document().ok_or(Breach("what was found is no document"))?;
        if let Some(Value::Binary(id)) = document.get("_id")?
            && let Ok(id) = <[u8; 16]>::try_from(id)
        {
            found.insert(u128::from_be_bytes(id));
        }
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    //! Answers to the question which documents are there.

    use super::*;

    #[track_caller]
    fn check(fill: impl FnOnce(&mut Writer<'_>), want: &str) {
        let mut bytes = Vec::new();
        Writer::whole(&mut bytes, fill);
        let found = match read(Document::split(&bytes).expect("a document").0) {
            Ok(Some(ids)) => format!("{ids:?}"),
            Ok(None) => "not said".to_owned(),
            Err(Breach(what)) => what.to_owned(),
        };
        assert_eq!(found, want);
    }

    #[test]
    fn ids_that_are_found_are_read() {
        let cursor = |writer: &mut Writer<'_>, ids: &[Scalar<'static>]| {
            writer.document(b"cursor", |writer| {
                writer.array(b"firstBatch", ids.len(), |writer, index, name| {
                    writer.document(name, |writer| writer.put(b"_id", ids[index]));
                });
            });
            writer.put(b"ok", 1);
        };
        check(|writer| cursor(writer, &[Scalar::Uuid(7)]), "{7}");
        check(|writer| cursor(writer, &[]), "{}");
        check(|writer| cursor(writer, &[Scalar::Text("7"), Scalar::Binary(b"7")]), "{}");
        check(|writer| writer.put(b"ok", 1), "an answer has no documents");
        let denied = |writer: &mut Writer<'_>| {
            writer.put(b"ok", 0);
            writer.put(b"code", 13);
        };
        check(denied, "not said");
        let text = |writer: &mut Writer<'_>| {
            writer.document(b"cursor", |writer| {
                writer.array(b"firstBatch", 1, |writer, _, name| writer.put(name, "x"));
            });
            writer.put(b"ok", 1);
        };
        check(text, "what was found is no document");
    }
}
