//! The options of `cloud-auth()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for requests. Holds: nothing that runs.
//! Limits: none.

use std::{fmt, path::PathBuf, time::Duration};

/// `cloud-auth()`: where tokens come from.
#[derive(Clone, PartialEq, Eq)]
pub enum CloudAuth {
    /// `oauth2()`, `azure(monitor())`
    OAuth2(ClientCredentials),
    /// `gcp(service-account())`
    ServiceAccount(ServiceAccount),
    /// `gcp(user-managed-service-account())`
    Metadata(MetadataAccount),
}

/// `auth-method()`: where a client writes its id and its secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ClientAuth {
    /// `basic`: in the header `Authorization`.
    #[default]
    Basic,
    /// `post-body`: in the body.
    PostBody,
}

/// Credentials of a client of OAuth 2.0.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCredentials {
    /// `client-id()`
    pub client_id: String,
    /// `client-secret()`
    pub client_secret: String,
    /// `token-url()`
    pub token_url: String,
    /// Further fields of the request: `scope()`, `resource()`, `authorization-details()`.
    pub fields: Vec<(&'static str, String)>,
    /// `auth-method()`
    pub method: ClientAuth,
    /// `refresh-offset()`: how long before its end a token is replaced.
    pub refresh_offset: Duration,
}

/// A service account of Google with its key.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceAccount {
    /// `key()`: the file in JSON that Google gives out.
    pub key: PathBuf,
    /// `audience()`
    pub audience: String,
    /// `token-validity-duration()`
    pub validity: Duration,
}

/// The account of a machine of Google.
#[derive(Clone, PartialEq, Eq)]
pub struct MetadataAccount {
    /// `name()`
    pub name: String,
    /// `metadata-url()`
    pub url: String,
}

/// Secrets are not shown.
impl fmt::Debug for CloudAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CloudAuth::OAuth2(client) => {
                let names: Vec<&str> = client.fields.iter().map(|(name, _)| *name).collect();
                write!(f, "OAuth2({} {} {names:?} ", client.client_id, client.token_url)?;
                write!(f, "{:?} {:?})", client.method, client.refresh_offset)
            }
            CloudAuth::ServiceAccount(account) => {
                let ServiceAccount { key, audience, validity } = account;
                write!(f, "ServiceAccount({} {audience} {validity:?})", key.display())
            }
            CloudAuth::Metadata(account) => write!(f, "Metadata({} {})", account.name, account.url),
        }
    }
}
