//! Lookups over HTTP: a document for each key.
//!
//! In: keys. Out: what the documents say. Holds: a connection. Limits: those of [`Fetcher`]; [`VALUES_BYTES_MAX`] of a document.
//!
//! A key is one segment of a path or one value of a query: what it contains is encoded, and a key of dots alone, which would lead to
//! another folder, has no document.

use super::lane::{Answers, Asking, Lane};
use crate::{
    fault::Fault,
    key::{Key, KeyText},
    known::Answer,
    values::{Gathering, Naming, VALUES_BYTES_MAX},
};
use services::{Document, FetchError, Fetcher, encode_into};
use std::sync::Arc;

/// A connection, and what is asked over it.
pub(crate) struct HttpLane {
    pub(crate) fetcher: Fetcher,
    pub(crate) url: KeyText,
    pub(crate) naming: Naming,
}

impl HttpLane {
    async fn one(&mut self, key: &[u8]) -> Result<Answer, Fault> {
        if key.iter().all(|byte| *byte == b'.') {
            return Ok(Answer::Missing);
        }
        let Ok(url) = String::from_utf8(self.url.fill(key, encode_into)) else { return Ok(Answer::Refused) };
        match self.fetcher.fetch(&url).await {
            Ok(document) => found(&document, &self.naming),
            Err(FetchError::Silent) => Err(Fault::timeout()),
            Err(error) => Err(Fault::server(error.to_string())),
        }
    }

    async fn all(&mut self, keys: &[Key]) -> Answers {
        let mut answers = Vec::with_capacity(keys.len());
        for key in keys {
            answers.push(self.one(key).await);
        }
        answers
    }
}

impl Lane for HttpLane {
    fn keys_max(&self) -> usize {
        1
    }

    fn ask<'a>(&'a mut self, keys: &'a [Key]) -> Asking<'a> {
        Box::pin(self.all(keys))
    }

    fn close(&mut self) {
        self.fetcher.close();
    }
}

/// Reads an answer. What is wrong with the request or the server fails for every key; what is wrong with one key does not.
pub(crate) fn found(document: &Document, naming: &Naming) -> Result<Answer, Fault> {
    match document.status {
        204 | 404 | 410 => Ok(Answer::Missing),
        200..=299 if document.body.len() > VALUES_BYTES_MAX => Ok(Answer::Refused),
        200..=299 => {
            let mut gathering = Gathering::new(naming);
            gathering.set_single(&document.body);
            let values = gathering.finish();
            Ok(if values.list.is_empty() { Answer::Missing } else { Answer::Values(Arc::new(values)) })
        }
        400 | 405..=406 | 409 | 411..=417 | 422 => Ok(Answer::Refused),
        status => Err(Fault::server(format!("the server answered {status}"))),
    }
}

#[cfg(test)]
mod tests {
    //! Answers by their status.

    use super::*;

    #[track_caller]
    fn check(status: u16, body: &[u8], want: &str) {
        let naming = Naming { prefix: "p.".to_owned(), single: "value".to_owned() };
        let document = Document { status, body: body.to_vec() };
        let shown = match found(&document, &naming) {
            Ok(Answer::Values(values)) => format!("{} values", values.list.len()),
            Ok(other) => format!("{other:?}"),
            Err(fault) => fault.words,
        };
        assert_eq!(shown, want, "{status}");
    }

    #[test]
    fn a_status_says_whether_the_key_or_the_server_is_the_cause() {
        check(200, br#"{"a": 1, "b": 2}"#, "2 values");
        check(200, b"text", "1 values");
        check(200, b"{}", "Missing");
        check(200, &vec![b'x'; VALUES_BYTES_MAX], "Missing");
        check(200, &vec![b'x'; VALUES_BYTES_MAX + 1], "Refused");
        for status in [204, 404, 410] {
            check(status, b"not found", "Missing");
        }
        for status in [400, 414, 422] {
            check(status, b"", "Refused");
        }
        for status in [301, 401, 403, 407, 408, 429, 500, 503] {
            check(status, b"", &format!("the server answered {status}"));
        }
    }
}
