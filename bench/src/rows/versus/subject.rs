//! A measured program, which receives messages and writes files, and its folder for a run.
//!
//! In: a row. Out: a running process. Its configuration, its output and its messages are left in the folder.

use super::database;
use crate::rows::row::Row;
use std::{
    fs::{self, File},
    io,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

/// The ports and the folder of a subject.
pub(crate) struct RunFolder {
    /// The port to listen on.
    pub(crate) port: u16,
    /// The port that a relay sends to.
    pub(crate) next_port: u16,
    /// Its folder; lines are written to files in `out`, the rest is up to the subject.
    pub(crate) path: PathBuf,
}

impl RunFolder {
    /// Path of an output file.
    pub(super) fn output(&self, name: &str) -> String {
        self.path.join("out").join(name).display().to_string()
    }

    /// Writes a configuration and returns its path.
    pub(super) fn configuration(&self, text: &str) -> io::Result<PathBuf> {
        let path = self.path.join("server.conf");
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Writes the pattern database of the row that has one.
    pub(super) fn database(&self, row: Row) -> io::Result<()> {
        match row {
            Row::Patterndb => fs::write(self.path.join("patterns.xml"), database::xml()),
            _ => Ok(()),
        }
    }

    /// Starts a command whose output is kept in a file.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let log = File::create(self.path.join("words"))?;
        let program = command.get_program().to_string_lossy().into_owned();
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .current_dir(&self.path)
            .spawn()
            .map_err(|error| {
                io::Error::new(
                    error.kind(),
                    format!("cannot start {program}: {error}; run tools/install.sh bench"),
                )
            })
    }
}

/// A program that receives messages and writes files.
pub(crate) trait Subject {
    /// Name in tables, its variant included.
    fn name(&self) -> String;
    /// Name of the program.
    fn family(&self) -> &'static str;
    /// Returns true when the subject can run the row.
    fn can(&self, row: Row) -> bool;
    /// Starts it.
    fn start(&self, row: Row, run_folder: &RunFolder) -> io::Result<Child>;
}
