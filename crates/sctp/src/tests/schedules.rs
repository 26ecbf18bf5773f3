//! Random schedules: whatever a link does, reliable messages arrive once and in order, abandoned ones are reported, and both
//! ends agree. `SCTP_SCHEDULES` is how many are run, `SCTP_SCHEDULE` the only one.

use super::link::{Dice, LinkOptions};
use super::network::{CLIENT, Network, SERVER};
use crate::{AssociationId, DownReason, Event, Message, Options, Policy};
use std::collections::BTreeMap;
use std::time::Duration;

/// Schedules of an ordinary run.
const SCHEDULES: u64 = 300;
const SECOND: u64 = 1_000_000_000;
/// Messages are sent during this, and everything has to be over after that.
const SENDING: u64 = 3 * SECOND;
const END: u64 = 400 * SECOND;

/// A message of the schedule, and what became of it.
#[derive(Default)]
struct Sent {
    side: usize,
    stream: u16,
    unordered: bool,
    is_reliable: bool,
    lane: u8,
    received: u32,
    delivered: u32,
    abandoned: u32,
}

/// One run.
struct Run {
    seed: u64,
    network: Network,
    sent: Vec<Sent>,
    /// Numbers of messages by side, association and id.
    ids: BTreeMap<(usize, u64, u64), usize>,
    current: [Option<AssociationId>; 2],
    /// The last number that has arrived in each ordered stream of a side's association, by lane: messages of a stream
    /// overtake each other before they depart if their lanes differ.
    last: BTreeMap<(usize, AssociationId, u16, u8), usize>,
    is_restarted: bool,
    down: Vec<DownReason>,
}

fn link(dice: &mut Dice) -> LinkOptions {
    let rate = [0.5e6, 2e6, 10e6, 50e6][dice.below(4) as usize];
    let loss = [0.0, 0.01, 0.05, 0.15][dice.below(4) as usize];
    let mut options = LinkOptions::new(rate, 1_000_000 + dice.below(60_000_000), loss);
    options.queue = 10 + dice.below(40) as usize;
    options.doubles = [0.0, 0.0, 0.02, 0.2][dice.below(4) as usize];
    options.jitter_ns = [0, 0, 5_000_000, 40_000_000][dice.below(4) as usize];
    options.datagram_bytes_max = [1200, 1300, 1472][dice.below(3) as usize];
    if dice.below(4) == 0 {
        let from = dice.below(SENDING);
        options.outage_ns = (from, from + dice.below(5 * SECOND));
    }
    options
}

fn policy(dice: &mut Dice) -> (Policy, bool) {
    let lane = dice.below(8) as u8;
    let copies = if dice.below(3) == 0 { 2 } else { 0 };
    let reliable = Policy { lane, copies, ..Policy::default() };
    match dice.below(5) {
        0 => (Policy { life: Some(Duration::from_millis(20 + dice.below(400))), ..reliable }, false),
        1 => (Policy { retransmissions_max: Some(dice.below(3) as u32), ..reliable }, false),
        2 => (Policy { sheddable: true, ..reliable }, false),
        _ => (reliable, true),
    }
}

impl Run {
    fn new(seed: u64) -> (Run, Dice) {
        let mut dice = Dice::new(seed);
        let send_bytes = [40_000, 4 << 20][dice.below(2) as usize];
        let receive_bytes = [150_000, 4 << 20][dice.below(2) as usize];
        let interleaves = dice.below(2) == 0;
        let options = Options {
            interleaves,
            send_bytes,
            receive_bytes,
            message_bytes_max: 30_000,
            outbound_streams: 4,
            ..Options::default()
        };
        let (there, back) = (link(&mut dice), link(&mut dice));
        let network = Network::new(&options, there, back, seed);
        let run = Run {
            seed,
            network,
            sent: Vec::new(),
            ids: BTreeMap::new(),
            current: [None, None],
            last: BTreeMap::new(),
            is_restarted: false,
            down: Vec::new(),
        };
        (run, dice)
    }

    fn send(&mut self, side: usize, dice: &mut Dice) {
        let Some(id) = self.current[side] else { return };
        let (policy, is_reliable) = policy(dice);
        let number = self.sent.len();
        let bytes =
            [8 + dice.below(300), 8 + dice.below(3_000), 8 + dice.below(25_000)][dice.below(3) as usize];
        let mut payload = vec![number as u8; bytes as usize];
        payload[..8].copy_from_slice(&(number as u64).to_be_bytes());
        let (stream, unordered) = (dice.below(4) as u16, dice.below(2) == 0);
        let message = Message { stream, unordered, protocol: 0, policy, payload };
        let now = self.network.time();
        if let Ok(message) = self.network.endpoints[side].send(now, id, message) {
            self.ids.insert((side, id.0 | u64::from(self.is_restarted) << 32, message.0), number);
            self.sent.push(Sent {
                side,
                stream,
                unordered,
                is_reliable,
                lane: policy.lane,
                ..Sent::default()
            });
        }
    }

    fn take_events(&mut self) {
        for side in [CLIENT, SERVER] {
            for (id, event) in self.network.events(side) {
                self.take(side, id, event);
            }
        }
    }

    fn take(&mut self, side: usize, id: AssociationId, event: Event) {
        match event {
            Event::Up => self.current[side] = Some(id),
            Event::Restarted => self.last.retain(|key, _| (key.0, key.1) != (side, id)),
            Event::Received(message) => {
                let number = u64::from_be_bytes(message.payload[..8].try_into().unwrap()) as usize;
                assert!(message.payload[8..].iter().all(|byte| *byte == number as u8), "seed {}", self.seed);
                let sent = &mut self.sent[number];
                assert_ne!(sent.side, side);
                assert_eq!((message.stream, message.unordered), (sent.stream, sent.unordered));
                sent.received += 1;
                assert_eq!(sent.received, 1, "message {number} of seed {} came again", self.seed);
                if !sent.unordered {
                    let last = self.last.insert((side, id, sent.stream, sent.lane), number);
                    assert!(last < Some(number), "message {number} of seed {} after {last:?}", self.seed);
                }
            }
            Event::Delivered(message) => {
                if let Some(number) = self.number(side, id, message.0) {
                    self.sent[number].delivered += 1;
                    let Sent { side, stream, unordered, received, .. } = self.sent[number];
                    let detail = (side, stream, unordered, self.is_restarted);
                    assert_eq!(received, 1, "message {number} of seed {}: {detail:?}", self.seed);
                }
            }
            Event::Abandoned(message, _) => {
                if let Some(number) = self.number(side, id, message.0) {
                    self.sent[number].abandoned += 1;
                    assert!(
                        !self.sent[number].is_reliable || self.is_restarted,
                        "message {number} of seed {}",
                        self.seed
                    );
                }
            }
            Event::Down(reason) => {
                self.down.push(reason);
                if self.current[side] == Some(id) {
                    self.current[side] = None;
                }
            }
        }
    }

    fn number(&self, side: usize, id: AssociationId, message: u64) -> Option<usize> {
        let late = self.ids.get(&(side, id.0 | 1 << 32, message));
        late.or_else(|| self.ids.get(&(side, id.0, message))).copied()
    }

    /// Runs to the end.
    fn run(mut self, mut dice: Dice) {
        self.network.connect();
        let restart = (dice.below(4) == 0).then(|| (dice.below(SENDING), dice.below(2) as usize));
        let mut next_send = 0;
        let mut restart = restart;
        while self.network.now < SENDING {
            let until = next_send.min(restart.map_or(u64::MAX, |(at, _)| at)).min(SENDING);
            if self.network.step(until) {
                self.take_events();
                continue;
            }
            if let Some((_, side)) = restart.take_if(|(at, _)| *at <= self.network.now) {
                self.take_events();
                self.network.restart(side);
                (self.is_restarted, self.current[side]) = (true, None);
                if side == CLIENT {
                    self.network.connect();
                }
            }
            if self.network.now >= next_send {
                let side = dice.below(2) as usize;
                self.send(side, &mut dice);
                next_send = self.network.now + dice.below(60_000_000);
            }
            self.take_events();
        }
        // An outage may have kept the association from coming up until now.
        let mut ended = None;
        loop {
            if self.current[CLIENT] != ended
                && let Some(id) = self.current[CLIENT]
            {
                ended = Some(id);
                let now = self.network.time();
                self.network.endpoints[CLIENT].shut_down(now, id);
            }
            let goes_on = self.network.step(END);
            self.take_events();
            if !goes_on {
                break;
            }
        }
        self.judge();
    }

    fn judge(&self) {
        let seed = self.seed;
        for (number, sent) in self.sent.iter().enumerate() {
            let reports = sent.delivered + sent.abandoned;
            assert!(reports <= 1, "message {number} of seed {seed} was reported {reports} times");
            if self.is_restarted {
                continue;
            }
            // The server may still have messages when the client has finished: then the association lives on for them.
            assert_eq!(reports, 1, "message {number} of seed {seed} was not reported: {:?}", self.down);
            assert!(sent.delivered == 0 || sent.received == 1, "message {number} of seed {seed}");
            assert!(!sent.is_reliable || sent.received == 1, "message {number} of seed {seed}");
        }
        if !self.is_restarted {
            assert_eq!(self.down, [DownReason::Shutdown; 2], "seed {seed}");
        }
    }
}

#[test]
fn reliable_messages_arrive_once_and_both_ends_agree() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("SCTP_SCHEDULE") {
        let (run, dice) = Run::new(seed);
        return run.run(dice);
    }
    for seed in 0..number("SCTP_SCHEDULES").unwrap_or(SCHEDULES) {
        let (run, dice) = Run::new(seed);
        run.run(dice);
    }
}
