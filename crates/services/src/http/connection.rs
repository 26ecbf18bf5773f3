//! A request with its rows, sent to one address after the other until one takes it.
//!
//! In: rows of one group. Out: their verdicts. Holds: a connection for each address. Limits: each address is tried once an
//! exchange, and once more when the connection breaks, for `timeout()` at most.

mod acks;
mod indexes;

pub(super) use acks::Acks;
pub(super) use indexes::Indexes;

use self::{acks::Channel, indexes::Cluster};
use super::{
    answers::{Judge, bulk, collector, ingestion},
    body::{self, BodyForm},
    client::{Answer, Lane, Reply, Request, base},
    form::AnswerForm,
    header_class::RequestHeaders,
    options::{Authorize, Compression, ItemResults, RequestSettings},
    targets::Targets,
};
use delivery::{Connection, Exchange, HoldReason, Judgement, Row, Verdict, Wait, failure::Failure};
use hyper::body::Bytes;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) form: BodyForm,
    pub(super) judge: Judge,
    pub(super) settings: Arc<RequestSettings>,
    pub(super) item_results: ItemResults,
    pub(super) targets: Targets,
    pub(super) auth: Option<Box<dyn Authorize>>,
    /// `python-http-header()`
    pub(super) headers: Option<RequestHeaders>,
    /// `index-template()` and `rollover()`
    pub(super) indexes: Option<Indexes>,
    /// `use-ack()`
    pub(super) acks: Option<Acks>,
    /// Number of addresses.
    pub(super) urls: usize,
    /// How long an address that failed is skipped.
    pub(super) recovery: Duration,
}

impl Shared {
    /// Makes the request for some rows. Returns its body as it is before it is compressed, too.
    async fn request(&self, rows: &[Row], answer: AnswerForm) -> Result<(Request, Bytes), Failure> {
        let mut headers = body::headers(rows);
        if let Some(auth) = &self.auth {
            headers.push(("authorization", auth.authorization().await?));
        }
        let (messages, made) = (rows.len(), Vec::new());
        if self.headers.is_none() {
            let body = self.form.body(rows).into();
            return Ok((Request { body, messages, headers, made, answer, peer: None }, Bytes::new()));
        }
        let plain = self.form.plain(rows);
        let (body, plain) = match self.form.compression {
            Compression::None => {
                let body = Bytes::from(plain);
                (body.clone(), body)
            }
            compression => (body::packed(plain.clone(), compression).into(), plain.into()),
        };
        let mut request = Request { body, messages, headers, made, answer, peer: None };
        request.made = self.made(&request, &plain).await?;
        Ok((request, plain))
    }

    /// Sets up the indexes of the cluster that an address belongs to, as far as they are not.
    async fn prepare(&self, url: &str, headers: &[(&'static str, String)]) -> Result<(), Failure> {
        let Some(indexes) = &self.indexes else { return Ok(()) };
        let base = base(&url.parse().map_err(|_| Failure::unreachable("this is no URL"))?);
        indexes.prepare(&Cluster { base, settings: &self.settings, headers: headers.to_vec() }).await
    }

    /// Tells those who want to know how a request ended.
    async fn heard(&self, reply: &Reply) {
        match (reply, &self.headers, &self.indexes) {
            (Reply::Status { status, .. }, Some(class), _) => class.received(*status).await,
            (Reply::Unreachable(_) | Reply::Broken(_), _, Some(indexes)) => indexes.forget().await,
            _ => {}
        }
    }

    /// Asks the class for the headers of a request.
    async fn made(&self, request: &Request, plain: &[u8]) -> Result<Vec<(String, String)>, Failure> {
        let Some(class) = &self.headers else { return Ok(Vec::new()) };
        let configured = self.settings.headers.iter().map(|(name, value)| format!("{name}: {value}"));
        let own = request.headers.iter().map(|(name, value)| format!("{name}: {value}"));
        class.of(plain, &configured.chain(own).collect::<Vec<_>>()).await
    }

    /// Gives a request new headers. Returns false when there are none.
    async fn renew(&self, request: &mut Request, plain: &[u8]) -> bool {
        let Ok(made) = self.made(request, plain).await else { return false };
        let is_other = made != request.made;
        request.made = made;
        is_other
    }
}

/// Connections to all addresses.
pub(super) struct HttpConnection {
    shared: Arc<Shared>,
    lanes: Vec<Lane>,
    /// With `use-ack()`: the channel of its requests, after something failed another one.
    channel: Option<Channel>,
}

impl HttpConnection {
    pub(super) fn new(shared: Arc<Shared>) -> HttpConnection {
        HttpConnection { lanes: (0..shared.urls).map(|_| Lane::default()).collect(), shared, channel: None }
    }

    /// Makes the request for some rows, with the channel of this connection.
    async fn request(&mut self, rows: &[Row], answer: AnswerForm) -> Result<(Request, Bytes), Failure> {
        if self.shared.acks.is_none() {
            return self.shared.request(rows, answer).await;
        }
        let (mut request, plain) = self.shared.request(rows, AnswerForm::Collector).await?;
        let channel = match self.channel.take() {
            Some(channel) => channel,
            None => Channel::new(self.shared.urls)?,
        };
        request.headers.push((acks::CHANNEL, channel.id.clone()));
        self.channel = Some(channel);
        Ok((request, plain))
    }

    /// Sends a request to one address, and judges its rows.
    async fn outcome(&mut self, place: usize, url: &str, request: &Request) -> Vec<Judgement> {
        let (shared, lane) = (self.shared.clone(), &mut self.lanes[place]);
        let (Some(acks), Some(channel)) = (&shared.acks, &mut self.channel) else {
            let reply = lane.exchange_twice(url, request, &shared.settings).await;
            shared.heard(&reply).await;
            return judgements(&shared.judge, reply, request);
        };
        let url = acks::without_channel(url);
        if let Err(Failure { verdict, answer }) = acks.check((lane, channel, place), &url, request).await {
            return Judgement::of_all(request.messages, verdict, answer);
        }
        let reply = lane.exchange_twice(&url, request, &shared.settings).await;
        shared.heard(&reply).await;
        let number = acks::number(&reply);
        let is_decided = match &reply {
            Reply::Status { status, wait, .. } => shared.judge.of_action(*status, *wait).is_some(),
            _ => false,
        };
        let found = judgements(&shared.judge, reply, request);
        if is_decided {
            return found;
        }
        let found = acks.confirmed((lane, &shared.judge), (&url, request), found, number).await;
        if found.iter().any(|judgement| judgement.verdict != Verdict::Delivered) {
            // A new channel: acknowledgements of earlier requests must not count for later ones.
            self.channel = None;
        }
        found
    }

    async fn exchange(&mut self, group: &str, rows: &[Row]) -> Vec<Judgement> {
        // The name of an index may follow the addresses.
        let urls: Vec<&str> = group.splitn(self.shared.urls + 1, ' ').take(self.shared.urls).collect();
        let forms = urls.iter().map(|url| self.shared.item_results.form(url));
        let answer = forms.max_by_key(|form| form.is_read()).unwrap_or_default();
        let (mut request, plain) = match self.request(rows, answer).await {
            Ok(made) => made,
            Err(Failure { verdict, answer }) => return Judgement::of_all(rows.len(), verdict, answer),
        };
        let mut is_new = true;
        let mut place = self.shared.targets.choose(Instant::now());
        let mut tries = 1;
        loop {
            let url = urls.get(place).copied().unwrap_or_default();
            let judgements = match self.shared.prepare(url, &request.headers).await {
                Ok(()) => self.outcome(place, url, &request).await,
                Err(Failure { verdict, answer }) => Judgement::of_all(rows.len(), verdict, answer),
            };
            let has = |verdict| judgements.iter().any(|one| one.verdict == verdict);
            let is_refused = has(Verdict::Hold(HoldReason::Credentials));
            if let Some(auth) = self.shared.auth.as_ref().filter(|_| is_refused) {
                auth.forget();
            }
            // The class knows now that its headers were refused: others are tried at once.
            if (is_refused || has(Verdict::Hold(HoldReason::Access)))
                && std::mem::take(&mut is_new)
                && self.shared.renew(&mut request, &plain).await
            {
                continue;
            }
            let now = Instant::now();
            let Some(pause) = pause(&judgements, self.shared.recovery) else {
                self.shared.targets.mend(place);
                return judgements;
            };
            match self.shared.targets.replace(place, now + pause, now) {
                Some(next) if tries < self.shared.urls => (place, tries) = (next, tries + 1),
                _ => return judgements,
            }
        }
    }
}

impl Connection for HttpConnection {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(self.exchange(group, rows))
    }

    fn close(&mut self) {
        self.lanes.iter_mut().for_each(Lane::close);
    }
}

/// Returns how long an address is passed over that takes nothing of a request for now; `None` when it does its work.
fn pause(judgements: &[Judgement], recovery: Duration) -> Option<Duration> {
    let [judgement] = judgements else { return None };
    match judgement.verdict {
        Verdict::Later(Wait::For(pause)) => Some(pause),
        Verdict::Later(_) | Verdict::Hold(_) => Some(recovery),
        _ => None,
    }
}

/// Returns the judgements of a request from its outcome.
fn judgements(judge: &Judge, reply: Reply, request: &Request) -> Vec<Judgement> {
    let all = |verdict, answer: String| Judgement::of_all(request.messages, verdict, answer);
    match reply.answer() {
        Err(Failure { verdict, answer }) => all(verdict, answer),
        Ok(Answer { status, wait, body, .. }) => {
            let known = of_form(judge, (status, wait), &body, request);
            known.unwrap_or_else(|| match judge.of_status(status, wait) {
                Verdict::Delivered => Judgement::delivered(request.messages),
                verdict => all(verdict, answer(status, &body, verdict)),
            })
        }
    }
}

/// Judges by the content of an answer. `None` when only its status counts.
fn of_form(
    judge: &Judge,
    (status, wait): (u16, Option<Duration>),
    body: &[u8],
    request: &Request,
) -> Option<Vec<Judgement>> {
    let rows = request.messages;
    let is_success = (200..300).contains(&status) && judge.of_status(status, wait) == Verdict::Delivered;
    match request.answer {
        AnswerForm::Bulk if is_success => Some(match bulk::results(body, rows) {
            Ok(results) => of_items(judge, &results),
            Err(error) => Judgement::of_all(rows, judge.of_error(wait), error.to_string()),
        }),
        AnswerForm::Collector => collector::judgements(judge, (status, wait), body, rows),
        AnswerForm::Ingestion if is_success => ingestion::judgements(body, rows),
        _ => None,
    }
}

/// Judges each message by its own result; messages that share a verdict and its reason are judged together.
fn of_items(judge: &Judge, results: &[bulk::ItemResult]) -> Vec<Judgement> {
    let mut judgements: Vec<Judgement> = Vec::new();
    for result in results {
        let verdict = judge.of_item(result);
        let answer = if verdict == Verdict::Delivered { String::new() } else { result.answer() };
        match judgements.last_mut() {
            Some(last) if last.verdict == verdict && last.answer == answer => last.rows += 1,
            _ => judgements.push(Judgement { rows: 1, verdict, answer }),
        }
    }
    judgements
}

/// Returns the text of the server. If it concerns a message it may quote it, so only its dead letter gets it.
fn answer(status: u16, body: &[u8], verdict: Verdict) -> String {
    let is_of_message = matches!(verdict, Verdict::Split(_) | Verdict::Dead(_) | Verdict::Drop);
    let words = if is_of_message { bulk::quoted(body) } else { bulk::words(body) };
    match (words.is_empty(), is_of_message) {
        (true, _) => format!("the server answered {status}"),
        (false, true) => format!("the server answered {status}\n{words}"),
        (false, false) => format!("the server answered {status}: {words}"),
    }
}
