//! Questions over HTTP, as the page asks them.
//!
//! In: questions. Out: counts and times. Holds: a session.

use super::questions::Question;
use serde_json::{Value, json};
use std::{
    io,
    time::{Duration, Instant},
};
use ureq::Agent;

/// Longest wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// A session with the server.
pub(crate) struct Client {
    agent: Agent,
    base: String,
    cookie: String,
}

/// One answer.
pub(crate) struct Answer {
    pub(crate) total: u64,
    /// From the question's first byte to the answer's last.
    pub(crate) wall_ms: f64,
    /// Inside the server.
    pub(crate) inside_ms: f64,
}

impl Client {
    /// Logs in.
    pub(crate) fn log_in(port: u16, password: &str) -> io::Result<Client> {
        let config = Agent::config_builder().timeout_global(Some(ANSWER_TIMEOUT)).build();
        let base = format!("http://127.0.0.1:{port}/api/v1");
        let mut client = Client { agent: config.into(), base, cookie: String::new() };
        let response = client
            .agent
            .post(format!("{}/login", client.base))
            .header("X-Requested-By", "duramen")
            .send_json(json!({ "user": "admin", "password": password }))
            .map_err(io::Error::other)?;
        let cookie = response.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok());
        let cookie = cookie.and_then(|cookie| cookie.split(';').next());
        client.cookie = cookie.ok_or_else(|| io::Error::other("the server gave no session"))?.to_owned();
        Ok(client)
    }

    /// Messages that can be found.
    pub(crate) fn total(&self) -> io::Result<u64> {
        let answer =
            self.post("search", &json!({ "logspace": "bench", "query": "*", "limit": 1, "bars": 1 }))?;
        number(&answer, "/total")
    }

    /// Asks a question: 30 bars and the newest 200 messages, the commonest values, or both.
    pub(crate) fn ask(&self, question: &Question) -> io::Result<Answer> {
        if question.messages {
            let body = json!({ "logspace": "bench", "query": question.query, "limit": 200, "bars": 30,
                "facets": question.columns });
            self.timed("search", &body, |answer| number(answer, "/total"))
        } else {
            let body = json!({ "logspace": "bench", "query": question.query, "limit": 10,
                "columns": question.columns });
            self.timed("facets", &body, |answer| number(answer, "/facets/0/coverage"))
        }
    }

    fn timed(
        &self,
        call: &str,
        body: &Value,
        total: impl Fn(&Value) -> io::Result<u64>,
    ) -> io::Result<Answer> {
        let start = Instant::now();
        let answer = self.post(call, body)?;
        let wall_ms = start.elapsed().as_secs_f64() * 1e3;
        let inside_ms = answer.get("took_ms").and_then(Value::as_f64).unwrap_or(f64::NAN);
        Ok(Answer { total: total(&answer)?, wall_ms, inside_ms })
    }

    fn post(&self, call: &str, body: &Value) -> io::Result<Value> {
        self.agent
            .post(format!("{}/{call}", self.base))
            .header("X-Requested-By", "duramen")
            .header("Cookie", &self.cookie)
            .send_json(body)
            .and_then(|mut response| response.body_mut().read_json())
            .map_err(|error| io::Error::other(format!("{call} {body}: {error}")))
    }
}

fn number(answer: &Value, place: &str) -> io::Result<u64> {
    let found = answer.pointer(place).and_then(Value::as_u64);
    found.ok_or_else(|| io::Error::other(format!("the answer has no number at {place}: {answer}")))
}
