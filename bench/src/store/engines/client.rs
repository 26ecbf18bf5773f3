//! Queries over HTTP, as the page sends them.
//!
//! In: queries. Out: counts and times. Holds: a session.

use crate::store::{engine::Answer, questions::Question};
use serde_json::{Value, json};
use std::{
    io,
    time::{Duration, Instant},
};
use ureq::Agent;

/// Longest wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// Most bytes of an answer: 200 messages are some 200 KB.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// A session with the server.
pub(crate) struct Client {
    agent: Agent,
    base: String,
    cookie: String,
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

    /// Number of messages that can be found.
    pub(crate) fn total(&self) -> io::Result<u64> {
        let answer =
            self.post("search", &json!({ "logspace": "bench", "query": "*", "limit": 1, "bars": 1 }))?;
        number(&answer, "/total")
    }

    /// Runs a query: 30 bars and the newest 200 messages, the most common values, or both.
    pub(crate) fn ask(&self, question: &Question) -> io::Result<Answer> {
        if question.messages {
            return self.search(question.query, question.columns);
        }
        let body =
            json!({ "logspace": "bench", "query": question.query, "limit": 10, "columns": question.columns });
        self.timed("facets", &body, "/facets/0/coverage")
    }

    /// 30 bars, the newest 200 messages, and the most common values of these columns.
    pub(crate) fn search(&self, query: &str, columns: &[&str]) -> io::Result<Answer> {
        let body =
            json!({ "logspace": "bench", "query": query, "limit": 200, "bars": 30, "facets": columns });
        self.timed("search", &body, "/total")
    }

    /// The clock stops at the answer's last byte: the client's own work does not count as the server's time.
    fn timed(&self, call: &str, body: &Value, total: &str) -> io::Result<Answer> {
        let start = Instant::now();
        let answer = self.post_for_bytes(call, body)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        Ok(Answer { ms, total: number(&serde_json::from_slice(&answer)?, total)? })
    }

    fn post(&self, call: &str, body: &Value) -> io::Result<Value> {
        Ok(serde_json::from_slice(&self.post_for_bytes(call, body)?)?)
    }

    fn post_for_bytes(&self, call: &str, body: &Value) -> io::Result<Vec<u8>> {
        self.agent
            .post(format!("{}/{call}", self.base))
            .header("X-Requested-By", "duramen")
            .header("Cookie", &self.cookie)
            .send_json(body)
            .and_then(|mut response| response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec())
            .map_err(|error| io::Error::other(format!("{call} {body}: {error}")))
    }
}

fn number(answer: &Value, place: &str) -> io::Result<u64> {
    let found = answer.pointer(place).and_then(Value::as_u64);
    found.ok_or_else(|| io::Error::other(format!("the answer has no number at {place}: {answer}")))
}
