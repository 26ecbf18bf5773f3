//! The figures of a run.

use std::fmt;

/// The figures of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Messages per second, from the first byte sent to the last change of a file.
    pub(crate) rate: f64,
    /// CPU microseconds per message, user and system, of the subject alone.
    pub(crate) cpu_us: f64,
    /// Peak resident memory, MiB.
    pub(crate) memory_mib: f64,
    /// Only in the rows of held connections.
    pub(crate) held: Option<ConnectionMemory>,
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

/// Memory that a connection costs the server, in KiB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionMemory {
    /// Before any connection sent.
    pub(crate) idle_kib: f64,
    /// After a tenth of the connections sent.
    pub(crate) after_kib: f64,
}
