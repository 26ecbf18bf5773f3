//! The text of statements. Values are never part of it: they are parameters.
//!
//! In: names, columns, counts of rows. Out: text. Holds: nothing. Limits: [`rows_max`] rows per statement.

use super::{identifier::index, options::Schema};
use std::fmt::Write as _;
use transport::sql::Dialect;

/// Characters of a long text that MySQL indexes. Each may take four bytes, and its oldest format of tables indexes 767.
const INDEXED_CHARACTERS: usize = 191;

/// Returns the statements that make a table: the table itself, then its indexes.
pub(super) fn create(schema: &Schema, table: &str) -> Vec<String> {
    let dialect = schema.dialect();
    let columns = schema.all_columns().map(|(name, kind)| format!("{} {kind}", dialect.quoted(name)));
    let mut parts: Vec<String> = columns.collect();
    let mut indexes: Vec<String> =
        schema.all_columns().filter_map(|(name, kind)| index_of(schema, table, name, kind)).collect();
    if dialect == Dialect::Mysql {
        // There is no CREATE INDEX IF NOT EXISTS, and one statement leaves no table without its indexes.
        parts.append(&mut indexes);
    }
    let mut make =
        format!("CREATE TABLE IF NOT EXISTS {} ({})", dialect.quoted_table(table), parts.join(", "));
    make.push_str(character_set(schema));
    if !schema.create_append.is_empty() {
        let _ = write!(make, " {}", schema.create_append);
    }
    std::iter::once(make).chain(indexes).collect()
}

/// Returns the clause that makes a table of MySQL accept every character, unless `create-statement-append()` names
/// a character set.
fn character_set(schema: &Schema) -> &'static str {
    let append = schema.create_append.to_ascii_lowercase();
    let is_chosen = ["charset", "character", "collate"].iter().any(|word| append.contains(word));
    if schema.dialect() == Dialect::Mysql && !is_chosen { " DEFAULT CHARACTER SET utf8mb4" } else { "" }
}

/// Returns the statements that add a column.
pub(super) fn add_column(schema: &Schema, table: &str, name: &str, kind: &str) -> Vec<String> {
    let dialect = schema.dialect();
    let mut add =
        format!("ALTER TABLE {} ADD COLUMN {} {kind}", dialect.quoted_table(table), dialect.quoted(name));
    let index = index_of(schema, table, name, kind);
    match index {
        Some(index) if dialect == Dialect::Mysql => {
            let _ = write!(add, ", ADD {index}");
            vec![add]
        }
        index => std::iter::once(add).chain(index).collect(),
    }
}

/// Returns the statement that makes the index of a column, if it should have one; for MySQL, only a clause.
fn index_of(schema: &Schema, table: &str, column: &str, kind: &str) -> Option<String> {
    let is_unique = schema.unique_column.as_deref() == Some(column);
    if !is_unique && !schema.indexes.iter().any(|indexed| indexed == column) {
        return None;
    }
    let dialect = schema.dialect();
    let what = if is_unique { "UNIQUE INDEX" } else { "INDEX" };
    let name = dialect.quoted(&index(dialect, table, column));
    let column = dialect.quoted(column);
    Some(match (dialect, table.split_once('.')) {
        (Dialect::Mysql, _) => format!("{what} {name} ({column}{})", index_prefix(kind)),
        // SQLite names the schema before the index, PostgreSQL before the table only.
        (Dialect::Sqlite, Some((place, table))) => {
            let (place, table) = (dialect.quoted(place), dialect.quoted(table));
            format!("CREATE {what} IF NOT EXISTS {place}.{name} ON {table} ({column})")
        }
        _ => format!("CREATE {what} IF NOT EXISTS {name} ON {} ({column})", dialect.quoted_table(table)),
    })
}

/// Returns how much of a column MySQL indexes: of long texts it must be said.
fn index_prefix(kind: &str) -> String {
    let word: String = kind.chars().take_while(char::is_ascii_alphabetic).collect();
    let word = word.to_ascii_lowercase();
    if word.ends_with("text") || word.ends_with("blob") {
        format!("({INDEXED_CHARACTERS})")
    } else {
        String::new()
    }
}

/// Returns the statement that reads the columns of a table.
pub(super) fn look(schema: &Schema, table: &str) -> String {
    format!("SELECT * FROM {} WHERE 0=1", schema.dialect().quoted_table(table))
}

/// Returns the statement that counts how many of `count` ids a table has.
pub(super) fn count_ids(schema: &Schema, table: &str, ids: usize) -> String {
    let dialect = schema.dialect();
    let unique = dialect.quoted(schema.unique_column.as_deref().unwrap_or_default());
    let table = dialect.quoted_table(table);
    format!("SELECT COUNT(*) FROM {table} WHERE {unique} IN ({})", vec!["?"; ids].join(", "))
}

/// Returns the statement that inserts `rows` rows.
pub(super) fn insert(schema: &Schema, table: &str, rows: usize) -> String {
    let dialect = schema.dialect();
    let names: Vec<String> = inserted(schema).map(|name| dialect.quoted(name)).collect();
    let width = names.len();
    let mut text = format!("INSERT INTO {} ({}) VALUES ", dialect.quoted_table(table), names.join(", "));
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..width {
            let parameter = row * width + column + 1;
            let before = if column == 0 { "" } else { ", " };
            let _ = match dialect {
                Dialect::Postgres => write!(text, "{before}${parameter}"),
                Dialect::Sqlite => write!(text, "{before}?{parameter}"),
                Dialect::Mysql => write!(text, "{before}?"),
            };
        }
        text.push(')');
    }
    text.push_str(&once(schema));
    text
}

/// Returns the statement that inserts any number of rows into a table of PostgreSQL: an array for each column. `types` are those
/// of the elements, in the order of parameters, as the database spells them.
pub(super) fn insert_arrays(schema: &Schema, table: &str, types: &[String]) -> String {
    let dialect = schema.dialect();
    let names: Vec<String> = inserted(schema).map(|name| dialect.quoted(name)).collect();
    let arrays = types.iter().enumerate().map(|(place, kind)| format!("${}::{kind}[]", place + 1));
    let arrays: Vec<String> = arrays.collect();
    let table = dialect.quoted_table(table);
    format!(
        "INSERT INTO {table} ({}) SELECT * FROM unnest({}){}",
        names.join(", "),
        arrays.join(", "),
        once(schema)
    )
}

/// Returns the clause that makes an insertion skip rows whose id exists.
fn once(schema: &Schema) -> String {
    let dialect = schema.dialect();
    let Some(unique) = &schema.unique_column else { return String::new() };
    let unique = dialect.quoted(unique);
    match dialect {
        Dialect::Postgres | Dialect::Sqlite => format!(" ON CONFLICT ({unique}) DO NOTHING"),
        // INSERT IGNORE would also make other values of those that do not fit, in silence.
        Dialect::Mysql => format!(" ON DUPLICATE KEY UPDATE {unique} = {unique}"),
    }
}

/// Returns how many rows fit into one statement.
pub(super) fn rows_max(schema: &Schema) -> usize {
    let parameters_max = match schema.dialect() {
        Dialect::Postgres | Dialect::Sqlite => 32_766,
        Dialect::Mysql => 65_535,
    };
    (parameters_max / inserted(schema).count().max(1)).max(1)
}

/// Returns the columns that get a value, in the order of parameters.
pub(super) fn inserted(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.columns.iter().map(|(name, _)| name.as_str()).chain(schema.unique_column.as_deref())
}

#[cfg(test)]
mod tests {
    //! Statements, word for word.

    use super::*;
    use crate::sql::options::TableMaking;
    use std::path::PathBuf;
    use transport::sql::{SqlLogin, SqlServer};

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

    fn login() -> SqlLogin {
        let text = String::new;
        SqlLogin { host: text(), port: 1, user: text(), password: text(), database: text(), tls: None }
    }

    fn postgres() -> SqlServer {
        SqlServer::Postgres(login())
    }

    fn mysql() -> SqlServer {
        SqlServer::Mysql(login())
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
    fn tables_of_mysql_have_their_indexes_from_the_start() {
        let plain = schema(mysql(), None);
        assert_eq!(
            create(&plain, "logs.m"),
            [
                r#"CREATE TABLE IF NOT EXISTS `logs`.`m` (`date` timestamp, `a"b` text, `id` serial, INDEX `m_date_idx` (`date`)) DEFAULT CHARACTER SET utf8mb4"#
            ]
        );
        let chosen = Schema {
            create_append: "ENGINE=Aria Charset=latin1".to_owned(),
            columns: vec![("a".to_owned(), "MEDIUMTEXT NOT NULL".to_owned())],
            indexes: vec!["a".to_owned()],
            default_columns: Vec::new(),
            ..schema(mysql(), Some("record"))
        };
        assert_eq!(
            create(&chosen, "m"),
            [
                "CREATE TABLE IF NOT EXISTS `m` (`a` MEDIUMTEXT NOT NULL, `record` char(32) CHARACTER SET ascii COLLATE ascii_bin, \
                INDEX `m_a_idx` (`a`(191)), UNIQUE INDEX `m_record_idx` (`record`)) ENGINE=Aria Charset=latin1"
            ]
        );
        assert_eq!(
            add_column(&plain, "m", "date", "timestamp"),
            ["ALTER TABLE `m` ADD COLUMN `date` timestamp, ADD INDEX `m_date_idx` (`date`)"]
        );
        assert_eq!(add_column(&plain, "m", "x", "int"), ["ALTER TABLE `m` ADD COLUMN `x` int"]);
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
            insert_arrays(
                &schema(postgres(), Some("record")),
                "m",
                &["\"a\".\"b\"".to_owned(), "c".to_owned()]
            ),
            r#"INSERT INTO "m" ("date", "a""b", "record") SELECT * FROM unnest($1::"a"."b"[], $2::c[]) ON CONFLICT ("record") DO NOTHING"#
        );
        assert_eq!(
            insert(&schema(SqlServer::Sqlite(PathBuf::new()), None), "m", 1),
            r#"INSERT INTO "m" ("date", "a""b") VALUES (?1, ?2)"#
        );
        assert_eq!(
            insert(&schema(mysql(), Some("record")), "m", 2),
            "INSERT INTO `m` (`date`, `a\"b`, `record`) VALUES (?, ?, ?), (?, ?, ?) ON DUPLICATE KEY UPDATE `record` = `record`"
        );
        assert_eq!(
            count_ids(&schema(mysql(), Some("record")), "l.m", 2),
            "SELECT COUNT(*) FROM `l`.`m` WHERE `record` IN (?, ?)"
        );
        assert_eq!(rows_max(&schema(postgres(), None)), 32_766 / 2);
        assert_eq!(rows_max(&schema(mysql(), Some("record"))), 65_535 / 3);
    }
}
