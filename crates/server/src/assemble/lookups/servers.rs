//! `add-contextual-data()` whose database is a server.
//!
//! In: its options. Out: a step of a log path. Holds: nothing. What is known of a server continues over reloads that change nothing about it.
//! Limits: a command of Redis is one that reads; the key stands behind the host of a URL.

use crate::assemble::{
    destinations::brokers::endpoint::answer_within, lowering::Lowering, options::driver::Options,
    parsers::calls::ParserCall,
};
use config::{
    Diagnostic,
    tree::{Call, Kind},
};
use enrich::{
    Backend, BackendServer, CacheLimits, KeyText, LookupStep, LookupStore, Naming, OnFailure, SqlQuery,
    StepOptions,
};
use outputs::RedisSource;
use pipeline::{Parser, parser::Selector};
use services::RequestSettings;
use std::{sync::Arc, time::Duration};
use transport::sql::{SqlLogin, SqlServer};

const REDIS_PORT: u16 = 6379;
/// Commands of Redis that read a value of a key and change nothing.
const READING: &[&str] = &["GET", "HGET", "HGETALL", "HMGET"];
/// Requests over HTTP at the same time.
const WORKERS: usize = 8;
/// Sessions of a database.
const SQL_WORKERS: usize = 2;
/// Longest time of a lookup.
const LOOKUP_WITHIN: Duration = Duration::from_secs(1);
/// Longest time for which a server that fails is left alone.
const REOPEN: Duration = Duration::from_secs(60);
const CACHE_BYTES: usize = 16 << 20;
const EXPIRE: Duration = Duration::from_secs(300);
const EXPIRE_MISSING: Duration = Duration::from_secs(60);
const EXPIRE_STALE: Duration = Duration::from_secs(3600);
/// Options that only a database with a server has.
const OF_SERVERS: &[&str] = &[
    "timeout",
    "time-reopen",
    "cache-bytes",
    "cache-expire",
    "cache-expire-missing",
    "cache-expire-stale",
    "on-failure",
];

impl<'t> Lowering<'t> {
    /// Makes the step that asks a server.
    pub(crate) fn lookup(
        &mut self,
        parser: ParserCall<'t>,
        server: &'t Call,
        selector: Selector,
    ) -> Option<Arc<dyn Parser>> {
        let address = std::ptr::from_ref(parser.options.call);
        if let Some(known) = self.waiting_parsers.get(&address) {
            return Some(known.clone());
        }
        let options = parser.options;
        if matches!(selector, Selector::Glob(_)) {
            let message = "a selector is no glob when the database is a server, which cannot look for globs";
            self.report_option(options.own("selector")?, message);
            return None;
        }
        let backend = self.lookup_backend(&options, server)?;
        let limits = cache_limits(&options);
        let settings = format!("lookup {backend:?} {limits:?}");
        let store: Arc<LookupStore> = self.environment.reload_state.get(&settings);
        self.count_lookups(&backend.name, &store);
        let step = StepOptions {
            selector,
            default: options.own_text("default-selector"),
            ignore_case: options.is_yes("ignore-case"),
            on_failure: match options.word("on-failure").as_deref() {
                Some("pass") => OnFailure::Pass,
                Some("no-match") => OnFailure::Stop,
                _ => OnFailure::Mark,
            },
        };
        // A configuration that is only tried asks nobody.
        let log = self.environment.waits_for_classes.then(|| self.environment.log.clone());
        let made: Arc<dyn Parser> = Arc::new(LookupStep::new(step, backend, limits, store, log));
        self.waiting_parsers.insert(address, made.clone());
        Some(made)
    }

    /// Warns of options that a file has no use for.
    pub(crate) fn warn_of_file(&mut self, options: &Options<'t>) {
        for option in OF_SERVERS.iter().filter_map(|name| options.own(name)) {
            let message =
                format!("`{}()` has no effect: the database is a file, which is in memory", option.name.text);
            self.report.push(Diagnostic::warning(option.name.span, message));
        }
    }

    fn lookup_backend(&mut self, options: &Options<'t>, call: &'t Call) -> Option<Backend> {
        let own = Options::new(Kind::Destination, call, self.globals);
        let timeout = answer_within(options, LOOKUP_WITHIN);
        let (server, name) = match call.key().as_str() {
            "http" => self.http_lookup(&own, timeout)?,
            "redis" => self.redis_lookup(&own, timeout)?,
            "sql" => self.sql_lookup(&own)?,
            _ => return None,
        };
        let naming = Naming {
            prefix: options.own_text("prefix").unwrap_or_default(),
            single: own.own_text("value-name").unwrap_or_else(|| "value".to_owned()),
        };
        let reopen = options.seconds("time-reopen").unwrap_or(REOPEN);
        Some(Backend { server, naming, timeout, reopen, name })
    }

    fn http_lookup(&mut self, options: &Options<'t>, timeout: Duration) -> Option<(BackendServer, String)> {
        let Some(option) = options.own("url") else {
            let error = Diagnostic::error(options.call.name.span, "`http()` needs `url()`");
            self.report.push(error.help("url(\"https://host/path/${key}\")"));
            return None;
        };
        let written = option.text().unwrap_or_default();
        let url = self.key_text(option, written)?;
        let (scheme, rest) = written.split_once("://").unwrap_or(("", written));
        let before = url.before_key().and_then(|before| before.split_once("://")).map(|(_, before)| before);
        let is_behind_host = before.is_some_and(|before| before.find(['/', '?']).is_some_and(|at| at > 0));
        let is_plain = written.bytes().all(|byte| byte.is_ascii_graphic()) && !written.contains('#');
        if !matches!(scheme, "http" | "https") || !is_behind_host || !is_plain {
            let message = format!("`{written}` is no URL with the key in its path or its query");
            let error = Diagnostic::error(option.span, message);
            self.report.push(error.help("url(\"https://host/path/${key}\")"));
            return None;
        }
        self.only_encrypted(options, written)?;
        let settings = self.request_settings(options)?;
        let has_accept = settings.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept"));
        let accept = ("Accept".to_owned(), "application/json".to_owned());
        let headers = settings.headers.into_iter().chain((!has_accept).then_some(accept)).collect();
        let settings = RequestSettings { method: "GET".to_owned(), headers, timeout, ..settings };
        // The user of a URL, and what stands in its query, are nobody's business.
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let name = format!("{scheme},{host}");
        let workers = options.count("workers", WORKERS);
        Some((BackendServer::Http { url, settings: Arc::new(settings), workers }, name))
    }

    fn redis_lookup(&mut self, options: &Options<'t>, timeout: Duration) -> Option<(BackendServer, String)> {
        let written = options.own("command");
        let texts = written.map_or_else(|| vec!["HGETALL".to_owned(), "${key}".to_owned()], Call::texts);
        let place = written.unwrap_or(options.call);
        let name = texts.first().map(|name| name.to_ascii_uppercase()).unwrap_or_default();
        if !READING.contains(&name.as_str()) {
            let message =
                format!("`{name}` is no command that looks a key up; one of {}", READING.join(", "));
            self.report.push(Diagnostic::error(place.span, message));
            return None;
        }
        let mut command = Vec::new();
        for text in &texts {
            command.push(self.key_text(place, text)?);
        }
        let fits = match name.as_str() {
            "HGET" => command.len() == 3,
            "HMGET" => command.len() >= 3,
            _ => command.len() == 2,
        };
        if !fits || command.get(1).and_then(KeyText::before_key).is_none() {
            let message = format!("`{name}` has another number of arguments, or its first one has no key");
            let error = Diagnostic::error(place.span, message);
            self.report.push(error.help("command(\"HGETALL\" \"host:${key}\")"));
            return None;
        }
        let server = self.endpoint(options, REDIS_PORT)?;
        let name = match server.host.starts_with('/') {
            true => format!("redis,{}", server.host),
            false => format!("redis,{},{}", server.host, server.port),
        };
        let login = self.redis_login(options)?;
        // The name, and the fields behind the key.
        let fields = texts.iter().enumerate().filter(|(place, _)| *place != 1).map(|(_, text)| text.clone());
        let fields = fields.collect();
        Some((BackendServer::Redis { source: RedisSource { server, login, timeout }, command, fields }, name))
    }

    fn sql_lookup(&mut self, options: &Options<'t>) -> Option<(BackendServer, String)> {
        let Some(option) = options.own("query") else {
            let error = Diagnostic::error(options.call.name.span, "`sql()` needs `query()`");
            self.report.push(error.help("query(\"SELECT name, value FROM t WHERE k = ?\")"));
            return None;
        };
        let query = match SqlQuery::parse(option.text().unwrap_or_default()) {
            Ok(query) => query,
            Err(error) => {
                self.report_option(option, error.to_string());
                return None;
            }
        };
        let server = self.sql_server(options)?;
        let of =
            |kind: &str, login: &SqlLogin| format!("{kind},{},{},{}", login.host, login.port, login.database);
        let (name, workers_max) = match &server {
            SqlServer::Postgres(login) => (of("pgsql", login), usize::MAX),
            SqlServer::Mysql(login) => (of("mysql", login), usize::MAX),
            // A file has one reader: it is in memory, or its disk is busy.
            SqlServer::Sqlite(path) => (format!("sqlite3,{}", path.display()), 1),
        };
        let workers = options.count("workers", SQL_WORKERS).min(workers_max);
        Some((BackendServer::Sql { server, query, workers }, name))
    }

    fn key_text(&mut self, option: &Call, text: &str) -> Option<KeyText> {
        match KeyText::parse(text) {
            Ok(text) => Some(text),
            Err(error) => {
                let error = Diagnostic::error(option.span, error.to_string());
                self.report.push(error.help("what else the message has goes into selector()"));
                None
            }
        }
    }

    /// Registers the counters of a server's lookups under a name that no other has.
    pub(crate) fn count_lookups(&mut self, name: &str, store: &Arc<LookupStore>) {
        let known = &mut self.counters.lookups;
        if known.iter().any(|(_, other)| Arc::ptr_eq(other, store)) {
            return;
        }
        let same = known.iter().filter(|(other, _)| other.split('#').next() == Some(name)).count();
        let name = if same == 0 { name.to_owned() } else { format!("{name}#{}", same + 1) };
        known.push((name, store.clone()));
    }
}

fn cache_limits(options: &Options<'_>) -> CacheLimits {
    let seconds = |name, default| options.own(name).and_then(|_| options.seconds(name)).unwrap_or(default);
    CacheLimits {
        bytes_max: options.count("cache-bytes", CACHE_BYTES),
        expire: seconds("cache-expire", EXPIRE),
        expire_missing: seconds("cache-expire-missing", EXPIRE_MISSING),
        expire_stale: seconds("cache-expire-stale", EXPIRE_STALE),
    }
}
