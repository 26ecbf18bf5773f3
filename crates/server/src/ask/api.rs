//! Calls of the API.
//!
//! In: an address and a password. Out: JSON. Holds the session's cookie.
//! The password comes from `$DURAMEN_PASSWORD` or from the terminal, never from the command line.

use super::{
    error::{AskError, FileProblem},
    options::Login,
};
use crate::authorities;
use serde_json::{Value, json};
use std::{env, time::Duration};
use ureq::{Agent, Body, http::Response};

/// Longest wait for the first byte of an answer; a search has its own, shorter limit.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A session on a server.
pub(super) struct Session {
    agent: Agent,
    base: String,
    cookie: String,
}

impl Session {
    /// Logs in.
    pub(super) fn open(login: &Login) -> Result<Session, AskError> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_recv_response(Some(TIMEOUT))
            .tls_config(authorities::trusted(login.ca_file.as_deref())?);
        let agent: Agent = config.build().into();
        let base = format!("{}/api/v1", login.url.trim_end_matches('/'));
        let password = password(login)?;
        let mut session = Session { agent, base, cookie: String::new() };
        let answer = session.send("login", &json!({"user": login.user, "password": password}))?;
        let header = answer.headers().get("set-cookie").and_then(|value| value.to_str().ok());
        let cookie = header.and_then(|text| text.split(';').next());
        session.cookie = cookie.ok_or(AskError::NoSession)?.to_owned();
        Ok(session)
    }

    /// Sends a call with a JSON body.
    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value, AskError> {
        let mut answer = self.send(path, body)?;
        answer.body_mut().read_json().map_err(|error| AskError::Answer(Box::new(error)))
    }

    /// Sends a call whose answer is JSON of up to `bytes_max`.
    pub(super) fn large(&self, path: &str, bytes_max: u64) -> Result<Value, AskError> {
        let mut answer = self.get(path, &[])?;
        let read = answer.body_mut().with_config().limit(bytes_max).read_json();
        read.map_err(|error| AskError::Answer(Box::new(error)))
    }

    /// Sends a call whose answer is read piece by piece.
    pub(super) fn get(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Response<Body>, AskError> {
        let mut request = self.agent.get(format!("{}/{path}", self.base)).header("cookie", &self.cookie);
        for (name, value) in parameters {
            request = request.query(*name, *value);
        }
        checked(request.call().map_err(|error| self.unreachable(error))?)
    }

    fn send(&self, path: &str, body: &Value) -> Result<Response<Body>, AskError> {
        let request = self.agent.post(format!("{}/{path}", self.base)).header("x-requested-by", "duramen");
        let request = if self.cookie.is_empty() { request } else { request.header("cookie", &self.cookie) };
        checked(request.send_json(body).map_err(|error| self.unreachable(error))?)
    }

    fn unreachable(&self, error: ureq::Error) -> AskError {
        AskError::Unreachable { base: self.base.clone(), source: Box::new(error) }
    }
}

/// The password of tests, which cannot prompt for one.
const GIVEN: Option<&str> = if cfg!(test) { Some("correct horse battery staple") } else { None };

/// Returns the password of the environment, or the one that is typed.
fn password(login: &Login) -> Result<String, AskError> {
    let known = GIVEN.map(str::to_owned).or_else(|| env::var("DURAMEN_PASSWORD").ok());
    let typed = || rpassword::prompt_password(format!("Password of {}: ", login.user));
    known.map_or_else(|| typed().map_err(AskError::Password), Ok)
}

/// Returns the answer, or the server's error.
fn checked(mut answer: Response<Body>) -> Result<Response<Body>, AskError> {
    if answer.status().is_success() {
        return Ok(answer);
    }
    let status = answer.status();
    let body: Value = answer.body_mut().read_json().unwrap_or_default();
    let error = &body["error"];
    let reason = error["message"].as_str();
    if let (Some(reason), Some(problems)) = (reason, body["problems"].as_array()) {
        let problems = problems.iter().map(FileProblem::of).collect();
        return Err(AskError::Files { reason: reason.to_owned(), problems });
    }
    Err(AskError::Refused {
        reason: reason.map_or_else(|| format!("the server answered {status}"), str::to_owned),
        position: error["position"].as_u64(),
        suggestion: error["suggestion"].as_str().map(str::to_owned),
    })
}
