//! The outcomes that an answer to an insert gives each document.
//!
//! In: the document of the answer. Out: an outcome for each document that the server has looked at. Holds: nothing.
//! Limits: an answer whose numbers do not add up is believed about its refusals only: all other documents are sent again, which
//! stores none twice.

use super::{
    options::InsertOrder,
    verdict::{self, DUPLICATE_KEYS, ServerError},
};
use crate::link::{dialogue::Breach, failure::Failure};
use delivery::{Verdict, Wait};
use transport::mongodb::Document;

/// The label of errors after which the same may be tried again.
const RETRYABLE: &str = "RetryableWriteError";

/// The answer to an insert.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// The command was refused as a whole.
    Refused(Failure),
    /// Outcomes of documents from the first on. Of those behind them nothing was stored.
    Outcomes(Outcomes),
}

/// Outcomes of documents.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Outcomes {
    pub(super) of_documents: Vec<Result<(), Failure>>,
    /// At least one had been stored before.
    pub(super) is_repeated: bool,
    /// The positions of those that may have been stored before: the server names another index than that of `_id`.
    pub(super) doubtful: Vec<usize>,
    /// The outcome of those of them that it has.
    pub(super) of_stored: Result<(), Failure>,
}

/// The insert that was asked for.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    /// Of each document, whether its id is one of the configuration's.
    pub(super) has_own_id: &'q [bool],
    pub(super) order: InsertOrder,
    /// The server was asked to confirm nothing.
    pub(super) is_unconfirmed: bool,
}

struct DocumentError {
    index: usize,
    error: ServerError,
    is_of_id: bool,
}

/// Reads an answer.
pub(super) fn read(answer: Document<'_>, question: Question<'_>) -> Result<Answer, Breach> {
    if answer.number("ok")? != Some(1) {
        let error = labelled(answer, answer)?;
        return Ok(Answer::Refused(verdict::of_command(&error)));
    }
    let errors = document_errors(answer, question.has_own_id.len())?;
    let concern = match answer.document("writeConcernError")? {
        Some(error) => Some(verdict::of_concern(&labelled(error, answer)?)),
        None => None,
    };
    Ok(Answer::Outcomes(outcomes(answer.number("n")?, errors, concern.as_ref(), question)))
}

fn outcomes(
    stored: Option<i64>,
    errors: Vec<DocumentError>,
    concern: Option<&Failure>,
    question: Question<'_>,
) -> Outcomes {
    let count = question.has_own_id.len();
    let first = errors.iter().map(|error| error.index).min();
    let (seen, expected) = match (question.order, first) {
        (InsertOrder::Ordered, Some(first)) => (first + 1, first),
        (InsertOrder::Ordered, None) => (count, count),
        (InsertOrder::Unordered, _) => (count, count - errors.len()),
    };
    let is_certain = question.is_unconfirmed || stored == i64::try_from(expected).ok();
    let silent = match (concern, is_certain) {
        (Some(failure), _) => Err(failure.clone()),
        (None, true) => Ok(()),
        (None, false) => {
            let answer = "the server does not say what became of each document".to_owned();
            Err(Failure { verdict: Verdict::Later(Wait::BackOff), answer })
        }
    };
    let mut found = Outcomes {
        of_documents: vec![silent; seen],
        is_repeated: false,
        doubtful: Vec::new(),
        of_stored: concern.map_or(Ok(()), |failure| Err(failure.clone())),
    };
    for DocumentError { index, error, is_of_id } in errors {
        let Some(outcome) = found.of_documents.get_mut(index) else { continue };
        let is_duplicate = DUPLICATE_KEYS.contains(&error.code) && !question.has_own_id[index];
        let is_stored = is_duplicate && is_of_id;
        *outcome = if is_stored { found.of_stored.clone() } else { Err(verdict::of_document(&error)) };
        if is_duplicate && !is_of_id {
            found.doubtful.push(index);
        }
        found.is_repeated |= is_stored;
    }
    found
}

fn document_errors(answer: Document<'_>, count: usize) -> Result<Vec<DocumentError>, Breach> {
    let mut found: Vec<DocumentError> = Vec::new();
    let Some(list) = answer.document("writeErrors")? else { return Ok(found) };
    for element in list.elements() {
        let error = element?.1.document().ok_or(Breach("an error is no document"))?;
        let index = error.number("index")?.and_then(|index| usize::try_from(index).ok());
        let index = index.filter(|index| *index < count);
        let index = index.ok_or(Breach("an error is about a document that was not sent"))?;
        let pattern = error.document("keyPattern")?;
        let error = server_error(error)?;
        let is_of_id = match pattern {
            Some(pattern) => pattern.elements().all(|name| matches!(name, Ok((b"_id", _)))),
            // Servers before 4.2 only say it.
            None => error.words.contains("index: _id_ ") || error.words.contains("_id_ dup key"),
        };
        found.push(DocumentError { index, error, is_of_id });
    }
    found.sort_by_key(|error| error.index);
    found.dedup_by_key(|error| error.index);
    Ok(found)
}

fn server_error(document: Document<'_>) -> Result<ServerError, Breach> {
    let words = match document.text("errmsg")? {
        None => document.text("$err")?,
        words => words,
    };
    Ok(ServerError {
        code: document.number("code")?.unwrap_or_default(),
        name: document.text("codeName")?.unwrap_or_default(),
        words: words.unwrap_or_default(),
        is_retryable: false,
    })
}

/// Reads the error of an answer that is not `ok`; `None` for one that is.
pub(super) fn refusal(answer: Document<'_>) -> Result<Option<ServerError>, Breach> {
    match answer.number("ok")? {
        Some(1) => Ok(None),
        _ => labelled(answer, answer).map(Some),
    }
}

/// Reads an error with the labels of its answer.
fn labelled(error: Document<'_>, answer: Document<'_>) -> Result<ServerError, Breach> {
    let is_retryable = answer.texts("errorLabels")?.iter().any(|label| label == RETRYABLE);
    Ok(ServerError { is_retryable, ..server_error(error)? })
}
