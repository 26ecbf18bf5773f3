//! Bytes to frames to messages, and back.
//!
//! In: what a socket or a file gave, split anywhere. Out: messages in a batch whose received bytes are that very
//! buffer; or, the other way, lines ready to be written. One file per framing and per dialect.
//! Holds: no socket, no clock, no file. Time is an argument (`Batch::received`).
//! Limits: decoding is total: no input makes it fail, odd input gets a [`message::Mark`].

mod accounting;
mod charset;
mod datagram;
mod decode;
pub mod dtls;
mod encode;
mod frame;
mod gelf;
mod kmsg;
pub mod mail;
mod multiline;
pub mod proxy;
mod relp;
mod shipped;
mod smtp;
mod snmp;
mod stamp;

pub use accounting::{ACCOUNTING_BYTES, push_accounting};
pub use charset::{CharacterSet, Transcoder};
pub use datagram::{PacketOptions, append_udp_packet};
pub use decode::{DecodeOptions, Decoder, HostnameTest, ParseFlags, UnknownFlag};
pub use encode::{
    Dialect, EncodeOptions, Encoder, append_legacy_header, append_sdata, append_sdata_numbered,
};
pub use frame::{
    COUNT_DIGITS_MAX, COUNT_MAX, Frame, Framer, Framing, MESSAGE_BYTES_MAX, Oversize, split_record,
};
pub use gelf::{Chunks, Payload, gelf_chunks};
pub use kmsg::push_kmsg;
pub use multiline::{Joined, Joiner, LinePattern, LineUse, MultiLine, Preceding};
pub use relp::{
    OfferError, RELP_VERSION, RelpCommand, RelpError, RelpFrame, RelpReader, WINDOW as RELP_WINDOW,
    append_relp, check_offers, next_txnr, relp_offers, relp_response,
};
pub use shipped::{BodyError, BulkItem, BulkOperation, HecMeta, ShippedReader};
pub use smtp::{SmtpAnswer, SmtpError, smtp_answer};
pub use snmp::{ObjectId, SnmpKind, Trap};
pub use stamp::{Civil, FRACTION_DIGITS_MAX, StampFormat, StampText, guess_zone, zone_of};
