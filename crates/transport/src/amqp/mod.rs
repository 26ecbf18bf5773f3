//! What sources and destinations of AMQP 0-9-1 share.
//!
//! In: names, texts; bytes of frames. Out: frames; bytes. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `method` | methods, and the properties of messages that are published |
//! | `content` | messages that are delivered |
//! | `login` | who we are, and the limits of a connection |
//! | `frame` | frames, and the values in them |

mod content;
pub mod frame;
mod login;
pub mod method;

pub use content::{ContentHeader, Delivery, decode_delivery};
pub use frame::{FRAME_BYTES_MIN, Frame, FrameKind, HEARTBEAT, decode as decode_frame};
pub use login::{AmqpLogin, Durability, NAME_BYTES_MAX, Tune, UnfitTune};
pub use method::{
    CHANNEL, Method, PROTOCOL_HEADER, Reach, Refusal, acknowledge, bind_queue, close_channel_ok,
    close_connection, close_connection_ok, consume, decode, find_queue, limit_unacknowledged, make_queue,
    mechanism, open_channel, reject, start_ok, tune_ok_and_open,
};

#[cfg(test)]
mod tests;
