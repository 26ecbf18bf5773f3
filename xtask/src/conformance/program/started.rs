//! Starts the server with real configurations and checks that it comes up.
//!
//! In: a configuration that the check accepts. Out: whether the server logged that it is up, else its last
//! output. It runs in namespaces of its own: a disposable copy of the file system, and a network in which all
//! ports are free.
//! Limits: needs `unshare`, `ip` and overlay file systems, and root or user namespaces; a start takes at most `START_WITHIN`.

use crate::conformance::error::RunError;
use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longest time until the server is up.
const START_WITHIN: Duration = Duration::from_secs(15);

/// The interval at which the console is checked.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Part of the line that the server logs when it is up.
const UP: &str = "starting up;";

/// Errors of configurations that start neither here nor with syslog-ng: they are parts of larger ones, or were written
/// for another machine.
const OF_THE_MACHINE: &[&str] =
    &["is not defined", "is no address to listen on", "No such file or directory (os error 2)"];

/// Makes a disposable root, and starts the program in it: `$1` is a folder, `$2` the program, `$3` the
/// configuration.
const SCRIPT: &str = r#"set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc"
mkdir "$1/root/trial" "$1/root/trial/bin"
touch "$1/root/trial/bin/syslog-ng"
mount --bind "$2" "$1/root/trial/bin/syslog-ng"
cp "$3" "$1/root/trial/syslog-ng.conf"
ip link set lo up
cd "$1/root"
exec chroot . /trial/bin/syslog-ng --foreground --stderr --no-caps --cfgfile=/trial/syslog-ng.conf \
    --persist-file=/trial/persist --pidfile=/trial/pid --control=/trial/control
"#;

/// The result of a start.
pub(super) enum Start {
    /// The server is up.
    Up,
    /// It cannot be tried on this machine.
    NotHere,
    /// It ended, or never came up; its last output.
    Failed(String),
}

/// Starts a configuration and stops it again. Fails if no server can be started like this.
pub(super) fn start(program: &Path, config: &Path) -> Result<Start, RunError> {
    let scratch = tempfile::tempdir().map_err(RunError::io("make a folder"))?;
    let (root, console) = (scratch.path().join("root"), scratch.path().join("console"));
    fs::create_dir(&root).map_err(RunError::write(&root))?;
    let file = File::create(&console).map_err(RunError::write(&console))?;
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let mut command = Command::new("unshare");
    command.args(["--mount", "--net", "--pid", "--fork", "--kill-child"]);
    if !is_root {
        command.args(["--user", "--map-root-user"]);
    }
    let mut child = command
        .args(["sh", "-c", SCRIPT, "sh"])
        .args([&root, program, config])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn()
        .map_err(RunError::io("start unshare"))?;
    let until = Instant::now() + START_WITHIN;
    let said = || fs::read_to_string(&console).unwrap_or_default();
    while !said().contains(UP) && Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(LOOK_EVERY);
    }
    // In any case, the namespaces end with their first process.
    let ended = child.kill().and_then(|()| child.wait());
    ended.map_err(RunError::io("end the trial"))?;
    let said = said();
    if said.contains(UP) {
        return Ok(Start::Up);
    }
    if said.contains("unshare:") || said.contains("mount:") {
        return Err(RunError::failed("the trial", said));
    }
    if OF_THE_MACHINE.iter().any(|words| said.contains(words)) {
        return Ok(Start::NotHere);
    }
    Ok(Start::Failed(said.lines().last().unwrap_or("it said nothing").to_owned()))
}
