//! Sources on this machine that are neither sockets nor followed files.
//!
//! In: pipes, devices, programs, standard input, the journal, our own messages, a generator. Out: batches.
//! Holds: what each has open. Limits: see each.

mod generator;
mod internal;
mod journal;
mod kmsg;
mod pipe;
mod program;
mod stdin;

pub(crate) use generator::generate;
pub(crate) use internal::read_internal;
pub(crate) use journal::{has_journal, read_journal};
pub(crate) use kmsg::{has_kernel_records, read_kernel_records};
pub(crate) use pipe::{is_device, read_pipe};
pub(crate) use program::read_program;
pub(crate) use stdin::read_stdin;

use crate::{
    batch_reader::BatchReader,
    positions::Positions,
    source::{Settings, SettingsCell},
};
use message::{Origin, Transport};
use std::sync::Arc;
use tokio::sync::watch;
use transport::{InternalLog, own_name};

/// The parts that every local source needs.
pub(crate) struct Local {
    pub(crate) cell: Arc<SettingsCell>,
    pub(crate) log: InternalLog,
    pub(crate) positions: Positions,
    pub(crate) stop: watch::Receiver<bool>,
}

impl Local {
    fn batch_reader(&self) -> BatchReader {
        BatchReader::new(&self.cell)
    }

    /// Waits unless stopped; returns true to continue.
    async fn pause(&mut self, pause: std::time::Duration) -> bool {
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => false,
            () = tokio::time::sleep(pause) => true,
        }
    }
}

/// Returns a function that makes the origin of a local source from its settings.
fn origin_of(file_name: String) -> impl Fn(&Settings) -> Origin {
    move |settings| {
        let mut origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
        origin.file_name.clone_from(&file_name);
        origin
    }
}

#[cfg(test)]
mod tests;
