//! Requests to a receiver: gathered from rows, sent, judged row by row, and retried.
//!
//! In: rows with the messages they were made from; judgements; the time. Out: requests that may be sent now, rows that
//! are dead. Holds: every row that is not settled, each with the token of its message, so that a message is
//! acknowledged when its own row is settled, independently of other rows. Opens and sends nothing itself.
//! Limits: [`RequestLimits`] for a request; the caller adds rows only while there is room.
//!
//! A request that is refused as a whole is divided until the refused row is alone: among n rows, one bad row costs
//! about log2 n requests, or two where the receiver names it, and affects no other row. While rows are refused, requests are
//! smaller.

mod gather;
mod holds;
mod row_source;
mod spacing;
mod split;

pub(crate) use holds::HoldEvent;
pub(crate) use row_source::RowSource;

use gather::Gathering;
use holds::Holds;
use message::RecordId;
use receivers::contract::{HoldReason, Judgement, RequestLimits, Row, Verdict, Wait};
use spacing::Spacing;
use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};
use transport::DeadReason;

/// First pause of a request whose receiver was busy, and its growth while none of it is accepted.
const BACK_OFF_FIRST: Duration = Duration::from_millis(250);
const BACK_OFF_GROWS: u32 = 2;
const BACK_OFF_MOST: Duration = Duration::from_secs(30);
/// A request postponed this often is reported in the state of the destination; by then it waits for about ten seconds.
const TRIES_OF_TROUBLE: u32 = 6;
/// Number of consecutive dead rows, with none delivered, that stops the destination: a wrong template must not
/// empty a queue.
pub(crate) const DEAD_IN_A_ROW_MAX: usize = 100;

/// A row that is settled without being delivered.
#[derive(Debug)]
pub(crate) struct DeadRow {
    pub(crate) group: Arc<str>,
    pub(crate) row: Row,
    pub(crate) source: RowSource,
    pub(crate) reason: DeadReason,
    /// The words of the receiver.
    pub(crate) answer: String,
}

/// Rows to send now.
#[derive(Clone, Debug)]
pub(crate) struct Sending {
    pub(crate) number: u64,
    pub(crate) group: Arc<str>,
    pub(crate) rows: Arc<Vec<Row>>,
}

/// The outcome of a judgement.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// Rows that were delivered.
    pub(crate) delivered: usize,
    /// Bytes of their values.
    pub(crate) bytes: usize,
    /// Rows dropped according to the configuration.
    pub(crate) dropped: usize,
    /// Dead rows: they leave when their letters are stored.
    pub(crate) dead: Vec<DeadRow>,
    /// Changes for our log.
    pub(crate) events: Vec<HoldEvent>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Postponed(Instant),
    Sent,
}

#[derive(Debug)]
struct Request {
    number: u64,
    group: Arc<str>,
    /// The lane of all its rows.
    lane: Option<u64>,
    rows: Arc<Vec<Row>>,
    sources: Vec<RowSource>,
    state: State,
    /// Attempts since one of its rows was last settled, and those of them that `retries()` limits.
    tries: u32,
    failures: u32,
    /// The words of the receiver when it was postponed.
    answer: String,
    /// True when some of its original rows are settled: it waits because of its own rows, not because the receiver
    /// is busy.
    is_rest: bool,
    /// It was sent, and is not known to be refused as a whole: a repeat must have the same rows.
    was_sent: bool,
    /// The second half of a refused request of which this is the first.
    other_half: Option<u64>,
    /// That half has a refused row if this one has none.
    tells: bool,
    /// It is the second half of one: what becomes of the first tells of it.
    is_half: bool,
    /// It has a row that is refused: the first half of their request was accepted.
    has_refused: bool,
    /// Its only row was named by the receiver as the cause of a refusal.
    is_named: bool,
    /// Rows at its front that were counted as accepted: the receiver named a row behind them.
    readable: usize,
}

/// The groups and lanes whose later requests must wait.
#[derive(Default)]
struct Blocked<'a> {
    groups: HashSet<&'a Arc<str>>,
    lanes: HashSet<(&'a Arc<str>, u64)>,
}

impl<'a> Blocked<'a> {
    fn has(&self, request: &'a Request) -> bool {
        let is_lane = request.lane.is_some_and(|lane| self.lanes.contains(&(&request.group, lane)));
        is_lane || self.groups.contains(&request.group)
    }

    /// Notes a request that is not settled.
    fn add(&mut self, request: &'a Request) {
        // Rows of a lane keep their order, whatever the earlier ones wait for.
        self.lanes.extend(request.lane.map(|lane| (&request.group, lane)));
        if request.is_not_overtaken() {
            self.groups.insert(&request.group);
        }
    }
}

/// All requests of a destination.
pub(crate) struct Requests {
    limits: RequestLimits,
    retries: Option<u32>,
    reopen_after: Duration,
    gathering: Gathering,
    /// In the order in which they were started.
    ready: VecDeque<Request>,
    next_number: u64,
    holds: Holds,
    dead_in_a_row: usize,
    spacing: Spacing,
    /// Set when the receiver cannot be reached: nothing is sent before this time.
    unreachable_until: Option<Instant>,
    /// Rows of `ready`, their bytes, and those of their messages: they are needed for every message.
    rows: usize,
    bytes: usize,
    held_bytes: usize,
}

impl Request {
    fn bytes(&self) -> usize {
        self.rows.iter().map(Row::size).sum()
    }

    fn held_bytes(&self) -> usize {
        self.sources.iter().map(|source| source.held_bytes).sum()
    }

    /// Returns true when later requests of its group must wait for it, because the receiver accepted none of it.
    fn is_not_overtaken(&self) -> bool {
        !self.is_rest && matches!(self.state, State::Postponed(_))
    }
}

impl Requests {
    pub(crate) fn new(limits: RequestLimits, retries: Option<u32>, reopen_after: Duration) -> Requests {
        Requests {
            limits,
            retries,
            reopen_after,
            gathering: Gathering::default(),
            ready: VecDeque::new(),
            next_number: 0,
            holds: Holds::default(),
            dead_in_a_row: 0,
            spacing: Spacing::default(),
            unreachable_until: None,
            rows: 0,
            bytes: 0,
            held_bytes: 0,
        }
    }

    /// Returns the most that a request may hold.
    pub(crate) fn limits(&self) -> &RequestLimits {
        &self.limits
    }

    /// Adds a row to the request of its group.
    pub(crate) fn add(&mut self, group: &str, row: Row, source: RowSource, now: Instant) {
        for full in self.gathering.add(group, row, source, &self.limits, now) {
            self.push(full.group, full.rows, full.sources);
        }
    }

    fn push(&mut self, group: Arc<str>, rows: Vec<Row>, sources: Vec<RowSource>) {
        let request = self.request(group, rows, sources);
        self.insert(self.ready.len(), request);
    }

    fn insert(&mut self, at: usize, request: Request) {
        self.rows += request.rows.len();
        self.bytes += request.bytes();
        self.held_bytes += request.held_bytes();
        self.ready.insert(at, request);
    }

    fn request(&mut self, group: Arc<str>, rows: Vec<Row>, sources: Vec<RowSource>) -> Request {
        debug_assert!(!rows.is_empty() && rows.len() == sources.len());
        self.next_number += 1;
        let (number, state) = (self.next_number, State::Waiting);
        let (lane, rows) = (sources.first().and_then(|source| source.lane), Arc::new(rows));
        Request {
            number,
            group,
            lane,
            rows,
            sources,
            state,
            tries: 0,
            failures: 0,
            answer: String::new(),
            is_rest: false,
            was_sent: false,
            other_half: None,
            tells: false,
            is_half: false,
            has_refused: false,
            is_named: false,
            readable: 0,
        }
    }

    /// Releases all requests that wait for more rows.
    pub(crate) fn close(&mut self) {
        while let Some(request) = self.gathering.take_first() {
            self.push(request.group, request.rows, request.sources);
        }
    }

    /// Releases the requests that have waited so long for more rows.
    pub(crate) fn close_after(&mut self, wait: Duration, now: Instant) {
        for request in self.gathering.take_due(wait, now) {
            self.push(request.group, request.rows, request.sources);
        }
    }

    /// Releases the largest request that waits for more rows. Returns false when there is none.
    pub(crate) fn close_largest(&mut self) -> bool {
        let Some(request) = self.gathering.take_largest() else { return false };
        self.push(request.group, request.rows, request.sources);
        true
    }

    /// Returns true when all rows are in requests that wait for more: nothing else keeps their messages.
    pub(crate) fn only_gathers(&self) -> bool {
        self.ready.is_empty() && self.gathering.rows() > 0
    }

    /// Returns rows that may be sent now; they count as sent until they are judged.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Sending> {
        if self.unreachable_until.is_some_and(|until| now < until) {
            return None;
        }
        let index = self.first(|request| self.may_go(request, now))?;
        self.fit(index);
        let request = &mut self.ready[index];
        (request.state, request.was_sent) = (State::Sent, true);
        request.sources.iter_mut().for_each(|source| source.attempts += 1);
        Some(Sending { number: request.number, group: request.group.clone(), rows: request.rows.clone() })
    }

    /// Returns whether a request may be sent as soon as there is a connection for it.
    pub(crate) fn has_next(&self) -> bool {
        let is_free = |request: &Request| self.holds.until(&request.group).is_none();
        self.first(|request| request.state == State::Waiting && is_free(request)).is_some()
    }

    /// Returns the position of the first request that may go and need not wait for an earlier one.
    fn first(&self, may_go: impl Fn(&Request) -> bool) -> Option<usize> {
        let mut blocked = Blocked::default();
        self.ready.iter().position(|request| {
            let is_first = !blocked.has(request) && may_go(request);
            if !is_first {
                blocked.add(request);
            }
            is_first
        })
    }

    fn may_go(&self, request: &Request, now: Instant) -> bool {
        let is_ready = match request.state {
            State::Waiting => true,
            State::Postponed(until) => until <= now,
            State::Sent => false,
        };
        is_ready && self.holds.allow(&request.group, now, || self.is_tried(&request.group))
    }

    /// Returns true when a request is in flight that may end the hold on a group.
    fn is_tried(&self, group: &Arc<str>) -> bool {
        let is_of_all = self.holds.is_of_all();
        self.ready
            .iter()
            .any(|request| request.state == State::Sent && (is_of_all || request.group == *group))
    }

    /// Returns when something may be sent, seen from `now`; `None` when nothing waits for a time.
    pub(crate) fn next_due(&self, now: Instant) -> Option<Instant> {
        let earliest = self.unreachable_until.map_or(now, |until| until.max(now));
        let mut blocked = Blocked::default();
        let ready = self.ready.iter().filter_map(|request| {
            if blocked.has(request) {
                return None;
            }
            blocked.add(request);
            let due = match request.state {
                State::Waiting => earliest,
                State::Postponed(until) => until.max(earliest),
                State::Sent => return None,
            };
            Some(self.holds.until(&request.group).map_or(due, |until| until.max(due)))
        });
        ready.chain(self.gathering.next_due(&self.limits)).min()
    }

    /// Returns when the first request has waited long enough for more rows.
    pub(crate) fn gathered_at(&self) -> Option<Instant> {
        self.gathering.next_due(&self.limits)
    }

    /// Applies the judgements of a request's rows.
    pub(crate) fn judge(&mut self, number: u64, judgements: &[Judgement], now: Instant) -> Settled {
        let mut settled = Settled::default();
        let Some((at, mut request)) = self.remove(number) else { return settled };
        let group = request.group.clone();
        let rows = Arc::unwrap_or_clone(std::mem::take(&mut request.rows));
        let count = rows.len();
        let is_alone = count == 1;
        let (mut kept, mut staged) = (Kept::default(), 0);
        let mut verdicts = judgements.iter().flat_map(|judgement| {
            std::iter::repeat_n((judgement.verdict, judgement.answer.as_str()), judgement.rows)
        });
        for (row, source) in rows.into_iter().zip(std::mem::take(&mut request.sources)) {
            let (verdict, answer) = verdicts.next().unwrap_or((Verdict::Later(Wait::BackOff), ""));
            let verdict = match verdict {
                Verdict::Split(reason) | Verdict::Suspect(reason) if is_alone => {
                    self.spacing.refuse();
                    Verdict::Dead(reason)
                }
                Verdict::Later(Wait::BackOff)
                    if self.retries.is_some_and(|most| request.failures + 1 >= most) =>
                {
                    Verdict::Dead(DeadReason::Retries)
                }
                verdict => verdict,
            };
            match self.limited(verdict) {
                Verdict::Delivered => {
                    settled.delivered += 1;
                    settled.bytes += row.payload();
                    self.dead_in_a_row = 0;
                }
                Verdict::Staged => {
                    staged += 1;
                    self.dead_in_a_row = 0;
                }
                Verdict::Drop => settled.dropped += 1,
                Verdict::Dead(reason) => {
                    // The receiver has most of those that it does not name.
                    self.dead_in_a_row += usize::from(reason != DeadReason::Unnamed);
                    let (group, answer) = (group.clone(), answer.to_owned());
                    settled.dead.push(DeadRow { group, row, source, reason, answer });
                }
                verdict => kept.add(row, source, verdict, answer),
            }
        }
        let accepted = settled.delivered + staged;
        if accepted > 0 {
            self.unreachable_until = None;
            settled.events.extend(self.holds.end(&group));
        }
        self.learn(&mut request, (count, accepted, kept.rows.len()));
        let has_progressed = kept.rows.len() < count;
        if has_progressed {
            (request.tries, request.failures, request.is_rest) = (0, 0, true);
        }
        self.put_back(at, request, kept, &mut settled.events, now);
        if !self.ready.iter().any(|request| request.group == group) {
            settled.events.extend(self.holds.end_group(&group));
        }
        settled
    }

    /// A dead row too many is held instead.
    fn limited(&self, verdict: Verdict) -> Verdict {
        match verdict {
            // A row that was tried for long tells nothing about the others, and one that is not named must not be sent again.
            Verdict::Dead(reason)
                if self.dead_in_a_row >= DEAD_IN_A_ROW_MAX
                    && !matches!(reason, DeadReason::Retries | DeadReason::Unnamed) =>
            {
                Verdict::Hold(HoldReason::ManyDead)
            }
            verdict => verdict,
        }
    }

    /// Puts the unsettled rows of a request back in its position.
    fn put_back(
        &mut self,
        at: usize,
        mut request: Request,
        kept: Kept,
        events: &mut Vec<HoldEvent>,
        now: Instant,
    ) {
        if kept.rows.is_empty() {
            return;
        }
        request.state = State::Waiting;
        match kept.worst {
            Some(Verdict::Hold(reason)) => {
                let until = now + self.reopen_after;
                events.extend(self.holds.begin(&request.group, reason, &kept.answer, until));
            }
            Some(Verdict::Later(Wait::Reopen)) => self.unreachable_until = Some(now + self.reopen_after),
            Some(Verdict::Later(wait)) => {
                let pause = match wait {
                    Wait::For(pause) => pause,
                    _ => back_off(request.tries),
                };
                request.tries = request.tries.saturating_add(1);
                request.failures += u32::from(wait == Wait::BackOff);
                request.state = State::Postponed(now + pause);
                request.answer.clone_from(&kept.answer);
                let (group, answer) = (request.group.clone(), kept.answer.clone());
                events.push(HoldEvent::Postponed { group, answer, rows: kept.rows.len(), pause });
            }
            _ => {}
        }
        if kept.has_split && kept.rows.len() > 1 {
            return self.insert_parts(at, request, kept);
        }
        (request.rows, request.sources) = (Arc::new(kept.rows), kept.sources);
        // While many rows die, the next attempt goes to another request, or those at the front would block good
        // ones forever.
        let is_last_tried = matches!(kept.worst, Some(Verdict::Hold(HoldReason::ManyDead)));
        self.insert(if is_last_tried { self.ready.len() } else { at }, request);
    }

    /// Sends the rows of a request again whose exchange ended without a judgement.
    pub(crate) fn send_again(&mut self, number: u64) {
        if let Some(request) = self.ready.iter_mut().find(|request| request.number == number) {
            request.state = State::Waiting;
        }
    }

    /// Puts back all rows in flight: all exchanges ended without a judgement.
    pub(crate) fn put_all_back(&mut self) {
        for request in self.ready.iter_mut().filter(|request| request.state == State::Sent) {
            request.state = State::Waiting;
        }
    }

    /// Returns, for users, why rows wait; `None` when nothing is held, and nothing was postponed often.
    pub(crate) fn trouble(&self) -> Option<String> {
        let often = || self.ready.iter().find(|request| request.tries >= TRIES_OF_TROUBLE);
        let describe =
            |request: &Request| format!("messages wait for {} (busy): {}", request.group, request.answer);
        self.holds.describe().or_else(|| often().map(describe))
    }

    /// Returns the rows that are not settled.
    pub(crate) fn rows(&self) -> usize {
        self.gathering.rows() + self.rows
    }

    /// Returns the bytes of the rows that are not settled.
    pub(crate) fn bytes(&self) -> usize {
        self.gathering.bytes() + self.bytes
    }

    /// Returns the bytes of the messages from which these rows were made.
    pub(crate) fn held_bytes(&self) -> usize {
        self.gathering.held_bytes() + self.held_bytes
    }

    /// Takes everything that is not settled, oldest first: the rows must be made again, or dropped.
    pub(crate) fn take_all(&mut self) -> Vec<(RecordId, RowSource)> {
        self.close();
        (self.holds, self.spacing) = (Holds::default(), Spacing::default());
        (self.dead_in_a_row, self.unreachable_until) = (0, None);
        (self.rows, self.bytes, self.held_bytes) = (0, 0, 0);
        let pairs = |request: Request| {
            let ids: Vec<RecordId> = request.rows.iter().map(|row| row.id).collect();
            ids.into_iter().zip(request.sources)
        };
        self.ready.drain(..).flat_map(pairs).collect()
    }

    /// Takes new settings.
    pub(crate) fn configure(&mut self, limits: RequestLimits, retries: Option<u32>, reopen_after: Duration) {
        (self.limits, self.retries, self.reopen_after) = (limits, retries, reopen_after);
    }
}

/// Rows of a judged request that are not settled.
#[derive(Default)]
struct Kept {
    rows: Vec<Row>,
    sources: Vec<RowSource>,
    /// The verdict that says how long they all wait.
    worst: Option<Verdict>,
    answer: String,
    has_split: bool,
    /// The request was refused for its size.
    is_too_large: bool,
    /// The positions of those that the receiver names as the cause.
    named: Vec<usize>,
}

impl Kept {
    fn add(&mut self, row: Row, source: RowSource, verdict: Verdict, answer: &str) {
        if matches!(verdict, Verdict::Suspect(_)) {
            self.named.push(self.rows.len());
        }
        self.rows.push(row);
        self.sources.push(source);
        self.has_split |= matches!(verdict, Verdict::Split(_) | Verdict::Suspect(_));
        self.is_too_large |= verdict == Verdict::Split(DeadReason::TooLarge);
        if self.worst.is_none_or(|worst| weight(verdict) > weight(worst)) {
            self.worst = Some(verdict);
            first_line(answer).clone_into(&mut self.answer);
        }
    }
}

/// Returns what our log may hold of an answer.
pub(crate) fn first_line(answer: &str) -> &str {
    answer.lines().next().unwrap_or_default()
}

/// Returns the pause after this many attempts of which nothing was accepted.
fn back_off(tries: u32) -> Duration {
    BACK_OFF_FIRST.saturating_mul(BACK_OFF_GROWS.saturating_pow(tries)).min(BACK_OFF_MOST)
}

/// Orders verdicts by how long rows have to wait.
fn weight(verdict: Verdict) -> (u8, Duration) {
    match verdict {
        Verdict::Delivered | Verdict::Staged | Verdict::Dead(_) | Verdict::Drop => (0, Duration::ZERO),
        Verdict::Split(_) | Verdict::Suspect(_) => (1, Duration::ZERO),
        Verdict::Later(Wait::BackOff | Wait::Busy) => (2, Duration::ZERO),
        Verdict::Later(Wait::For(pause)) => (3, pause),
        Verdict::Hold(_) => (4, Duration::ZERO),
        Verdict::Later(Wait::Reopen) => (5, Duration::ZERO),
    }
}

#[cfg(test)]
mod tests;
