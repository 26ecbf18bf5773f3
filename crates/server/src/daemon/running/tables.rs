//! Reads the tables of `add-contextual-data()` again when their files change.
//!
//! In: the tables of the configuration in use. Out: newer tables, which the log paths then use. Holds: one
//! thread, which ends when its owner is dropped. Limits: a change is noticed within [`LOOK_EVERY`]; a table that
//! cannot be read is reported once and the old one stays in use.

use crate::assemble::TableFile;
use message::Severity;
use std::{
    io,
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::Duration,
};
use transport::InternalLog;

/// Pause between two checks of the files.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The thread that checks the files.
pub(super) struct Tables(SyncSender<Vec<TableFile>>);

impl Tables {
    pub(super) fn start(log: InternalLog) -> io::Result<Tables> {
        let (sender, inbox) = mpsc::sync_channel(1);
        thread::Builder::new().name("tables".to_owned()).spawn(move || watch(&inbox, &log))?;
        Ok(Tables(sender))
    }

    /// Checks other files from now on.
    pub(super) fn follow(&self, files: Vec<TableFile>) {
        // The thread ends only after its owner.
        let _ = self.0.send(files);
    }
}

fn watch(inbox: &Receiver<Vec<TableFile>>, log: &InternalLog) {
    let mut files = Vec::new();
    loop {
        // Without files the thread has nothing to do until a configuration names some.
        let news = match files.is_empty() {
            true => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => inbox.recv_timeout(LOOK_EVERY),
        };
        match news {
            Ok(news) => files = news,
            Err(RecvTimeoutError::Timeout) => files.iter_mut().for_each(|file| refresh(file, log)),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn refresh(file: &mut TableFile, log: &InternalLog) {
    let Some(result) = file.refresh() else { return };
    let path = file.path().display().to_string();
    match result {
        Ok(()) => log.write(Severity::NOTICE, &format!("Contextual data read again; file='{path}'")),
        Err(error) => {
            let text =
                format!("Contextual data cannot be read, keeping the old; file='{path}', error='{error}'");
            log.write(Severity::ERROR, &text);
        }
    }
}
