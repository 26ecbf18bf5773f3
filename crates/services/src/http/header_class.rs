//! Headers that a class of the configuration makes for each request, and the answers that it gets to know: `python-http-header()`.
//!
//! In: the body of a request with its headers, the status of its answer. Out: more headers, or what becomes of the messages without
//! them. Holds: the process of the class, which all connections of a destination share: one request asks at a time.
//! Limits: those of the class ([`python::HeaderClass`]). Bodies are as long as a destination makes them.

use delivery::{HoldReason, Verdict, failure::Failure};
use python::{HeaderClass, HeaderError, Program};
use std::{
    fmt,
    sync::{Arc, Mutex as Lock, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Mutex;
use transport::{InternalLog, LogPause};

/// Least time between two log lines about a class that fails.
const SAID_EVERY: Duration = Duration::from_secs(10);

/// `mark-errors-as-critical()`: what a request does for which the class made no headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnHeaderError {
    /// It is not sent, and tried again after `time-reopen()`.
    Wait,
    /// It is sent without them.
    Send,
}

/// `python-http-header()`
#[derive(Clone, PartialEq, Debug)]
pub struct PythonHeader {
    /// The class, and how it is run.
    pub program: Arc<Program>,
    /// `mark-errors-as-critical()`
    pub on_error: OnHeaderError,
}

/// The class of a destination.
pub(super) struct RequestHeaders {
    target: PythonHeader,
    log: Lock<InternalLog>,
    pause: Lock<LogPause>,
    /// Made in the runtime of the destination.
    class: Mutex<Option<HeaderClass>>,
}

impl RequestHeaders {
    pub(super) fn new(target: PythonHeader) -> RequestHeaders {
        RequestHeaders {
            target,
            log: Lock::new(InternalLog::new("", None)),
            pause: Lock::new(LogPause::new(SAID_EVERY)),
            class: Mutex::default(),
        }
    }

    pub(super) fn log_to(&self, log: &InternalLog) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log.clone();
    }

    fn log(&self) -> InternalLog {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn class(&self) -> HeaderClass {
        HeaderClass::new(self.target.program.clone(), self.log())
    }

    /// Returns the headers for a request.
    pub(super) async fn of(&self, body: &[u8], headers: &[String]) -> Result<Vec<(String, String)>, Failure> {
        let made = self.class.lock().await.get_or_insert_with(|| self.class()).headers(body, headers).await;
        let name = &self.target.program.class;
        match (made, self.target.on_error) {
            (Ok(made), _) => Ok(made),
            (Err(error @ HeaderError::Unusable(_)), _) => {
                let answer = format!("class {name} of python-http-header(): {error}");
                Err(Failure { verdict: Verdict::Hold(HoldReason::Code), answer })
            }
            (Err(error), OnHeaderError::Wait) => {
                Err(Failure::unreachable(format!("class {name} of python-http-header(): {error}")))
            }
            (Err(error), OnHeaderError::Send) => {
                self.tell("Python makes no headers, requests are sent without them", &error);
                Ok(Vec::new())
            }
        }
    }

    /// Tells the class the status of an answer. The messages of the request have their outcome, whatever it does.
    pub(super) async fn received(&self, status: u16) {
        let noted = self.class.lock().await.get_or_insert_with(|| self.class()).received(status).await;
        if let Err(error) = noted {
            self.tell("Python failed at the status of an answer", &error);
        }
    }

    fn tell(&self, what: &str, error: &HeaderError) {
        let mut pause = self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = pause.count(1, Instant::now()) {
            let class = &self.target.program.class;
            self.log().warning(&format!("{what}; class='{class}', error='{error}', requests='{count}'"));
        }
    }
}

impl fmt::Debug for RequestHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}
