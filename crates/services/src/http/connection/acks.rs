//! Acknowledgements of Splunk's indexers (`useACK`): events count as written when they are indexed.
//!
//! In: requests of which the collector has taken the events, and the numbers that it gave them. Out: what becomes of their rows.
//! Holds: nothing; a connection has its [`Channel`].
//! Limits: `ack-timeout()` for each request; one request of a channel waits at a time. So a number that a server that was restarted gives
//! to others is never taken for that of a request before: it forgets all numbers, answers that they are not indexed, and their
//! events are sent again.

use super::super::{
    answers::{Judge, collector},
    client::{Answer, Lane, Reply, Request},
    form::AnswerForm,
    options::{AckOptions, Compression, RequestSettings},
};
use delivery::{HoldReason, Judgement, Verdict, Wait, failure::Failure};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The header with the channel of a request.
pub(super) const CHANNEL: &str = "X-Splunk-Request-Channel";
/// The path of the collector, before the parts that name what is asked of it.
const COLLECTOR: &str = "/services/collector";
/// Longest pause between two questions: indexing takes seconds.
const ASKED_EVERY: Duration = Duration::from_secs(5);
/// The collector's code for a token without acknowledgements.
const DISABLED: u64 = 14;

/// Asks for acknowledgements.
#[derive(Debug)]
pub(in crate::http) struct Acks {
    options: AckOptions,
    settings: RequestSettings,
}

/// The channel of a connection: numbers of the collector are those of one channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) id: String,
    /// For each address, whether its token was found to have acknowledgements, or at least nothing to the contrary.
    checked: Vec<bool>,
}

impl Channel {
    /// Draws a channel for a connection to some addresses. Fails when the system gives no random bytes.
    pub(super) fn new(addresses: usize) -> Result<Channel, Failure> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| Failure { verdict: Verdict::Later(Wait::Busy), answer: error.to_string() })?;
        Ok(Channel { id: guid(bytes), checked: vec![false; addresses] })
    }
}

/// Returns random bytes as the text of a GUID (RFC 9562, version 4).
fn guid(bytes: [u8; 16]) -> String {
    let bits = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0b11 << 62) | 4 << 76 | 0b10 << 62;
    let text = format!("{bits:032X}");
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

impl Acks {
    /// Asks with the settings of requests with events.
    pub(in crate::http) fn new(options: AckOptions, settings: &RequestSettings) -> Acks {
        let (method, compression) = ("POST".to_owned(), Compression::None);
        Acks { options, settings: RequestSettings { method, compression, ..settings.clone() } }
    }

    /// Checks before the first events of a channel that the token has acknowledgements: events that were sent without would
    /// be sent again and again. Fails only when the server says that it has none.
    pub(super) async fn check(
        &self,
        (lane, channel, place): (&mut Lane, &mut Channel, usize),
        url: &str,
        request: &Request,
    ) -> Result<(), Failure> {
        if channel.checked.get(place).copied().unwrap_or(true) {
            return Ok(());
        }
        let Ok(Answer { status, body, .. }) = self.ask(lane, url, request, 0).await?.answer() else {
            // The request itself will meet the same fault.
            return Ok(());
        };
        if json(&body).and_then(|answer| answer.get("code")?.as_u64()) == Some(DISABLED) {
            return Err(schema(format!("the server answered {status}: {}", without_acks("ACK is disabled"))));
        }
        channel.checked[place] = true;
        Ok(())
    }

    /// Returns what becomes of the rows of a request from the answer to it: `judgements`, and the number that the server gave.
    pub(super) async fn confirmed(
        &self,
        (lane, judge): (&mut Lane, &Judge),
        (url, request): (&str, &Request),
        judgements: Vec<Judgement>,
        number: Option<u64>,
    ) -> Vec<Judgement> {
        let is_taken = judgements.iter().all(|judgement| judgement.verdict == Verdict::Delivered);
        match number {
            Some(number) if is_taken => {
                let Failure { verdict, answer } = self.wait(lane, judge, (url, request), number).await;
                Judgement::of_all(request.messages, verdict, answer)
            }
            None if is_taken => {
                let Failure { verdict, answer } = schema(without_acks("the answer has no ackId"));
                Judgement::of_all(request.messages, verdict, answer)
            }
            _ => judgements.into_iter().map(unconfirmed).collect(),
        }
    }

    /// Asks until the events of a number are indexed. Returns the verdict over their rows, and why.
    async fn wait(
        &self,
        lane: &mut Lane,
        judge: &Judge,
        (url, request): (&str, &Request),
        number: u64,
    ) -> Failure {
        let deadline = Instant::now() + self.options.within;
        let (mut pause, mut last) = (self.options.asked_after, String::new());
        while let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
        {
            sleep(pause.min(left)).await;
            pause = (pause * 2).min(ASKED_EVERY);
            let reply = match self.ask(lane, url, request, number).await {
                Ok(reply) => reply,
                Err(failure) => return failure,
            };
            last = match reply.answer() {
                Ok(answer) if is_indexed(&answer, number) => {
                    return Failure { verdict: Verdict::Delivered, answer: String::new() };
                }
                Ok(Answer { status: 200..=299, .. }) => String::new(),
                Ok(Answer { status, wait, body, .. }) => {
                    let known = collector::judgements(judge, (status, wait), &body, 1);
                    let known = known.and_then(|known| known.into_iter().next());
                    let verdict = known.as_ref().map_or(judge.of_status(status, wait), |known| known.verdict);
                    let said =
                        known.map_or_else(|| format!("the server answered {status}"), |known| known.answer);
                    // Nothing else is about the question: it is about messages, or passes.
                    if matches!(verdict, Verdict::Hold(_)) {
                        return Failure { verdict, answer: format!("acknowledgements: {said}") };
                    }
                    format!("; {said}")
                }
                Err(Failure { answer, .. }) => format!("; {answer}"),
            };
        }
        let seconds = self.options.within.as_secs_f64();
        let answer =
            format!("the server did not acknowledge within {seconds} s that events are indexed{last}");
        Failure { verdict: Verdict::Later(Wait::Busy), answer }
    }

    /// Asks whether the events of a number are indexed.
    async fn ask(
        &self,
        lane: &mut Lane,
        url: &str,
        request: &Request,
        number: u64,
    ) -> Result<Reply, Failure> {
        let Some(url) = question_url(url, request) else {
            return Err(schema(format!("use-ack() needs an address with {COLLECTOR}")));
        };
        let body = format!("{{\"acks\":[{number}]}}").into();
        let question = Request { body, messages: 1, answer: AnswerForm::Words, ..request.clone() };
        Ok(lane.exchange_twice(&url, &question, &self.settings).await)
    }
}

/// Returns the number that the collector gave to the events of a request.
pub(super) fn number(reply: &Reply) -> Option<u64> {
    match reply {
        Reply::Status { status: 200..=299, body, .. } => json(body)?.get("ackId")?.as_u64(),
        _ => None,
    }
}

/// Returns an address without a channel: the one of the connection is in a header.
pub(super) fn without_channel(url: &str) -> String {
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let left: Vec<&str> = query.split('&').filter(|part| !part.starts_with("channel=")).collect();
    if left.is_empty() { path.to_owned() } else { format!("{path}?{}", left.join("&")) }
}

/// Returns the address at which a collector is asked for acknowledgements. `None` when an address is none of a collector.
fn question_url(url: &str, request: &Request) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let root = &path[..path.rfind(COLLECTOR)?];
    let (_, channel) = request.headers.iter().find(|(name, _)| *name == CHANNEL)?;
    Some(format!("{root}{COLLECTOR}/ack?channel={channel}"))
}

fn is_indexed(answer: &Answer, number: u64) -> bool {
    let found = json(&answer.body)
        .filter(|_| (200..300).contains(&answer.status))
        .and_then(|answer| answer.get("acks")?.get(number.to_string())?.as_bool());
    found == Some(true)
}

fn json(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}

/// Returns the judgement over rows that the server may have taken, but did not give a number: they are sent again.
fn unconfirmed(judgement: Judgement) -> Judgement {
    match judgement.verdict {
        Verdict::Delivered => Judgement { verdict: Verdict::Later(Wait::Busy), ..judgement },
        _ => judgement,
    }
}

fn schema(answer: String) -> Failure {
    Failure { verdict: Verdict::Hold(HoldReason::Schema), answer }
}

fn without_acks(fault: &str) -> String {
    format!("{fault}: enable indexer acknowledgement for the token in Splunk, or remove use-ack()")
}

#[cfg(test)]
mod tests {
    //! Addresses and channels.

    use super::*;

    #[track_caller]
    fn check(url: &str, sent: &str, asked: Option<&str>) {
        assert_eq!(without_channel(url), sent);
        let request =
            Request { headers: vec![("a", "b".to_owned()), (CHANNEL, "C".to_owned())], ..Request::default() };
        assert_eq!(question_url(url, &request).as_deref(), asked, "{url}");
        assert_eq!(question_url(url, &Request::default()), None);
    }

    #[test]
    fn a_collector_is_asked_at_its_own_address() {
        let asked = Some("https://h:8088/services/collector/ack?channel=C");
        check("https://h:8088/services/collector", "https://h:8088/services/collector", asked);
        check(
            "https://h:8088/services/collector/raw/1.0?channel=&index=a&channel=7",
            "https://h:8088/services/collector/raw/1.0?index=a",
            asked,
        );
        check(
            "https://h:8088/services/collector/event?channel=7",
            "https://h:8088/services/collector/event",
            asked,
        );
        check(
            "http://h/behind/services/collector/event?a=/services/collector",
            "http://h/behind/services/collector/event?a=/services/collector",
            Some("http://h/behind/services/collector/ack?channel=C"),
        );
        check("http://h/in", "http://h/in", None);
    }

    #[test]
    fn a_channel_is_a_random_guid() {
        assert_eq!(guid([0; 16]), "00000000-0000-4000-8000-000000000000");
        assert_eq!(guid([0xff; 16]), "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF");
        let (one, other) = (Channel::new(1).unwrap(), Channel::new(1).unwrap());
        assert_ne!(one.id, other.id);
    }
}
