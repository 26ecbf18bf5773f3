//! A record of the chain of evidence: a signed statement of what happened to a segment.
//!
//! In: an event, the digest of the previous record. Out: text that a person can read and any tool can verify.
//! Limits: reading is total; text that differs from what would be written is not a record.

use crate::{
    digest::{Digest, hex, unhex},
    sign::PublicKey,
};
use base64::{Engine, engine::general_purpose::STANDARD};

const TITLE: &str = "duramen record 1";
/// Stands before the number of the version.
const TITLE_OF_ANY: &str = "duramen record ";

/// The properties that a segment is known by.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Drawn when it was sealed.
    pub id: [u8; 16],
    /// Sequence number of its first message.
    pub first: u64,
    /// Number of messages.
    pub count: u64,
    /// Received times of its first and last message, microseconds since 1970.
    pub received_us: (i64, i64),
    /// Root of the tree over its messages.
    pub messages: Digest,
    /// Digest of the file: of its header and its footer, which has the digest of each chunk.
    pub contents: Digest,
}

/// The event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A segment was sealed.
    Seal,
    /// The same messages were written to a new file: another index, another encryption.
    Rewrite,
    /// The same messages were written to a smaller file, in place of the one with this digest.
    Recode(Digest),
    /// A segment was removed, for a reason.
    Removal(String),
    /// Its file went to an archive: the file's digest and its path there.
    Archive(String),
    /// Its file came back from the archive.
    Restore,
    /// The chain had lost records, and continues with this many that segments still had. Nothing happened to the
    /// segment.
    Recovery(u64),
    /// Another key signs from here on, the one with this fingerprint. Nothing happened to the segment.
    Key(String),
    /// The journal lost messages before they were sealed: these numbers, or fewer, were acknowledged.
    Gap,
}

impl Event {
    /// Returns true when only the location of a file changed, not its contents.
    pub fn is_move(&self) -> bool {
        matches!(self, Event::Archive(_) | Event::Restore)
    }

    /// Returns true when the record is about the contents of a segment, or its removal.
    pub fn is_of_contents(&self) -> bool {
        !self.is_move() && !matches!(self, Event::Recovery(_) | Event::Key(_) | Event::Gap)
    }
}

/// The end of the ledger at one moment: later changes to its contents up to then can be detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LedgerHead {
    /// Number of entries, from 1.
    pub entries: u64,
    /// Digest of the last one.
    pub last: Digest,
}

/// A signed record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its number, from 0.
    pub number: u64,
    /// The logspace, by the id that was drawn for it.
    pub logspace: [u8; 16],
    /// Digest of the record before; zeros for the first.
    pub previous: Digest,
    /// When it was made, microseconds since 1970, by the server's clock.
    pub at_us: i64,
    /// The event.
    pub event: Event,
    /// To which segment.
    pub segment: Facts,
    /// The end of the server's ledger at that time; none in records of older versions and without a ledger.
    pub ledger: Option<LedgerHead>,
    /// Fingerprint of the key that signed it.
    pub signer: String,
    /// The signature over the text before it.
    pub signature: Vec<u8>,
}

impl LedgerHead {
    fn parse(text: &str) -> Option<LedgerHead> {
        let (entries, last) = text.split_once(' ')?;
        Some(LedgerHead { entries: entries.parse().ok()?, last: Digest::parse(last)? })
    }
}

impl Record {
    /// The text that is signed.
    pub fn statement(&self) -> String {
        let Facts { id, first, count, received_us: (from, to), messages, contents } = &self.segment;
        let (event, more) = match &self.event {
            Event::Seal => ("seal", String::new()),
            Event::Rewrite => ("rewrite", String::new()),
            Event::Recode(replaced) => ("recode", format!("replaces sha256:{replaced}\n")),
            Event::Removal(reason) => ("removal", format!("reason {reason}\n")),
            Event::Archive(place) => ("archive", format!("place {place}\n")),
            Event::Restore => ("restore", String::new()),
            Event::Recovery(records) => ("recovery", format!("recovered {records}\n")),
            Event::Key(fingerprint) => ("key", format!("key {fingerprint}\n")),
            Event::Gap => ("gap", String::new()),
        };
        let ledger = self.ledger.map(|head| format!("ledger {} {}\n", head.entries, head.last));
        let ledger = ledger.unwrap_or_default();
        format!(
            "{TITLE}\nnumber {}\nlogspace {}\nprevious {}\nat {}\nevent {event}\nsegment {}\n\
             numbers {first} {count}\nreceived {from} {to}\nmessages sha256:{messages}\n\
             contents sha256:{contents}\n{more}{ledger}signer {}\n",
            self.number,
            hex(&self.logspace),
            self.previous,
            self.at_us,
            hex(id),
            self.signer,
        )
    }

    /// Returns the digest that the next record names and that is time-stamped.
    pub fn digest(&self) -> Digest {
        Digest::of(self.statement().as_bytes())
    }

    /// The whole text, with signature and checksum, ended by an empty line.
    pub fn print(&self) -> String {
        let mut text = format!("{}signature {}\n", self.statement(), STANDARD.encode(&self.signature));
        let sum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("sum {sum:08x}\n\n"));
        text
    }

    /// Reads what [`Record::print`] wrote.
    pub fn parse(text: &str) -> Option<Record> {
        let mut lines = text.lines().peekable();
        // A line with another name is left for the next call.
        let mut take = |name: &str| {
            let rest = lines.peek()?.strip_prefix(name)?.strip_prefix(' ')?;
            lines.next();
            Some(rest.to_owned())
        };
        if take("duramen")? != TITLE.strip_prefix("duramen ")? {
            return None;
        }
        let number = take("number")?.parse().ok()?;
        let logspace = unhex(&take("logspace")?)?.try_into().ok()?;
        let previous = Digest::parse(&take("previous")?)?;
        let at_us = take("at")?.parse().ok()?;
        let event = take("event")?;
        let id = unhex(&take("segment")?)?.try_into().ok()?;
        let (first, count) = pair(&take("numbers")?)?;
        let received_us = pair(&take("received")?)?;
        let messages = Digest::parse(take("messages")?.strip_prefix("sha256:")?)?;
        let contents = Digest::parse(take("contents")?.strip_prefix("sha256:")?)?;
        let event = match event.as_str() {
            "seal" => Event::Seal,
            "rewrite" => Event::Rewrite,
            "recode" => Event::Recode(Digest::parse(take("replaces")?.strip_prefix("sha256:")?)?),
            "removal" => Event::Removal(take("reason")?),
            "archive" => Event::Archive(take("place")?),
            "restore" => Event::Restore,
            "recovery" => Event::Recovery(take("recovered")?.parse().ok()?),
            "key" => Event::Key(take("key")?),
            "gap" => Event::Gap,
            _ => return None,
        };
        let ledger = match take("ledger") {
            Some(head) => Some(LedgerHead::parse(&head)?),
            None => None,
        };
        let signer = take("signer")?;
        let signature = STANDARD.decode(take("signature")?).ok()?;
        let segment = Facts { id, first, count, received_us, messages, contents };
        let record = Record { number, logspace, previous, at_us, event, segment, ledger, signer, signature };
        // A record has exactly one valid text, so that nothing can be hidden in another spelling.
        (record.print() == text).then_some(record)
    }

    /// Returns true when a text is a complete record of an unknown kind or version.
    pub fn is_newer(text: &str) -> bool {
        let is_titled = text.starts_with(TITLE_OF_ANY);
        let sum = text.rfind("sum ").and_then(|at| text.split_at_checked(at));
        let is_whole =
            |(body, sum): (&str, &str)| sum == format!("sum {:08x}\n\n", crc32fast::hash(body.as_bytes()));
        is_titled && Record::parse(text).is_none() && sum.is_some_and(is_whole)
    }

    /// Returns true when a key signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.signer == key.fingerprint() && key.verify(self.statement().as_bytes(), &self.signature)
    }

    /// The sequence number after the segment's last message.
    pub fn end(&self) -> u64 {
        self.segment.first.saturating_add(self.segment.count)
    }
}

fn pair<T: std::str::FromStr>(text: &str) -> Option<(T, T)> {
    let (first, second) = text.split_once(' ')?;
    Some((first.parse().ok()?, second.parse().ok()?))
}
