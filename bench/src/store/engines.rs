//! The engines: our server with its client, and the others.

pub(super) mod client;
pub(super) mod duramen;
pub(super) mod grep;
pub(super) mod server;
pub(super) mod tantivy;
pub(super) mod victorialogs;
