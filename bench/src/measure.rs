//! One run: start a subject, load it, wait for the last line, and read what it cost.
//!
//! In: a row and a subject. Out: rate, CPU, memory. Every run counts its lines: a lost one is an error.
//! Limits: [`START_TIMEOUT`] to listen, [`STILL`] without progress ends a run.

use crate::{
    corpus::Corpus,
    held::{Cost, Held},
    load,
    rows::Row,
    sink::Sink,
    tls,
    versus::{Place, Subject},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fmt, fs, io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::Child,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Longest wait until a subject listens.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// A run without a new byte for so long is over.
const STILL: Duration = Duration::from_secs(6);
/// Clock ticks a second in /proc: the same on every Linux that has it.
const TICKS: f64 = 100.0;

/// The figures of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Messages a second, from the first byte sent to the last change of a file.
    pub(crate) rate: f64,
    /// CPU microseconds a message, user and system, of the subject alone.
    pub(crate) cpu_us: f64,
    /// Peak resident memory, MiB.
    pub(crate) memory_mib: f64,
    /// Of the rows of held connections.
    pub(crate) held: Option<Cost>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} msg/s, {:.2} us CPU a message, {:.0} MiB", self.rate, self.cpu_us, self.memory_mib)?;
        self.held.map_or(Ok(()), |cost| {
            write!(
                f,
                ", {:.1} KiB an idle connection, {:.1} after the traffic",
                cost.idle_kib, cost.after_kib
            )
        })
    }
}

/// Runs a subject once.
pub(crate) fn run(row: Row, subject: &dyn Subject, messages: u64, out: &Path) -> io::Result<Outcome> {
    let folder = out.join(subject.name().replace(' ', "-"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("out"))?;
    fs::create_dir_all(folder.join("state"))?;
    let corpus = row.corpus();
    corpus.save(&out.join("corpus.log"))?;
    let sink = Sink::start()?;
    let place = Place { port: free_port()?, next_port: sink.port(), folder: folder.clone() };
    if row.is_encrypted() {
        tls::certificate(&folder)?;
    }
    let mut server = subject.start(row, &place)?;
    let outcome = load(row, subject, (&place, &sink), &corpus, messages, &mut server);
    stop(&mut server)?;
    if outcome.is_ok() {
        fs::remove_dir_all(&folder)?;
    }
    outcome
}

fn load(
    row: Row,
    subject: &dyn Subject,
    (place, sink): (&Place, &Sink),
    corpus: &Corpus,
    messages: u64,
    server: &mut Child,
) -> io::Result<Outcome> {
    wait_for_listener(place.port, &place.folder, server)?;
    let mut held = row.is_held().then(|| Held::open(row, place.port, server.id())).transpose()?;
    let before = cpu(server.id())?;
    let started = SystemTime::now();
    let sent = match (&mut held, row) {
        (Some(held), _) => held.send(corpus, messages)?,
        (None, Row::Tls) => load::send_encrypted(corpus, place.port, messages)?,
        (None, _) => load::send(corpus, place.port, messages, row.connections())?,
    };
    let wanted = row.expected(corpus, messages);
    let end = match row.is_relay() {
        true => sink.last_line(wanted, STILL)?,
        false => last_line(&place.folder.join("out"), sent.start, wanted, subject)?,
    };
    let cpu_us = (cpu(server.id())? - before) * 1e6 / messages as f64;
    let wall = end.duration_since(started).unwrap_or(Duration::from_millis(1)).as_secs_f64();
    let held = held.map(|mut held| held.cost(server.id())).transpose()?;
    Ok(Outcome { rate: messages as f64 / wall, cpu_us, memory_mib: memory(server.id())?, held })
}

/// Waits until the files hold the lines that must be there; when the last of them changed.
fn last_line(folder: &Path, start: Instant, wanted: u64, subject: &dyn Subject) -> io::Result<SystemTime> {
    let (mut seen, mut since) = (0, Instant::now());
    loop {
        let (size, changed) = files(folder)?;
        if size != seen {
            (seen, since) = (size, Instant::now());
        } else if since.elapsed() > Duration::from_millis(400) && size > 0 {
            let lines = lines(folder)?;
            if lines >= wanted {
                return Ok(changed);
            }
            if since.elapsed() > STILL {
                let text =
                    format!("{} wrote {lines} lines of {wanted} in {:?}", subject.name(), start.elapsed());
                return Err(io::Error::other(text));
            }
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn files(folder: &Path) -> io::Result<(u64, SystemTime)> {
    let (mut size, mut changed) = (0, SystemTime::UNIX_EPOCH);
    for entry in fs::read_dir(folder)? {
        let status = entry?.metadata()?;
        size += status.len();
        changed = changed.max(status.modified()?);
    }
    Ok((size, changed))
}

fn lines(folder: &Path) -> io::Result<u64> {
    let mut count = 0;
    let mut buffer = vec![0; 4 << 20];
    for entry in fs::read_dir(folder)? {
        let mut file = fs::File::open(entry?.path())?;
        loop {
            let read = io::Read::read(&mut file, &mut buffer)?;
            if read == 0 {
                break;
            }
            count += buffer[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
        }
    }
    Ok(count)
}

/// Waits until a process listens on the port of a server that has a folder.
pub(crate) fn wait_for_listener(port: u16, folder: &Path, server: &mut Child) -> io::Result<()> {
    let start = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if let Some(status) = server.try_wait()? {
            return Err(io::Error::other(format!(
                "the server ended with {status}: see {}",
                folder.display()
            )));
        }
        if start.elapsed() > START_TIMEOUT {
            return Err(io::Error::other(format!("the server does not listen: see {}", folder.display())));
        }
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(300));
    Ok(())
}

/// Ends a server in order, or by force when it takes too long.
pub(crate) fn stop(server: &mut Child) -> io::Result<()> {
    if let Some(pid) = Pid::from_raw(server.id() as i32) {
        // It may have ended already.
        let _ = kill_process(pid, Signal::TERM);
    }
    let start = Instant::now();
    while server.try_wait()?.is_none() {
        if start.elapsed() > START_TIMEOUT {
            server.kill()?;
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// CPU seconds of a process so far, user and system, all threads.
pub(crate) fn cpu(pid: u32) -> io::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

/// Peak resident memory of a process, MiB.
pub(crate) fn memory(pid: u32) -> io::Result<f64> {
    Ok(status_kib(pid, "VmHWM:")? / 1024.0)
}

/// Resident memory of a process now, KiB.
pub(crate) fn resident_kib(pid: u32) -> io::Result<f64> {
    status_kib(pid, "VmRSS:")
}

fn status_kib(pid: u32, name: &str) -> io::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<f64>().ok());
    Ok(kib.unwrap_or_default())
}
