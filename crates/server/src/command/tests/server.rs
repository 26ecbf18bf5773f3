//! A running server, and what its tools say of it.

use super::transcript::Transcript;
use crate::{
    control::{self, Reply},
    daemon::{self, Settings},
    terminal::testing::Tape,
};
use accounts::{Accounts, Right};
use std::{
    fs,
    net::UdpSocket,
    path::PathBuf,
    process::ExitCode,
    sync::mpsc::{self, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use transport::testing::{PATIENCE, eventually};

/// Gap between the messages of which a tap shows some.
const SEND_EVERY: Duration = Duration::from_millis(20);

pub(super) const CONFIG: &str = r#"@version: 4.8
# A comment.
options { stats-freq(0); keep-hostname(yes); };
@define file "DIR/out/all"
source s_in { network(transport(udp) ip(127.0.0.1) port(PORT) use-dns(no) time-zone("UTC")); };
source s_none { file("DIR/nothing"); };
filter f_errors { level(err); };
parser p_pairs { kv-parser(prefix(".kv.")); };
parser p_probe { metrics-probe(key("seen_total") labels("host" => "$HOST")); };
destination d_all { file("`file`" template("$MSG\n")); };
destination d_host { file("DIR/out/host-$HOST"); };
destination d_audit { logspace("audit" archive-to("DIR/archive")); };
logspace some { filtered("audit" "n1"); };
log everything { source(s_in); parser(p_pairs); parser(p_probe); destination(d_all); destination(d_audit); };
log { source(s_in); source(s_none); filter(f_errors); destination(d_host); };
"#;

/// The password of `ask::api`.
pub(super) const PASSWORD: &str = "correct horse battery staple";

/// A server on a thread, which runs until a command stops it.
pub(super) struct Running {
    tape: Tape,
    thread: JoinHandle<ExitCode>,
    sender: UdpSocket,
    control: PathBuf,
}

impl Running {
    pub(super) fn start(transcript: &mut Transcript, config: &str) -> Running {
        Running::start_with(transcript, config, |_| {})
    }

    /// Starts a server whose settings are changed before.
    pub(super) fn start_with(
        transcript: &mut Transcript,
        config: &str,
        change: impl FnOnce(&mut Settings),
    ) -> Running {
        // A port that is free now.
        let place = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        transcript.mask(&place.port().to_string(), "PORT");
        transcript.write("conf", config);
        let dir = transcript.dir.path().to_owned();
        fs::create_dir_all(dir.join("data")).unwrap();
        fs::create_dir_all(dir.join("out")).unwrap();
        let accounts = Accounts::at(&dir.join("data/users.json"));
        accounts.add("admin", PASSWORD).unwrap();
        accounts.grant("admin", "*", &[Right::Search, Right::Export, Right::Administer]).unwrap();
        let mut settings = Settings::below(&dir);
        change(&mut settings);
        let tape = Tape::default();
        let of_thread = tape.clone();
        let thread = thread::spawn(move || of_thread.record(|| daemon::run_without_signals(settings)));
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.connect(place).unwrap();
        let running = Running { tape, thread, sender, control: dir.join("ctl") };
        eventually("the page is open", || {
            running.output().contains("The page: ") || running.thread.is_finished()
        });
        let output = running.output();
        let url = output.trim().strip_prefix("The page: ").unwrap_or_else(|| panic!("{}", running.errors()));
        transcript.mask(url.trim_end_matches('/'), "URL");
        running
    }

    fn output(&self) -> String {
        String::from_utf8_lossy(&self.tape.printed().output).into_owned()
    }

    pub(super) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.tape.printed().errors).into_owned()
    }

    /// Returns the address of the page.
    pub(super) fn url(&self) -> String {
        let output = self.output();
        output.trim().trim_start_matches("The page: ").trim_end_matches('/').to_owned()
    }

    pub(super) fn send(&self, lines: &[&str]) {
        for line in lines {
            self.sender.send(line.as_bytes()).unwrap();
        }
    }

    /// Stops the server, and notes the messages of its loop, without their times.
    pub(super) fn stop(self, transcript: &mut Transcript) {
        transcript.run("duramen ctl -c DIR/ctl stop");
        assert_eq!(self.thread.join().unwrap(), ExitCode::SUCCESS);
        let errors = self.tape.printed().errors;
        transcript.note("The server's own messages\n");
        for line in String::from_utf8_lossy(&errors).lines() {
            let text = line.split_once("] ").map_or(line, |(_, text)| text);
            transcript.note(&format!("{text}\n"));
        }
    }
}

/// Waits until the destinations together have written that many messages, and fails at once when they wrote more: a
/// count that a test passes by would be met only by chance.
pub(super) fn wait_for_written(transcript: &Transcript, count: u64) {
    let control = transcript.dir.path().join("ctl");
    eventually("everything is written", || {
        let reply = control::ask(&control, "QUERY GET_SUM dst.*.written", PATIENCE);
        let Ok(Reply::Done(text)) = reply else { return false };
        let Ok(written) = text.trim().parse::<u64>() else { return false };
        assert!(written <= count, "{written} messages are written, not {count}");
        written == count
    });
}

/// Waits until logspaces hold the memory of no message: it is given back a moment after a message counts as written.
fn wait_for_memory(transcript: &Transcript) {
    let control = transcript.dir.path().join("ctl");
    eventually("memory is given back", || {
        let reply = control::ask(&control, "QUERY GET_SUM dst.logspace.*.memory_usage", PATIENCE);
        matches!(reply, Ok(Reply::Done(text)) if text.trim() == "0")
    });
}

/// Waits until the rows of a destination that a reload removed are orphaned: its thread closes its files on its own.
fn wait_for_orphan(transcript: &Transcript, row: &str) {
    let control = transcript.dir.path().join("ctl");
    let is_orphaned = |line: &str| line.starts_with(row) && line.contains(";o;");
    eventually("the removed destination is closed", || {
        let reply = control::ask(&control, "STATS", PATIENCE);
        matches!(reply, Ok(Reply::Done(text)) if text.lines().filter(|line| line.starts_with(row)).all(is_orphaned))
    });
}

/// Three messages, one of them an error, and waits until everything has them.
pub(super) fn send_three(running: &Running, transcript: &Transcript) {
    running.send(&[
        "<13>Nov 21 03:00:00 web app[7]: n1 user=eva\n",
        "<11>Nov 21 03:00:01 db app: n2 failed\n",
        "<14>Nov 21 03:00:02 web other: n3\n",
    ]);
    wait_for_written(transcript, 7);
}

#[test]
fn ctl_shows_and_changes_a_running_server() {
    let mut transcript = Transcript::new();
    let running = Running::start(&mut transcript, CONFIG);
    send_three(&running, &transcript);
    wait_for_memory(&transcript);
    for line in [
        "stats",
        "stats prometheus",
        "stats balance",
        "query get dst.file.*",
        "query get dst.file.*.written source.s_in.processed",
        "query get --sum dst.file.*.written",
        "query list *.s_in*",
        "query get --sum --reset dst.file.d_host*",
        "query get --reset dst.file.d_all*",
        "query get dst.file.*.written",
        "healthcheck",
        "config",
        "config -i",
        "config -p",
        "config -V",
        "config --skipped",
        "list-files",
        "export-config-graph",
        "show-license-info",
        "log-level",
        "log-level verbose",
        "log-level nonsense",
        "debug on",
        "debug",
        "debug off",
        "verbose off",
        "trace 1",
        "trace perhaps",
        "credentials status",
        "credentials add DIR/key secret",
        "credentials add",
        "reload",
        "reopen",
        "tap nowhere",
        "tap s_in -f no(",
        "tap s_in -t $(nosuch)",
        "stats --reset",
        "stats balance",
        "stats --remove-orphans",
    ] {
        transcript.run(&format!("duramen ctl -c DIR/ctl {line}"));
    }
    transcript.write("conf", &CONFIG.replace("level(err)", "level(nothing)"));
    transcript.run("duramen ctl -c DIR/ctl config -V");
    transcript.run("duramen ctl -c DIR/ctl reload");
    transcript.write("conf", &CONFIG.replace("destination(d_host); };", "};"));
    transcript.run("duramen ctl -c DIR/ctl reload");
    wait_for_orphan(&transcript, "dst.file;d_host#0;");
    transcript.run("duramen ctl -c DIR/ctl query get dst.file.d_host*.stamp");
    transcript.run("duramen ctl -c DIR/ctl stats csv --without-orphaned");
    transcript.run("duramen ctl -c DIR/ctl stats --remove-orphans");
    transcript.run("duramen ctl -c DIR/ctl query list dst.file.*");
    transcript.run("syslog-ng-ctl -c DIR/ctl show-license-info");
    transcript.run("syslog-ng-ctl -c DIR/ctl query list nothing*");
    for command in [
        "",
        "NONSENSE",
        "QUERY NONSENSE",
        "LOG LEVEL a b",
        "CONFIG GET",
        "PWD",
        "LOGSPACE SEAL nowhere",
        "LOGSPACE NONSENSE audit",
        "LOGSPACE UNLOCK audit nothing",
        "LOGSPACE ARCHIVE audit old",
        "LOGSPACE RESTORE audit 1",
        "LOGSPACE RESTORE audit 1 x",
        "TAP x",
        "DEAD x",
    ] {
        let control = transcript.dir.path().join("ctl");
        let reply = control::ask(&control, command, PATIENCE).unwrap();
        let Reply::Failed(text) = reply else { panic!("{command}") };
        transcript.note(&format!("> {command}\n{text}"));
    }
    running.stop(&mut transcript);
    transcript.run("duramen ctl -c DIR/ctl stats");
    transcript.check("command/ctl.txt");
}

#[test]
fn a_tap_shows_what_passes() {
    let mut transcript = Transcript::new();
    let running = Running::start(&mut transcript, CONFIG);
    let lines = ["<13>Nov 21 03:00:00 web app[7]: n1\x1b[2J\n", "<11>Nov 21 03:00:01 db app: n2 failed\n"];
    for words in [
        // A tap may open between the two lines, so each sees only one of them.
        "s_in -n 1 -f level(notice)",
        "source:s_in -n 2 -t $MSG -f level(notice)",
        "d_all -n 1 -f level(err) --format json",
        "log:everything -n 1 --rate",
        "destination:d_all#0 -n 1 --raw -t $HOST-$MSG -f level(notice)",
    ] {
        thread::scope(|scope| {
            let (stop, stopped) = mpsc::channel::<()>();
            // Nobody tells when the tap is open: it sees what passes after that.
            let running = &running;
            scope.spawn(move || {
                let deadline = Instant::now() + PATIENCE;
                while stopped.recv_timeout(SEND_EVERY) == Err(RecvTimeoutError::Timeout) {
                    if Instant::now() > deadline {
                        // A tap that has seen nothing ends with its server.
                        let _ = control::ask(&running.control, "STOP", PATIENCE);
                        return;
                    }
                    running.send(&lines);
                }
            });
            transcript.run(&format!("duramen ctl -c DIR/ctl tap {words}"));
            stop.send(()).unwrap();
        });
    }
    running.stop(&mut transcript);
    transcript.check("command/tap.txt");
}

#[test]
fn questions_are_answered_by_the_page() {
    let mut transcript = Transcript::new();
    let running = Running::start(&mut transcript, CONFIG);
    send_three(&running, &transcript);
    // Searches see messages a moment after they are stored.
    let seal = "duramen logspace seal audit -c DIR/ctl";
    transcript.run(seal);
    for line in [
        "search n* --logspace audit --format message",
        "search n* --logspace audit --format text -n 1",
        "search n1 --logspace audit --format json",
        "search n1 OR n2 --logspace audit --count",
        "search n* --logspace some --format message",
        "search n* | stats count() by host --logspace audit",
        "search n* | stats count() by host --logspace audit --format message",
        "search n* | stats count() by host --logspace audit --format json",
        "search ( --logspace audit",
        "search n1 --logspace nowhere",
        "search n1 --logspace audit --user nobody",
        "search nothing --logspace audit",
        "search n1 --logspace audit --from 2000-01-01T00:00:00Z --to 2000-01-02T00:00:00Z --count",
        "export n* --logspace audit --as raw",
        "export n1 --logspace audit --as csv -o DIR/rows.csv",
        "export n1 --logspace audit --as csv-safe -o DIR/nowhere/rows.csv",
        "export ( --logspace audit",
        "tail ( --logspace audit",
    ] {
        transcript.run(&format!("duramen {line} --url URL/"));
    }
    transcript.note(&fs::read_to_string(transcript.dir.path().join("rows.csv")).unwrap());
    let explained =
        transcript.run_quietly("duramen search n1 AND app --logspace audit --explain --url URL").output;
    for line in String::from_utf8_lossy(&explained).lines() {
        let words = line.split_whitespace().map(|word| if word.contains('.') { "TOOK" } else { word });
        transcript.note(&format!("{}\n", words.collect::<Vec<_>>().join(" ")));
    }
    for line in
        ["lock audit", "confirm audit", "detach audit", "attach audit", "archive audit", "restore audit"]
    {
        transcript.run(&format!("duramen logspace {line} -c DIR/ctl"));
    }
    transcript.run("duramen logspace seal nowhere -c DIR/ctl");
    running.stop(&mut transcript);
    transcript.run("duramen search n1 --url URL");
    for line in [
        "logspace verify audit --data DIR/data",
        "logspace ls audit --data DIR/data",
        "logspace cat audit --data DIR/data",
        "logspace cat audit --data DIR/data --query n2 --format json",
        "logspace scrub audit --data DIR/data",
        "logspace export audit --data DIR/data -o DIR/package --query n1",
        "verify-package DIR/package",
        "verify-package DIR/package --json",
        "verify-package DIR/package --head nonsense",
        "verify-package DIR/nowhere",
        "ledger verify --data DIR/data",
        "ledger verify --data DIR/data --json",
        "ledger verify --data DIR/data --head x",
        "ledger ls --data DIR/data",
        "ledger ls --data DIR/data --action login --user nobody",
        "ledger ls --data DIR/data --action login --json",
        "ledger ls --data DIR/data --logspace audit --from 2000-01-01T00:00:00Z",
        "ledger ls --data DIR/data --to 2000-01-01T00:00:00Z",
        "ledger ls --data DIR/data --from yesterday",
        "ledger ls --data DIR/nowhere",
        "ledger verify --data DIR/nowhere",
    ] {
        transcript.run(&format!("duramen {line}"));
    }
    transcript.check("command/questions.txt");
}
