//! `duramen user`: manages users, their rights in logspaces, and their API tokens.
//!
//! In: a name, a password from the terminal or standard input, grants. Out: a changed users file; a running
//! server sees it with the next call. Changes of rights are written to the ledger first.

mod directory;
mod invitation;
mod record;
mod rights;
mod role;
mod token;

use crate::{assemble::machine_name, data_folder::layout::USERS};
use accounts::{AccountError, Accounts, DirectoryState, Right, SourcedGrant, generated_password};
use clap::{Args, Subcommand};
use serde_json::json;
use std::{
    collections::HashMap,
    fs::{self, DirBuilder},
    io::{self, BufRead, IsTerminal},
    os::unix::fs::DirBuilderExt,
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
    /// List the users, with marks behind those who are locked, or invited and without a password yet
    List,
    /// Add a user, who has no rights until they are granted
    Add(NewPassword),
    /// Print a link by which a user sets a password, once and within 72 hours; a user who is not there is added
    Invite {
        /// Name
        name: String,
        /// Address of the page, such as https://logs.example
        #[arg(long, env = "DURAMEN_URL")]
        url: String,
    },
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
        /// Logspace; `*` means all of them, `firewall-*` those whose names begin so, including those added later
        logspace: String,
        /// Rights: search, export, administer; search when left out
        #[arg(value_parser = rights::parse)]
        rights: Vec<Right>,
    },
    /// Revoke rights
    Revoke {
        /// Name
        name: String,
        /// Logspace, as in the grant
        logspace: String,
        /// Rights; all rights when left out
        #[arg(value_parser = rights::parse)]
        rights: Vec<Right>,
    },
    /// The second factor of a user
    #[command(subcommand)]
    Factor(FactorVerb),
    /// People of the directory that the configuration names
    #[command(subcommand)]
    Directory(directory::DirectoryVerb),
    /// Roles: named bundles of rights, and who has them
    #[command(subcommand)]
    Role(role::RoleVerb),
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
    if let Verb::Directory(verb) = &options.verb {
        return directory::run(&options.data, verb);
    }
    match change(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the data folder for the first user; every other verb needs one that is there, so that a mistyped name shows.
fn prepare(options: &UserOptions) -> Result<(), AccountError> {
    let failed = |source| AccountError::Io { path: options.data.clone(), source };
    match &options.verb {
        Verb::Add(_) | Verb::Invite { .. } => {
            DirBuilder::new().recursive(true).mode(0o700).create(&options.data).map_err(failed)
        }
        _ => fs::metadata(&options.data).map(drop).map_err(failed),
    }
}

fn change(options: &UserOptions) -> Result<(), AccountError> {
    prepare(options)?;
    let accounts = Accounts::at(&options.data.join(USERS)).on_host(&machine_name()).with_administrator();
    match &options.verb {
        Verb::List => {
            let states: HashMap<String, DirectoryState> =
                accounts.directory_accounts()?.into_iter().map(|one| (one.account, one.state)).collect();
            for user in accounts.overview()? {
                let locked = if user.locked { "\tlocked" } else { "" };
                let invited = if user.has_password { "" } else { "\tinvited" };
                let directory = match states.get(&user.name) {
                    None => "",
                    Some(DirectoryState::Active) => "\tof the directory",
                    Some(_) => "\tof the directory, suspended",
                };
                outln!("{}{locked}{invited}{directory}", user.name);
            }
        }
        Verb::Add(user) => {
            let (name, password) = (&user.name, user.password()?);
            options.recorded("add-user", name, || accounts.add(name, &password))?;
            errln!("{name} may see nothing yet: duramen user grant {name} LOGSPACE search");
        }
        Verb::Invite { name, url } => invitation::make(&options.data, &accounts, name, url)?,
        Verb::Password(user) => {
            let (name, password) = (&user.name, user.password()?);
            options.recorded("set-password", name, || accounts.set_password(name, &password))?;
        }
        Verb::Remove { name } => options.recorded("remove-user", name, || accounts.remove(name))?,
        Verb::Lock { name } => options.recorded("lock-user", name, || accounts.lock(name))?,
        Verb::Unlock { name } => options.recorded("unlock-user", name, || accounts.unlock(name))?,
        Verb::Logout { name } => options.recorded("end-session", name, || accounts.end_sessions(name))?,
        Verb::Grants { name } => {
            let names = match name {
                Some(name) => vec![name.clone()],
                None => accounts.names()?,
            };
            for name in names {
                for SourcedGrant { grant, role, is_of_directory } in accounts.sourced_grants(&name)? {
                    let role = role.map_or_else(String::new, |role| format!("\trole {role}"));
                    let directory = if is_of_directory { "\tby the directory" } else { "" };
                    outln!("{}{role}{directory}", rights::line(&name, &grant));
                }
            }
        }
        Verb::Grant { name, logspace, rights } => {
            let rights = rights::granted(rights);
            options.record("grant", name, logspace, &rights)?;
            record::failure(&options.data, "grant", name, accounts.grant(name, logspace, &rights))?;
        }
        Verb::Revoke { name, logspace, rights } => {
            let rights = rights::revoked(rights);
            options.record("revoke", name, logspace, &rights)?;
            record::failure(&options.data, "revoke", name, accounts.revoke(name, logspace, &rights))?;
        }
        Verb::Factor(FactorVerb::Reset { name }) => {
            options.recorded("reset-factor", name, || accounts.remove_factor(name))?;
        }
        // It changes nothing, and was run.
        Verb::Directory(_) => {}
        Verb::Role(verb) => role::run(&options.data, &accounts, verb)?,
        Verb::Token(verb) => token::run(&options.data, &accounts, verb)?,
    }
    Ok(())
}

impl UserOptions {
    /// Records a change of a user, and makes it.
    fn recorded(
        &self,
        action: &'static str,
        name: &str,
        change: impl FnOnce() -> Result<(), AccountError>,
    ) -> Result<(), AccountError> {
        self.record(action, name, "", &[])?;
        record::failure(&self.data, action, name, change())
    }

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
            return Err(AccountError::Refused("the two passwords differ"));
        }
        Ok(first)
    }
}
