//! Bytes to frames to messages, and back.
//!
//! In: bytes of a socket or a file, split anywhere. Out: messages in a batch whose received bytes are that same
//! buffer; in the other direction, lines ready to be written. One file per framing and per dialect.
//! Holds: no socket, no clock, no file. Time is an argument (`Batch::received`).
//! Limits: decoding is total: no input makes it fail, odd input gets a [`message::Mark`].

mod charset;
mod decode;
mod encode;
mod frame;
mod gelf;
pub mod mail;
mod protocol;
mod record;
mod shipped;
mod snmp;
mod stamp;

pub use charset::{CharacterSet, Transcoder};
pub use decode::{DecodeOptions, Decoder, HostnameTest, ParseFlags, UnknownFlag};
pub use encode::{
    Dialect, EncodeOptions, Encoder, append_legacy_header, append_sdata, append_sdata_numbered,
};
pub use frame::{
    COUNT_DIGITS_MAX, COUNT_MAX, Frame, Framer, Framing, Joined, Joiner, LinePattern, LineUse,
    MESSAGE_BYTES_MAX, MultiLine, Oversize, Preceding, split_record,
};
pub use gelf::{Chunks, Payload, gelf_chunks};
pub use protocol::protobuf;
pub use protocol::{
    LumberjackBatch, LumberjackError, LumberjackEvent, LumberjackReader, OfferError, PacketOptions,
    RELP_VERSION, RELP_WINDOW, RelpCommand, RelpError, RelpFrame, RelpReader, SmtpAnswer, SmtpError,
    append_lumberjack_ack, append_relp, append_udp_packet, check_offers, dtls, mail_dialogue, next_txnr,
    proxy, relp_offers, relp_response, sltp, smtp_answer,
};
pub use record::{
    ACCOUNTING_BYTES, DISKQ_HEADER_BYTES, DISKQ_RECORD_BYTES_MAX, DiskqHeader, DiskqHeaderError, DiskqKind,
    SavedMessageError, SavedQueue, push_accounting, push_kmsg, push_saved_message,
};
pub use shipped::{
    BodyError, BulkItem, BulkOperation, HecMeta, OtlpNames, OtlpParts, OtlpRejection, ShippedReader,
    otlp_request,
};
pub use snmp::{ObjectId, SnmpKind, Trap};
pub use stamp::{Civil, FRACTION_DIGITS_MAX, StampFormat, StampText, guess_zone, zone_of};
