//! Simulated clocks: days pass in an instant, someone sets the time, the machine restarts.
//!
//! In: the events that a test chooses. Out: wall clock, uptime, the name of the machine's run. Holds: these
//! three.
//! Limits: time passes when a test says so, and not by itself.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The clocks of a simulated machine. Clones are the same clocks.
#[derive(Clone, Debug)]
pub struct SimClock(Arc<Mutex<Clocks>>);

#[derive(Debug)]
struct Clocks {
    wall_us: i64,
    uptime_us: i64,
    runs: u32,
}

impl SimClock {
    /// Starts the machine at a time in microseconds since 1970.
    pub fn new(wall_us: i64) -> SimClock {
        SimClock(Arc::new(Mutex::new(Clocks { wall_us, uptime_us: 0, runs: 1 })))
    }

    /// Returns the wall clock, in microseconds since 1970.
    pub fn wall_us(&self) -> i64 {
        self.clocks().wall_us
    }

    /// Returns the microseconds since the machine was started.
    pub fn uptime_us(&self) -> i64 {
        self.clocks().uptime_us
    }

    /// Returns the name of this run of the machine.
    pub fn boot_id(&self) -> String {
        format!("run {}", self.clocks().runs)
    }

    /// Lets time pass on both clocks.
    pub fn pass(&self, time: Duration) {
        let mut clocks = self.clocks();
        clocks.wall_us += micros(time);
        clocks.uptime_us += micros(time);
    }

    /// Sets the wall clock forward, or back by a negative number of microseconds.
    pub fn step(&self, by_us: i64) {
        self.clocks().wall_us += by_us;
    }

    /// Restarts the machine, which is off for a time. The wall clock runs on meanwhile.
    pub fn restart(&self, off: Duration) {
        let mut clocks = self.clocks();
        clocks.wall_us += micros(off);
        clocks.uptime_us = 0;
        clocks.runs += 1;
    }

    fn clocks(&self) -> MutexGuard<'_, Clocks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
