//! `duramen slog`: logs encrypted line by line with keys that evolve, as syslog-ng's secure logging writes
//! them.
//!
//! In: key and MAC files, logs. Out: the same as from syslog-ng's `slogkey`, `slogencrypt` and `slogverify`, byte for
//! byte; exit status 1 when a log was changed. Limits: one line at a time; see each step.

mod error;
mod files;
mod lines;
mod scheme;
mod sealer;

pub(crate) use sealer::Sealer;

use clap::{Args, Subcommand};
use error::SlogError;
use files::{read, read_mac, write, write_mac};
use scheme::{HostKey, MAC_BYTES, draw_key, host_key};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Options of `slog`.
#[derive(Args, Debug)]
pub(crate) struct SlogOptions {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Generate a master key, derive a host's first key from it, or print how many lines a host's key has
    /// encrypted
    Key(KeyOptions),
    /// Encrypt a log
    Encrypt {
        /// The host's key
        #[arg(short = 'k', long)]
        key_file: PathBuf,
        /// The MAC of all lines so far; may be missing for the first log
        #[arg(short = 'm', long)]
        mac_file: PathBuf,
        /// File for the key of the next line
        new_key: PathBuf,
        /// File for the MAC of all lines
        new_mac: PathBuf,
        /// The log
        input: PathBuf,
        /// File for the encrypted log
        output: PathBuf,
        /// No effect: lines are read one by one
        #[arg(hide = true)]
        buffer_lines: Option<u32>,
    },
    /// Verify an encrypted log, and write it decrypted
    Verify {
        /// The log continues another file: needs --prev-key-file and --prev-mac-file
        #[arg(short = 'i', long, requires_all = ["prev_key_file", "prev_mac_file"])]
        iterative: bool,
        /// The host's first key
        #[arg(short = 'k', long, required_unless_present = "iterative")]
        key_file: Option<PathBuf>,
        /// The MAC of all lines
        #[arg(short = 'm', long)]
        mac_file: PathBuf,
        /// The key of the first line of this log
        #[arg(short = 'p', long)]
        prev_key_file: Option<PathBuf>,
        /// The MAC before this log
        #[arg(short = 'r', long)]
        prev_mac_file: Option<PathBuf>,
        /// The encrypted log
        input: PathBuf,
        /// File for the decrypted log
        output: PathBuf,
        /// No effect: lines are read one by one
        #[arg(hide = true)]
        buffer_lines: Option<u32>,
    },
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct KeyOptions {
    /// Generate a master key and write it to this file
    #[arg(short = 'm', long, value_name = "FILE")]
    master_key: Option<PathBuf>,
    /// Derive a host's first key: the master key, the host's MAC address, its serial number, the file to
    /// write
    #[arg(short = 'd', long, num_args = 4, value_names = ["MASTER", "ADDRESS", "SERIAL", "FILE"])]
    derive_key: Option<Vec<String>>,
    /// Print how many lines were encrypted before this key
    #[arg(short = 'c', long, value_name = "FILE")]
    counter: Option<PathBuf>,
}

/// Runs the verb.
pub(crate) fn run(options: &SlogOptions) -> ExitCode {
    let done = match &options.verb {
        Verb::Key(options) => key(options).map(|()| true),
        Verb::Encrypt { key_file, mac_file, new_key, new_mac, input, output, .. } => {
            encrypt([key_file, mac_file, new_key, new_mac, input, output]).map(|()| true)
        }
        Verb::Verify { iterative: true, prev_key_file, prev_mac_file, mac_file, input, output, .. } => {
            let (Some(key), Some(mac)) = (prev_key_file, prev_mac_file) else {
                unreachable!("clap asks for both")
            };
            verify(key, Some(mac), mac_file, input, output)
        }
        Verb::Verify { key_file, mac_file, input, output, .. } => {
            let Some(key) = key_file else { unreachable!("clap asks for it") };
            verify(key, None, mac_file, input, output)
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            errln!("duramen: {error}");
            ExitCode::from(2)
        }
    }
}

fn key(options: &KeyOptions) -> Result<(), SlogError> {
    if let Some(path) = &options.master_key {
        write_new(path, &HostKey { key: draw_key()?, lines: 0 }.print())?;
    } else if let Some([master, address, serial, path]) = options.derive_key.as_deref() {
        let master = HostKey::read(master.as_ref())?;
        HostKey { key: host_key(&master.key, address, serial), lines: 0 }.write(path.as_ref())?;
    } else if let Some(path) = &options.counter {
        outln!("counter={}", HostKey::read(path)?.lines);
    }
    Ok(())
}

fn encrypt([key_file, mac_file, new_key, new_mac, input, output]: [&PathBuf; 6]) -> Result<(), SlogError> {
    let mut host = HostKey::read(key_file)?;
    let mut mac = match read_mac(mac_file) {
        Ok(mac) => mac,
        // Nothing was encrypted yet: there is no MAC, or an empty file for it.
        Err(_) if host.lines == 0 && fs::metadata(mac_file).is_ok_and(|status| status.len() > 0) => {
            return Err(SlogError::NoMac { path: mac_file.clone() });
        }
        Err(_) if host.lines == 0 => [0; MAC_BYTES],
        Err(error) => return Err(error),
    };
    let text = read(input)?;
    let mut out = Vec::with_capacity(text.len() * 2);
    for line in lines::split(&text) {
        out.extend_from_slice(scheme::seal(&mut host, &mut mac, line)?.as_bytes());
        out.push(b'\n');
    }
    // The log is written first: the old key is needed until then.
    write(output, &out)?;
    write_mac(new_mac, &mac)?;
    host.write(new_key)
}

fn verify(
    key_file: &Path,
    earlier_mac: Option<&PathBuf>,
    mac_file: &Path,
    input: &Path,
    output: &Path,
) -> Result<bool, SlogError> {
    let host = HostKey::read(key_file)?;
    let start = match earlier_mac {
        Some(path) => read_mac(path)?,
        None if host.lines > 0 => {
            return Err(SlogError::NotFirst { path: key_file.to_owned(), lines: host.lines });
        }
        None => [0; MAC_BYTES],
    };
    let text = read(input)?;
    let read = lines::open(host, start, &text);
    write(output, &read.text)?;
    read.troubles.iter().for_each(|trouble| outln!("{trouble}"));
    let is_whole = read.mac == read_mac(mac_file)?;
    if !is_whole {
        outln!(
            "the MAC of all lines is not that of {}: lines are missing, changed or in another order",
            mac_file.display()
        );
    }
    outln!("{} lines, {} troubles", read.lines, read.troubles.len() + usize::from(!is_whole));
    Ok(is_whole && read.troubles.is_empty())
}

/// Writes a file that must not exist: overwriting a master key would lose all logs of its hosts.
fn write_new(path: &Path, bytes: &[u8]) -> Result<(), SlogError> {
    if path.exists() {
        return Err(SlogError::Exists { path: path.to_owned() });
    }
    write(path, bytes)
}

#[cfg(test)]
mod tests;
