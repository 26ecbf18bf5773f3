//! `clickhouse()` of the language: rows over HTTP.
//!
//! In: its options. Out: a receiver. Holds: nothing. Limits: syslog-ng speaks gRPC here, and we HTTP, so an address without
//! `http://` is an error; so are names that no column can have.

use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic, Span,
    tree::{Arg, Call},
};
use delivery::{Batches, DestinationDriver};
use message::Render;
use services::{
    ClickhouseColumn, ClickhouseContent, ClickhouseFormat, ClickhouseReceiver, ClickhouseTarget, Compression,
    check_name, server_url,
};
use std::{sync::Arc, time::Duration};

const URL: &str = "http://127.0.0.1:8123";
const DATABASE: &str = "default";
/// Rows of an INSERT: ClickHouse wants a thousand or more, because each makes a part of the table.
const BATCH_LINES: usize = 10_000;
/// Bytes of an INSERT: half of what a disk buffer has in memory, so that one can be filled while another is sent.
const BATCH_BYTES: usize = 8 << 20;
/// How long an INSERT waits for more rows: ClickHouse wants one a second.
const WAIT: Duration = Duration::from_secs(1);

impl<'t> Lowering<'t> {
    /// Makes the receiver of `clickhouse()`. It renders by itself: the template beside it is not used.
    pub(crate) fn clickhouse(
        &mut self,
        options: &Options<'t>,
    ) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let written = batches(options, BATCH_LINES, BATCH_BYTES);
        let is_waiting = options.own("batch-timeout").is_some();
        let mut settings = self.request_settings(options)?;
        if options.is_yes("compression") {
            settings.compression = Compression::Gzip;
        }
        let format = match options.own_text("format").map(|word| word.to_ascii_lowercase()).as_deref() {
            Some("jsoncompacteachrow") => ClickhouseFormat::Arrays,
            _ => ClickhouseFormat::Objects,
        };
        let target = ClickhouseTarget {
            address: self.clickhouse_url(options)?,
            database: self.clickhouse_name(options, "database")?.unwrap_or_else(|| DATABASE.to_owned()),
            table: self.clickhouse_name(options, "table")??,
            content: self.clickhouse_content(options)?,
            format,
            unique_column: self.clickhouse_name(options, "unique-column")?,
            settings,
            batches: Batches { wait: if is_waiting { written.wait } else { Some(WAIT) }, ..written },
        };
        self.clickhouse_unique(options, &target)?;
        let receiver = DestinationDriver::Receiver(Box::new(ClickhouseReceiver::new(target)));
        let unused = self.built_in_template("", options)?;
        Some((receiver, self.template_renderer(unused, options)))
    }

    fn clickhouse_url(&mut self, options: &Options<'t>) -> Option<String> {
        let Some(option) = options.own("url") else { return Some(URL.to_owned()) };
        let text = option.text().unwrap_or_default();
        self.only_encrypted(options, text)?;
        let url = server_url(text);
        if url.is_none() {
            let message = format!("`{text}` is no HTTP address, and ClickHouse's gRPC is not spoken here");
            let help = "write where its HTTP interface is: http://host:8123 or https://host:8443, without user and query";
            self.report.push(Diagnostic::error(option.span, message).help(help));
        }
        url.map(str::to_owned)
    }

    /// Returns the name that an option gives. The outer `None` means an error, which is in the report.
    fn clickhouse_name(&mut self, options: &Options<'t>, option: &str) -> Option<Option<String>> {
        let Some(written) = options.own(option) else { return Some(None) };
        let name = options.own_text(option).unwrap_or_default();
        self.check_clickhouse_name(option, &name, written.span)?;
        Some(Some(name))
    }

    fn check_clickhouse_name(&mut self, option: &str, name: &str, span: Span) -> Option<()> {
        let Err(error) = check_name(name) else { return Some(()) };
        self.report.push(Diagnostic::error(span, format!("`{option}()`: {error}")));
        None
    }

    /// Parses `schema("a" UInt32 => "$PID" "b" => "$MSG")` or `json-var("$(format-json ...)")`.
    fn clickhouse_content(&mut self, options: &Options<'t>) -> Option<ClickhouseContent> {
        match (options.own("schema"), options.own("json-var")) {
            (Some(schema), None) => self.clickhouse_columns(schema, options).map(ClickhouseContent::Columns),
            (None, Some(row)) => {
                let row = self.named_or_text(row)?;
                Some(ClickhouseContent::Json(self.template_renderer(row, options)))
            }
            (both, _) => {
                let span = both.map_or(options.call.name.span, |schema| schema.span);
                let error = Diagnostic::error(span, "`clickhouse()` needs either `schema()` or `json-var()`");
                self.report.push(
                    error.help("schema(\"time\" DateTime => \"$S_UNIXTIME\" \"message\" String => \"$MSG\")"),
                );
                None
            }
        }
    }

    fn clickhouse_columns(
        &mut self,
        schema: &'t Call,
        options: &Options<'t>,
    ) -> Option<Vec<ClickhouseColumn>> {
        let mut columns = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        let mut args = schema.args.iter();
        while let Some(arg) = args.next() {
            // Without a type the name stands before the arrow, with one the type does.
            let (name, pair) = match arg {
                Arg::Pair(..) => (None, arg),
                _ => (arg.text(), args.next().unwrap_or(arg)),
            };
            let Arg::Pair(before, value) = pair else {
                let error = Diagnostic::error(arg.span(), "this is no column of a schema");
                self.report.push(
                    error.help(
                        "\"name\" Type => \"template\", with a type such as \"DateTime64(3)\" in quotes",
                    ),
                );
                return None;
            };
            let (name, kind) = match name {
                Some(name) => (name, before.text.as_str()),
                None => (before.text.as_str(), ""),
            };
            self.check_clickhouse_name("schema", name, pair.span())?;
            if names.contains(&name) {
                let message = format!("`schema()` has the column `{name}` twice");
                self.report.push(Diagnostic::error(pair.span(), message));
                return None;
            }
            names.push(name);
            let template = self.template_argument(value).map(Arc::new)?;
            let value = self.template_renderer(template, options);
            columns.push(ClickhouseColumn::new(name.to_owned(), kind.to_owned(), value));
        }
        if columns.is_empty() {
            self.report.push(Diagnostic::error(schema.span, "`schema()` has no column"));
            return None;
        }
        Some(columns)
    }

    /// Refuses a column of ids that is written already, or that has no place.
    fn clickhouse_unique(&mut self, options: &Options<'t>, target: &ClickhouseTarget) -> Option<()> {
        let Some(option) = options.own("unique-column") else { return Some(()) };
        let fault = match &target.content {
            ClickhouseContent::Columns(columns) => columns
                .iter()
                .any(|column| Some(column.name()) == target.unique_column.as_deref())
                .then_some("`unique-column()` is a column of `schema()` too"),
            ClickhouseContent::Json(_) => (target.format == ClickhouseFormat::Arrays)
                .then_some("`unique-column()` has no place in the arrays of `json-var()`"),
        };
        let Some(fault) = fault else { return Some(()) };
        self.report.push(Diagnostic::error(option.span, fault));
        None
    }
}
