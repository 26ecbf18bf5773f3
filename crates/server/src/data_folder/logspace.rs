//! `duramen logspace`: inspects logspaces on disk, verifies, exports and unlocks them.
//!
//! In: a logspace's name or directory. Out: text or JSON; exit status 0 when nothing is wrong, 1 when
//! something is found or refused, 2 when it cannot be read, 3 when `verify` found nothing wrong but could not
//! read everything. Only verbs that command a server need a running one; the others work with and without it.

mod archive;
mod cat;
mod error;
mod export;
mod keys;
mod list;
mod location;
mod rebuild;
mod scrub;
mod unlock;
mod verify;
mod verify_package;

pub(in crate::data_folder) use cat::{SealedMessages, SealedPart, Walk};
pub(in crate::data_folder) use error::VerbError;
pub(in crate::data_folder) use keys::KeyFiles;
pub(in crate::data_folder) use location::{Folder, Location, time};
pub(crate) use verify::{KeySource, trusted};
pub(crate) use verify_package::{VerifyPackageOptions, verify_package};

use crate::terminal;
use clap::{Args, Subcommand};
use logspace::Verdict;
use std::{fmt::Display, process::ExitCode};

/// Exit status of `verify` when nothing is wrong with the segments that are here, but others are away.
const PARTLY_READ: u8 = 3;

/// Options of `logspace`.
#[derive(Args, Debug)]
pub(crate) struct LogspaceOptions {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Compare everything on disk with the chain of evidence, and report what is damaged, missing or changed;
    /// exit status 0: complete, 1: not good, 2: it cannot be read, 3: good, but some segments are in an
    /// archive that is not mounted
    Verify(verify::Options),
    /// List the sealed segments
    Ls(list::Options),
    /// Print sealed messages
    Cat(cat::Options),
    /// Make an evidence package of sealed messages
    Export(export::Options),
    /// Rebuild the index of a segment from its messages, while no server has the logspace open
    RebuildIndex(rebuild::Options),
    /// Read sealed segments at a bounded rate and list damaged chunks
    Scrub(scrub::Options),
    /// Unlock a running server's segments with a private key
    Unlock(unlock::Options),
    /// Make a running server forget the keys of `unlock`
    Lock(unlock::LockOptions),
    /// Make a running server seal its active segment
    Seal(unlock::SealOptions),
    /// Confirm to a running server that its clock is right after a jump, and that reported losses have been
    /// noted
    Confirm(unlock::SealOptions),
    /// Make a running server move sealed segments to the archive
    Archive(archive::ArchiveOptions),
    /// Make a running server restore archived segments
    Restore(archive::RestoreOptions),
    /// Make a running server use the archive again
    Attach(archive::AttachOptions),
    /// Make a running server release the archive, so that it can be unmounted
    Detach(archive::AttachOptions),
    /// Generate a key pair for encryption: prints the recipient, writes the private key to a new file
    Keygen(keys::KeygenOptions),
}

/// Runs the verb.
pub(crate) fn run(options: &LogspaceOptions) -> ExitCode {
    let Verb::Verify(options) = &options.verb else { return status(done(&options.verb)) };
    match verify::run(options) {
        Ok(Verdict::GoodForWhatIsHere) => ExitCode::from(PARTLY_READ),
        verdict => status(verdict.map(|verdict| verdict == Verdict::Complete)),
    }
}

/// Runs a verb. Returns true when nothing is wrong, false when something was found, or the reason of a
/// failure.
fn done(verb: &Verb) -> Result<bool, VerbError> {
    match verb {
        Verb::Verify(options) => verify::run(options).map(|verdict| verdict == Verdict::Complete),
        Verb::Ls(options) => list::run(options),
        Verb::Cat(options) => cat::run(options),
        Verb::Export(options) => export::run(options),
        Verb::RebuildIndex(options) => rebuild::run(options),
        Verb::Scrub(options) => scrub::run(options),
        Verb::Unlock(options) => unlock::run(options),
        Verb::Lock(options) => unlock::lock(options),
        Verb::Seal(options) => unlock::seal(options),
        Verb::Confirm(options) => unlock::confirm(options),
        Verb::Archive(options) => archive::archive(options),
        Verb::Restore(options) => archive::restore(options),
        Verb::Attach(options) => archive::attach(options, "ATTACH"),
        Verb::Detach(options) => archive::attach(options, "DETACH"),
        Verb::Keygen(options) => keys::keygen(options),
    }
}

/// Returns the exit status for the outcome of a verb, and reports an error.
pub(crate) fn status(done: Result<bool, impl Display>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            errln!("duramen: {}", terminal::lines(&error.to_string()));
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests;
