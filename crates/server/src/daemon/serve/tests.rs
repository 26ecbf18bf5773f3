//! Starts that fail, and files that earlier versions left open to others.

use super::*;
use crate::terminal::testing::Tape;
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::Mutex,
};

/// Keeps what is written to a log.
fn log() -> (InternalLog, Arc<Mutex<Vec<String>>>) {
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let echo = said.clone();
    let note = move |severity: Severity, text: &str| {
        echo.lock().unwrap().push(format!("{} {text}", severity.0));
    };
    (InternalLog::new("test", Some(Box::new(note))), said)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn private_files_are_closed_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { positions: folder.path().join("persist"), ..Settings::below(folder.path()) };
    let data = &settings.data;
    let private = [
        "logspaces/audit/segment",
        "disk-buffers/d/0",
        "dead-letters/d/0",
        "positions/s",
        "users.json",
        "sessions.json",
        "token-uses.json",
        "factors.key",
        "identity",
        "searches.ledger",
        "rows.key",
        "scratch/piece",
    ];
    for name in private.into_iter().chain(["output.log"]) {
        let path = data.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    }
    fs::write(&settings.positions, "x").unwrap();
    fs::set_permissions(&settings.positions, Permissions::from_mode(0o664)).unwrap();
    let folders = [
        "logspaces",
        "logspaces/audit",
        "dead-letters",
        "dead-letters/d",
        "disk-buffers",
        "disk-buffers/d",
        "positions",
        "scratch",
    ];
    for name in folders {
        fs::set_permissions(data.join(name), Permissions::from_mode(0o755)).unwrap();
    }
    let (log, said) = log();
    close_to_others(&settings, &log);
    for name in private.iter().chain(&folders) {
        assert_eq!(mode(&data.join(name)) & 0o077, 0, "{name}");
    }
    assert_eq!(mode(&settings.positions) & 0o077, 0);
    assert_eq!(mode(&data.join("output.log")), 0o644, "an output has a mode of its own");
    let want =
        format!("5 Took the permissions of other users from files; folder='{}', files='21'", data.display());
    assert_eq!(std::mem::take(&mut *said.lock().unwrap()), [want]);
    close_to_others(&settings, &log);
    assert_eq!(*said.lock().unwrap(), Vec::<String>::new(), "nothing is left to do");
}

/// Starts a server that must fail, and returns its last words.
#[track_caller]
fn fails(settings: Settings, config: &str) -> String {
    fs::write(&settings.config, config).unwrap();
    let tape = Tape::default();
    assert_eq!(tape.record(|| run_without_signals(settings)), ExitCode::FAILURE);
    let errors = String::from_utf8(tape.printed().errors).unwrap();
    errors.split_once("duramen: ").map_or(errors.as_str(), |(_, words)| words).to_owned()
}

#[test]
fn a_start_that_fails_says_why() {
    const CONFIG: &str =
        "@version: 4.8\nlog { source { internal(); }; destination { file(\"/dev/null\"); }; };\n";
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    fs::write(dir.join("file"), "no folder").unwrap();
    let below = || Settings { http: None, ..Settings::below(dir) };
    let inside = dir.join("file/data");
    let text = fails(Settings { data: inside.clone(), ..below() }, CONFIG);
    assert!(text.starts_with(&format!("cannot make the data folder {}: ", inside.display())), "{text}");
    let text = fails(below(), "@version: 4.8\nlog { nonsense; };\n");
    assert!(text.contains("conf:2:7"), "{text}");
    let text = fails(Settings { control: dir.join("file/ctl"), ..below() }, CONFIG);
    assert!(text.starts_with("cannot open control socket "), "{text}");
    let pidfile = dir.join("file/pid");
    let text = fails(Settings { pidfile: Some(pidfile.clone()), ..below() }, CONFIG);
    assert!(text.starts_with(&format!("cannot write {}: ", pidfile.display())), "{text}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let text = fails(Settings { http: Some(address), ..below() }, CONFIG);
    assert!(text.starts_with(&format!("cannot listen on {address} for the page: ")), "{text}");
}

#[test]
fn errors_say_what_is_wrong() {
    let error = || io::Error::other("why");
    let rows = [
        (ServeError::Signals(error()), "cannot listen for signals: why"),
        (ServeError::LedgerThread(error()), "cannot start the ledger's thread: why"),
        (ServeError::WatchdogThread(error()), "cannot start the thread of the watchdog: why"),
    ];
    for (error, want) in rows {
        assert_eq!(error.to_string(), want);
    }
}
