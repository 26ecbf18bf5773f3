//! `cloud-auth()` of the language.
//!
//! In: its options. Out: where tokens come from. Holds: nothing. Limits: missing credentials are an error with their position.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use crate::authorities;
use config::{Diagnostic, tree::Call};
use services::{
    Authorize, ClientAuth, ClientCredentials, CloudAuth, Compression, MetadataAccount, RequestSettings,
    ServiceAccount, Tokens,
};
use std::{path::PathBuf, time::Duration};
use transport::tls::{SenderTls, TlsOptions};

/// Longest wait for a token.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// How long before its end a token is replaced.
const REFRESH_OFFSET: Duration = Duration::from_secs(60);
/// Lifetime of a token that is signed here.
const VALIDITY: Duration = Duration::from_secs(3600);
/// The address at which a machine of Google asks for its own tokens.
const METADATA_URL: &str = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts";
/// The server that gives out tokens of Azure; national clouds have others.
const AZURE_AUTHORITY: &str = "https://login.microsoftonline.com";
/// The scope of tokens for Azure Monitor.
const AZURE_SCOPE: &str = "https://monitor.azure.com//.default";

/// Returns the last option of a name.
fn last<'c>(call: &'c Call, name: &str) -> Option<&'c Call> {
    call.options().filter(|option| option.key() == name).last()
}

fn text(call: &Call, name: &str) -> Option<String> {
    last(call, name).and_then(Call::text).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn seconds(call: &Call, name: &str) -> Option<Duration> {
    last(call, name).and_then(Call::number).map(|seconds| Duration::from_secs(seconds.unsigned_abs()))
}

impl<'t> Lowering<'t> {
    /// Parses `cloud-auth()`. The outer `None` means an error, which is in the report.
    pub(super) fn cloud_auth(&mut self, options: &Options<'t>) -> Option<Option<Box<dyn Authorize>>> {
        let Some(call) = options.own("cloud-auth") else { return Some(None) };
        let Some(kind) = call.options().last() else {
            return self.lacking(call, "oauth2(), azure() or gcp()");
        };
        let auth = match kind.key().as_str() {
            "oauth2" => self.oauth2(kind)?,
            "azure" => self.azure(kind)?,
            _ => self.gcp(kind)?,
        };
        let settings = RequestSettings {
            method: "POST".to_owned(),
            headers: Vec::new(),
            compression: Compression::None,
            timeout: ANSWER_WITHIN,
            follows_redirects: false,
            proxy: self.proxy(options)?,
            tls: SenderTls::new(TlsOptions {
                ca_file: authorities::system(),
                sni: true,
                ..TlsOptions::default()
            }),
        };
        Some(Some(Box::new(Tokens::new(auth, settings))))
    }

    fn lacking<T>(&mut self, call: &Call, what: &str) -> Option<T> {
        let message = format!("`{}()` needs {what}", call.key());
        self.report.push(Diagnostic::error(call.span, message));
        None
    }

    /// Returns a text that must be there.
    fn needed(&mut self, call: &Call, name: &str) -> Option<String> {
        text(call, name).or_else(|| self.lacking(call, &format!("{name}()")))
    }

    fn oauth2(&mut self, call: &Call) -> Option<CloudAuth> {
        let token_url = self.needed(call, "token-url")?;
        self.token_url(call, &token_url)?;
        let names = [
            ("scope", "scope"),
            ("resource", "resource"),
            ("authorization-details", "authorization_details"),
        ];
        let fields = names.iter().filter_map(|(option, field)| Some((*field, text(call, option)?))).collect();
        Some(CloudAuth::OAuth2(ClientCredentials {
            client_id: self.needed(call, "client-id")?,
            client_secret: self.needed(call, "client-secret")?,
            token_url,
            fields,
            method: match text(call, "auth-method").as_deref() {
                Some("post-body" | "post_body") => ClientAuth::PostBody,
                _ => ClientAuth::Basic,
            },
            refresh_offset: seconds(call, "refresh-offset").unwrap_or(REFRESH_OFFSET),
        }))
    }

    fn token_url(&mut self, call: &Call, url: &str) -> Option<()> {
        if services::server_url(url).is_some() {
            return Some(());
        }
        let message = format!("`{url}` is no address of a server of tokens");
        self.report
            .push(Diagnostic::error(call.span, message).help("https://host/path, without user and query"));
        None
    }

    /// Parses `azure(monitor(tenant-id() app-id() app-secret() scope()))`.
    fn azure(&mut self, call: &Call) -> Option<CloudAuth> {
        let Some(monitor) = last(call, "monitor") else { return self.lacking(call, "monitor()") };
        let tenant = self.needed(monitor, "tenant-id")?;
        let authority = text(monitor, "authority").unwrap_or_else(|| AZURE_AUTHORITY.to_owned());
        let token_url = format!("{}/{tenant}/oauth2/v2.0/token", authority.trim_end_matches('/'));
        self.token_url(monitor, &token_url)?;
        let scope = text(monitor, "scope").unwrap_or_else(|| AZURE_SCOPE.to_owned());
        Some(CloudAuth::OAuth2(ClientCredentials {
            client_id: self.needed(monitor, "app-id")?,
            client_secret: self.needed(monitor, "app-secret")?,
            token_url,
            fields: vec![("scope", scope)],
            method: ClientAuth::PostBody,
            refresh_offset: REFRESH_OFFSET,
        }))
    }

    /// Parses `gcp(service-account(key() audience()))`, whose options may be written apart, or
    /// `gcp(user-managed-service-account(name()))`.
    fn gcp(&mut self, call: &Call) -> Option<CloudAuth> {
        if let Some(account) = last(call, "user-managed-service-account") {
            return Some(CloudAuth::Metadata(MetadataAccount {
                name: self.needed(account, "name")?,
                url: text(account, "metadata-url").unwrap_or_else(|| METADATA_URL.to_owned()),
            }));
        }
        let written = || call.options().filter(|option| option.key() == "service-account");
        let of = |name: &str| written().filter_map(|account| text(account, name)).last();
        let place = written().last().unwrap_or(call);
        let Some(key) = of("key") else { return self.lacking(place, "key()") };
        let Some(audience) = of("audience") else { return self.lacking(place, "audience()") };
        let validity = written().filter_map(|account| seconds(account, "token-validity-duration")).last();
        Some(CloudAuth::ServiceAccount(ServiceAccount {
            key: PathBuf::from(key),
            audience,
            validity: validity.unwrap_or(VALIDITY),
        }))
    }
}
