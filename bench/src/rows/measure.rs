//! One run: start a subject, load it, wait for the last line, and read its cost.
//!
//! In: a row and a subject. Out: rate, CPU, memory. Every run counts its lines; a lost line is an error.
//! Limits: [`STILL`] without progress ends a run.

use super::{
    corpus::Corpus,
    outcome::Outcome,
    row::Row,
    traffic::{held::Held, load, sink::Sink},
    versus::{RunFolder, Subject},
};
use crate::{
    process::{cpu, free_port, memory, stop, wait_for_listener},
    tls,
};
use std::{
    fs, io,
    path::Path,
    process::Child,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// A run is over after this long without a new byte.
const STILL: Duration = Duration::from_secs(6);

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
    let run_folder = RunFolder { port: free_port()?, next_port: sink.port(), path: folder.clone() };
    if row.is_encrypted() {
        tls::certificate(&folder)?;
    }
    let mut server = subject.start(row, &run_folder)?;
    let outcome = load(row, subject, (&run_folder, &sink), &corpus, messages, &mut server);
    stop(&mut server)?;
    if outcome.is_ok() {
        fs::remove_dir_all(&folder)?;
    }
    outcome
}

fn load(
    row: Row,
    subject: &dyn Subject,
    (run_folder, sink): (&RunFolder, &Sink),
    corpus: &Corpus,
    messages: u64,
    server: &mut Child,
) -> io::Result<Outcome> {
    wait_for_listener(run_folder.port, &run_folder.path, server)?;
    let mut held = row.is_held().then(|| Held::open(row, run_folder.port, server.id())).transpose()?;
    let before = cpu(server.id())?;
    let started = SystemTime::now();
    let sent = match (&mut held, row) {
        (Some(held), _) => held.send(corpus, messages)?,
        (None, Row::Tls) => load::send_encrypted(corpus, run_folder.port, messages)?,
        (None, _) => load::send(corpus, run_folder.port, messages, row.connections())?,
    };
    let wanted = row.expected(corpus, messages);
    let end = match row.is_relay() {
        true => sink.last_line(wanted, STILL)?,
        false => last_line(&run_folder.path.join("out"), sent.start, wanted, subject)?,
    };
    let cpu_us = (cpu(server.id())? - before) * 1e6 / messages as f64;
    let wall = end.duration_since(started).unwrap_or(Duration::from_millis(1)).as_secs_f64();
    let held = held.map(|mut held| held.cost(server.id())).transpose()?;
    Ok(Outcome { rate: messages as f64 / wall, cpu_us, memory_mib: memory(server.id())?, held })
}

/// Waits until the files contain the expected lines; returns when the last file changed.
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
