//! `options { page(...); }`: the addresses and limits of the page and the API.
//!
//! In: the option. Out: TLS options, addresses that redirect callers, the policy for calls, limits of
//! searches and exports, the folder of saved objects, the directory of people. Limits: an address is written with its port; without a certificate there is nothing
//! to redirect callers to.

mod directory;

use super::{
    lowering::Lowering,
    parts::page_spec::{PageLimits, PageSpec},
};
use accounts::{Network, TOKEN_DAYS_MAX};
use api::{Policy, ProxyHeader};
use config::Diagnostic;
use config::tree::Call;
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use transport::tls::{PeerVerify, TlsOptions};

impl Lowering<'_> {
    pub(crate) fn page(&mut self) -> PageSpec {
        let Some(page) = self.globals.get("page") else { return PageSpec::default() };
        let tls = page.option("tls");
        let mut spec = PageSpec { limits: PageLimits::of(page), ..PageSpec::default() };
        if let Some(option) = page.option("objects-dir") {
            spec.objects_dir = self.folder(option, "/etc/duramen/objects");
        }
        if let Some(call) = tls {
            spec.tls = self.tls_of(call).map(|options| {
                // Browsers are asked for a certificate only when the configuration says so.
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
        spec.directory = page.option("directory").and_then(|call| self.directory(call));
        spec.policy = Arc::new(self.policy(page));
        spec
    }

    /// The folder of rules.
    pub(crate) fn rules_dir(&mut self) -> Option<PathBuf> {
        let option = self.globals.get("rules-dir")?;
        self.folder(option, "/etc/duramen/rules")
    }

    /// The folder of an option. A relative one would depend on where the server was started.
    fn folder(&mut self, option: &Call, example: &str) -> Option<PathBuf> {
        let path = option.text().map(PathBuf::from).filter(|path| path.is_absolute());
        if path.is_none() {
            let message = format!("an absolute path is needed, such as \"{example}\"");
            self.report.push(Diagnostic::error(option.span, message));
        }
        path
    }

    fn policy(&mut self, page: &Call) -> Policy {
        let mut policy = Policy::default();
        for option in page.options() {
            match option.key().as_str() {
                "trusted-proxies" => self.proxies(option, &mut policy.trusted_proxies),
                "proxy-header" if option.texts().iter().any(|text| text == "forwarded") => {
                    policy.proxy_header = ProxyHeader::Forwarded;
                }
                "allowed-hosts" => policy.allowed_hosts.extend(option.texts()),
                "session-lifetime" => self.duration(option, &mut policy.session_lifetime),
                "session-idle" => self.duration(option, &mut policy.session_idle),
                "token-lifetime" => self.token_lifetime(option, &mut policy.token_lifetime),
                _ => {}
            }
        }
        policy
    }

    fn duration(&mut self, option: &Call, into: &mut Duration) {
        match option.age_s() {
            Some(0) | None => {
                let message = "a session has to last for a second at least";
                self.report.push(Diagnostic::error(option.span, message));
            }
            Some(seconds) => *into = Duration::from_secs(seconds),
        }
    }

    fn token_lifetime(&mut self, option: &Call, into: &mut Duration) {
        const DAY_S: u64 = 86_400;
        let longest_s = u64::from(TOKEN_DAYS_MAX) * DAY_S;
        match option.age_s() {
            Some(seconds) if (1..=longest_s).contains(&seconds) => *into = Duration::from_secs(seconds),
            Some(_) | None => {
                let message = format!("an API token lasts for 1 second to {TOKEN_DAYS_MAX} days");
                self.report.push(Diagnostic::error(option.span, message));
            }
        }
    }

    fn proxies(&mut self, option: &Call, into: &mut Vec<Network>) {
        for text in option.texts() {
            match text.parse() {
                Ok(network) => into.push(network),
                Err(error) => {
                    let message = format!("`{text}` is no network: {error}");
                    self.report.push(Diagnostic::error(option.span, message));
                }
            }
        }
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
