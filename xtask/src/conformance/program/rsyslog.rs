//! Converts configurations of rsyslog with `duramen convert rsyslog`.
//!
//! In: `configs/rsyslog`, `syslog/rsyslog-testbench.jsonl`. Out: two rows. A converted real configuration has
//! to pass the check. A case of rsyslog's own tests is converted, run and fed with the messages of the test;
//! its output has to be the same as rsyslog's. Cases with a statement that the report calls not supported are
//! not run, and not counted.

use super::executable::Program;
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use serde_json::Value;
use std::{
    fs,
    io::Write,
    net::{TcpListener, TcpStream, UdpSocket},
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Longest wait for a listener.
const CONNECT_WITHIN: Duration = Duration::from_secs(6);

/// The file that tests write to, by the variable that names it.
const OUTPUTS: [(&str, &str); 4] = [
    ("RSYSLOG_OUT_LOG", "out.log"),
    ("RSYSLOG2_OUT_LOG", "out2.log"),
    ("UNEXPECTED_LOG", "unexpected.log"),
    ("RSYSLOG_DYNNAME", "dyn"),
];

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let program = Program::find()?;
    Ok(vec![configurations(&program, folder)?, testbench(&program, folder)?])
}

fn configurations(program: &Program, folder: &Path) -> Result<Row, RunError> {
    let folder = folder.join("configs/rsyslog");
    let scratch = tempfile::tempdir().map_err(RunError::io("make a folder"))?;
    let mut row = Row::empty("rsyslog/configs", 100.0);
    for case in records(&folder.join("INDEX.jsonl"))? {
        let name = text(&case, "file");
        program.convert(scratch.path(), &folder.join(name))?;
        let verdict = program.check(scratch.path(), &scratch.path().join("converted.conf"))?;
        row.count(name, (!verdict.accepted).then_some(verdict.text));
    }
    Ok(row)
}

fn testbench(program: &Program, folder: &Path) -> Result<Row, RunError> {
    let mut row = Row::empty("rsyslog/testbench", 80.0);
    for case in records(&folder.join("syslog/rsyslog-testbench.jsonl"))? {
        if let Some(difference) = replay(program, &case)? {
            let name = text(&case, "source").rsplit('/').next().unwrap_or_default();
            row.count(name, (!difference.is_empty()).then_some(difference));
        }
    }
    Ok(row)
}

/// The text that a case must write: the whole file, or pieces of it.
enum ExpectedOutput {
    Whole(String),
    Pieces(Vec<String>),
}

impl ExpectedOutput {
    fn of(case: &Value) -> Option<ExpectedOutput> {
        let texts = |name: &str| -> Vec<String> {
            let values = case[name].as_array().into_iter().flatten();
            values.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let whole = texts("expected").into_iter().next().filter(|text| !text.contains('$'));
        whole.map(ExpectedOutput::Whole).or_else(|| {
            let checks = texts("content_checks");
            let piece = |check: &String| {
                check.strip_prefix('"')?.strip_suffix('"').filter(|one| !one.contains('"')).map(str::to_owned)
            };
            let pieces: Option<Vec<String>> = checks.iter().map(piece).collect();
            pieces.filter(|pieces| !pieces.is_empty()).map(ExpectedOutput::Pieces)
        })
    }

    fn difference(&self, got: &str) -> Option<String> {
        let is_met = match self {
            ExpectedOutput::Whole(whole) => got.trim_end_matches('\n') == whole.trim_end_matches('\n'),
            ExpectedOutput::Pieces(pieces) => pieces.iter().all(|piece| got.contains(piece)),
        };
        let wanted = match self {
            ExpectedOutput::Whole(whole) => whole.clone(),
            ExpectedOutput::Pieces(pieces) => pieces.join(" | "),
        };
        (!is_met).then(|| format!("wrote {got:?}, wanted {wanted:?}"))
    }
}

/// Returns how the output differs: an empty text when it does not. `None` when the case does not apply to us.
fn replay(program: &Program, case: &Value) -> Result<Option<String>, RunError> {
    let configs = configs(case);
    let (Some(wanted), [config]) = (ExpectedOutput::of(case), configs.as_slice()) else { return Ok(None) };
    let messages: Vec<String> = case["send"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["message"].as_str())
        .map(str::to_owned)
        .collect();
    if messages.is_empty() || messages.iter().any(|message| message.starts_with('$')) {
        return Ok(None);
    }
    let scratch = tempfile::tempdir().map_err(RunError::io("make a folder"))?;
    let folder = scratch.path();
    let port = free_port()?;
    let transport = if config.contains("imudp") { Transport::Udp } else { Transport::Tcp };
    let source = folder.join("rsyslog.conf");
    fs::write(&source, prepared(config, port)).map_err(RunError::write(&source))?;
    let report = program.convert(folder, &source)?;
    let is_refused = |one: &Value| one["outcome"] == "not supported";
    if report["statements"].as_array().into_iter().flatten().any(is_refused) {
        return Ok(None);
    }
    let sender = {
        let console = folder.join("console.txt");
        thread::spawn(move || send(&console, port, transport, &messages))
    };
    let read = || fs::read_to_string(folder.join("out.log")).unwrap_or_default();
    let done = || wanted.difference(&read()).is_none();
    program.run(folder, &folder.join("converted.conf"), done)?;
    let sent = sender.join().map_err(|_| RunError::failed("the sender", "it stopped"))?;
    Ok(Some(
        sent.err().map(|error| error.to_string()).or_else(|| wanted.difference(&read())).unwrap_or_default(),
    ))
}

fn configs(case: &Value) -> Vec<&str> {
    case["rsyslog_config"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Replaces the shell variables of the test by their values, and adds a listener if the test injects
/// messages.
fn prepared(config: &str, port: u16) -> String {
    let mut text = config.to_owned();
    for (name, value) in OUTPUTS {
        for written in [format!("'\"${{{name}}}\"'"), format!("'${{{name}}}'"), format!("'${name}'")] {
            text = text.replace(&written, value);
        }
        text = text.replace(&format!("`echo ${name}`"), &format!("\"{value}\""));
    }
    text = text
        .replace("'$TCPFLOOD_PORT'", &port.to_string())
        .replace("port=\"0\"", &format!("port=\"{port}\""));
    if text.contains("type=\"im") {
        return text;
    }
    format!("input(type=\"imtcp\" port=\"{port}\")\n{text}")
}

fn free_port() -> Result<u16, RunError> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(RunError::io("find a free port"))?;
    listener.local_addr().map(|address| address.port()).map_err(RunError::io("find a free port"))
}

/// The way in which the messages of a test are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Udp,
    Tcp,
}

/// Sends once the program says that it has started.
fn send(console: &Path, port: u16, transport: Transport, messages: &[String]) -> Result<(), RunError> {
    let until = Instant::now() + CONNECT_WITHIN;
    let has_started = || fs::read_to_string(console).is_ok_and(|text| text.contains("starting up;"));
    while !has_started() && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
    }
    if transport == Transport::Udp {
        let socket = UdpSocket::bind("127.0.0.1:0").map_err(RunError::io("open a socket"))?;
        for message in messages {
            socket.send_to(message.as_bytes(), ("127.0.0.1", port)).map_err(RunError::io("send"))?;
        }
        return Ok(());
    }
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(mut stream) => {
                let lines = messages.iter().map(|message| format!("{message}\n"));
                return stream.write_all(lines.collect::<String>().as_bytes()).map_err(RunError::io("send"));
            }
            Err(error) if Instant::now() >= until => return Err(RunError::io("connect")(error)),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}
