//! `cloud-auth()`: tokens that requests show, fetched or signed, and kept until they end.
//!
//! In: credentials. Out: the header `Authorization`. Holds: the last token. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `tokens` | the token of a destination: a new one when the last one ends |
//! | `issuer` | a token from a server: OAuth 2.0, the metadata of a machine of Google |
//! | `jwt` | a token signed with the key of a service account of Google |
//! | `options` | the options |

mod issuer;
mod jwt;
mod options;
mod tokens;

#[cfg(test)]
mod tests;

pub use options::{ClientAuth, ClientCredentials, CloudAuth, MetadataAccount, ServiceAccount};
pub use tokens::Tokens;
