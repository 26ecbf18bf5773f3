//! `duramen user`: who may log in.
//!
//! In: a name, a password from the terminal or standard input. Out: a changed users file; a running server sees it.

use api::{AccountError, Accounts, generated_password};
use clap::{Args, Subcommand};
use std::{
    io::{self, BufRead, IsTerminal},
    path::PathBuf,
    process::ExitCode,
};

/// Options of `user`.
#[derive(Args, Debug)]
pub(crate) struct UserOptions {
    /// The server's data folder
    #[arg(long, default_value = "/var/lib/duramen")]
    data: PathBuf,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// List the users
    List,
    /// Add a user
    Add {
        /// Name
        name: String,
        /// Make a password and print it, instead of asking for one
        #[arg(long)]
        generate: bool,
    },
    /// Give a user another password
    Password {
        /// Name
        name: String,
        /// Make a password and print it, instead of asking for one
        #[arg(long)]
        generate: bool,
    },
    /// Remove a user
    Remove {
        /// Name
        name: String,
    },
}

/// Runs the verb.
pub(crate) fn run(options: &UserOptions) -> ExitCode {
    match change(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duramen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn change(options: &UserOptions) -> Result<(), AccountError> {
    let accounts = Accounts::at(&options.data.join("users.json"));
    match &options.verb {
        Verb::List => accounts.names()?.iter().for_each(|name| println!("{name}")),
        Verb::Add { name, generate } => accounts.add(name, &password(name, *generate)?)?,
        Verb::Password { name, generate } => accounts.set_password(name, &password(name, *generate)?)?,
        Verb::Remove { name } => accounts.remove(name)?,
    }
    Ok(())
}

/// A password: made and printed, typed twice, or the first line of standard input.
fn password(name: &str, generate: bool) -> Result<String, AccountError> {
    let failed = |source| AccountError::Io { path: PathBuf::from("the password"), source };
    if generate {
        let password = generated_password()?;
        println!("{password}");
        return Ok(password);
    }
    if !io::stdin().is_terminal() {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map_err(failed)?;
        return Ok(line.trim_end_matches(['\n', '\r']).to_owned());
    }
    let first = rpassword::prompt_password(format!("New password of {name}: ")).map_err(failed)?;
    let second = rpassword::prompt_password("The same again: ").map_err(failed)?;
    if first != second {
        return Err(AccountError::Name("the two passwords differ"));
    }
    Ok(first)
}
