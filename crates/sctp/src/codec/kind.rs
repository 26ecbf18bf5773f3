//! Types of chunks, and how to treat those that are not known.
//!
//! In: a number. Out: a name. Limits: none.
#![allow(missing_docs)] // The names are those of the documents.

pub const DATA: u8 = 0;
pub const INIT: u8 = 1;
pub const INIT_ACK: u8 = 2;
pub const SACK: u8 = 3;
pub const HEARTBEAT: u8 = 4;
pub const HEARTBEAT_ACK: u8 = 5;
pub const ABORT: u8 = 6;
pub const SHUTDOWN: u8 = 7;
pub const SHUTDOWN_ACK: u8 = 8;
pub const ERROR: u8 = 9;
pub const COOKIE_ECHO: u8 = 10;
pub const COOKIE_ACK: u8 = 11;
pub const SHUTDOWN_COMPLETE: u8 = 14;
pub const I_DATA: u8 = 64;
pub const PAD: u8 = 132;
pub const FORWARD_TSN: u8 = 192;
pub const I_FORWARD_TSN: u8 = 194;

/// How to treat something that is not known: the two high bits of its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unrecognized {
    /// Skip the rest.
    Stop,
    /// Skip the rest and report it.
    StopAndReport,
    /// Skip this one.
    Skip,
    /// Skip this one and report it.
    SkipAndReport,
}

impl Unrecognized {
    /// Reads the two high bits of a type's first byte.
    pub fn from_type(first: u8) -> Unrecognized {
        match first >> 6 {
            0 => Unrecognized::Stop,
            1 => Unrecognized::StopAndReport,
            2 => Unrecognized::Skip,
            _ => Unrecognized::SkipAndReport,
        }
    }

    /// Returns whether the rest is skipped.
    pub fn stops(self) -> bool {
        matches!(self, Unrecognized::Stop | Unrecognized::StopAndReport)
    }

    /// Returns whether it is reported.
    pub fn reports(self) -> bool {
        matches!(self, Unrecognized::StopAndReport | Unrecognized::SkipAndReport)
    }
}
