//! `sql()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing. Limits: databases other than PostgreSQL, MySQL, MariaDB
//! and SQLite are refused by name; there must be as many values as columns.

use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic,
    tree::{Arg, Call},
};
use delivery::DestinationDriver;
use message::{Render, ValueKind};
use outputs::{Column, ColumnValue, SqlReceiver, SqlTarget, TableMaking};
use std::{path::PathBuf, sync::Arc};
use transport::sql::{SqlLogin, SqlServer};

/// The folder in which Debian's PostgreSQL has its unix socket.
const POSTGRES_SOCKET: &str = "/var/run/postgresql";
const POSTGRES_PORT: u16 = 5432;
/// The unix socket of Debian's MariaDB.
const MYSQL_SOCKET: &str = "/run/mysqld/mysqld.sock";
const MYSQL_PORT: u16 = 3306;
/// Rows of a transaction unless `batch-lines()` is set.
const BATCH_LINES: usize = 1000;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `sql()`. It renders its own templates, so the one returned with it is not used.
    pub(crate) fn sql(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let server = self.sql_server(options)?;
        let table = self.template_argument(options.own("table")?.args.first()?).map(Arc::new)?;
        let columns = self.sql_columns(options)?;
        let flags = options.own("flags").map(Call::texts).unwrap_or_default();
        let leaves = flags.iter().any(|flag| flag.replace('_', "-") == "dont-create-tables");
        let target = SqlTarget {
            server,
            table: self.template_renderer(table, options),
            columns,
            indexes: texts(options, "indexes"),
            null: options.own_text("null"),
            tables: if leaves { TableMaking::Leave } else { TableMaking::Make },
            session_statements: texts(options, "session-statements"),
            create_append: options.own_text("create-statement-append").unwrap_or_default(),
            unique_column: options.own_text("unique-column").filter(|name| !name.is_empty()),
            batches: batches(options, BATCH_LINES, 0),
        };
        self.sql_names(options, &target)?;
        let receiver = DestinationDriver::Receiver(Box::new(SqlReceiver::new(target)));
        let unused = self.built_in_template("", options)?;
        Some((receiver, self.template_renderer(unused, options)))
    }

    pub(crate) fn sql_server(&mut self, options: &Options<'t>) -> Option<SqlServer> {
        let kind = options.word("type").unwrap_or_else(|| "mysql".to_owned());
        match kind.as_str() {
            "pgsql" => Some(SqlServer::Postgres(self.sql_login(options, POSTGRES_SOCKET, POSTGRES_PORT)?)),
            "mysql" | "mariadb" => {
                Some(SqlServer::Mysql(self.sql_login(options, MYSQL_SOCKET, MYSQL_PORT)?))
            }
            "sqlite3" | "sqlite" => {
                let file = options.own_text("database");
                let file = PathBuf::from(file.unwrap_or_else(|| "logs".to_owned()));
                Some(SqlServer::Sqlite(std::path::absolute(&file).unwrap_or(file)))
            }
            other => {
                let message = format!("`sql()` for a database of type `{other}` is not supported yet");
                let span = options.own("type").map_or(options.call.name.span, |option| option.span);
                let error = Diagnostic::error(span, message);
                self.report.push(error.help("type(mysql), type(pgsql) and type(sqlite3) work"));
                None
            }
        }
    }

    fn sql_login(&mut self, options: &Options<'t>, socket: &str, port: u16) -> Option<SqlLogin> {
        let host = options.own_text("host").filter(|host| !host.is_empty());
        let host = host.unwrap_or_else(|| socket.to_owned());
        Some(SqlLogin {
            tls: self.encryption(options, &host)?,
            host,
            port: options.port(["port", "port"], port),
            user: options.own_text("username").unwrap_or_else(|| "syslog-ng".to_owned()),
            password: options.own_text("password").unwrap_or_default(),
            database: options.own_text("database").unwrap_or_else(|| "logs".to_owned()),
        })
    }

    /// Pairs `columns()` with `values()`.
    fn sql_columns(&mut self, options: &Options<'t>) -> Option<Vec<Column>> {
        let (written, values) = (options.own("columns")?, options.own("values")?);
        let names = written.texts();
        if names.len() != values.args.len() {
            let message = format!(
                "`columns()` has {} columns and `values()` has {} values",
                names.len(),
                values.args.len()
            );
            self.report.push(
                Diagnostic::error(values.span, message).help("a value for each column, in their order"),
            );
            return None;
        }
        let mut columns = Vec::new();
        for (name, value) in names.iter().zip(&values.args) {
            let (name, kind) = name.trim().split_once(char::is_whitespace).unwrap_or((name.trim(), "text"));
            columns.push(Column {
                name: name.to_owned(),
                kind: kind.trim().to_owned(),
                value: self.sql_value(value, options)?,
            });
        }
        Some(columns)
    }

    fn sql_value(&mut self, value: &Arg, options: &Options<'t>) -> Option<ColumnValue> {
        if let Arg::Word(word) = value
            && word.text == "default"
        {
            return Some(ColumnValue::Default);
        }
        let template = self.template_argument(value).map(Arc::new)?;
        let kind = template.hint().map_or(ValueKind::String, |hint| hint.kind());
        Some(ColumnValue::Template(self.template_renderer(template, options), kind))
    }

    /// Checks the names of columns in the configuration. PostgreSQL folds unquoted names to lower case, so
    /// names that differ only in case are equal here as well.
    fn sql_names(&mut self, options: &Options<'t>, target: &SqlTarget) -> Option<()> {
        for (place, column) in target.columns.iter().enumerate() {
            let is_twice =
                target.columns[..place].iter().any(|before| before.name.eq_ignore_ascii_case(&column.name));
            if column.name.is_empty() || is_twice {
                let message =
                    format!("`columns()` has the column `{}` twice, or without a name", column.name);
                self.report.push(Diagnostic::error(options.own("columns")?.span, message));
                return None;
            }
        }
        let unknown = target
            .indexes
            .iter()
            .find(|name| !target.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name)));
        if let Some(unknown) = unknown {
            let message = format!("`indexes()` names `{unknown}`, which is no column");
            self.report.push(Diagnostic::error(options.own("indexes")?.span, message));
            return None;
        }
        Some(())
    }
}

fn texts(options: &Options<'_>, name: &str) -> Vec<String> {
    options.all(name).flat_map(Call::texts).collect()
}
