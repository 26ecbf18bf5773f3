//! `http()`: batches of messages as bodies of requests.
//!
//! In: batches. Out: requests, up to `workers()` at a time, and what their answers mean for the messages.
//! Holds: requests that are not answered with success, a runtime of this thread, open connections.
//! Limits: a request is given up after `timeout()`; one that fails is sent again after `time-reopen()`: for ever when
//! the server cannot be reached or is busy, `retries()` times after other errors, never after a 4XX. Where a success has
//! a result for each message, each is judged like that, and only what was postponed is sent again. A message of which
//! the template makes nothing is dropped and counted.

mod bulk;
mod client;
mod pending;
mod proxy;
mod refusals;
mod verdict;

use crate::{
    driver::Driver,
    options::{DestinationDriver, HttpTarget, Rendering, ResponseAction},
};
use bulk::ItemResult;
use client::{Exchange, Lane, Reply};
use message::{Delivery, Stamp};
use pending::{Pending, Request};
use refusals::Refusals;
use std::{
    collections::BTreeMap,
    io,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
    time::{sleep, timeout},
};
use transport::{InternalLog, LogPause};

/// Longest wait before the thread looks whether it must stop.
const STALL: Duration = Duration::from_millis(300);
/// The status of a document whose id is there already.
const ALREADY_THERE: u16 = 409;
/// At most one line about a server that asks us to wait in this time.
const WAITS_SAID_EVERY: Duration = Duration::from_secs(10);

/// The driver of `http()`.
pub(super) struct Http {
    target: HttpTarget,
    pending: Pending,
    log: InternalLog,
    /// Made at the first request.
    runtime: Option<Runtime>,
    idle: Vec<Lane>,
    busy: JoinSet<Exchange>,
    /// Which target is tried first by the next request.
    turn: usize,
    /// Until then a target that failed is passed over.
    failed_until: Vec<Option<Instant>>,
    /// Messages of which the template made nothing.
    empty: usize,
    /// Messages that a server refused.
    refused: usize,
    refusals: Refusals,
    pause: LogPause,
    /// Until then no server wants to be asked.
    asked_until: Option<Instant>,
}

impl Http {
    pub(super) fn new(target: HttpTarget, rendering: Rendering, log: InternalLog) -> Http {
        Http {
            pending: Pending::new(rendering),
            failed_until: vec![None; target.urls.len()],
            target,
            refusals: Refusals::new(log.clone()),
            log,
            runtime: None,
            idle: Vec::new(),
            busy: JoinSet::new(),
            turn: 0,
            empty: 0,
            refused: 0,
            pause: LogPause::new(WAITS_SAID_EVERY),
            asked_until: None,
        }
    }

    /// Sends what waits, as far as there are lanes.
    fn dispatch(&mut self) {
        while let Some(request) = self.pending.next_waiting(Instant::now()) {
            if self.busy.len() >= self.target.workers.max(1) {
                self.pending.put_back(&request);
                return;
            }
            let place = self.choose();
            let lane = match self.idle.iter().position(|lane| lane.is_of(&request.urls[place])) {
                Some(index) => self.idle.swap_remove(index),
                None => self.idle.pop().unwrap_or_default(),
            };
            self.busy.spawn(lane.exchange(request, place, self.target.settings.clone()));
        }
    }

    /// The next target in turn that did not fail lately, else the next.
    fn choose(&mut self) -> usize {
        let count = self.target.urls.len().max(1);
        let now = Instant::now();
        let first = self.turn;
        self.turn = (self.turn + 1) % count;
        let is_well = |place: &usize| {
            self.failed_until.get(*place).is_none_or(|until| until.is_none_or(|until| until <= now))
        };
        let earliest = (0..self.failed_until.len()).min_by_key(|place| self.failed_until[*place]);
        (0..count).map(|step| (first + step) % count).find(is_well).or(earliest).unwrap_or(first)
    }

    /// Takes an answer in. An error: the request waits for another try.
    fn judge(&mut self, exchange: Exchange) -> io::Result<()> {
        let Exchange { lane, request, place, mut reply, may_be_stored } = exchange;
        self.idle.push(lane);
        if may_be_stored {
            self.pending.mark_unsure(&request);
        }
        let mut verdict = verdict::of(&reply, &self.target.actions);
        let mut results = None;
        if let Reply::Status { results: body, .. } = &reply
            && verdict == ResponseAction::Success
            && !request.items.is_empty()
        {
            match bulk::results(body, request.messages) {
                Ok(read) => results = Some(read),
                Err(error) => (verdict, reply) = (ResponseAction::Retry, Reply::Failed(error.to_string())),
            }
        }
        if let Some(until) = self.failed_until.get_mut(place) {
            let is_down = matches!(verdict, ResponseAction::Disconnect | ResponseAction::Retry);
            let pause = reply.asked_wait().unwrap_or(self.target.recovery);
            *until = is_down.then(|| Instant::now() + pause);
        }
        match (verdict, results) {
            (ResponseAction::Success, Some(results)) => self.settle_items(&request, place, &results),
            (ResponseAction::Success, None) => self.pending.done(&request),
            (ResponseAction::Drop, _) => self.abort(&request, place, &reply),
            (ResponseAction::Retry, _) if self.pending.count_try(&request) > self.target.retries => {
                self.abort(&request, place, &reply);
            }
            (ResponseAction::Retry | ResponseAction::Disconnect, _) => {
                self.pending.put_back(&request);
                // Another target may take it at once.
                let now = Instant::now();
                let is_well = |until: &Option<Instant>| until.is_none_or(|until| until <= now);
                if !self.failed_until.iter().any(is_well) {
                    if let Some(wait) = reply.asked_wait() {
                        self.wait(wait, &reply);
                        return Ok(());
                    }
                    return Err(io::Error::other(format!("{}: {reply}", request.urls[place])));
                }
            }
        }
        Ok(())
    }

    /// Settles the messages of a request one by one. Those that the server postponed stay, in their order.
    fn settle_items(&mut self, request: &Arc<Request>, place: usize, results: &[ItemResult]) {
        let may_be_stored = self.pending.may_be_stored(request);
        let (mut refused, mut postponed, mut is_busy) = (BTreeMap::<_, usize>::new(), Vec::new(), true);
        for (index, result) in results.iter().enumerate() {
            match verdict::of_status(result.status, &self.target.actions) {
                ResponseAction::Success => {}
                // An earlier try created it, and its answer was lost.
                ResponseAction::Drop if result.status == ALREADY_THERE && may_be_stored => {}
                ResponseAction::Drop => *refused.entry(result).or_default() += 1,
                verdict => {
                    is_busy &= verdict == ResponseAction::Disconnect;
                    postponed.push(index);
                }
            }
        }
        for (result, count) in refused {
            self.refuse(request, place, &result.to_string(), count);
        }
        if postponed.is_empty() {
            return self.pending.done(request);
        }
        let now = Instant::now();
        if postponed.len() < results.len() {
            // Some were taken: what is left begins to count its tries.
            if let Some(rest) = self.pending.keep(request, &postponed, &self.target) {
                self.pending.postpone(&rest, now);
            }
            return;
        }
        // A server that takes nothing of a request is busy as one that answers 429 to all of it; what is left of others
        // is not to hold up everything for ever.
        let is_endless = is_busy && !self.pending.is_rest(request);
        let first = postponed.first().and_then(|index| results.get(*index));
        if !is_endless && self.pending.count_try(request) > self.target.retries {
            self.pending.done(request);
            let reason = first.map(ItemResult::to_string).unwrap_or_default();
            return self.refuse(request, place, &reason, postponed.len());
        }
        self.pending.postpone(request, now);
        if self.pause.count(1, now).is_some() {
            let reason = first.map(ItemResult::to_string).unwrap_or_default();
            let messages = postponed.len();
            self.log.notice(&format!(
                "Server postpones messages, sending them again; url='{}', answer='{reason}', messages='{messages}'",
                request.urls.get(place).map_or("", String::as_str)
            ));
        }
    }

    /// The server said when it wants to be asked again; so long the messages wait, which is no error.
    fn wait(&mut self, wait: Duration, reply: &Reply) {
        let until = Instant::now() + wait;
        self.asked_until = Some(self.asked_until.map_or(until, |known| known.min(until)));
        if self.pause.count(1, Instant::now()).is_some() {
            let seconds = wait.as_secs_f32();
            self.log.notice(&format!("Server asks us to wait; answer='{reply}', seconds='{seconds}'"));
        }
    }

    /// Sleeps while a server wants to be left alone. False: it still does.
    async fn rest(&mut self) -> bool {
        let Some(until) = self.asked_until else { return true };
        let is_over = rest_until(until).await;
        if is_over {
            self.asked_until = None;
        }
        is_over
    }

    fn abort(&mut self, request: &Arc<Request>, place: usize, reply: &Reply) {
        self.pending.done(request);
        self.refuse(request, place, &reply.to_string(), request.messages);
    }

    /// Counts messages as refused by the server, and says so.
    fn refuse(&mut self, request: &Request, place: usize, answer: &str, messages: usize) {
        self.refused += messages;
        let url = request.urls.get(place).map_or("", String::as_str);
        self.refusals.dropped(url, answer, messages);
    }

    fn run(&mut self) -> io::Result<()> {
        let runtime = match self.runtime.take() {
            Some(runtime) => runtime,
            None => Builder::new_current_thread().enable_all().build()?,
        };
        let result = runtime.block_on(self.settle());
        self.runtime = Some(runtime);
        result
    }

    /// Until everything is answered, or a request has to wait.
    async fn settle(&mut self) -> io::Result<()> {
        let mut failed = Ok(());
        loop {
            if failed.is_ok() && self.asked_until.is_none() {
                self.dispatch();
            }
            match timeout(STALL, self.busy.join_next()).await {
                Ok(Some(Ok(exchange))) => failed = failed.and(self.judge(exchange)),
                // A task that panicked takes its request along: it is sent again.
                Ok(Some(Err(_))) => self.pending.put_all_back(),
                Ok(None) if failed.is_ok() && self.asked_until.is_some() => {
                    if !self.rest().await {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                }
                Ok(None) if failed.is_ok() => match self.pending.next_postponed() {
                    Some(until) if !rest_until(until).await => return Err(io::ErrorKind::WouldBlock.into()),
                    Some(_) => {}
                    None => return Ok(()),
                },
                Ok(None) => return failed,
                Err(_) => return Err(io::ErrorKind::WouldBlock.into()),
            }
        }
    }
}

/// Sleeps until a time, but not for long. False: it has not come yet.
async fn rest_until(until: Instant) -> bool {
    sleep(until.saturating_duration_since(Instant::now()).min(STALL)).await;
    Instant::now() >= until
}

impl Driver for Http {
    fn begin(&mut self, now: Stamp) {
        self.target.urls.iter_mut().for_each(|url| url.begin(now));
        self.pending.begin(now);
    }

    fn add(&mut self, delivery: &Delivery, sequence: &mut u64) {
        let (batch, selection) = (&*delivery.batch, &delivery.selection);
        for index in selection.iter() {
            *sequence += 1;
            if !self.pending.add(&mut self.target, (batch, index), *sequence) {
                self.empty += 1;
            }
        }
    }

    fn size(&self) -> usize {
        self.pending.size()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pending.close_all(&self.target);
        self.run()
    }

    fn take_unwritable(&mut self) -> usize {
        std::mem::take(&mut self.empty)
    }

    fn take_refused(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    fn next_tick(&self) -> Option<Instant> {
        self.refusals.due()
    }

    fn tick(&mut self, now: Instant) {
        self.refusals.tell(now);
    }

    fn abandon(&mut self) -> usize {
        self.busy = JoinSet::new();
        self.pending.clear()
    }

    fn configure(&mut self, driver: DestinationDriver, rendering: Rendering) {
        let DestinationDriver::Http(target) = driver else { return };
        self.pending.close_all(&self.target);
        self.pending.set_rendering(rendering);
        self.failed_until = vec![None; target.urls.len()];
        self.turn = 0;
        self.asked_until = None;
        self.target = *target;
        self.idle.clear();
    }

    fn reopen(&mut self) {
        self.idle.clear();
    }

    fn holds_until(&self) -> Option<Instant> {
        let since = self.pending.oldest_open()?;
        self.target.batch_timeout.map(|most| since + most).filter(|until| *until > Instant::now())
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.busy = JoinSet::new();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests;
