//! Verification of a ledger: its own chain, its signed head, and the seals of the logspaces that name its end.
//!
//! In: the ledger, the chains of logspaces, keys. Out: every finding. Holds: one line; 48 bytes per tie.
//! Limits: entries after the last signed head and the last seal are only chained: cutting them off is not detected. The
//! report says how many these are.

use super::{HeadError, Ledger};
use crate::{chain::Chain, digest::Digest, record::LedgerHead, sign::PublicKey};
use std::io;

/// Keys and chains to verify a ledger with.
#[derive(Clone, Default)]
pub struct LedgerAudit {
    /// Keys that may sign heads and records.
    pub keys: Vec<PublicKey>,
    /// The chains of the logspaces beside it, by name.
    pub chains: Vec<(String, Chain)>,
    /// The digest of an entry that must exist, because it was saved elsewhere.
    pub known: Option<Digest>,
}

/// Something that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerFinding {
    /// Number of the entry that it concerns, when there is one.
    pub entry: Option<u64>,
    /// The fault, in words.
    pub text: String,
}

/// A statement outside of the ledger about how far it had come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerTie {
    /// The source of the claim.
    pub by: String,
    /// The entry.
    pub head: LedgerHead,
}

/// The result.
#[derive(Clone, Default, Debug)]
pub struct LedgerReport {
    /// Entries that are there.
    pub entries: u64,
    /// Digest of the last one.
    pub last: Digest,
    /// Entries that the signed head covers, when it holds.
    pub signed: u64,
    /// The signer; empty when it is not signed.
    pub signer: String,
    /// Entries that a record of a logspace covers.
    pub sealed: u64,
    /// Everything that is wrong.
    pub findings: Vec<LedgerFinding>,
}

impl LedgerReport {
    /// Returns true when nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.findings.is_empty()
    }

    fn add(&mut self, entry: Option<u64>, text: impl Into<String>) {
        self.findings.push(LedgerFinding { entry, text: text.into() });
    }
}

impl LedgerAudit {
    /// Verifies a ledger. One that is missing is empty: that it should not be shows by what names it.
    pub fn run(&self, ledger: &Ledger) -> io::Result<LedgerReport> {
        let mut report = LedgerReport::default();
        // The head first: the server may append and sign while the entries are read.
        let signed = self.signed(ledger, &mut report)?;
        let mut ties = self.ties(&mut report);
        ties.sort_by_key(|tie| tie.head.entries);
        let lines = match ledger.entries() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            opened => Some(opened?),
        };
        let mut waiting = ties.iter().chain(&signed).collect::<Vec<_>>();
        waiting.sort_by_key(|tie| tie.head.entries);
        let mut waiting = waiting.into_iter().peekable();
        let (mut previous, mut is_known) = (Digest::default(), self.known.is_none());
        let mut end = 0;
        for line in lines.into_iter().flatten() {
            let line = line?;
            // After a gap it continues with the existing lines: one change is one finding.
            let number = follow(&line, end, previous, &mut report);
            is_known |= self.known == Some(line.digest);
            (previous, end) = (line.digest, number.saturating_add(1));
            report.entries += 1;
            while let Some(tie) = waiting.next_if(|tie| tie.head.entries <= end) {
                if tie.head.last == line.digest && tie.head.entries == end {
                    let covered =
                        if signed.as_ref() == Some(tie) { &mut report.signed } else { &mut report.sealed };
                    *covered = tie.head.entries;
                } else {
                    report.add(Some(number), format!("entry {number} is not the one that {} names", tie.by));
                }
            }
        }
        report.last = previous;
        for tie in waiting {
            let (entries, named) = (report.entries, tie.head.entries);
            report.add(
                None,
                format!("the end was cut: there are {entries} entries, and {} names {named}", tie.by),
            );
        }
        if !is_known {
            report.add(None, "the entry that was kept elsewhere is not in the ledger");
        }
        Ok(report)
    }

    /// Checks the signed head; returns it when there is one and it holds.
    fn signed(&self, ledger: &Ledger, report: &mut LedgerReport) -> io::Result<Option<LedgerTie>> {
        let head = match ledger.signed_head() {
            Ok(head) => head,
            Err(HeadError::Io(error)) => return Err(error),
            Err(error) => {
                report.add(None, error.to_string());
                return Ok(None);
            }
        };
        let Some(head) = head else {
            if ledger.exists() {
                report.add(None, "the signed head is missing: a server that starts signs what is there then");
            }
            return Ok(None);
        };
        match self.keys.iter().find(|key| key.fingerprint() == head.signer) {
            Some(key) if head.is_signed_by(key) => report.signer.clone_from(&head.signer),
            Some(_) => report.add(None, "the signature of the head is wrong"),
            None if head.signer.is_empty() && self.keys.is_empty() => {}
            None if head.signer.is_empty() => {
                report.add(None, "the head is not signed, though there are keys to sign it")
            }
            None => report.add(None, format!("the head is signed by {}, which is not trusted", head.signer)),
        }
        Ok(Some(LedgerTie { by: "its signed head".to_owned(), head: head.head }))
    }

    /// Returns the heads that records of the logspaces name. A record without a signature names none.
    fn ties(&self, report: &mut LedgerReport) -> Vec<LedgerTie> {
        let mut ties = Vec::new();
        for (name, chain) in &self.chains {
            for record in chain.records() {
                let Some(head) = record.ledger else { continue };
                let by = format!("record {} of logspace {name}", record.number);
                if self.keys.iter().any(|key| record.is_signed_by(key)) {
                    ties.push(LedgerTie { by, head });
                } else {
                    report.add(None, format!("the signature of {by} is wrong, or its key is not trusted"));
                }
            }
        }
        ties
    }
}

/// Checks that a line is the entry after the one before; returns its number.
fn follow(line: &super::Entry, number: u64, previous: Digest, report: &mut LedgerReport) -> u64 {
    let Some(stated) = line.number() else {
        report.add(Some(number), format!("the line of entry {number} is no entry"));
        return number;
    };
    if stated != number {
        report.add(
            Some(number),
            format!("entry {stated} stands where entry {number} belongs: entries were taken out, put in or reordered"),
        );
    } else if line.previous() != Some(previous) {
        let before = number.saturating_sub(1);
        let text = format!("entry {number} does not follow entry {before}: one of them was changed");
        report.add(Some(number), text);
    }
    stated
}
