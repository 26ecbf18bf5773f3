//! Rows of messages.
//!
//! In: messages. Out: the addresses and the text of each. Holds: the addresses' state, which all connections share.
//! Limits: a message with an empty rendering or an invalid address becomes a dead letter.

use super::{
    action::Actions,
    answers::Judge,
    body::{self, BodyForm, IdForm},
    connection::{Acks, HttpConnection, Indexes, Shared},
    form::AnswerForm,
    header_class::RequestHeaders,
    options::{HttpTarget, IndexSetup},
    targets::Targets,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use hyper::Uri;
use message::{Batch, Field, Stamp};
use std::sync::Arc;
use transport::{DeadReason, InternalLog};

/// Further attempts that `response-action(500 => retry)` means without `retries()`.
const RETRIES: u32 = 3;

/// The receiver of `http()`.
pub struct HttpReceiver {
    target: HttpTarget,
    shared: Arc<Shared>,
    actions: Actions,
    /// An address before it is cleaned.
    url: Vec<u8>,
    /// Bytes of the last row.
    row_bytes: usize,
}

impl HttpReceiver {
    /// Makes the receiver of a target.
    pub fn new(mut target: HttpTarget) -> HttpReceiver {
        let form = BodyForm {
            prefix: target.body_prefix.clone().into_bytes(),
            suffix: target.body_suffix.clone().into_bytes(),
            delimiter_bytes: target.delimiter.len(),
            compression: target.settings.compression,
            ids: target.times.map_or(IdForm::Base64, |(_, moved)| IdForm::Nanoseconds(moved)),
        };
        let judge =
            Judge { actions: target.actions.clone(), bounds_errors: target.batches.retries.is_some() };
        let shared = Shared {
            form,
            judge,
            settings: target.settings.clone(),
            item_results: target.item_results,
            targets: Targets::new(target.urls.len()),
            auth: target.auth.take(),
            headers: target.header_class.take().map(RequestHeaders::new),
            indexes: (target.indexes != IndexSetup::default()).then(|| Indexes::new(target.indexes.clone())),
            acks: target.acks.map(|options| Acks::new(options, &target.settings)),
            urls: target.urls.len().max(1),
            recovery: target.recovery,
        };
        let (actions, url) = (Actions::default(), Vec::new());
        HttpReceiver { target, shared: Arc::new(shared), actions, url, row_bytes: 0 }
    }

    /// Appends the addresses of a message, with a blank between them. Returns how to read their answers.
    fn push_urls(
        &mut self,
        (batch, index): (&Batch, usize),
        sequence: u64,
        group: &mut String,
    ) -> Result<AnswerForm, RowError> {
        let mut form = AnswerForm::Status;
        for (place, url) in self.target.urls.iter_mut().enumerate() {
            if place > 0 {
                group.push(' ');
            }
            let start = group.len();
            match url.constant() {
                Some(constant) => group.push_str(constant),
                None => {
                    self.url.clear();
                    url.render(batch, index, sequence, &mut self.url);
                    // Values from a message must not end the request line.
                    self.url.retain(|byte| !byte.is_ascii_control());
                    group.push_str(&String::from_utf8_lossy(&self.url).replace(' ', "%20"));
                    let is_url = group[start..].parse::<Uri>().is_ok_and(|url| url.host().is_some());
                    if !is_url {
                        let text = "the template of url() gives no address".to_owned();
                        return Err(RowError { reason: DeadReason::BadName, text });
                    }
                }
            }
            if form == AnswerForm::Status {
                form = self.target.item_results.form(&group[start..]);
            }
        }
        Ok(form)
    }
}

impl Receiver for HttpReceiver {
    fn log_to(&mut self, log: &InternalLog) {
        if let Some(headers) = &self.shared.headers {
            headers.log_to(log);
        }
        if let Some(indexes) = &self.shared.indexes {
            indexes.log_to(log);
        }
    }

    fn begin(&mut self, now: Stamp) {
        self.target.urls.iter_mut().for_each(|url| url.begin(now));
        self.target.body.begin(now);
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        let form = self.push_urls((batch, index), sequence, group)?;
        // Messages of one destination are alike, so the last one tells how much room the next one needs.
        let mut text = Vec::with_capacity(self.row_bytes);
        self.target.body.render(batch, index, sequence, &mut text);
        if text.is_empty() {
            let text = "the template of the body gives nothing".to_owned();
            return Err(RowError { reason: DeadReason::Cast, text });
        }
        let mut id = self.target.times.map(|(start, _)| start..start);
        if form == AnswerForm::Bulk {
            let (name, room) = self.actions.read(&mut text, self.target.item_ids);
            // Requests are for one index: one that is missing holds its own messages only.
            if !name.is_empty() {
                group.push(' ');
                group.push_str(name);
            }
            id = room;
        }
        text.extend_from_slice(self.target.delimiter.as_bytes());
        self.row_bytes = text.len();
        let headers = (self.target.batches.lines <= 1).then(|| origin(batch, index));
        Ok(body::cells(text, id, headers))
    }

    fn connection(&self) -> Box<dyn Connection> {
        Box::new(HttpConnection::new(self.shared.clone()))
    }

    fn batches(&self) -> Batches {
        let around = self.target.body_prefix.len() + self.target.body_suffix.len();
        let bytes = match self.target.batches.bytes {
            0 => 0,
            // Each row counts with the delimiter after it, except for the last one.
            bytes => (bytes + self.target.delimiter.len()).saturating_sub(around).max(1),
        };
        let attempts = self.target.batches.retries.unwrap_or(RETRIES).saturating_add(1);
        Batches { bytes, retries: Some(attempts), ..self.target.batches }
    }

    fn instance(&self) -> String {
        let url = self.target.urls.first().and_then(|url| url.constant());
        format!("http,{}", url.unwrap_or("a template"))
    }

    fn settings(&self) -> Vec<String> {
        let target = &self.target;
        let settings = &target.settings;
        let mut all = vec![
            format!("{:?}", target.urls.iter().map(|url| url.constant()).collect::<Vec<_>>()),
            format!("{:?} {:?} {:?}", target.body_prefix, target.body_suffix, target.delimiter),
            format!("{} {:?} {:?}", target.batches.workers, target.batches.retries, target.recovery),
            format!("{:?} {:?} {:?}", target.actions, target.item_results, target.item_ids),
            format!("{:?} {:?} {:?}", settings.method, settings.headers, settings.compression),
            format!("{:?} {} {:?}", settings.timeout, settings.follows_redirects, settings.proxy),
            format!("{:?} {:?}", self.shared.auth, self.shared.headers),
        ];
        all.extend(self.shared.indexes.iter().map(|indexes| format!("{indexes:?}")));
        all.extend(target.acks.map(|acks| format!("{acks:?}")));
        all
    }

    fn describe(&self, group: &str, _cells: &[Cell]) -> String {
        format!("http {group}")
    }
}

/// Returns the values of the headers that describe a message.
fn origin(batch: &Batch, index: usize) -> [String; 4] {
    let text = |field| String::from_utf8_lossy(batch.fixed(index, field)).into_owned();
    let pri = batch.messages[index].pri;
    [
        text(Field::Host),
        text(Field::Program),
        pri.facility().name().unwrap_or("user").to_owned(),
        pri.severity().name().to_owned(),
    ]
}
