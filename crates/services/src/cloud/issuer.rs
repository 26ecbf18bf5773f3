//! A token from a server.
//!
//! In: credentials. Out: a token and how long it may be used. Holds: nothing.
//! Limits: [`TOKEN_BYTES_MAX`]; `timeout()` of the destination.

use super::options::{ClientAuth, ClientCredentials, MetadataAccount};
use crate::{
    http::{AnswerForm, Lane, Reply, Request, RequestSettings},
    url::encoded,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use delivery::{HoldReason, Verdict, Wait, failure::Failure};
use serde_json::Value;
use std::time::Duration;

/// Longest token.
const TOKEN_BYTES_MAX: usize = 16 << 10;
/// Lifetime of a token that has none.
const UNSAID_LIFETIME: Duration = Duration::from_secs(300);
/// Least time for which a token is used: with less there would be no pause between requests.
const LIFETIME_MIN: Duration = Duration::from_secs(5);
/// How long before its end a token of a machine is replaced.
const METADATA_OFFSET: Duration = Duration::from_secs(60);
/// Longest error of a server that is kept.
const WORDS_CHARACTERS_MAX: usize = 200;

/// A token.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) text: String,
    /// How long it may be used.
    pub(super) lifetime: Duration,
}

/// Fetches a token with the credentials of a client (RFC 6749, section 4.4).
pub(super) async fn by_credentials(
    client: &ClientCredentials,
    settings: &RequestSettings,
) -> Result<Token, Failure> {
    let mut body = "grant_type=client_credentials".to_owned();
    let mut push = |name: &str, value: &str| {
        body.push_str(&format!("&{name}={}", encoded(value).replace('/', "%2F")));
    };
    client.fields.iter().for_each(|(name, value)| push(name, value));
    let mut headers = vec![("content-type", "application/x-www-form-urlencoded".to_owned())];
    let ClientCredentials { client_id, client_secret, .. } = client;
    match client.method {
        // Section 2.3.1 wants both encoded as in a form before they are joined.
        ClientAuth::Basic => {
            let form = |text: &str| encoded(text).replace('/', "%2F");
            let pair = STANDARD.encode(format!("{}:{}", form(client_id), form(client_secret)));
            headers.push(("authorization", format!("Basic {pair}")));
        }
        ClientAuth::PostBody => {
            push("client_id", client_id);
            push("client_secret", client_secret);
        }
    }
    let request =
        Request { body: body.into(), messages: 1, headers, answer: AnswerForm::Words, ..Request::default() };
    let settings = RequestSettings { method: "POST".to_owned(), ..settings.clone() };
    let reply = Lane::default().exchange_twice(&client.token_url, &request, &settings).await;
    of_reply(reply, client.refresh_offset)
}

/// Fetches the token of the account of this machine.
pub(super) async fn by_metadata(
    account: &MetadataAccount,
    settings: &RequestSettings,
) -> Result<Token, Failure> {
    let headers = vec![("metadata-flavor", "Google".to_owned())];
    let request = Request { headers, messages: 1, answer: AnswerForm::Words, ..Request::default() };
    // The server of the metadata is on this machine.
    let settings = RequestSettings { method: "GET".to_owned(), proxy: None, ..settings.clone() };
    let url = format!("{}/{}/token", account.url.trim_end_matches('/'), encoded(&account.name));
    let reply = Lane::default().exchange_twice(&url, &request, &settings).await;
    of_reply(reply, METADATA_OFFSET)
}

/// Reads the answer of a server of tokens, and never shows more of it than its error.
fn of_reply(reply: Reply, offset: Duration) -> Result<Token, Failure> {
    let later = |answer: String| Failure { verdict: Verdict::Later(Wait::Busy), answer };
    let (status, wait, body) = match reply {
        Reply::Unreachable(error) => {
            return Err(Failure::unreachable(format!("the server of tokens: {error}")));
        }
        Reply::Broken(error) => return Err(later(format!("the server of tokens: {error}"))),
        Reply::Silent => return Err(later("the server of tokens did not answer in time".to_owned())),
        Reply::Status { status, wait, body, .. } => (status, wait, body),
    };
    let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    if !(200..300).contains(&status) {
        let word = answer.get("error").and_then(Value::as_str).unwrap_or_default();
        let word: String = word.chars().filter(|c| !c.is_control()).take(WORDS_CHARACTERS_MAX).collect();
        let answer = format!("the server of tokens answered {status} {word}").trim_end().to_owned();
        let verdict = match status {
            408 | 425 | 429 | 500..=599 => Verdict::Later(wait.map_or(Wait::Busy, Wait::For)),
            _ => Verdict::Hold(HoldReason::Credentials),
        };
        return Err(Failure { verdict, answer });
    }
    let is_plain = |text: &&str| {
        !text.is_empty() && text.len() <= TOKEN_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let Some(text) = answer.get("access_token").and_then(Value::as_str).filter(is_plain) else {
        let answer = "the server of tokens answered with no token".to_owned();
        return Err(Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer });
    };
    // Some servers write the number as text.
    let seconds = answer.get("expires_in").and_then(|value| match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64(),
    });
    let lifetime = seconds.map_or(UNSAID_LIFETIME, Duration::from_secs).saturating_sub(offset);
    Ok(Token { text: text.to_owned(), lifetime: lifetime.max(LIFETIME_MIN) })
}
