//! `duramen rules state`: how far the rules of a server have come, without a gap or with which, and what fires.
//!
//! In: the database of alerts. Out: for each logspace its rules, the messages that they have evaluated, the alerts that fire.
//! Holds nothing. Limits: [`ALERTS_MAX`]. The server may run meanwhile.

use super::super::{
    author::now_us,
    layout::ALERTS,
    logspace::{Folder, time},
};
use crate::terminal;
use alerts::{Alert, AlertFilter, AlertState, Coverage, Store, StoreError, Watched};
use clap::Args;
use serde_json::{Value, json};
use std::{fmt, path::PathBuf};

/// Most alerts that are shown for a logspace.
const ALERTS_MAX: usize = 10_000;

/// Options of `state`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Only this rule
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// Print a JSON object for each logspace
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: Folder,
}

/// The reason why nothing is shown.
#[derive(Debug)]
pub(super) enum StateError {
    /// No rules were evaluated with this data folder.
    None { path: PathBuf },
    /// The database does not answer.
    Store(StoreError),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::None { path } => {
                write!(f, "no rules were evaluated here: there is no {}", path.display())
            }
            StateError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StateError {}

/// Shows the state; returns false when a message was not evaluated.
pub(super) fn run(options: &Options) -> Result<bool, StateError> {
    let path = options.folder.path().join(ALERTS);
    let store = Store::at(&path);
    if !store.exists() {
        return Err(StateError::None { path });
    }
    let mut is_whole = true;
    for watched in store.watched().map_err(StateError::Store)? {
        is_whole &= one(&store, &watched, options).map_err(StateError::Store)?;
    }
    Ok(is_whole)
}

fn one(store: &Store, watched: &Watched, options: &Options) -> Result<bool, StoreError> {
    let coverage = store.coverage(&watched.logspace, options.rule.as_deref())?;
    let alerts = store.alerts(&AlertFilter {
        logspaces: Some(vec![watched.logspace.clone()]),
        rule: options.rule.clone(),
        state: Some(AlertState::Firing),
        limit: ALERTS_MAX,
        ..AlertFilter::default()
    })?;
    match options.json {
        true => outln!("{}", terminal::json(&object(watched, &coverage, &alerts).to_string())),
        false => lines(watched, &coverage, &alerts),
    }
    Ok(coverage.iter().all(|part| part.state == "evaluated"))
}

fn lines(watched: &Watched, coverage: &[Coverage], alerts: &[Alert]) {
    let age = (now_us() - watched.alive_us).max(0) / 1_000_000;
    let line =
        format!("logspace {}: evaluated below #{}, written {age} s ago", watched.logspace, watched.cursor);
    outln!("{}", terminal::line(&line));
    for Coverage { rule, version, from, to, state } in coverage {
        let to = to.map_or_else(|| format!("#{} and further", watched.cursor), |to| format!("#{to}"));
        let version = version.get(..8).unwrap_or(version);
        outln!("{}", terminal::line(&format!("  rule {rule} ({version}): #{from} to {to}: {state}")));
    }
    for Alert { rule, severity, key, began_us, value, .. } in alerts {
        let value = value.map_or_else(String::new, |value| format!(" ({value})"));
        let line = format!("  firing since {} {severity:<7} {rule} {key}{value}", time(*began_us));
        outln!("{}", terminal::line(&line));
    }
}

fn object(watched: &Watched, coverage: &[Coverage], alerts: &[Alert]) -> Value {
    let parts = coverage.iter().map(|part| {
        json!({"rule": part.rule, "version": part.version, "from": part.from, "to": part.to, "state": part.state})
    });
    let firing = alerts.iter().map(|alert| {
        let key: Value = serde_json::from_str(&alert.key).unwrap_or_default();
        json!({
            "id": alert.id, "rule": alert.rule, "severity": alert.severity, "key": key,
            "since_us": alert.began_us, "sequence": alert.sequence, "value": alert.value,
        })
    });
    json!({
        "logspace": watched.logspace,
        "next_sequence": watched.cursor,
        "alive_us": watched.alive_us,
        "coverage": parts.collect::<Vec<_>>(),
        "firing": firing.collect::<Vec<_>>(),
    })
}
