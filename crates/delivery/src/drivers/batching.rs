//! The driver of every [`Receiver`]: makes rows from messages, sends them in requests, and settles each by its own
//! verdict.
//!
//! In: deliveries. Out: requests over up to `workers()` connections; dead letters; the tokens of messages, each when its
//! own row is settled. Holds: rows that are not settled, connections, a runtime of this thread.
//! Limits: [`ROWS_HELD_MAX`] rows, [`BYTES_HELD_MAX`] bytes of them and [`MESSAGE_BYTES_HELD_MAX`] of their messages; beyond
//! that, requests no longer wait for more rows, and messages stay in the queue. Only messages that the receiver refuses for
//! good are given up, as dead letters.

use super::requests::{DeadRow, HoldEvent, Requests, RowSource, Sending, Settled, first_line};
use crate::{
    driver::{Driver, SettledRows},
    options::{DestinationDriver, Rendering},
    stopping,
};
use letters::{DeadLetters, Letter, StoreError};
use message::{Delivery, RecordId, Stamp};
use receivers::{
    contract::{Connection, Judgement, Receiver, Row, RowError, Verdict, Wait},
    staging::Staging,
};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    io,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Builder, Runtime},
    select,
    sync::Notify,
    task::{self, JoinSet},
    time::{sleep, timeout},
};
use transport::{Clock, InternalLog, LogPause};

/// Rows that are made before the thread looks for answers: as many as a request has, so that none waits for long.
const ROWS_BETWEEN_LOOKS: (usize, usize) = (16, 100);
/// Turns of the tasks at a look: an answer is read and judged, and the next request is written.
const TURNS_OF_A_LOOK: usize = 4;
/// Longest wait before the thread looks whether it must stop.
const STALL: Duration = Duration::from_millis(300);
/// Most rows that wait here; when one table, index or topic is held, the limit still leaves space for the others.
const ROWS_HELD_MAX: usize = 50_000;
/// Most bytes of such rows.
const BYTES_HELD_MAX: usize = 64 << 20;
/// Most bytes of the batches that their messages are in: few messages of each may go here.
const MESSAGE_BYTES_HELD_MAX: usize = 128 << 20;
/// A reload waits for exchanges so long.
const EXCHANGES_END_WITHIN: Duration = Duration::from_secs(10);
/// Least time between two log lines about dead messages.
const DEAD_SAID_EVERY: Duration = Duration::from_secs(60);
/// Least time between two log lines about messages that are sent again.
const POSTPONED_SAID_EVERY: Duration = Duration::from_secs(10);

/// The end of a task.
enum Ended {
    Exchange(Done),
    /// The chores of the receiver.
    Chores,
}

/// A request that came back.
struct Done {
    connection: Box<dyn Connection>,
    number: u64,
    judgements: Vec<Judgement>,
}

/// The driver.
pub(crate) struct Batching {
    id: String,
    receiver: Box<dyn Receiver>,
    requests: Requests,
    letters: Arc<DeadLetters>,
    /// The messages that the receiver has staged; `None` without a queue on disk that numbers them.
    staging: Option<Arc<Staging>>,
    /// The task of the receiver's chores.
    chores: Option<task::Id>,
    log: InternalLog,
    clock: Clock,
    /// Made at the first request.
    runtime: Option<Runtime>,
    idle: Vec<Box<dyn Connection>>,
    busy: JoinSet<Ended>,
    /// The request of each exchange.
    on_their_way: HashMap<task::Id, u64>,
    /// Tells that messages or commands wait for the thread.
    arrivals: Arc<Notify>,
    /// Rows made since the last look for answers.
    rows_made: usize,
    /// Rows whose letters are not stored yet.
    dead: Vec<DeadRow>,
    settled: SettledRows,
    /// The id of the next message that has none of its own.
    next_id: RecordId,
    reopen_after: Duration,
    group: String,
    /// The reason why nothing is sent, when the receiver cannot be reached.
    unreachable: Option<String>,
    pause: LogPause,
    postponed_pause: LogPause,
}

impl Batching {
    pub(crate) fn new(
        id: &str,
        mut receiver: Box<dyn Receiver>,
        (letters, arrivals, staging): (Arc<DeadLetters>, Arc<Notify>, Option<Arc<Staging>>),
        log: InternalLog,
        reopen_after: Duration,
    ) -> Batching {
        receiver.log_to(&log);
        Batching {
            id: id.to_owned(),
            requests: Requests::new(receiver.limits(), receiver.batches().retries, reopen_after),
            receiver,
            letters,
            staging,
            chores: None,
            log,
            clock: Clock::new(),
            runtime: None,
            idle: Vec::new(),
            busy: JoinSet::new(),
            on_their_way: HashMap::new(),
            arrivals,
            rows_made: 0,
            dead: Vec::new(),
            settled: SettledRows::default(),
            next_id: RecordId { incarnation: RandomState::new().hash_one(id), sequence: 0 },
            reopen_after,
            group: String::new(),
            unreachable: None,
            pause: LogPause::new(DEAD_SAID_EVERY),
            postponed_pause: LogPause::new(POSTPONED_SAID_EVERY),
        }
    }

    /// Makes the row of a message, or a dead letter of it.
    fn add_row(&mut self, id: RecordId, mut source: RowSource) {
        self.group.clear();
        let key = self.receiver.partition(&source.batch, source.index, source.sequence);
        source.lane = key.map(|key| key % self.receiver.workers() as u64);
        let made = self.receiver.row(&source.batch, source.index, source.sequence, &mut self.group);
        match made {
            Ok(cells) => self.requests.add(&self.group, Row { id, cells }, source, Instant::now()),
            Err(RowError { reason, text }) => {
                let (group, row) = (Arc::from(self.group.as_str()), Row { id, cells: Vec::new() });
                self.dead.push(DeadRow { group, row, source, reason, answer: text });
            }
        }
    }

    fn has_room(&self) -> bool {
        self.requests.rows() + self.dead.len() < ROWS_HELD_MAX
            && self.requests.bytes() < BYTES_HELD_MAX
            && self.requests.held_bytes() < MESSAGE_BYTES_HELD_MAX
    }

    /// Sends the rows that may be sent, as far as there are connections.
    fn dispatch(&mut self) {
        self.do_chores();
        while self.has_free_connection() {
            let Some(sending) = self.requests.next(Instant::now()) else { return };
            let connection = self.idle.pop().unwrap_or_else(|| self.receiver.connection());
            let number = sending.number;
            let task = async { Ended::Exchange(exchange(connection, sending).await) };
            let task = self.busy.spawn(task).id();
            self.on_their_way.insert(task, number);
        }
    }

    /// Handles the end of an exchange. One that panicked loses its connection; its rows are sent again.
    fn end(&mut self, ended: Result<(task::Id, Ended), task::JoinError>) {
        let task = ended.as_ref().map_or_else(task::JoinError::id, |(task, _)| *task);
        self.chores = self.chores.filter(|chores| *chores != task);
        let number = self.on_their_way.remove(&task);
        match ended {
            Ok((_, Ended::Exchange(done))) => self.judge(done),
            Ok((_, Ended::Chores)) => {}
            Err(_) => number.into_iter().for_each(|number| self.requests.send_again(number)),
        }
    }

    /// Begins the chores of the receiver that are due.
    fn do_chores(&mut self) {
        if self.has_due_chores()
            && let Some(chores) = self.receiver.chore(self.reopen_after)
        {
            let task = async {
                chores.await;
                Ended::Chores
            };
            self.chores = Some(self.busy.spawn(task).id());
        }
    }

    /// Returns whether chores are to begin. At the stop none do: what they would have done is done after the next start.
    fn has_due_chores(&self) -> bool {
        let is_due = || self.receiver.next_chore().is_some_and(|due| due <= Instant::now());
        self.chores.is_none() && !stopping::has_begun() && is_due()
    }

    fn judge(&mut self, done: Done) {
        let Done { connection, number, judgements } = done;
        let unreachable =
            judgements.iter().find(|judgement| judgement.verdict == Verdict::Later(Wait::Reopen));
        self.unreachable = unreachable.map(|judgement| judgement.answer.clone());
        self.idle.push(connection);
        let Settled { delivered, bytes, dropped, dead, events } =
            self.requests.judge(number, &judgements, Instant::now());
        self.settled.delivered += delivered;
        self.settled.bytes += bytes;
        self.settled.dropped += dropped;
        self.dead.extend(dead);
        events.iter().for_each(|event| self.tell(event));
    }

    fn tell(&mut self, event: &HoldEvent) {
        let id = &self.id;
        match event {
            HoldEvent::Held { group, reason, answer } => self.log.error(&format!(
                "Receiver takes no messages, they wait; id='{id}', of='{group}', reason='{}', answer='{answer}', \
                 next_try='{}'",
                reason.name(),
                self.reopen_after.as_secs_f32()
            )),
            HoldEvent::Resumed { group } => {
                self.log.notice(&format!("Receiver takes messages again; id='{id}', of='{group}'"));
            }
            HoldEvent::Postponed { group, answer, rows, pause } => {
                if self.postponed_pause.count(1, Instant::now()).is_none() {
                    return;
                }
                self.log.notice(&format!(
                    "Receiver postpones messages, sending them again; id='{id}', of='{group}', answer='{answer}', \
                     messages='{rows}', next_try='{}'",
                    pause.as_secs_f32()
                ));
            }
        }
    }

    /// Stores the letters of dead rows; only then are their messages settled.
    fn bury(&mut self) -> Result<(), StoreError> {
        if self.dead.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let letters: Vec<Letter> = self.dead.iter().map(|dead| letter(dead, now)).collect();
        self.letters.store(&letters, now)?;
        if self.staging.is_some() {
            let ids: Vec<RecordId> = self.dead.iter().map(|dead| dead.row.id).collect();
            self.receiver.settled(&ids);
        }
        let encrypts = self.letters.encrypts();
        for dead in self.dead.drain(..) {
            self.settled.dead.push(dead.reason);
            if let Some(count) = self.pause.count(1, Instant::now()) {
                let (id, reason) = (&self.id, dead.reason.name());
                // Both may quote a message, which must be readable with a private key only.
                let words = match encrypts {
                    true => String::new(),
                    false => format!(", of='{}', answer='{}'", dead.group, first_line(&dead.answer)),
                };
                self.log.error(&format!(
                    "Receiver will never take messages, they are dead letters; id='{id}', messages='{count}', \
                     reason='{reason}'{words}"
                ));
            }
        }
        Ok(())
    }

    /// Runs until nothing is in flight and nothing may be sent now; or until messages come while no request is ready to be the next
    /// one, because then there is time to make rows of them.
    async fn run(&mut self) -> io::Result<()> {
        let arrivals = self.arrivals.clone();
        loop {
            self.bury().map_err(io::Error::from)?;
            self.close_due();
            self.dispatch();
            if self.busy.is_empty() {
                return self.waiting().await;
            }
            let has_time = !self.requests.has_next() && self.has_room();
            let patience = self.patience();
            select! {
                biased;
                done = self.busy.join_next_with_id() => done.into_iter().for_each(|done| self.end(done)),
                () = arrivals.notified(), if has_time => return Ok(()),
                () = sleep(patience) => {
                    if patience == STALL {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                }
            }
        }
    }

    /// Sends what may be sent and judges what came back, without waiting for anything.
    fn look(&mut self) {
        self.rows_made = 0;
        if self.busy.is_empty() && !self.requests.has_next() && !self.has_due_chores() {
            return;
        }
        // Without a runtime nothing was sent yet; the next flush reports why there is none.
        let Ok(runtime) = self.take_runtime() else { return };
        runtime.block_on(async {
            self.dispatch();
            for _ in 0..TURNS_OF_A_LOOK {
                task::yield_now().await;
                while let Some(done) = self.busy.try_join_next_with_id() {
                    self.end(done);
                }
                self.dispatch();
            }
        });
        self.runtime = Some(runtime);
    }

    /// Releases requests that have waited long enough for more rows. Without `batch-timeout()` they wait until a connection has
    /// nothing else to do.
    fn close_due(&mut self) {
        if stopping::has_begun() {
            return self.requests.close();
        }
        let is_idle = self.has_free_connection() && !self.requests.has_next();
        let at_most = if is_idle { Duration::ZERO } else { STALL };
        let wait = self.requests.limits().wait.unwrap_or(at_most);
        self.requests.close_after(wait, Instant::now());
    }

    fn has_free_connection(&self) -> bool {
        self.busy.len() - usize::from(self.chores.is_some()) < self.receiver.workers()
    }

    /// Returns how long to wait for what is on its way: no longer than until another connection has something to do.
    fn patience(&self) -> Duration {
        let due = self.requests.gathered_at().filter(|_| self.has_free_connection());
        due.map_or(STALL, |due| due.saturating_duration_since(Instant::now()).min(STALL))
    }

    /// Called when nothing is in flight. Fails when waiting rows leave no space for more, or everything has to wait.
    async fn waiting(&mut self) -> io::Result<()> {
        if self.requests.rows() == 0 {
            return Ok(());
        }
        if let Some(answer) = self.unreachable.take() {
            return Err(io::Error::other(answer));
        }
        if stopping::has_begun() {
            let trouble = self.requests.trouble();
            return Err(io::Error::other(trouble.unwrap_or_else(|| "the receiver is busy".to_owned())));
        }
        if self.has_room() {
            return Ok(());
        }
        // Requests that wait for more rows must not keep others from coming.
        if self.requests.close_largest() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let now = Instant::now();
        let due = self.requests.next_due(now).unwrap_or(now);
        sleep(due.saturating_duration_since(now).min(STALL)).await;
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// Waits for exchanges in flight: if one is cut off, it is unknown whether the receiver has its rows.
    fn end_exchanges(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        let deadline = Instant::now() + EXCHANGES_END_WITHIN;
        runtime.block_on(async {
            while !self.busy.is_empty() && Instant::now() < deadline {
                if let Ok(Some(done)) = timeout(STALL, self.busy.join_next_with_id()).await {
                    self.end(done);
                }
            }
            self.busy.shutdown().await;
        });
        self.chores = None;
        self.requests.put_all_back();
        self.runtime = Some(runtime);
    }

    /// Gives the stages of the receiver before to a new one.
    fn take_over_stages(&mut self) {
        let Some(staging) = &self.staging else { return };
        // The stages that this returns are known to the queue since its own start.
        if let Err(error) = self.receiver.stage_at(staging.clone()) {
            self.log.error(&format!(
                "Cannot open the record of what is staged; id='{}', error='{error}'",
                self.id
            ));
        }
    }

    /// Sends signs of life over the connections that rest.
    fn send_heartbeats(&mut self, now: Instant) {
        let is_due = |connection: &dyn Connection| connection.next_heartbeat().is_some_and(|due| due <= now);
        if let Some(runtime) = &self.runtime {
            for connection in self.idle.iter_mut().filter(|connection| is_due(&***connection)) {
                runtime.block_on(connection.heartbeat());
            }
        }
    }

    fn take_runtime(&mut self) -> io::Result<Runtime> {
        match self.runtime.take() {
            Some(runtime) => Ok(runtime),
            None => Builder::new_current_thread().enable_all().build(),
        }
    }

    fn work(&mut self) -> io::Result<()> {
        let runtime = self.take_runtime()?;
        let result = runtime.block_on(self.run());
        self.runtime = Some(runtime);
        result
    }
}

/// Sends a request over a connection. Its rows are free again when it is done.
async fn exchange(mut connection: Box<dyn Connection>, sending: Sending) -> Done {
    let Sending { number, group, rows } = sending;
    let judgements = connection.send(&group, &rows).await;
    drop(rows);
    Done { connection, number, judgements }
}

fn letter(dead: &DeadRow, now: Stamp) -> Letter {
    Letter::of(
        &dead.source.batch,
        dead.source.index,
        (dead.row.id, dead.source.attempts, now),
        (&dead.group, dead.reason, &dead.answer),
    )
}

impl Driver for Batching {
    fn begin(&mut self, now: Stamp) {
        self.receiver.begin(now);
    }

    fn add(&mut self, delivery: &Delivery, sequence: &mut u64) {
        let count = delivery.selection.count() as u64;
        let first = delivery.first.unwrap_or_else(|| {
            let first = self.next_id;
            self.next_id = first.after(count);
            first
        });
        let held_bytes = delivery.batch.held_bytes() / delivery.selection.count().max(1);
        let (least, most) = ROWS_BETWEEN_LOOKS;
        let between_looks = self.requests.limits().rows.clamp(least, most);
        for (place, index) in delivery.selection.iter().enumerate() {
            *sequence += 1;
            let (batch, ack) = (delivery.batch.clone(), delivery.ack.clone());
            let source =
                RowSource { batch, index, sequence: *sequence, lane: None, ack, attempts: 0, held_bytes };
            self.add_row(first.after(place as u64), source);
            self.rows_made += 1;
            if self.rows_made >= between_looks {
                self.look();
            }
        }
    }

    fn size(&self) -> usize {
        self.requests.bytes()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.work()
    }

    fn settles_rows(&self) -> bool {
        true
    }

    fn only_gathers(&self) -> bool {
        self.busy.is_empty() && self.requests.only_gathers()
    }

    fn send_gathered(&mut self) {
        self.requests.close();
    }

    fn take_settled(&mut self) -> SettledRows {
        let (messages, bytes) = self.staging.as_ref().map_or((0, 0), |staging| staging.take_delivered());
        self.settled.delivered += messages;
        self.settled.bytes += bytes;
        std::mem::take(&mut self.settled)
    }

    fn trouble(&self) -> Option<String> {
        self.requests.trouble().or_else(|| self.receiver.trouble())
    }

    fn next_tick(&self) -> Option<Instant> {
        let now = Instant::now();
        if !self.busy.is_empty() {
            return Some(now);
        }
        let rows = self.requests.next_due(now);
        let heartbeats = self.idle.iter().filter_map(|connection| connection.next_heartbeat());
        let rows = rows.into_iter().chain(self.receiver.next_chore());
        rows.chain(self.letters.next_expiry()).chain(heartbeats).min()
    }

    fn tick(&mut self, now: Instant) {
        self.send_heartbeats(now);
        if self.letters.next_expiry().is_some_and(|due| due <= now)
            && let Err(error) = self.letters.expire(self.clock.now())
        {
            self.log.error(&format!("Cannot remove old dead letters; id='{}', error='{error}'", self.id));
        }
    }

    fn unsettled(&self) -> usize {
        self.requests.rows() + self.dead.len() + usize::from(self.chores.is_some() || self.has_due_chores())
    }

    fn abandon(&mut self) -> usize {
        self.busy = JoinSet::new();
        self.chores = None;
        self.requests.put_all_back();
        let dead = self.dead.drain(..).map(|dead| dead.source);
        let left: Vec<RowSource> =
            dead.chain(self.requests.take_all().into_iter().map(|(_, source)| source)).collect();
        left.iter().for_each(|source| source.ack.fail());
        left.len()
    }

    fn configure(&mut self, driver: DestinationDriver, _rendering: Rendering) {
        let DestinationDriver::Receiver(receiver) = driver else { return };
        self.end_exchanges();
        self.idle.clear();
        self.receiver.end_stages();
        self.receiver = receiver;
        self.receiver.log_to(&self.log);
        self.requests.configure(self.receiver.limits(), self.receiver.batches().retries, self.reopen_after);
        self.take_over_stages();
        // Waiting messages are turned into rows again by the new configuration.
        self.receiver.begin(self.clock.now());
        for (id, source) in self.requests.take_all() {
            self.add_row(id, source);
        }
    }

    fn set_reopen_after(&mut self, pause: Duration) {
        self.reopen_after = pause;
    }

    fn reopen(&mut self) {
        self.idle.iter_mut().for_each(|connection| connection.close());
    }
}

impl Drop for Batching {
    fn drop(&mut self) {
        self.busy = JoinSet::new();
        self.idle.clear();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests;
