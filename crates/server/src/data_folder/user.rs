//! `duramen user`: manages users, their rights in logspaces, and their API tokens.
//!
//! In: a name, a password from the terminal or standard input, grants. Out: a changed users file; a running
//! server sees it with the next call. Changes of rights are written to the ledger first.

mod record;
mod token;

use crate::{assemble::machine_name, data_folder::layout::USERS};
use accounts::{AccountError, Accounts, Grant, RIGHTS, Right, generated_password};
use clap::{Args, Subcommand};
use serde_json::json;
use std::{
    fmt,
    io::{self, BufRead, IsTerminal},
    path::PathBuf,
    process::ExitCode,
};

/// Options of `user`.
#[derive(Args, Debug)]
pub(crate) struct UserOptions {
    /// The server's data folder
    #[arg(long, global = true, default_value = "/var/lib/duramen")]
    data: PathBuf,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// List the users, with a mark behind those who are locked
    List,
    /// Add a user, who has no rights until they are granted
    Add(NewPassword),
    /// Change a user's password
    Password(NewPassword),
    /// Remove a user
    Remove {
        /// Name
        name: String,
    },
    /// Lock a user out: sessions end, and neither the password nor API tokens work
    Lock {
        /// Name
        name: String,
    },
    /// Let a user in again who was locked out
    Unlock {
        /// Name
        name: String,
    },
    /// End all sessions of a user, who has to log in again; API tokens stay
    Logout {
        /// Name
        name: String,
    },
    /// List the rights of users
    Grants {
        /// Only this user
        name: Option<String>,
    },
    /// Grant a user rights in a logspace
    Grant {
        /// Name
        name: String,
        /// Logspace; `*` means all of them, including those added later
        logspace: String,
        /// Rights: search, export, administer; search when left out
        #[arg(value_parser = right)]
        rights: Vec<Right>,
    },
    /// Revoke rights
    Revoke {
        /// Name
        name: String,
        /// Logspace, as in the grant
        logspace: String,
        /// Rights; all rights when left out
        #[arg(value_parser = right)]
        rights: Vec<Right>,
    },
    /// The second factor of a user
    #[command(subcommand)]
    Factor(FactorVerb),
    /// Make, list and revoke API tokens, with which programs call the API instead of a password
    #[command(subcommand)]
    Token(token::TokenVerb),
}

#[derive(Subcommand, Debug)]
enum FactorVerb {
    /// Reset the second factor of a user who has lost it: they log in with the password alone, and can enrol another
    Reset {
        /// Name
        name: String,
    },
}

/// A user who gets a password.
#[derive(Args, Debug)]
struct NewPassword {
    /// Name
    name: String,
    /// Generate a password and print it, instead of asking for one
    #[arg(long)]
    generate: bool,
}

/// Runs the verb.
pub(crate) fn run(options: &UserOptions) -> ExitCode {
    match change(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn change(options: &UserOptions) -> Result<(), AccountError> {
    let accounts = Accounts::at(&options.data.join(USERS)).on_host(&machine_name()).with_administrator();
    match &options.verb {
        Verb::List => {
            for name in accounts.names()? {
                let locked = if accounts.is_locked(&name)? { "\tlocked" } else { "" };
                outln!("{name}{locked}");
            }
        }
        Verb::Add(user) => {
            let (name, password) = (&user.name, user.password()?);
            options.record("add-user", name, "", &[])?;
            record::failure(&options.data, "add-user", name, accounts.add(name, &password))?;
            errln!("{name} may see nothing yet: duramen user grant {name} LOGSPACE search");
        }
        Verb::Password(user) => {
            let (name, password) = (&user.name, user.password()?);
            options.record("set-password", name, "", &[])?;
            record::failure(&options.data, "set-password", name, accounts.set_password(name, &password))?;
        }
        Verb::Remove { name } => {
            options.record("remove-user", name, "", &[])?;
            record::failure(&options.data, "remove-user", name, accounts.remove(name))?;
        }
        Verb::Lock { name } => {
            options.record("lock-user", name, "", &[])?;
            record::failure(&options.data, "lock-user", name, accounts.lock(name))?;
        }
        Verb::Unlock { name } => {
            options.record("unlock-user", name, "", &[])?;
            record::failure(&options.data, "unlock-user", name, accounts.unlock(name))?;
        }
        Verb::Logout { name } => {
            options.record("end-session", name, "", &[])?;
            record::failure(&options.data, "end-session", name, accounts.end_sessions(name))?;
        }
        Verb::Grants { name } => {
            let names = match name {
                Some(name) => vec![name.clone()],
                None => accounts.names()?,
            };
            for name in names {
                accounts.grants(&name)?.iter().for_each(|grant| outln!("{}", line(&name, grant)));
            }
        }
        Verb::Grant { name, logspace, rights } => {
            let rights = if rights.is_empty() { vec![Right::Search] } else { with_search(rights) };
            options.record("grant", name, logspace, &rights)?;
            record::failure(&options.data, "grant", name, accounts.grant(name, logspace, &rights))?;
        }
        Verb::Revoke { name, logspace, rights } => {
            let rights = if rights.is_empty() { RIGHTS.to_vec() } else { rights.clone() };
            // Without search there is nothing to export or administer.
            let rights = if rights.contains(&Right::Search) { RIGHTS.to_vec() } else { rights };
            options.record("revoke", name, logspace, &rights)?;
            record::failure(&options.data, "revoke", name, accounts.revoke(name, logspace, &rights))?;
        }
        Verb::Factor(FactorVerb::Reset { name }) => {
            options.record("reset-factor", name, "", &[])?;
            record::failure(&options.data, "reset-factor", name, accounts.remove_factor(name))?;
        }
        Verb::Token(verb) => token::run(&options.data, &accounts, verb)?,
    }
    Ok(())
}

impl UserOptions {
    /// Records a change of rights; if that fails, nothing is changed.
    fn record(
        &self,
        action: &'static str,
        name: &str,
        logspace: &str,
        rights: &[Right],
    ) -> Result<(), AccountError> {
        let rights: Vec<&str> = rights.iter().map(|right| right.name()).collect();
        let details = match rights.is_empty() {
            true => json!({"user": name}),
            false => json!({"user": name, "rights": rights}),
        };
        record::append(&self.data, action, logspace, details)
    }
}

/// Returns the rights with `search` added: exporting or administering a logspace needs it.
fn with_search(rights: &[Right]) -> Vec<Right> {
    RIGHTS.into_iter().filter(|right| *right == Right::Search || rights.contains(right)).collect()
}

/// A word of the command line that is no right.
#[derive(Debug)]
struct UnknownRight;

impl fmt::Display for UnknownRight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of search, export, administer")
    }
}

impl std::error::Error for UnknownRight {}

fn right(text: &str) -> Result<Right, UnknownRight> {
    Right::parse(text).ok_or(UnknownRight)
}

fn line(name: &str, grant: &Grant) -> String {
    let rights: Vec<&str> = grant.may.iter().map(|right| right.name()).collect();
    format!("{name}\t{}\t{}", grant.logspace, rights.join(","))
}

impl NewPassword {
    /// Returns a password: generated and printed, typed twice, or the first line of standard input.
    fn password(&self) -> Result<String, AccountError> {
        let failed = |source| AccountError::Io { path: PathBuf::from("the password"), source };
        if self.generate {
            let password = generated_password()?;
            outln!("{password}");
            return Ok(password);
        }
        if !io::stdin().is_terminal() {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).map_err(failed)?;
            return Ok(line.trim_end_matches(['\n', '\r']).to_owned());
        }
        let first = rpassword::prompt_password(format!("New password of {}: ", self.name)).map_err(failed)?;
        let second = rpassword::prompt_password("The same again: ").map_err(failed)?;
        if first != second {
            return Err(AccountError::Name("the two passwords differ"));
        }
        Ok(first)
    }
}
