//! `usertty()`: the terminals of users who are logged in.
//!
//! In: rendered messages. Out: text on terminals, control characters made harmless. Holds: nothing between writes.
//! Logged-in users are read from `/run/utmp` or, on newer systems, from the sessions of the login service.
//! Limits: a terminal that does not take the text at once misses it.

use crate::{
    line::Target,
    options::{DestinationDriver, TerminalTarget},
    output::Output,
};
use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::{self, IsTerminal, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Size of a record of utmp, and the offsets of its fields.
const RECORD_BYTES: usize = 384;
const LINE: std::ops::Range<usize> = 8..40;
const USER: std::ops::Range<usize> = 44..76;
/// `USER_PROCESS`
const LOGGED_IN: i16 = 7;

/// The terminals of a user.
pub(crate) struct Terminals {
    target: TerminalTarget,
    paths: Paths,
}

/// The places where the system says who is logged in, and where terminals are.
struct Paths {
    utmp: PathBuf,
    sessions: PathBuf,
    devices: PathBuf,
}

impl Terminals {
    pub(crate) fn new(target: TerminalTarget) -> Terminals {
        let paths = Paths {
            utmp: "/run/utmp".into(),
            sessions: "/run/systemd/sessions".into(),
            devices: "/dev".into(),
        };
        Terminals { target, paths }
    }
}

impl Target for Terminals {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let text = harmless(output.rest());
        for line in self.paths.lines_of(&self.target.user) {
            let path = self.paths.devices.join(line);
            let open =
                OpenOptions::new().write(true).custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK).open(path);
            if let Ok(mut terminal) = open
                && terminal.is_terminal()
            {
                // A terminal that is stuck or gone misses the text: see the limits.
                let _ = terminal.write(&text);
            }
        }
        output.advance(output.size());
        Ok(())
    }

    fn configure(&mut self, driver: DestinationDriver) {
        let DestinationDriver::Terminals(target) = driver else { return };
        self.target = target;
    }

    fn close(&mut self) {}
}

/// Removes escape sequences, so that none of a message reaches a terminal.
fn harmless(text: &[u8]) -> Vec<u8> {
    let shown = |byte: &u8| match byte {
        b'\n' => b"\r\n".to_vec(),
        b'\t' | b' '..=b'~' | 0xA0.. => vec![*byte],
        _ => b"?".to_vec(),
    };
    text.iter().flat_map(shown).collect()
}

impl Paths {
    fn lines_of(&self, user: &str) -> BTreeSet<String> {
        let lines = match fs::read(&self.utmp) {
            Ok(records) => utmp_lines(&records, user),
            Err(_) => session_lines(&self.sessions, user),
        };
        lines.into_iter().filter(|line| names_a_terminal(line)).collect()
    }
}

/// Returns true when a line can be the path of a terminal below `/dev`, such as `pts/0`: it names no other folder.
fn names_a_terminal(line: &str) -> bool {
    let is_below = !line.is_empty() && !line.starts_with('/');
    is_below && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'/')
}

fn utmp_lines(records: &[u8], user: &str) -> Vec<String> {
    let text = |field: &[u8]| {
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        String::from_utf8_lossy(&field[..end]).into_owned()
    };
    records
        .chunks_exact(RECORD_BYTES)
        .filter(|record| i16::from_ne_bytes([record[0], record[1]]) == LOGGED_IN)
        .filter(|record| user == "*" || text(&record[USER]) == user)
        .map(|record| text(&record[LINE]))
        .collect()
}

fn session_lines(folder: &Path, user: &str) -> Vec<String> {
    let sessions = fs::read_dir(folder).into_iter().flatten().flatten();
    let texts = sessions.filter_map(|session| fs::read_to_string(session.path()).ok());
    let value = |text: &str, name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
    };
    texts
        .filter(|text| user == "*" || value(text, "USER").as_deref() == Some(user))
        .filter_map(|text| value(&text, "TTY"))
        .collect()
}

#[cfg(test)]
mod tests;
