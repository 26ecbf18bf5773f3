//! The text of statements. Values never stand in it: they are parameters.
//!
//! In: names, columns, counts of rows. Out: text. Holds: nothing. Limits: [`PARAMETERS_MAX`] parameters a statement.

use super::{
    identifier::{index, quoted, quoted_table},
    options::{Schema, SqlServer},
};

/// Most parameters of a statement of each database.
pub(super) const PARAMETERS_MAX: usize = 32_766;

/// Returns the statements that make a table: the table itself, then its indexes.
pub(super) fn create(schema: &Schema, table: &str) -> Vec<String> {
    let columns: Vec<String> =
        schema.all_columns().map(|(name, kind)| format!("{} {kind}", quoted(name))).collect();
    let append =
        if schema.create_append.is_empty() { String::new() } else { format!(" {}", schema.create_append) };
    let make = format!("CREATE TABLE IF NOT EXISTS {} ({}){append}", quoted_table(table), columns.join(", "));
    let indexed = schema.all_columns().filter_map(|(name, _)| index_of(schema, table, name));
    std::iter::once(make).chain(indexed).collect()
}

/// Returns the statements that add a column.
pub(super) fn add_column(schema: &Schema, table: &str, name: &str, kind: &str) -> Vec<String> {
    let add = format!("ALTER TABLE {} ADD COLUMN {} {kind}", quoted_table(table), quoted(name));
    std::iter::once(add).chain(index_of(schema, table, name)).collect()
}

/// Returns the statement that makes the index of a column, if it is to have one.
fn index_of(schema: &Schema, table: &str, column: &str) -> Option<String> {
    let is_unique = schema.unique_column.as_deref() == Some(column);
    if !is_unique && !schema.indexes.iter().any(|indexed| indexed == column) {
        return None;
    }
    // SQLite names the schema before the index, PostgreSQL before the table only.
    let (place, table_name) = match (&schema.server, table.split_once('.')) {
        (SqlServer::Sqlite(_), Some((place, name))) => (format!("{}.", quoted(place)), quoted(name)),
        _ => (String::new(), quoted_table(table)),
    };
    let kind = if is_unique { "UNIQUE INDEX" } else { "INDEX" };
    let name = quoted(&index(table, column));
    Some(format!("CREATE {kind} IF NOT EXISTS {place}{name} ON {table_name} ({})", quoted(column)))
}

/// Returns the statement that looks at the columns of a table.
pub(super) fn look(table: &str) -> String {
    format!("SELECT * FROM {} WHERE 0=1", quoted_table(table))
}

/// Returns the statement that inserts so many rows.
pub(super) fn insert(schema: &Schema, table: &str, rows: usize) -> String {
    let names: Vec<String> = inserted(schema).map(quoted).collect();
    let width = names.len();
    let mut text = format!("INSERT INTO {} ({}) VALUES ", quoted_table(table), names.join(", "));
    let mut parameter = 0;
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..width {
            parameter += 1;
            let before = if column == 0 { "" } else { ", " };
            match schema.server {
                SqlServer::Postgres { .. } => text.push_str(&format!("{before}${parameter}")),
                SqlServer::Sqlite(_) => text.push_str(&format!("{before}?{parameter}")),
            }
        }
        text.push(')');
    }
    if let Some(unique) = &schema.unique_column {
        text.push_str(&format!(" ON CONFLICT ({}) DO NOTHING", quoted(unique)));
    }
    text
}

/// Returns how many rows fit into one statement.
pub(super) fn rows_max(schema: &Schema) -> usize {
    (PARAMETERS_MAX / inserted(schema).count().max(1)).max(1)
}

/// Returns the columns that get a value, in the order of parameters.
fn inserted(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.columns.iter().map(|(name, _)| name.as_str()).chain(schema.unique_column.as_deref())
}

#[cfg(test)]
mod tests {
    //! Statements, word for word.

    use super::*;
    use crate::sql::options::TableMaking;
    use std::path::PathBuf;

    fn schema(server: SqlServer, unique: Option<&str>) -> Schema {
        let column = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
        Schema {
            server,
            columns: vec![column("date", "timestamp"), column("a\"b", "text")],
            default_columns: vec![column("id", "serial")],
            indexes: vec!["date".to_owned()],
            tables: TableMaking::Make,
            session_statements: Vec::new(),
            create_append: String::new(),
            unique_column: unique.map(str::to_owned),
        }
    }

    fn postgres() -> SqlServer {
        let text = String::new;
        SqlServer::Postgres { host: text(), port: 5432, user: text(), password: text(), database: text() }
    }

    #[test]
    fn tables_are_made_with_their_indexes() {
        assert_eq!(
            create(&schema(postgres(), None), "logs.m"),
            [
                r#"CREATE TABLE IF NOT EXISTS "logs"."m" ("date" timestamp, "a""b" text, "id" serial)"#,
                r#"CREATE INDEX IF NOT EXISTS "m_date_idx" ON "logs"."m" ("date")"#,
            ]
        );
        let schema = Schema {
            create_append: "WITHOUT ROWID".to_owned(),
            ..schema(SqlServer::Sqlite(PathBuf::new()), Some("record"))
        };
        assert_eq!(
            create(&schema, "main.m"),
            [
                r#"CREATE TABLE IF NOT EXISTS "main"."m" ("date" timestamp, "a""b" text, "id" serial, "record" text) WITHOUT ROWID"#,
                r#"CREATE INDEX IF NOT EXISTS "main"."m_date_idx" ON "m" ("date")"#,
                r#"CREATE UNIQUE INDEX IF NOT EXISTS "main"."m_record_idx" ON "m" ("record")"#,
            ]
        );
    }

    #[test]
    fn columns_are_added_with_their_indexes() {
        let schema = schema(postgres(), None);
        assert_eq!(add_column(&schema, "m", "a\"b", "text"), [r#"ALTER TABLE "m" ADD COLUMN "a""b" text"#]);
        assert_eq!(add_column(&schema, "m", "date", "timestamp").len(), 2);
    }

    #[test]
    fn rows_are_inserted_together() {
        assert_eq!(
            insert(&schema(postgres(), Some("record")), "m", 2),
            r#"INSERT INTO "m" ("date", "a""b", "record") VALUES ($1, $2, $3), ($4, $5, $6) ON CONFLICT ("record") DO NOTHING"#
        );
        assert_eq!(
            insert(&schema(SqlServer::Sqlite(PathBuf::new()), None), "m", 1),
            r#"INSERT INTO "m" ("date", "a""b") VALUES (?1, ?2)"#
        );
        assert_eq!(rows_max(&schema(postgres(), None)), PARAMETERS_MAX / 2);
    }
}
