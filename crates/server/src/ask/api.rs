//! Calls of the API.
//!
//! In: an address and a password, or an API token. Out: JSON. Holds the session's cookie, or the token.
//! The token comes from `$DURAMEN_TOKEN`, the password from `$DURAMEN_PASSWORD` or from the terminal: neither is ever on the
//! command line.

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
    /// The name and the value of the header that shows who calls.
    proof: (&'static str, String),
}

impl Session {
    /// Logs in; with an API token there is nothing to log in for.
    pub(super) fn open(login: &Login) -> Result<Session, AskError> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_recv_response(Some(TIMEOUT))
            .tls_config(authorities::trusted(login.ca_file.as_deref())?);
        let agent: Agent = config.build().into();
        let base = format!("{}/api/v1", login.url.trim_end_matches('/'));
        if let Some(token) = token() {
            return Ok(Session { agent, base, proof: ("authorization", format!("Bearer {token}")) });
        }
        let password = password(login)?;
        let mut session = Session { agent, base, proof: ("cookie", String::new()) };
        let answer = session.send("login", &json!({"user": login.user, "password": password}))?;
        let header = answer.headers().get("set-cookie").and_then(|value| value.to_str().ok());
        let cookie = header.and_then(|text| text.split(';').next());
        session.proof.1 = cookie.ok_or(AskError::NoSession)?.to_owned();
        Ok(session)
    }

    /// Sends a call with a JSON body.
    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value, AskError> {
        let mut answer = self.send(path, body)?;
        answer.body_mut().read_json().map_err(|error| AskError::Answer(Box::new(error)))
    }

    /// Sends a call whose answer is JSON of up to `bytes_max`.
    pub(super) fn large(&self, path: &str, bytes_max: u64) -> Result<Value, AskError> {
        self.list(path, &[], bytes_max)
    }

    /// Sends a call that removes or ends something.
    pub(super) fn delete(&self, path: &str) -> Result<Value, AskError> {
        let request = self.agent.delete(format!("{}/{path}", self.base)).header("x-requested-by", "duramen");
        let (name, proof) = &self.proof;
        let mut answer =
            checked(request.header(*name, proof).call().map_err(|error| self.unreachable(error))?)?;
        answer.body_mut().read_json().map_err(|error| AskError::Answer(Box::new(error)))
    }

    /// Sends a call with parameters, whose answer is JSON of up to `bytes_max`.
    pub(super) fn list(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
        bytes_max: u64,
    ) -> Result<Value, AskError> {
        let mut answer = self.get(path, parameters)?;
        let read = answer.body_mut().with_config().limit(bytes_max).read_json();
        read.map_err(|error| AskError::Answer(Box::new(error)))
    }

    /// Sends a call whose answer is read piece by piece.
    pub(super) fn get(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Response<Body>, AskError> {
        let (name, proof) = &self.proof;
        let mut request = self.agent.get(format!("{}/{path}", self.base)).header(*name, proof);
        for (name, value) in parameters {
            request = request.query(*name, *value);
        }
        checked(request.call().map_err(|error| self.unreachable(error))?)
    }

    fn send(&self, path: &str, body: &Value) -> Result<Response<Body>, AskError> {
        let request = self.agent.post(format!("{}/{path}", self.base)).header("x-requested-by", "duramen");
        let (name, proof) = &self.proof;
        let request = if proof.is_empty() { request } else { request.header(*name, proof) };
        checked(request.send_json(body).map_err(|error| self.unreachable(error))?)
    }

    fn unreachable(&self, error: ureq::Error) -> AskError {
        AskError::Unreachable { base: self.base.clone(), source: Box::new(error) }
    }
}

/// The password of tests, which cannot prompt for one.
const GIVEN: Option<&str> = if cfg!(test) { Some("correct horse battery staple") } else { None };

/// Returns the API token of the environment; tests have none.
fn token() -> Option<String> {
    let token = env::var("DURAMEN_TOKEN").ok().filter(|_| GIVEN.is_none());
    token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty())
}

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
