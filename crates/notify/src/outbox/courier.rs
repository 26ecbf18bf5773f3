//! The thread of a channel: sends what is due, one notification after the other.
//!
//! In: the outbox. Out: requests and mails. Holds: one notification at a time. A channel that does not answer holds up no other.

use super::{Attempt, disable, disabled, next_due, record, waiting};
use crate::{
    channel::{Delivery, Sender},
    options::WallClock,
};
use alerts::{Store, StoreError};
use message::Severity;
use std::{
    io,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use transport::InternalLog;

/// Longest time between two looks at the outbox.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Longest time without a success after which a channel is reported.
const TROUBLED_US: i64 = 60_000_000;

/// The state of a channel, for others.
#[derive(Clone, Debug, Default)]
pub(crate) struct CourierState {
    pub(crate) waiting: u64,
    pub(crate) oldest_us: Option<i64>,
    pub(crate) sent: u64,
    pub(crate) failed: u64,
    pub(crate) refused: u64,
    /// The last failure, unless something was delivered since.
    pub(crate) failure: Option<String>,
    /// The reason why it is disabled.
    pub(crate) disabled: Option<String>,
}

impl CourierState {
    /// Returns what an operator must know.
    pub(crate) fn troubles(&self, channel: &str, now_us: i64) -> Vec<String> {
        let mut troubles = Vec::new();
        if let Some(reason) = &self.disabled {
            troubles.push(format!(
                "channel {channel}: disabled, because its receiver says that it is gone: {reason}"
            ));
        } else if let Some(failure) = &self.failure
            && self.oldest_us.is_none_or(|oldest_us| now_us - oldest_us > TROUBLED_US)
        {
            troubles.push(format!("channel {channel}: {} notifications wait: {failure}", self.waiting));
        }
        troubles
    }
}

/// The values that the thread and its owner share.
struct Desk {
    stop: Arc<AtomicBool>,
    woken: Mutex<bool>,
    changed: Condvar,
    state: Mutex<CourierState>,
}

/// A channel's thread.
pub(crate) struct Courier {
    desk: Arc<Desk>,
    pub(crate) definition: String,
    handle: Option<JoinHandle<()>>,
}

/// The parts that the thread works with.
struct Work {
    channel: Arc<str>,
    definition: String,
    sender: Sender,
    store: Arc<Store>,
    clock: WallClock,
    log: InternalLog,
    desk: Arc<Desk>,
}

impl Courier {
    /// Starts the thread.
    pub(crate) fn start(
        sender: Sender,
        definition: String,
        store: &Arc<Store>,
        clock: &WallClock,
        log: &InternalLog,
    ) -> io::Result<Courier> {
        let desk = Arc::new(Desk {
            stop: sender.stop_flag(),
            woken: Mutex::new(false),
            changed: Condvar::new(),
            state: Mutex::default(),
        });
        let work = Work {
            channel: sender.channel(),
            definition: definition.clone(),
            sender,
            store: Arc::clone(store),
            clock: Arc::clone(clock),
            log: log.clone(),
            desk: Arc::clone(&desk),
        };
        let named = thread::Builder::new().name("channel".to_owned());
        let handle = named.spawn(move || work.run())?;
        Ok(Courier { desk, definition, handle: Some(handle) })
    }

    /// Has the thread look at the outbox now.
    pub(crate) fn wake(&self) {
        *self.desk.woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.desk.changed.notify_all();
    }

    pub(crate) fn state(&self) -> CourierState {
        self.desk.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the thread to end; what it is sending is sent again at the next start.
    pub(crate) fn ask_to_stop(&self) {
        self.desk.stop.store(true, Ordering::Release);
        self.wake();
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        self.ask_to_stop();
        // A thread that panicked has reported it.
        let _ = self.handle.take().map(JoinHandle::join);
    }
}

impl Work {
    fn run(mut self) {
        let mut hold_until: Option<Instant> = None;
        while !self.is_stopped() {
            let now = Instant::now();
            if hold_until.is_some_and(|until| now < until) {
                self.rest();
                continue;
            }
            match self.one() {
                Ok(Step::Sent) => hold_until = None,
                Ok(Step::Held(wait)) => hold_until = Some(now + wait),
                Ok(Step::Nothing) => self.rest(),
                Err(error) => {
                    self.publish(|state| state.failure = Some(error.to_string()));
                    self.rest();
                }
            }
        }
    }

    /// Sends the next notification that is due.
    fn one(&mut self) -> Result<Step, StoreError> {
        let disabled = disabled(&self.store, &self.channel, &self.definition)?;
        let is_disabled = disabled.is_some();
        let (count, oldest_us) = waiting(&self.store, &self.channel)?;
        self.publish(|state| {
            (state.waiting, state.oldest_us) = (count, oldest_us);
            state.disabled = disabled;
        });
        if is_disabled || count == 0 {
            return Ok(Step::Nothing);
        }
        let began_us = (self.clock)();
        let Some(letter) = next_due(&self.store, &self.channel, began_us)? else { return Ok(Step::Nothing) };
        let delivery = self.sender.send(&letter, began_us);
        if self.is_stopped() && !matches!(delivery, Delivery::Done(_)) {
            // It was cut short, which says nothing about the receiver.
            return Ok(Step::Nothing);
        }
        let attempt = Attempt { began_us, ended_us: (self.clock)().max(began_us), delivery };
        record(&self.store, &self.channel, &letter, &attempt)?;
        self.follow(&letter.id, &attempt)
    }

    /// Draws the conclusions from an attempt.
    fn follow(&self, id: &str, attempt: &Attempt) -> Result<Step, StoreError> {
        match &attempt.delivery {
            Delivery::Done(_) => {
                self.publish(|state| (state.sent, state.failure) = (state.sent + 1, None));
                Ok(Step::Sent)
            }
            Delivery::Later { answer, wait } => {
                self.publish(|state| {
                    (state.failed, state.failure) = (state.failed + 1, Some(answer.clone()))
                });
                Ok(wait.map_or(Step::Sent, Step::Held))
            }
            Delivery::Never(answer) => {
                self.publish(|state| {
                    (state.refused, state.failure) = (state.refused + 1, Some(answer.clone()))
                });
                self.say(id, "Notification refused by its receiver", answer);
                Ok(Step::Sent)
            }
            Delivery::Gone(answer) => {
                disable(&self.store, &self.channel, &self.definition, answer, attempt.ended_us)?;
                self.publish(|state| state.refused += 1);
                self.say(id, "Channel disabled, because its receiver is gone", answer);
                Ok(Step::Nothing)
            }
        }
    }

    fn say(&self, id: &str, what: &str, answer: &str) {
        // A quote must not end the field.
        let answer = answer.replace('\'', "\\'");
        let text = format!("{what}; channel='{}', id='{id}', answer='{answer}'", self.channel);
        self.log.write(Severity::ERROR, &text);
    }

    fn publish(&self, change: impl FnOnce(&mut CourierState)) {
        change(&mut self.desk.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn is_stopped(&self) -> bool {
        self.desk.stop.load(Ordering::Acquire)
    }

    /// Waits until something may be due.
    fn rest(&self) {
        let woken = self.desk.woken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.desk.changed.wait_timeout_while(woken, LOOK_EVERY, |woken| !*woken);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

/// The result of a look at the outbox.
enum Step {
    /// There may be more to send.
    Sent,
    /// The receiver asks for a pause.
    Held(Duration),
    Nothing,
}
