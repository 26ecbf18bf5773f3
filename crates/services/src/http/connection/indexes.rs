//! What a destination sets up in Elasticsearch or OpenSearch: index templates before the first document, and rollover.
//!
//! In: the options, the address of a request. Out: nothing, or what becomes of the messages without it. Holds: a connection, whether
//! everything is set up, and when rollover was last asked for.
//! Limits: all addresses of a destination belong to one cluster, whose interface begins at the root of the server. Rollover
//! is asked for while messages come, and one that fails holds no message.

use super::super::{
    answers::bulk,
    client::{Answer, Lane, Request},
    form::AnswerForm,
    options::{Compression, IndexSetup, RequestSettings, Rollover, RolloverTarget},
};
use delivery::{HoldReason, Verdict, Wait, failure::Failure};
use hyper::body::Bytes;
use serde::Deserialize;
use std::{
    fmt,
    sync::{Mutex as Lock, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Mutex;
use transport::{InternalLog, LogPause};

/// Least time between two log lines about a rollover that fails.
const SAID_EVERY: Duration = Duration::from_secs(60);

/// The setup of a destination.
pub(in crate::http) struct Indexes {
    setup: IndexSetup,
    log: Lock<InternalLog>,
    state: Mutex<State>,
}

struct State {
    lane: Lane,
    is_prepared: bool,
    /// When rollover was last asked for.
    asked: Option<Instant>,
    pause: LogPause,
}

/// The address of a request, and what all requests have.
pub(in crate::http) struct Cluster<'a> {
    /// Scheme, host and port.
    pub(in crate::http) base: String,
    pub(in crate::http) settings: &'a RequestSettings,
    /// The header `Authorization` and others that requests get one by one.
    pub(in crate::http) headers: Vec<(&'static str, String)>,
}

/// A question to a server.
struct Question<'a> {
    method: &'static str,
    path: String,
    /// JSON, or nothing.
    body: &'a str,
}

impl Answer {
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns whether the server has nothing of the name.
    fn is_missing(&self) -> bool {
        let words = bulk::words(&self.body);
        matches!(self.status, 400 | 404)
            && (words.contains("does not exist") || words.contains("no such index"))
    }

    /// Returns what becomes of messages for which this could not be set up.
    fn failure(&self, what: &str) -> Failure {
        let verdict = match self.status {
            401 | 407 => Verdict::Hold(HoldReason::Credentials),
            403 => Verdict::Hold(HoldReason::Access),
            408 | 425 | 429 | 500.. => Verdict::Later(Wait::Busy),
            _ => Verdict::Hold(HoldReason::Schema),
        };
        let answer = format!("{what}: the server answered {}: {}", self.status, bulk::words(&self.body));
        Failure { verdict, answer }
    }
}

/// The answer to a rollover.
#[derive(Deserialize)]
struct RolledOver {
    rolled_over: bool,
    #[serde(default)]
    old_index: String,
    #[serde(default)]
    new_index: String,
}

impl Indexes {
    pub(in crate::http) fn new(setup: IndexSetup) -> Indexes {
        let state = State {
            lane: Lane::default(),
            is_prepared: false,
            asked: None,
            pause: LogPause::new(SAID_EVERY),
        };
        Indexes { setup, log: Lock::new(InternalLog::new("", None)), state: Mutex::new(state) }
    }

    pub(in crate::http) fn log_to(&self, log: &InternalLog) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log.clone();
    }

    fn log(&self) -> InternalLog {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets up what is not there yet, and asks for rollover when it is time.
    pub(in crate::http) async fn prepare(&self, cluster: &Cluster<'_>) -> Result<(), Failure> {
        let mut state = self.state.lock().await;
        if !state.is_prepared {
            self.set_up(&mut state.lane, cluster).await?;
            state.is_prepared = true;
        }
        let due = self
            .setup
            .rollover
            .as_ref()
            .filter(|rollover| state.asked.is_none_or(|asked| asked.elapsed() >= rollover.every));
        if let Some(rollover) = due {
            state.asked = Some(Instant::now());
            self.roll_over(&mut state, cluster, rollover).await;
        }
        Ok(())
    }

    /// Forgets that everything is set up: the server that comes back may be another.
    pub(in crate::http) async fn forget(&self) {
        self.state.lock().await.is_prepared = false;
    }

    async fn set_up(&self, lane: &mut Lane, cluster: &Cluster<'_>) -> Result<(), Failure> {
        for (name, body) in &self.setup.templates {
            let path = format!("/_index_template/{name}");
            let answer = ask(lane, cluster, Question { method: "PUT", path, body }).await?;
            if !answer.is_success() {
                return Err(answer.failure(&format!("index template {name}")));
            }
        }
        match self.setup.rollover.as_ref().map(|rollover| &rollover.target) {
            Some(RolloverTarget::Alias(alias)) => make_alias(lane, cluster, alias).await,
            // The first document makes a data stream.
            Some(RolloverTarget::DataStream(_)) | None => Ok(()),
        }
    }

    async fn roll_over(&self, state: &mut State, cluster: &Cluster<'_>, rollover: &Rollover) {
        let name = rollover.target.name();
        let path = format!("/{name}/_rollover");
        let question = Question { method: "POST", path, body: &rollover.conditions };
        let failed = match ask(&mut state.lane, cluster, question).await {
            Ok(answer) if answer.is_success() => {
                let rolled = serde_json::from_slice::<RolledOver>(&answer.body);
                if let Ok(RolledOver { rolled_over: true, old_index, new_index }) = rolled {
                    self.log().notice(&format!(
                        "Index rolled over; name='{name}', old='{old_index}', new='{new_index}'"
                    ));
                }
                return;
            }
            // A data stream without a document is not there yet.
            Ok(answer) if answer.is_missing() && matches!(rollover.target, RolloverTarget::DataStream(_)) => {
                return;
            }
            Ok(answer) => answer.failure("rollover").answer,
            Err(failure) => failure.answer,
        };
        if let Some(count) = state.pause.count(1, Instant::now()) {
            self.log().warning(&format!("Rollover failed; name='{name}', error='{failed}', times='{count}'"));
        }
    }
}

impl fmt::Debug for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setup.fmt(f)
    }
}

/// Makes an alias with its first index, unless it is there.
async fn make_alias(lane: &mut Lane, cluster: &Cluster<'_>, alias: &str) -> Result<(), Failure> {
    let found = || Question { method: "GET", path: format!("/_alias/{alias}"), body: "" };
    let answer = ask(lane, cluster, found()).await?;
    if answer.is_success() {
        return Ok(());
    }
    if answer.status != 404 {
        return Err(answer.failure(&format!("alias {alias}")));
    }
    let body = format!("{{\"aliases\":{{\"{alias}\":{{\"is_write_index\":true}}}}}}");
    let first = Question { method: "PUT", path: format!("/{alias}-000001"), body: &body };
    let made = ask(lane, cluster, first).await?;
    // Another server may have made both meanwhile.
    if made.is_success() || made.status == 400 && ask(lane, cluster, found()).await?.is_success() {
        return Ok(());
    }
    Err(made.failure(&format!("first index of the alias {alias}")))
}

async fn ask(lane: &mut Lane, cluster: &Cluster<'_>, question: Question<'_>) -> Result<Answer, Failure> {
    let is_content_type = |name: &str| name.eq_ignore_ascii_case("content-type");
    let mut headers = cluster.settings.headers.clone();
    headers.retain(|(name, _)| !is_content_type(name));
    if !question.body.is_empty() {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    let settings = RequestSettings {
        method: question.method.to_owned(),
        headers,
        compression: Compression::None,
        ..cluster.settings.clone()
    };
    let request = Request {
        body: Bytes::copy_from_slice(question.body.as_bytes()),
        messages: 1,
        headers: cluster.headers.clone(),
        made: Vec::new(),
        answer: AnswerForm::Words,
        ..Request::default()
    };
    lane.exchange_twice(&(cluster.base.clone() + &question.path), &request, &settings).await.answer()
}
