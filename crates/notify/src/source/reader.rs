//! The thread of the source: looks for transitions, forwards them, keeps its position.
//!
//! In: the database of alerts. Out: batches. Holds: the position behind what is acknowledged. Limits: one batch of at most
//! [`BATCH_MAX`] messages is on its way. It begins with the alerts that come after its first start.

use super::record_message;
use crate::record::Record;
use alerts::{KeptTransition, Store, StoreError, alert_of, transitions_after};
use intake::{BatchReader, Completion, Input, InputTask, Positions};
use message::{Origin, Outcome, Transport};
use std::{
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Builder,
    sync::{mpsc, watch},
    time::timeout,
};
use transport::{InternalLog, LogPause, own_name};

/// Time between two looks for transitions.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Most messages of a batch.
const BATCH_MAX: usize = 256;
/// Pause before messages that a destination gave up, or a database that cannot be read, are tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(5);
/// Time between two reports of a database that cannot be read.
const SAID_EVERY: Duration = Duration::from_secs(60);
/// Time for messages on their way to become safe at the stop.
const SETTLES_WITHIN: Duration = Duration::from_secs(1);

/// `alerts()` with its options.
#[derive(Clone, Debug)]
pub struct AlertsSource {
    /// The database of alerts.
    pub database: PathBuf,
}

impl Input for AlertsSource {
    fn identity(&self) -> String {
        format!("alerts {}", self.database.display())
    }

    fn instance(&self) -> String {
        "alerts".to_owned()
    }

    fn start(&self, task: InputTask) {
        let (failed, database) = (task.log.clone(), self.database.clone());
        let spawned = Builder::new_current_thread().enable_time().build().and_then(|runtime| {
            let run = move || runtime.block_on(read(&database, task));
            thread::Builder::new().name("alerts-source".to_owned()).spawn(run)
        });
        if let Err(error) = spawned {
            failed.error(&format!("Cannot start the thread of a source; error='{error}'"));
        }
    }
}

struct Reader {
    store: Store,
    batches: BatchReader,
    origin: Arc<Origin>,
    positions: Positions,
    log: InternalLog,
    /// The number of the last transition that destinations have; none until the database was read.
    read: Option<u64>,
    outcomes: (mpsc::UnboundedSender<Outcome>, mpsc::UnboundedReceiver<Outcome>),
}

async fn read(database: &std::path::Path, task: InputTask) {
    let InputTask { cell, log, positions, mut stop, .. } = task;
    let mut batches = BatchReader::new(&cell);
    // A destination that waits for a disk must not keep the lock of the database.
    batches.disable_inline_writes();
    let (store, outcomes) = (Store::at(database), mpsc::unbounded_channel());
    let mut reader = Reader { store, batches, origin: Arc::default(), positions, log, read: None, outcomes };
    reader.name();
    let mut pause = LogPause::new(SAID_EVERY);
    loop {
        if reader.batches.refresh() {
            reader.name();
        }
        let wait = match reader.step() {
            Ok(0) => LOOK_EVERY,
            Ok(sent) => match reader.settled(&mut stop).await {
                Some(Outcome::Done) => {
                    reader.keep(sent);
                    continue;
                }
                Some(Outcome::Failed) => AGAIN_AFTER,
                None => break,
            },
            Err(error) => {
                if pause.count(1, Instant::now()).is_some() {
                    let id = &reader.batches.settings().id;
                    reader
                        .log
                        .error(&format!("Cannot read alerts, trying again; id='{id}', error='{error}'"));
                }
                AGAIN_AFTER
            }
        };
        if timeout(wait, stop.wait_for(|stop| *stop)).await.is_ok() {
            break;
        }
    }
}

impl Reader {
    fn name(&mut self) {
        let settings = self.batches.settings();
        let mut origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
        origin.transport_name = "alerts".to_owned();
        self.origin = Arc::new(origin);
    }

    /// Returns the name of its position.
    fn position_name(&self) -> String {
        format!("alerts({})", self.batches.settings().id)
    }

    /// Forwards the next transitions. Returns the number of the last one; 0 when there is none.
    fn step(&mut self) -> Result<u64, StoreError> {
        if !self.store.exists() {
            // Without rules there is no database yet. All that the first ones report will be read.
            if self.positions.position(&self.position_name()).is_none() {
                self.positions.set_durably(&self.position_name(), 0.to_string());
            }
            return Ok(0);
        }
        let after = match self.read {
            Some(read) => read,
            None => {
                let begin = self.begin()?;
                // Alerts that come now are not taken for older ones after a crash.
                self.positions.set_durably(&self.position_name(), begin.to_string());
                self.read = Some(begin);
                begin
            }
        };
        let records = self.store.transaction(|transaction| {
            let found = transitions_after(transaction, after, BATCH_MAX)?;
            let record = |one: KeptTransition| {
                let alert = alert_of(transaction, &one)?;
                Ok((one.number, Record::of(&one, alert.as_ref())))
            };
            found.into_iter().map(record).collect::<Result<Vec<_>, StoreError>>()
        })?;
        let (Some((first, _)), Some((last, _))) = (records.first(), records.last()) else { return Ok(0) };
        let (first, last) = (*first, *last);
        if first > after + 1 {
            let (id, count) = (&self.batches.settings().id, first - after - 1);
            self.log
                .warning(&format!("Alerts were removed before they were read; id='{id}', count='{count}'"));
        }
        let mut batch = self.batches.batch(Arc::default(), &self.origin);
        let offset_s = batch.received.offset_s;
        records.iter().for_each(|(_, record)| record_message::push(record, offset_s, &mut batch));
        let origin = Arc::clone(&self.origin);
        let completion = Box::new(Answer(self.outcomes.0.clone()));
        self.batches.forward_decoded(batch, &origin, Some(completion));
        Ok(last)
    }

    /// Returns the position to begin with: that of the last run; without one, the newest transition.
    fn begin(&self) -> Result<u64, StoreError> {
        let newest = self.store.transaction(|transaction| {
            let sql = "SELECT COALESCE(MAX(number), 0) FROM transition";
            Ok(transaction.query_row(sql, [], |row| row.get::<_, i64>(0))?.unsigned_abs())
        })?;
        let kept = self.positions.position(&self.position_name());
        Ok(match kept.map(|text| text.parse()) {
            Some(Ok(kept)) if kept <= newest => kept,
            Some(Ok(_)) => {
                let id = &self.batches.settings().id;
                self.log.warning(&format!(
                    "The database of alerts is another one, it is read from its beginning; id='{id}'"
                ));
                0
            }
            Some(Err(_)) | None => newest,
        })
    }

    /// Waits until destinations have the batch; none when the source has to end before.
    async fn settled(&mut self, stop: &mut watch::Receiver<bool>) -> Option<Outcome> {
        let outcome = tokio::select! {
            outcome = self.outcomes.1.recv() => outcome,
            _ = stop.wait_for(|stop| *stop) => timeout(SETTLES_WITHIN, self.outcomes.1.recv()).await.ok().flatten(),
        };
        if outcome == Some(Outcome::Failed) {
            let id = &self.batches.settings().id;
            self.log.warning(&format!("A destination gave up messages, they are read again; id='{id}'"));
        }
        outcome
    }

    /// Keeps the position.
    fn keep(&mut self, number: u64) {
        self.positions.set(&self.position_name(), number.to_string());
        self.read = Some(number);
    }
}

/// The part of a batch's token.
struct Answer(mpsc::UnboundedSender<Outcome>);

impl Completion for Answer {
    fn complete(&self, outcome: Outcome) {
        // The source has ended when nobody hears it.
        let _ = self.0.send(outcome);
    }
}
