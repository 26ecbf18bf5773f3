//! What the broker says of publications: confirmed, refused, returned; and of the connection: blocked, closed.
//!
//! In: frames. Out: an outcome for each publication. Holds: the publications that are not confirmed, by their numbers, and the
//! outcomes that nobody has taken yet. Limits: it holds only what was published; the text of a returned message is not kept.

use super::{options::Unroutable, verdict};
use crate::link::{
    dialogue::{Breach, Dialogue},
    failure::Failure,
};
use message::RecordId;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    mem,
};
use transport::amqp::{
    frame::{self, Frame, FrameKind},
    method::{self, Method, Reach, Refusal},
};

/// Publications over one channel.
pub(super) struct Confirms {
    exchange: String,
    unroutable: Unroutable,
    frame_bytes: usize,
    /// The number of the last publication.
    last: u64,
    open: BTreeMap<u64, RecordId>,
    open_ids: HashSet<RecordId>,
    /// Judges messages that came back: their acknowledgements follow.
    returned: HashMap<RecordId, Failure>,
    /// Judges the message whose header is to come, and counts the bytes of its text.
    returning: Option<Failure>,
    returning_bytes: u64,
    outcomes: HashMap<RecordId, Result<(), Failure>>,
    /// The reason why the broker takes nothing.
    blocked: Option<String>,
    /// The reason why channel or connection ended.
    refused: Option<Failure>,
    answers: u64,
    frames: u64,
}

impl Confirms {
    pub(super) fn new(exchange: &str, unroutable: Unroutable, frame_bytes: usize) -> Confirms {
        Confirms {
            exchange: exchange.to_owned(),
            unroutable,
            frame_bytes,
            last: 0,
            open: BTreeMap::new(),
            open_ids: HashSet::new(),
            returned: HashMap::new(),
            returning: None,
            returning_bytes: 0,
            outcomes: HashMap::new(),
            blocked: None,
            refused: None,
            answers: 0,
            frames: 0,
        }
    }

    /// Counts a publication. The broker counts them as well.
    pub(super) fn add(&mut self, id: RecordId) {
        self.last += 1;
        self.open.insert(self.last, id);
        self.open_ids.insert(id);
    }

    /// Returns true when a message was published and its outcome is known or to come.
    pub(super) fn knows(&self, id: RecordId) -> bool {
        self.open_ids.contains(&id) || self.outcomes.contains_key(&id)
    }

    /// Judges a message.
    pub(super) fn judge(&mut self, id: RecordId, outcome: Result<(), Failure>) {
        self.outcomes.insert(id, outcome);
    }

    /// Returns the outcome of a message, once.
    pub(super) fn take_outcome(&mut self, id: RecordId) -> Option<Result<(), Failure>> {
        self.outcomes.remove(&id)
    }

    /// Returns how many outcomes nobody has taken.
    pub(super) fn untaken(&self) -> usize {
        self.outcomes.len()
    }

    /// Forgets them: these messages are published again.
    pub(super) fn forget_outcomes(&mut self) {
        self.outcomes.clear();
    }

    /// Returns why the broker takes nothing.
    pub(super) fn blocked(&self) -> Option<&str> {
        self.blocked.as_deref()
    }

    /// Returns why channel or connection ended.
    pub(super) fn refused(&self) -> Option<&Failure> {
        self.refused.as_ref()
    }

    /// Returns how many confirmations were heard, and how many frames.
    pub(super) fn heard(&self) -> (u64, u64) {
        (self.answers, self.frames)
    }

    fn settle(&mut self, number: u64, reach: Reach, outcome: &Result<(), Failure>) -> Result<(), Breach> {
        if number > self.last || number == 0 && reach == Reach::One {
            return Err(Breach("it confirms what was not published"));
        }
        self.answers += 1;
        let settled = match (reach, number) {
            (Reach::One, _) => self.open.remove_entry(&number).into_iter().collect(),
            (Reach::UpTo, 0) => mem::take(&mut self.open),
            (Reach::UpTo, _) => {
                let later = self.open.split_off(&(number + 1));
                mem::replace(&mut self.open, later)
            }
        };
        for id in settled.into_values() {
            self.open_ids.remove(&id);
            let outcome = self.returned.remove(&id).map_or_else(|| outcome.clone(), Err);
            self.outcomes.insert(id, outcome);
        }
        Ok(())
    }

    fn take_frame(&mut self, frame: Frame<'_>, out: &mut Vec<u8>) -> Result<(), Breach> {
        match frame.kind {
            FrameKind::Heartbeat => Ok(()),
            FrameKind::Method => self.take_method(method::decode(frame.payload)?, out),
            FrameKind::Header => {
                let failure = self.returning.take().ok_or(Breach("it sends what nobody asked for"))?;
                let (size, id) = method::decode_header(frame.payload)?;
                self.returning_bytes = size;
                if let Some(id) = id.filter(|id| self.open_ids.contains(id)) {
                    self.returned.insert(id, failure);
                }
                Ok(())
            }
            FrameKind::Body => {
                let left = self.returning_bytes.checked_sub(frame.payload.len() as u64);
                self.returning_bytes = left.ok_or(Breach("it sends what nobody asked for"))?;
                Ok(())
            }
        }
    }

    fn take_method(&mut self, method: Method, out: &mut Vec<u8>) -> Result<(), Breach> {
        match method {
            Method::Acknowledged(number, reach) => self.settle(number, reach, &Ok(()))?,
            Method::Refused(number, reach) => self.settle(number, reach, &Err(verdict::of_nack()))?,
            Method::Returned(refusal, key) => {
                let failure = verdict::of_return(&refusal, &self.exchange, &key, self.unroutable);
                self.returning = Some(failure);
            }
            Method::Blocked(reason) => self.blocked = Some(reason),
            Method::Unblocked => self.blocked = None,
            Method::Flow(active) => {
                method::flow_ok(active, out);
                self.blocked = (active & 1 == 0).then(|| "channel.flow".to_owned());
            }
            Method::ChannelClosed(refusal) => {
                method::close_channel_ok(out);
                self.refuse(&refusal);
            }
            Method::ConnectionClosed(refusal) => {
                method::close_connection_ok(out);
                self.refuse(&refusal);
            }
            _ => return Err(Breach("it answers what was not asked")),
        }
        Ok(())
    }

    fn refuse(&mut self, refusal: &Refusal) {
        self.refused.get_or_insert_with(|| verdict::of_close(refusal));
    }
}

impl Dialogue for Confirms {
    fn take(&mut self, received: &[u8], out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while let Some((frame, size)) = frame::decode(&received[used..], self.frame_bytes)? {
            used += size;
            self.frames += 1;
            self.take_frame(frame, out)?;
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        if self.refused.is_some() { 0 } else { self.open.len() }
    }
}

/// Reads what comes without waiting for anything.
pub(super) struct Resting<'a>(pub(super) &'a mut Confirms);

impl Dialogue for Resting<'_> {
    fn take(&mut self, received: &[u8], out: &mut Vec<u8>) -> Result<usize, Breach> {
        self.0.take(received, out)
    }

    fn awaited(&self) -> usize {
        0
    }
}

#[cfg(test)]
pub(super) mod tests;
