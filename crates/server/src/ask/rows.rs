//! The rows of a query, from the server to their reader.
//!
//! In: a query and a time range. Out: bytes as they come, then whether everything is among them. Holds a response.
//! Limits: [`REPORT_TRIES`] requests for the report.

use super::{
    api::Session,
    coverage::{Coverage, say_unread},
    error::AskError,
    options::{Access, Range},
};
use serde_json::Value;
use std::{io::Read, thread, time::Duration};

/// Number of requests for the report of an export, and the pause between them.
const REPORT_TRIES: usize = 50;
const REPORT_WAIT: Duration = Duration::from_millis(20);

/// The rows of a query, as they come.
pub(super) struct Rows {
    pub(super) body: Box<dyn Read>,
    /// Identifier of the export's report.
    report: String,
}

impl Rows {
    pub(super) fn ask(
        session: &Session,
        access: &Access,
        query: &str,
        range: &Range,
        format: &str,
    ) -> Result<Rows, AskError> {
        let clock = if range.event_time { "event" } else { "received" };
        let mut parameters = vec![("query", query), ("format", format), ("clock", clock)];
        let others = [("logspace", &access.logspace), ("from", &range.from), ("to", &range.to)];
        parameters.extend(others.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))));
        let answer = session.get("export", &parameters)?;
        let report = answer.headers().get("x-export-report").and_then(|id| id.to_str().ok());
        let report = report.unwrap_or_default().to_owned();
        let body = answer.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Rows { body: Box::new(body), report })
    }

    /// Reports what could not be read, and returns whether the export is complete.
    pub(super) fn coverage(&self, session: &Session) -> Result<Coverage, AskError> {
        // The report is written when the last piece was sent.
        for _ in 0..REPORT_TRIES {
            match session.get("export/report", &[("id", &self.report)]) {
                Ok(mut answer) => {
                    let report: Value =
                        answer.body_mut().read_json().map_err(|error| AskError::Report(Box::new(error)))?;
                    return Ok(say_unread(&report));
                }
                Err(_) => thread::sleep(REPORT_WAIT),
            }
        }
        Err(AskError::NoReport)
    }
}
