//! Requests under a clock of the test, and a receiver that does everything a receiver can do.

mod search;

use super::*;
use message::{Ack, Batch, Stamp};
use receivers::contract::Cell;
use std::collections::{BTreeMap, BTreeSet};

fn batch(count: usize) -> Arc<Batch> {
    let mut batch = Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none());
    batch.messages.resize_with(count, message::Message::default);
    Arc::new(batch)
}

struct Setup {
    requests: Requests,
    batch: Arc<Batch>,
    start: Instant,
    added: u64,
}

const REOPEN: Duration = Duration::from_secs(60);

impl Setup {
    fn new(rows: usize, retries: Option<u32>) -> Setup {
        let limits = RequestLimits { rows, bytes: 0, wait: None };
        let requests = Requests::new(limits, retries, REOPEN);
        Setup { requests, batch: batch(1), start: Instant::now(), added: 0 }
    }

    fn add(&mut self, group: &str, count: u64) {
        for _ in 0..count {
            let id = RecordId { incarnation: 1, sequence: self.added };
            self.added += 1;
            let row = Row { id, cells: Vec::new() };
            let source = RowSource {
                batch: self.batch.clone(),
                index: 0,
                sequence: 0,
                lane: None,
                ack: Ack::none(),
                attempts: 0,
                held_bytes: 7,
            };
            self.requests.add(group, row, source, self.start);
        }
        self.requests.close();
    }

    fn at(&self, ms: u64) -> Instant {
        self.start + Duration::from_millis(ms)
    }

    /// The rows of what may be sent at a time, as numbers, and the number of the request.
    fn sent(&mut self, ms: u64) -> Option<(u64, String, Vec<u64>)> {
        let sending = self.requests.next(self.at(ms))?;
        let rows = sending.rows.iter().map(|row| row.id.sequence).collect();
        Some((sending.number, sending.group.to_string(), rows))
    }

    fn judge(&mut self, number: u64, ms: u64, verdicts: &[Verdict]) -> Settled {
        let judgements: Vec<Judgement> = verdicts
            .iter()
            .map(|verdict| Judgement { rows: 1, verdict: *verdict, answer: "no\nquoted".to_owned() })
            .collect();
        let now = self.at(ms);
        self.requests.judge(number, &judgements, now)
    }
}

const DONE: Verdict = Verdict::Delivered;
const BUSY: Verdict = Verdict::Later(Wait::BackOff);
const GONE: Verdict = Verdict::Later(Wait::Reopen);
const BAD: Verdict = Verdict::Dead(DeadReason::Type);
const SPLIT: Verdict = Verdict::Split(DeadReason::Rejected);
const SUSPECT: Verdict = Verdict::Suspect(DeadReason::Rejected);
const NO_TABLE: Verdict = Verdict::Hold(HoldReason::Schema);
const NO_ACCESS: Verdict = Verdict::Hold(HoldReason::Credentials);

#[test]
fn rows_of_one_group_share_a_request_in_their_order() {
    let mut setup = Setup::new(3, None);
    setup.add("a", 2);
    setup.add("b", 4);
    assert_eq!(setup.sent(0), Some((1, "a".to_owned(), vec![0, 1])));
    assert_eq!(setup.sent(0), Some((2, "b".to_owned(), vec![2, 3, 4])));
    assert_eq!(setup.sent(0), Some((3, "b".to_owned(), vec![5])));
    assert_eq!(setup.sent(0), None);
}

#[test]
fn each_row_is_settled_by_its_own_verdict() {
    let mut setup = Setup::new(4, None);
    setup.add("a", 4);
    let (number, ..) = setup.sent(0).unwrap();
    let settled = setup.judge(number, 0, &[DONE, BAD, BUSY]);
    assert_eq!((settled.delivered, settled.dead.len(), setup.requests.rows()), (1, 1, 2));
    assert_eq!((settled.dead[0].row.id.sequence, settled.dead[0].reason), (1, DeadReason::Type));
    assert_eq!(setup.sent(249), None, "a pause comes first");
    let (_, _, rows) = setup.sent(250).unwrap();
    assert_eq!(rows, [2, 3], "what has no verdict is sent again as well");
}

#[test]
fn a_busy_receiver_is_not_overtaken_and_waits_grow() {
    let mut setup = Setup::new(1, None);
    setup.add("a", 2);
    let (number, ..) = setup.sent(0).unwrap();
    setup.judge(number, 0, &[BUSY]);
    assert_eq!(setup.sent(100), None, "the second row of the group waits behind the first");
    assert_eq!(setup.requests.next_due(setup.at(100)), Some(setup.at(250)), "nothing is to be done before");
    setup.add("b", 1);
    assert_eq!(setup.sent(100).unwrap().1, "b", "another group does not");
    let mut now = 250;
    for pause in [500, 1_000, 2_000] {
        let (number, ..) = setup.sent(now).unwrap();
        setup.judge(number, now, &[BUSY]);
        assert_eq!(setup.sent(now + pause - 1), None);
        now += pause;
    }
    assert_eq!(setup.sent(now).unwrap().2, [0]);
}

#[test]
fn a_receiver_that_cannot_be_reached_holds_everything() {
    let mut setup = Setup::new(1, Some(1));
    setup.add("a", 1);
    setup.add("b", 1);
    let (number, ..) = setup.sent(0).unwrap();
    let settled = setup.judge(number, 0, &[GONE]);
    assert_eq!((settled.dead.len(), setup.requests.rows()), (0, 2), "retries() is not about that");
    assert_eq!(setup.sent(59_999), None);
    assert_eq!(setup.requests.next_due(setup.start), Some(setup.at(60_000)));
    assert_eq!(setup.sent(60_000).unwrap().2, [0]);
}

#[test]
fn a_wanted_pause_is_kept() {
    let mut setup = Setup::new(1, None);
    setup.add("a", 1);
    let (number, ..) = setup.sent(0).unwrap();
    setup.judge(number, 0, &[Verdict::Later(Wait::For(Duration::from_secs(7)))]);
    assert_eq!(setup.sent(6_999), None);
    assert!(setup.sent(7_000).is_some());
}

#[test]
fn written_retries_end_in_a_dead_letter() {
    let mut setup = Setup::new(1, Some(3));
    setup.add("a", 1);
    for now in [0, 10_000, 20_000] {
        let (number, ..) = setup.sent(now).unwrap();
        let settled = setup.judge(number, now, &[BUSY]);
        let reasons: Vec<DeadReason> = settled.dead.iter().map(|dead| dead.reason).collect();
        assert_eq!(reasons, if now == 20_000 { vec![DeadReason::Retries] } else { Vec::new() });
    }
    assert_eq!(setup.requests.rows(), 0);
}

#[test]
fn a_bad_row_is_found_by_halving_and_dies_alone() {
    for (count, bad) in [(1, 0), (2, 1), (7, 3), (100, 0), (100, 99), (100, 64)] {
        let mut setup = Setup::new(1_000, None);
        setup.add("a", count);
        let (mut sendings, mut delivered, mut dead) = (0, Vec::new(), Vec::new());
        while let Some((number, _, rows)) = setup.sent(0) {
            sendings += 1;
            let verdict = if rows.contains(&bad) { SPLIT } else { DONE };
            let settled = setup.judge(number, 0, &vec![verdict; rows.len()]);
            if verdict == DONE {
                delivered.extend(rows);
            }
            dead.extend(settled.dead.iter().map(|dead| dead.row.id.sequence));
        }
        assert_eq!((dead, setup.requests.rows()), (vec![bad], 0));
        assert_eq!(delivered, (0..count).filter(|row| *row != bad).collect::<Vec<_>>(), "in their order");
        let most = 4 + 2 * u64::from(64 - count.leading_zeros());
        assert!(sendings <= most, "{sendings} requests for {count} rows");
    }
}

#[test]
fn a_request_without_a_verdict_is_repeated_as_it_was() {
    let mut setup = Setup::new(64, None);
    setup.add("a", 128);
    let (first, _, rows) = setup.sent(0).unwrap();
    assert_eq!(rows.len(), 64);
    setup.judge(first, 0, &[SPLIT; 64]);
    let (half, _, rows) = setup.sent(0).unwrap();
    assert_eq!(rows, (0..32).collect::<Vec<_>>());
    setup.judge(half, 0, &[GONE; 32]);
    assert_eq!(setup.sent(60_000).unwrap().2, rows, "nobody knows what became of it");
    setup.judge(half, 60_000, &[SPLIT; 32]);
    assert_eq!(setup.sent(60_000).unwrap().2.len(), 16);
}

#[test]
fn a_held_group_waits_and_the_others_go_on() {
    let mut setup = Setup::new(1, None);
    setup.add("a", 2);
    setup.add("b", 2);
    let (number, ..) = setup.sent(0).unwrap();
    let settled = setup.judge(number, 0, &[NO_TABLE]);
    assert!(matches!(&settled.events[..], [HoldEvent::Held { group, .. }] if &**group == "a"));
    assert_eq!(setup.requests.trouble().as_deref(), Some("messages wait for a (schema): no"));
    assert_eq!(setup.sent(0).unwrap().1, "b");
    assert_eq!(setup.sent(0).unwrap().1, "b");
    assert_eq!(setup.sent(59_999), None);
    let (number, _, rows) = setup.sent(60_000).unwrap();
    assert_eq!(rows, [0]);
    assert_eq!(setup.sent(60_000), None, "one try at a time");
    assert_eq!(setup.judge(number, 60_000, &[NO_TABLE]).events, [], "it was said before");
    let (number, ..) = setup.sent(120_000).unwrap();
    let settled = setup.judge(number, 120_000, &[DONE]);
    assert_eq!(settled.events, [HoldEvent::Resumed { group: Arc::from("a") }]);
    assert_eq!((setup.sent(120_000).unwrap().2, setup.requests.trouble()), (vec![1], None));
}

#[test]
fn wrong_credentials_hold_every_group() {
    let mut setup = Setup::new(1, None);
    setup.add("a", 1);
    setup.add("b", 1);
    let (number, ..) = setup.sent(0).unwrap();
    setup.judge(number, 0, &[NO_ACCESS]);
    assert_eq!(setup.sent(59_999), None);
    let (number, ..) = setup.sent(60_000).unwrap();
    assert_eq!(setup.sent(60_000), None);
    setup.judge(number, 60_000, &[DONE]);
    assert_eq!(setup.sent(60_000).unwrap().1, "b");
}

#[test]
fn rows_that_are_not_named_are_never_sent_again() {
    let mut setup = Setup::new(1_000, None);
    setup.add("a", 1_000);
    let (number, _, rows) = setup.sent(0).unwrap();
    let unnamed = Verdict::Dead(DeadReason::Unnamed);
    assert_eq!(setup.judge(number, 0, &vec![unnamed; rows.len()]).dead.len(), 1_000);
    assert_eq!(setup.requests.rows(), 0);
}

#[test]
fn a_wrong_template_does_not_empty_the_queue() {
    let mut setup = Setup::new(10, None);
    setup.add("a", 1_000);
    let (mut dead, mut requests) = (0, 0);
    while let Some((number, _, rows)) = setup.sent(0) {
        requests += 1;
        dead += setup.judge(number, 0, &vec![BAD; rows.len()]).dead.len();
        assert!(requests <= 11, "it goes on");
    }
    assert_eq!((dead, setup.requests.rows()), (DEAD_IN_A_ROW_MAX, 900));
    // The next tries are others': good rows behind bad ones are found.
    let (_, _, first) = setup.sent(60_000).unwrap();
    assert_eq!(first[0], 110);
    setup.requests.put_all_back();
    assert_eq!(setup.requests.take_all().len(), 900, "a new configuration begins with all of them");
}

/// The opinion of the test's receiver about a row.
#[derive(Clone, Copy, PartialEq)]
enum Nature {
    Good,
    /// It is refused by itself.
    Bad,
    /// It spoils the whole request, and the receiver does not say that it was this one.
    Poison,
}

/// Numbers that look random and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[test]
fn every_row_is_delivered_once_or_dead_whatever_the_receiver_does() {
    for seed in 0..300 {
        let mut chance = Chance(seed);
        let mut setup = Setup::new(1 + chance.below(40) as usize, None);
        let mut natures = Vec::new();
        for _ in 0..1 + chance.below(8) {
            let group = ["a", "b", "c"][chance.below(3) as usize];
            let count = 1 + chance.below(50);
            setup.add(group, count);
            natures.extend((0..count).map(|_| match chance.below(30) {
                0 => Nature::Bad,
                1 => Nature::Poison,
                _ => Nature::Good,
            }));
        }
        let (mut stored, mut dead): (BTreeMap<u64, usize>, BTreeSet<u64>) = Default::default();
        let mut now = 0;
        while setup.requests.rows() > 0 {
            let Some((number, _, rows)) = setup.sent(now) else {
                let due = setup.requests.next_due(setup.at(now)).expect("rows that wait have a time");
                now = now.max(due.duration_since(setup.start).as_millis() as u64 + 1);
                continue;
            };
            let is_poisoned = rows.iter().any(|row| natures[*row as usize] == Nature::Poison);
            let verdicts: Vec<Verdict> = match chance.below(10) {
                0 => vec![GONE; rows.len()],
                1 => vec![NO_TABLE; rows.len()],
                2 => vec![BUSY; rows.len()],
                3 => Vec::new(),
                _ if is_poisoned => vec![SPLIT; rows.len()],
                _ => rows
                    .iter()
                    .map(|row| match natures[*row as usize] {
                        Nature::Bad => BAD,
                        _ if chance.below(10) == 0 => BUSY,
                        _ => DONE,
                    })
                    .collect(),
            };
            for (row, verdict) in rows.iter().zip(&verdicts) {
                *stored.entry(*row).or_default() += usize::from(*verdict == DONE);
            }
            let settled = setup.judge(number, now, &verdicts);
            dead.extend(settled.dead.iter().map(|dead| dead.row.id.sequence));
        }
        assert_eq!((setup.requests.rows(), setup.requests.bytes()), (0, 0));
        for (row, nature) in natures.iter().enumerate() {
            let times = stored.get(&(row as u64)).copied().unwrap_or(0);
            let is_dead = dead.contains(&(row as u64));
            assert_eq!(
                (times, is_dead),
                if *nature == Nature::Good { (1, false) } else { (0, true) },
                "seed {seed}, row {row}"
            );
        }
    }
}

#[test]
fn retries_bound_failures_and_not_a_receiver_that_is_busy() {
    let mut setup = Setup::new(2, Some(2));
    setup.add("a", 2);
    let mut now = 0;
    let full = Verdict::Later(Wait::Busy);
    for (verdict, pause, died) in [(full, 250, 0), (BUSY, 500, 0), (full, 1_000, 0), (BUSY, 0, 2)] {
        let (number, ..) = setup.sent(now).unwrap();
        let settled = setup.judge(number, now, &[verdict, verdict]);
        assert_eq!(settled.dead.len(), died, "{verdict:?} at {now}");
        now += pause;
    }
    assert_eq!(setup.requests.rows(), 0);
}

#[test]
fn a_receiver_that_is_busy_for_long_shows_and_quotes_nothing() {
    let mut setup = Setup::new(1, None);
    setup.add("a", 1);
    for round in 0..7 {
        let want = (round >= 6).then(|| "messages wait for a (busy): no".to_owned());
        assert_eq!(setup.requests.trouble(), want, "{round}");
        let (number, ..) = setup.sent(60_000 * round).unwrap();
        let settled = setup.judge(number, 60_000 * round, &[BUSY]);
        assert!(
            matches!(&settled.events[..], [HoldEvent::Postponed { answer, rows: 1, .. }] if answer == "no"),
            "{:?}",
            settled.events
        );
    }
}

#[test]
fn what_the_configuration_gives_up_is_no_dead_letter() {
    let mut setup = Setup::new(200, None);
    setup.add("a", 150);
    let (number, ..) = setup.sent(0).unwrap();
    let settled = setup.judge(number, 0, &[Verdict::Drop; 150]);
    assert_eq!((settled.dropped, settled.dead.len(), setup.requests.rows()), (150, 0, 0));
}

#[test]
fn the_bytes_of_a_request_are_those_of_its_values() {
    let limits = RequestLimits { rows: 100, bytes: 7, wait: None };
    let mut setup = Setup::new(1, None);
    setup.requests.configure(limits, None, REOPEN);
    for (sequence, text) in (0_u64..).zip(["123", "456", "7", "8", "longer than all", "9"]) {
        let row = Row { id: RecordId { incarnation: 1, sequence }, cells: vec![Cell::Text(text.to_owned())] };
        let source = RowSource {
            batch: setup.batch.clone(),
            index: 0,
            sequence,
            lane: None,
            ack: Ack::none(),
            attempts: 0,
            held_bytes: 7,
        };
        setup.requests.add("a", row, source, setup.start);
    }
    setup.requests.close();
    let requests: Vec<Vec<u64>> = std::iter::from_fn(|| setup.sent(0)).map(|(_, _, rows)| rows).collect();
    assert_eq!(requests, [vec![0, 1, 2], vec![3], vec![4], vec![5]]);
}

/// Compares which of several verdicts says how long the rows that are left wait, and whose words are kept.
#[track_caller]
fn check_worst(verdicts: &[Verdict], want: usize, has_split: bool) {
    let mut kept = Kept::default();
    for (sequence, verdict) in (0_u64..).zip(verdicts) {
        let row = Row { id: RecordId { incarnation: 1, sequence }, cells: Vec::new() };
        let source = RowSource {
            batch: batch(1),
            index: 0,
            sequence,
            lane: None,
            ack: Ack::none(),
            attempts: 0,
            held_bytes: 7,
        };
        kept.add(row, source, *verdict, &format!("{sequence}\nquoted"));
    }
    assert_eq!((kept.rows.len(), kept.sources.len()), (verdicts.len(), verdicts.len()));
    assert_eq!((kept.worst, kept.answer), (Some(verdicts[want]), want.to_string()), "{verdicts:?}");
    assert_eq!(kept.has_split, has_split, "{verdicts:?}");
}

#[test]
fn the_longest_wait_is_that_of_all_rows() {
    let after = |seconds| Verdict::Later(Wait::For(Duration::from_secs(seconds)));
    let rising = [SPLIT, BUSY, after(1), after(2), NO_TABLE, GONE];
    for (at, less) in rising.iter().enumerate() {
        for more in &rising[at + 1..] {
            check_worst(&[*less, *more], 1, *less == SPLIT);
            check_worst(&[*more, *less], 0, *less == SPLIT);
            check_worst(&[*less, *more, *less], 1, *less == SPLIT);
        }
        // Of equals the first one speaks.
        check_worst(&[*less, *less], 0, *less == SPLIT);
    }
    check_worst(&[Verdict::Later(Wait::Busy), BUSY], 0, false);
    check_worst(&[NO_ACCESS, NO_TABLE], 0, false);
}

#[test]
fn a_request_without_an_end_is_sent_again() {
    let mut setup = Setup::new(1, None);
    setup.add("a", 2);
    let (first, ..) = setup.sent(0).unwrap();
    let (second, ..) = setup.sent(0).unwrap();
    assert_eq!((setup.sent(0), setup.requests.next_due(setup.start)), (None, None));
    setup.requests.send_again(second);
    assert_eq!(setup.requests.next_due(setup.start), Some(setup.start));
    assert_eq!(setup.sent(0), Some((second, "a".to_owned(), vec![1])));
    setup.requests.send_again(first);
    assert_eq!(setup.sent(0), Some((first, "a".to_owned(), vec![0])));
    setup.requests.send_again(first + second + 1);
    assert_eq!(setup.sent(0), None);
}

#[test]
fn rows_of_a_lane_keep_their_order_and_lanes_do_not_wait_for_each_other() {
    let mut setup = Setup::new(1, None);
    for (sequence, lane) in (0_u64..).zip([0, 0, 1, 0, 1]) {
        let row = Row { id: RecordId { incarnation: 1, sequence }, cells: Vec::new() };
        let (batch, ack) = (setup.batch.clone(), Ack::none());
        let lane = Some(lane);
        let source = RowSource { batch, index: 0, sequence, lane, ack, attempts: 0, held_bytes: 7 };
        setup.requests.add("a", row, source, setup.start);
    }
    setup.requests.close();
    let mut sent =
        || setup.requests.next(setup.start).map(|sending| (sending.number, sending.rows[0].id.sequence));
    let (first, second) = (sent().unwrap(), sent().unwrap());
    assert_eq!((first.1, second.1, sent()), (0, 2, None), "the first of each lane");
    let later = [Judgement { rows: 1, verdict: Verdict::Later(Wait::BackOff), answer: String::new() }];
    setup.requests.judge(first.0, &later, setup.start);
    setup.requests.judge(second.0, &Judgement::delivered(1), setup.start);
    // The group waits for what its receiver postponed; then the same row comes first again.
    let now = setup.at(1000);
    let mut sent = || setup.requests.next(now).map(|sending| sending.rows[0].id.sequence);
    assert_eq!((sent(), sent(), sent()), (Some(0), Some(4), None));
}
