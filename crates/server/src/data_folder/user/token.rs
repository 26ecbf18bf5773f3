//! `duramen user token`: makes, lists and revokes API tokens of users.
//!
//! In: what a token may do. Out: its text, once, on standard output; a changed file of users. Changes are written to the ledger
//! first, without the text.

use super::record;
use accounts::{
    AccountError, Accounts, ApiToken, NewToken, TOKEN_DAYS_DEFAULT, TOKEN_DAYS_MAX, TokenError, TokenScope,
    TokenUses,
};
use clap::{Args, Subcommand};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::json;
use std::{
    fmt, io,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// When tokens were used last, in the data folder.
const TOKEN_USES: &str = "token-uses.json";

#[derive(Subcommand, Debug)]
pub(super) enum TokenVerb {
    /// Make a token of a user, and print its text: it is shown only once
    Add(NewTokenOptions),
    /// List tokens without their texts: user, id, name, last four characters, scopes, logspaces, networks, expiry, last use
    Ls {
        /// Only tokens of this user
        name: Option<String>,
    },
    /// Revoke a token: the next call with it is refused
    Revoke {
        /// Id of the token
        id: String,
    },
}

#[derive(Args, Debug)]
pub(super) struct NewTokenOptions {
    /// Name of the user
    name: String,
    /// Purpose of the token, for the list
    #[arg(long)]
    label: String,
    /// Calls that it may be used for: search, export, administer, metrics, objects:read, objects:write, alerts:read,
    /// alerts:write
    #[arg(long, required = true, num_args = 1.., value_delimiter = ',', value_parser = scope)]
    scope: Vec<TokenScope>,
    /// Logspaces that it reaches, as far as the user's grants do
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "*")]
    logspace: Vec<String>,
    /// Addresses or networks that it may be used from, such as 10.0.0.0/8; all when left out
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = network)]
    network: Vec<accounts::Network>,
    /// Days until it expires, up to 366
    #[arg(long, default_value_t = TOKEN_DAYS_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=i64::from(TOKEN_DAYS_MAX)))]
    days: u32,
}

/// Runs the verb.
pub(super) fn run(data: &Path, accounts: &Accounts, verb: &TokenVerb) -> Result<(), AccountError> {
    match verb {
        TokenVerb::Add(new) => add(data, accounts, new),
        TokenVerb::Ls { name } => list(data, accounts, name.as_deref()),
        TokenVerb::Revoke { id } => {
            let owner = accounts.token_owner(id)?.ok_or(AccountError::Token(TokenError::Unknown))?;
            let details = json!({"user": owner, "token_id": id});
            record::append(data, "revoke-token", "", details)?;
            record::failure(data, "revoke-token", &owner, accounts.revoke_token(&owner, id))
        }
    }
}

fn add(data: &Path, accounts: &Accounts, new: &NewTokenOptions) -> Result<(), AccountError> {
    let asked = NewToken {
        name: new.label.clone(),
        scopes: new.scope.clone(),
        logspaces: new.logspace.clone(),
        networks: new.network.clone(),
        days: new.days,
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let issued = asked.issue(since.as_secs()).map_err(AccountError::Token)?;
    record::append(data, "add-token", "", issued.token.described(&new.name))?;
    let added = accounts.add_token(&new.name, issued.token.clone());
    record::failure(data, "add-token", &new.name, added)?;
    outln!("{}", issued.text.reveal());
    errln!(
        "The token {} is shown only once; it expires on {}.",
        issued.token.id,
        day(issued.token.expires_s)
    );
    Ok(())
}

fn list(data: &Path, accounts: &Accounts, name: Option<&str>) -> Result<(), AccountError> {
    let path = data.join(TOKEN_USES);
    let uses =
        TokenUses::load(&path).map_err(|error| AccountError::Io { path, source: io::Error::other(error) })?;
    let names = match name {
        Some(name) => vec![name.to_owned()],
        None => accounts.names()?,
    };
    for name in names {
        for token in accounts.tokens(&name)? {
            outln!("{}", line(&name, &token, &uses));
        }
    }
    Ok(())
}

/// A line of the list, with tabs between its fields.
fn line(user: &str, token: &ApiToken, uses: &TokenUses) -> String {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.name()).collect();
    let networks: Vec<String> = token.networks.iter().map(accounts::Network::to_string).collect();
    let networks = if networks.is_empty() { "*".to_owned() } else { networks.join(",") };
    let used = uses.last(&token.id).map_or_else(
        || "never used".to_owned(),
        |used| format!("used {} from {}", second(used.at_s), used.address),
    );
    let expires = format!("expires {}", day(token.expires_s));
    let fields = [
        user,
        &token.id,
        &token.name,
        &token.last_four,
        &scopes.join(","),
        &token.logspaces.join(","),
        &networks,
        &expires,
        &used,
    ];
    fields.join("\t")
}

/// The day of a time, in UTC.
fn day(at_s: u64) -> String {
    shown(at_s, "%Y-%m-%d")
}

fn second(at_s: u64) -> String {
    shown(at_s, "%Y-%m-%dT%H:%M:%SZ")
}

fn shown(at_s: u64, format: &str) -> String {
    let time = i64::try_from(at_s).ok().and_then(|at_s| Timestamp::from_second(at_s).ok());
    time.map_or_else(String::new, |time| time.to_zoned(TimeZone::UTC).strftime(format).to_string())
}

/// A word of the command line that is no scope.
#[derive(Debug)]
struct UnknownScope;

impl fmt::Display for UnknownScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = accounts::TOKEN_SCOPES.iter().map(|scope| scope.name()).collect();
        write!(f, "one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownScope {}

fn scope(text: &str) -> Result<TokenScope, UnknownScope> {
    TokenScope::parse(text).ok_or(UnknownScope)
}

fn network(text: &str) -> Result<accounts::Network, accounts::NetworkError> {
    text.parse()
}
