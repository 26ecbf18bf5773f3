//! `options { page(...); }`: how the page and the API are reached.
//!
//! In: the option. Out: TLS options, addresses that only send callers on.
//! Limits: an address is written with its port; without a certificate there is nothing to send callers on to.

use super::lower::Lowering;
use config::Diagnostic;
use config::tree::Call;
use relay::tls::{PeerVerify, TlsOptions};
use std::net::SocketAddr;

/// How the page is reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PageSpec {
    /// `tls()`; without it the page speaks plain HTTP.
    pub(crate) tls: Option<TlsOptions>,
    /// `redirect-from()`
    pub(crate) redirects: Vec<SocketAddr>,
}

impl Lowering<'_> {
    pub(super) fn page(&mut self) -> PageSpec {
        let Some(page) = self.globals.get("page") else { return PageSpec::default() };
        let tls = page.option("tls");
        let mut spec = PageSpec::default();
        if let Some(call) = tls {
            spec.tls = self.tls_of(call).map(|options| {
                // Browsers are asked for a certificate only when somebody says so.
                match call.option("peer-verify") {
                    Some(_) => options,
                    None => TlsOptions { peer_verify: PeerVerify::NotAsked, ..options },
                }
            });
            if call.option("cert-file").is_none() || call.option("key-file").is_none() {
                let message = "the page needs its certificate and key: cert-file() and key-file()";
                self.report.push(Diagnostic::error(call.name.span, message));
            }
        }
        for option in page.options().filter(|option| option.key() == "redirect-from") {
            self.redirects(option, &mut spec.redirects);
            if tls.is_none() {
                let message = "`redirect-from()` needs tls(): there is no encrypted page to go to";
                self.report.push(Diagnostic::error(option.name.span, message));
            }
        }
        spec
    }

    fn redirects(&mut self, option: &Call, into: &mut Vec<SocketAddr>) {
        for text in option.texts() {
            match text.parse() {
                Ok(address) => into.push(address),
                Err(_) => {
                    let message = format!("`{text}` is no address to listen on");
                    let help = "an address with its port: \"0.0.0.0:80\", \"[::]:80\"";
                    self.report.push(Diagnostic::error(option.span, message).help(help));
                }
            }
        }
    }
}
