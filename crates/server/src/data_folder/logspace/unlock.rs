//! `duramen logspace unlock`, `lock` and `seal`: commands for a running server, over its control socket.
//!
//! In: a logspace's name, a key file. Out: the number of opened segments. The key goes over the socket, which only
//! the server's user can use; the server keeps it in memory until `lock` or its end.

use super::{error::VerbError, keys::passphrase_for};
use crate::control::{ANSWER_TIMEOUT, Reply, ask};
use clap::Args;
use evidence::Identity;
use std::{fs, path::PathBuf};

/// Options of `unlock`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Name of the logspace
    logspace: String,
    /// File with the private key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    server: Server,
}

/// Options of `lock`.
#[derive(Args, Debug)]
pub(super) struct LockOptions {
    /// Name of the logspace
    logspace: String,
    #[command(flatten)]
    server: Server,
}

/// Options of `seal` and `confirm`.
#[derive(Args, Debug)]
pub(super) struct SealOptions {
    /// Name of the logspace
    logspace: String,
    #[command(flatten)]
    server: Server,
}

#[derive(Args, Debug)]
pub(super) struct Server {
    /// The server's control socket
    #[arg(short = 'c', long, default_value = "/var/lib/duramen/duramen.ctl", env = "DURAMEN_CONTROL")]
    control: PathBuf,
}

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let text = fs::read_to_string(&options.key)
        .map_err(|source| VerbError::KeyFile { path: options.key.clone(), source })?;
    let passphrase = passphrase_for(&options.key)?;
    // An error in the key is reported here, to its owner.
    let identity = Identity::parse(&text, passphrase.as_deref()).map_err(VerbError::ServerIdentity)?;
    send(&options.server, &format!("LOGSPACE UNLOCK {} {}", options.logspace, identity.to_line()))
}

pub(super) fn lock(options: &LockOptions) -> Result<bool, VerbError> {
    send(&options.server, &format!("LOGSPACE LOCK {}", options.logspace))
}

pub(super) fn seal(options: &SealOptions) -> Result<bool, VerbError> {
    send(&options.server, &format!("LOGSPACE SEAL {}", options.logspace))
}

pub(super) fn confirm(options: &SealOptions) -> Result<bool, VerbError> {
    send(&options.server, &format!("LOGSPACE CONFIRM {}", options.logspace))
}

/// Sends a command to a running server and prints its answer. Returns false when the server refused.
pub(super) fn send(server: &Server, command: &str) -> Result<bool, VerbError> {
    match ask(&server.control, command, ANSWER_TIMEOUT).map_err(VerbError::Control)? {
        Reply::Done(text) => {
            out!("{}", text.strip_prefix("OK ").unwrap_or(&text));
            Ok(true)
        }
        Reply::Failed(text) => {
            err!("duramen: {text}");
            Ok(false)
        }
    }
}
