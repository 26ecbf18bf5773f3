//! The login, and frames with their receipts.
//!
//! In: rows, each headers and a text. Out: a verdict for each, by its own receipt, or by that of the last of them. Holds: a
//! connection.
//! Limits: `timeout()` for the next receipt. The broker ends a connection after an error, so what has no receipt by then is sent
//! again.

use super::{
    options::{Receipts, Shared},
    verdict,
};
use crate::link::{
    attempt::{self, Attempt, Kept, is_broken},
    dialogue::{ANSWER_BYTES_MAX, Breach, Dialogue, Link, LinkError},
    failure::Failure,
    open,
};
use delivery::{Cell, Connection, Exchange, Row, Verdict, Wait};
use std::sync::Arc;
use transport::{
    amqp::Durability,
    stomp::{Frame, body, decode, header, login_header},
};

/// The version that we speak.
const VERSION: &[u8] = b"1.2";

/// A connection, or room for one.
pub(super) struct StompConnection {
    shared: Arc<Shared>,
    open: Option<Open>,
}

/// An open connection.
struct Open {
    link: Link,
    /// The number of the last receipt that was asked for.
    last: u64,
}

impl StompConnection {
    pub(super) fn new(shared: Arc<Shared>) -> StompConnection {
        StompConnection { shared, open: None }
    }
}

/// Waits for the answer to a login.
#[derive(Default)]
struct Login {
    found: Option<Result<(), Failure>>,
}

impl Dialogue for Login {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        if self.found.is_some() {
            return Ok(0);
        }
        let Some((frame, size)) = decode(received, ANSWER_BYTES_MAX)? else { return Ok(0) };
        self.found = Some(match frame.command {
            b"CONNECTED" if frame.header("version") == Some(VERSION) => Ok(()),
            b"CONNECTED" => Err(verdict::of_version(&text(&frame, "version"))),
            b"ERROR" => Err(verdict::of_login(&words(&frame))),
            _ => return Err(Breach("it does not answer the login")),
        });
        Ok(size)
    }

    fn awaited(&self) -> usize {
        usize::from(self.found.is_none())
    }
}

/// Waits for receipts.
struct Answers {
    receipts: Receipts,
    /// The number of the receipt of the first row.
    first: u64,
    /// Of each row.
    found: Vec<bool>,
    awaited: usize,
    heard: usize,
    refused: Option<Failure>,
}

impl Answers {
    fn settle(&mut self, number: &[u8]) -> Result<(), Breach> {
        let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<u64>().ok());
        let index = number.and_then(|number| number.checked_sub(self.first));
        let index =
            index.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < self.found.len());
        let index = index.ok_or(Breach("it confirms what was not sent"))?;
        self.heard += 1;
        let settled = match self.receipts {
            Receipts::OfEach => index..index + 1,
            Receipts::OfLast => 0..index + 1,
        };
        for place in &mut self.found[settled] {
            self.awaited -= usize::from(!*place);
            *place = true;
        }
        Ok(())
    }

    fn take_frame(&mut self, frame: &Frame<'_>) -> Result<(), Breach> {
        match frame.command {
            b"RECEIPT" => self.settle(frame.header("receipt-id").unwrap_or_default()),
            b"ERROR" => {
                self.refused.get_or_insert_with(|| verdict::of_error(&words(frame)));
                Ok(())
            }
            _ => Err(Breach("it sends what nobody asked for")),
        }
    }
}

impl Dialogue for Answers {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while let Some((frame, size)) = decode(&received[used..], ANSWER_BYTES_MAX)? {
            used += size;
            self.take_frame(&frame)?;
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        if self.refused.is_some() { 0 } else { self.awaited }
    }
}

fn text(frame: &Frame<'_>, name: &str) -> String {
    String::from_utf8_lossy(frame.header(name).unwrap_or_default()).into_owned()
}

/// Returns the words of an error: its header, and its text if that says more.
fn words(frame: &Frame<'_>) -> String {
    let body = String::from_utf8_lossy(frame.body);
    match (text(frame, "message"), body.trim()) {
        (message, "") => message,
        (message, body) if body.contains(&message) => body.to_owned(),
        (message, body) => format!("{message}: {body}"),
    }
}

async fn connect(shared: &Shared) -> Result<Open, Failure> {
    let mut link = Link::new(open(&shared.server).await?);
    let mut out = b"CONNECT\n".to_vec();
    login_header("accept-version", "1.2", &mut out);
    login_header("host", &shared.login.vhost, &mut out);
    login_header("heart-beat", "0,0", &mut out);
    if let Some((user, password)) = &shared.login.user {
        login_header("login", user, &mut out);
        login_header("passcode", password, &mut out);
    }
    body(b"", &mut out);
    let mut login = Login::default();
    link.exchange(out, &mut login, shared.timeout).await?;
    login.found.unwrap_or(Ok(())).map(|()| Open { link, last: 0 })
}

/// Counts the bytes of a row's text.
fn size(row: &Row) -> usize {
    match row.cells.as_slice() {
        [_, Cell::Bytes(text)] => text.len(),
        _ => 0,
    }
}

/// Makes frames; the receipt of the first row has the number `first`.
fn frames(rows: &[&Row], first: u64, shared: &Shared) -> Vec<u8> {
    let mut out = Vec::new();
    for (row, number) in rows.iter().zip(first..) {
        let [Cell::Bytes(headers), Cell::Bytes(text)] = row.cells.as_slice() else { continue };
        out.extend_from_slice(b"SEND\n");
        header(b"destination", shared.destination.as_bytes(), &mut out);
        header(b"content-length", text.len().to_string().as_bytes(), &mut out);
        if shared.durability == Durability::Persistent {
            header(b"persistent", b"true", &mut out);
        }
        let is_last = number - first + 1 == rows.len() as u64;
        if is_last || shared.receipts == Receipts::OfEach {
            header(b"receipt", number.to_string().as_bytes(), &mut out);
        }
        header(b"duramen-id", row.id.to_string().as_bytes(), &mut out);
        out.extend_from_slice(headers);
        body(text, &mut out);
    }
    out
}

impl Kept for StompConnection {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let opened = match self.open.take() {
            Some(open) => Ok(open),
            None => connect(&self.shared).await,
        };
        let mut open = match opened {
            Ok(open) => open,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let limit = &self.shared.limit;
        let suspects: Vec<Option<Failure>> =
            rows.iter().map(|row| limit.suspect(size(row)).filter(|_| rows.len() > 1)).collect();
        let sent: Vec<&Row> =
            rows.iter().zip(&suspects).filter(|(_, suspect)| suspect.is_none()).map(|(row, _)| row).collect();
        let first = open.last + 1;
        open.last += sent.len() as u64;
        let mut answers = Answers {
            receipts: self.shared.receipts,
            first,
            found: vec![false; sent.len()],
            awaited: sent.len(),
            heard: 0,
            refused: None,
        };
        let out = frames(&sent, first, &self.shared);
        let done = open.link.exchange(out, &mut answers, self.shared.timeout).await;
        let is_unheard = answers.heard == 0 && answers.refused.is_none() && is_broken(&done);
        let is_useful = done.is_ok() && answers.refused.is_none();
        let failure = answers.refused.unwrap_or_else(|| Failure {
            verdict: Verdict::Later(Wait::Busy),
            answer: done.as_ref().err().map(LinkError::to_string).unwrap_or_default(),
        });
        if is_useful {
            self.open = Some(open);
        }
        match rows {
            [row] if answers.found == [true] => limit.taken(size(row)),
            _ => limit.learn(&failure.answer),
        }
        let mut found = answers.found.into_iter();
        let answers = suspects.into_iter().map(|suspect| match suspect {
            Some(failure) => Some(Err(failure)),
            None => found.next().unwrap_or_default().then_some(Ok(())),
        });
        let answers = answers.collect();
        Attempt { answers, is_unheard, failure }
    }
}

impl Connection for StompConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(attempt::exchange(self, rows))
    }

    fn close(&mut self) {
        if let Some(Open { mut link, .. }) = self.open.take() {
            link.say_last(b"DISCONNECT\n\n\0");
        }
    }
}
