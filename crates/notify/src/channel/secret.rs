//! Values that are kept elsewhere than in the file of channels: in files and in the environment.
//!
//! In: where a value is. Out: the value, read whenever it is needed, so that a new one needs no reload. Holds nothing.
//! Limits: [`BYTES_MAX`].

use std::{
    env, fmt, fs,
    io::{self, Read},
    path::PathBuf,
};
use watch::Setting;

/// Longest value.
const BYTES_MAX: u64 = 8 << 10;

/// The reason why a value cannot be had.
#[derive(Debug)]
pub(super) enum SecretError {
    File { path: PathBuf, source: io::Error },
    Environment { name: String },
    Empty,
}

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretError::File { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            SecretError::Environment { name } => {
                write!(f, "the variable {name} is not in the environment of the server")
            }
            SecretError::Empty => f.write_str("a secret is empty"),
        }
    }
}

/// Returns a value: the first line of a file, without blanks around it.
pub(super) fn value(setting: &Setting) -> Result<String, SecretError> {
    let text = match setting {
        Setting::Text(text) => text.clone(),
        Setting::File(path) => {
            let named = |source| SecretError::File { path: path.clone(), source };
            let mut text = String::new();
            fs::File::open(path).map_err(named)?.take(BYTES_MAX).read_to_string(&mut text).map_err(named)?;
            text
        }
        Setting::Environment(name) => {
            env::var(name).map_err(|_| SecretError::Environment { name: name.clone() })?
        }
    };
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() { Err(SecretError::Empty) } else { Ok(line.to_owned()) }
}
