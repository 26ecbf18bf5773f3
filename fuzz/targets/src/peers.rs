//! Targets that read what peers say about themselves and how they speak.

pub(crate) mod certificate;
pub(crate) mod dtls;
pub(crate) mod proxy;
pub(crate) mod relp;
pub(crate) mod smtp;
