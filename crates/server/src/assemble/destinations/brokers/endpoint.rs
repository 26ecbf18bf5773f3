//! A server of the language, and what is sent to it.
//!
//! In: options of a driver. Out: where the server is, encryption, templates. Holds: nothing.
//! Limits: a unix socket is not encrypted.

use crate::{
    assemble::{lowering::Lowering, options::driver::Options},
    authorities,
};
use config::{Diagnostic, tree::Call};
use message::Render;
use std::time::Duration;
use transport::{
    Endpoint,
    tls::{SenderTls, TlsOptions},
};

/// Most bytes of a batch unless `batch-bytes()` says otherwise.
pub(crate) const BATCH_BYTES: usize = 8 << 20;

impl<'t> Lowering<'t> {
    /// Returns the server that `host()` and `port()` name.
    pub(crate) fn endpoint(&mut self, options: &Options<'t>, port: u16) -> Option<Endpoint> {
        let host = options.own_text("host").filter(|host| !host.is_empty());
        let host = host.unwrap_or_else(|| "127.0.0.1".to_owned());
        Some(Endpoint {
            tls: self.encryption(options, &host)?,
            port: options.port(["port", "port"], port),
            host,
        })
    }

    /// Makes the templates of `topic()`, and returns `fallback-topic()`; `fault` says why a text is no name of a topic. A name
    /// that is known here and that no topic can have is an error.
    pub(crate) fn topic(
        &mut self,
        options: &Options<'t>,
        fault: impl Fn(&[u8]) -> Option<String>,
    ) -> Option<(Box<dyn Render>, Option<String>)> {
        let written = options.own("topic")?;
        let topic = self.named_or_text(written)?;
        let topic = self.template_renderer(topic, options);
        let fallback = options.own_text("fallback-topic");
        let named = [("topic", topic.constant()), ("fallback-topic", fallback.as_deref())];
        for (option, name) in named {
            if let Some(fault) = name.and_then(|name| fault(name.as_bytes())) {
                let span = options.own(option).map_or(written.span, |option| option.span);
                self.report.push(Diagnostic::error(span, format!("`{option}()`: {fault}")));
                return None;
            }
        }
        Some((topic, fallback))
    }

    /// Makes the template of what is sent, from the option of this name or the default of the brokers. Returns it twice:
    /// the receiver renders the first, the second shows what it sends.
    pub(crate) fn broker_text(
        &mut self,
        options: &Options<'t>,
        option: &str,
    ) -> Option<(Box<dyn Render>, Box<dyn Render>)> {
        let text = match options.own(option) {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("$ISODATE $HOST $MSGHDR$MSG", options)?,
        };
        let shown = self.template_renderer(text.clone(), options);
        Some((self.template_renderer(text, options), shown))
    }

    /// Parses `tls()`: without authorities of its own it trusts those of the machine, as `http()` does. The name of the
    /// server is always sent (SNI).
    pub(crate) fn encryption(&mut self, options: &Options<'t>, host: &str) -> Option<Option<SenderTls>> {
        match options.own("tls") {
            Some(call) => self.encryption_by(call, host),
            None => Some(None),
        }
    }

    /// Parses the options of `tls()` inside of a call.
    pub(crate) fn encryption_by(&mut self, call: &Call, host: &str) -> Option<Option<SenderTls>> {
        if host.starts_with('/') {
            let message = format!("`tls()` needs a `host()`: {host} is a unix socket of this machine");
            self.report.push(Diagnostic::error(call.span, message));
            return None;
        }
        let tls = self.tls_of(call)?;
        let has_none = tls.ca_file.is_none() && tls.ca_dir.is_none() && tls.pkcs12_file.is_none();
        let ca_file = tls.ca_file.or_else(|| has_none.then(authorities::system).flatten());
        Some(Some(SenderTls::new(TlsOptions { ca_file, sni: true, ..tls })))
    }
}

/// Returns the encryption of an address that asks for it, without `tls()`: the authorities of the machine are trusted.
pub(crate) fn machine_tls() -> SenderTls {
    SenderTls::new(TlsOptions { ca_file: authorities::system(), sni: true, ..TlsOptions::default() })
}

/// Returns `timeout()`.
pub(crate) fn answer_within(options: &Options<'_>, default: Duration) -> Duration {
    options.seconds("timeout").filter(|wait| !wait.is_zero()).unwrap_or(default)
}
