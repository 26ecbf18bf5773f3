//! Alerts listed and acknowledged, silences, tests of channels, over the HTTP API.
//!
//! In: options. Out: lines, or the answers of the API as JSON. Exit status: 0; 1 for an error, and for a test that does not
//! arrive. Limits: those of the API; a test is waited for [`TEST_PATIENCE`].

use super::{
    super::{api::Session, error::AskError},
    options::{AlertsOptions, AlertsVerb, Call, ChannelOptions, ChannelVerb, SilenceOptions, SilenceVerb},
    shown,
};
use crate::{data_folder::author::now_us, terminal};
use serde_json::{Value, json};
use std::{
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

/// Longest wait for what becomes of a test: a mail server has a minute for its answer.
const TEST_PATIENCE: Duration = Duration::from_secs(70);
/// Pause between two questions about it.
const TEST_PAUSE: Duration = Duration::from_millis(250);
/// Largest answer: 500 alerts with their keys.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// Runs `alerts`.
pub(crate) fn alerts(options: &AlertsOptions) -> ExitCode {
    ended(match &options.verb {
        AlertsVerb::Ls { call, state, rule, logspace, limit } => {
            let limit = limit.to_string();
            let all = [("state", state), ("rule", rule), ("logspace", logspace)];
            let mut parameters = vec![("limit", limit.as_str())];
            parameters.extend(all.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))));
            list(call, "alerts", &parameters, shown::alert)
        }
        AlertsVerb::Ack { call, numbers, note } => each(call, numbers, |session, number| {
            let body = json!({"note": note});
            session.post(&format!("alerts/{number}/acknowledge"), &body).map(|one| (shown::alert(&one), one))
        }),
    })
}

/// Runs `silence`.
pub(crate) fn silence(options: &SilenceOptions) -> ExitCode {
    ended(match &options.verb {
        SilenceVerb::Ls { call } => list(call, "silences", &[], shown::silence),
        SilenceVerb::Add { call, query, time, reason } => add(call, &query.join(" "), time, reason),
        SilenceVerb::End { call, numbers } => each(call, numbers, |session, number| {
            session.delete(&format!("silences/{number}")).map(|one| (shown::silence(&one), one))
        }),
    })
}

/// Runs `channel`.
pub(crate) fn channel(options: &ChannelOptions) -> ExitCode {
    let ChannelVerb::Test { call, id } = &options.verb;
    test(call, id).unwrap_or_else(|error| ended(Err(error)))
}

fn ended(done: Result<(), AskError>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: {}", terminal::lines(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Prints what a call lists.
fn list(
    call: &Call,
    path: &str,
    parameters: &[(&str, &str)],
    line: fn(&Value) -> String,
) -> Result<(), AskError> {
    let answer = Session::open(&call.login)?.list(path, parameters, ANSWER_BYTES_MAX)?;
    if call.json {
        outln!("{}", terminal::json(&answer.to_string()));
        return Ok(());
    }
    answer[path].as_array().into_iter().flatten().for_each(|one| outln!("{}", line(one)));
    if answer["more"] == true {
        errln!("duramen: there are more; -n shows up to 500");
    }
    Ok(())
}

/// Does something with each number, and prints what became of it.
fn each(
    call: &Call,
    numbers: &[u64],
    act: impl Fn(&Session, u64) -> Result<(String, Value), AskError>,
) -> Result<(), AskError> {
    let session = Session::open(&call.login)?;
    for number in numbers {
        let (line, answer) = act(&session, *number)?;
        print(call, &line, &answer);
    }
    Ok(())
}

fn print(call: &Call, line: &str, answer: &Value) {
    match call.json {
        true => outln!("{}", terminal::json(&answer.to_string())),
        false => outln!("{line}"),
    }
}

fn add(call: &Call, query: &str, time: &str, reason: &str) -> Result<(), AskError> {
    let time_us = query::parse_duration(time).ok_or_else(|| AskError::Duration { text: time.to_owned() })?;
    let body = json!({"query": query, "to_us": now_us().saturating_add(time_us), "reason": reason});
    let made = Session::open(&call.login)?.post("silences", &body)?;
    print(call, &shown::silence(&made), &made);
    Ok(())
}

/// Sends a test, and waits for what becomes of it.
fn test(call: &Call, id: &str) -> Result<ExitCode, AskError> {
    let session = Session::open(&call.login)?;
    let segment = path_segment(id);
    let sent = session.post(&format!("channels/{segment}/test"), &json!({}))?;
    let number = sent["id"].as_str().unwrap_or_default().to_owned();
    let until = Instant::now() + TEST_PATIENCE;
    loop {
        let found = session.list(&format!("notifications/{number}"), &[], ANSWER_BYTES_MAX)?;
        if let Some(tried) = found["attempts"].as_array().and_then(|attempts| attempts.last()) {
            let text = |name: &str| terminal::line(tried[name].as_str().unwrap_or_default()).into_owned();
            print(call, &format!("{}: {}", text("outcome"), text("answer")), &found);
            let arrived = tried["outcome"] == "delivered";
            return Ok(if arrived { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        if Instant::now() >= until {
            return Err(AskError::NoTest);
        }
        thread::sleep(TEST_PAUSE);
    }
}

/// Returns a text as a segment of a path: an id of a channel has no other characters, so that what has some is unknown.
fn path_segment(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
