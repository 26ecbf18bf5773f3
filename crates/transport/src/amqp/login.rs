//! Who we are at a broker, and the limits of a connection.
//!
//! In: values that were checked when the configuration was read; what a broker offers. Out: what suits both.
//! Holds: nothing that runs. Limits: none.

use super::frame::FRAME_BYTES_MIN;

/// Channels of a connection of ours.
const CHANNELS: u16 = 1;
/// Longest name that the protocol can hold.
pub const NAME_BYTES_MAX: usize = 255;

/// `auth-method()`
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AmqpLogin {
    /// `plain`: a user with a password.
    Plain {
        /// `username()`
        user: String,
        /// `password()`
        password: String,
    },
    /// `external`: the certificate of `tls()`.
    External,
}

/// `persistent()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Durable queues keep messages over a restart of the broker.
    Persistent,
    /// They do not.
    Transient,
}

/// The limits of a connection that a broker offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tune {
    /// Most channels.
    pub channels: u16,
    /// Most bytes of a frame; 0 is no limit.
    pub frame_bytes: u32,
    /// In seconds; 0 is none.
    pub heartbeat: u16,
}

/// The frames of a broker are smaller than the protocol allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnfitTune;

impl Tune {
    /// Returns the limits that suit both sides, for a connection of one channel.
    pub fn agree(self, frame_bytes: usize, heartbeat: u16) -> Result<Tune, UnfitTune> {
        let ours = u32::try_from(frame_bytes).unwrap_or(u32::MAX);
        let frame_bytes = if self.frame_bytes == 0 { ours } else { self.frame_bytes.min(ours) };
        if (frame_bytes as usize) < FRAME_BYTES_MIN {
            return Err(UnfitTune);
        }
        let heartbeat = match (heartbeat, self.heartbeat) {
            (ours, 0) => ours,
            (ours, theirs) => ours.min(theirs),
        };
        Ok(Tune { channels: CHANNELS, frame_bytes, heartbeat })
    }
}
