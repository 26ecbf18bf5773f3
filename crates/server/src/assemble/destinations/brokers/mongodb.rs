//! `mongodb()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: `uri()` and the options that syslog-ng had before it cannot be mixed; a setting of the URI that cannot be honoured is
//! refused by its name, and one without effect is a warning.

use super::endpoint::{BATCH_BYTES, machine_tls};
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{Diagnostic, Span, tree::Call};
use delivery::{Batches, DestinationDriver};
use message::Render;
use outputs::{
    InsertOrder, MongodbLogin, MongodbReceiver, MongodbTarget, MongodbTimes, MongodbUri, Seeds, Validation,
    Waiters, check_collection,
};
use std::{path::PathBuf, time::Duration};
use transport::{
    Endpoint,
    tls::{SenderTls, TlsOptions},
};

const URI: &str =
    "mongodb://127.0.0.1:27017/syslog?wtimeoutMS=60000&socketTimeoutMS=60000&connectTimeoutMS=60000";
/// The times of the old options, which name none.
const OLD_TIMES: &str = "?wtimeoutMS=60000&socketTimeoutMS=60000&connectTimeoutMS=60000";
/// Options instead of `uri()`.
const OLD: [&str; 8] = ["servers", "host", "port", "path", "database", "username", "password", "safe-mode"];
/// Documents of a command.
const BATCH_LINES: usize = 1000;
/// Time limits unless the URI has others.
const CONNECT_WITHIN: Duration = Duration::from_secs(60);
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
const SELECT_WITHIN: Duration = Duration::from_secs(30);

impl<'t> Lowering<'t> {
    /// Makes the receiver of `mongodb()`. It stores values, so the template beside it is not used.
    pub(crate) fn mongodb(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let (uri, span) = self.mongodb_uri(options)?;
        let database = uri.database.clone().unwrap_or_default();
        let tls = self.mongodb_tls(options, &uri, span)?;
        let collection = match options.own("collection") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("messages", options)?,
        };
        let collection = self.template_renderer(collection, options);
        let fault = collection.constant().and_then(|name| check_collection(&database, name.as_bytes()).err());
        if let Some(error) = fault {
            let span = options.own("collection").map_or(span, |option| option.span);
            self.report.push(Diagnostic::error(span, format!("`collection()`: {error}")));
            return None;
        }
        let is_yes = |name: &str| options.own(name).and_then(Call::truth);
        let gathered = batches(options, BATCH_LINES, BATCH_BYTES);
        let pairs = self.selected_pairs(options)?;
        let target = MongodbTarget {
            seeds: seeds(&uri, tls.as_ref()),
            tls,
            login: login(&uri),
            collection,
            values: self.typed_renderer(pairs, options),
            concern: self.mongodb_concern(options, &uri)?,
            order: match is_yes("bulk-unordered") {
                Some(true) => InsertOrder::Unordered,
                _ => InsertOrder::Ordered,
            },
            validation: match is_yes("bulk-bypass-validation") {
                Some(true) => Validation::Bypassed,
                _ => Validation::Checked,
            },
            times: MongodbTimes {
                connect: uri.connect.unwrap_or(CONNECT_WITHIN),
                answer: uri.answer.unwrap_or(ANSWER_WITHIN),
                selection: uri.selection.unwrap_or(SELECT_WITHIN),
            },
            batches: match is_yes("bulk") {
                Some(false) => Batches { lines: 1, ..gathered },
                _ => gathered,
            },
            database,
        };
        let unused = self.built_in_template("", options)?;
        let receiver = DestinationDriver::Receiver(Box::new(MongodbReceiver::new(target)));
        Some((receiver, self.template_renderer(unused, options)))
    }

    /// Returns the address, and where it is written.
    fn mongodb_uri(&mut self, options: &Options<'t>) -> Option<(MongodbUri, Span)> {
        let old: Vec<&Call> = OLD.iter().filter_map(|name| options.own(name)).collect();
        let (text, span) = match (options.own("uri"), old.first()) {
            (Some(_), Some(old)) => {
                let message = format!("`uri()` and `{}()` cannot be used together", old.name.text);
                let error = Diagnostic::error(old.span, message);
                self.report
                    .push(error.help("uri(\"mongodb://USER:PASSWORD@HOST:PORT/DATABASE\") has them all"));
                return None;
            }
            (Some(uri), None) => (uri.text().unwrap_or_default().to_owned(), uri.span),
            (None, Some(old)) => (self.uri_of_old(options, old.span)?, old.span),
            (None, None) => (URI.to_owned(), options.call.name.span),
        };
        let uri = match MongodbUri::parse(&text) {
            Ok(uri) => uri,
            Err(error) => {
                self.report.push(Diagnostic::error(span, format!("the address of `mongodb()`: {error}")));
                return None;
            }
        };
        if uri.database.is_none() {
            let error = Diagnostic::error(span, "`uri()` names no database");
            self.report.push(error.help("uri(\"mongodb://HOST:PORT/DATABASE\")"));
            return None;
        }
        for name in &uri.ignored {
            let message =
                format!("`{name}` in `uri()` has no effect: it is about other things than storing messages");
            self.report.push(Diagnostic::warning(span, message));
        }
        Some((uri, span))
    }

    /// Writes the options that syslog-ng had before `uri()` as one.
    fn uri_of_old(&mut self, options: &Options<'t>, span: Span) -> Option<String> {
        let text = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        let servers = options.own("servers").map(Call::texts).unwrap_or_default();
        let servers: Vec<String> = match (text("path"), text("host")) {
            (Some(path), None) if servers.is_empty() && options.own("port").is_none() => vec![escaped(&path)],
            (Some(_), _) => {
                let error = Diagnostic::error(
                    span,
                    "`path()` cannot be mixed with `host()`, `port()` or `servers()`",
                );
                self.report.push(error);
                return None;
            }
            (None, host) => {
                let port = options.port(["port", "port"], 27017);
                let first = match host {
                    Some(host) => Some(format!(
                        "{}:{port}",
                        if host.contains(':') { format!("[{host}]") } else { host }
                    )),
                    None if servers.is_empty() => Some(format!("127.0.0.1:{port}")),
                    None => None,
                };
                first.into_iter().chain(servers.iter().map(|server| (*server).to_owned())).collect()
            }
        };
        let login = match (text("username"), text("password")) {
            (Some(user), Some(password)) => format!("{}:{}@", escaped(&user), escaped(&password)),
            (None, None) => String::new(),
            _ => {
                self.report
                    .push(Diagnostic::error(span, "`mongodb()` needs both of `username()` and `password()`"));
                return None;
            }
        };
        let database = escaped(&text("database").unwrap_or_else(|| "syslog".to_owned()));
        let safe = match options.own("safe-mode").and_then(Call::truth) {
            Some(false) => "&w=0",
            _ => "",
        };
        Some(format!("mongodb://{login}{}/{database}{OLD_TIMES}{safe}", servers.join(",")))
    }

    /// Returns how connections are encrypted: by `tls()`, or as the URI says.
    fn mongodb_tls(
        &mut self,
        options: &Options<'t>,
        uri: &MongodbUri,
        span: Span,
    ) -> Option<Option<SenderTls>> {
        let host = uri.servers.iter().find(|(host, _)| host.starts_with('/')).or(uri.servers.first());
        let host = host.map(|(host, _)| host.as_str()).unwrap_or_default();
        let has_files = uri.ca_file.is_some() || uri.cert_file.is_some();
        let is_on = uri.tls.unwrap_or(has_files);
        match options.own("tls") {
            Some(tls) if uri.tls == Some(false) || has_files => {
                let message = "`tls()` and what `uri()` says about TLS cannot be used together";
                self.report.push(Diagnostic::error(tls.span, message));
                None
            }
            Some(_) => self.encryption(options, host),
            None if is_on && host.starts_with('/') => {
                let message = format!("TLS needs a host: {host} is a unix socket of this machine");
                self.report.push(Diagnostic::error(span, message));
                None
            }
            None if is_on && has_files => Some(Some(files_tls(uri))),
            None => Some(is_on.then(machine_tls)),
        }
    }

    fn mongodb_concern(&mut self, options: &Options<'t>, uri: &MongodbUri) -> Option<outputs::WriteConcern> {
        let mut concern = uri.concern.clone();
        if let Some(option) = options.own("write-concern") {
            let text = options.own_text("write-concern").unwrap_or_default();
            concern.waiters = Some(match text.to_ascii_lowercase().as_str() {
                "acked" => Waiters::Servers(1),
                "unacked" => Waiters::Servers(0),
                "majority" => Waiters::Majority,
                number => match number.parse() {
                    Ok(count) if count >= 0 => Waiters::Servers(count),
                    _ => {
                        let message = format!("`{text}` is no write concern");
                        let error = Diagnostic::error(option.span, message);
                        self.report.push(error.help("acked, unacked, majority, or a number of servers"));
                        return None;
                    }
                },
            });
        }
        if concern.waiters == Some(Waiters::Servers(0)) {
            // The server refuses a journal and a time for what it is not asked to confirm.
            concern.journal = None;
            concern.within = None;
        }
        Some(concern)
    }
}

fn seeds(uri: &MongodbUri, tls: Option<&SenderTls>) -> Seeds {
    let endpoint =
        |(host, port): &(String, u16)| Endpoint { host: host.clone(), port: *port, tls: tls.cloned() };
    let mut servers: Vec<Endpoint> = uri.servers.iter().map(endpoint).collect();
    match uri.direct {
        Some(true) if servers.len() == 1 => Seeds::Direct(servers.remove(0)),
        _ => Seeds::Discover(servers, uri.set.clone()),
    }
}

fn login(uri: &MongodbUri) -> Option<MongodbLogin> {
    let (user, password) = uri.login.clone()?;
    let source = uri.source.clone().or_else(|| uri.database.clone()).unwrap_or_default();
    Some(MongodbLogin { user, password, source, mechanism: uri.mechanism })
}

/// Returns the encryption with the files that a URI names; one file has both the certificate and its key.
fn files_tls(uri: &MongodbUri) -> SenderTls {
    let machine: Option<PathBuf> = crate::authorities::system();
    SenderTls::new(TlsOptions {
        ca_file: uri.ca_file.clone().or(machine),
        cert_file: uri.cert_file.clone(),
        key_file: uri.cert_file.clone(),
        sni: true,
        ..TlsOptions::default()
    })
}

/// Returns a text as a part of a URI has it.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
