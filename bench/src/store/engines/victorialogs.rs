//! VictoriaLogs, when it is installed: syslog over TCP in, LogsQL over HTTP out.
//!
//! In: its binary. Out: the cost of storing and of answers: bars (`hits`) and the newest 200 messages
//! (`query`), one after the other. Limits: [`SETTLE_TIMEOUT`] to merge. Its words are case-sensitive, so its
//! counts are for the exact case of the query.

use crate::process::{cpu, free_port, memory, stop, wait_for_listener};
use crate::store::{
    engine::{Answer, Engine, Intake},
    plain::{self, Corpus},
    questions::Question,
};
use serde_json::Value;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use ureq::Agent;

const BARS: u64 = 30;
const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);
const INTAKE_TIMEOUT: Duration = Duration::from_secs(3600);
/// Longest time to merge its parts.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(600);
/// After this long without using CPU, everything is merged.
const SETTLED: Duration = Duration::from_secs(5);

/// VictoriaLogs.
pub(in crate::store) struct VictoriaLogs {
    binary: PathBuf,
    folder: PathBuf,
    agent: Agent,
    /// Process, syslog port, HTTP port.
    running: Option<(Child, u16, u16)>,
    /// Begin and end of the corpus in seconds, as the receiver has to interpret its times.
    span: (i64, i64),
}

impl VictoriaLogs {
    pub(in crate::store) fn new(binary: &Path, out: &Path) -> VictoriaLogs {
        let agent = Agent::config_builder().timeout_global(Some(ANSWER_TIMEOUT)).build().into();
        let folder = out.join("victorialogs");
        VictoriaLogs { binary: binary.to_owned(), folder, agent, running: None, span: (0, 0) }
    }

    fn text(&self, path: &str, words: &[(&str, String)]) -> io::Result<String> {
        let (_, _, http) =
            self.running.as_ref().ok_or_else(|| io::Error::other("VictoriaLogs does not run"))?;
        let mut request = self.agent.get(format!("http://127.0.0.1:{http}{path}"));
        for (name, value) in words {
            request = request.query(name, value);
        }
        let read = |mut response: ureq::http::Response<ureq::Body>| {
            response.body_mut().with_config().limit(u64::MAX).read_to_string()
        };
        request.call().and_then(read).map_err(|error| io::Error::other(format!("VictoriaLogs: {error}")))
    }

    /// Sum of the metrics whose names begin with a prefix.
    fn metric(&self, name: &str) -> io::Result<f64> {
        let text = self.text("/metrics", &[])?;
        let lines = text.lines().filter(|line| line.starts_with(name));
        Ok(lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum())
    }

    fn settle(&self, id: u32) -> io::Result<()> {
        let start = Instant::now();
        let (mut seen, mut since) = (cpu(id)?, start);
        while since.elapsed() < SETTLED && start.elapsed() < SETTLE_TIMEOUT {
            thread::sleep(Duration::from_millis(500));
            let now = cpu(id)?;
            // The CPU that the look at the metrics itself costs.
            if now - seen > 0.1 {
                (seen, since) = (now, Instant::now());
            }
        }
        Ok(())
    }
}

impl Engine for VictoriaLogs {
    fn name(&self) -> String {
        "VictoriaLogs".into()
    }

    fn take_in(&mut self, corpus: &Corpus) -> io::Result<Intake> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        fs::create_dir_all(&self.folder)?;
        self.resume()?;
        let (id, port) =
            self.running.as_ref().map(|(process, port, _)| (process.id(), *port)).unwrap_or_default();
        let start = Instant::now();
        let path = corpus.path.clone();
        let sender = thread::spawn(move || plain::send(&path, port));
        while self.metric("vl_rows_ingested_total")? < corpus.messages as f64 {
            if start.elapsed() > INTAKE_TIMEOUT {
                return Err(io::Error::other("VictoriaLogs does not take all messages in"));
            }
            thread::sleep(Duration::from_millis(50));
        }
        self.text("/internal/force_flush", &[])?;
        let seconds = start.elapsed().as_secs_f64();
        sender.join().map_err(|_| io::Error::other("the sender ended by a bug"))??;
        self.settle(id)?;
        self.span = self.find_span()?;
        Ok(Intake {
            seconds,
            settled_s: start.elapsed().as_secs_f64() - SETTLED.as_secs_f64(),
            cpu_s: Some(cpu(id)?),
            memory_mib: Some(memory(id)?),
            message_bytes: disk_bytes(&self.folder.join("data"))? as f64 / corpus.messages as f64,
            note: "durable seconds later; words know their case".into(),
        })
    }

    fn ask(&mut self, question: &'static Question) -> io::Result<Option<Answer>> {
        let Some(query) = question.logsql else { return Ok(None) };
        let (start_s, end_s) = self.span;
        let span = [("query", query.to_owned()), ("start", start_s.to_string()), ("end", end_s.to_string())];
        let start = Instant::now();
        let total = if question.messages {
            let step = format!("{}s", ((end_s - start_s) as u64).div_ceil(BARS).max(1));
            let bars = self.text("/select/logsql/hits", &[&span[..], &[("step", step)]].concat())?;
            self.text("/select/logsql/query", &[&span[..], &[("limit", "200".into())]].concat())?;
            sum_of_bars(&bars)
        } else {
            // The ten most common values do not tell the total.
            self.text("/select/logsql/query", &span)?;
            u64::MAX
        };
        Ok(Some(Answer { total, ms: start.elapsed().as_secs_f64() * 1e3 }))
    }

    fn memory_mib(&self) -> Option<f64> {
        self.running.as_ref().and_then(|(process, ..)| memory(process.id()).ok())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.running.take().map_or(Ok(()), |(mut process, ..)| stop(&mut process))
    }

    fn resume(&mut self) -> io::Result<()> {
        let (port, http) = (free_port()?, free_port()?);
        let log = File::create(self.folder.join("words"))?;
        let mut process = Command::new(&self.binary)
            .arg(format!("-storageDataPath={}", self.folder.join("data").display()))
            .arg(format!("-httpListenAddr=127.0.0.1:{http}"))
            .arg(format!("-syslog.listenAddr.tcp=127.0.0.1:{port}"))
            .args(["-retentionPeriod=100y", "-syslog.timezone=UTC", "-search.maxQueryDuration=300s"])
            .args(["-syslog.streamFields.tcp=[\"hostname\",\"app_name\"]", "-loggerLevel=ERROR"])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        let listens = wait_for_listener(http, &self.folder, &mut process);
        self.running = Some((process, port, http));
        listens
    }

    fn remove(mut self: Box<Self>) -> io::Result<()> {
        self.pause()?;
        fs::remove_dir_all(&self.folder)
    }
}

/// Stops the server, so that an early error leaves none running.
impl Drop for VictoriaLogs {
    fn drop(&mut self) {
        if let Some((process, ..)) = &mut self.running {
            // It has already ended if all went well.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl VictoriaLogs {
    /// The times of the corpus have no year, so the server is asked for those of its first and last messages.
    fn find_span(&self) -> io::Result<(i64, i64)> {
        let query = "* | stats min(_time) first, max(_time) last";
        let text = self.text("/select/logsql/query", &[("query", query.into())])?;
        let answer: Value = serde_json::from_str(text.lines().next().unwrap_or_default())
            .map_err(|_| io::Error::other("VictoriaLogs does not say what times it has"))?;
        let second = |name: &str| answer[name].as_str().and_then(unix_seconds);
        match (second("first"), second("last")) {
            (Some(first), Some(last)) => Ok((first, last + 1)),
            _ => Err(io::Error::other(format!("VictoriaLogs says of its times: {answer}"))),
        }
    }
}

/// Reads `2026-11-01T00:00:00Z`; anything after the seconds is cut.
fn unix_seconds(text: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    // Years are taken to begin in March, so that the leap day comes last.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day - 1 - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

fn sum_of_bars(bars: &str) -> u64 {
    let bars: Value = serde_json::from_str(bars).unwrap_or_default();
    let groups = bars["hits"].as_array().into_iter().flatten();
    groups.flat_map(|group| group["values"].as_array().into_iter().flatten()).filter_map(Value::as_u64).sum()
}

fn disk_bytes(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let (entry, status) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
        sum += if status.is_dir() { disk_bytes(&entry)? } else { status.len() };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    //! Rows for the times.

    use super::*;

    #[test]
    fn times_are_seconds_since_1970() {
        for (text, want) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-11-01T00:00:00.5Z", Some(1_793_491_200)),
            ("2024-02-29T23:59:59Z", Some(1_709_251_199)),
            ("2024-03-01", None),
        ] {
            assert_eq!(unix_seconds(text), want, "{text}");
        }
    }
}
