//! Targets that read messages and their transports.

pub(crate) mod accounting;
pub(crate) mod codec;
pub(crate) mod decode;
pub(crate) mod diskq;
pub(crate) mod frames;
pub(crate) mod gelf;
pub(crate) mod kmsg;
pub(crate) mod sdata;
pub(crate) mod shipped;
