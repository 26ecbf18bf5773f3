//! The rows of UDP: the highest rate at which fewer than one datagram in a thousand is lost.
//!
//! In: subjects. Out: a rate for each, with its CPU and memory. A receiver cannot slow down the sender of
//! datagrams, so the sender is paced, and the rate is searched: it is raised until a trial loses too much,
//! then the interval is bisected.
//! Limits: one sending thread with [`SENDERS`] sockets; the rate found never exceeds what that thread can send.

pub(crate) mod bare;
mod batch;
mod send;

use super::{
    options::Options,
    outcome::Outcome,
    row::Row,
    versus::{RunFolder, Subject},
};
use crate::process::{cpu, free_port, memory, stop};
use std::{
    fs, io,
    path::Path,
    process::Child,
    thread,
    time::{Duration, Instant},
};

/// Sockets that datagrams come from in turn: servers that share the load by sender get some.
const SENDERS: usize = 4;
/// Share that may be lost.
const LOSS_MAX: f64 = 0.001;
/// The first rate tried, and by how much it is raised.
const FIRST_RATE: f64 = 150_000.0;
const STEP: f64 = 1.3;
/// Trials in which the sender does not keep up before the rate counts as its limit: it shares the cores.
const PATIENCE: usize = 3;
/// Trials between the last good and the first bad rate.
const HALVINGS: usize = 4;
/// After this long without more lines, all received ones are written.
const STILL: Duration = Duration::from_millis(1500);
/// A rate that no subject reaches on this machine.
const RATE_MAX: f64 = 5_000_000.0;

/// Measures one subject once.
pub(crate) fn run(row: Row, subject: &dyn Subject, options: &Options, out: &Path) -> io::Result<Outcome> {
    let folder = out.join(subject.name().replace(' ', "-"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("out"))?;
    fs::create_dir_all(folder.join("state"))?;
    let run_folder = RunFolder { port: free_port()?, next_port: 0, path: folder.clone() };
    let mut server = subject.start(row, &run_folder)?;
    let found = wait_for_socket(&run_folder, &mut server).and_then(|()| {
        let mut trials = Trials::new(row, &run_folder, &server, options.udp_seconds)?;
        trials.search(&subject.name())
    });
    stop(&mut server)?;
    let outcome = found?;
    fs::remove_dir_all(&folder)?;
    Ok(outcome)
}

/// Waits until the port is bound.
fn wait_for_socket(run_folder: &RunFolder, server: &mut Child) -> io::Result<()> {
    let port = format!(":{:04X} ", run_folder.port);
    let start = Instant::now();
    while !fs::read_to_string("/proc/net/udp")?.contains(&port) {
        if server.try_wait()?.is_some() || start.elapsed() > Duration::from_secs(20) {
            let text = format!("the server does not listen: see {}", run_folder.path.display());
            return Err(io::Error::other(text));
        }
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(300));
    Ok(())
}

struct Trials<'a> {
    run_folder: &'a RunFolder,
    pid: u32,
    sender: send::Sender,
    seconds: f64,
    /// Bytes and lines of the output that were counted.
    counted: (u64, u64),
}

/// The figures of one trial.
struct Trial {
    rate: f64,
    loss: f64,
    cpu_us: f64,
}

impl Trials<'_> {
    fn new<'a>(row: Row, run_folder: &'a RunFolder, server: &Child, seconds: f64) -> io::Result<Trials<'a>> {
        let grouping = match row {
            Row::UdpRuns => send::Grouping::Runs,
            _ => send::Grouping::Single,
        };
        let sender = send::Sender::new(row.corpus(), run_folder.port, SENDERS, grouping)?;
        Ok(Trials { run_folder, pid: server.id(), sender, seconds, counted: (0, 0) })
    }

    fn search(&mut self, name: &str) -> io::Result<Outcome> {
        // A warm-up: buffers, caches and threads are created.
        self.trial(FIRST_RATE / 2.0)?;
        let (mut good, mut rate) = (None, FIRST_RATE);
        let bad = loop {
            let mut trial = self.said(name, rate)?;
            let is_short = |trial: &Trial| trial.loss < LOSS_MAX && trial.rate < rate * 0.95;
            for _ in 1..PATIENCE {
                if is_short(&trial) {
                    let again = self.said(name, rate)?;
                    trial = if again.loss >= LOSS_MAX || again.rate > trial.rate { again } else { trial };
                }
            }
            // A sender that cannot keep up ends the search as well.
            let is_limit = is_short(&trial) || rate > RATE_MAX;
            if trial.loss >= LOSS_MAX {
                break rate;
            }
            rate = trial.rate.max(rate) * STEP;
            let reached = trial.rate;
            good = Some(trial);
            if is_limit {
                break reached;
            }
        };
        let (mut low, mut high) = (good.as_ref().map_or(0.0, |trial| trial.rate), bad);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if high - low < bad * 0.02 {
                break;
            }
            let trial = self.said(name, middle)?;
            if trial.loss < LOSS_MAX {
                low = trial.rate;
                good = Some(trial);
            } else {
                high = middle;
            }
        }
        let best = good.ok_or_else(|| io::Error::other("more than a thousandth is lost at every rate"))?;
        Ok(Outcome { rate: best.rate, cpu_us: best.cpu_us, memory_mib: memory(self.pid)?, held: None })
    }

    fn said(&mut self, name: &str, rate: f64) -> io::Result<Trial> {
        let trial = self.trial(rate)?;
        eprintln!("  {name}: {:.0} msg/s sent, {:.3} % lost", trial.rate, trial.loss * 100.0);
        Ok(trial)
    }

    fn trial(&mut self, rate: f64) -> io::Result<Trial> {
        let before = (self.lines()?, cpu(self.pid)?);
        let (sent, took) = self.sender.send(rate, Duration::from_secs_f64(self.seconds))?;
        let (mut seen, mut since) = (self.lines()?, Instant::now());
        while since.elapsed() < STILL && seen - before.0 < sent {
            thread::sleep(Duration::from_millis(50));
            let now = self.lines()?;
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
        }
        let received = seen - before.0;
        let cpu_us = (cpu(self.pid)? - before.1) * 1e6 / received.max(1) as f64;
        let loss = 1.0 - received as f64 / sent as f64;
        Ok(Trial { rate: sent as f64 / took.as_secs_f64(), loss, cpu_us })
    }

    /// Lines of the output so far.
    fn lines(&mut self) -> io::Result<u64> {
        use std::os::unix::fs::FileExt;
        let Ok(file) = fs::File::open(self.run_folder.path.join("out/all")) else { return Ok(0) };
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = file.read_at(&mut buffer, self.counted.0)?;
            if read == 0 {
                return Ok(self.counted.1);
            }
            self.counted.0 += read as u64;
            self.counted.1 += buffer[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
        }
    }
}
