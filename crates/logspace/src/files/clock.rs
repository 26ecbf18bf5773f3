//! Decides whether the clock can be trusted for removing old segments.
//!
//! In: readings of the wall clock and of the time since the machine was started, which nobody can set and which
//! advances while the machine sleeps. Out: whether removal by age may continue; a file with the last readings, so
//! that a jump is noticed across a restart.
//! Holds: the trusted difference of the two clocks. Limits: steps of up to [`TOLERANCE_US`] are accepted; across a
//! restart of the machine, unobserved time is treated as a jump from [`RESTART_US`] on.

use journal::Disk;
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Name of the file.
const CLOCK_NAME: &str = "clock";
const TITLE: &str = "duramen clock 1";
/// Largest step of the wall clock that is no jump, in microseconds: services that keep the time make small ones.
const TOLERANCE_US: i64 = 60_000_000;
/// Longest restart of the machine that is no jump, in microseconds.
const RESTART_US: i64 = 3_600_000_000;
/// The wall clock may run fast or slow by one part in this many of the time that passes: ten times what a service
/// that keeps the time is allowed. Larger deviations add up, so that many small steps are seen as a jump.
const DRIFT_PARTS: i64 = 200;
/// How often the file is written.
const WRITE_GAP_US: i64 = 60_000_000;

/// The clocks of the machine, behind a trait so that tests can advance them by days, set them and restart the machine.
pub trait Clock: Send + Sync {
    /// Returns the wall clock, in microseconds since 1970; 0 before that.
    fn wall_us(&self) -> i64;
    /// Returns the microseconds since the machine was started, time asleep included; 0 when unknown.
    fn uptime_us(&self) -> i64;
    /// Returns the identifier of this boot of the machine; empty when unknown.
    fn boot_id(&self) -> String;
}

/// The clocks of the operating system. Without `/proc` the uptime is not known: then every change of the wall clock
/// is a jump.
#[derive(Clone, Copy, Default, Debug)]
pub struct OsClock;

impl Clock for OsClock {
    fn wall_us(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64)
    }

    fn uptime_us(&self) -> i64 {
        let uptime = fs::read_to_string("/proc/uptime").ok();
        let seconds = uptime.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        seconds.map_or(0, |seconds| (seconds * 1e6) as i64)
    }

    fn boot_id(&self) -> String {
        fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map_or_else(|_| String::new(), |id| id.trim().to_owned())
    }
}

/// The two clocks at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockReading {
    /// Microseconds since 1970, by the system's clock.
    pub(crate) wall_us: i64,
    /// Microseconds since the machine was started, time asleep included.
    pub(crate) uptime_us: i64,
}

impl ClockReading {
    /// Reads both clocks.
    pub(crate) fn of(clock: &dyn Clock) -> ClockReading {
        ClockReading { wall_us: clock.wall_us(), uptime_us: clock.uptime_us() }
    }

    fn difference(self) -> i64 {
        self.wall_us.saturating_sub(self.uptime_us)
    }
}

/// A jump of the wall clock that is not accepted yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Jump {
    /// Uptime when it was noticed.
    since_us: i64,
    /// The difference of the clocks since then.
    difference_us: i64,
}

/// Changes that a reading of the clocks reveals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockEvent {
    /// The wall clock jumped by this many microseconds.
    Jumped(i64),
    /// The wall clock went back to the old time.
    Returned,
    /// The new time is accepted: it lasted long enough, or an operator confirmed it.
    Accepted,
}

impl fmt::Display for ClockEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClockEvent::Jumped(by_us) => {
                let (seconds, way) = (by_us.abs() / 1_000_000, if *by_us < 0 { "back" } else { "forward" });
                write!(
                    f,
                    "the clock jumped {way} by {seconds} s: nothing is removed by age until the new time has lasted or `duramen logspace confirm` says that it is right"
                )
            }
            ClockEvent::Returned => f.write_str("the clock is right again: removal by age goes on"),
            ClockEvent::Accepted => f.write_str("the new time is accepted: removal by age goes on"),
        }
    }
}

/// Compares the clocks.
pub(crate) struct ClockGuard {
    dir: PathBuf,
    boot_id: String,
    /// How long a new time must last before it is accepted, in microseconds.
    wait_us: i64,
    trusted_us: i64,
    jump: Option<Jump>,
    last: ClockReading,
    written: Option<ClockReading>,
}

impl ClockGuard {
    /// Reads the saved readings; without them, `newest_us`, the newest known received time, is used.
    pub(crate) fn open(
        disk: &dyn Disk,
        dir: &Path,
        wait: Duration,
        newest_us: Option<i64>,
        (boot_id, now): (String, ClockReading),
    ) -> io::Result<ClockGuard> {
        let seen = read(disk, dir)?;
        let trusted_us = match seen {
            Some(seen) if !boot_id.is_empty() && seen.boot_id == boot_id => seen.clocks.difference(),
            seen => {
                let expected = seen.map(|seen| seen.clocks.wall_us).or(newest_us).unwrap_or(now.wall_us);
                let passed = now.wall_us.saturating_sub(expected);
                let is_plausible = (-TOLERANCE_US..=RESTART_US).contains(&passed);
                if is_plausible { now.difference() } else { expected.saturating_sub(now.uptime_us) }
            }
        };
        let wait_us = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        let dir = dir.to_owned();
        Ok(ClockGuard { dir, boot_id, wait_us, trusted_us, jump: None, last: now, written: None })
    }

    /// Evaluates a reading of the clocks.
    pub(crate) fn observe(&mut self, now: ClockReading) -> Option<ClockEvent> {
        let passed = now.uptime_us.saturating_sub(self.last.uptime_us).max(0);
        self.last = now;
        let off = now.difference().saturating_sub(self.trusted_us);
        if off.saturating_abs() <= TOLERANCE_US {
            let drift = passed / DRIFT_PARTS;
            self.trusted_us = self.trusted_us.saturating_add(off.clamp(-drift, drift));
            return self.jump.take().map(|_| ClockEvent::Returned);
        }
        let is_same = |jump: &Jump| {
            (now.difference().saturating_sub(jump.difference_us)).saturating_abs() <= TOLERANCE_US
        };
        match self.jump.filter(is_same) {
            Some(jump) if now.uptime_us.saturating_sub(jump.since_us) >= self.wait_us => self.confirm(),
            Some(_) => None,
            None => {
                self.jump = Some(Jump { since_us: now.uptime_us, difference_us: now.difference() });
                if self.wait_us == 0 { self.confirm() } else { Some(ClockEvent::Jumped(off)) }
            }
        }
    }

    /// Accepts the time as it is.
    pub(crate) fn confirm(&mut self) -> Option<ClockEvent> {
        self.jump.take()?;
        self.trusted_us = self.last.difference();
        Some(ClockEvent::Accepted)
    }

    /// Returns true when old segments may be removed.
    pub(crate) fn is_trusted(&self) -> bool {
        self.jump.is_none()
    }

    /// Returns the jump that is not accepted yet.
    pub(crate) fn trouble(&self) -> Option<ClockEvent> {
        self.jump.map(|jump| ClockEvent::Jumped(jump.difference_us.saturating_sub(self.trusted_us)))
    }

    /// Saves the trusted difference, unless that was done recently.
    pub(crate) fn keep(&mut self, disk: &dyn Disk) -> io::Result<()> {
        let trusted = ClockReading {
            wall_us: self.trusted_us.saturating_add(self.last.uptime_us),
            uptime_us: self.last.uptime_us,
        };
        let is_fresh = |written: ClockReading| {
            trusted.uptime_us - written.uptime_us < WRITE_GAP_US
                && (trusted.difference() - written.difference()).abs() <= TOLERANCE_US
        };
        if self.written.is_some_and(is_fresh) {
            return Ok(());
        }
        write(disk, &self.dir, &self.boot_id, trusted)?;
        self.written = Some(trusted);
        Ok(())
    }
}

/// The contents of the clock file.
struct SavedReadings {
    boot_id: String,
    clocks: ClockReading,
}

/// Returns the boot during which the file was written; none when there is no file.
pub(crate) fn last_boot_id(disk: &dyn Disk, dir: &Path) -> io::Result<Option<String>> {
    Ok(read(disk, dir)?.map(|seen| seen.boot_id))
}

fn read(disk: &dyn Disk, dir: &Path) -> io::Result<Option<SavedReadings>> {
    let file = match disk.open(&dir.join(CLOCK_NAME)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = vec![0; file.len()? as usize];
    let count = file.read_at(0, &mut bytes)?;
    bytes.truncate(count);
    Ok(std::str::from_utf8(&bytes).ok().and_then(parse))
}

/// Parses the file; `None` when it is incomplete.
fn parse(text: &str) -> Option<SavedReadings> {
    let (body, end) = text.split_at(text.rfind("end ")?);
    let sum = u32::from_str_radix(end.strip_prefix("end ")?.strip_suffix('\n')?, 16).ok()?;
    let mut lines = body.lines();
    if sum != crc32fast::hash(body.as_bytes()) || lines.next() != Some(TITLE) {
        return None;
    }
    let mut take = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned);
    let (boot_id, wall, uptime) = (take("boot")?, take("wall")?, take("uptime")?);
    let clocks = ClockReading { wall_us: wall.parse().ok()?, uptime_us: uptime.parse().ok()? };
    Some(SavedReadings { boot_id, clocks })
}

fn write(disk: &dyn Disk, dir: &Path, boot_id: &str, clocks: ClockReading) -> io::Result<()> {
    let ClockReading { wall_us, uptime_us } = clocks;
    let mut text = format!("{TITLE}\nboot {boot_id}\nwall {wall_us}\nuptime {uptime_us}\n");
    let sum = crc32fast::hash(text.as_bytes());
    text.push_str(&format!("end {sum:08x}\n"));
    debug_assert!(
        parse(&text).is_some_and(|saved| saved.clocks == clocks),
        "it reads back as it was written"
    );
    let temporary = dir.join(format!("{CLOCK_NAME}.tmp"));
    match disk.remove(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = disk.create(&temporary)?;
    file.write_at(0, text.as_bytes())?;
    file.sync()?;
    disk.rename(&temporary, &dir.join(CLOCK_NAME))?;
    disk.sync_dir(dir)
}

#[cfg(test)]
mod tests;
