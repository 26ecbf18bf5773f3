//! Keys on the command line.
//!
//! In: key files, a passphrase from `$DURAMEN_PASSPHRASE` or the terminal. Out: keys.
//! Limits: a passphrase is never an argument.

use super::error::VerbError;
use clap::Args;
use evidence::{Identity, IdentityError, Keys};
use std::{
    env, fs,
    io::{IsTerminal, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Private keys that open encrypted segments and dead letters.
#[derive(Args, Debug)]
pub(in crate::data_folder) struct KeyFiles {
    /// File with a private key that opens what is encrypted; may be given several times
    #[arg(long = "key", value_name = "FILE")]
    keys: Vec<PathBuf>,
}

impl KeyFiles {
    pub(super) fn load(&self) -> Result<Keys, VerbError> {
        self.identities().map(Keys::of)
    }

    /// Reads the keys one by one.
    pub(in crate::data_folder) fn identities(&self) -> Result<Vec<Identity>, VerbError> {
        let load = |path: &PathBuf| {
            let passphrase = passphrase_for(path)?;
            Identity::load(path, passphrase.as_deref())
                .map_err(|source| VerbError::Identity { path: path.clone(), source })
        };
        self.keys.iter().map(load).collect()
    }
}

/// Returns the passphrase of a key file that needs one.
pub(super) fn passphrase_for(path: &Path) -> Result<Option<String>, VerbError> {
    if !matches!(Identity::load(path, None), Err(IdentityError::Passphrase)) {
        return Ok(None);
    }
    if let Ok(passphrase) = env::var("DURAMEN_PASSPHRASE") {
        return Ok(Some(passphrase));
    }
    if !std::io::stdin().is_terminal() {
        return Err(VerbError::NoPassphrase { path: path.to_owned() });
    }
    let asked = rpassword::prompt_password(format!("Passphrase of {}: ", path.display()));
    asked.map(Some).map_err(VerbError::Passphrase)
}

/// Options of `keygen`.
#[derive(Args, Debug)]
pub(super) struct KeygenOptions {
    /// New file for the private key
    file: PathBuf,
}

pub(super) fn keygen(options: &KeygenOptions) -> Result<bool, VerbError> {
    let (recipient, identity) = Identity::draw().ok_or(VerbError::Randomness)?;
    let failed = |source| VerbError::Write { path: options.file.clone(), source };
    let mut file = fs::OpenOptions::new();
    let mut file = file.write(true).create_new(true).mode(0o600).open(&options.file).map_err(failed)?;
    let text = format!("# public key: {recipient}\n{identity}\n");
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    outln!("{recipient}");
    Ok(true)
}
