//! Protocols that carry messages, and the headers around them: RELP, SLTP, Lumberjack, the dialogue with mail servers and the replies of
//! SMTP, DTLS records, the PROXY header, UDP packets; the fields of protocol buffers.
//!
//! In: bytes. Out: the parts of the protocol, and its answers as bytes. Holds nothing: see each module.

pub mod dtls;
pub mod mail_dialogue;
pub mod protobuf;
pub mod proxy;
pub mod sltp;

mod datagram;
mod lumberjack;
mod relp;
mod smtp;

pub use datagram::{PacketOptions, append_udp_packet};
pub use lumberjack::{
    LumberjackBatch, LumberjackError, LumberjackEvent, LumberjackReader, append_lumberjack_ack,
};
pub use relp::{
    OfferError, RELP_VERSION, RelpCommand, RelpError, RelpFrame, RelpReader, WINDOW as RELP_WINDOW,
    append_relp, check_offers, next_txnr, relp_offers, relp_response,
};
pub use smtp::{SmtpAnswer, SmtpError, smtp_answer};
