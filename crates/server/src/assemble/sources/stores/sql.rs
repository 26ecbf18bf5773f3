//! `sql()` as a source.
//!
//! In: its options. Out: an [`SqlSource`]. Holds: nothing.
//! Limits: a source without a table needs a query of its own; a query that begins nowhere is an error.

use crate::assemble::sources::brokers::mqtt::reopen_after;
use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::Diagnostic;
use inputs::{OldRows, Pace, RowColumns, SqlSource};
use std::time::Duration;
use transport::sql::Dialect;

/// `follow-freq()` unless it is set.
const FOLLOW_EVERY: Duration = Duration::from_secs(10);
/// `log-fetch-limit()` unless it is set.
const ROWS_MAX: usize = 1000;
/// `timeout()` unless it is set.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// Stands for the last value in queries.
const MARK: &str = "$last_read_uid";

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe. `None` after an error, which is in the report.
    pub(crate) fn sql_source(&mut self, options: &Options<'t>) -> Option<SqlSource> {
        let server = self.sql_server(options)?;
        let dialect = server.dialect();
        // Without it the check of the driver has an error already.
        let uid = options.own_text("uid-column")?;
        let table = self.sql_table(options, dialect)?;
        let text = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        if let Some(query) = options.own("fetch-query").filter(|_| !names_mark(text("fetch-query"))) {
            let message = format!(
                "`fetch-query()` does not contain {MARK}: it would return the same rows again and again"
            );
            let error = Diagnostic::error(query.span, message);
            self.report.push(error.help("SELECT * FROM t WHERE id > $last_read_uid ORDER BY id LIMIT 1000"));
            return None;
        }
        let is_new_only = options.is_no("read-old-records");
        if table.is_none() && is_new_only && text("table-init-query").is_none() {
            let message = "without `table()`, `read-old-records(no)` needs `table-init-query()`";
            self.report.push(Diagnostic::error(options.call.name.span, message));
            return None;
        }
        Some(SqlSource {
            server,
            table,
            columns: RowColumns {
                uid: dialect.folded(&uid),
                message: text("message-column"),
                host: text("host-column"),
                program: text("program-column"),
                time: text("datetime-column"),
            },
            prefix: options.own_text("prefix").unwrap_or_else(|| ".sql.".to_owned()),
            connect_query: text("connect-query"),
            fetch_query: text("fetch-query"),
            init_query: text("table-init-query"),
            archive_query: text("archive-query"),
            follow_every: options.seconds("follow-freq").unwrap_or(FOLLOW_EVERY),
            pace: if options.is_no("fast-follow-mode") { Pace::Steady } else { Pace::Fast },
            old: if is_new_only { OldRows::Skipped } else { OldRows::Read },
            rows_max: options
                .own("log-fetch-limit")
                .map_or(ROWS_MAX, |_| options.count("log-fetch-limit", ROWS_MAX)),
            timeout: options.own("timeout").and_then(|_| options.seconds("timeout")).unwrap_or(ANSWER_WITHIN),
            reopen_after: reopen_after(options),
            persist_name: text("persist-name"),
        })
    }

    /// Returns the name of the table as the database has it, or none when the query names it.
    fn sql_table(&mut self, options: &Options<'t>, dialect: Dialect) -> Option<Option<String>> {
        let Some(written) = options.own("table") else {
            if options.own("fetch-query").is_some() {
                return Some(None);
            }
            let error =
                Diagnostic::error(options.call.name.span, "`sql()` needs `table()` or `fetch-query()`");
            self.report.push(error.help("table(\"messages\")"));
            return None;
        };
        let name = written.texts().into_iter().next().unwrap_or_default();
        let is_part = |part: &str| !part.is_empty() && part.len() <= dialect.name_bytes_max();
        if name.split('.').count() <= 2 && name.split('.').all(is_part) && !name.contains(char::is_control) {
            return Some(Some(dialect.folded(&name)));
        }
        let message = "`table()` is no name of a table";
        self.report.push(
            Diagnostic::error(written.span, message).help("table(\"messages\") or table(\"logs.messages\")"),
        );
        None
    }
}

fn names_mark(query: Option<String>) -> bool {
    query.is_some_and(|query| query.contains(MARK))
}
