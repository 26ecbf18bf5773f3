//! Requests of HTTP: webhooks, chats and PagerDuty.
//!
//! In: a channel, a notification. Out: a request or several, and what their answers mean. Holds nothing.
//! Limits: [`TIMEOUT`]; [`BODY_BYTES_MAX`] a body of a webhook: alerts beyond that are counted, not listed.

use super::{address, chat, delivery::Delivery, pagerduty, secret, signature};
use crate::{letter::Letter, notice::Notice};
use serde_json::{Value, json};
use services::{PostAnswer, Poster, encode_into};
use std::{net::SocketAddr, time::Duration};
use transport::tls::SenderTls;
use watch::{HttpChannel, Service, Setting};

/// Longest time for a request and its answer.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Longest body of a webhook: Standard Webhooks asks for less than 20 kB.
const BODY_BYTES_MAX: usize = 19_000;

/// A request that is ready to be sent, perhaps with several bodies, one after the other.
pub(super) struct Request {
    url: String,
    peer: SocketAddr,
    method: &'static str,
    headers: Vec<(String, String)>,
    bodies: Vec<Vec<u8>>,
}

/// Makes the request of a notification, or says why that is not possible now.
pub(super) fn request(channel: &HttpChannel, letter: &Letter, now_us: i64) -> Result<Request, Delivery> {
    let url = secret::value(&channel.url).map_err(Delivery::failed)?;
    let peer = address::peer(&url, channel.reach).map_err(Delivery::failed)?;
    let Parts { url, method, mut headers, bodies } = parts(&channel.service, url, letter, now_us)?;
    headers.push(("content-type".to_owned(), "application/json".to_owned()));
    Ok(Request { url, peer, method, headers, bodies })
}

/// The parts of a request that its service decides about.
struct Parts {
    url: String,
    method: &'static str,
    headers: Vec<(String, String)>,
    bodies: Vec<Vec<u8>>,
}

impl Parts {
    fn post(url: String, body: &Value) -> Parts {
        Parts { url, method: "POST", headers: Vec::new(), bodies: vec![body.to_string().into_bytes()] }
    }
}

/// Makes what the service of a channel takes.
fn parts(service: &Service, url: String, letter: &Letter, now_us: i64) -> Result<Parts, Delivery> {
    let (subject, text) = (letter.content.subject(), letter.content.body());
    Ok(match service {
        Service::Webhook { secret } => webhook(secret.as_ref(), url, letter, now_us)?,
        Service::Slack => Parts::post(url, &chat::slack(&subject, &text)),
        Service::Teams => Parts::post(url, &chat::teams(&text)),
        Service::Telegram { token, chat } => {
            let token = secret::value(token).map_err(Delivery::failed)?;
            Parts::post(
                format!("{}/bot{token}/sendMessage", url.trim_end_matches('/')),
                &chat::telegram(chat, &text),
            )
        }
        Service::PagerDuty { routing_key } => {
            let routing_key = secret::value(routing_key).map_err(Delivery::failed)?;
            let events = pagerduty::events(&routing_key, letter);
            if events.is_empty() {
                return Err(Delivery::Never("PagerDuty takes alerts, no signs of life".to_owned()));
            }
            let bodies = events.iter().map(|event| event.to_string().into_bytes()).collect();
            Parts { url, method: "POST", headers: Vec::new(), bodies }
        }
        Service::Matrix { token, room } => {
            let token = secret::value(token).map_err(Delivery::failed)?;
            let mut path = Vec::new();
            encode_into(room.as_bytes(), &mut path);
            let room = String::from_utf8_lossy(&path);
            let url = url.trim_end_matches('/');
            // The server recognises a repetition by the last part, which is the id of the notification.
            let url = format!("{url}/_matrix/client/v3/rooms/{room}/send/m.room.message/{}", letter.id);
            let headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
            Parts { method: "PUT", headers, ..Parts::post(url, &chat::matrix(&text)) }
        }
    })
}

/// Makes the request of a webhook: signed, with its id, and the time of this attempt.
fn webhook(secret: Option<&Setting>, url: String, letter: &Letter, now_us: i64) -> Result<Parts, Delivery> {
    let secrets = secret.map(secret::value).transpose().map_err(Delivery::failed)?.unwrap_or_default();
    let body = webhook_body(letter);
    let headers = signature::headers(&secrets, &letter.id, now_us.div_euclid(1_000_000), &body);
    let wrong = "the secret is not whsec_ and the base64 of 24 to 64 bytes";
    let headers = headers.ok_or_else(|| Delivery::failed(wrong))?;
    Ok(Parts { url, method: "POST", headers, bodies: vec![body] })
}

/// Returns the JSON of a notification, with as many alerts as fit.
fn webhook_body(letter: &Letter) -> Vec<u8> {
    let Notice(content) = &letter.content;
    let mut content = content.clone();
    let subject = letter.content.subject();
    if let Some(fields) = content.as_object_mut() {
        fields.insert("id".to_owned(), Value::from(letter.id.as_str()));
        fields.insert("thread".to_owned(), json!(letter.thread));
        fields.insert("title".to_owned(), Value::from(subject));
    }
    loop {
        let body = content.to_string().into_bytes();
        let alerts = content.get_mut("alerts").and_then(Value::as_array_mut);
        match alerts {
            // The oldest go first.
            Some(alerts) if body.len() > BODY_BYTES_MAX && !alerts.is_empty() => drop(alerts.remove(0)),
            _ => return body,
        }
    }
}

/// Sends a request. The receiver has the notification when it has taken every body; after another answer the rest is not sent.
pub(super) async fn exchange(request: Request, tls: SenderTls) -> Delivery {
    let poster = Poster { method: request.method, timeout: TIMEOUT, tls };
    let mut taken = Delivery::failed("there was nothing to send");
    for body in request.bodies {
        taken = match poster.post(&request.url, request.peer, request.headers.clone(), body).await {
            Ok(answer) => judge(&answer),
            Err(error) => Delivery::failed(error),
        };
        if !matches!(taken, Delivery::Done(_)) {
            break;
        }
    }
    taken
}

/// Returns what an answer means: only a status from 200 to 299 says that the receiver has it.
fn judge(answer: &PostAnswer) -> Delivery {
    let words = String::from_utf8_lossy(&answer.body);
    let shown = format!("{} {}", answer.status, words.trim()).trim_end().to_owned();
    match answer.status {
        200..=299 => Delivery::Done(shown),
        410 => Delivery::Gone(shown),
        // The request came too slowly, too early or too often.
        408 | 425 | 429 => {
            Delivery::Later { answer: shown, wait: answer.wait.or_else(|| asked(&answer.body)) }
        }
        300..=399 => Delivery::Never(format!("{shown}: redirections are not followed")),
        400..=499 => Delivery::Never(shown),
        _ => Delivery::Later { answer: shown, wait: answer.wait },
    }
}

/// Returns the pause that a body asks for: Telegram says it in seconds, Matrix in milliseconds.
fn asked(body: &[u8]) -> Option<Duration> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let seconds = body["parameters"]["retry_after"].as_u64().map(Duration::from_secs);
    let wait = seconds.or_else(|| body["retry_after_ms"].as_u64().map(Duration::from_millis));
    wait.map(|wait| wait.clamp(Duration::from_secs(1), Duration::from_secs(3_600)))
}

#[cfg(test)]
mod tests {
    //! Answers, and bodies that are too long.

    use super::*;

    #[test]
    fn only_a_success_is_one() {
        let judged = |status| {
            let wait = Some(Duration::from_secs(7));
            match judge(&PostAnswer { status, wait, body: b"because".to_vec() }) {
                Delivery::Done(_) => "done",
                Delivery::Later { wait: Some(_), .. } => "later",
                Delivery::Later { wait: None, .. } => "at some time",
                Delivery::Never(_) => "never",
                Delivery::Gone(_) => "gone",
            }
        };
        for (status, want) in [
            (200, "done"),
            (204, "done"),
            (301, "never"),
            (307, "never"),
            (400, "never"),
            (401, "never"),
            (404, "never"),
            (408, "later"),
            (410, "gone"),
            (425, "later"),
            (429, "later"),
            (500, "later"),
            (502, "later"),
            (503, "later"),
            (504, "later"),
            (101, "later"),
        ] {
            assert_eq!(judged(status), want, "{status}");
        }
    }

    #[test]
    fn a_body_may_ask_for_a_pause() {
        for (body, want) in [
            (r#"{"ok": false, "parameters": {"retry_after": 9}}"#, Some(9)),
            (r#"{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 2000}"#, Some(2)),
            (r#"{"retry_after_ms": 1}"#, Some(1)),
            (r#"{"retry_after_ms": 9000000000}"#, Some(3_600)),
            (r#"{"retry_after_ms": -1}"#, None),
            ("slow down", None),
        ] {
            assert_eq!(asked(body.as_bytes()).map(|wait| wait.as_secs()), want, "{body}");
        }
    }

    #[test]
    fn a_body_stays_below_twenty_kilobytes_and_keeps_the_newest_alerts() {
        let long = |number: i64| json!({"rule": "r".repeat(900), "at_us": number});
        let alerts: Vec<Value> = (0..50).map(long).collect();
        let content = Notice(json!({"type": "alerts", "count": 50, "alerts": alerts}));
        let letter =
            Letter { number: 1, id: "msg_a".into(), created_us: 0, content, attempts: 0, thread: None };
        let body = webhook_body(&letter);
        assert!(body.len() <= BODY_BYTES_MAX);
        let body: Value = serde_json::from_slice(&body).unwrap();
        let kept = body["alerts"].as_array().unwrap();
        assert!((15..50).contains(&kept.len()));
        assert_eq!(kept.last().unwrap()["at_us"], 49);
        assert_eq!((&body["count"], &body["id"]), (&json!(50), &json!("msg_a")));
    }
}
