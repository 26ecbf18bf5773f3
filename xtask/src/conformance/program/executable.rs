//! The built program, as the samples run it.
//!
//! In: a configuration. Out: what the program printed, and what it wrote. It is called by syslog-ng's name,
//! so that the old command line is tested as well. Limits: a run ends after `RUN_WITHIN`; the newer of the
//! release and the debug build is used.

use crate::{conformance::error::RunError, workspace::root};
use serde_json::Value;
use std::{
    fs, io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Longest time that a run may take until its output is complete.
const RUN_WITHIN: Duration = Duration::from_secs(8);

/// Longest time for an orderly stop.
const STOP_WITHIN: Duration = Duration::from_secs(10);

/// The interval at which the output is checked.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The program's file.
pub(super) struct Program(PathBuf);

/// The result of a check.
pub(super) struct Verdict {
    /// True when there was no error.
    pub(super) accepted: bool,
    /// The findings.
    pub(super) text: String,
}

impl Program {
    /// The newest build.
    pub(super) fn find() -> Result<Program, RunError> {
        let target = root().join("target");
        let age = |path: &PathBuf| {
            fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        };
        ["release", "debug"]
            .map(|profile| target.join(profile).join("duramen"))
            .into_iter()
            .filter(|path| path.is_file())
            .max_by_key(age)
            .map(Program)
            .ok_or(RunError::NotBuilt)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn command(&self, folder: &Path, config: &Path) -> Command {
        let mut command = Command::new(&self.0);
        command.arg0("syslog-ng").arg(format!("--cfgfile={}", config.display())).current_dir(folder);
        command
    }

    /// Returns the error of a program that does not start.
    fn not_started(&self) -> impl FnOnce(io::Error) -> RunError {
        RunError::io(format!("start {}", self.0.display()))
    }

    /// `syslog-ng --syntax-only`.
    pub(super) fn check(&self, folder: &Path, config: &Path) -> Result<Verdict, RunError> {
        let output =
            self.command(folder, config).arg("--syntax-only").output().map_err(self.not_started())?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Verdict { accepted: output.status.success(), text })
    }

    /// Runs `duramen convert rsyslog`, which writes `converted.conf` in a folder; returns what it reports.
    pub(super) fn convert(&self, folder: &Path, source: &Path) -> Result<Value, RunError> {
        let output = Command::new(&self.0)
            .args(["convert", "rsyslog", "--report=-", "--output=converted.conf"])
            .arg(source)
            .current_dir(folder)
            .output()
            .map_err(self.not_started())?;
        serde_json::from_slice(&output.stdout).map_err(|error| {
            let said = format!("{error}: {}", String::from_utf8_lossy(&output.stderr));
            RunError::failed(source.display().to_string(), said)
        })
    }

    /// `duramen slog`, in a folder.
    pub(super) fn slog(&self, folder: &Path, words: &[&str]) -> Result<(), RunError> {
        let output = Command::new(&self.0).arg("slog").args(words).current_dir(folder).output();
        let output = output.map_err(self.not_started())?;
        match output.status.success() {
            true => Ok(()),
            false => {
                Err(RunError::failed(format!("slog {words:?}"), String::from_utf8_lossy(&output.stderr)))
            }
        }
    }

    /// Runs a configuration in a folder until `done`, then stops it. Returns what it printed.
    pub(crate) fn run(
        &self,
        folder: &Path,
        config: &Path,
        done: impl Fn() -> bool,
    ) -> Result<String, RunError> {
        let console = folder.join("console.txt");
        let file = fs::File::create(&console).map_err(RunError::write(&console))?;
        let mut child = self
            .command(folder, config)
            .args(["--foreground", "--stderr", "--no-caps"])
            .args(
                ["persist-file", "pidfile", "control"]
                    .map(|name| format!("--{name}={}", folder.join(name).display())),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn()
            .map_err(self.not_started())?;
        let until = Instant::now() + RUN_WITHIN;
        while !done() && Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
            thread::sleep(LOOK_EVERY);
        }
        stop(&mut child)?;
        fs::read_to_string(&console).map_err(RunError::read(&console))
    }
}

/// Asks a process to stop cleanly, and kills it if it does not.
fn stop(child: &mut Child) -> Result<(), RunError> {
    let told = Command::new("kill").arg(child.id().to_string()).stderr(Stdio::null()).status();
    told.map_err(RunError::io("start kill"))?;
    let until = Instant::now() + STOP_WITHIN;
    while Instant::now() < until {
        if !matches!(child.try_wait(), Ok(None)) {
            return Ok(());
        }
        thread::sleep(LOOK_EVERY);
    }
    child.kill().and_then(|()| child.wait()).map_err(RunError::io("end the program"))?;
    Err(RunError::failed("the program", "it did not stop when asked to"))
}
